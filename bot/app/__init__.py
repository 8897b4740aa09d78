"""The composition root: the only package that reads settings.

home        a home directory: paths, settings, profiles
repair      what ``paperbot check --fix`` repairs in it
container   wires the parts together; each is made at its first use
"""

from bot.app.container import App, ClientLimits, open_app

__all__ = ["App", "ClientLimits", "open_app"]
