"""The outbox's statements, built once: SQLAlchemy takes longer to put one together than SQLite to carry it out.

``row_id`` and ``row_token`` name a claimed row; ``at`` is now, ``far`` is what nothing is made to wait for,
``until`` the time that a statement is about.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Update,
    and_,
    bindparam,
    exists,
    or_,
    select,
    update,
)

from bot.domain import State
from bot.store.schema import outbox, readers

READER = (
    readers.c.profile,
    readers.c.address,
    readers.c.stopped,
    readers.c.stop_detail,
    readers.c.origin,
)
_NOW: BindParameter[datetime] = bindparam("at")
_FAR: BindParameter[datetime] = bindparam("far")
UNDECIDED = (State.CLAIMED, State.DATA_STARTED, State.UNKNOWN)


def _of_claim(*states: State) -> Update:
    """An update of the row that one very claim holds, if it still does."""
    mine = and_(outbox.c.id == bindparam("row_id"), outbox.c.token == bindparam("row_token"))
    in_state = or_(*(outbox.c.state == state for state in states))
    return update(outbox).where(mine, in_state).values(updated_at=_NOW)


def _has_come(moment: Column[datetime]) -> ColumnElement[bool]:
    """``bot.clock.has_come``, for a column."""
    return or_(moment <= _NOW, moment > _FAR)


_STOPPED = and_(
    outbox.c.edition_id.is_not(None),
    exists().where(readers.c.id == outbox.c.reader_id, readers.c.stopped.is_not(None)),
)
_STARTABLE = _of_claim(State.CLAIMED).where(outbox.c.lease_until > _NOW)
START = _STARTABLE.where(~_STOPPED).values(state=State.DATA_STARTED, lease_until=bindparam("until"))
CANCEL = _STARTABLE.where(_STOPPED).values(state=State.CANCELLED, token=None, detail="the reader has stopped")
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
_FREE_OVERDUE = (
    select(outbox.c.id)
    .where(outbox.c.state == State.DATA_STARTED, _has_come(outbox.c.lease_until))
    .with_for_update(skip_locked=True)
)
EXPIRE = (
    update(outbox)
    .where(outbox.c.id.in_(_FREE_OVERDUE))
    .values(
        state=State.UNKNOWN,
        detail="sent, but no answer came; it may have arrived",
        updated_at=_NOW,
    )
)
# One query a state: each walks an index in order, where one for all would read through what was ever sent.
DUE = [
    select(outbox, *READER)
    .join(readers)
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
