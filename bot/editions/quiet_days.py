"""Why an edition has no picks: what its sources did, or what its profile leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.arxiv_calendar import Rest
from bot.domain import Quiet, QuietReason, Score

_RESTS = {
    Rest.WEEKEND: (QuietReason.WEEKEND, "It is the weekend at arXiv"),
    Rest.HOLIDAY: (QuietReason.HOLIDAY, "arXiv keeps a holiday"),
}


@dataclass(frozen=True, slots=True)
class SourceActivitySince:
    """What a reader's sources did since the edition before.

    ``last`` is the day on which the last new paper came in, None before the first. ``rest`` is arXiv's, where
    a source repeats its announcements and none was due; they go on at ``resumes``. ``failing`` sources can't be
    read, ``stale`` ones have brought nothing new though something is usual.
    """

    last: date | None = None
    rest: Rest | None = None
    resumes: date | None = None
    failing: Sequence[str] = ()
    stale: Sequence[str] = ()


def quiet_reason(scores: Sequence[Score], threshold: float, supply: SourceActivitySince) -> Quiet:
    """The reason for an edition without picks; ``scores`` are those of all papers that were new."""
    if not scores:
        return _nothing_new(supply)
    papers = "1 new paper" if len(scores) == 1 else f"{len(scores)} new papers"
    unmuted = [score for score in scores if not score.muted]
    if not unmuted:
        return Quiet(QuietReason.MUTED, f"{papers} came in, and your mutes hide all of them.")
    best = max(score.probability for score in unmuted)
    words = f"{papers} came in; the best matches to {best:.0%}, and your threshold is {threshold:.0%}."
    return Quiet(QuietReason.BELOW, words)


def _nothing_new(supply: SourceActivitySince) -> Quiet:
    """A fault before a rest before nothing in particular: what a reader may want to act on comes first."""
    last = f" The last one came on {_day(supply.last)} {supply.last.year}." if supply.last else ""
    if supply.failing or supply.stale:
        reason = QuietReason.FAILING if supply.failing else QuietReason.STALE
        return Quiet(reason, f"No new paper has come in, which may be a fault: {_faults(supply)}.{last}")
    if supply.rest:
        reason, words = _RESTS[supply.rest]
        if supply.resumes:
            words += f"; its next papers should be here on {supply.resumes:%A}, {_day(supply.resumes)}"
        return Quiet(reason, f"{words}.")
    return Quiet(QuietReason.NOTHING_NEW, f"No new paper has come in since your last edition.{last}")


def _faults(supply: SourceActivitySince) -> str:
    have = "has" if len(supply.stale) == 1 else "have"
    found = {
        "can't be read": supply.failing,
        f"{have} brought nothing new for longer than usual": supply.stale,
    }
    return "; ".join(f"{_listed(names)} {what}" for what, names in found.items() if names)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])


def _day(day: date) -> str:
    return f"{day.day} {day:%B}"
