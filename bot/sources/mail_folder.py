"""A folder of an IMAP mailbox: the keys that name it, how it is opened, and what one poll of it may cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field, model_validator

from bot.config.sources import PolledOptions
from bot.loopback import is_loopback

MAX_BYTES = 10_000_000

Security = Literal["tls", "starttls", "none"]


@dataclass(frozen=True, slots=True)
class MailFolder:
    """What ``bot.sources.imap.open_folder`` opens.

    Mails that were read are moved to the folder ``moved_to``; if that is empty, they are only marked as read.
    """

    host: str
    port: int
    security: Security
    username: str
    password: str = field(repr=False)
    name: str = "INBOX"
    moved_to: str = ""
    max_bytes: int = MAX_BYTES  # of a mail, and of every other answer
    seconds: float = 300.0  # for all of a poll
    clock: Callable[[], float] = time.monotonic


class MailFolderOptions(PolledOptions):
    """The keys of sources that read a folder of a mailbox."""

    host: str
    username: str
    port: int = Field(993, ge=1, le=65535)
    security: Security = "tls"
    folder: str = "INBOX"
    moved_to: str = ""

    @model_validator(mode="after")
    def _encrypted(self) -> MailFolderOptions:
        if self.security == "none" and not is_loopback(self.host):
            raise ValueError('security = "none" sends the password unencrypted; use "tls" or "starttls"')
        return self

    def mail_folder(self, password: str) -> MailFolder:
        """Return the folder, to be opened with this password."""
        return MailFolder(
            host=self.host,
            port=self.port,
            security=self.security,
            username=self.username,
            password=password,
            name=self.folder,
            moved_to=self.moved_to,
        )
