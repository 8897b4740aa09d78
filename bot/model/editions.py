"""Scores, reasons, editions and weekly letters."""

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
    """The kind of a reason, and what its ``text`` is."""

    ALERT = "alert"  # a keyword or author of the alert rule
    AUTHOR = "author"  # a followed author
    CITES_LIKED = "cites liked"  # the title of a liked paper that this one cites
    CITES_OWNED = "cites owned"  # the same from the reader's library
    KEYWORD = "keyword"  # a keyword of the profile
    WROTE = "wrote"  # a topic in the reader's own words
    MENTIONED = "mentioned"  # the same, named in passing
    NEAR = "near"  # a phrase close to the reader's topic ``near``
    LEARNED = "learned"  # a phrase shared with liked papers
    LIKED = "liked"  # the title of the closest liked paper
    SAVED = "saved"  # the same, saved for later
    OWNED = "owned"  # the same from the reader's library
    LEARNED_FROM_LIBRARY = "learned from library"  # a phrase shared with the reader's library
    TRENDING = "trending"  # the upvotes
    PHRASES = "phrases"  # a positive phrase of the title, for want of other reasons
    LIKES = "likes"  # close to liked papers, for want of phrases; without a text
    LIBRARY = "library"  # the same of the reader's library


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a pick, with the log-odds of its terms."""

    kind: ReasonKind
    text: str = ""
    weight: float = 0.0
    near: str = ""
    paper: PaperId | None = None  # the liked paper


class PickKind(StrEnum):
    """Why a paper was picked."""

    MATCH = "match"
    FOLLOW = "follow"  # a followed author
    EXPLORE = "explore"  # exploration: the best near hit that touches the profile's text
    ALERT = "alert"  # the alert rule
    CHOSEN = "chosen"  # the reader's choice before the first edition


class Role(StrEnum):
    """The rhetorical role of a sentence (argumentative zoning), as far as messages need it."""

    BACKGROUND = "background"
    IDEA = "idea"  # what is proposed or studied
    RESULT = "result"
    CONCLUSION = "conclusion"
    TLDR = "tldr"  # one sentence by a language model


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a summary, verbatim except TL;DRs, cuts with " …" and expansions in brackets.

    ``marks`` are words to highlight. ``after_gap`` shows an ellipsis before the sentence.
    """

    text: str
    role: Role | None = None
    marks: tuple[str, ...] = ()
    after_gap: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """A paper of an edition, with the strongest reason first.

    ``line`` is the title, or the finding that it asks for. ``predictions`` are as in ``Score``.
    """

    paper: Paper
    kind: PickKind
    probability: float
    reasons: tuple[Reason, ...]
    summary: tuple[Sentence, ...]
    predictions: tuple[float, ...] = ()
    line: str = ""


class EditionKind(StrEnum):
    """The content of a reader's slot."""

    EDITION = "edition"  # the day's picks, or why there are none
    ALERT = "alert"  # one paper, sent at once
    LETTER = "letter"  # weekly; picks a paper that editions left out
    CATCH_UP = "catch-up"  # the best of a longer span, by topic
    MISSED = "skipped"  # missed by downtime


class QuietReason(StrEnum):
    """Why an edition has no picks."""

    WEEKEND = "weekend"  # arXiv's
    HOLIDAY = "holiday"  # arXiv's
    FAILING = "failing"  # a source can't be read
    STALE = "stale"  # a source is unusually silent
    NOTHING_NEW = "nothing new"  # usual for these sources
    BELOW = "below threshold"
    MUTED = "muted"  # all new papers
    LACKING = "lacking"  # all new papers lack required terms
    MISSED = "missed"  # by downtime


@dataclass(frozen=True, slots=True)
class Quiet:
    """Why an edition has no picks, in words for its reader."""

    reason: QuietReason
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class GroupLike:
    """A paper that others of the group like, with the names they show."""

    paper: Paper
    names: tuple[str, ...]


class FollowUpKind(StrEnum):
    """The kind of news about a liked paper, and what its ``text`` is."""

    PUBLISHED = "published"  # its venue, or a journal's DOI
    REVISED = "revised"  # a sentence of the new version
    CONTINUED = "continued"  # its first or last author


@dataclass(frozen=True, slots=True)
class FollowUp:
    """News about a ``liked`` paper.

    ``before`` is the sentence in the earlier version, ``paper`` the author's new paper on the topic.
    """

    kind: FollowUpKind
    liked: Paper
    text: str
    before: str = ""
    paper: Paper | None = None


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """A topic of a catch-up edition: a shared phrase, or empty for other papers, and the number of good papers."""

    name: str
    papers: int
    picks: tuple[PaperId, ...]


@dataclass(frozen=True, slots=True)
class CatchUp:
    """The range of a catch-up edition, with local dates.

    ``arrived`` counts all papers and ``good`` those above the threshold. ``skipped`` are further papers, best first,
    with probabilities. ``upto`` is the highest id considered. ``is_automatic`` replaces unread daily editions.
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
    """A reader's edition for a local date, or an alert.

    The next edition starts after ``watermark``, the highest paper id at that time. ``missing`` names failed sources.
    ``closest`` are the best papers if there are no picks. ``group_likes`` are not stored.
    """

    reader: Reader
    profile_title: str
    date: date
    composed_at: datetime
    picks: tuple[Pick, ...]
    considered: int
    watermark: PaperId
    quiet: Quiet | None = None
    kind: EditionKind = EditionKind.EDITION
    missing: tuple[str, ...] = ()
    language: str = "en"  # of its dates, a BCP 47 tag
    is_weekly: bool = False
    closest: tuple[Paper, ...] = ()
    more: int = 0  # strong and good matches beyond the picks
    group_likes: tuple[GroupLike, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    catch_up: CatchUp | None = None
    is_test: bool = False
    has_room: bool = False  # no other paper came close enough
    request: str = ""  # to a test's reader


class Match(StrEnum):
    """A probability in words. ``docs/glossary.md`` states the limits."""

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


STRONG, GOOD, POSSIBLE = 0.7, 0.4, 0.04
_LEAST = (STRONG, GOOD, POSSIBLE)


class BonusKind(StrEnum):
    """The source of a bonus."""

    KEYWORD = "keyword"
    TRENDING = "trending"  # upvotes and venue, with ``edition.trending``
    REFUSED = "refused"  # by the interests; the weight is negative


@dataclass(frozen=True, slots=True)
class Bonus:
    """Log-odds beside the terms, for a keyword, a refusal, or ``12 upvotes, ICLR 2026``."""

    text: str
    weight: float
    kind: BonusKind = BonusKind.KEYWORD


class Score(NamedTuple):
    """The predicted probability that a reader wants a paper.

    ``log_odds`` is the sum of ``rest`` (the intercept), ``bonuses`` and ``terms``, and ``probability`` its logistic
    function. ``terms`` maps stems and bigrams to contributions. ``predictions`` are the log-odds of each expert, and of
    bonuses and excluded words. Both are empty until the score is explained. ``missing_terms`` is a required group.

    A tuple, because a frozen dataclass is five times slower.
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
    """Votes on good and strong matches, and likes among them."""

    voted: int
    liked: int


@dataclass(frozen=True, slots=True)
class LearnedPhrase:
    """A phrase learned from votes, with its weight in the score."""

    text: str
    weight: float
    share: float  # of the heaviest phrase's, 0 to 1
    papers: tuple[str, ...] = ()
    is_from_library: bool = False


class LeavingInterest(NamedTuple):
    """An interest that ends in the week after a letter."""

    text: str
    until: date


@dataclass(frozen=True, slots=True)
class Letter:
    """A reader's week: the seven days before ``edition.date``.

    ``edition`` takes the slot. Its only pick is the missed paper. ``record`` is None with too few votes.
    """

    edition: Edition
    liked: tuple[Paper, ...]
    disliked: int
    raised: tuple[LearnedPhrase, ...] = ()
    lowered: tuple[LearnedPhrase, ...] = ()
    record: MatchRecord | None = None
    leaving: tuple[LeavingInterest, ...] = ()
    saved: tuple[Paper, ...] = ()  # for later, and still without a thumb

    @property
    def is_empty(self) -> bool:
        return not (self.liked or self.disliked or self.saved or self.edition.picks or self.leaving)
