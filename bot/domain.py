"""The domain model: one frozen dataclass for each stage from digest to delivery.

    RawDigest --parse--> ParsedDigest of Entry --identify, merge--> Paper with Sighting
    Paper --rank for a Reader--> Score with Reason --select, compose--> Edition of Pick
    Edition --render--> Message --outbox--> Delivery
    Reader --vote on a Paper--> RecordedVote --> the next Score

Each stage has a type of its own and never writes onto the type of the stage before: a Paper is the same for all
readers, so a score on it would be one reader's score shown to another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from enum import StrEnum

# Ids are assigned in order of arrival: a higher id arrived later, and a watermark is one number.
PaperId = int
ReaderId = int
# The id of a reader who is not in the store; the store assigns ids from 1.
NOT_STORED: ReaderId = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """An error that did not stop the run: where it occurred, what it is, and the remedy."""

    source: str
    problem: str

    def __str__(self) -> str:
        return f"{self.source}: {self.problem}"


# --- incoming ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RawDigest:
    """Bytes as a source delivered them; ``name`` is the file name or URL, for messages to people."""

    source: str
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class SourceState:
    """The history of a source's checks, and what the source itself stores between them (``memory``).

    ``failures`` counts those in a row since the last success, the first at ``failing_since``, the last because of
    ``problem``. The source asked not to be called before ``not_before`` (Retry-After). ``warned`` is the problem that
    was last reported for it, empty if there is none.
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
    """One paper as one digest has it; control characters are removed from its text, LaTeX is kept."""

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
    replacement: bool = False  # announced because a new version replaces an announced one


@dataclass(frozen=True, slots=True)
class ParsedDigest:
    """One digest of one day. ``rejected`` has a message for each block that could not be parsed."""

    format: str
    topic: str
    date: date | None
    entries: tuple[Entry, ...]
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sighting:
    """An occurrence of a paper in a digest."""

    source: str
    topic: str
    date: date | None


@dataclass(frozen=True, slots=True)
class Paper:
    """One work, merged from all digests that contain it; ``sightings`` are in the order of arrival."""

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
    version: int | None = None  # the newest seen, of the arXiv id
    categories: tuple[str, ...] = ()

    @property
    def ref(self) -> str:
        """The id in commands and JSON: ``p17``."""
        return f"p{self.id}"

    @property
    def text(self) -> str:
        """Title and abstract, the text that is ranked; a fitted corpus finds its rows by the hash of this text."""
        return f"{self.title}\n{self.abstract}"


# --- readers ----------------------------------------------------------------------------------


class Kind(StrEnum):
    """The kinds of address a reader can have."""

    EMAIL = "email"
    SLACK = "slack"


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

    @property
    def in_words(self) -> str:
        """The reason in a message."""
        return _STOPS_IN_WORDS[self]


_STOPS_IN_WORDS = {
    StopReason.AWAITING: "waits for its confirmation",
    StopReason.PAUSED: "paused by its reader",
    StopReason.UNSUBSCRIBED: "unsubscribed by its reader",
    StopReason.REMOVED: "removed from the profile",
    StopReason.OPERATOR: "stopped by the operator",
    StopReason.REFUSED: "refused",
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
    def is_shared(self) -> bool:
        """Whether several people read it: a Slack channel, public (C) or private (G), rather than a person."""
        return self.kind is Kind.SLACK and self.address.startswith(("C", "G"))


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
    via: str  # the channel: cli, mail, slack, page
    voter: str = ""  # the member of a shared Slack channel; empty for a reader who is one person


@dataclass(frozen=True, slots=True)
class Override:
    """The preferences that a reader has set on their page; None means as in the profile.

    ``ignored`` are the words that the reader has excluded from ranking.
    """

    size: int | None = None
    at: time | None = None
    days: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()


# --- ranking ----------------------------------------------------------------------------------


class ReasonKind(StrEnum):
    """The origin of a reason's weight."""

    WORD = "word"  # a word of the paper, weighted by the reader's model
    ABSENT = "absent"  # a word that the paper does not have, where the model learned to look for it
    KEYWORD = "keyword"  # a keyword of the profile
    TRENDING = "trending"  # the paper's upvotes
    ALERT = "alert"  # a keyword or author of the profile's alert rule; its weight is 0


@dataclass(frozen=True, slots=True)
class Reason:
    """One term's exact contribution to a score's log-odds (natural logarithm), positive or negative."""

    term: str
    weight: float
    kind: ReasonKind = ReasonKind.WORD


@dataclass(frozen=True, slots=True)
class Score:
    """The predicted probability that a reader wants a paper.

    ``log_odds == rest + sum(r.weight for r in reasons)`` and ``probability`` is its logistic function; ``rest`` is
    the model's intercept. ``reasons`` are complete and sorted by absolute weight, the heaviest first. ``because`` is
    the most similar paper that the reader liked. ``followed`` names the author whom the profile always shows,
    ``muted`` the mute that hides the paper.
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
    """Why a paper was chosen for an edition."""

    MATCH = "match"  # its score
    FOLLOW = "follow"  # an author whom the profile always shows
    EXPLORE = "explore"  # uncertainty sampling: an uncertain but plausible paper
    ALERT = "alert"  # the profile's alert rule


class Role(StrEnum):
    """The rhetorical role of a sentence (argumentative zoning)."""

    TASK = "task"  # states the problem
    IDEA = "idea"  # describes the approach
    RESULT = "result"  # reports a finding
    TLDR = "tldr"  # a summary in one sentence by a language model, not by the authors


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a summary, verbatim from the abstract unless it is a TL;DR.

    ``role`` is None if it is uncertain; ``marks`` are the words to highlight for this reader, verbatim. ``after_gap``:
    something before it was left out, which is shown as an ellipsis.
    """

    text: str
    role: Role | None = None
    marks: tuple[str, ...] = ()
    after_gap: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """One paper of an edition. ``reasons`` are the few that are shown; ``because`` is a liked paper's title."""

    paper: Paper
    kind: PickKind
    probability: float
    reasons: tuple[Reason, ...]
    summary: tuple[Sentence, ...]
    because: str | None = None
    followed: str | None = None


class EditionKind(StrEnum):
    """What a slot of a reader holds."""

    EDITION = "edition"  # the day's picks, or the reason why it is quiet
    ALERT = "alert"  # one paper, sent at once
    MISSED = "skipped"  # a date missed by downtime, which a later edition makes up for; no messages


class QuietReason(StrEnum):
    """Why an edition has no picks."""

    WEEKEND = "weekend"  # arXiv's
    HOLIDAY = "holiday"  # arXiv's
    FAILING = "failing"  # a source can't be read
    STALE = "stale"  # a source has delivered nothing new, though it usually does
    NOTHING_NEW = "nothing new"  # which is usual for these sources
    BELOW = "below threshold"
    MUTED = "muted"  # all new papers
    MISSED = "missed"  # by downtime


@dataclass(frozen=True, slots=True)
class Quiet:
    """Why an edition has no picks, and the sentences that explain it to its reader."""

    reason: QuietReason
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Edition:
    """What one reader is sent for one local date, or at once as an alert.

    ``considered`` is the number of candidates. ``watermark`` is the highest paper id in the store when the edition
    was composed; the next edition's candidates begin after it. ``quiet`` says why there are no picks. ``missing``
    names the interrupted sources that the edition did without.
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
    is_test: bool = False  # a test message; never stored


@dataclass(frozen=True, slots=True)
class Message:
    """A rendered edition or one part of it, ready for its channel; ``body`` is sent unchanged."""

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
