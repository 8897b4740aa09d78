"""What a reader's own sources did: asked where an edition has nothing to choose from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.arxiv_calendar import next_shown, rest_between
from bot.domain import SourceState
from bot.editions.quiet_days import SourceActivitySince
from bot.ingestion.health import Health, watch
from bot.schedule import local_date
from bot.sources import Source
from bot.store import Store

_DAY = timedelta(days=1)


@dataclass(slots=True)
class Sources:
    """The sources of the settings. What is found of them is kept for all readers of one run."""

    store: Store
    all: Sequence[Source]
    _health: dict[str, Health] = field(default_factory=dict)
    _at: datetime | None = None

    def supply(
        self, names: Collection[str], since: datetime | None, now: datetime, timezone: str
    ) -> SourceActivitySince:
        """What these sources did since a reader's last edition, all of them where none is named.

        A source at rest is in no trouble, as nothing was expected of it. Dates are the reader's.
        """
        begin = min(since or now, now - _DAY)
        own = [source for source in self.all if not names or source.name in names]
        rest = rest_between(begin, now) if any(source.repeats_arxiv for source in own) else None
        health = self._health_at(now)
        awake = [source.name for source in own if not (rest and source.repeats_arxiv)]
        newest = self.store.papers.newest_first_seen(names)
        return SourceActivitySince(
            last=local_date(newest, timezone) if newest else None,
            rest=rest,
            resumes=local_date(next_shown(now), timezone) if rest else None,
            failing=[name for name in awake if health[name] is Health.FAILING],
            stale=[name for name in awake if health[name] in (Health.STALE, Health.EMPTY)],
        )

    def _health_at(self, now: datetime) -> dict[str, Health]:
        if self._at != now:
            states = self.store.sources.states()
            self._health = {
                source.name: watch(
                    source, self.store, now, states.get(source.name) or SourceState(source.name)
                ).health
                for source in self.all
            }
            self._at = now
        return self._health
