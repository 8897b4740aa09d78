"""The mailbox to which bounces and complaints come: all its unread mails, each marked as read or moved afterwards.

Other mails than reports are marked as well: nobody else reads this mailbox, and each poll would download them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bot.config.sources import Minutes
from bot.model import Problem, RawDigest
from bot.sources import ConfiguredSource, SourceDependencies, SourceKind, Visit
from bot.sources.mailbox import MailFolder, MailFolderOptions

_MAX_MAILS = 1_000  # in one poll; the next poll continues


class BouncesOptions(MailFolderOptions):
    """The mailbox."""

    every: Minutes = 5


@dataclass(frozen=True)
class BouncesSource(ConfiguredSource[BouncesOptions]):
    """All unread mails of ``folder``."""

    folder: MailFolder

    @property
    def delivers_bounces(self) -> bool:
        """Whether it delivers bounces and complaints instead of digests."""
        return True

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """Yield the mails, oldest first; raises SourceError."""
        # Imported here because it imports imap_tools, which would delay the commands that read no mailbox.
        from bot.sources.mailbox import open_folder

        with open_folder(self.folder) as mailbox:
            for uid in islice(mailbox.unread(), _MAX_MAILS):
                name = f"{self.folder.name}/{uid}"
                if mailbox.size(uid) > self.folder.max_bytes:
                    limit = f"{self.folder.max_bytes // 1_000_000} MB"
                    yield Problem(self.name, f"mail {name}: more than {limit}; not read")
                elif (content := mailbox.content(uid)) is None:
                    yield Problem(self.name, f"mail {name}: the server does not deliver it; it stays unread")
                    continue
                else:
                    yield RawDigest(self.name, name, content)
                if not visit.peek:
                    mailbox.mark_as_read(uid, self.folder.moved_to)


def _make(options: BouncesOptions, dependencies: SourceDependencies) -> BouncesSource:
    return BouncesSource(options, options.mail_folder(dependencies.password_of(options.name)))


BOUNCES = SourceKind("bounces", BouncesOptions, _make)
