"""Messages, and where their delivery stands.

What comes back of mails that were sent: delivery status notifications and complaints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from bot.model.readers import Kind, Reader, ReaderId

_KIND = re.compile(r"[a-z]{1,16}")


@dataclass(frozen=True, slots=True)
class Message:
    """A rendered edition or one part of it, ready for its channel; ``body`` is sent unchanged.

    With ``in_thread`` it belongs in the thread of the edition's first message, and goes out once that was accepted.
    """

    body: bytes
    subject: str
    part: int = 1
    in_thread: bool = False


@dataclass(frozen=True, slots=True)
class SendLimit:
    """At most so many messages a second, and a day (UTC); 0: no limit."""

    per_second: float = 0
    per_day: int = 0

    @property
    def is_set(self) -> bool:
        """Whether there is a limit."""
        return bool(self.per_second or self.per_day)


@dataclass(frozen=True, slots=True)
class SendGrant:
    """How many messages may be sent now; if none, ``next_at`` is when the next one may."""

    count: int
    next_at: datetime | None = None
    is_day_over: bool = False  # the day's limit is reached


@dataclass(frozen=True, slots=True)
class SendRateUse:
    """How much of a rate is used: messages of today (UTC), and the share of the full rate since the last throttling."""

    kind: Kind
    used_today: int
    share: float


class State(StrEnum):
    """Where a delivery stands.

    pending -> claimed -> data_started -> sent | failed | retry | unknown; retry -> claimed;
    cancelled where the reader stopped before it went out. ``unknown`` means that the body went out and no
    answer came back: it may have arrived, so it is not sent again unless a person asks. A reply in a thread is
    ``held`` until the thread's first message was accepted, then ``pending``.
    """

    HELD = "held"
    PENDING = "pending"
    CLAIMED = "claimed"
    DATA_STARTED = "data_started"
    SENT = "sent"
    FAILED = "failed"
    RETRY = "retry"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class OutboxKey:
    """The unique key of a message, by which the outbox accepts each message once (an idempotency key).

    ``slot`` is the edition's id; for a message without an edition it is what it is for and when it was made, such
    as ``confirmation-20250506T080000``. The text form, ``17:4:email:1``, is stored, and sent along to Slack.
    """

    slot: str
    reader: ReaderId
    kind: Kind
    part: int = 1

    def __str__(self) -> str:
        return f"{self.slot}:{self.reader}:{self.kind}:{self.part}"

    @classmethod
    def parse(cls, text: str) -> OutboxKey:
        """Read the text form; raises ValueError for anything else.

        >>> OutboxKey.parse("17:4:email:2")
        OutboxKey(slot='17', reader=4, kind='email', part=2)
        """
        slot, reader, kind, part = text.rsplit(":", 3)
        if not _KIND.fullmatch(kind):
            raise ValueError(f"{kind!r} is not the name of a channel")
        return cls(slot, int(reader), kind, int(part))


@dataclass(frozen=True, slots=True)
class Delivery:
    """A claimed row of the outbox: one message on its way to one address.

    ``thread`` is the receipt of the message in whose thread it belongs; empty for other messages.
    """

    id: int
    key: OutboxKey
    reader: Reader
    body: bytes
    attempts: int
    token: str
    date: date  # of the edition
    thread: str = ""
    has_replies: bool = False  # messages wait to be posted in its thread


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
