"""The composition root: the only package that reads settings.

home        a home directory: paths, settings, profiles
container   wires the parts together; each is made at its first use
sources     where digests come from
routes      the channels for each kind of address
"""

from bot.app.container import App, open_app

__all__ = ["App", "open_app"]
