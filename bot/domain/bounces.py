"""What comes back of mails that were sent: delivery status notifications and complaints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

# What a tag looks like (``Signer.tag``): two ids in hexadecimal, and a signature in base 32. Without regard to case, as
# some servers change that of addresses.
TAG = re.compile(r"(?<![\w-])[0-9a-f]{1,16}-[0-9a-f]{1,16}-[a-z2-7]{16}(?![\w-])", re.IGNORECASE | re.ASCII)


class BounceKind(StrEnum):
    """What a mail in the mailbox for bounces says."""

    FAILURE = "failure"  # a message could not be delivered, and won't be
    COMPLAINT = "complaint"  # its recipient marked it as spam
    TRANSIENT = "transient"  # it is delayed, or was refused for a reason that passes
    OTHER = "other"  # no report, such as the reply of a person on holiday


@dataclass(frozen=True, slots=True)
class BounceReport:
    """A report, not yet trusted: anybody can write one.

    ``tags`` are what may be tags of messages of ours (``Signer.tag``), those of the report's own address first;
    ``reason`` are the words of the reporting server.
    """

    kind: BounceKind
    tags: tuple[str, ...] = ()
    reason: str = ""
