"""The statements of the outbox, built once: SQLAlchemy takes longer to build one than SQLite to execute it.

Parameters: ``row_id`` and ``row_token`` identify a claim; ``at`` is now; ``far`` is ``now + bot.clock.FAR``, beyond
which no valid wait ends; ``until`` is the end of a lease or of a wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Update,
    and_,
    bindparam,
    exists,
    or_,
    select,
    update,
)

from bot.domain import State
from bot.store.column_types import UtcDateTime
from bot.store.schema import outbox, outbox_bodies, readers

READER = (
    readers.c.profile,
    readers.c.address,
    readers.c.stopped,
    readers.c.stop_detail,
    readers.c.origin,
)
_REPLY = outbox.alias()
HAS_HELD_REPLIES = exists().where(_REPLY.c.edition_id == outbox.c.edition_id, _REPLY.c.state == State.HELD)
# The columns of a ``Delivery``.
DELIVERY = (
    outbox.c.id,
    outbox.c.key,
    outbox.c.reader_id,
    outbox.c.kind,
    outbox.c.date,
    outbox.c.attempts,
    outbox.c.thread,
    outbox_bodies.c.body,
    HAS_HELD_REPLIES.label("has_replies"),
    *READER,
)
_NOW: BindParameter[datetime] = bindparam("at")
_FAR: BindParameter[datetime] = bindparam("far")
# ``unknown`` is included: a worker whose answer comes after its lease still knows what became of the message.
UNDECIDED = (State.CLAIMED, State.DATA_STARTED, State.UNKNOWN)


def _of_claim(*states: State) -> Update:
    """Return an update of the row that a claim holds, in one of the states; it changes one row or none."""
    is_claim = and_(outbox.c.id == bindparam("row_id"), outbox.c.token == bindparam("row_token"))
    # ORed comparisons: SQLAlchemy renders IN again for each execution.
    in_state = or_(*(outbox.c.state == state for state in states))
    return update(outbox).where(is_claim, in_state).values(updated_at=_NOW)


def _has_come(moment: Column[datetime]) -> ColumnElement[bool]:
    """Return ``bot.clock.has_come`` as a condition on a column."""
    return or_(moment <= _NOW, moment > _FAR)


# A message without an edition goes out all the same: a confirmation mail is for an address that has not subscribed yet.
_STOPPED = and_(
    outbox.c.edition_id.is_not(None),
    exists().where(readers.c.id == outbox.c.reader_id, readers.c.stopped.is_not(None)),
)
_STARTABLE = _of_claim(State.CLAIMED).where(outbox.c.lease_until > _NOW)
CANCEL = (
    _STARTABLE.where(_STOPPED)
    .values(state=State.CANCELLED, token=None, detail="the reader has stopped")
    .returning(outbox.c.id)
)
_FIRST = outbox.alias()
# The replies of a thread whose first message is ``row_id``.
_HELD_REPLIES = update(outbox).where(
    outbox.c.state == State.HELD,
    outbox.c.edition_id
    == select(_FIRST.c.edition_id).where(_FIRST.c.id == bindparam("row_id")).scalar_subquery(),
)
POST_REPLIES = _HELD_REPLIES.values(state=State.PENDING, thread=bindparam("receipt"), updated_at=_NOW)
CANCEL_REPLIES = _HELD_REPLIES.values(
    state=State.CANCELLED, detail="the reader has stopped", updated_at=_NOW
).returning(outbox.c.id)
FINISH = _of_claim(*UNDECIDED).values(
    state=bindparam("new_state"), token=None, code=bindparam("new_code"), detail=bindparam("new_detail")
)
RETRY = _of_claim(*UNDECIDED).values(
    state=State.RETRY,
    token=None,
    not_before=bindparam("until"),
    attempts=outbox.c.attempts - bindparam("uncounted"),
    code=bindparam("new_code"),
    detail=bindparam("new_detail"),
)
RELEASE = _of_claim(State.CLAIMED).values(
    state=bindparam("new_state"),
    token=None,
    not_before=bindparam("until"),
    attempts=outbox.c.attempts - 1,
    detail="waits its turn",
)
CLAIM = (
    update(outbox)
    .where(outbox.c.id == bindparam("row_id"))
    .values(state=State.CLAIMED, lease_until=bindparam("until"), not_before=None, updated_at=_NOW)
    .values(token=bindparam("new_token"), attempts=outbox.c.attempts + 1)
)


# Two statements of each message, as SQL: SQLAlchemy takes twice as long to execute one of its own (.2 ms against .1),
# and has to build it again for each number of claims.


@lru_cache(maxsize=64)
def start(number: int, *, is_repeated: bool = False) -> str:
    """Return the SQL that starts the body of ``number`` claims and answers the ids that it has changed.

    With ``is_repeated``, claims whose start is stored already are among them. Parameters: the end of the lease, now, an
    id and a token of each claim, and now again.
    """
    startable = "('claimed', 'data_started')" if is_repeated else "('claimed')"
    return (
        f"UPDATE outbox SET state = 'data_started', lease_until = ?, updated_at = ? WHERE {_claims(number)} "
        f"AND state IN {startable} AND lease_until > ? AND (edition_id IS NULL OR NOT EXISTS (SELECT 1 FROM readers "
        "WHERE readers.id = outbox.reader_id AND readers.stopped IS NOT NULL)) RETURNING id"
    )


@lru_cache(maxsize=64)
def record_sent(number: int) -> str:
    """Return the SQL that records ``number`` claims as sent and answers the ids that it has changed.

    Parameters: now, an id and a receipt of each, and an id and a token of each.
    """
    receipts = "WHEN ? THEN ? " * number
    return (
        f"UPDATE outbox SET state = 'sent', token = NULL, code = '', updated_at = ?, detail = CASE id {receipts}END "
        f"WHERE {_claims(number)} AND state IN ('claimed', 'data_started', 'unknown') RETURNING id"
    )


def _claims(number: int) -> str:
    return f"(id, token) IN (VALUES {', '.join(['(?, ?)'] * number)})"


def changed_ids(connection: Connection, sql: str, parameters: Sequence[object]) -> set[int]:
    """Execute an update that answers ids; times among its parameters are converted as for their columns."""
    to_database = _time_conversion(connection.dialect)
    values = tuple(
        [to_database(value) if to_database and isinstance(value, datetime) else value for value in parameters]
    )
    if connection.dialect.name == "postgresql":
        sql = sql.replace("?", "%s")
        return {row_id for (row_id,) in connection.exec_driver_sql(sql, values)}
    # The driver's own cursor: by ``exec_driver_sql``, a mail's two statements took a tenth of the processor time of its
    # delivery. PostgreSQL's errors have to pass SQLAlchemy, which tells a lost connection by them.
    return {row_id for (row_id,) in connection.connection.cursor().execute(sql, values).fetchall()}


@lru_cache(maxsize=4)  # .06 ms each time, for two statements of each message
def _time_conversion(dialect: Dialect) -> Callable[[datetime], object] | None:
    return UtcDateTime().dialect_impl(dialect).bind_processor(dialect)


# SKIP LOCKED (PostgreSQL): a row that is locked is being finished by its worker. SQLite has one writer and ignores it.
_UNLOCKED_OVERDUE = (
    select(outbox.c.id)
    .where(outbox.c.state == State.DATA_STARTED, _has_come(outbox.c.lease_until))
    .with_for_update(skip_locked=True)
)
EXPIRE = (
    update(outbox)
    .where(outbox.c.id.in_(_UNLOCKED_OVERDUE))
    .values(
        state=State.UNKNOWN,
        detail="sent, but no answer came; it may have arrived",
        updated_at=_NOW,
    )
)
# One query for each state: each walks an index in order, where a single one would scan every row ever sent.
DUE = [
    select(*DELIVERY)
    .select_from(outbox)
    .join(readers)
    .join(outbox_bodies)
    .where(outbox.c.kind == bindparam("of_kind"), due)
    .order_by(outbox.c.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True, of=outbox)
    for due in (
        and_(outbox.c.state == State.CLAIMED, _has_come(outbox.c.lease_until)),
        and_(outbox.c.state == State.RETRY, _has_come(outbox.c.not_before)),
        outbox.c.state == State.PENDING,
    )
]
