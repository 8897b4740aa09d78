"""The watchdog: does a source bring what it usually brings? ``ingesting`` and ``status`` ask it.

The last 24 hours are compared with the 24 hours that ended at the same time of earlier days: of the same weekday
where there are three such days, else, for a working day, of all working days. Days on which arXiv
announces nothing are no days for those who repeat its announcements.
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

LOOK_BACK = timedelta(days=36)
_DAY = timedelta(days=1)
_ENOUGH_DAYS = 3
_SHORT = 0.3  # of the usual volume


class Health(StrEnum):
    """How a source does."""

    OK = "ok"
    NEW = "new"  # too young for a judgement
    RESTING = "resting"  # nothing is expected: a weekend or holiday of arXiv
    SHORT = "short"  # far fewer new papers than usual
    STALE = "stale"  # nothing new, though something is usual
    EMPTY = "empty"  # digests without papers
    FAILING = "failing"  # it can't be read


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a source does, and in a few words why; ``usual`` new papers come by this time of such a day."""

    health: Health
    detail: str = ""
    usual: float | None = None

    @property
    def is_trouble(self) -> bool:
        """Whether a person should look at it."""
        return self.health not in (Health.OK, Health.NEW, Health.RESTING)

    def __str__(self) -> str:
        return f"{self.health}: {self.detail}" if self.detail else str(self.health)


def watch(source: Source, store: Store, now: datetime, state: SourceState) -> Verdict:
    """The verdict on a source; people drop files when they like, so a folder can only fail."""
    if not source.every:
        return Verdict(Health.FAILING, _failing(state)) if state.failures else Verdict(Health.OK)
    arrivals = store.sources.arrivals(source.name, now - LOOK_BACK)
    return judge(state, arrivals, now, repeats_arxiv=source.repeats_arxiv)


def judge(state: SourceState, arrivals: Sequence[Arrival], now: datetime, *, repeats_arxiv: bool) -> Verdict:
    """The verdict on a source; ``arrivals`` of the look-back, oldest first, to ``now``."""
    if state.failures:
        return Verdict(Health.FAILING, _failing(state))
    if not arrivals:
        return Verdict(Health.NEW)
    if repeats_arxiv and not announced_between(now - _DAY, now):
        return Verdict(Health.RESTING, "arXiv announces nothing today")
    usual = _usual(arrivals, now, repeats_arxiv)
    if usual is None:
        return Verdict(Health.NEW)
    today = [arrival for arrival in arrivals if now - _DAY < arrival.at <= now]
    fresh = sum(arrival.fresh for arrival in today)
    if usual < 1 or fresh >= _SHORT * usual:
        return Verdict(Health.OK, usual=usual)
    return _too_little(today, arrivals, usual)


def _too_little(today: Sequence[Arrival], arrivals: Sequence[Arrival], usual: float) -> Verdict:
    fresh = sum(arrival.fresh for arrival in today)
    if fresh:
        return Verdict(Health.SHORT, f"{fresh} new papers in a day, {usual:.0f} are usual", usual)
    last = max((arrival.at for arrival in arrivals if arrival.fresh), default=arrivals[0].at)
    since = f"nothing new since {last:%Y-%m-%d}, {usual:.0f} papers a day are usual"
    shown = max((arrival.papers for arrival in today), default=0)
    if today and not shown:
        return Verdict(Health.EMPTY, f"its digests have no papers; {since}", usual)
    repeated = f"the same {shown} papers again; " if shown else ""
    return Verdict(Health.STALE, f"{repeated}{since}", usual)


def _failing(state: SourceState) -> str:
    times = "" if state.failures == 1 else f" ({state.failures} times in a row)"
    since = f"; it last went well on {state.succeeded_at:%Y-%m-%d %H:%M} UTC" if state.succeeded_at else ""
    return f"{state.problem}{times}{since}"


def _usual(arrivals: Sequence[Arrival], now: datetime, repeats_arxiv: bool) -> float | None:
    """The median number of new papers on comparable days; None while there are too few such days."""
    days = [
        (ago, _fresh(arrivals, now - ago * _DAY))
        for ago in range(1, LOOK_BACK // _DAY)
        if now - ago * _DAY >= arrivals[0].at and _is_like_today(now, ago, repeats_arxiv)
    ]
    same_weekday = [fresh for ago, fresh in days if ago % 7 == 0]
    compared = same_weekday if len(same_weekday) >= _ENOUGH_DAYS else [fresh for _, fresh in days]
    return median(compared) if len(compared) >= _ENOUGH_DAYS else None


def _is_like_today(now: datetime, ago: int, repeats_arxiv: bool) -> bool:
    then = now - ago * _DAY
    if repeats_arxiv:
        return announced_between(then - _DAY, then)
    return then.weekday() == now.weekday() or max(then.weekday(), now.weekday()) < 5


def _fresh(arrivals: Sequence[Arrival], end: datetime) -> int:
    return sum(arrival.fresh for arrival in arrivals if end - _DAY < arrival.at <= end)
