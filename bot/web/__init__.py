"""The web pages: what links in messages lead to, the start page, preferences, Slack's requests, operators' pages.

GET shows, POST does: mail scanners open every link. A page needs no script, no account and nothing from elsewhere.

    server.py: connections -> application.py: routes, errors
        -> readers.py editions.py open_pages.py papers.py slack.py operators.py -> site.py: what they share
"""

from bot.web.application import make_web

__all__ = ["make_web"]
