"""What Paperbot talks about: one frozen dataclass for each stage of a paper's way.

    RawDigest --parse--> ParsedDigest of Entry --identify, merge--> Paper with Sighting
    Paper --rank for a Reader--> Score with Reason --select, compose--> Edition of Pick
    Edition --render--> Message --outbox--> Delivery

A stage adds a type; it never writes onto the type of the stage before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from enum import StrEnum

PaperId = int
ReaderId = int
NOT_STORED: ReaderId = 0  # the id of a reader whom the store does not have yet; it gives none this id


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that went wrong without stopping the run: where, what, and what to do about it."""

    source: str
    problem: str

    def __str__(self) -> str:
        return f"{self.source}: {self.problem}"


# --- incoming ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RawDigest:
    """Bytes as a source delivered them; ``name`` is the file name or URL, for people to find it again."""

    source: str
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class SourceState:
    """How it went with a source so far, and what the source itself wants to remember (``memory``).

    ``failures`` in a row since the last success, the last of them for ``problem``; before ``not_before`` it
    asks to be left alone; ``warned`` is the trouble that its operator was last told of, empty without any;
    ``failing_since`` is when the first of these failures came.
    """

    name: str
    checked_at: datetime | None = None
    succeeded_at: datetime | None = None
    failures: int = 0
    problem: str = ""
    not_before: datetime | None = None
    warned: str = ""
    memory: Mapping[str, str] = field(default_factory=dict)
    failing_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One paper as one digest tells of it; text is cleaned of control characters, LaTeX is kept."""

    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    author_count: int | None = None  # where a digest only counts them
    published: date | None = None
    arxiv_id: str | None = None  # without version
    doi: str | None = None
    url: str | None = None
    upvotes: int | None = None
    comments: int | None = None
    organisation: str | None = None
    version: int | None = None  # of the arXiv id
    categories: tuple[str, ...] = ()
    replacement: bool = False  # announced because a later version replaces one that was announced before


@dataclass(frozen=True, slots=True)
class ParsedDigest:
    """One digest of one day. ``rejected`` says which blocks could not be read, and why."""

    format: str
    topic: str
    date: date | None
    entries: tuple[Entry, ...]
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sighting:
    """That a paper stood in a digest."""

    source: str
    topic: str
    date: date | None


@dataclass(frozen=True, slots=True)
class Paper:
    """One work, however many digests mention it; ``sightings`` are in the order of arrival."""

    id: PaperId
    title: str
    abstract: str
    authors: tuple[str, ...]
    author_count: int | None
    published: date | None
    arxiv_id: str | None
    doi: str | None
    url: str | None
    upvotes: int | None
    organisation: str | None
    first_seen: datetime
    sightings: tuple[Sighting, ...] = ()
    version: int | None = None  # the newest that was seen
    categories: tuple[str, ...] = ()

    @property
    def ref(self) -> str:
        """The id as people type it and JSON carries it: ``p17``."""
        return f"p{self.id}"

    @property
    def text(self) -> str:
        """Title and abstract, the text that is ranked; a fitted corpus finds its rows by the hash of this very text."""
        return f"{self.title}\n{self.abstract}"


# --- readers ----------------------------------------------------------------------------------


class Kind(StrEnum):
    """The kinds of address a reader can have."""

    EMAIL = "email"
    SLACK = "slack"


class Origin(StrEnum):
    """Who keeps the list that a reader stands on."""

    FILE = "file"  # the profile's file
    WEB = "web"  # the store: subscribed on a page or in Slack


class StopReason(StrEnum):
    """Why nothing more is sent to a reader. Who stopped a reader decides who may start them again."""

    AWAITING = "awaiting"  # asked to subscribe, and has not confirmed that yet
    PAUSED = "paused"  # by the reader
    UNSUBSCRIBED = "unsubscribed"  # by the reader
    REMOVED = "removed"  # by the operator, who took the address out of the profile's file
    OPERATOR = "operator"  # by the operator's command
    REFUSED = "refused"  # by the mail server or Slack, which doesn't take messages for the address

    @property
    def in_words(self) -> str:
        """The reason as people read it."""
        return _STOPS_IN_WORDS[self]


_STOPS_IN_WORDS = {
    StopReason.AWAITING: "waits for its confirmation",
    StopReason.PAUSED: "paused by its reader",
    StopReason.UNSUBSCRIBED: "unsubscribed by its reader",
    StopReason.REMOVED: "removed from the profile",
    StopReason.OPERATOR: "stopped by the operator",
    StopReason.REFUSED: "refused",
}
STOPPED_BY_READER = (StopReason.PAUSED, StopReason.UNSUBSCRIBED)


@dataclass(frozen=True, slots=True)
class Reader:
    """One address that receives one profile. ``stopped`` says why no more is sent, if so."""

    id: ReaderId
    profile: str  # slug
    kind: Kind
    address: str
    stopped: StopReason | None = None
    origin: Origin = Origin.FILE
    stop_detail: str = ""  # what the mail server or Slack said when it refused the address

    @property
    def stopped_because(self) -> str | None:
        """Why no more is sent, as people read it: ``refused: 550 no such user``."""
        if self.stopped is None:
            return None
        return ": ".join(part for part in (self.stopped.in_words, self.stop_detail) if part)

    @property
    def name(self) -> str:
        """The id in commands: ``reward-models/ada@example.org``."""
        return f"{self.profile}/{self.address}"

    @property
    def is_shared(self) -> bool:
        """Whether several people read it: a Slack channel, public or private, and no person."""
        return self.kind is Kind.SLACK and self.address.startswith(("C", "G"))


class Vote(StrEnum):
    """A reader's judgement of a paper; ``CLEAR`` takes an earlier one back."""

    UP = "up"
    DOWN = "down"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True)
class RecordedVote:
    """Relevance feedback: what one reader last said of one paper."""

    paper: PaperId
    vote: Vote
    at: datetime
    via: str  # the door it came in by: cli, mail, slack, page
    voter: str = ""  # which member of a channel; empty where reader and person are one


@dataclass(frozen=True, slots=True)
class Override:
    """What a reader has set on a page, over what the profile says; None: as in the profile.

    ``ignored`` are words that the reader has taken out of what was learned.
    """

    size: int | None = None
    at: time | None = None
    days: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()


# --- ranking ----------------------------------------------------------------------------------


class ReasonKind(StrEnum):
    """Where a reason's weight comes from."""

    WORD = "word"  # a word of the paper, weighed by the reader's model
    KEYWORD = "keyword"  # a keyword of the profile
    TRENDING = "trending"  # the paper's upvotes
    ALERT = "alert"  # a keyword or author of the profile's alert rule; it has no weight


@dataclass(frozen=True, slots=True)
class Reason:
    """One term's exact contribution to a score's log-odds (natural logarithm), positive or negative."""

    term: str
    weight: float
    kind: ReasonKind = ReasonKind.WORD


@dataclass(frozen=True, slots=True)
class Score:
    """How likely a reader is to want a paper.

    ``log_odds == rest + sum(r.weight for r in reasons)`` and ``probability`` is its logistic function;
    ``rest`` holds what no word answers for: the model's intercept. ``reasons`` are complete, the heaviest
    (by absolute weight) first. ``because`` is the reader's liked paper that this one resembles most.
    ``followed`` names the author whom the profile always shows; ``muted`` the mute that hides the paper.
    """

    paper: PaperId
    probability: float
    log_odds: float
    reasons: tuple[Reason, ...]
    rest: float
    because: PaperId | None = None
    followed: str | None = None
    muted: str | None = None


# --- outgoing ---------------------------------------------------------------------------------


class PickKind(StrEnum):
    """Why a paper has its place in an edition."""

    MATCH = "match"  # its score
    FOLLOW = "follow"  # an author whom the profile always shows
    EXPLORE = "explore"  # to learn from: uncertain, but plausible
    ALERT = "alert"  # the profile's alert rule


class Role(StrEnum):
    """What a sentence of a summary does."""

    TASK = "task"  # names what is to be done
    IDEA = "idea"  # tells how it is done here
    RESULT = "result"  # reports what came out
    TLDR = "tldr"  # all in one, written by a language model and not by the authors


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a summary, word for word from the abstract unless it is a TL;DR.

    ``role`` is None where it has none for certain; ``marks`` are the words of it that matter to this reader, as
    they stand in it. ``after_gap``: something before it was left out, which is shown as an ellipsis.
    """

    text: str
    role: Role | None = None
    marks: tuple[str, ...] = ()
    after_gap: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """One paper of an edition. ``reasons`` are the few worth showing; ``because`` is a liked paper's title."""

    paper: Paper
    kind: PickKind
    probability: float
    reasons: tuple[Reason, ...]
    summary: tuple[Sentence, ...]
    because: str | None = None
    followed: str | None = None


class EditionKind(StrEnum):
    """What takes a slot of a reader."""

    EDITION = "edition"  # the day's picks, or why there are none
    ALERT = "alert"  # one paper, sent at once
    SKIPPED = "skipped"  # a day that downtime missed, made up for by a later edition


class QuietReason(StrEnum):
    """Why an edition has no picks."""

    WEEKEND = "weekend"  # arXiv's
    HOLIDAY = "holiday"  # arXiv's
    FAILING = "failing"  # a source can't be read
    STALE = "stale"  # a source has brought nothing new, though something is usual
    NOTHING_NEW = "nothing new"  # and that is nothing unusual
    BELOW = "below threshold"
    MUTED = "muted"  # all of it
    MISSED = "missed"  # a day of downtime


@dataclass(frozen=True, slots=True)
class Quiet:
    """Why an edition has no picks, and a sentence or two that tell its reader."""

    reason: QuietReason
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Edition:
    """What one reader gets for one day, or at once.

    ``considered`` papers were new to the reader; ``watermark`` is the highest paper id known when it was
    composed, so that the next edition begins where this one ended. ``quiet`` says why there are no picks.
    ``missing`` names sources that failed, so that the edition was made without what they have.
    """

    reader: Reader
    profile_title: str
    date: date  # local to the reader
    composed_at: datetime
    picks: tuple[Pick, ...]
    considered: int
    watermark: PaperId
    quiet: Quiet | None = None
    kind: EditionKind = EditionKind.EDITION
    missing: tuple[str, ...] = ()
    is_test: bool = False  # sent to try out a channel; never stored


@dataclass(frozen=True, slots=True)
class Message:
    """A rendered edition or one part of it, ready for its channel; ``body`` is sent as it stands."""

    body: bytes
    subject: str
    part: int = 1


class State(StrEnum):
    """Where a delivery stands.

    pending -> claimed -> data_started -> sent | failed | retry | unknown; retry -> claimed;
    cancelled where the reader stopped before it went out. ``unknown`` means that the body went out and no
    answer came back: it may have arrived, so it is not sent again unless a person asks.
    """

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
        OutboxKey(slot='17', reader=4, kind=<Kind.EMAIL: 'email'>, part=2)
        """
        slot, reader, kind, part = text.rsplit(":", 3)
        return cls(slot, int(reader), Kind(kind), int(part))


@dataclass(frozen=True, slots=True)
class Delivery:
    """A claimed row of the outbox: one message on its way to one address."""

    id: int
    key: OutboxKey
    reader: Reader
    body: bytes
    attempts: int
    token: str
    date: date  # of the edition
