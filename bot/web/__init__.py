"""The pages: what links in messages lead to, the start page, one's own page, Slack's door, the operators'.

GET shows, POST does: mail scanners open every link. A page needs no script, no account and nothing from elsewhere.

    server.py       every connection: how many, how long
    guard.py        every request: size, form, headers
    site.py         what pages share
    thumbs.py subscriptions.py me.py editions.py open_editions.py slack.py operators.py      the pages
"""

from bot.web.application import make_web

__all__ = ["make_web"]
