"""Read mails of an IMAP mailbox, then mark them as read or move them, never delete them.

A mail is marked after it was stored. An unreadable one stays unread for its owner, and only ``paperbot ingest
--again`` downloads it once more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.errors import InvalidHeaderDefect
from email.parser import BytesHeaderParser
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import Field, model_validator

from bot.config.tables import Minutes, PolledOptions
from bot.model import Problem, RawDigest
from bot.model.addresses import is_loopback
from bot.model.clock import Deadline
from bot.sources import ConfiguredSource, RecordVote, SourceKind, Visit

if TYPE_CHECKING:
    from bot.sources.imap import Mailbox


class MailFolderOptions(PolledOptions):
    """The folder of a mailbox."""

    host: str
    username: str
    port: int = Field(993, ge=1, le=65535)
    security: Literal["tls", "starttls", "none"] = "tls"
    folder: str = "INBOX"
    moved_to: str = ""

    @model_validator(mode="after")
    def _encrypted(self) -> MailFolderOptions:
        if self.security == "none" and not is_loopback(self.host):
            raise ValueError('security = "none" sends the password unencrypted; use "tls" or "starttls"')
        return self


MailOptions = TypeVar("MailOptions", bound=MailFolderOptions)
MAX_BYTES = 10_000_000


@dataclass(frozen=True)
class MailFolderSource(ConfiguredSource[MailOptions]):
    """A source in a folder of a mailbox, and the limits of one poll."""

    password: str = field(repr=False)
    max_bytes: int = MAX_BYTES  # of a mail, and of every other answer
    seconds: float = 300.0  # for a whole poll
    clock: Callable[[], float] = time.monotonic

    def open(self) -> AbstractContextManager[Mailbox]:
        from bot.sources.imap import open_folder

        return open_folder(self.options, self.password, Deadline(self.seconds, self.clock), self.max_bytes)

    def download(self, mailbox: Mailbox, uid: str, otherwise: str) -> tuple[RawDigest | Problem, bool]:
        """Return a mail, or a Problem that ends in ``otherwise``, and whether the next poll should try again."""
        name = f"{self.options.folder}/{uid}"
        if mailbox.size(uid) > self.max_bytes:
            limit = f"{self.max_bytes // 1_000_000} MB"
            return Problem(self.name, f"mail {name}: more than the {limit} that a digest may have; {otherwise}"), False
        content = mailbox.content(uid)
        if content is None:
            return Problem(self.name, f"mail {name}: the server does not deliver it; {otherwise}"), True
        return RawDigest(self.name, name, content, if_refused=otherwise), False


_REFUSED = "refused"  # "UIDVALIDITY:UID,UID", refused mails that are still unread
_MAX_MAILS = 100  # in one poll
_MAX_BOUNCES = 1_000
_MAX_HEADER = 2_000  # bytes; longer fields don't hold a single sender


class MailboxOptions(MailFolderOptions):
    """The mailbox, and the sender's address or domain. Without one, only replies are read."""

    sender: str = ""
    every: Minutes = 15

    @property
    def votes_login(self) -> str:
        return self.username


@dataclass(frozen=True)
class MailboxSource(MailFolderSource[MailboxOptions]):
    """The unread mails of a sender. With ``record_vote``, readers' replies as well."""

    record_vote: RecordVote | None = None

    @property
    def follows_arxiv_calendar(self) -> bool:
        return self.options.sender.lower().endswith("arxiv.org")

    @property
    def delivers_papers(self) -> bool:
        return bool(self.options.sender)

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        with self.open() as mailbox:
            if self.record_vote and not visit.peek:
                self._read_votes(mailbox, self.record_vote, visit.now)
            if not self.options.sender:
                return
            uids = mailbox.unread(sender=self.options.sender)
            uid_validity = mailbox.uid_validity()
            # Drop UIDs of another UIDVALIDITY, and of mails that were read or deleted.
            stored_validity, _, stored = visit.memory.get(_REFUSED, "").partition(":")
            refused = set(stored.split(",")).intersection(uids) if stored_validity == uid_validity else set()
            visit.lasting[_REFUSED] = _dump_uids(uid_validity, refused)
            candidates = uids if visit.again else [uid for uid in uids if uid not in refused]
            headers = ((uid, _Header.parse(mailbox.header(uid, _MAX_HEADER))) for uid in candidates)
            # The server searches all of the From field.
            from_sender = ((uid, header) for uid, header in headers if header.is_from(self.options.sender))
            for uid, header in islice(from_sender, _MAX_MAILS):
                unread = f"the mail from {header.address} of {header.date} stays unread"
                mail, is_missing = self.download(mailbox, uid, unread)
                yield mail
                if visit.peek or is_missing:
                    continue
                if isinstance(mail, Problem) or mail.name in visit.refused:
                    refused.add(uid)
                else:
                    refused.discard(uid)
                    mailbox.mark_as_read(uid, self.options.moved_to)
                visit.lasting[_REFUSED] = _dump_uids(uid_validity, refused)

    def _read_votes(self, mailbox: Mailbox, record_vote: RecordVote, now: datetime) -> None:
        """Record the unread replies from their headers. Other mails stay unread."""
        # Only the newest, because false replies could block the others.
        for uid in mailbox.unread(subject="Paperbot")[-_MAX_MAILS:]:
            header = _Header.parse(mailbox.header(uid, _MAX_HEADER, "FROM SUBJECT AUTO-SUBMITTED"))
            if header.subject and record_vote(header.address, header.subject, now):
                mailbox.mark_as_read(uid, self.options.moved_to)


@dataclass(frozen=True, slots=True)
class _Header:
    """The fields that could be read."""

    address: str  # the only one of From, in lower case, or empty
    date: str  # as shown in a problem
    subject: str  # on one line; empty for automatic mails (RFC 3834)

    @classmethod
    def parse(cls, header: bytes) -> _Header:
        """Read a header. A From field cut at the maximum has no address."""
        fields = BytesHeaderParser(policy=policy.default).parsebytes(header)
        address, date, subject = "", "unknown date", ""
        # Fields are parsed on access, and malformed bytes raise many exceptions.
        with suppress(Exception):
            (sender,) = fields.get_all("From", [])
            (mailbox,) = sender.addresses
            is_cut = len(header) >= _MAX_HEADER
            is_invalid = is_cut or any(isinstance(defect, InvalidHeaderDefect) for defect in sender.defects)
            address = "" if is_invalid else str(mailbox.addr_spec).lower()
        with suppress(Exception):
            date = f"{fields['Date'].datetime:%Y-%m-%d %H:%M}"
        with suppress(Exception):
            is_automatic = str(fields.get("Auto-Submitted", "no")).strip().lower() != "no"
            subject = "" if is_automatic else " ".join(str(fields.get("Subject", "")).split())
        return cls(address, date, subject)

    def is_from(self, sender: str) -> bool:
        sender = sender.lower()
        if "@" in sender.lstrip("@"):
            return self.address == sender
        domain = self.address.rpartition("@")[2]
        return f".{domain}".endswith(f".{sender.lstrip('@')}")


def _dump_uids(uid_validity: str, uids: Iterable[str]) -> str:
    return f"{uid_validity}:{','.join(sorted(uids, key=int))}"


MAILBOX = SourceKind(
    "mailbox",
    MailboxOptions,
    lambda options, needs: MailboxSource(options, needs.password_of(options.name), record_vote=needs.record_vote),
)


class BouncesOptions(MailFolderOptions):
    """The mailbox."""

    every: Minutes = 5


@dataclass(frozen=True)
class BouncesSource(MailFolderSource[BouncesOptions]):
    """All unread mails, each marked as read or moved, reports or not."""

    delivers_papers = False
    delivers_bounces = True

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        with self.open() as mailbox:
            for uid in islice(mailbox.unread(), _MAX_BOUNCES):
                mail, is_missing = self.download(mailbox, uid, "it is not read")
                yield mail
                if not (visit.peek or is_missing):
                    mailbox.mark_as_read(uid, self.options.moved_to)


BOUNCES = SourceKind(
    "bounces", BouncesOptions, lambda options, needs: BouncesSource(options, needs.password_of(options.name))
)
