"""The addresses that a message to one reader carries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bot.domain import Paper, Reader, Vote
from bot.tokens import Purpose, Signer


@dataclass(frozen=True, slots=True)
class SampleLinks:
    """The links of a sample edition: all lead to one page at ``public_url``, which says so and changes nothing."""

    public_url: str

    def thumb(self, _paper: Paper, _vote: Vote, _via: str = "mail") -> str:
        """In place of a vote."""
        return self._page

    def edition(self, _day: date) -> str:
        """In place of the edition."""
        return self._page

    def me(self) -> str:
        """In place of the reader's own page."""
        return self._page

    def unsubscribe(self) -> str:
        """In place of the end of the editions."""
        return self._page

    @property
    def _page(self) -> str:
        return f"{self.public_url}/sample"


@dataclass(frozen=True, slots=True)
class ReaderLinks:
    """Links into the web pages at ``public_url``, signed for one reader."""

    public_url: str
    signer: Signer
    reader: Reader

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """The page that asks whether to record this vote; ``via`` says where the link stands: mail, page."""
        token = self.signer.sign(Purpose.THUMB, [self.reader.id, paper.id])
        origin = "" if via == "mail" else f"from={via}&"  # mails, the usual place, keep the short form
        return f"{self.public_url}/thumb/{token}?{origin}vote={vote}"

    def confirm(self) -> str:
        """The page that asks whether this reader wants the editions."""
        return self._to("confirm", Purpose.CONFIRM)

    def edition(self, day: date) -> str:
        """What was sent on a day, in the browser."""
        token = self.signer.sign(Purpose.EDITION, [self.reader.id, day.toordinal()])
        return f"{self.public_url}/edition/{token}"

    def me(self) -> str:
        """The reader's own page."""
        return self._to("me", Purpose.ME)

    def unsubscribe(self) -> str:
        """The page that stops this reader's editions."""
        return self._to("unsubscribe", Purpose.UNSUBSCRIBE)

    def _to(self, page: str, purpose: Purpose) -> str:
        return f"{self.public_url}/{page}/{self.signer.sign(purpose, [self.reader.id])}"
