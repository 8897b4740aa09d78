"""The links that a message to one reader carries."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from urllib.parse import quote, urlsplit

from bot.domain import Paper, PaperId, Reader, Vote
from bot.loopback import is_loopback
from bot.tokens import Purpose, Signer


@dataclass(frozen=True, slots=True)
class SampleLinks:
    """The links of a sample edition: all lead to one page at ``public_url``, which changes nothing."""

    public_url: str

    def thumb(self, _paper: Paper, _vote: Vote, _via: str = "mail") -> str:
        """Return the sample page instead of a vote's."""
        return f"{self.public_url}/sample"

    def save(self, _paper: Paper, _via: str = "mail") -> str:
        """Return the sample page instead of the one that offers a paper to reference managers, where mails have it."""
        return "" if _is_on_this_machine(self.public_url) else f"{self.public_url}/sample"

    def edition(self, _day: date) -> str:
        """Return the sample page instead of the edition."""
        return f"{self.public_url}/sample"

    def go(self, _paper: Paper) -> str:
        """Return the sample page instead of the one with a paper's addresses."""
        return f"{self.public_url}/sample"

    def me(self) -> str:
        """Return the sample page instead of the reader's preferences."""
        return f"{self.public_url}/sample"

    def unsubscribe(self) -> str:
        """Return the sample page instead of the one that unsubscribes."""
        return f"{self.public_url}/sample"


@dataclass(frozen=True, slots=True)
class ReaderLinks:
    """Links to the web pages at ``public_url``, signed for one reader.

    ``reply_to`` is the bot's mailbox if votes in mails are mails to it; empty if they are pages.
    """

    public_url: str
    signer: Signer
    reader: Reader
    reply_to: str = ""
    # A mail links to each paper four times: two votes, in two parts. They differ outside the token.
    _thumb_tokens: dict[tuple[Purpose, PaperId], str] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """Return the page with a button for this vote; ``via`` is where the link is: mail or page.

        In mails, a mail with the vote as its subject if votes are mails (``bot.feedback.reply_votes``).
        """
        if self.reply_to and via == "mail":
            subject = quote(f"Paperbot vote {vote} {self._thumb_token(paper, Purpose.REPLY)}")
            return f"mailto:{quote(self.reply_to, safe='@')}?subject={subject}"
        # No parameter in mails, which have two of these links for each paper.
        origin = "" if via == "mail" else f"from={via}&"
        return f"{self.public_url}/thumb/{self._thumb_token(paper)}?{origin}vote={vote}"

    def confirm(self) -> str:
        """Return the page that confirms a subscription."""
        return self._page("confirm", Purpose.CONFIRM)

    def edition(self, day: date) -> str:
        """Return the page with what was sent on a day."""
        token = self.signer.sign(Purpose.EDITION, [self.reader.id, day.toordinal()])
        return f"{self.public_url}/edition/{token}"

    def go(self, paper: Paper) -> str:
        """Return the page that shows a paper's addresses; it names no reader."""
        return f"{self.public_url}/go/{self.signer.sign(Purpose.GO, [paper.id])}"

    def save(self, paper: Paper, via: str = "mail") -> str:
        """Return the page that offers a paper to reference managers; empty in mails if only this machine reaches it."""
        if via == "mail" and _is_on_this_machine(self.public_url):
            return ""
        return f"{self.public_url}/thumb/{self._thumb_token(paper)}/save"

    def library(self, extension: str) -> str:
        """Return the liked papers as a file, ``bib`` or ``ris``, for programs that fetch it again and again."""
        token = self.signer.sign(Purpose.LIBRARY, [self.reader.id])
        return f"{self.public_url}/me/{token}/library.{extension}"

    def me(self) -> str:
        """Return the page of the reader's preferences."""
        # The path stays "me": links in mails of the last 90 days lead there.
        return self._page("me", Purpose.ME)

    def unsubscribe(self) -> str:
        """Return the page that stops this reader's editions."""
        return self._page("unsubscribe", Purpose.UNSUBSCRIBE)

    def _thumb_token(self, paper: Paper, purpose: Purpose = Purpose.THUMB) -> str:
        token = self._thumb_tokens.get((purpose, paper.id))
        if token is None:
            token = self.signer.sign(purpose, [self.reader.id, paper.id])
            self._thumb_tokens[purpose, paper.id] = token
        return token

    def _page(self, page: str, purpose: Purpose) -> str:
        return f"{self.public_url}/{page}/{self.signer.sign(purpose, [self.reader.id])}"


def _is_on_this_machine(public_url: str) -> bool:
    """Return whether other machines, such as a reader's telephone, can't reach the pages."""
    return is_loopback(urlsplit(public_url).hostname or "")
