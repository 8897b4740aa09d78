"""The readers of a profile who have not stopped, page by page in order of id (keyset pagination).

Each page looks at a window of at most ``PAGE`` readers, whether any of them is returned or not. So the time of a query
is bounded: a single query for the first due readers would read on through everybody who has their edition already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import ColumnElement, exists, func, or_, select

from bot.domain import PaperId, Reader, ReaderId
from bot.store.edition_insertion import missed_after
from bot.store.engine import Aggregate
from bot.store.readers import reader_of
from bot.store.schema import alert_marks, editions, overrides, readers

PAGE = 400


@dataclass(frozen=True, slots=True)
class IdRange:
    """The ids from ``first`` to ``last``, both included; without ``last`` there is no upper end."""

    first: ReaderId = 0
    last: ReaderId | None = None


EVERYONE = IdRange()


class ActiveReaders(Aggregate):
    """Who may be due. The conditions admit everybody who is, and some who are not: the caller looks closer."""

    def all(self, profile: str, ids: IdRange = EVERYONE) -> Iterator[list[Reader]]:
        """Yield pages of all active readers of a profile."""
        return self._pages(profile, ids, None)

    def without_edition(
        self, profile: str, day: date, today: date, now: datetime, ids: IdRange = EVERYONE
    ) -> Iterator[list[Reader]]:
        """Yield pages of the readers whose slot is not taken.

        That is the slot of ``day`` for readers with the profile's own schedule, and the slot of ``today`` for those who
        have changed it: their newest slot is theirs alone. Readers with a time zone of their own are always among
        them, as their date may differ.
        """
        has_own_timezone = exists().where(
            overrides.c.reader_id == readers.c.id, overrides.c.timezone.is_not(None)
        )
        has_own_schedule = exists().where(
            overrides.c.reader_id == readers.c.id,
            or_(overrides.c.at.is_not(None), overrides.c.days.is_not(None)),
        )
        follows_profile = ~_has_slot(day, now) & ~has_own_schedule
        if day == today:
            return self._pages(profile, ids, or_(~_has_slot(day, now), has_own_timezone))
        has_own_slot = ~_has_slot(today, now) & has_own_schedule
        return self._pages(profile, ids, or_(follows_profile, has_own_slot, has_own_timezone))

    def without_slot(self, profile: str, slot: str, ids: IdRange = EVERYONE) -> Iterator[list[Reader]]:
        """Yield pages of the readers whose slot of this name is free."""
        has_slot = exists().where(editions.c.reader_id == readers.c.id, editions.c.slot == slot)
        return self._pages(profile, ids, ~has_slot)

    def with_unchecked_papers(
        self, profile: str, newest: PaperId, ids: IdRange = EVERYONE
    ) -> Iterator[list[Reader]]:
        """Yield pages of the readers whose alerts have not been checked up to the ``newest`` paper."""
        is_checked = exists().where(
            alert_marks.c.reader_id == readers.c.id, alert_marks.c.watermark == newest
        )
        return self._pages(profile, ids, ~is_checked)

    def _pages(
        self, profile: str, ids: IdRange, condition: ColumnElement[bool] | None
    ) -> Iterator[list[Reader]]:
        """Yield what a condition leaves of each window; windows of which it leaves nothing are passed over."""
        is_active = (readers.c.profile == profile) & readers.c.stopped.is_(None)
        if ids.last is not None:
            is_active &= readers.c.id <= ids.last
        after = ids.first - 1
        while True:
            window = select(readers.c.id).where(is_active, readers.c.id > after)
            page_ids = window.order_by(readers.c.id).limit(PAGE).subquery()
            with self._database.reading() as connection:
                end = connection.scalar(select(func.max(page_ids.c.id)))
                if end is None:
                    return
                page = select(readers).where(is_active, readers.c.id > after, readers.c.id <= end)
                if condition is not None:
                    page = page.where(condition)
                rows = connection.execute(page.order_by(readers.c.id)).all()
            after = end
            if rows:
                yield [reader_of(row, row.id) for row in rows]


def _has_slot(day: date, now: datetime) -> ColumnElement[bool]:
    is_slot = (editions.c.reader_id == readers.c.id) & (editions.c.slot == day.isoformat())
    return exists().where(is_slot, ~missed_after(now))
