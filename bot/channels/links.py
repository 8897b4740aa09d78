"""The links of a message: a title's to its paper, and a reader's back to Paperbot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Protocol
from urllib.parse import quote, urlsplit

from bot.config.keys import Purpose, Signer
from bot.model import Paper, Reader, Vote, identity
from bot.model.addresses import is_loopback
from bot.model.identity import PaperLink

# RFC 3986's reserved characters, and "%" so that what is encoded already stays as it is.
_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"

# Characters. RFC 5322 recommends lines of 78 at most, and the mail's text part indents by 4.
_LINE_WIDTH = 74


class Links(Protocol):
    """A reader's links. A GET changes nothing, as mail scanners follow links: the page's button does."""

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """Return the page that asks to confirm a vote; ``via`` is the channel of the link, mail or page."""

    def save(self, paper: Paper, via: str = "mail") -> str:
        """Return the page that offers a paper to reference managers; empty in mails if only this machine reaches it."""

    def edition(self, day: date) -> str:
        """Return the page of a day's edition."""

    def go(self, paper: Paper) -> str:
        """Return the page that shows the paper's addresses, which is shorter than most of them."""

    def me(self) -> str:
        """Return the reader's preferences page."""

    def unsubscribe(self) -> str:
        """Return the page that unsubscribes the reader."""


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


@dataclass(frozen=True, slots=True)
class SampleLinks:
    """The links of a sample edition: all lead to one page at ``public_url``, which changes nothing."""

    public_url: str

    def _page(self, *_: object, **__: object) -> str:
        return f"{self.public_url}/sample"

    thumb = edition = go = me = unsubscribe = _page

    def save(self, _paper: Paper, _via: str = "mail") -> str:
        """Return the sample page where mails have a link to the page that offers a paper to reference managers."""
        return "" if _is_on_this_machine(self.public_url) else self._page()


@dataclass(frozen=True, slots=True)
class ReaderLinks:
    """Links to the web pages at ``public_url``, signed for one reader.

    ``reply_to`` is the bot's mailbox if votes in mails are mails to it; empty if they are pages.
    """

    public_url: str
    signer: Signer
    reader: Reader
    reply_to: str = ""
    # A mail has each token several times: in its two parts, and that of a paper in the links of both votes.
    _tokens: dict[tuple[Purpose, Sequence[int]], str] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """Return the page with a button for this vote; ``via`` is where the link is: mail or page.

        In mails, a mail with the vote as its subject if votes are mails (``bot.readers.votes``).
        """
        if self.reply_to and via == "mail":
            token = self._token(Purpose.REPLY, self.reader.id, paper.id)
            subject = quote(f"Paperbot vote {vote} {token}")
            return f"mailto:{quote(self.reply_to, safe='@')}?subject={subject}"
        # No parameter in mails, which have two of these links for each paper.
        origin = "" if via == "mail" else f"from={via}&"
        return f"{self.public_url}/thumb/{self._token(Purpose.THUMB, self.reader.id, paper.id)}?{origin}vote={vote}"

    def confirm(self) -> str:
        """Return the page that confirms a subscription."""
        return self._page("confirm", Purpose.CONFIRM)

    def edition(self, day: date) -> str:
        """Return the page with what was sent on a day."""
        return f"{self.public_url}/edition/{self._token(Purpose.EDITION, self.reader.id, day.toordinal())}"

    def go(self, paper: Paper) -> str:
        """Return the page that shows a paper's addresses; it names no reader."""
        return f"{self.public_url}/go/{self._token(Purpose.GO, paper.id)}"

    def save(self, paper: Paper, via: str = "mail") -> str:
        """Return the page that offers a paper to reference managers; empty in mails if only this machine reaches it."""
        if via == "mail" and _is_on_this_machine(self.public_url):
            return ""
        return f"{self.public_url}/thumb/{self._token(Purpose.THUMB, self.reader.id, paper.id)}/save"

    def library(self, extension: str) -> str:
        """Return the liked papers as a file, ``bib`` or ``ris``, for programs that fetch it again and again."""
        return f"{self.public_url}/me/{self._token(Purpose.LIBRARY, self.reader.id)}/library.{extension}"

    def me(self) -> str:
        """Return the page of the reader's preferences."""
        # The path stays "me": links in mails of the last 90 days lead there.
        return self._page("me", Purpose.ME)

    def unsubscribe(self) -> str:
        """Return the page that stops this reader's editions."""
        return self._page("unsubscribe", Purpose.UNSUBSCRIBE)

    def _page(self, page: str, purpose: Purpose) -> str:
        return f"{self.public_url}/{page}/{self._token(purpose, self.reader.id)}"

    def _token(self, purpose: Purpose, *payload: int) -> str:
        token = self._tokens.get((purpose, payload))
        if token is None:
            token = self._tokens[purpose, payload] = self.signer.sign(purpose, payload)
        return token


# A mail asks it for each paper.
@lru_cache(maxsize=10)
def _is_on_this_machine(public_url: str) -> bool:
    """Return whether other machines, such as a reader's telephone, can't reach the pages."""
    return is_loopback(urlsplit(public_url).hostname or "")
