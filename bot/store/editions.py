"""Editions: what was composed for whom, kept with its picks, and put into the outbox in the same breath."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, insert, select

from bot.domain import (
    Edition,
    EditionKind,
    Message,
    OutboxKey,
    Paper,
    PaperId,
    Pick,
    Quiet,
    QuietReason,
    ReaderId,
    Reason,
    ReasonKind,
    Role,
    Sentence,
    State,
)
from bot.store.engine import AnyRow, AnySelect, Database, in_chunks, insert_new
from bot.store.papers import load_papers
from bot.store.schema import editions, outbox, picks, readers

EditionId = int


@dataclass(frozen=True, slots=True)
class StoredEdition:
    """An edition as it is kept, its picks only counted."""

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
    """Where a paper stood: the edition, its place in it from 1, and when that was composed."""

    edition: EditionId
    position: int
    at: datetime


_DAILY = editions.c.kind == EditionKind.EDITION


class Editions:
    """The editions composed so far; a reader has one at most for each slot.

    Where it says edition, alerts and skipped days are not meant.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(
        self, edition: Edition, slot: str, messages: Sequence[Message], skipped: Sequence[date] = ()
    ) -> list[int] | None:
        """Keep an edition, take its slot and put its messages into the outbox, all in one transaction.

        ``skipped`` are older days that this edition makes up for: their slots are taken too. Returns the
        messages' ids in the outbox; None where the slot was taken, and nothing was changed.
        """
        with self._database.writing() as connection:
            too_early = editions.c.reader_id == edition.reader.id, _skipped_after(edition.composed_at)
            connection.execute(delete(editions).where(editions.c.slot == slot, *too_early))
            new = insert_new(connection, editions).values(_edition_row(edition, slot))
            edition_id = connection.scalar(new.returning(editions.c.id))
            if edition_id is None:
                return None
            if skipped:
                missed = [_edition_row(_skipped(edition, day), day.isoformat()) for day in skipped]
                connection.execute(insert_new(connection, editions), missed)
            if edition.picks:
                connection.execute(insert(picks), _pick_rows(edition_id, edition.picks))
            if not messages:
                return []
            put = insert(outbox).returning(outbox.c.id, sort_by_parameter_order=True)
            return list(connection.scalars(put, [_outbox_row(edition_id, edition, m) for m in messages]))

    def last(self, reader_id: ReaderId, before: datetime | None = None) -> StoredEdition | None:
        """Return the edition of a reader that was kept last, or the last of those composed before a time."""
        query = _kept().where(editions.c.reader_id == reader_id).order_by(editions.c.id.desc()).limit(1)
        if before is not None:
            query = query.where(editions.c.composed_at < before)
        return next(iter(self._read(query)), None)

    def last_by_reader(self, reader_ids: Sequence[ReaderId] | None = None) -> dict[ReaderId, StoredEdition]:
        """Return the edition that was kept last of each reader, or of each of these, who has had one."""
        newest = select(func.max(editions.c.id)).where(_DAILY).group_by(editions.c.reader_id)
        found: dict[ReaderId, StoredEdition] = {}
        for some in [None] if reader_ids is None else in_chunks(reader_ids):
            theirs = newest if some is None else newest.where(editions.c.reader_id.in_(some))
            found |= {e.reader_id: e for e in self._read(_kept().where(editions.c.id.in_(theirs)))}
        return found

    def recent(self, limit: int) -> list[StoredEdition]:
        """Return the editions kept last, of all readers, newest first."""
        return self._read(_kept().order_by(editions.c.id.desc()).limit(limit))

    def last_days(self, reader_ids: Sequence[ReaderId], upto: date, now: datetime) -> dict[ReaderId, date]:
        """Return the newest day, to ``upto``, that each reader's editions have taken, skipped ones too.

        Days that were skipped at a time yet to come are not: a clock ran ahead, and they may still come.
        """
        newest = (
            select(editions.c.date)
            .where(
                editions.c.reader_id == readers.c.id,
                editions.c.kind != EditionKind.ALERT,
                editions.c.date <= upto,
                ~_skipped_after(now),
            )
            .order_by(
                editions.c.composed_at.desc(), editions.c.date.desc()
            )  # along the index, one row or few
            .limit(1)
            .scalar_subquery()
        )
        with self._database.reading() as connection:
            return {
                reader_id: day
                for some in in_chunks(reader_ids)
                for reader_id, day in connection.execute(
                    select(readers.c.id, newest).where(readers.c.id.in_(some))
                )
                if day is not None
            }

    def alerts_on(self, reader_id: ReaderId, day: date) -> int:
        """Return how many alerts a reader was sent on a day."""
        query = select(func.count()).where(
            editions.c.reader_id == reader_id, editions.c.date == day, editions.c.kind == EditionKind.ALERT
        )
        with self._database.reading() as connection:
            return connection.scalar(query) or 0

    def newest_composed(self) -> datetime | None:
        """Return the latest time at which an edition was composed; None before the first."""
        with self._database.reading() as connection:
            newest: datetime | None = connection.scalar(select(func.max(editions.c.composed_at)))
        return newest

    def of_reader(self, reader_id: ReaderId) -> list[StoredEdition]:
        """Return a reader's editions, newest first."""
        return self._read(_kept().where(editions.c.reader_id == reader_id).order_by(editions.c.id.desc()))

    def last_with(self, reader_ids: Collection[ReaderId], paper_id: PaperId) -> ReaderId | None:
        """Return which of these readers had a paper in an edition, the last one; None where none had."""
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
        """Return the papers that stood in an edition or alert of a reader, and where first."""
        query = (
            select(picks.c.paper_id, editions.c.id, picks.c.position, editions.c.composed_at)
            .join(editions)
            .where(editions.c.reader_id == reader_id)
            .order_by(editions.c.id.desc())
        )
        with self._database.reading() as connection:
            return {paper: Shown(*where) for paper, *where in connection.execute(query)}

    def slots(self, reader_id: ReaderId, day: date) -> set[str]:
        """Return the slots that a reader's editions of a day have taken, alerts and skipped days too."""
        query = select(editions.c.slot).where(editions.c.reader_id == reader_id, editions.c.date == day)
        with self._database.reading() as connection:
            return set(connection.scalars(query))

    def picks_of(self, edition_id: EditionId) -> tuple[Pick, ...]:
        """Return an edition's picks in their order, each with its paper as it is known now."""
        query = select(picks).where(picks.c.edition_id == edition_id).order_by(picks.c.position)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
            known = load_papers(connection, [row.paper_id for row in rows])
        return tuple(_pick(row, known[row.paper_id]) for row in rows)

    def _read(self, query: AnySelect) -> list[StoredEdition]:
        with self._database.reading() as connection:
            return [_stored(row) for row in connection.execute(query)]


def _skipped_after(now: datetime) -> ColumnElement[bool]:
    return and_(editions.c.kind == EditionKind.SKIPPED, editions.c.composed_at > now)


def _kept() -> AnySelect:
    """Select what a ``StoredEdition`` is made of."""
    count = select(func.count()).where(picks.c.edition_id == editions.c.id).scalar_subquery()
    return select(editions, count.label("picks")).where(_DAILY)


def _stored(row: AnyRow) -> StoredEdition:
    return StoredEdition(
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


def _edition_row(edition: Edition, slot: str) -> dict[str, object]:
    return {
        "reader_id": edition.reader.id,
        "slot": slot,
        "date": edition.date,
        "composed_at": edition.composed_at,
        "considered": edition.considered,
        "watermark": edition.watermark,
        "quiet": edition.quiet.words if edition.quiet else None,
        "quiet_reason": edition.quiet.reason if edition.quiet else None,
        "kind": edition.kind,
        "missing": edition.missing,
    }


def _skipped(edition: Edition, day: date) -> Edition:
    quiet = Quiet(QuietReason.MISSED, f"missed; made up for by the edition of {edition.date}")
    return replace(
        edition, date=day, picks=(), considered=0, quiet=quiet, kind=EditionKind.SKIPPED, missing=()
    )


def _pick_rows(edition_id: EditionId, chosen: Sequence[Pick]) -> list[dict[str, object]]:
    return [
        {
            "edition_id": edition_id,
            "position": position,
            "paper_id": pick.paper.id,
            "kind": pick.kind,
            "probability": pick.probability,
            "reasons": [asdict(reason) for reason in pick.reasons],
            "summary": [asdict(sentence) for sentence in pick.summary],
            "because": pick.because,
            "followed": pick.followed,
        }
        for position, pick in enumerate(chosen, start=1)
    ]


def _outbox_row(edition_id: EditionId, edition: Edition, message: Message) -> dict[str, object]:
    reader = edition.reader
    return {
        "key": str(OutboxKey(str(edition_id), reader.id, reader.kind, message.part)),
        "edition_id": edition_id,
        "reader_id": reader.id,
        "kind": reader.kind,
        "part": message.part,
        "subject": message.subject,
        "date": edition.date,
        "body": message.body,
        "state": State.PENDING,
        "attempts": 0,
        "code": "",
        "detail": "",
        "created_at": edition.composed_at,
        "updated_at": edition.composed_at,
    }


def _pick(row: AnyRow, paper: Paper) -> Pick:
    return Pick(
        paper=paper,
        kind=row.kind,
        probability=row.probability,
        reasons=tuple(Reason(r["term"], r["weight"], ReasonKind(r["kind"])) for r in row.reasons),
        summary=tuple(_sentence(s) for s in row.summary),
        because=row.because,
        followed=row.followed,
    )


def _sentence(stored: dict[str, Any]) -> Sentence:
    role = stored["role"]
    return Sentence(stored["text"], Role(role) if role else None, tuple(stored["marks"]))
