"""Readers with their preferences, votes and Zotero libraries, and the messages to them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, time
from enum import StrEnum
from hashlib import sha256
from urllib.parse import quote

from bot.model.papers import LibraryEntry, PaperId, SourceState

ReaderId = int
# Outside the store, which assigns ids from 1.
NOT_STORED: ReaderId = 0
# Other profiles never begin with an underscore.
OPERATOR_PROFILE = "_operator"
_MAX_STEM = 200  # bytes; file systems allow 255, and a number and a suffix follow

# The name of a channel (``bot.channels``).
Kind = str
# The operator's mail address gets notices and no editions.
OPERATOR_KIND: Kind = "operator"


class Origin(StrEnum):
    """The place of a subscription."""

    FILE = "file"
    WEB = "web"  # a page or Slack; stored only


class StopReason(StrEnum):
    """Why a reader gets nothing. It decides who may resume."""

    AWAITING = "awaiting"
    APPROVAL = "approval"  # confirmed, and not yet approved by the operator
    PAUSED = "paused"  # by the reader, perhaps until a day
    UNSUBSCRIBED = "unsubscribed"  # by the reader
    REMOVED = "removed"  # the operator took the address out of the profile's file
    OPERATOR = "operator"
    REFUSED = "refused"  # the mail server or Slack (hard bounce)
    COMPLAINED = "complained"  # the reader marked a mail as spam

    @property
    def in_words(self) -> str:
        return _STOPS_IN_WORDS[self]


_STOPS_IN_WORDS = {
    StopReason.AWAITING: "waits for its confirmation",
    StopReason.APPROVAL: "waits for the operator's approval",
    StopReason.PAUSED: "paused by its reader",
    StopReason.UNSUBSCRIBED: "unsubscribed by its reader",
    StopReason.REMOVED: "removed from the profile",
    StopReason.OPERATOR: "stopped by the operator",
    StopReason.REFUSED: "refused",
    StopReason.COMPLAINED: "complained of a mail as spam",
}
# A reader may undo only these: an old link must not reverse the operator's decision.
STOPPED_BY_READER = (StopReason.PAUSED, StopReason.UNSUBSCRIBED)


@dataclass(frozen=True, slots=True)
class Reader:
    """An address that receives a profile. ``stopped`` is None for an active reader."""

    id: ReaderId
    profile: str
    kind: Kind
    address: str
    stopped: StopReason | None = None
    origin: Origin = Origin.FILE
    stop_detail: str = ""  # the refusal by the mail server or Slack, or the end of a pause

    @property
    def stopped_because(self) -> str | None:
        """Return for example ``refused: 550 no such user``, or None for an active reader."""
        if self.stopped is None:
            return None
        separator = " " if self.stopped is StopReason.PAUSED else ": "
        return separator.join(part for part in (self.stopped.in_words, self.stop_detail) if part)

    @property
    def name(self) -> str:
        """The id in commands: ``reward-models/ada@example.org``."""
        return f"{self.profile}/{self.address}"

    @property
    def file_stem(self) -> str:
        """A unique beginning for file names, ``<slug>--<address>``."""
        name = quote(f"{self.profile}--{self.address}", safe="@+=", errors="surrogatepass")
        if len(name) <= _MAX_STEM:
            return name
        # Truncation alone would give long addresses the same file.
        digest = sha256(name.encode()).hexdigest()[:16]
        return f"{name[: _MAX_STEM - 17]}-{digest}"


@dataclass(frozen=True, slots=True)
class Override:
    """A reader's own preferences, or None as in the profile.

    Ranking leaves ``ignored`` words out. The other tuples replace the profile's list. The group sees likes under the
    name ``shown_as``, or not at all.
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
    weekly: bool | None = None


class Vote(StrEnum):
    """What a reader says about a paper.

    ``CLEAR`` withdraws a thumb. ``SAVE`` lists the paper for later, beside a thumb, until ``UNSAVE``.
    """

    UP = "up"
    DOWN = "down"
    CLEAR = "clear"
    SAVE = "save"
    UNSAVE = "unsave"


@dataclass(frozen=True, slots=True)
class RecordedVote:
    """Relevance feedback: a reader's last vote on a paper."""

    paper: PaperId
    vote: Vote
    at: datetime
    via: str  # cli, mail, reply, slack, page, letter
    voter: str = ""  # the member of a shared Slack channel


@dataclass(frozen=True, slots=True)
class ZoteroAccess:
    """A Zotero library, ``users/123`` or ``groups/45``, with its key."""

    library: str
    key: str

    def __repr__(self) -> str:
        # The generated one would show the key in logs.
        return f"ZoteroAccess({self.library})"


@dataclass(frozen=True, slots=True)
class ZoteroConnection:
    """A reader's followed Zotero library, or ``collections`` of it.

    ``sealed_key`` is the encrypted API key. ``version`` is the library's at the last poll, or 0. ``saves`` puts liked
    papers there.
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
    """Changes in a Zotero library. Changed entries are in ``gone``, too."""

    version: int
    gone: frozenset[str]
    entries: tuple[LibraryEntry, ...]
    skipped: dict[str, int]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ZoteroSave:
    """A liked paper queued to be saved as the item ``item_key``."""

    paper: PaperId
    item_key: str
    outbox_key: str


_KIND = re.compile(r"[a-z]{1,16}")


@dataclass(frozen=True, slots=True)
class Message:
    """A rendered part of an edition."""

    body: bytes
    subject: str
    part: int = 1
    in_thread: bool = False  # waits for the first message, and goes into its thread


@dataclass(frozen=True, slots=True)
class SendLimit:
    """Limits a second and a day (UTC). 0 is no limit."""

    per_second: float = 0
    per_day: int = 0


@dataclass(frozen=True, slots=True)
class SendGrant:
    """The number of messages to send now, or the time of the next one."""

    count: int
    next_at: datetime | None = None
    is_day_over: bool = False


@dataclass(frozen=True, slots=True)
class SendRateUse:
    """Messages of today (UTC), and the share of the full rate."""

    kind: Kind
    used_today: int
    share: float


class State(StrEnum):
    """The state of a delivery. ``bot/store/outbox.py`` draws the transitions."""

    HELD = "held"
    PENDING = "pending"
    CLAIMED = "claimed"
    DATA_STARTED = "data_started"
    SENT = "sent"
    FAILED = "failed"
    RETRY = "retry"
    UNKNOWN = "unknown"  # the body was sent without an answer
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class OutboxKey:
    """The unique key of a message (idempotency key), stored and sent to Slack as ``17:4:email:1``.

    ``slot`` is the edition's id, or for example ``confirmation-20250506T080000``.
    """

    slot: str
    reader: ReaderId
    kind: Kind
    part: int = 1

    def __str__(self) -> str:
        return f"{self.slot}:{self.reader}:{self.kind}:{self.part}"

    @classmethod
    def parse(cls, text: str) -> OutboxKey:
        """Read the text form. Raises ValueError.

        >>> OutboxKey.parse("17:4:email:2")
        OutboxKey(slot='17', reader=4, kind='email', part=2)
        """
        slot, reader, kind, part = text.rsplit(":", 3)
        if not _KIND.fullmatch(kind):
            raise ValueError(f"{kind!r} is not the name of a channel")
        return cls(slot, int(reader), kind, int(part))


@dataclass(frozen=True, slots=True)
class Delivery:
    """A claimed row of the outbox. ``thread`` is the receipt of its first message."""

    id: int
    key: OutboxKey
    reader: Reader
    body: bytes
    attempts: int
    token: str
    date: date
    thread: str = ""
    has_replies: bool = False  # messages wait for its thread


# The form of a tag (``Signer.tag``): two hexadecimal ids and a signature in base 32. Some servers change the case.
TAG = re.compile(r"(?<![\w-])[0-9a-f]{1,16}-[0-9a-f]{1,16}-[a-z2-7]{16}(?![\w-])", re.IGNORECASE | re.ASCII)


class BounceKind(StrEnum):
    """The kind of a report in the mailbox for bounces."""

    FAILURE = "failure"  # permanent
    COMPLAINT = "complaint"  # marked as spam
    TRANSIENT = "transient"  # delayed, or refused temporarily
    OTHER = "other"  # no report, such as a reply of a person on holiday


@dataclass(frozen=True, slots=True)
class BounceReport:
    """An untrusted report. ``tags`` are candidates, best first. ``reason`` quotes the server."""

    kind: BounceKind
    tags: tuple[str, ...] = ()
    reason: str = ""
