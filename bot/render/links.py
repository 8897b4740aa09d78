"""Where the links of a message lead: to a paper by its title, and back to Paperbot for one reader."""

from __future__ import annotations

from typing import Protocol
from urllib.parse import quote

from bot import identity
from bot.domain import Paper, Vote
from bot.identity import Link

_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"


class Links(Protocol):
    """One reader's own links; following them shows a page, and only its button changes anything."""

    def thumb(self, paper: Paper, vote: Vote) -> str:
        """The page that asks whether to record this vote."""
        ...

    def unsubscribe(self) -> str:
        """The page that stops this reader's editions."""
        ...


def title_link(paper: Paper) -> Link:
    """Where a paper's title leads: http or https only, percent-encoded where a URL must be."""
    link = identity.link(paper)
    return Link(quote(link.url, safe=_URL_CHARACTERS, errors="replace"), link.is_search)
