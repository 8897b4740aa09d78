"""Editions with their picks, catch-up editions, and readers who may be due.

One transaction stores an edition and its messages (transactional outbox). Readers share the sentences of a summary. The
JSON omits default values.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date, datetime
from hashlib import blake2b
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, insert, or_, select, tuple_

from bot.model import (
    CatchUp,
    Edition,
    EditionId,
    EditionKind,
    FollowUp,
    FollowUpKind,
    Message,
    PaperId,
    Pick,
    PickKind,
    Quiet,
    QuietReason,
    Reader,
    ReaderId,
    Reason,
    ReasonKind,
    Role,
    Sentence,
    TopicGroup,
)
from bot.store.engine import Aggregate, AnyRow, AnySelect, from_row, in_chunks, insert_new, replace_rows, row_of
from bot.store.outbox import insert_messages
from bot.store.paper_rows import load_papers
from bot.store.readers import EVERYONE, IdRange, present, reader_of
from bot.store.schema import (
    alert_marks,
    catch_ups,
    edition_waits,
    editions,
    overrides,
    picks,
    readers,
    summaries,
    visits,
)

# Of log-odds: full precision would take a third of a pick's bytes.
_DECIMALS = 4
# Stored summaries may name other roles, of earlier commits.
_ROLES = {role.value: role for role in Role}
_Summary = tuple[Sentence, ...]
_SummaryIds = Mapping[tuple[PaperId, str, _Summary], int]  # by paper, line, and the summary with its marks


@dataclass(frozen=True, slots=True)
class NewEdition:
    """An edition with its slot, its messages, and the missed days that it replaces."""

    edition: Edition
    slot: str
    messages: Sequence[Message] = ()
    missed: Sequence[date] = ()


@dataclass(frozen=True, slots=True)
class StoredEdition:
    """An edition with the number of its picks."""

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
    closest: tuple[PaperId, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """The first place of a paper in a reader's editions. ``position`` counts from 1."""

    edition: EditionId
    position: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Prediction:
    """The experts' predictions of a pick. ``log_odds`` as in ``Pick.predictions``."""

    edition: EditionId
    paper: PaperId
    at: datetime
    log_odds: Sequence[float]


_IS_DAILY = editions.c.kind.in_((EditionKind.EDITION, EditionKind.CATCH_UP))
_TAKES_A_DAY = editions.c.kind.in_((EditionKind.EDITION, EditionKind.MISSED))


class Editions(Aggregate):
    """Editions, alerts, letters and missed days, at most one for each reader and slot."""

    def save(self, edition: Edition, slot: str, messages: Sequence[Message], missed: Sequence[date] = ()) -> bool:
        return self.save_all([NewEdition(edition, slot, messages, missed)])[0]

    def save_all(self, new: Sequence[NewEdition]) -> list[bool]:
        """Store editions with their messages, and return which were stored.

        Leaves out taken slots and deleted readers. Raises DeletedError for a deleted paper.
        """
        if not new:
            return []
        picks = [pick for draft in new for pick in draft.edition.picks]
        # Apart, or another process with the same summary would wait for the whole batch.
        with self._database.writing(durable=False) as connection:
            ids = _summary_ids(connection, picks)
        with self._database.writing() as connection:
            return _insert_editions(connection, new, ids)

    def last(self, reader_id: ReaderId, before: datetime | None = None) -> StoredEdition | None:
        # By id, because clocks differ.
        query = _stored_editions().where(editions.c.reader_id == reader_id)
        query = query.order_by(editions.c.id.desc()).limit(1)
        if before is not None:
            query = query.where(editions.c.composed_at < before)
        return next(iter(self._read(query)), None)

    def last_with_picks(self, reader_id: ReaderId) -> StoredEdition | None:
        return self.last_with_picks_by_reader([reader_id]).get(reader_id)

    def last_with_picks_by_reader(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredEdition]:
        return self._last_by_reader(reader_ids, exists().where(picks.c.edition_id == editions.c.id))

    def last_by_reader(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredEdition]:
        return self._last_by_reader(reader_ids)

    def _last_by_reader(
        self, reader_ids: Sequence[ReaderId], *conditions: ColumnElement[bool]
    ) -> dict[ReaderId, StoredEdition]:
        # Stops at the first match in the index. max(id) would read all editions of a reader.
        newest = (
            select(editions.c.id)
            .where(editions.c.reader_id == readers.c.id, _IS_DAILY, *conditions)
            .order_by(editions.c.id.desc())
            .limit(1)
            .correlate(readers)
            .scalar_subquery()
        )
        return {
            edition.reader_id: edition
            for chunk in in_chunks(reader_ids)
            for edition in self._read(
                _stored_editions().where(editions.c.id.in_(select(newest).where(readers.c.id.in_(chunk))))
            )
        }

    def last_days(self, reader_ids: Sequence[ReaderId], upto: date, now: datetime) -> dict[ReaderId, date]:
        """Return each reader's newest taken day up to ``upto``."""
        newest = (
            select(editions.c.date)
            .where(editions.c.reader_id == readers.c.id, _TAKES_A_DAY, editions.c.date <= upto, ~_missed_after(now))
            .order_by(editions.c.composed_at.desc(), editions.c.date.desc())
            .limit(1)
            .scalar_subquery()
        )
        rows = self._rows_in(select(readers.c.id, newest), readers.c.id, reader_ids)
        return {reader_id: day for reader_id, day in rows if day is not None}

    def alerts_on(self, reader_id: ReaderId, day: date) -> int:
        is_alert = (editions.c.reader_id == reader_id) & (editions.c.kind == EditionKind.ALERT)
        return self._scalar(select(func.count()).where(is_alert, editions.c.date == day)) or 0

    def newest_id(self) -> EditionId:
        return self._scalar(select(func.max(editions.c.id))) or 0

    def newest_composed(self) -> datetime | None:
        return self._scalar(select(func.max(editions.c.composed_at)))

    def of_reader(self, reader_id: ReaderId) -> list[StoredEdition]:
        query = _stored_editions().where(editions.c.reader_id == reader_id)
        return self._read(query.order_by(editions.c.id.desc()))

    def last_reader_shown(self, reader_ids: Collection[ReaderId], paper_id: PaperId) -> ReaderId | None:
        query = (
            select(editions.c.reader_id)
            .join(picks)
            .where(editions.c.reader_id.in_(reader_ids), picks.c.paper_id == paper_id)
            .order_by(editions.c.id.desc())
            .limit(1)
        )
        return self._scalar(query)

    def shown(self, reader_id: ReaderId) -> dict[PaperId, Shown]:
        query = _select_picks(reader_id, picks.c.paper_id, editions.c.id, picks.c.position, editions.c.composed_at)
        # Newest first: the oldest row of a paper is written last.
        rows = self._rows(query.order_by(editions.c.id.desc()))
        return {paper_id: Shown(*place) for paper_id, *place in rows}

    def probabilities(self, reader_id: ReaderId, since: datetime) -> dict[PaperId, float]:
        query = _select_picks(reader_id, picks.c.paper_id, picks.c.probability)
        return dict(self._rows(query.where(editions.c.composed_at >= since).order_by(editions.c.id)))

    def predictions(self, reader_id: ReaderId, newest: int) -> list[Prediction]:
        """Return the experts' predictions of the last ``newest`` picks, oldest first."""
        query = _select_picks(reader_id, editions.c.id, picks.c.paper_id, editions.c.composed_at, picks.c.predictions)
        rows = self._rows(query.order_by(editions.c.id.desc(), picks.c.position).limit(newest))
        return [Prediction(*row) for row in reversed(rows) if row.predictions]

    def pick_kind(self, reader_id: ReaderId, paper_id: PaperId) -> PickKind | None:
        query = _select_picks(reader_id, picks.c.kind).where(picks.c.paper_id == paper_id)
        return self._scalar(query.order_by(editions.c.id.desc()).limit(1))

    def slots(self, reader_id: ReaderId, day: date) -> set[str]:
        """Return the taken slots of a day, including alerts and missed days."""
        query = select(editions.c.slot).where(editions.c.reader_id == reader_id, editions.c.date == day)
        return {row.slot for row in self._rows(query)}

    def picks_of(self, edition_id: EditionId) -> tuple[Pick, ...]:
        query = select(picks, summaries.c.sentences, summaries.c.line).outerjoin(summaries)
        with self._database.reading() as connection:
            rows = connection.execute(query.where(picks.c.edition_id == edition_id).order_by(picks.c.position)).all()
            papers = load_papers(connection, [row.paper_id for row in rows])
        read = []
        for row in rows:
            sentences = []
            for stored, marks in zip(row.sentences or (), row.marks, strict=True):
                role = _ROLES.get(stored.get("role"))
                sentences.append(Sentence(**stored | {"role": role, "marks": tuple(marks)}))
            others = {
                "paper": papers[row.paper_id],
                "reasons": tuple(Reason(**reason | {"kind": ReasonKind(reason["kind"])}) for reason in row.reasons),
                "summary": tuple(sentences),
                "line": row.line or "",
            }
            read.append(from_row(Pick, row, **others))
        return tuple(read)

    def follow_ups_of(self, edition_id: EditionId) -> tuple[FollowUp, ...]:
        query = select(editions.c.follow_ups).where(editions.c.id == edition_id)
        with self._database.reading() as connection:
            rows = connection.scalar(query) or ()
            papers = load_papers(connection, [row[name] for row in rows for name in ("liked", "paper") if row[name]])
        return tuple(
            FollowUp(
                FollowUpKind(row["kind"]), papers[row["liked"]], row["text"], row["before"], papers.get(row["paper"])
            )
            for row in rows
            if row["liked"] in papers and (row["paper"] is None or row["paper"] in papers)
        )

    def last_picks_at(self, reader_id: ReaderId, before: datetime) -> datetime | None:
        query = _select_picks(reader_id, func.max(editions.c.composed_at))
        return self._scalar(query.where(editions.c.composed_at < before, _IS_DAILY))

    def _read(self, query: AnySelect) -> list[StoredEdition]:
        return [
            from_row(StoredEdition, row, quiet=Quiet(row.quiet_reason, row.quiet) if row.quiet_reason else None)
            for row in self._rows(query)
        ]


def _stored_editions() -> AnySelect:
    count = select(func.count()).where(picks.c.edition_id == editions.c.id).scalar_subquery()
    return select(editions, count.label("picks")).where(_IS_DAILY)


def _insert_editions(connection: Connection, new: Sequence[NewEdition], summary_ids: _SummaryIds) -> list[bool]:
    readers_left = present(connection, (draft.edition.reader.id for draft in new))
    slots = [(draft.edition.reader.id, draft.slot) for draft in new]
    now = max(draft.edition.composed_at for draft in new)
    # A clock that ran ahead may have taken these slots.
    for chunk in in_chunks(slots):
        of_slots = tuple_(editions.c.reader_id, editions.c.slot).in_(chunk)
        connection.execute(delete(editions).where(of_slots, _missed_after(now)))
    # The unique constraint decides which process makes an edition. The order prevents deadlocks on PostgreSQL.
    ordered = sorted((n for n in range(len(new)) if slots[n][0] in readers_left), key=slots.__getitem__)
    if not ordered:
        return [False] * len(new)
    new_rows = insert_new(connection, editions).returning(editions.c.reader_id, editions.c.slot, editions.c.id)
    rows = connection.execute(new_rows, [_edition_row(new[number]) for number in ordered])
    ids = {(reader_id, slot): edition_id for reader_id, slot, edition_id in rows}
    ids_by_number = {number: ids.pop(slots[number]) for number in ordered if slots[number] in ids}
    stored = [(edition_id, new[number]) for number, edition_id in ids_by_number.items()]
    missed = []
    covered = []
    for edition_id, draft in stored:
        edition = draft.edition
        quiet = Quiet(QuietReason.MISSED, f"missed; made up for by the edition of {edition.date}")
        for day in draft.missed:
            gap = Edition(
                edition.reader, "", day, edition.composed_at, (), 0, edition.watermark, quiet, EditionKind.MISSED
            )
            missed.append(_edition_row(NewEdition(gap, day.isoformat())))
        if edition.catch_up:
            row = asdict(edition.catch_up) | {"edition_id": edition_id, "reader_id": edition.reader.id}
            row["topics"] = [list(group.values()) for group in row.pop("groups")]
            covered.append(row)
    if missed:
        connection.execute(insert_new(connection, editions), missed)
    _insert_picks(connection, stored, summary_ids)
    if covered:
        connection.execute(insert(catch_ups), covered)
    insert_messages(connection, [(edition_id, draft.edition, draft.messages) for edition_id, draft in stored])
    return [number in ids_by_number for number in range(len(new))]


def _edition_row(new: NewEdition) -> dict[str, object]:
    edition = new.edition
    follow_ups = [
        {
            "kind": follow_up.kind,
            "liked": follow_up.liked.id,
            "text": follow_up.text,
            "before": follow_up.before,
            "paper": follow_up.paper.id if follow_up.paper else None,
        }
        for follow_up in edition.follow_ups
    ]
    return row_of(
        editions,
        edition,
        reader_id=edition.reader.id,
        slot=new.slot,
        quiet=edition.quiet.words if edition.quiet else None,
        quiet_reason=edition.quiet.reason if edition.quiet else None,
        closest=[paper.id for paper in edition.closest],
        follow_ups=follow_ups,
    )


def _missed_after(now: datetime) -> ColumnElement[bool]:
    return and_(editions.c.kind == EditionKind.MISSED, editions.c.composed_at > now)


def _insert_picks(
    connection: Connection, stored: Sequence[tuple[EditionId, NewEdition]], summary_ids: _SummaryIds
) -> None:
    rows = [
        row_of(
            picks,
            pick,
            edition_id=edition_id,
            position=position,
            paper_id=pick.paper.id,
            reasons=[_differing(replace(reason, weight=round(reason.weight, _DECIMALS))) for reason in pick.reasons],
            summary_id=summary_ids.get((pick.paper.id, pick.line, pick.summary)),
            marks=[sentence.marks for sentence in pick.summary],
            predictions=[round(log_odds, _DECIMALS) for log_odds in pick.predictions],
        )
        for edition_id, draft in stored
        for position, pick in enumerate(draft.edition.picks, start=1)
    ]
    if rows:
        connection.execute(insert(picks), rows)


def _summary_ids(connection: Connection, chosen: Sequence[Pick]) -> _SummaryIds:
    digests: dict[tuple[PaperId, str, _Summary], str] = {}
    rows: dict[tuple[PaperId, str], dict[str, Any]] = {}
    for pick in chosen:
        key = (pick.paper.id, pick.line, pick.summary)
        if key in digests or not (pick.line or pick.summary):
            continue
        sentences = [_differing(replace(s, marks=())) for s in pick.summary]
        digest = blake2b(json.dumps([pick.line, *sentences]).encode(), digest_size=12).hexdigest()
        digests[key] = digest
        row = {"paper_id": pick.paper.id, "digest": digest, "sentences": sentences, "line": pick.line}
        rows[pick.paper.id, digest] = row
    if rows:
        # In order, against deadlocks on PostgreSQL.
        connection.execute(insert_new(connection, summaries), [rows[key] for key in sorted(rows)])
    ids: dict[tuple[PaperId, str], int] = {}
    for chunk in in_chunks(sorted({digest for _, digest in rows})):
        query = select(summaries.c.paper_id, summaries.c.digest, summaries.c.id)
        for paper_id, digest, summary_id in connection.execute(query.where(summaries.c.digest.in_(chunk))):
            ids[paper_id, digest] = summary_id
    return {key: ids[key[0], digest] for key, digest in digests.items()}


def _differing(value: Reason | Sentence) -> dict[str, Any]:
    """Return the values that differ from their defaults."""
    return {field.name: held for field in fields(value) if (held := getattr(value, field.name)) != field.default}


class AlertMarks(Aggregate):
    """The highest paper id checked for each reader's alerts."""

    def get(self, reader_id: ReaderId) -> PaperId | None:
        return self._scalar(select(alert_marks.c.watermark).where(alert_marks.c.reader_id == reader_id))

    def move(self, reader_id: ReaderId, watermark: PaperId) -> None:
        with self._database.writing() as connection:
            replace_rows(connection, alert_marks, [{"reader_id": reader_id, "watermark": watermark}])


class EditionWaits(Aggregate):
    """The waits of due slots, at most one for each reader."""

    def since(self, slots: Mapping[ReaderId, str], now: datetime) -> dict[ReaderId, datetime]:
        """Return when each slot began to wait: at its first call."""
        started: dict[ReaderId, datetime] = {}
        with self._database.writing(durable=False) as connection:
            for chunk in in_chunks(list(slots)):
                of_chunk = edition_waits.c.reader_id.in_(chunk)
                rows = connection.execute(select(edition_waits).where(of_chunk)).all()
                started |= {row.reader_id: row.since for row in rows if row.slot == slots[row.reader_id]}
                waiting = present(connection, (reader_id for reader_id in chunk if reader_id not in started))
                new = [{"reader_id": i, "slot": slots[i], "since": now} for i in sorted(waiting)]
                replace_rows(connection, edition_waits, new)
        return {reader_id: started.get(reader_id, now) for reader_id in slots}


_WINDOW = 400  # readers


class ActiveReaders(Aggregate):
    """Active readers of a profile who may be due, page by page (keyset pagination). Callers check again."""

    def all(self, profile: str, ids: IdRange = EVERYONE) -> Iterator[list[Reader]]:
        return self._pages(profile, ids, None)

    def without_edition(
        self, profile: str, day: date, today: date, now: datetime, ids: IdRange = EVERYONE
    ) -> Iterator[list[Reader]]:
        """Yield pages of readers whose slot may be free: ``day``, or ``today`` for those with their own schedule.

        Includes all readers with their own time zone.
        """
        own = exists().where(overrides.c.reader_id == readers.c.id)
        has_own_schedule = own.where(or_(overrides.c.at.is_not(None), overrides.c.days.is_not(None)))
        is_free = ~_has_slot(day, now)
        if day != today:
            is_free = or_(is_free & ~has_own_schedule, ~_has_slot(today, now) & has_own_schedule)
        return self._pages(profile, ids, or_(is_free, own.where(overrides.c.timezone.is_not(None))))

    def without_slot(self, profile: str, slot: str, ids: IdRange = EVERYONE) -> Iterator[list[Reader]]:
        has_slot = exists().where(editions.c.reader_id == readers.c.id, editions.c.slot == slot)
        return self._pages(profile, ids, ~has_slot)

    def with_unchecked_papers(self, profile: str, newest: PaperId, ids: IdRange = EVERYONE) -> Iterator[list[Reader]]:
        is_checked = exists().where(alert_marks.c.reader_id == readers.c.id, alert_marks.c.watermark == newest)
        return self._pages(profile, ids, ~is_checked)

    def _pages(self, profile: str, ids: IdRange, condition: ColumnElement[bool] | None) -> Iterator[list[Reader]]:
        is_active = (readers.c.profile == profile) & readers.c.stopped.is_(None)
        if ids.last is not None:
            is_active &= readers.c.id <= ids.last
        after = ids.first - 1
        while True:
            # With a limit instead of a window of ids, each query would scan all readers who have their edition.
            window = select(readers.c.id).where(is_active, readers.c.id > after)
            page_ids = window.order_by(readers.c.id).limit(_WINDOW).subquery()
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
    return exists().where(is_slot, ~_missed_after(now))


def _select_picks(reader_id: ReaderId, *columns: ColumnElement[Any]) -> AnySelect:
    return select(*columns).select_from(picks).join(editions).where(editions.c.reader_id == reader_id)


class CatchUps(Aggregate):
    """The ranges of catch-up editions. ``upto`` is as of ``until`` if given."""

    def get(self, edition_id: EditionId) -> CatchUp | None:
        rows = self._rows(select(catch_ups).where(catch_ups.c.edition_id == edition_id))
        return next(map(_catch_up, rows), None)

    def of_reader(self, reader_id: ReaderId) -> list[tuple[EditionId, date, CatchUp]]:
        query = select(catch_ups, editions.c.date).join(editions).where(catch_ups.c.reader_id == reader_id)
        rows = self._rows(query.order_by(catch_ups.c.edition_id.desc()))
        return [(row.edition_id, row.date, _catch_up(row)) for row in rows]

    def upto(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, PaperId]:
        query = select(catch_ups.c.reader_id, func.max(catch_ups.c.upto)).group_by(catch_ups.c.reader_id)
        if self._until is not None:
            query = query.join(editions).where(editions.c.composed_at < self._until)
        return dict(self._rows_in(query, catch_ups.c.reader_id, reader_ids))

    def last_days(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, date]:
        query = select(catch_ups.c.reader_id, func.max(editions.c.date)).join(editions).group_by(catch_ups.c.reader_id)
        return dict(self._rows_in(query, catch_ups.c.reader_id, reader_ids))

    def shown_before(self, reader_id: ReaderId, time: datetime) -> set[PaperId]:
        is_before = editions.c.composed_at < time
        query = _select_picks(reader_id, picks.c.paper_id).where(is_before | (editions.c.kind == EditionKind.CATCH_UP))
        return {row.paper_id for row in self._rows(query)}


class Visits(Aggregate):
    """The last local day on which each reader opened a link."""

    def note(self, reader_id: ReaderId, day: date) -> None:
        if self.last([reader_id]).get(reader_id, date.min) < day:
            with self._database.writing(durable=False) as connection:
                replace_rows(connection, visits, [{"reader_id": reader_id, "day": day}])

    def last(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, date]:
        return {row.reader_id: row.day for row in self._rows_in(select(visits), visits.c.reader_id, reader_ids)}


def _catch_up(row: AnyRow) -> CatchUp:
    groups = tuple(TopicGroup(name, papers, tuple(shown)) for name, papers, shown in row.topics)
    return from_row(CatchUp, row, groups=groups, skipped=tuple(map(tuple, row.skipped)))
