"""The transactional outbox: the queue of messages to send, written in the transaction that makes an edition.

    pending -> claimed -> data_started -> sent | failed | retry | unknown; retry -> claimed
    claimed -> cancelled if the reader has stopped; claimed -> retry if it was not attempted
    failed | unknown -> pending if a person asks

Delivery is at most once, or marked ``unknown``. A claim has a lease and a random token (a fencing token): every update
names the token and changes one row or none, so that of two workers one always loses. A lease that ends before the
body was started may be claimed again under a new token; one that ends after it is ``unknown`` and not sent again.
Each call is one short transaction; none is open while a channel talks.
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

# The states of a message that did not arrive, or may not have arrived.
_TROUBLED = (State.FAILED, State.RETRY, State.UNKNOWN)
_SETTLED = (State.SENT, State.FAILED, State.UNKNOWN, State.CANCELLED)


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


class Outbox:
    """The messages to send, and what became of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = GroupCommit(database)

    def put_without_edition(
        self, reader_id: ReaderId, message: Message, key: OutboxKey, now: datetime
    ) -> None:
        """Add a message that belongs to no edition; a key that exists already is ignored (idempotent)."""
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
        """Claim up to ``limit`` due messages of a channel, each for the time of ``lease``.

        Order: claims whose lease ended before the body was started, then retries that are due, then new messages;
        oldest first. Expires overdue messages before, see ``expire``.
        """

        def work(connection: Connection) -> list[Delivery]:
            _expire(connection, now)
            due: list[AnyRow] = []
            for query in statements.DUE:
                values = {"of_kind": kind, "at": now, "far": now + FAR, "most": limit - len(due)}
                due += connection.execute(query, values)
            rows = [(row, token_hex(16)) for row in due]
            if rows:
                lease_values = {"until": now + lease, "at": now}
                connection.execute(
                    statements.CLAIM,
                    [{"row_id": row.id, "new_token": token, **lease_values} for row, token in rows],
                )
            return [_delivery(row, token) for row, token in rows]

        # A claim that a power failure undoes is simply claimed again.
        return self._commits.commit(work, durable=False)

    def expire(self, now: datetime) -> int:
        """Mark messages ``unknown`` whose lease ended after their body was started; return how many."""
        with self._database.writing() as connection:
            return _expire(connection, now)

    def start_data(self, delivery: Delivery, now: datetime, lease: timedelta) -> bool:
        """Record that the body is sent next, and renew the lease; it may be sent only if this returns True.

        False where the lease ended or the row has another token, and where the reader has stopped meanwhile: then
        the message is cancelled. Confirmation mails are sent regardless: their reader has not subscribed yet.
        """
        values = {**_claim_values(delivery, now), "until": now + lease}

        def work(connection: Connection) -> bool:
            if connection.execute(statements.START, values).rowcount == 1:
                return True
            connection.execute(statements.CANCEL, _claim_values(delivery, now))
            return False

        # The one commit that must survive a power failure: without it the message would be claimed and sent again.
        return self._commits.commit(work, durable=True)

    def finish(
        self, delivery: Delivery, state: State, now: datetime, code: str = "", detail: str = ""
    ) -> bool:
        """Record a final state (``SENT``, ``FAILED``, ``UNKNOWN``); False where the claim was lost."""
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
        """Make a delivery due again at ``not_before``; False where the claim was lost.

        Only for a message that was certainly not accepted. Unless ``counted``, ``attempts`` stays as before the claim.
        """
        return self._decide(
            statements.RETRY,
            delivery,
            now,
            until=not_before,
            new_code=code,
            new_detail=detail,
            uncounted=0 if counted else 1,
        )

    def release(self, delivery: Delivery, not_before: datetime | None, now: datetime) -> bool:
        """Undo a claim; the message is due at ``not_before``, or at once. False where the claim was lost."""
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
        """Return when the first of a channel's delayed messages is due; None without any."""
        query = select(func.min(outbox.c.not_before))
        query = query.where(outbox.c.state == State.RETRY, outbox.c.kind == kind)
        with self._database.reading() as connection:
            first: datetime | None = connection.scalar(query)
        return first

    def in_state(self, state: State, reader_id: ReaderId | None = None) -> list[Delivery]:
        """Return the messages in a state whose body is still stored, of one reader or all, oldest first."""
        query = _with_readers().where(outbox.c.state == state, func.length(outbox.c.body) > 0)
        if reader_id is not None:
            query = query.where(outbox.c.reader_id == reader_id)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(outbox.c.id)).all()
        return [_delivery(row, "") for row in rows]

    def mark_arrived(self, delivery_id: int, detail: str, now: datetime) -> bool:
        """Record that an unknown message has arrived after all; False where it is not unknown any more."""
        return self._overrule(delivery_id, [State.UNKNOWN], State.SENT, detail, now)

    def requeue(self, delivery_id: int, now: datetime) -> bool:
        """Requeue a message at a person's request; False where it is in no state to be sent again."""
        states = [State.UNKNOWN, State.FAILED, State.RETRY]
        return self._overrule(delivery_id, states, State.PENDING, "", now, attempts=0, not_before=None)

    def purge(self, before: datetime) -> int:
        """Delete the bodies of messages that were settled before a time; return how many."""
        # The condition is text, so that it matches the partial index word for word.
        old = and_(text("length(body) > 0"), outbox.c.updated_at < before, outbox.c.state.in_(_SETTLED))
        with self._database.writing() as connection:
            return connection.execute(update(outbox).where(old).values(body=b"")).rowcount

    def _overrule(
        self, row_id: int, states: Collection[State], state: State, detail: str, now: datetime, **more: object
    ) -> bool:
        """Set a state without a claim; the token is cleared, so that a late worker can't change it back."""
        changed = update(outbox).where(outbox.c.id == row_id, outbox.c.state.in_(states))
        changed = changed.values(state=state, token=None, code="", detail=detail, updated_at=now, **more)
        with self._database.writing() as connection:
            return connection.execute(changed).rowcount == 1

    def counts(self) -> dict[State, int]:
        """Return how many messages there are in each state, zeros included."""
        query = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        with self._database.reading() as connection:
            return dict.fromkeys(State, 0) | dict(connection.execute(query).all())

    def problems(self, limit: int, since: datetime | None = None) -> list[UndeliveredMessage]:
        """Return the messages that failed, wait for a retry, or may have arrived; newest first.

        With ``since``, only those that changed after it.
        """
        query = _with_readers().where(outbox.c.state.in_(_TROUBLED)).order_by(outbox.c.id.desc()).limit(limit)
        if since is not None:
            query = query.where(outbox.c.updated_at > since)
        with self._database.reading() as connection:
            return [
                UndeliveredMessage(
                    id=row.id,
                    reader=reader_of(row, row.reader_id).name,
                    kind=row.kind,
                    state=row.state,
                    code=row.code,
                    detail=row.detail,
                    subject=row.subject,
                    date=row.date,
                    attempts=row.attempts,
                    not_before=row.not_before,
                )
                for row in connection.execute(query)
            ]

    def last_sent(self) -> dict[ReaderId, datetime]:
        """Return when a message last went out to each reader who got one."""
        query = select(outbox.c.reader_id, func.max(outbox.c.updated_at))
        query = query.where(outbox.c.state == State.SENT).group_by(outbox.c.reader_id)
        with self._database.reading() as connection:
            return dict(connection.execute(query).all())

    def states(self, edition_ids: Collection[EditionId]) -> dict[EditionId, tuple[State, ...]]:
        """Return the states of each edition's messages, part by part; editions without messages are left out."""
        states: dict[EditionId, tuple[State, ...]] = {}
        with self._database.reading() as connection:
            for chunk in in_chunks(list(edition_ids)):
                query = select(outbox.c.edition_id, outbox.c.state).where(outbox.c.edition_id.in_(chunk))
                for edition_id, state in connection.execute(query.order_by(outbox.c.part)):
                    states[edition_id] = (*states.get(edition_id, ()), state)
        return states

    def _decide(self, decision: Update, delivery: Delivery, now: datetime, **values: object) -> bool:
        """Execute an update of a claimed row, which clears its token; False where the claim was lost.

        A row that has expired to ``unknown`` keeps its token, since a late answer is better than none.
        """

        def work(connection: Connection) -> bool:
            return connection.execute(decision, _claim_values(delivery, now) | values).rowcount == 1

        # Undone by a power failure, the row is claimed again or expires to ``unknown``: never sent twice.
        return self._commits.commit(work, durable=False)


def _claim_values(delivery: Delivery, now: datetime) -> dict[str, object]:
    return {"row_id": delivery.id, "row_token": delivery.token, "at": now}


def _expire(connection: Connection, now: datetime) -> int:
    return connection.execute(statements.EXPIRE, {"at": now, "far": now + FAR}).rowcount


def _with_readers() -> AnySelect:
    return select(outbox, *statements.READER).join(readers)


def _delivery(row: AnyRow, token: str) -> Delivery:
    reader = reader_of(row, row.reader_id)
    return Delivery(row.id, OutboxKey.parse(row.key), reader, row.body, row.attempts + 1, token, row.date)
