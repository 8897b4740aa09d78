"""The composition root: the only room that reads settings.

root      a home directory, alive; each part is made when it is first asked for
sources   where digests come from
routes    the way out for each kind of address
"""

from bot.app.container import App, open_app

__all__ = ["App", "open_app"]
