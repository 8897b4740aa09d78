"""The transactional outbox: the queue of messages to send, written in the transaction that makes an edition.

    pending -> claimed -> data_started -> sent | failed | retry | unknown; retry -> claimed
    claimed -> cancelled if the reader has stopped; claimed -> retry if it was not attempted
    held -> pending when the message in whose thread it belongs was sent; held -> cancelled with that message
    failed | unknown -> pending if a person asks

Delivery is at most once, or marked ``unknown``. A claim has a lease and a random token (a fencing token): every update
names the token and changes one row or none, so that of two workers one always loses. A lease that ends before the
body was started may be claimed again under a new token; one that ends after it is ``unknown`` and not sent again. The
token names the process too, with whose death on this machine its leases end.

Each call is one short transaction; none is open while a channel talks. A process that is killed leaves one ``unknown``
message for each of its connections at most, the one whose body it had begun. What workers record of a message is
repeated while the database server restarts: that it was accepted would otherwise be lost, and the message ``unknown``.
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
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, Update, bindparam, delete, exists, func, insert, or_, select, update

from bot.model import Delivery, Edition, EditionId, Kind, Message, OutboxKey, ReaderId, State
from bot.model.clock import FAR
from bot.model.errors import StoreConnectionLostError
from bot.store.engine import Aggregate, AnyRow, Database, from_row, insert_new
from bot.store.readers import reader_of
from bot.store.schema import outbox, outbox_bodies, readers

R = TypeVar("R")

# Seconds before each further attempt after a lost connection. PostgreSQL takes a second or two to restart, and a task
# of a worker has to end within 25 after its last message (``bot.worker.tasks``).
_PAUSES = (0, 0.2, 0.5, 1, 2, 4, 6)
# The states of a message that did not arrive, or may not have arrived.
_TROUBLED = (State.FAILED, State.RETRY, State.UNKNOWN)
_READER = (readers.c.profile, readers.c.address, readers.c.stopped, readers.c.stop_detail, readers.c.origin)
_REPLY = outbox.alias()
_HAS_HELD_REPLIES = exists().where(_REPLY.c.edition_id == outbox.c.edition_id, _REPLY.c.state == State.HELD)
# The messages whose body is stored, with what ``_delivery`` needs of each.
_DELIVERIES = (
    select(outbox, outbox_bodies.c.body, _HAS_HELD_REPLIES.label("has_replies"), *_READER)
    .select_from(outbox)
    .join(readers)
    .join(outbox_bodies)
)


def _update_claimed(*states: State) -> Update:
    """Build the update of the row that a claim holds, if it is in one of the states.

    Executed with the parameters of ``_claim_values``, and with the columns to set as further parameters.
    """
    # Compared one by one: a statement with IN can't be executed for several rows at once.
    return update(outbox).where(
        outbox.c.id == bindparam("row_id"),
        outbox.c.token == bindparam("row_token"),
        or_(*(outbox.c.state == state for state in states)),
    )


# The statements that each message needs are built once: SQLAlchemy takes longer to build one than to execute it.
_SETTLE = _update_claimed(State.CLAIMED, State.DATA_STARTED, State.UNKNOWN)
_RELEASE = _update_claimed(State.CLAIMED).values(attempts=outbox.c.attempts - 1)
# A message without an edition goes out all the same: a confirmation mail is for an address that has not subscribed yet.
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
# The replies that are held in the thread of the message ``row_id``.
_HELD_REPLIES = update(outbox).where(
    outbox.c.state == State.HELD,
    outbox.c.edition_id == select(_FIRST.c.edition_id).where(_FIRST.c.id == bindparam("row_id")).scalar_subquery(),
)
_DELETE_BODY = delete(outbox_bodies).where(outbox_bodies.c.outbox_id == bindparam("row_id"))


@dataclass(frozen=True, slots=True)
class UndeliveredMessage:
    """A message that did not arrive, or may not have arrived; ``reader`` is the reader's name."""

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


class Outbox(Aggregate):
    """The messages to send, and what became of them."""

    def __init__(self, database: Database, sleep: Callable[[float], None] = time.sleep) -> None:
        super().__init__(database)
        self._sleep = sleep

    def put_without_edition(self, message: Message, key: OutboxKey, now: datetime) -> None:
        """Add a message that belongs to no edition; a key that exists already is ignored (idempotent)."""
        with self._database.writing() as connection:
            insert_message(connection, message, key, now)

    def claim(self, kind: Kind, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Claim up to ``limit`` due messages of a channel, each for the time of ``lease``.

        Order: claims whose lease ended before the body was started, then retries that are due, then new messages;
        oldest first. Expires overdue messages before, see ``expire``.
        """

        def claim(connection: Connection) -> list[Delivery]:
            _expire(connection, now)
            due: list[AnyRow] = []
            # A query for each state: each walks an index in order, where one for all would scan every row ever sent.
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

        # A claim that a power failure undoes is simply claimed again.
        return self._commit(claim, durable=False)

    def expire(self, now: datetime) -> int:
        """Mark messages ``unknown`` whose lease ended after their body was started; return how many.

        The leases of processes that are known to have died end with them: what they had not started is due at once.
        """
        rows = self._rows(select(outbox.c.id, outbox.c.token).where(_IS_CLAIMED))
        dead = [{"row_id": row.id, "row_token": row.token, "ended": now} for row in rows if has_died(row.token)]
        with self._database.writing() as connection:
            if dead:
                connection.execute(_END_LEASE, dead)
            return _expire(connection, now)

    def start_data(self, delivery: Delivery, now: datetime, lease: timedelta) -> bool:
        """Record that the body is sent next, and renew the lease; it may be sent only if this returns True.

        False where the lease ended or the row has another token, and where the reader has stopped meanwhile: then
        the message is cancelled. Confirmation mails are sent regardless: their reader has not subscribed yet.
        """
        claim = _claim_values(delivery, now) | {"now": now}
        started = {"state": State.DATA_STARTED, "lease_until": now + lease}
        cancelled = {"state": State.CANCELLED, "detail": "the reader has stopped", "updated_at": now}
        # Nothing of a message is sent until its start is committed, so that a start whose commit got no answer may be
        # repeated. Otherwise it may not: a second one of the same claim would be a second body.
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

        # The one commit that must survive a power failure: without it the message would be claimed and sent again.
        return self._commit(start, durable=True)

    def record_sent(self, delivery: Delivery, receipt: str, now: datetime) -> bool:
        """Record that a message was sent, and delete its body; False where the claim was lost.

        The replies in its thread are due from then on.
        """
        sent = {"state": State.SENT, "token": None, "code": "", "detail": receipt}

        def record(connection: Connection) -> bool:
            if connection.execute(_SETTLE, _claim_values(delivery, now) | sent).rowcount != 1:
                return False
            connection.execute(_DELETE_BODY, {"row_id": delivery.id})
            if delivery.has_replies:
                # In the same transaction, so that no thread is left without its replies.
                _post_replies(connection, delivery.id, receipt, now)
            return True

        # Undone by a power failure, the row expires to ``unknown``: never sent twice.
        return self._commit(record, durable=False)

    def finish(self, delivery: Delivery, state: State, now: datetime, code: str = "", detail: str = "") -> bool:
        """Record a final state, such as ``FAILED`` or ``UNKNOWN``; False where the claim was lost."""
        return self._settle(_SETTLE, delivery, now, state=state, code=code, detail=detail)

    def retry(
        self, delivery: Delivery, not_before: datetime, code: str, detail: str, now: datetime, *, counted: bool = True
    ) -> bool:
        """Make a delivery due again at ``not_before``; False where the claim was lost.

        Only for a message that was certainly not accepted. Unless ``counted``, ``attempts`` stays as before the claim.
        """
        settle = _SETTLE if counted else _SETTLE.values(attempts=outbox.c.attempts - 1)
        return self._settle(settle, delivery, now, state=State.RETRY, not_before=not_before, code=code, detail=detail)

    def release(self, deliveries: Sequence[Delivery], not_before: datetime | None, now: datetime) -> None:
        """Undo claims that are still held; their messages are due at ``not_before``, or at once."""
        released = {
            "state": State.RETRY if not_before else State.PENDING,
            "token": None,
            "not_before": not_before,
            "detail": "waits its turn",
        }
        with self._database.writing(durable=False) as connection:
            connection.execute(_RELEASE, [_claim_values(delivery, now) | released for delivery in deliveries])

    def waiting(self, kind: Kind) -> int:
        """Return how many messages of a channel are still to be sent."""
        query = select(func.count()).where(outbox.c.kind == kind, outbox.c.state.in_((State.PENDING, State.RETRY)))
        return self._scalar(query) or 0

    def next_due(self, kind: Kind) -> datetime | None:
        """Return when the first of a channel's delayed messages is due; None without any."""
        query = select(func.min(outbox.c.not_before))
        query = query.where(outbox.c.state == State.RETRY, outbox.c.kind == kind)
        return self._scalar(query)

    def in_state(self, state: State) -> list[Delivery]:
        """Return the messages in a state whose body is still stored, oldest first."""
        return [
            _delivery(row, "") for row in self._rows(_DELIVERIES.where(outbox.c.state == state).order_by(outbox.c.id))
        ]

    def unanswered_lists(self, kind: Kind, since: datetime) -> list[Delivery]:
        """Return the messages that became unknown after a time and in whose threads replies are held."""
        query = _DELIVERIES.where(outbox.c.state == State.UNKNOWN, outbox.c.kind == kind, _HAS_HELD_REPLIES)
        return [_delivery(row, "") for row in self._rows(query.where(outbox.c.updated_at > since))]

    def mark_arrived(self, delivery_id: int, detail: str, now: datetime) -> bool:
        """Record that an unknown message has arrived after all; False where it is not unknown any more.

        ``detail`` is its receipt, under which the replies in its thread are posted next.
        """
        with self._database.writing() as connection:
            has_arrived = _overrule(
                connection, delivery_id, [State.UNKNOWN], state=State.SENT, detail=detail, updated_at=now
            )
            if has_arrived:
                _post_replies(connection, delivery_id, detail, now)
        return has_arrived

    def requeue(self, delivery_id: int, now: datetime) -> bool:
        """Requeue a message at a person's request; False where it is in no state to be sent again."""
        states = [State.UNKNOWN, State.FAILED, State.RETRY]
        pending = {"state": State.PENDING, "detail": "", "attempts": 0, "not_before": None}
        with self._database.writing() as connection:
            return _overrule(connection, delivery_id, states, updated_at=now, **pending)

    def counts(self) -> dict[State, int]:
        """Return how many messages there are in each state, zeros included."""
        query = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        return dict.fromkeys(State, 0) | dict(self._rows(query))

    def oldest_unsent(self, kinds: Collection[Kind]) -> datetime | None:
        """Return when the oldest message was made that nobody has claimed yet; None without any."""
        # The lowest id of each kind, which the index has first, and not the least time, which is in no index.
        oldest = [
            select(outbox.c.created_at)
            .where(outbox.c.state == State.PENDING, outbox.c.kind == kind)
            .order_by(outbox.c.id)
            .limit(1)
            for kind in kinds
        ]
        return min((time for query in oldest if (time := self._scalar(query))), default=None)

    def expired_claims(self, now: datetime) -> int:
        """Return how many claims have a lease that has ended: their worker has died or hangs."""
        return self._scalar(select(func.count()).where(_IS_CLAIMED, outbox.c.lease_until < now)) or 0

    def claims(self) -> tuple[int, datetime | None]:
        """Return how many messages are claimed, and when the last of their leases ends."""
        ((number, until),) = self._rows(select(func.count(), func.max(outbox.c.lease_until)).where(_IS_CLAIMED))
        return number, until

    def problems(self, limit: int, since: datetime | None = None) -> list[UndeliveredMessage]:
        """Return the messages that failed, wait for a retry, or may have arrived; newest first.

        With ``since``, only those that changed after it.
        """
        query = select(outbox, *_READER).join(readers).where(outbox.c.state.in_(_TROUBLED))
        query = query.order_by(outbox.c.id.desc()).limit(limit)
        if since is not None:
            query = query.where(outbox.c.updated_at > since)
        return [
            from_row(UndeliveredMessage, row, reader=reader_of(row, row.reader_id).name) for row in self._rows(query)
        ]

    def last_sent(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, datetime]:
        """Return when a message last went out to each of these readers who got one."""
        query = select(outbox.c.reader_id, func.max(outbox.c.updated_at)).where(outbox.c.state == State.SENT)
        query = query.group_by(outbox.c.reader_id)
        return dict(self._rows_in(query, outbox.c.reader_id, reader_ids))

    def others_were_accepted(self, delivery: Delivery) -> bool:
        """Return whether the channel has accepted a message for another reader since this one was made."""
        made = select(outbox.c.created_at).where(outbox.c.id == delivery.id).scalar_subquery()
        others = (outbox.c.kind == delivery.key.kind) & (outbox.c.reader_id != delivery.reader.id)
        query = select(exists().where(others, outbox.c.state == State.SENT, outbox.c.updated_at >= made))
        return bool(self._scalar(query))

    def states_of(self, delivery_ids: Collection[int]) -> list[State]:
        """Return the states of messages, without those that are gone."""
        return [row.state for row in self._rows_in(select(outbox.c.state), outbox.c.id, delivery_ids)]

    def states(self, edition_ids: Collection[EditionId]) -> dict[EditionId, tuple[State, ...]]:
        """Return the states of each edition's messages, part by part; editions without messages are left out."""
        states: dict[EditionId, tuple[State, ...]] = {}
        query = select(outbox.c.edition_id, outbox.c.state).order_by(outbox.c.part)
        for edition_id, state in self._rows_in(query, outbox.c.edition_id, edition_ids):
            states[edition_id] = (*states.get(edition_id, ()), state)
        return states

    def _settle(self, settle: Update, delivery: Delivery, now: datetime, **values: object) -> bool:
        """Update a claimed row and clear its token; False where the claim was lost.

        A row that has expired to ``unknown`` keeps its token, since a late answer is better than none.
        """
        values |= {**_claim_values(delivery, now), "token": None}
        # Undone by a power failure, the row is claimed again or expires to ``unknown``: never sent twice.
        return self._commit(lambda connection: connection.execute(settle, values).rowcount == 1, durable=False)

    def _commit(self, change: Callable[[Connection], R], *, durable: bool) -> R:
        """Apply a change in a transaction of its own, and again after a while for as long as the server is gone.

        A transaction whose connection was lost may have been committed all the same.
        """
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
    """``bot.model.clock.has_passed`` as a condition on a column."""
    return or_(moment <= now, moment > now + FAR)


def _post_replies(connection: Connection, first_id: int, receipt: str, now: datetime) -> None:
    """Make the replies in the thread of a message due, now that its receipt is known."""
    connection.execute(
        _HELD_REPLIES, {"row_id": first_id, "state": State.PENDING, "thread": receipt, "updated_at": now}
    )


def _overrule(connection: Connection, row_id: int, states: Collection[State], **values: object) -> bool:
    """Change a row in one of the states without a claim; its token is cleared, so that no late worker undoes it."""
    changed = update(outbox).where(outbox.c.id == row_id, outbox.c.state.in_(states))
    return connection.execute(changed.values(token=None, code="", **values)).rowcount == 1


def _expire(connection: Connection, now: datetime) -> int:
    # SKIP LOCKED (PostgreSQL): a row that is locked is being finished by its worker. SQLite, which has one writer,
    # ignores it.
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
    """Insert the messages of editions that were stored in this transaction, given with the editions' ids."""
    rows = []
    bodies: dict[str, bytes] = {}
    for edition_id, edition, messages in editions:
        for message in messages:
            key = OutboxKey(str(edition_id), edition.reader.id, edition.reader.kind, message.part)
            rows.append(_pending_row(key, message, edition.date, edition.composed_at, edition_id))
            bodies[str(key)] = message.body
    if rows:
        # The order of RETURNING's rows is unspecified; to have them sorted, SQLAlchemy inserts row by row on SQLite.
        stored = connection.execute(insert(outbox).returning(outbox.c.id, outbox.c.key), rows)
        connection.execute(
            insert(outbox_bodies), [{"outbox_id": row_id, "body": bodies[key]} for row_id, key in stored]
        )


def insert_message(connection: Connection, message: Message, key: OutboxKey, now: datetime) -> None:
    """Insert a message that belongs to no edition; a key that exists already is ignored."""
    row = _pending_row(key, message, now.date(), now)
    row_id = connection.scalar(insert_new(connection, outbox).values(row).returning(outbox.c.id))
    if row_id is not None:
        connection.execute(insert(outbox_bodies).values(outbox_id=row_id, body=message.body))


def _pending_row(
    key: OutboxKey, message: Message, day: date, now: datetime, edition_id: EditionId | None = None
) -> dict[str, object]:
    return {
        # The idempotency key: unique, so that no message is put into the outbox twice.
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


# Which process holds a claim, and whether it is known to be dead: then its lease need not be waited for.
#
#     9f2c41d07be3.4711.88213.5b1e...      machine, process, time of its start, and random digits: a claim's token
#
# The machine's name is a hash of host, boot and PID namespace: in another container or after a restart the same number
# is another process, of which nothing is known. Where there is no ``/proc``, no process is known to be dead.
_PROC = Path("/proc")
_UNKNOWN = "-"
# State and start time in /proc/PID/stat (proc_pid_stat(5)), counted from behind the name, which may hold blanks.
_STATE, _STARTED = 0, 19
_ENDED = frozenset("ZX")


def new_token() -> str:
    """Return the token of a new claim by this process."""
    pid = str(os.getpid())
    return f"{_machine()}.{pid}.{_started(pid)}.{token_hex(16)}"


def has_died(token: str | None) -> bool:
    """Return whether the process that made a token is known to have ended."""
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
    """Return when a process started, in ticks since the boot; empty for one that has ended."""
    try:
        fields = (_PROC / pid / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[_STATE] in _ENDED else fields[_STARTED]
