"""Which topics grew in a field in a month: the papers of its sources, beside those of the three months before.

    first deliveries of four months --sources that brought papers in each--> papers, by the sources that have them
    titles and abstracts --phrases, exact test (``bot.ranking.growth``)--> topics, each with two papers

A month is compared once it has ended, so that what is found stays: it is computed once for sources, time zone and
month, never for a reader.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.config.profiles import Profile
from bot.model import FieldMonth, GrownTopic, PaperId
from bot.store import Store

_MONTHS_BEFORE = 3
_TOPICS = 6
_EXAMPLES = 2
# Reading takes .7 ms a paper. Of more papers so many are read, evenly over the time.
_MOST_READ = 20_000
_MOST_OF_MONTH = 10_000
_MOST_CACHED = 100  # months
# What arrives while a month ends may become visible a little later.
_SETTLED = timedelta(hours=2)


class FieldMonths:
    """The months that were asked for, kept; for all threads of a process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._cache: dict[tuple[tuple[str, ...], str, date], FieldMonth] = {}

    def is_kept(self, profile: Profile, month: date) -> bool:
        return _key(profile, month) in self._cache

    def of(self, profile: Profile, month: date, now: datetime) -> FieldMonth | None:
        """Return the month that begins on ``month`` in the profile's time zone; None before it has ended."""
        if now < _bounds(month, profile.schedule.timezone)[1] + _SETTLED:
            return None
        key = _key(profile, month)
        with self._lock:
            if key not in self._cache:
                found = field_month(self._store, profile.sources, profile.schedule.timezone, month)
                if not found.is_enough:  # read in a moment
                    return found
                if len(self._cache) >= _MOST_CACHED:
                    del self._cache[next(iter(self._cache))]
                self._cache[key] = found
            return self._cache[key]

    def of_letter(self, profile: Profile, day: date, now: datetime) -> FieldMonth | None:
        """Return the month before that of a letter's day; None if nothing grew."""
        month = self.of(profile, month_before(day), now)
        return month if month and month.topics else None


def _key(profile: Profile, month: date) -> tuple[tuple[str, ...], str, date]:
    return tuple(sorted(profile.sources)), profile.schedule.timezone, month


def month_before(day: date, months: int = 1) -> date:
    """Return the first day of the month so many before that of ``day``.

    >>> month_before(date(2026, 11, 6)), month_before(date(2026, 1, 31), 3)
    (datetime.date(2026, 10, 1), datetime.date(2025, 10, 1))
    """
    year, month = divmod(12 * day.year + day.month - 1 - months, 12)
    return date(year, month + 1, 1)


def month_after(day: date) -> date:
    """Return the first day of the month after that of ``day``."""
    return month_before(day, -1)


def field_month(store: Store, sources: Collection[str], timezone: str, month: date) -> FieldMonth:
    """Return what grew in the papers of some sources, of all if empty, in a month of a time zone that has ended."""
    start, end = _bounds(month, timezone)
    begins = [_bounds(month_before(month, n), timezone)[0] for n in range(_MONTHS_BEFORE, 0, -1)]
    arrivals = _steady(store.papers.first_deliveries(begins[0], end, sources), [*begins, start])
    all_new = [paper_id for paper_id, arrival in arrivals.items() if arrival.at >= start]
    all_before = [paper_id for paper_id, arrival in arrivals.items() if arrival.at < start]
    new = some(all_new, _MOST_OF_MONTH)
    earlier = some(all_before, _MOST_READ - len(new))
    compared = FieldMonth(
        month,
        len(new),
        len(earlier),
        came=len(all_new) if len(new) < len(all_new) else 0,
        came_before=len(all_before) if len(earlier) < len(all_before) else 0,
    )
    if not compared.is_enough:
        return compared

    from bot.ranking.growth import grown  # scikit-learn's libraries, which nothing else of a letter may need

    papers = store.papers.voted([*new, *earlier])
    strata: dict[frozenset[str], int] = {}
    ids = sorted(papers)
    growths = grown(
        [(papers[paper_id].title, papers[paper_id].abstract) for paper_id in ids],
        [arrivals[paper_id].at >= start for paper_id in ids],
        [strata.setdefault(arrivals[paper_id].sources, len(strata)) for paper_id in ids],
        most=_TOPICS,
    )
    examples = [[ids[row] for row in growth.papers[:_EXAMPLES]] for growth in growths]
    shown = store.papers.get([paper_id for of_topic in examples for paper_id in of_topic])
    topics = [
        GrownTopic(growth.text, len(growth.papers), growth.before, tuple(shown[i] for i in of_topic if i in shown))
        for growth, of_topic in zip(growths, examples, strict=True)
    ]
    return replace(compared, topics=tuple(topics))


def some(papers: Sequence[PaperId], most: int) -> Sequence[PaperId]:
    """Return at most so many papers, evenly over their order."""
    return papers if len(papers) <= most else [papers[n * len(papers) // most] for n in range(most)]


@dataclass(frozen=True, slots=True)
class _Arrival:
    """When a paper was first delivered, and the sources that have delivered it."""

    at: datetime
    sources: frozenset[str]


def _steady(
    deliveries: Iterable[tuple[PaperId, str, datetime]], begins: Collection[datetime]
) -> Mapping[PaperId, _Arrival]:
    """Return the papers of the sources that delivered new ones in each month, without those delivered earlier.

    A source that is new, or that stopped, would look like growth of its topics.
    """
    months: defaultdict[str, set[int]] = defaultdict(set)
    by_paper: defaultdict[PaperId, dict[str, datetime]] = defaultdict(dict)
    for paper_id, source, at in deliveries:
        months[source].add(sum(at >= begin for begin in begins))
        by_paper[paper_id][source] = at
    steady = {source for source, delivered in months.items() if delivered >= set(range(1, len(begins) + 1))}
    arrivals = {}
    for paper_id, by_source in by_paper.items():
        times = {source: at for source, at in by_source.items() if source in steady}
        if times and min(times.values()) >= min(begins):
            arrivals[paper_id] = _Arrival(min(times.values()), frozenset(times))
    return arrivals


def _bounds(month: date, timezone: str) -> tuple[datetime, datetime]:
    """Return the month's beginning and end, in UTC; raises OverflowError or ValueError at the calendar's ends."""
    start, end = (datetime.combine(day, time(), ZoneInfo(timezone)) for day in (month, month_after(month)))
    return start.astimezone(UTC), end.astimezone(UTC)
