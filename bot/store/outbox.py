"""The transactional outbox: messages to send, queued in the transaction that stores their edition.

    pending -> claimed -> data_started -> sent | failed | retry | unknown; retry -> claimed
    claimed -> cancelled if the reader has stopped; claimed -> retry if it was not attempted
    held -> pending once the first message of its thread is sent; held -> cancelled with that message
    failed | unknown -> pending at the operator's request

Delivery is at most once, or marked ``unknown``. A claim has a lease and a fencing token, which each update names.
After its lease, a started message becomes ``unknown``, and others may be claimed again. Leases also end with their
process. No transaction is open during a transfer. Calls retry while PostgreSQL restarts.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from hashlib import sha256
from itertools import chain, repeat
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, Update, bindparam, delete, exists, func, insert, or_, select, update

from bot.model import Delivery, Edition, EditionId, Kind, Message, OutboxKey, ReaderId, State
from bot.model.clock import FAR
from bot.model.errors import StoreConnectionLostError
from bot.store.engine import Aggregate, AnyRow, Database, from_row, insert_new
from bot.store.readers import reader_of
from bot.store.schema import outbox, outbox_bodies, readers

R = TypeVar("R")

# Seconds between attempts after a lost connection. PostgreSQL restarts in two, and a worker's task has 25.
_PAUSES = (0, 0.2, 0.5, 1, 2, 4, 6)
_TROUBLED = (State.FAILED, State.RETRY, State.UNKNOWN)
_READER = (readers.c.profile, readers.c.address, readers.c.stopped, readers.c.stop_detail, readers.c.origin)
_REPLY = outbox.alias()
_HAS_HELD_REPLIES = exists().where(_REPLY.c.edition_id == outbox.c.edition_id, _REPLY.c.state == State.HELD)
_DELIVERIES = (
    select(outbox, outbox_bodies.c.body, _HAS_HELD_REPLIES.label("has_replies"), *_READER)
    .select_from(outbox)
    .join(readers)
    .join(outbox_bodies)
)


def _update_claimed(*states: State) -> Update:
    return update(outbox).where(
        outbox.c.id == bindparam("row_id"),
        outbox.c.token == bindparam("row_token"),
        or_(*(outbox.c.state == state for state in states)),
    )


# Built once: SQLAlchemy takes longer to build a statement than to execute it.
_SETTLE = _update_claimed(State.CLAIMED, State.DATA_STARTED, State.UNKNOWN)
_RELEASE = _update_claimed(State.CLAIMED).values(attempts=outbox.c.attempts - 1)
# A confirmation mail's reader isn't subscribed yet.
_HAS_STOPPED = outbox.c.edition_id.is_not(None) & exists().where(
    readers.c.id == outbox.c.reader_id, readers.c.stopped.is_not(None)
)
_HAS_LEASE = outbox.c.lease_until > bindparam("now")
_START = _update_claimed(State.CLAIMED).where(_HAS_LEASE, ~_HAS_STOPPED)
_START_AGAIN = _update_claimed(State.CLAIMED, State.DATA_STARTED).where(_HAS_LEASE, ~_HAS_STOPPED)
_CANCEL = _update_claimed(State.CLAIMED).where(_HAS_LEASE, _HAS_STOPPED)
_IS_CLAIMED = outbox.c.state.in_((State.CLAIMED, State.DATA_STARTED))
_END_LEASE = _update_claimed(State.CLAIMED, State.DATA_STARTED).values(lease_until=bindparam("ended"))
_FIRST = outbox.alias()
_HELD_REPLIES = update(outbox).where(
    outbox.c.state == State.HELD,
    outbox.c.edition_id == select(_FIRST.c.edition_id).where(_FIRST.c.id == bindparam("row_id")).scalar_subquery(),
)
_DELETE_BODY = delete(outbox_bodies).where(outbox_bodies.c.outbox_id == bindparam("row_id"))


@dataclass(frozen=True, slots=True)
class UndeliveredMessage:
    """A message that did not arrive, or may not have. ``reader`` is a name."""

    id: int
    reader: str
    kind: Kind
    state: State
    code: str
    detail: str
    subject: str
    date: date
    attempts: int
    not_before: datetime | None


class Claims(NamedTuple):
    """The messages that workers hold, the last end of a lease, and the messages of ended leases."""

    number: int
    until: datetime | None
    expired: int


class Outbox(Aggregate):
    """The queue of messages."""

    def __init__(self, database: Database, sleep: Callable[[float], None] = time.sleep) -> None:
        super().__init__(database)
        self._sleep = sleep

    def put_without_edition(self, message: Message, key: OutboxKey, now: datetime) -> None:
        with self._database.writing() as connection:
            insert_message(connection, message, key, now)

    def last_queued(self, reader_id: ReaderId, slot: str) -> datetime | None:
        """Return when the last message to a reader was queued whose slot begins with ``slot``."""
        of_slot = (outbox.c.reader_id == reader_id) & outbox.c.key.startswith(slot, autoescape=True)
        return self._scalar(select(func.max(outbox.c.created_at)).where(of_slot))

    def claim(self, kind: Kind, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Claim up to ``limit`` due messages of a channel for the time of ``lease``.

        Expired claims come first, then due retries, then new messages, oldest first.
        """

        def claim(connection: Connection) -> list[Delivery]:
            _expire(connection, now)
            due: list[AnyRow] = []
            # Each query walks an index. A joint one would scan all rows.
            for is_due in (
                (outbox.c.state == State.CLAIMED) & _has_passed(outbox.c.lease_until, now),
                (outbox.c.state == State.RETRY) & _has_passed(outbox.c.not_before, now),
                outbox.c.state == State.PENDING,
            ):
                if len(due) < limit:
                    query = _DELIVERIES.where(outbox.c.kind == kind, is_due).order_by(outbox.c.id)
                    query = query.limit(limit - len(due)).with_for_update(skip_locked=True, of=outbox)
                    due += connection.execute(query)
            rows = [(row, new_token()) for row in due]
            if rows:
                claimed = update(outbox).where(outbox.c.id == bindparam("row_id"))
                claimed = claimed.values(token=bindparam("new_token"), attempts=outbox.c.attempts + 1)
                claimed = claimed.values(state=State.CLAIMED, lease_until=now + lease, not_before=None, updated_at=now)
                connection.execute(claimed, [{"row_id": row.id, "new_token": token} for row, token in rows])
            return [_delivery(row, token) for row, token in rows]

        return self._commit(claim, durable=False)

    def expire(self, now: datetime) -> int:
        """End the leases of dead processes, mark started messages without a lease ``unknown``, and count them."""
        rows = self._rows(select(outbox.c.id, outbox.c.token).where(_IS_CLAIMED))
        dead = [{"row_id": row.id, "row_token": row.token, "ended": now} for row in rows if has_died(row.token)]
        with self._database.writing() as connection:
            if dead:
                connection.execute(_END_LEASE, dead)
            return _expire(connection, now)

    def start_data(self, delivery: Delivery, now: datetime, lease: timedelta) -> bool:
        """Record that sending starts, and renew the lease. Send the body only if this returns True.

        False: the claim was lost, or the reader has stopped, which cancels a message of an edition.
        """
        claim = _claim_values(delivery, now) | {"now": now}
        started = {"state": State.DATA_STARTED, "lease_until": now + lease}
        cancelled = {"state": State.CANCELLED, "detail": "the reader has stopped", "updated_at": now}
        # Nothing is sent before the commit, so a start without an answer may be repeated.
        statements = chain([_START], repeat(_START_AGAIN))

        def start(connection: Connection) -> bool:
            if connection.execute(next(statements), claim | started).rowcount == 1:
                return True
            if connection.execute(_CANCEL, claim | cancelled | {"token": None}).rowcount == 1:
                held = _HELD_REPLIES.returning(outbox.c.id)
                replies = connection.scalars(held, {"row_id": delivery.id, **cancelled}).all()
                settled = [delivery.id, *replies]
                connection.execute(_DELETE_BODY, [{"row_id": row_id} for row_id in settled])
            return False

        # Durable, or a power failure would send the message again.
        return self._commit(start, durable=True)

    def record_sent(self, delivery: Delivery, receipt: str, now: datetime) -> bool:
        """Record that a message was sent, and post its replies. Returns False if the claim was lost."""
        sent = {"state": State.SENT, "token": None, "code": "", "detail": receipt}

        def record(connection: Connection) -> bool:
            if connection.execute(_SETTLE, _claim_values(delivery, now) | sent).rowcount != 1:
                return False
            connection.execute(_DELETE_BODY, {"row_id": delivery.id})
            if delivery.has_replies:
                _post_replies(connection, delivery.id, receipt, now)
            return True

        return self._commit(record, durable=False)

    def finish(self, delivery: Delivery, state: State, now: datetime, code: str = "", detail: str = "") -> bool:
        return self._settle(_SETTLE, delivery, now, state=state, code=code, detail=detail)

    def retry(
        self, delivery: Delivery, not_before: datetime, code: str, detail: str, now: datetime, *, counted: bool = True
    ) -> bool:
        """Schedule another attempt at a message that was not accepted, or return False if the claim was lost."""
        settle = _SETTLE if counted else _SETTLE.values(attempts=outbox.c.attempts - 1)
        return self._settle(settle, delivery, now, state=State.RETRY, not_before=not_before, code=code, detail=detail)

    def release(self, deliveries: Sequence[Delivery], not_before: datetime | None, now: datetime) -> None:
        """Undo claims. Their messages are due at ``not_before``, or at once."""
        released = {
            "state": State.RETRY if not_before else State.PENDING,
            "token": None,
            "not_before": not_before,
            "detail": "waits its turn",
        }
        with self._database.writing(durable=False) as connection:
            connection.execute(_RELEASE, [_claim_values(delivery, now) | released for delivery in deliveries])

    def waiting(self, kind: Kind) -> int:
        query = select(func.count()).where(outbox.c.kind == kind, outbox.c.state.in_((State.PENDING, State.RETRY)))
        return self._scalar(query) or 0

    def next_due(self, kind: Kind) -> datetime | None:
        query = select(func.min(outbox.c.not_before))
        query = query.where(outbox.c.state == State.RETRY, outbox.c.kind == kind)
        return self._scalar(query)

    def in_state(self, state: State) -> list[Delivery]:
        rows = self._rows(_DELIVERIES.where(outbox.c.state == state).order_by(outbox.c.id))
        return [_delivery(row, "") for row in rows]

    def unanswered_lists(self, kind: Kind, since: datetime) -> list[Delivery]:
        query = _DELIVERIES.where(outbox.c.state == State.UNKNOWN, outbox.c.kind == kind, _HAS_HELD_REPLIES)
        return [_delivery(row, "") for row in self._rows(query.where(outbox.c.updated_at > since))]

    def mark_arrived(self, delivery_id: int, detail: str, now: datetime) -> bool:
        """Record that an unknown message has arrived, and post its replies, or return False."""
        sent = {"state": State.SENT, "detail": detail, "updated_at": now}
        with self._database.writing() as connection:
            has_arrived = _overrule(connection, delivery_id, [State.UNKNOWN], **sent)
            if has_arrived:
                _post_replies(connection, delivery_id, detail, now)
        return has_arrived

    def requeue(self, delivery_id: int, now: datetime) -> bool:
        states = [State.UNKNOWN, State.FAILED, State.RETRY]
        pending = {"state": State.PENDING, "detail": "", "attempts": 0, "not_before": None}
        with self._database.writing() as connection:
            return _overrule(connection, delivery_id, states, updated_at=now, **pending)

    def counts(self) -> dict[State, int]:
        query = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        return dict.fromkeys(State, 0) | dict(self._rows(query))

    def oldest_unsent(self, kinds: Collection[Kind]) -> datetime | None:
        oldest = [
            select(outbox.c.created_at)
            .where(outbox.c.state == State.PENDING, outbox.c.kind == kind)
            .order_by(outbox.c.id)
            .limit(1)
            for kind in kinds
        ]
        return min((time for query in oldest if (time := self._scalar(query))), default=None)

    def claims(self, now: datetime) -> Claims:
        until = outbox.c.lease_until
        query = select(func.count(), func.max(until), func.count().filter(until < now)).where(_IS_CLAIMED)
        return Claims(*self._rows(query)[0])

    def problems(self, limit: int, since: datetime | None = None) -> list[UndeliveredMessage]:
        query = select(outbox, *_READER).join(readers).where(outbox.c.state.in_(_TROUBLED))
        query = query.order_by(outbox.c.id.desc()).limit(limit)
        if since is not None:
            query = query.where(outbox.c.updated_at > since)
        return [
            from_row(UndeliveredMessage, row, reader=reader_of(row, row.reader_id).name) for row in self._rows(query)
        ]

    def last_sent(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, datetime]:
        query = select(outbox.c.reader_id, func.max(outbox.c.updated_at)).where(outbox.c.state == State.SENT)
        query = query.group_by(outbox.c.reader_id)
        return dict(self._rows_in(query, outbox.c.reader_id, reader_ids))

    def others_were_accepted(self, delivery: Delivery) -> bool:
        made = select(outbox.c.created_at).where(outbox.c.id == delivery.id).scalar_subquery()
        others = (outbox.c.kind == delivery.key.kind) & (outbox.c.reader_id != delivery.reader.id)
        query = select(exists().where(others, outbox.c.state == State.SENT, outbox.c.updated_at >= made))
        return bool(self._scalar(query))

    def states_of(self, delivery_ids: Collection[int]) -> list[State]:
        return [row.state for row in self._rows_in(select(outbox.c.state), outbox.c.id, delivery_ids)]

    def states(self, edition_ids: Collection[EditionId]) -> dict[EditionId, tuple[State, ...]]:
        states: dict[EditionId, tuple[State, ...]] = {}
        query = select(outbox.c.edition_id, outbox.c.state).order_by(outbox.c.part)
        for edition_id, state in self._rows_in(query, outbox.c.edition_id, edition_ids):
            states[edition_id] = (*states.get(edition_id, ()), state)
        return states

    def _settle(self, settle: Update, delivery: Delivery, now: datetime, **values: object) -> bool:
        values |= {**_claim_values(delivery, now), "token": None}
        return self._commit(lambda connection: connection.execute(settle, values).rowcount == 1, durable=False)

    def _commit(self, change: Callable[[Connection], R], *, durable: bool) -> R:
        """Apply a change in a transaction, again while the server is gone. The lost one may be committed."""
        for pause in _PAUSES:
            try:
                with self._database.writing(durable=durable) as connection:
                    return change(connection)
            except StoreConnectionLostError:
                self._sleep(pause)
        with self._database.writing(durable=durable) as connection:
            return change(connection)


def _claim_values(delivery: Delivery, now: datetime) -> dict[str, object]:
    return {"row_id": delivery.id, "row_token": delivery.token, "updated_at": now}


def _has_passed(moment: ColumnElement[datetime | None], now: datetime) -> ColumnElement[bool]:
    return or_(moment <= now, moment > now + FAR)


def _post_replies(connection: Connection, first_id: int, receipt: str, now: datetime) -> None:
    connection.execute(
        _HELD_REPLIES, {"row_id": first_id, "state": State.PENDING, "thread": receipt, "updated_at": now}
    )


def _overrule(connection: Connection, row_id: int, states: Collection[State], **values: object) -> bool:
    """Change a row without a claim. Without its token, late workers can't change it."""
    changed = update(outbox).where(outbox.c.id == row_id, outbox.c.state.in_(states))
    return connection.execute(changed.values(token=None, code="", **values)).rowcount == 1


def _expire(connection: Connection, now: datetime) -> int:
    overdue = (
        select(outbox.c.id)
        .where(outbox.c.state == State.DATA_STARTED, _has_passed(outbox.c.lease_until, now))
        .with_for_update(skip_locked=True)
    )
    values = {"state": State.UNKNOWN, "detail": "sent, but no answer came; it may have arrived"}
    expired = update(outbox).where(outbox.c.id.in_(overdue)).values(updated_at=now, **values)
    return connection.execute(expired).rowcount


def _delivery(row: AnyRow, token: str) -> Delivery:
    key, reader = OutboxKey.parse(row.key), reader_of(row, row.reader_id)
    return from_row(Delivery, row, key=key, reader=reader, attempts=row.attempts + 1, token=token)


def insert_messages(connection: Connection, editions: Sequence[tuple[EditionId, Edition, Sequence[Message]]]) -> None:
    rows = []
    bodies: dict[str, bytes] = {}
    for edition_id, edition, messages in editions:
        for message in messages:
            key = OutboxKey(str(edition_id), edition.reader.id, edition.reader.kind, message.part)
            rows.append(_pending_row(key, message, edition.date, edition.composed_at, edition_id))
            bodies[str(key)] = message.body
    if rows:
        # To sort RETURNING's rows, SQLAlchemy would insert row by row on SQLite.
        stored = connection.execute(insert(outbox).returning(outbox.c.id, outbox.c.key), rows)
        connection.execute(
            insert(outbox_bodies), [{"outbox_id": row_id, "body": bodies[key]} for row_id, key in stored]
        )


def insert_message(connection: Connection, message: Message, key: OutboxKey, now: datetime) -> None:
    row = _pending_row(key, message, now.date(), now)
    row_id = connection.scalar(insert_new(connection, outbox).values(row).returning(outbox.c.id))
    if row_id is not None:
        connection.execute(insert(outbox_bodies).values(outbox_id=row_id, body=message.body))


def _pending_row(
    key: OutboxKey, message: Message, day: date, now: datetime, edition_id: EditionId | None = None
) -> dict[str, object]:
    return {
        "key": str(key),
        "edition_id": edition_id,
        "reader_id": key.reader,
        "kind": key.kind,
        "part": message.part,
        "subject": message.subject,
        "date": day,
        "state": State.HELD if message.in_thread else State.PENDING,
        "attempts": 0,
        "code": "",
        "detail": "",
        "created_at": now,
        "updated_at": now,
    }


# A claim's token names its process: ``machine.pid.start.random``. The machine is a hash of host, boot and PID
# namespace. Without ``/proc``, no process counts as dead.
_PROC = Path("/proc")
_UNKNOWN = "-"
# Fields of /proc/PID/stat (proc_pid_stat(5)), counted after the name.
_STATE, _STARTED = 0, 19
_ENDED = frozenset("ZX")


def new_token() -> str:
    pid = str(os.getpid())
    return f"{_machine()}.{pid}.{_started(pid)}.{token_hex(16)}"


def has_died(token: str | None) -> bool:
    """Return whether the process behind a token has certainly ended."""
    machine, *process = (token or "").split(".")
    if machine != _machine() or machine == _UNKNOWN or len(process) != 3:
        return False
    pid, started, _ = process
    return _started(pid) != started


@cache
def _machine() -> str:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        namespace = (_PROC / "self/ns/pid").readlink()
    except OSError:
        return _UNKNOWN
    return sha256(f"{socket.gethostname()} {boot} {namespace}".encode()).hexdigest()[:12]


def _started(pid: str) -> str:
    """Return a process's start in ticks since boot, or "" if it has ended."""
    try:
        fields = (_PROC / pid / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[_STATE] in _ENDED else fields[_STARTED]
