"""The web pages.

GET shows and POST acts, because mail scanners open every link. Pages need no script and no account, and load nothing
from other sites.
"""

from bot.web.application import make_web

__all__ = ["make_web"]
