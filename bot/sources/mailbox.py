"""Mails of one sender in an IMAP mailbox: read, then moved to another folder or marked as read. Never deleted.

A mail is marked only after it was taken in, so that nothing is lost where the work breaks off; one that comes
twice is known by its content.
"""

from __future__ import annotations

import imaplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from bot.domain import Problem, RawDigest
from bot.errors import SourceError
from bot.sources import Visit

if TYPE_CHECKING:
    from imap_tools import BaseMailBox

MAX_BYTES = 10_000_000
_SECONDS = 30.0
_MOST_MAILS = 100  # in one visit; the others come with the next


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
    every: timedelta
    folder: str = "INBOX"
    moved_to: str = ""
    kind: str = "mailbox"

    @property
    def repeats_arxiv(self) -> bool:
        """Whether it is arXiv that writes the mails."""
        return self.sender.lower().endswith("arxiv.org")

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """The mails, oldest first; raises SourceError."""
        with self._open() as mailbox:
            for uid in self._unread(mailbox)[:_MOST_MAILS]:
                yield self._mail(mailbox, uid)
                if not visit.peek:
                    self._settle(mailbox, uid)

    @contextmanager
    def _open(self) -> Iterator[BaseMailBox]:
        """The folder, opened; whatever goes wrong with the server, now or later, becomes a SourceError."""
        from imap_tools.errors import ImapToolsError

        try:
            mailbox = self._connect()
            try:
                mailbox.login(self.username, self.password, initial_folder=self.folder)
                yield mailbox
            finally:
                mailbox.client.shutdown()
        except (ImapToolsError, imaplib.IMAP4.error, OSError, ssl.SSLError) as error:
            reason = " ".join(str(error).split())[:300].replace(self.password or "\0", "***")
            raise SourceError(f"{self.host}:{self.port}: {reason}") from None

    def _connect(self) -> BaseMailBox:
        from imap_tools import MailBox, MailBoxStartTls, MailBoxUnencrypted

        context = ssl.create_default_context()
        if self.security == "tls":
            return MailBox(self.host, self.port, timeout=_SECONDS, ssl_context=context)
        if self.security == "starttls":
            return MailBoxStartTls(self.host, self.port, timeout=_SECONDS, ssl_context=context)
        return MailBoxUnencrypted(self.host, self.port, timeout=_SECONDS)

    def _unread(self, mailbox: BaseMailBox) -> list[str]:
        from imap_tools import AND

        return mailbox.uids(AND(seen=False, deleted=False, from_=self.sender))

    def _mail(self, mailbox: BaseMailBox, uid: str) -> RawDigest | Problem:
        """The mail's bytes, read without marking it; a Problem where it is too large."""
        _, size = mailbox.client.uid("FETCH", uid, "(RFC822.SIZE)")
        name = f"{self.folder}/{uid}"
        if int(_last_number(size)) > MAX_BYTES:
            return Problem(
                self.name, f"mail {name}: more than the {MAX_BYTES // 1_000_000} MB that a digest may have"
            )
        _, parts = mailbox.client.uid("FETCH", uid, "(BODY.PEEK[])")
        content = next((part[1] for part in parts if isinstance(part, tuple)), None)
        if not isinstance(content, bytes):
            return Problem(self.name, f"mail {name}: the server does not hand it out")
        return RawDigest(self.name, name, content)

    def _settle(self, mailbox: BaseMailBox, uid: str) -> None:
        """Marks the mail as read, then moves it where that is wanted.

        Only a server's own MOVE (RFC 6851) will do: a copy would leave the mail to be deleted, and with it
        others that the mailbox's owner has marked for that.
        """
        mailbox.client.uid("STORE", uid, "+FLAGS.SILENT", "(\\Seen)")
        if self.moved_to and "MOVE" in mailbox.client.capabilities:
            mailbox.move(uid, self.moved_to)


def _last_number(answer: list[object]) -> str:
    """The number at the end of a server's ``1 (UID 7 RFC822.SIZE 1234)``; 0 where there is none."""
    text = next((item.decode(errors="replace") for item in answer if isinstance(item, bytes)), "")
    digits = text.rstrip(") ").rpartition(" ")[2]
    return digits if digits.isdecimal() else "0"
