"""The mailbox to which bounces and complaints come: all its unread mails, each marked as read or moved afterwards.

Other mails than reports are marked as well: nobody else reads this mailbox, and each poll would download them again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import Literal

from bot.domain import Problem, RawDigest
from bot.sources import BOUNCES, Visit

MAX_BYTES = 10_000_000
_STEP_SECONDS = 30.0  # one read or write
_MAX_MAILS = 1_000  # in one poll; the next poll continues


@dataclass(frozen=True, slots=True)
class BouncesSource:
    """The unread mails of ``folder``; if ``moved_to`` is empty, they are only marked as read."""

    name: str
    host: str
    port: int
    security: Literal["tls", "starttls", "none"]
    username: str
    password: str = field(repr=False)
    poll_interval: timedelta
    folder: str = "INBOX"
    moved_to: str = ""
    kind: str = BOUNCES
    follows_arxiv_calendar: bool = False
    seconds: float = 300.0  # for all of a poll
    clock: Callable[[], float] = time.monotonic

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """Yield the mails, oldest first; raises SourceError."""
        # Imported here because it imports imap_tools, which would delay the commands that read no mailbox.
        from bot.sources.imap import Bounds, open_folder

        bounds = Bounds(self.seconds, MAX_BYTES, step=_STEP_SECONDS, clock=self.clock)
        server = (self.host, self.port, self.security)
        with open_folder(server, self.username, self.password, self.folder, bounds) as mailbox:
            for uid in islice(mailbox.unread(), _MAX_MAILS):
                name = f"{self.folder}/{uid}"
                if mailbox.size(uid) > MAX_BYTES:
                    yield Problem(self.name, f"mail {name}: more than {MAX_BYTES // 1_000_000} MB; not read")
                elif (content := mailbox.content(uid)) is None:
                    yield Problem(self.name, f"mail {name}: the server does not deliver it; it stays unread")
                    continue
                else:
                    yield RawDigest(self.name, name, content)
                if not visit.peek:
                    mailbox.mark_as_read(uid, self.moved_to)
