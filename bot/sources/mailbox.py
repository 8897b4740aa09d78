"""Mails of one sender in an IMAP mailbox: read, then moved to another folder or marked as read. Never deleted.

A mail is marked only after it was stored, so that an interrupted poll loses nothing; a mail that is read twice is
recognised by its content. A mail that can't be read stays unread in its folder, for its owner to look at. Its UID is
stored, so that it is not downloaded with each poll; ``paperbot ingest --again`` tries it once more.

An IMAP server searches for the sender in all of the From field, display names included, so each mail's address is
checked before the mail is downloaded. Mails of other senders are not touched. Mails are parsed in ``bot.digests``.
"""

from __future__ import annotations

import imaplib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from email import policy
from email.errors import InvalidHeaderDefect
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal

from bot.domain import Problem, RawDigest
from bot.errors import SourceError
from bot.sources import Visit

if TYPE_CHECKING:
    from bot.sources.imap import Mailbox

MAX_BYTES = 10_000_000
_REFUSED = (
    "refused"  # key of the source's memory: "UIDVALIDITY:UID,UID", the refused mails that are still unread
)
_STEP_SECONDS = 30.0  # one read or write
_MAX_MAILS = 100  # in one poll; the next poll continues
_MAX_HEADER = 2_000  # bytes of the fields From and Date; longer ones don't hold a single sender
_MAX_ADDRESS = 100  # characters of an address that a problem shows
_MAX_DIGITS = 10  # IMAP's numbers have 32 bits


@dataclass(frozen=True, slots=True)
class MailboxSource:
    """The unread mails of ``sender`` in ``folder``; if ``moved_to`` is empty, they are only marked as read."""

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
    seconds: float = 300.0  # for all of a poll
    clock: Callable[[], float] = time.monotonic

    @property
    def follows_arxiv_calendar(self) -> bool:
        """Whether the sender is arXiv."""
        return self.sender.lower().endswith("arxiv.org")

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """Yield the mails, oldest first; raises SourceError."""
        with self._open() as mailbox:
            uids = self._unread(mailbox)
            uid_validity = _uid_validity(mailbox)
            # The UIDs of mails that their owner has read or deleted since are dropped.
            refused = _load_uids(visit.memory.get(_REFUSED, ""), uid_validity).intersection(uids)
            visit.lasting[_REFUSED] = _dump_uids(uid_validity, refused)
            candidates = uids if visit.again else [uid for uid in uids if uid not in refused]
            headers = ((uid, self._header(mailbox, uid)) for uid in candidates)
            own = ((uid, header) for uid, header in headers if self._is_from_sender(header))
            for uid, header in islice(own, _MAX_MAILS):
                name = f"{self.folder}/{uid}"
                unread = f"the mail from {header.address} of {header.date} stays unread"
                if self._size(mailbox, uid) > MAX_BYTES:
                    reason = f"more than the {MAX_BYTES // 1_000_000} MB that a digest may have"
                    yield Problem(self.name, f"mail {name}: {reason}; {unread}")
                    is_refused = True
                # BODY.PEEK downloads without marking as read.
                elif (content := _literal(mailbox.client.uid("FETCH", uid, "(BODY.PEEK[])")[1])) is None:
                    yield Problem(self.name, f"mail {name}: the server does not deliver it; {unread}")
                    continue  # and the next poll tries again
                else:
                    yield RawDigest(self.name, name, content, if_refused=unread)
                    is_refused = name in visit.refused
                if visit.peek:
                    continue
                if is_refused:
                    refused.add(uid)
                else:
                    refused.discard(uid)
                    self._mark_as_read(mailbox, uid)
                visit.lasting[_REFUSED] = _dump_uids(uid_validity, refused)

    @contextmanager
    def _open(self) -> Iterator[Mailbox]:
        """Open the folder; any error of the server, then or later, becomes a SourceError."""
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
        # imap_tools and imaplib raise ValueError for 8-bit words and for numbers of thousands of digits.
        except (ImapToolsError, imaplib.IMAP4.error, OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:300].replace(self.password or "\0", "***")
            raise SourceError(f"{self.host}:{self.port}: {reason}") from None

    def _unread(self, mailbox: Mailbox) -> list[str]:
        """Return the UIDs of unread mails whose From field holds the sender."""
        from imap_tools import AND

        uids = mailbox.uids(AND(seen=False, deleted=False, from_=self.sender))
        return [uid for uid in uids if uid.isdecimal() and len(uid) <= _MAX_DIGITS]

    def _header(self, mailbox: Mailbox, uid: str) -> _Header:
        fields = f"(BODY.PEEK[HEADER.FIELDS (FROM DATE)]<0.{_MAX_HEADER}>)"
        _, parts = mailbox.client.uid("FETCH", uid, fields)
        content = _literal(parts) or b""
        return _Header(_from_address(content), _date(content))

    def _is_from_sender(self, header: _Header) -> bool:
        """Return whether the address is the sender's, or in the domain that the settings name."""
        sender = self.sender.lower()
        if "@" in sender.lstrip("@"):
            return header.address == sender
        domain = header.address.rpartition("@")[2]
        return f".{domain}".endswith(f".{sender.lstrip('@')}")

    def _size(self, mailbox: Mailbox, uid: str) -> int:
        """Return the size in bytes, from a response such as ``1 (UID 7 RFC822.SIZE 1234)``; 0 if it has none."""
        _, answer = mailbox.client.uid("FETCH", uid, "(RFC822.SIZE)")
        text = next((item.decode(errors="replace") for item in answer if isinstance(item, bytes)), "")
        digits = text.rstrip(") ").rpartition(" ")[2]
        # Cut, as int() refuses thousands of digits; what is cut is above the maximum still.
        return int(digits[:_MAX_DIGITS]) if digits.isdecimal() else 0

    def _mark_as_read(self, mailbox: Mailbox, uid: str) -> None:
        """Mark a mail as read, and move it if the settings say so.

        Only by the server's MOVE (RFC 6851): after a copy the mail would have to be expunged, and with it every other
        mail that the mailbox's owner has marked as deleted.
        """
        mailbox.client.uid("STORE", uid, "+FLAGS.SILENT", "(\\Seen)")
        if self.moved_to and "MOVE" in mailbox.client.capabilities:
            mailbox.move(uid, self.moved_to)


@dataclass(frozen=True, slots=True)
class _Header:
    """The only address of a From field in lower case, empty if there is none; and the date, as shown in a problem."""

    address: str
    date: str


def _from_address(header: bytes) -> str:
    if len(header) >= _MAX_HEADER:
        return ""
    try:
        fields = BytesHeaderParser(policy=policy.default).parsebytes(header).get_all("From", [])
        if len(fields) != 1 or any(isinstance(defect, InvalidHeaderDefect) for defect in fields[0].defects):
            return ""
        addresses = fields[0].addresses
        return str(addresses[0].addr_spec).lower() if len(addresses) == 1 else ""
    except (
        Exception
    ):  # the library fails in many ways at as few bytes as these, at nested comments for example
        return ""


def _date(header: bytes) -> str:
    try:
        text = str(BytesHeaderParser().parsebytes(header).get("Date", ""))
        return f"{parsedate_to_datetime(text):%Y-%m-%d %H:%M}"
    except Exception:  # as above
        return "unknown date"


def _uid_validity(mailbox: Mailbox) -> str:
    """Return the folder's UIDVALIDITY (RFC 3501, 2.3.1.1): once it changes, UIDs of earlier polls mean nothing."""
    _, values = mailbox.client.response("UIDVALIDITY")
    value = values[0] if values else None
    text = value.decode(errors="replace") if isinstance(value, bytes) else ""
    return text if text.isdecimal() and len(text) <= _MAX_DIGITS else ""


def _load_uids(text: str, uid_validity: str) -> set[str]:
    """Return the UIDs that ``_dump_uids`` wrote; none if they are of another UIDVALIDITY."""
    validity, _, uids = text.partition(":")
    return set(uids.split(",")) - {""} if validity == uid_validity else set()


def _dump_uids(uid_validity: str, uids: Iterable[str]) -> str:
    return f"{uid_validity}:{','.join(sorted(uids, key=int))}"


def _literal(answer: list[object]) -> bytes | None:
    """Return the literal in a server's response; None if there is none."""
    content = next((part[1] for part in answer if isinstance(part, tuple)), None)
    return content if isinstance(content, bytes) else None
