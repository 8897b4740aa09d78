"""What the sources of a reader did since the last edition: read only where an edition has no candidates."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.arxiv_calendar import next_visible, rest_between
from bot.domain import SourceState
from bot.editions.quiet_days import SourceActivitySince
from bot.ingestion.health import Health, check_health
from bot.schedule import local_date
from bot.sources import Source
from bot.store import Store

_DAY = timedelta(days=1)


@dataclass(slots=True)
class SourceMonitor:
    """The configured sources. Their health is cached for all readers of one run, identified by its ``now``."""

    store: Store
    all: Sequence[Source]
    _health: dict[str, Health] = field(default_factory=dict)
    _health_as_of: datetime | None = None

    def activity_since(
        self, names: Collection[str], since: datetime | None, now: datetime, timezone: str
    ) -> SourceActivitySince:
        """Return what the named sources did since a reader's last edition; no names mean all sources.

        Dates are those of the reader's time zone.
        """
        # At least a day is looked at: two editions of one morning would otherwise have no announcement between
        # them, and the second would call any weekday a holiday.
        begin = min(since or now, now - _DAY)
        if self._health_as_of != now:
            states = self.store.sources.states()
            self._health = {}
            for source in self.all:
                state = states.get(source.name) or SourceState(source.name)
                self._health[source.name] = check_health(source, self.store, now, state).health
            self._health_as_of = now

        sources = [source for source in self.all if not names or source.name in names]
        rest = rest_between(begin, now) if any(source.follows_arxiv_calendar for source in sources) else None
        # A source at rest is neither failing nor stale, as nothing was expected of it.
        expected = [source.name for source in sources if not (rest and source.follows_arxiv_calendar)]
        newest = self.store.papers.newest_first_seen(names)
        return SourceActivitySince(
            first=since is None,
            last=local_date(newest, timezone) if newest else None,
            rest=rest,
            resumes=local_date(next_visible(now), timezone) if rest else None,
            failing=[name for name in expected if self._health[name] is Health.FAILING],
            stale=[name for name in expected if self._health[name] in (Health.STALE, Health.EMPTY)],
        )
