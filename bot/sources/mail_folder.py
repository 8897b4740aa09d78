"""A folder of an IMAP mailbox: where it is, how it is opened, and what one poll of it may cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

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
