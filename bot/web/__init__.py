"""The web pages: what links in messages lead to, the start page, preferences, Slack's requests, operators' pages.

GET shows, POST does: mail scanners open every link. A page needs no script, no account and nothing from elsewhere.

    server.py             connections: how many, and how long they may wait for their client
    request_limits.py     requests: size, form, response headers
    application.py        which address leads where, and how errors are shown
    site.py               what pages share
    subscriptions.py votes.py reader_page.py editions.py open_editions.py paper_pages.py search_pages.py
    preview_page.py slack.py operators.py                                                             the pages
"""

from bot.web.application import make_web

__all__ = ["make_web"]
