"""The outbox: each message on its way out, and who may send it.

    pending -> claimed -> data_started -> sent | failed | retry | unknown; retry -> claimed;
    claimed -> cancelled where the reader has stopped; claimed -> retry without having been tried
    failed | unknown -> pending where a person asks

A claim gives a random token and a lease. The token is the right to say what becomes of the message: every
change asks for it and touches one row or none, so of two workers one always loses. A lease that ran out
before the body went out may be claimed again, under a new token; one that ran out after it is ``unknown`` and
never sent again by itself. Each call is one short transaction, with none open across the network.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from secrets import token_hex

from sqlalchemy import Connection, Update, and_, func, select, text, update

from bot.clock import FAR
from bot.domain import Delivery, Kind, Message, OutboxKey, ReaderId, State
from bot.store import outbox_statements as statements
from bot.store.editions import EditionId
from bot.store.engine import AnyRow, AnySelect, Database, in_chunks, insert_new
from bot.store.group_commit import GroupCommit
from bot.store.readers import reader_of
from bot.store.schema import outbox, readers

_TROUBLED = (State.FAILED, State.RETRY, State.UNKNOWN)
_SETTLED = (State.SENT, State.FAILED, State.UNKNOWN, State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A message that did not go out, or perhaps didn't; ``reader`` is the reader's name."""

    id: int
    reader: str
    state: State
    code: str
    detail: str
    subject: str
    date: date
    attempts: int
    not_before: datetime | None


class Outbox:
    """The messages to send."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = GroupCommit(database)

    def put_confirmation(self, reader_id: ReaderId, message: Message, key: OutboxKey, now: datetime) -> None:
        """Put in a message that belongs to no edition; one whose key is there already is not put in again."""
        row = {
            "key": str(key),
            "reader_id": reader_id,
            "kind": select(readers.c.kind).where(readers.c.id == reader_id).scalar_subquery(),
            "part": message.part,
            "subject": message.subject,
            "date": now.date(),
            "body": message.body,
            "state": State.PENDING,
            "attempts": 0,
            "code": "",
            "detail": "",
            "created_at": now,
            "updated_at": now,
        }
        with self._database.writing() as connection:
            connection.execute(insert_new(connection, outbox).values(row))

    def claim(self, kind: Kind, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Take up to ``limit`` messages of a channel that are due, each for the time of ``lease``.

        First come those whose claim ran out before the body was sent, then those whose time to try again
        has come, then new ones; oldest first. Overdue answers are called ``unknown`` before, see ``expire``.
        """

        def work(connection: Connection) -> list[Delivery]:
            _expire(connection, now)
            rows = [(row, token_hex(16)) for row in _take(connection, kind, now, limit)]
            if rows:
                values = {"until": now + lease, "at": now}
                connection.execute(
                    statements.CLAIM,
                    [{"row_id": row.id, "new_token": token, **values} for row, token in rows],
                )
            return [_delivery(row, token) for row, token in rows]

        return self._commits.commit(work, durable=False)

    def expire(self, now: datetime) -> int:
        """Call ``unknown`` what was sent and not answered within its lease; returns how many."""
        with self._database.writing() as connection:
            return _expire(connection, now)

    def start_data(self, delivery: Delivery, now: datetime, lease: timedelta) -> bool:
        """Note that the body goes out next, and renew the lease; only on True may it be sent.

        False where the claim ran out or is another's now, and where the reader has stopped meanwhile: the
        message is then cancelled. A letter goes out all the same: it asks a reader who isn't one yet.
        """
        values = {**_held(delivery, now), "until": now + lease}

        def work(connection: Connection) -> bool:
            if connection.execute(statements.START, values).rowcount == 1:
                return True
            connection.execute(statements.CANCEL, _held(delivery, now))
            return False

        return self._commits.commit(work, durable=True)

    def finish(
        self, delivery: Delivery, state: State, now: datetime, code: str = "", detail: str = ""
    ) -> bool:
        """Note how a delivery ended (``SENT``, ``FAILED``, ``UNKNOWN``); False where it is no longer ours."""
        return self._decide(
            statements.FINISH, delivery, now, new_state=state, new_code=code, new_detail=detail
        )

    def retry(
        self,
        delivery: Delivery,
        not_before: datetime,
        code: str,
        detail: str,
        now: datetime,
        *,
        counted: bool = True,
    ) -> bool:
        """Have a delivery tried again from ``not_before`` on; False where it is no longer ours.

        Only for one that was certainly not accepted. Unless ``counted``, the attempt was none of its own.
        """
        said = {"new_code": code, "new_detail": detail, "uncounted": 0 if counted else 1}
        return self._decide(statements.RETRY, delivery, now, until=not_before, **said)

    def release(self, delivery: Delivery, not_before: datetime | None, now: datetime) -> bool:
        """Give a claim back as if it had not been made, to wait until a time or for anybody at once.

        False where the claim is no longer ours.
        """
        state = State.RETRY if not_before else State.PENDING
        return self._decide(statements.RELEASE, delivery, now, new_state=state, until=not_before)

    def waiting(self, kind: Kind) -> int:
        """Return how many messages of a channel are still to be sent."""
        query = select(func.count()).where(
            outbox.c.kind == kind, outbox.c.state.in_((State.PENDING, State.RETRY))
        )
        with self._database.reading() as connection:
            return connection.scalar(query) or 0

    def next_due(self, kind: Kind) -> datetime | None:
        """Return when the first of a channel's waiting messages may be tried; None where none waits."""
        query = select(func.min(outbox.c.not_before))
        query = query.where(outbox.c.state == State.RETRY, outbox.c.kind == kind)
        with self._database.reading() as connection:
            first: datetime | None = connection.scalar(query)
        return first

    def in_state(self, state: State, reader_id: ReaderId | None = None) -> list[Delivery]:
        """Return the messages in a state whose body is still kept, of one reader or all, oldest first."""
        query = _with_readers().where(outbox.c.state == state, func.length(outbox.c.body) > 0)
        if reader_id is not None:
            query = query.where(outbox.c.reader_id == reader_id)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(outbox.c.id)).all()
        return [_delivery(row, "") for row in rows]

    def settle(self, delivery_id: int, detail: str, now: datetime) -> bool:
        """Note that an unknown message has arrived after all; False where it is not unknown any more."""
        return self._ask(delivery_id, [State.UNKNOWN], State.SENT, detail, now)

    def again(self, delivery_id: int, now: datetime) -> bool:
        """Have a message sent (again) at once, as a person asks; False where that can't be."""
        states = [State.UNKNOWN, State.FAILED, State.RETRY]
        return self._ask(delivery_id, states, State.PENDING, "", now, attempts=0, not_before=None)

    def purge(self, before: datetime) -> int:
        """Forget the bodies of messages that were settled before a time; returns how many."""
        old = and_(text("length(body) > 0"), outbox.c.updated_at < before, outbox.c.state.in_(_SETTLED))
        with self._database.writing() as connection:
            return connection.execute(update(outbox).where(old).values(body=b"")).rowcount

    def _ask(
        self, row_id: int, states: Collection[State], state: State, detail: str, now: datetime, **more: object
    ) -> bool:
        asked = update(outbox).where(outbox.c.id == row_id, outbox.c.state.in_(states))
        asked = asked.values(state=state, token=None, code="", detail=detail, updated_at=now, **more)
        with self._database.writing() as connection:
            return connection.execute(asked).rowcount == 1

    def counts(self) -> dict[State, int]:
        """Return how many messages there are in each state, zeros included."""
        query = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        with self._database.reading() as connection:
            return dict.fromkeys(State, 0) | dict(connection.execute(query).all())

    def problems(self, limit: int, since: datetime | None = None) -> list[Trouble]:
        """Return the messages that failed, wait to be tried again, or may have arrived; newest first.

        With ``since``, only those that changed after it.
        """
        query = _with_readers().where(outbox.c.state.in_(_TROUBLED)).order_by(outbox.c.id.desc()).limit(limit)
        if since is not None:
            query = query.where(outbox.c.updated_at > since)
        with self._database.reading() as connection:
            return [_trouble(row) for row in connection.execute(query)]

    def last_sent(self) -> dict[ReaderId, datetime]:
        """Return when a message last went out to each reader who got one."""
        query = select(outbox.c.reader_id, func.max(outbox.c.updated_at))
        query = query.where(outbox.c.state == State.SENT).group_by(outbox.c.reader_id)
        with self._database.reading() as connection:
            return dict(connection.execute(query).all())

    def states(self, edition_ids: Collection[EditionId]) -> dict[EditionId, tuple[State, ...]]:
        """Return where each edition's messages stand, part by part; without editions that have none."""
        found: dict[EditionId, tuple[State, ...]] = {}
        with self._database.reading() as connection:
            for some in in_chunks(list(edition_ids)):
                query = select(outbox.c.edition_id, outbox.c.state).where(outbox.c.edition_id.in_(some))
                for edition_id, state in connection.execute(query.order_by(outbox.c.part)):
                    found[edition_id] = (*found.get(edition_id, ()), state)
        return found

    def _decide(self, decision: Update, delivery: Delivery, now: datetime, **values: object) -> bool:
        """Use the token up; a row called ``unknown`` still has it, for one who answers late knows better.

        If a power cut undoes it, the row stands where it was before: claimed by nobody soon, or ``unknown``.
        """

        def work(connection: Connection) -> bool:
            return connection.execute(decision, _held(delivery, now) | values).rowcount == 1

        return self._commits.commit(work, durable=False)


def _held(delivery: Delivery, now: datetime) -> dict[str, object]:
    return {"row_id": delivery.id, "row_token": delivery.token, "at": now}


def _take(connection: Connection, kind: Kind, now: datetime, limit: int) -> list[AnyRow]:
    """Lock the messages to claim and read them with their readers, passing over what another has locked."""
    rows: list[AnyRow] = []
    for due in statements.DUE:
        values = {"of_kind": kind, "at": now, "far": now + FAR, "most": limit - len(rows)}
        rows += connection.execute(due, values)
    return rows


def _expire(connection: Connection, now: datetime) -> int:
    return connection.execute(statements.EXPIRE, {"at": now, "far": now + FAR}).rowcount


def _with_readers() -> AnySelect:
    return select(outbox, *statements.READER).join(readers)


def _delivery(row: AnyRow, token: str) -> Delivery:
    reader = reader_of(row, row.reader_id)
    return Delivery(row.id, OutboxKey.parse(row.key), reader, row.body, row.attempts + 1, token, row.date)


def _trouble(row: AnyRow) -> Trouble:
    name = reader_of(row, row.reader_id).name
    return Trouble(
        row.id, name, row.state, row.code, row.detail, row.subject, row.date, row.attempts, row.not_before
    )
