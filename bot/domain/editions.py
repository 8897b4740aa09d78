"""Editions: the picks for one reader on one day, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from bot.domain.papers import Paper, PaperId
from bot.domain.readers import Reader
from bot.domain.reasons import Reason


class PickKind(StrEnum):
    """Why a paper was chosen for an edition."""

    MATCH = "match"  # its score
    FOLLOW = "follow"  # an author whom the profile always shows
    EXPLORE = "explore"  # uncertainty sampling: an uncertain but plausible paper
    ALERT = "alert"  # the profile's alert rule


class Role(StrEnum):
    """The rhetorical role of a sentence (argumentative zoning)."""

    BACKGROUND = "background"  # tells what was known before
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
    """One paper of an edition, with the reasons that its reader is given, the strongest first.

    ``predictions`` are those of the score; with the votes that follow they give the weights of the experts.
    """

    paper: Paper
    kind: PickKind
    probability: float
    reasons: tuple[Reason, ...]
    summary: tuple[Sentence, ...]
    predictions: tuple[float, ...] = ()


class EditionKind(StrEnum):
    """What a slot of a reader holds."""

    EDITION = "edition"  # the day's picks, or the reason why it is quiet
    ALERT = "alert"  # one paper, sent at once
    LETTER = "letter"  # the weekly letter; its only pick is a paper that the editions left out
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
    language: str = "en"  # of its dates, a BCP 47 tag
    is_weekly: bool = False  # its profile is due on one day of the week; worded so
    is_test: bool = False  # a test message; never stored
