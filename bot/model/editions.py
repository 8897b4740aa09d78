"""Scores of papers, reasons that are shown for picks, editions, and weekly letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from bot.model.papers import Paper, PaperId
from bot.model.readers import Reader

EditionId = int


class ReasonKind(StrEnum):
    """What a reason for a pick rests on, and what its ``text`` holds."""

    ALERT = "alert"  # a keyword or author of the profile's alert rule
    AUTHOR = "author"  # an author whom the reader follows
    CITES_LIKED = "cites liked"  # the title of a paper that this one cites, which the reader liked
    CITES_OWNED = "cites owned"  # the same of a paper in the reader's library
    KEYWORD = "keyword"  # a keyword of the profile
    WROTE = "wrote"  # a topic in the reader's own words
    MENTIONED = "mentioned"  # the same, of a paper that names it once in passing
    NEAR = "near"  # a phrase of the paper by which it is close to the reader's topic ``near``
    LEARNED = "learned"  # a phrase of the paper that liked papers have
    LIKED = "liked"  # the title of the liked paper that has most of what speaks for this one
    OWNED = "owned"  # the same of a paper in the reader's library
    LEARNED_FROM_LIBRARY = "learned from library"  # a phrase of the paper that papers in the reader's library have
    TRENDING = "trending"  # the upvotes
    PHRASES = "phrases"  # a phrase of the paper that speaks for it, where nothing else can be said


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a pick. ``weight`` is the log-odds of the terms that it names, 0 where it names none.

    ``near`` is a second text, of those kinds that have one.
    """

    kind: ReasonKind
    text: str = ""
    weight: float = 0.0
    near: str = ""
    paper: PaperId | None = None  # the liked paper


class PickKind(StrEnum):
    """Why a paper was chosen for an edition."""

    MATCH = "match"  # its score
    FOLLOW = "follow"  # an author whom the profile always shows
    EXPLORE = "explore"  # the best near hit: a paper that has no place otherwise, and touches the text
    ALERT = "alert"  # the profile's alert rule


class Role(StrEnum):
    """The rhetorical role of a sentence (argumentative zoning)."""

    BACKGROUND = "background"  # tells what was known before
    TASK = "task"  # states the problem
    IDEA = "idea"  # describes the approach
    RESULT = "result"  # reports a finding
    CONCLUSION = "conclusion"  # says what follows from the results
    TLDR = "tldr"  # a summary in one sentence by a language model, not by the authors


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a summary, verbatim from the abstract unless it is a TL;DR; " …" ends one that was shortened.

    ``role`` is None if it is uncertain; ``marks`` are the words to highlight for this reader, verbatim. ``after_gap``:
    something before it was left out, which is shown as an ellipsis.
    """

    text: str
    role: Role | None = None
    marks: tuple[str, ...] = ()
    after_gap: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """One paper of an edition, with the reasons that its reader is given, the strongest first.

    ``line`` is the title or the finding that it asks for; empty of editions of earlier versions. ``predictions`` are
    those of the score; with the votes that follow they give the weights of the experts.
    """

    paper: Paper
    kind: PickKind
    probability: float
    reasons: tuple[Reason, ...]
    summary: tuple[Sentence, ...]
    predictions: tuple[float, ...] = ()
    line: str = ""


class EditionKind(StrEnum):
    """What a slot of a reader holds."""

    EDITION = "edition"  # the day's picks, or the reason why it is quiet
    ALERT = "alert"  # one paper, sent at once
    LETTER = "letter"  # the weekly letter; its only pick is a paper that the editions left out
    CATCH_UP = "catch-up"  # the best of a longer span, by topic
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
    LACKING = "lacking"  # all new papers lack required terms
    MISSED = "missed"  # by downtime


@dataclass(frozen=True, slots=True)
class Quiet:
    """Why an edition has no picks, and the sentences that explain it to its reader."""

    reason: QuietReason
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class GroupLike:
    """A paper that others of a reader's group like, with the names under which they show it."""

    paper: Paper
    names: tuple[str, ...]


class FollowUpKind(StrEnum):
    """What became of a paper that the reader liked, and what ``text`` of the follow-up holds."""

    PUBLISHED = "published"  # its venue, or a journal's DOI
    REVISED = "revised"  # a sentence of its later version
    CONTINUED = "continued"  # its first or last author, who has another paper on the same topic


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What became of a ``liked`` paper. ``paper`` is the other one, of one that is continued.

    ``before`` is the sentence in the earlier version; empty where the sentence is new.
    """

    kind: FollowUpKind
    liked: Paper
    text: str
    before: str = ""
    paper: Paper | None = None


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """Good papers of a catch-up edition that are close in meaning; ``papers`` is how many, ``picks`` those shown.

    ``name`` is a phrase that they share; empty for the papers that are in no group.
    """

    name: str
    papers: int
    picks: tuple[PaperId, ...]


@dataclass(frozen=True, slots=True)
class CatchUp:
    """What a catch-up edition covers: the papers that arrived from ``since`` to ``until``, dates of the reader.

    ``arrived`` counts all of them, ``good`` those above the profile's threshold. ``skipped`` are papers that it doesn't
    show, the best first, with their probabilities. ``upto`` is the highest id that was considered. ``is_automatic``:
    it replaces daily editions that nobody read.
    """

    since: date
    until: date
    arrived: int
    good: int
    upto: PaperId
    groups: tuple[TopicGroup, ...] = ()
    skipped: tuple[tuple[PaperId, float], ...] = ()
    is_automatic: bool = False


@dataclass(frozen=True, slots=True)
class Edition:
    """What one reader is sent for one local date, or at once as an alert.

    ``considered`` is the number of candidates. ``watermark`` is the highest paper id in the store when the edition
    was composed; the next edition's candidates begin after it. ``quiet`` says why there are no picks. ``missing``
    names the interrupted sources that the edition did without. ``closest`` are the best papers of an edition without
    picks. ``group_likes`` are picks and other papers that others of the reader's group like; they are not stored.
    ``follow_ups`` are of papers that the reader liked.
    ``catch_up`` is what an edition of that kind covers.
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
    language: str = "en"  # of its dates, a BCP 47 tag
    is_weekly: bool = False  # its profile is due on one day of the week; worded so
    closest: tuple[Paper, ...] = ()
    group_likes: tuple[GroupLike, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    catch_up: CatchUp | None = None
    is_test: bool = False  # a test message; never stored


class Match(StrEnum):
    """A probability in words: of a hundred strong matches a reader likes 70 or more, in every home."""

    STRONG = "strong"
    GOOD = "good"
    POSSIBLE = "possible"
    UNLIKELY = "unlikely"

    @classmethod
    def for_probability(cls, probability: float) -> Match:
        """Return the word for a probability.

        >>> [str(Match.for_probability(probability)) for probability in (0.7, 0.69, 0.39, 0.03)]
        ['strong', 'good', 'possible', 'unlikely']
        """
        words = zip((cls.STRONG, cls.GOOD, cls.POSSIBLE), _LEAST, strict=True)
        return next((word for word, least in words if probability >= least), cls.UNLIKELY)


# The probabilities from which a match is strong, good, and possible; ``docs/glossary.md`` states them.
STRONG, GOOD = 0.7, 0.4
_LEAST = (STRONG, GOOD, 0.04)


class BonusKind(StrEnum):
    """What raised a score beside the terms of the paper."""

    KEYWORD = "keyword"  # a keyword of the profile
    TRENDING = "trending"  # the paper's upvotes and the venue that accepted it, with ``edition.trending``


@dataclass(frozen=True, slots=True)
class Bonus:
    """What a keyword, or upvotes and venue with ``edition.trending``, add to a score's log-odds (natural logarithm).

    ``text`` names them: the keyword, or ``12 upvotes, ICLR 2026``.
    """

    text: str
    weight: float
    kind: BonusKind = BonusKind.KEYWORD


class Score(NamedTuple):
    """The predicted probability that a reader wants a paper.

    ``log_odds`` is the sum of ``rest`` (the model's intercept), the weights of ``bonuses`` and the values of ``terms``;
    ``probability`` is its logistic function. ``terms`` maps stems and bigrams to what they contribute, positive or
    negative, also those that the paper lacks where the model looks for them; empty until the score is explained.
    ``followed`` is the author whom the profile always shows, ``muted`` the mute that hides the paper.
    ``missing_terms`` are those of a required group that has none in the paper, which is therefore not ranked.
    ``predictions`` are the log-odds of each expert of the ranking, and what bonuses and excluded words add to their
    mixture; empty until the score is explained.

    A tuple, as each reader of a day has hundreds, and making a frozen dataclass takes five times as long.
    """

    paper: PaperId
    probability: float
    log_odds: float
    rest: float
    bonuses: tuple[Bonus, ...] = ()
    terms: Mapping[str, float] = MappingProxyType({})
    followed: str | None = None
    muted: str | None = None
    missing_terms: tuple[str, ...] = ()
    predictions: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """How many papers that were called a good or strong match the reader voted on, and how many of them they liked."""

    voted: int
    liked: int


@dataclass(frozen=True, slots=True)
class LearnedPhrase:
    """A phrase that votes taught, and its weight in the score: positive if it raises a paper.

    ``share`` is its size relative to the heaviest phrase's, 0 to 1. ``papers`` are titles of voted papers that have it,
    or of papers in the reader's library if no voted paper has it.
    """

    text: str
    weight: float
    share: float
    papers: tuple[str, ...] = ()
    is_from_library: bool = False


class LeavingInterest(NamedTuple):
    """An interest of the profile whose last day is in the week after a letter."""

    text: str
    until: date


@dataclass(frozen=True, slots=True)
class Letter:
    """A reader's week: the seven whole days before ``edition.date``, so that each vote is in one letter.

    ``edition`` is stored, so that a letter has a slot of its own; its only pick is the missed paper, if there is one.
    ``raised`` and ``lowered`` are the phrases that votes taught, the heaviest first. ``record`` is None with too few
    votes.
    """

    edition: Edition
    liked: tuple[Paper, ...]
    disliked: int
    raised: tuple[LearnedPhrase, ...] = ()
    lowered: tuple[LearnedPhrase, ...] = ()
    record: MatchRecord | None = None
    leaving: tuple[LeavingInterest, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write: no vote in the week, no missed paper, no interest that ends."""
        return not (self.liked or self.disliked or self.edition.picks or self.leaving)
