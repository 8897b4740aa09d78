"""Where the links of a message lead: to a paper by its title, and back to Paperbot for one reader."""

from __future__ import annotations

from datetime import date
from typing import Protocol
from urllib.parse import quote, urlsplit

from bot import identity
from bot.domain import Paper, Vote
from bot.identity import Link

_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"


class Links(Protocol):
    """One reader's own links; following them shows a page, and only its button changes anything."""

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """The page that asks whether to record this vote; ``via`` says where the link stands: mail, page."""
        ...

    def edition(self, day: date) -> str:
        """What was sent on a day, in the browser."""
        ...

    def me(self) -> str:
        """The reader's own page."""
        ...

    def unsubscribe(self) -> str:
        """The page that stops this reader's editions."""
        ...


def title_link(paper: Paper) -> Link:
    """Where a paper's title leads: http or https only, percent-encoded where a URL must be."""
    link = identity.link(paper)
    return Link(quote(link.url, safe=_URL_CHARACTERS, errors="replace"), link.is_search)


def path(url: str) -> str:
    """One of our own links without its host: a page leads to where it was opened, whatever the settings say.

    >>> path("https://papers.example.org/thumb/WzFd?vote=up")
    '/thumb/WzFd?vote=up'
    """
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
