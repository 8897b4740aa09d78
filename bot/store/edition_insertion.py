"""Insert editions with their slots, picks and messages: a batch of readers in a few statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, tuple_

from bot.domain import Edition, EditionKind, Message, QuietReason
from bot.store.engine import in_chunks, insert_new
from bot.store.outbox_insertion import insert_messages
from bot.store.pick_rows import SummaryIds, insert_picks
from bot.store.schema import editions


@dataclass(frozen=True, slots=True)
class NewEdition:
    """An edition to store: its slot, its messages, and the earlier days that it makes up for."""

    edition: Edition
    slot: str
    messages: Sequence[Message] = ()
    missed: Sequence[date] = ()


def insert_editions(
    connection: Connection, new: Sequence[NewEdition], summaries: SummaryIds
) -> list[list[int] | None]:
    """Insert editions and take their slots; return the ids of each one's messages, None where its slot was taken.

    ``summaries`` are the ids of their picks' summaries, which are stored already.
    """
    _delete_premature(connection, new)
    # The unique constraint on reader and slot decides which of several processes makes an edition. In the order of
    # readers: two processes with the same readers would otherwise wait for each other (a deadlock on PostgreSQL).
    ordered = sorted(range(len(new)), key=lambda number: (new[number].edition.reader.id, new[number].slot))
    insert = insert_new(connection, editions).returning(editions.c.reader_id, editions.c.slot, editions.c.id)
    rows = connection.execute(insert, [_edition_row(new[number]) for number in ordered])
    # ON CONFLICT leaves out rows, so that they can't be matched by their number.
    ids = {(reader_id, slot): edition_id for reader_id, slot, edition_id in rows}
    stored: list[tuple[int, int, NewEdition]] = []
    for number in ordered:
        # Popped: of two editions for one slot the first has it.
        edition_id = ids.pop((new[number].edition.reader.id, new[number].slot), None)
        if edition_id is not None:
            stored.append((number, edition_id, new[number]))
    # A missed day is a row of its own; otherwise it would be due again at the next look.
    missed = [_missed_row(draft, day) for _, _, draft in stored for day in draft.missed]
    if missed:
        connection.execute(insert_new(connection, editions), missed)
    shown = [(edition_id, draft.edition.picks) for _, edition_id, draft in stored]
    insert_picks(connection, shown, summaries)
    message_ids = insert_messages(
        connection, [(edition_id, draft.edition, draft.messages) for _, edition_id, draft in stored]
    )
    by_number = dict(zip((number for number, _, _ in stored), message_ids, strict=True))
    return [by_number.get(number) for number in range(len(new))]


def missed_after(now: datetime) -> ColumnElement[bool]:
    """Select the days that were missed at a time after ``now``: a clock ran ahead, and they are still to come."""
    return and_(editions.c.kind == EditionKind.MISSED, editions.c.composed_at > now)


def _delete_premature(connection: Connection, new: Sequence[NewEdition]) -> None:
    """Free the slots that a clock which ran ahead has taken as missed days; see ``Editions.last_days``."""
    slots_by_time: dict[datetime, list[tuple[int, str]]] = {}
    for draft in new:
        slots = slots_by_time.setdefault(draft.edition.composed_at, [])
        slots.append((draft.edition.reader.id, draft.slot))
    for composed_at, slots in slots_by_time.items():
        for chunk in in_chunks(slots):
            of_slots = tuple_(editions.c.reader_id, editions.c.slot).in_(chunk)
            connection.execute(delete(editions).where(of_slots, missed_after(composed_at)))


def _edition_row(new: NewEdition) -> dict[str, object]:
    edition = new.edition
    return {
        "reader_id": edition.reader.id,
        "slot": new.slot,
        "date": edition.date,
        "composed_at": edition.composed_at,
        "considered": edition.considered,
        "watermark": edition.watermark,
        "quiet": edition.quiet.words if edition.quiet else None,
        "quiet_reason": edition.quiet.reason if edition.quiet else None,
        "kind": edition.kind,
        "missing": edition.missing,
    }


def _missed_row(new: NewEdition, day: date) -> dict[str, object]:
    return _edition_row(new) | {
        "slot": day.isoformat(),
        "date": day,
        "kind": EditionKind.MISSED,
        "considered": 0,
        "quiet": f"missed; made up for by the edition of {new.edition.date}",
        "quiet_reason": QuietReason.MISSED,
        "missing": (),
    }
