"""The addresses that a message to one reader carries."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain import Paper, Reader, Vote
from bot.tokens import Purpose, Signer


@dataclass(frozen=True, slots=True)
class ReaderLinks:
    """Links into the web pages at ``public_url``, signed for one reader."""

    public_url: str
    signer: Signer
    reader: Reader

    def thumb(self, paper: Paper, vote: Vote) -> str:
        """The page that asks whether to record this vote."""
        token = self.signer.sign(Purpose.THUMB, [self.reader.id, paper.id])
        return f"{self.public_url}/thumb/{token}?vote={vote}"

    def unsubscribe(self) -> str:
        """The page that stops this reader's editions."""
        return f"{self.public_url}/unsubscribe/{self.signer.sign(Purpose.UNSUBSCRIBE, [self.reader.id])}"
