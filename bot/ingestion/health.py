"""The watchdog: does a source deliver as many new papers as it usually does?

The last 24 hours are compared with the median of the 24 hours that ended at the same time on earlier days: on the same
weekday if there are three such days in the look-back, else on all comparable days. For sources that repeat arXiv's
announcements, days without an announcement are left out; for the others, working days compare with working days.

``check_health`` fetches what the store knows; ``assess`` is the pure decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median

from bot.arxiv_calendar import announced_between
from bot.domain import SourceState
from bot.sources import Source
from bot.store import Store
from bot.store.sources import Arrival

LOOK_BACK = timedelta(days=36)  # five days of each weekday, and a day for the first of them to begin
_DAY = timedelta(days=1)
_MIN_COMPARABLE_DAYS = 3  # the median of fewer would follow a single holiday or backlog
_SHORT_SHARE = 0.3  # of the usual volume


class Health(StrEnum):
    """The state of a source."""

    OK = "ok"
    NEW = "new"  # too few comparable days for a judgement
    RESTING = "resting"  # nothing is expected: a weekend or holiday of arXiv
    SHORT = "short"  # far fewer new papers than usual
    STALE = "stale"  # no new papers where some are usual
    EMPTY = "empty"  # digests without papers
    FAILING = "failing"  # can't be read


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The health of a source and its reason in a few words.

    ``usual`` is the median number of new papers in 24 hours that end at this time of a comparable day.
    """

    health: Health
    detail: str = ""
    usual: float | None = None

    @property
    def needs_attention(self) -> bool:
        """Whether a person should look at the source."""
        return self.health not in (Health.OK, Health.NEW, Health.RESTING)

    def __str__(self) -> str:
        return f"{self.health}: {self.detail}" if self.detail else str(self.health)


def check_health(source: Source, store: Store, now: datetime, state: SourceState) -> HealthReport:
    """Return the health of a source by its state and its arrivals in the store."""
    if not source.poll_interval:
        # People drop files into folders when they like: an alarm on every quiet Tuesday would soon be ignored.
        return _failing(state) if state.failures else HealthReport(Health.OK)
    arrivals = store.sources.arrivals(source.name, now - LOOK_BACK)
    return assess(state, arrivals, now, follows_arxiv_calendar=source.follows_arxiv_calendar)


def assess(
    state: SourceState, arrivals: Sequence[Arrival], now: datetime, *, follows_arxiv_calendar: bool
) -> HealthReport:
    """Return the health of a source; ``arrivals`` are those of the look-back, oldest first."""
    if state.failures:
        return _failing(state)
    if not arrivals:
        return HealthReport(Health.NEW)
    if follows_arxiv_calendar and not announced_between(now - _DAY, now):
        return HealthReport(Health.RESTING, "arXiv announces nothing today")
    usual = _usual_volume(arrivals, now, follows_arxiv_calendar)
    if usual is None:
        return HealthReport(Health.NEW)
    today = [arrival for arrival in arrivals if now - _DAY < arrival.at <= now]
    new_papers = sum(arrival.fresh for arrival in today)
    if usual < 1 or new_papers >= _SHORT_SHARE * usual:
        return HealthReport(Health.OK, usual=usual)
    newest = max((arrival.at for arrival in arrivals if arrival.fresh), default=arrivals[0].at)
    detail = f"nothing new since {newest:%Y-%m-%d}, {usual:.0f} papers a day are usual"
    # A feed shows the same papers for days, so that the largest digest counts, not the sum.
    listed = max((arrival.papers for arrival in today), default=0)
    health = Health.STALE
    if new_papers:
        health = Health.SHORT
        detail = f"{new_papers} new papers in a day, {usual:.0f} are usual"
    elif listed:
        detail = f"the same {listed} papers again; {detail}"
    elif today:
        health = Health.EMPTY
        detail = f"its digests have no papers; {detail}"
    return HealthReport(health, detail, usual)


def _failing(state: SourceState) -> HealthReport:
    times = "" if state.failures == 1 else f" ({state.failures} times in a row)"
    since = f"; it last succeeded on {state.succeeded_at:%Y-%m-%d %H:%M} UTC" if state.succeeded_at else ""
    return HealthReport(Health.FAILING, f"{state.problem}{times}{since}")


def _usual_volume(arrivals: Sequence[Arrival], now: datetime, follows_arxiv_calendar: bool) -> float | None:
    """Return the median number of new papers on comparable days; None if there are too few such days."""
    same_weekday: list[int] = []
    comparable: list[int] = []
    for days_ago in range(1, LOOK_BACK // _DAY):
        end = now - days_ago * _DAY
        if end < arrivals[0].at:
            break
        if follows_arxiv_calendar:
            is_comparable = announced_between(end - _DAY, end)
        else:
            both_working_days = max(end.weekday(), now.weekday()) < 5
            is_comparable = end.weekday() == now.weekday() or both_working_days
        if not is_comparable:
            continue
        volume = sum(arrival.fresh for arrival in arrivals if end - _DAY < arrival.at <= end)
        comparable.append(volume)
        if days_ago % 7 == 0:
            same_weekday.append(volume)
    # Weekdays differ among themselves too, so that the same weekday goes first where there are enough of it.
    volumes = same_weekday if len(same_weekday) >= _MIN_COMPARABLE_DAYS else comparable
    return median(volumes) if len(volumes) >= _MIN_COMPARABLE_DAYS else None
