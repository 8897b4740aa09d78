"""The links of a message: a title's to its paper, and a reader's back to Paperbot."""

from __future__ import annotations

from datetime import date
from typing import Protocol
from urllib.parse import quote, urlsplit

from bot import identity
from bot.domain import Paper, Vote
from bot.identity import PaperLink
from bot.loopback import is_loopback

# RFC 3986's reserved characters, and "%" so that what is encoded already stays as it is.
_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"

# Characters. RFC 5322 recommends lines of 78 at most, and the mail's text part indents by 4.
_LINE_WIDTH = 74


class Links(Protocol):
    """A reader's links. A GET changes nothing, as mail scanners follow links: the page's button does."""

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """Return the page that asks to confirm a vote; ``via`` is the channel of the link, mail or page."""
        ...

    def save(self, paper: Paper, via: str = "mail") -> str:
        """Return the page that offers a paper to reference managers; empty in mails if only this machine reaches it."""
        ...

    def edition(self, day: date) -> str:
        """Return the page of a day's edition."""
        ...

    def go(self, paper: Paper) -> str:
        """Return the page that shows the paper's addresses, which is shorter than most of them."""
        ...

    def me(self) -> str:
        """Return the reader's preferences page."""
        ...

    def unsubscribe(self) -> str:
        """Return the page that unsubscribes the reader."""
        ...


def title_link(paper: Paper) -> PaperLink:
    """Return the link of a paper's title: http or https only, percent-encoded."""
    # Digests can hold any text as an address: a quotation mark or blank in it would end the attribute or Slack's link.
    link = identity.link(paper)
    return PaperLink(quote(link.url, safe=_URL_CHARACTERS, errors="replace"), link.is_search)


def short(url: str, paper: Paper, links: Links) -> str:
    """Return an address of a paper if it fits on a line of plain text, else our page of its addresses if that does."""
    if len(url) <= _LINE_WIDTH:
        return url
    page = links.go(paper)
    # A page on this machine can't be opened on a telephone, where the paper's own address can.
    is_reachable = not is_loopback(urlsplit(page).hostname or "")
    return page if is_reachable and len(page) <= _LINE_WIDTH else url


def web_address(text: str) -> str:
    """Return a digest's text as an address that is safe in an attribute, percent-encoded; empty if it is not one."""
    if not text.startswith(("https://", "http://")):
        return ""
    return quote(text, safe=_URL_CHARACTERS, errors="replace")


def host(url: str) -> str:
    """Return where a link leads, as people name it.

    >>> host("https://www.nature.com/articles/1")
    'nature.com'
    """
    return (urlsplit(url).hostname or "").removeprefix("www.")


def path(url: str) -> str:
    """Return the path and query of one of our links: a page links within the host under which it was opened.

    >>> path("https://papers.example.org/thumb/WzFd?vote=up")
    '/thumb/WzFd?vote=up'
    """
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
