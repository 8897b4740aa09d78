"""Readers: an address in a profile, its preferences, votes and Zotero library; and what is sent to it.

Messages stand below their readers: the outbox's keys, deliveries, send rates, and bounces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, time
from enum import StrEnum
from hashlib import sha256
from urllib.parse import quote

from bot.model.papers import LibraryEntry, PaperId, SourceState

ReaderId = int
# The id of a reader who is not in the store; the store assigns ids from 1.
NOT_STORED: ReaderId = 0
# The profile of the operator's row among the readers; a profile's name never begins with an underscore.
OPERATOR_PROFILE = "_operator"
_MAX_STEM = 200  # bytes of a file's name; file systems allow 255, and a number and a suffix follow


# The name of a kind of channel that messages go to, each with its route and circuit breaker (``bot.channels``).
Kind = str
# The operator's mail address, which gets notices and no editions.
OPERATOR_KIND: Kind = "operator"


class Origin(StrEnum):
    """Where a reader was subscribed."""

    FILE = "file"  # in the profile's file
    WEB = "web"  # on a page or in Slack; only the store has the subscription


class StopReason(StrEnum):
    """Why nothing more is sent to a reader. Who stopped a reader decides who may start them again."""

    AWAITING = "awaiting"  # subscription not yet confirmed (double opt-in)
    PAUSED = "paused"  # by the reader
    UNSUBSCRIBED = "unsubscribed"  # by the reader
    REMOVED = "removed"  # by the operator, who took the address out of the profile's file
    OPERATOR = "operator"  # by the operator's command
    REFUSED = "refused"  # by the mail server or Slack (hard bounce)
    COMPLAINED = "complained"  # by the reader, who marked a mail as spam

    @property
    def in_words(self) -> str:
        return _STOPS_IN_WORDS[self]


_STOPS_IN_WORDS = {
    StopReason.AWAITING: "waits for its confirmation",
    StopReason.PAUSED: "paused by its reader",
    StopReason.UNSUBSCRIBED: "unsubscribed by its reader",
    StopReason.REMOVED: "removed from the profile",
    StopReason.OPERATOR: "stopped by the operator",
    StopReason.REFUSED: "refused",
    StopReason.COMPLAINED: "complained of a mail as spam",
}
# A reader may undo only these: an unsubscribe link in an old mail must not reverse the operator's decision.
STOPPED_BY_READER = (StopReason.PAUSED, StopReason.UNSUBSCRIBED)


@dataclass(frozen=True, slots=True)
class Reader:
    """One address that receives one profile. ``stopped`` says why nothing more is sent, None for an active reader."""

    id: ReaderId
    profile: str  # slug
    kind: Kind
    address: str
    stopped: StopReason | None = None
    origin: Origin = Origin.FILE
    stop_detail: str = ""  # the error message with which the mail server or Slack refused the address

    @property
    def stopped_because(self) -> str | None:
        """Why nothing more is sent, as in ``refused: 550 no such user``; None for an active reader."""
        if self.stopped is None:
            return None
        return ": ".join(part for part in (self.stopped.in_words, self.stop_detail) if part)

    @property
    def name(self) -> str:
        """The id in commands: ``reward-models/ada@example.org``."""
        return f"{self.profile}/{self.address}"

    @property
    def file_stem(self) -> str:
        """The beginning of the names of files about the reader, ``<slug>--<address>``, safe for any file system.

        It has no separators or control characters, at most ``_MAX_STEM`` bytes, and differs for different readers.
        """
        name = quote(f"{self.profile}--{self.address}", safe="@+=", errors="surrogatepass")
        if len(name) <= _MAX_STEM:
            return name
        # Cutting alone would give long addresses with the same beginning one file.
        digest = sha256(name.encode()).hexdigest()[:16]
        return f"{name[: _MAX_STEM - 17]}-{digest}"


@dataclass(frozen=True, slots=True)
class Override:
    """The preferences that a reader has set on their page; None means as in the profile.

    ``ignored`` are the words that the reader has excluded from ranking. The other tuples of words replace the
    profile's whole list. ``title`` is what the reader calls the editions. ``shown_as`` is the name under which the
    other readers of a group see what this one likes; without it they don't.
    """

    size: int | None = None
    at: time | None = None
    days: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()
    timezone: str | None = None
    interests: str | None = None
    keywords: tuple[str, ...] | None = None
    authors: tuple[str, ...] | None = None
    mute: tuple[str, ...] | None = None
    language: str | None = None
    title: str | None = None
    shown_as: str | None = None
    catch_up: bool | None = None


class Vote(StrEnum):
    """A reader's vote on a paper; ``CLEAR`` withdraws an earlier one."""

    UP = "up"
    DOWN = "down"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True)
class RecordedVote:
    """Relevance feedback: the last vote of a reader on a paper."""

    paper: PaperId
    vote: Vote
    at: datetime
    via: str  # the channel: cli, mail, reply, slack, page, letter
    voter: str = ""  # the member of a shared Slack channel; empty for a reader who is one person


@dataclass(frozen=True, slots=True)
class ZoteroAccess:
    """A Zotero library, ``users/123`` or ``groups/45``, and the key that opens it."""

    library: str
    key: str

    def __repr__(self) -> str:
        # The generated one would show the key in logs and tracebacks.
        return f"ZoteroAccess({self.library})"


@dataclass(frozen=True, slots=True)
class ZoteroConnection:
    """A reader's Zotero library that is followed; ``collections`` are names, none for the whole library.

    ``sealed_key`` is the API key, encrypted. ``version`` is the library's version as of the last poll, 0 before the
    first. With ``saves``, papers that the reader likes are saved there.
    """

    reader: ReaderId
    library: str
    collections: tuple[str, ...]
    sealed_key: str
    saves: bool
    connected_at: datetime
    version: int = 0
    poll: SourceState = field(default_factory=lambda: SourceState("zotero"))


@dataclass(frozen=True, slots=True)
class ZoteroChanges:
    """What changed in a Zotero library up to ``version``: entries to add, and keys whose earlier entries go.

    An entry that changed is in both. ``skipped`` are counted by the reason.
    """

    version: int
    gone: frozenset[str]
    entries: tuple[LibraryEntry, ...]
    skipped: dict[str, int]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ZoteroSave:
    """A liked paper that was put into the outbox to be saved as the item ``item_key``; ``outbox_key`` is its row's."""

    paper: PaperId
    item_key: str
    outbox_key: str


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
    """Where a delivery stands; ``bot/store/outbox.py`` draws the transitions.

    ``unknown`` means that the body went out and no answer came back: it may have arrived, so it is not sent again
    unless a person asks.
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
