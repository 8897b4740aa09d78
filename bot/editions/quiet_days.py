"""When a day is quiet, and why: an edition without picks names what its sources did, or what its profile leaves out.

    no new paper --> a fault of a source, else arXiv's weekend or holiday, else nothing new
    new papers, no pick --> all are muted, else all others lack required terms, else all others are below the threshold

The edition of a quiet day is stored; whether it is sent is the profile's ``when_quiet``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.arxiv_calendar import Rest
from bot.domain import Quiet, QuietReason, Score
from bot.wording import listed, plural


@dataclass(frozen=True, slots=True)
class SourceActivitySince:
    """What the sources of a reader did since the previous edition.

    ``first`` is true if the reader has no previous edition. ``last`` is the date on which the last new paper arrived,
    None before any arrived. ``rest`` says why arXiv announced nothing, if a source repeats its announcements and none
    was due; they resume on ``resumes``.
    ``failing`` sources can't be read; ``stale`` sources have delivered nothing new for longer than usual.
    """

    first: bool = False
    last: date | None = None
    rest: Rest | None = None
    resumes: date | None = None
    failing: Sequence[str] = ()
    stale: Sequence[str] = ()

    def quiet(self) -> Quiet:
        """Return why no paper has come in."""
        # A fault comes before a rest: it is the only one of the reasons that somebody can do something about, and a
        # feed that broke on a Friday would otherwise be excused by the weekend.
        last = f" The last one came on {_day(self.last)} {self.last.year}." if self.last else ""
        faults = []
        if self.failing:
            faults.append(f"{listed(self.failing)} can't be read")
        if self.stale:
            have = "has" if len(self.stale) == 1 else "have"
            faults.append(f"{listed(self.stale)} {have} brought nothing new for longer than usual")
        if faults:
            reason = QuietReason.FAILING if self.failing else QuietReason.STALE
            return Quiet(
                reason, f"No new paper has come in, which may be a fault: {'; '.join(faults)}.{last}"
            )

        if self.rest is None:
            since = "" if self.first else " since your last edition"
            return Quiet(QuietReason.NOTHING_NEW, f"No new paper has come in{since}.{last}")
        resumes = ""
        if self.resumes:
            resumes = f"; its next papers should be here on {self.resumes:%A}, {_day(self.resumes)}"
        if self.rest is Rest.WEEKEND:
            return Quiet(QuietReason.WEEKEND, f"It is the weekend at arXiv{resumes}.")
        return Quiet(QuietReason.HOLIDAY, f"It is a holiday at arXiv{resumes}.")


def quiet_reason(scores: Sequence[Score], threshold: float, activity: SourceActivitySince) -> Quiet:
    """Return why an edition has no picks; ``scores`` are those of all new papers."""
    if not scores:
        return activity.quiet()
    papers = plural(len(scores), "new paper")
    unmuted = [score for score in scores if not score.muted]
    if not unmuted:
        return Quiet(QuietReason.MUTED, f"{papers} came in, and your mutes hide all of them.")
    ranked = [score for score in unmuted if not score.lacks]
    if not ranked:
        words = f"{papers} came in, and none has a term of each group that your profile requires."
        return Quiet(QuietReason.LACKING, words)
    best = max(score.probability for score in ranked)
    words = f"{papers} came in; the best matches to {best:.0%}, and your threshold is {threshold:.0%}."
    return Quiet(QuietReason.BELOW, words)


def _day(day: date) -> str:
    # strftime has no portable day of the month without a leading zero: "%-d" is an extension of glibc.
    return f"{day.day} {day:%B}"
