"""Bounces and complaints: a report that names a message of ours stops its reader, or is counted and does nothing.

    mailbox --RawDigest--> parser process --BounceReport--> tag verified --> reader stopped | counted

Anybody can send a report. One counts if it holds a tag that this home has signed: whoever wrote it saw the message.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.channels.email import EMAIL
from bot.domain import BounceKind, BounceReport, RawDigest, Reader
from bot.errors import DigestError
from bot.parsing import Parser
from bot.store import Store
from bot.tokens import Signer, TokenError

# Outcomes beside the kinds of report.
FORGED = "forged"  # names no message of ours
UNREADABLE = "unreadable"
_STOPPING = (BounceKind.FAILURE, BounceKind.COMPLAINT)


@dataclass(frozen=True, slots=True)
class BounceService:
    """Records reports."""

    store: Store
    parser: Parser
    signer: Signer

    def record(self, raw: RawDigest) -> str:
        """Stop the reader whom a report is about, if it is one to stop for; return its outcome, which is counted."""
        try:
            report = self.parser.parse_bounce(raw)
            outcome: str = report.kind
            if report.kind in _STOPPING:
                reader = self._reader(report)
                if reader is None:
                    outcome = FORGED
                # What a reader or the operator decided before stays.
                elif reader.stopped is None and report.kind is BounceKind.FAILURE:
                    self.store.readers.suppress(reader.id, f"a mail came back: {report.reason}".rstrip(": "))
                elif reader.stopped is None:
                    self.store.readers.record_complaint(reader.id, report.reason)
        except DigestError:
            outcome = UNREADABLE
        self.store.bounce_counts.add(outcome)
        return outcome

    def _reader(self, report: BounceReport) -> Reader | None:
        """Return the reader of the first tag that is ours; None without one."""
        for tag in report.tags:
            try:
                reader_id, _ = self.signer.read_tag(tag)
            except TokenError:
                continue
            reader = self.store.readers.by_id(reader_id)
            # The operator's own address gets notices, which nobody subscribes to.
            return reader if reader and reader.kind == EMAIL.name else None
        return None
