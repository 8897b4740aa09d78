"""Editions with their picks; an edition and its messages in the outbox are stored in one transaction.

This is a transactional outbox: there is no edition whose messages were lost, and no message without its edition.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import func, select

from bot.domain import (
    Edition,
    EditionKind,
    Message,
    PaperId,
    Pick,
    PickKind,
    Quiet,
    ReaderId,
)
from bot.store.edition_insertion import NewEdition, insert_editions, missed_after
from bot.store.engine import Aggregate, AnySelect, in_chunks
from bot.store.paper_rows import load_papers
from bot.store.pick_rows import pick, select_picks, summary_ids
from bot.store.schema import editions, picks, readers

EditionId = int


@dataclass(frozen=True, slots=True)
class StoredEdition:
    """An edition without its picks, which are only counted."""

    id: EditionId
    reader_id: ReaderId
    slot: str
    date: date
    composed_at: datetime
    considered: int
    watermark: PaperId
    quiet: Quiet | None
    kind: EditionKind
    picks: int
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """Where a paper was shown: the edition, its position in it counted from 1, and when that was composed."""

    edition: EditionId
    position: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Prediction:
    """What each expert predicted of a pick; ``log_odds`` as in ``Pick.predictions``."""

    edition: EditionId
    paper: PaperId
    at: datetime
    log_odds: Sequence[float]


_IS_DAILY = editions.c.kind == EditionKind.EDITION
_TAKES_A_DAY = editions.c.kind.in_((EditionKind.EDITION, EditionKind.MISSED))


class Editions(Aggregate):
    """The stored editions; a reader has at most one for each slot.

    Alerts, letters and missed days are rows of the same table; methods about editions leave them out.
    """

    def save(
        self, edition: Edition, slot: str, messages: Sequence[Message], missed: Sequence[date] = ()
    ) -> list[int] | None:
        """Store an edition, take its slot and put its messages into the outbox, in one transaction.

        ``missed`` are earlier days that this edition makes up for; their slots are taken as well. Returns the
        messages' ids in the outbox, or None if the slot was taken already; then nothing is changed.
        """
        return self.save_all([NewEdition(edition, slot, messages, missed)])[0]

    def save_all(self, new: Sequence[NewEdition]) -> list[list[int] | None]:
        """Do for each of these editions what ``save`` does, in one transaction of a few statements for all.

        An edition whose slot was taken is left out and costs the others nothing; an error undoes all of them.
        """
        if not new:
            return []
        picks = [pick for draft in new for pick in draft.edition.picks]
        # In a transaction of their own: another process that stores the same summary waits for it, and would wait for
        # the whole batch (175 ms were measured).
        with self._database.writing(durable=False) as connection:
            ids = summary_ids(connection, picks)
        with self._database.writing() as connection:
            return insert_editions(connection, new, ids)

    def last(self, reader_id: ReaderId, before: datetime | None = None) -> StoredEdition | None:
        """Return a reader's last edition, or the last composed before a time; None without any."""
        # By id: times come from clocks that may have run ahead.
        query = _stored_editions().where(editions.c.reader_id == reader_id)
        query = query.order_by(editions.c.id.desc()).limit(1)
        if before is not None:
            query = query.where(editions.c.composed_at < before)
        return next(iter(self._read(query)), None)

    def last_by_reader(self, reader_ids: Sequence[ReaderId] | None = None) -> dict[ReaderId, StoredEdition]:
        """Return the last edition of each reader, or of each of these; readers without one are left out."""
        if reader_ids is None:
            queries = [select(func.max(editions.c.id)).where(_IS_DAILY).group_by(editions.c.reader_id)]
        else:
            # A correlated subquery walks an index backwards and stops at its first match; max(id) of a group would read
            # all editions of its reader.
            newest = (
                select(editions.c.id)
                .where(editions.c.reader_id == readers.c.id, _IS_DAILY)
                .order_by(editions.c.id.desc())
                .limit(1)
                .correlate(readers)
                .scalar_subquery()
            )
            queries = [select(newest).where(readers.c.id.in_(chunk)) for chunk in in_chunks(reader_ids)]
        return {
            edition.reader_id: edition
            for ids in queries
            for edition in self._read(_stored_editions().where(editions.c.id.in_(ids)))
        }

    def last_days(self, reader_ids: Sequence[ReaderId], upto: date, now: datetime) -> dict[ReaderId, date]:
        """Return the newest day, ``upto`` included, whose slot each reader's editions or missed days have taken.

        Days that were missed at a time after ``now`` don't count: a clock ran ahead, and they are still to come.
        """
        # A correlated subquery walks the index on (reader, composed_at) backwards and stops at its first match;
        # max(date) would read all editions of a reader.
        newest = (
            select(editions.c.date)
            .where(
                editions.c.reader_id == readers.c.id,
                _TAKES_A_DAY,
                editions.c.date <= upto,
                ~missed_after(now),
            )
            .order_by(editions.c.composed_at.desc(), editions.c.date.desc())
            .limit(1)
            .scalar_subquery()
        )
        days: dict[ReaderId, date] = {}
        with self._database.reading() as connection:
            for chunk in in_chunks(reader_ids):
                query = select(readers.c.id, newest).where(readers.c.id.in_(chunk))
                days |= {reader_id: day for reader_id, day in connection.execute(query) if day is not None}
        return days

    def alerts_on(self, reader_id: ReaderId, day: date) -> int:
        """Return how many alerts a reader was sent on a day."""
        query = select(func.count()).where(
            editions.c.reader_id == reader_id, editions.c.date == day, editions.c.kind == EditionKind.ALERT
        )
        with self._database.reading() as connection:
            return connection.scalar(query) or 0

    def newest_id(self) -> EditionId:
        """Return the highest id: how many editions, alerts and missed days were ever stored, with gaps."""
        with self._database.reading() as connection:
            return connection.scalar(select(func.max(editions.c.id))) or 0

    def newest_composed(self) -> datetime | None:
        """Return the latest time at which an edition, alert or missed day was composed; None before the first."""
        with self._database.reading() as connection:
            newest: datetime | None = connection.scalar(select(func.max(editions.c.composed_at)))
        return newest

    def of_reader(self, reader_id: ReaderId) -> list[StoredEdition]:
        """Return a reader's editions, newest first."""
        query = _stored_editions().where(editions.c.reader_id == reader_id)
        return self._read(query.order_by(editions.c.id.desc()))

    def last_reader_shown(self, reader_ids: Collection[ReaderId], paper_id: PaperId) -> ReaderId | None:
        """Return which of these readers was shown a paper last, in an edition or alert; None if none was."""
        query = (
            select(editions.c.reader_id)
            .join(picks)
            .where(editions.c.reader_id.in_(reader_ids), picks.c.paper_id == paper_id)
            .order_by(editions.c.id.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            return connection.scalar(query)

    def shown(self, reader_id: ReaderId) -> dict[PaperId, Shown]:
        """Return the papers that editions and alerts have shown to a reader, and where each was shown first."""
        query = (
            select(picks.c.paper_id, editions.c.id, picks.c.position, editions.c.composed_at)
            .join(editions)
            .where(editions.c.reader_id == reader_id)
            .order_by(editions.c.id.desc())
        )
        with self._database.reading() as connection:
            # Newest first, so that the oldest row of a paper is the last to be written.
            return {paper_id: Shown(*place) for paper_id, *place in connection.execute(query)}

    def probabilities(self, reader_id: ReaderId, since: datetime) -> dict[PaperId, float]:
        """Return the papers shown to a reader since a time, each with the probability of its last showing."""
        query = (
            select(picks.c.paper_id, picks.c.probability)
            .join(editions)
            .where(editions.c.reader_id == reader_id, editions.c.composed_at >= since)
            .order_by(editions.c.id)
        )
        with self._database.reading() as connection:
            return dict(connection.execute(query).all())

    def predictions(self, reader_id: ReaderId, newest: int) -> list[Prediction]:
        """Return what the experts predicted of a reader's ``newest`` last picks, oldest first."""
        query = (
            select(editions.c.id, picks.c.paper_id, editions.c.composed_at, picks.c.predictions)
            .join(editions)
            .where(editions.c.reader_id == reader_id)
            .order_by(editions.c.id.desc(), picks.c.position)
            .limit(newest)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [Prediction(*row) for row in reversed(rows) if row.predictions]

    def pick_kind(self, reader_id: ReaderId, paper_id: PaperId) -> PickKind | None:
        """Return the kind of pick as which a paper was last sent to a reader; None if it never was."""
        query = (
            select(picks.c.kind)
            .join(editions)
            .where(editions.c.reader_id == reader_id, picks.c.paper_id == paper_id)
            .order_by(editions.c.id.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            kind: PickKind | None = connection.scalar(query)
        return kind

    def slots(self, reader_id: ReaderId, day: date) -> set[str]:
        """Return the slots of a day that are taken, by editions, alerts and missed days."""
        query = select(editions.c.slot).where(editions.c.reader_id == reader_id, editions.c.date == day)
        with self._database.reading() as connection:
            return set(connection.scalars(query))

    def picks_of(self, edition_id: EditionId) -> tuple[Pick, ...]:
        """Return an edition's picks in order; their papers are as stored now."""
        with self._database.reading() as connection:
            rows = connection.execute(select_picks(edition_id)).all()
            papers = load_papers(connection, [row.paper_id for row in rows])
        return tuple(pick(row, papers) for row in rows)

    def _read(self, query: AnySelect) -> list[StoredEdition]:
        with self._database.reading() as connection:
            return [
                StoredEdition(
                    id=row.id,
                    reader_id=row.reader_id,
                    slot=row.slot,
                    date=row.date,
                    composed_at=row.composed_at,
                    considered=row.considered,
                    watermark=row.watermark,
                    quiet=Quiet(row.quiet_reason, row.quiet) if row.quiet_reason else None,
                    kind=row.kind,
                    picks=row.picks,
                    missing=tuple(row.missing),
                )
                for row in connection.execute(query)
            ]


def _stored_editions() -> AnySelect:
    """Select the columns of a ``StoredEdition``."""
    count = select(func.count()).where(picks.c.edition_id == editions.c.id).scalar_subquery()
    return select(editions, count.label("picks")).where(_IS_DAILY)
