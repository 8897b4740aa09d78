"""Mails of one sender in an IMAP mailbox: read, then moved to another folder or marked as read. Never deleted.

A mail is marked only after it was taken in, so that nothing is lost where the work breaks off; one that comes
twice is known by its content.

A server looks for the sender anywhere in the From field, in a display name too, so that each mail's own address is
looked at before the mail is read. Mails of others stay as they are. What a mail holds is parsed elsewhere.
"""

from __future__ import annotations

import imaplib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from email import policy
from email.errors import InvalidHeaderDefect
from email.parser import BytesHeaderParser
from itertools import islice
from typing import TYPE_CHECKING, Literal

from bot.domain import Problem, RawDigest
from bot.errors import SourceError
from bot.sources import Visit

if TYPE_CHECKING:
    from bot.sources.imap import Mailbox

MAX_BYTES = 10_000_000
_STEP_SECONDS = 30.0  # one read or write
_MOST_MAILS = 100  # in one visit; the others come with the next
_LONGEST_FROM = 2_000  # bytes; more is no address of one sender
_LONGEST_NUMBER = 10  # digits; IMAP's numbers have 32 bits


@dataclass(frozen=True, slots=True)
class MailboxSource:
    """The unread mails of ``sender`` in ``folder``; ``moved_to`` is empty where they are only marked as read."""

    name: str
    host: str
    port: int
    security: Literal["tls", "starttls", "none"]
    username: str
    password: str = field(repr=False)
    sender: str
    poll_interval: timedelta
    folder: str = "INBOX"
    moved_to: str = ""
    kind: str = "mailbox"
    seconds: float = 300.0  # for all of a visit
    clock: Callable[[], float] = time.monotonic

    @property
    def follows_arxiv_calendar(self) -> bool:
        """Whether it is arXiv that writes the mails."""
        return self.sender.lower().endswith("arxiv.org")

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """The mails, oldest first; raises SourceError."""
        with self._open() as mailbox:
            own = (uid for uid in self._unread(mailbox) if self._is_of_sender(mailbox, uid))
            for uid in islice(own, _MOST_MAILS):
                yield self._mail(mailbox, uid)
                if not visit.peek:
                    self._settle(mailbox, uid)

    @contextmanager
    def _open(self) -> Iterator[Mailbox]:
        """The folder, opened; whatever goes wrong with the server, now or later, becomes a SourceError."""
        from imap_tools.errors import ImapToolsError

        from bot.sources.imap import Bounds, Mailbox

        bounds = Bounds(self.seconds, MAX_BYTES, step=_STEP_SECONDS, clock=self.clock)
        try:
            mailbox = Mailbox(self.host, self.port, self.security, bounds)
            try:
                mailbox.login(self.username, self.password, initial_folder=self.folder)
                yield mailbox
            finally:
                mailbox.client.shutdown()
        except (
            ImapToolsError,
            imaplib.IMAP4.error,
            OSError,
            ValueError,
        ) as error:  # ValueError: 8-bit words, numbers
            reason = " ".join(str(error).split())[:300].replace(self.password or "\0", "***")
            raise SourceError(f"{self.host}:{self.port}: {reason}") from None

    def _unread(self, mailbox: Mailbox) -> list[str]:
        """The UIDs of unread mails in which the server finds the sender."""
        from imap_tools import AND

        uids = mailbox.uids(AND(seen=False, deleted=False, from_=self.sender))
        return [uid for uid in uids if uid.isdecimal() and len(uid) <= _LONGEST_NUMBER]

    def _is_of_sender(self, mailbox: Mailbox, uid: str) -> bool:
        """Whether the mail's only From address is the sender's, or in the domain that the settings name."""
        wanted = f"(BODY.PEEK[HEADER.FIELDS (FROM)]<0.{_LONGEST_FROM}>)"
        _, parts = mailbox.client.uid("FETCH", uid, wanted)
        address = _from_address(_literal(parts) or b"")
        sender = self.sender.lower()
        return address == sender if "@" in sender.lstrip("@") else _is_in_domain(address, sender.lstrip("@"))

    def _mail(self, mailbox: Mailbox, uid: str) -> RawDigest | Problem:
        """The mail's bytes, read without marking it; a Problem where it is too large."""
        _, size = mailbox.client.uid("FETCH", uid, "(RFC822.SIZE)")
        name = f"{self.folder}/{uid}"
        if _last_number(size) > MAX_BYTES:
            return Problem(
                self.name, f"mail {name}: more than the {MAX_BYTES // 1_000_000} MB that a digest may have"
            )
        _, parts = mailbox.client.uid("FETCH", uid, "(BODY.PEEK[])")
        content = _literal(parts)
        if content is None:
            return Problem(self.name, f"mail {name}: the server does not hand it out")
        return RawDigest(self.name, name, content)

    def _settle(self, mailbox: Mailbox, uid: str) -> None:
        """Marks the mail as read, then moves it where that is wanted.

        Only a server's own MOVE (RFC 6851) will do: a copy would leave the mail to be deleted, and with it
        others that the mailbox's owner has marked for that.
        """
        mailbox.client.uid("STORE", uid, "+FLAGS.SILENT", "(\\Seen)")
        if self.moved_to and "MOVE" in mailbox.client.capabilities:
            mailbox.move(uid, self.moved_to)


def _from_address(header: bytes) -> str:
    """The only address of a From field, in lower case; empty where there are several, none, or broken ones."""
    if len(header) >= _LONGEST_FROM:
        return ""
    try:
        fields = BytesHeaderParser(policy=policy.default).parsebytes(header).get_all("From", [])
        if len(fields) != 1 or any(isinstance(defect, InvalidHeaderDefect) for defect in fields[0].defects):
            return ""
        addresses = fields[0].addresses
        return str(addresses[0].addr_spec).lower() if len(addresses) == 1 else ""
    except Exception:  # the library has many ways to fail at so few bytes, nested comments among them
        return ""


def _is_in_domain(address: str, domain: str) -> bool:
    return f".{address.rpartition('@')[2]}".endswith(f".{domain}")


def _literal(answer: list[object]) -> bytes | None:
    """The bytes that a server hands out in an answer; None where it hands out none."""
    content = next((part[1] for part in answer if isinstance(part, tuple)), None)
    return content if isinstance(content, bytes) else None


def _last_number(answer: list[object]) -> int:
    """The number at the end of a server's ``1 (UID 7 RFC822.SIZE 1234)``; 0 where there is none.

    One of more digits than a size has is taken for a size above every cap.
    """
    text = next((item.decode(errors="replace") for item in answer if isinstance(item, bytes)), "")
    digits = text.rstrip(") ").rpartition(" ")[2]
    return int(digits[:_LONGEST_NUMBER]) if digits.isdecimal() else 0
