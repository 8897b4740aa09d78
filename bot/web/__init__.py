"""The pages that links in messages lead to. GET shows, POST does: mail scanners open every link."""

from bot.web.pages import make_web

__all__ = ["make_web"]
