"""The transactional outbox: the queue of messages to send, written in the transaction that makes an edition.

    pending -> claimed -> data_started -> sent | failed | retry | unknown; retry -> claimed
    claimed -> cancelled if the reader has stopped; claimed -> retry if it was not attempted
    held -> pending when the message in whose thread it belongs was sent; held -> cancelled with that message
    failed | unknown -> pending if a person asks

Delivery is at most once, or marked ``unknown``. A claim has a lease and a random token (a fencing token): every update
names the token and changes one row or none, so that of two workers one always loses. A lease that ends before the
body was started may be claimed again under a new token; one that ends after it is ``unknown`` and not sent again.

Each call is one short transaction, shared with those that other threads make at the same time; none is open while a
channel talks. A message costs one: that it was sent is committed with the start of the next. A process that is killed
leaves one ``unknown`` message for each of its connections at most, the one whose body it had begun.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from secrets import token_hex

from sqlalchemy import Connection, Update, delete, func, select, update

from bot.clock import FAR
from bot.domain import Delivery, Kind, Message, OutboxKey, ReaderId, State
from bot.store import outbox_statements as statements
from bot.store.editions import EditionId
from bot.store.engine import Aggregate, AnyRow, Database, in_chunks
from bot.store.group_commit import GroupCommit
from bot.store.outbox_changes import Claim, Decision, Sent, Start
from bot.store.outbox_insertion import insert_message
from bot.store.readers import reader_of
from bot.store.schema import outbox, outbox_bodies, readers

# The states of a message that did not arrive, or may not have arrived.
_TROUBLED = (State.FAILED, State.RETRY, State.UNKNOWN)
_BODY_DROPPED = (State.SENT, State.CANCELLED)


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

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._commits = GroupCommit(database)
        self._settled: list[int] = []  # rows that were sent or cancelled, and still have a body

    def put_without_edition(
        self, reader_id: ReaderId, message: Message, key: OutboxKey, now: datetime
    ) -> None:
        """Add a message that belongs to no edition; a key that exists already is ignored (idempotent)."""
        with self._database.writing() as connection:
            insert_message(connection, reader_id, message, key, now)

    def claim(self, kind: Kind, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Claim up to ``limit`` due messages of a channel, each for the time of ``lease``.

        Order: claims whose lease ended before the body was started, then retries that are due, then new messages;
        oldest first. Expires overdue messages before, see ``expire``.
        """
        # A claim that a power failure undoes is simply claimed again.
        return self._commits.commit(self._claim_all, Claim(kind, now, lease, limit), durable=False)

    def expire(self, now: datetime) -> int:
        """Mark messages ``unknown`` whose lease ended after their body was started; return how many."""
        with self._database.writing() as connection:
            return _expire(connection, now)

    def start_data(self, delivery: Delivery, now: datetime, lease: timedelta) -> bool:
        """Record that the body is sent next, and renew the lease; it may be sent only if this returns True.

        False where the lease ended or the row has another token, and where the reader has stopped meanwhile: then
        the message is cancelled. Confirmation mails are sent regardless: their reader has not subscribed yet.
        """
        # The one commit that must survive a power failure: without it the message would be claimed and sent again.
        return self._commits.commit(self._start_all, Start(delivery, now, now + lease), durable=True)

    def record_sent(
        self, delivery: Delivery, receipt: str, now: datetime, on_commit: Callable[[bool], None]
    ) -> None:
        """Record with the next commit, of whichever thread, that a message was sent.

        ``on_commit`` is called after that commit, in its thread, and gets False where the claim was lost. Until then
        a kill leaves the message ``unknown``; ``flush`` ends that time.
        """
        self._commits.defer(self._record_sent, Sent(delivery, now, receipt), on_commit)

    def flush(self) -> None:
        """Commit what ``record_sent`` has left to the next commit, if there is anything."""
        self._commits.flush()

    def finish(
        self, delivery: Delivery, state: State, now: datetime, code: str = "", detail: str = ""
    ) -> bool:
        """Record a final state, such as ``FAILED`` or ``UNKNOWN``; False where the claim was lost."""
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

    def release(self, deliveries: Sequence[Delivery], not_before: datetime | None, now: datetime) -> None:
        """Undo claims that are still held; their messages are due at ``not_before``, or at once."""
        state = State.RETRY if not_before else State.PENDING
        values = {"new_state": state, "until": not_before}
        with self._database.writing(durable=False) as connection:
            connection.execute(
                statements.RELEASE, [_claim_values(delivery, now) | values for delivery in deliveries]
            )

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
        query = select(*statements.DELIVERY).select_from(outbox).join(readers).join(outbox_bodies)
        query = query.where(outbox.c.state == state)
        if reader_id is not None:
            query = query.where(outbox.c.reader_id == reader_id)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(outbox.c.id)).all()
        return [_delivery(row, "") for row in rows]

    def unanswered_lists(self, kind: Kind, since: datetime) -> list[Delivery]:
        """Return the messages that became unknown after a time and in whose threads replies are held."""
        query = select(*statements.DELIVERY).select_from(outbox).join(readers).join(outbox_bodies)
        query = query.where(
            outbox.c.state == State.UNKNOWN, outbox.c.kind == kind, statements.HAS_HELD_REPLIES
        )
        with self._database.reading() as connection:
            return [
                _delivery(row, "") for row in connection.execute(query.where(outbox.c.updated_at > since))
            ]

    def mark_arrived(self, delivery_id: int, detail: str, now: datetime) -> bool:
        """Record that an unknown message has arrived after all; False where it is not unknown any more.

        ``detail`` is its receipt, under which the replies in its thread are posted next.
        """
        with self._database.writing() as connection:
            has_arrived = _overrule(
                connection, delivery_id, [State.UNKNOWN], state=State.SENT, detail=detail, updated_at=now
            )
            if has_arrived:
                thread = {"row_id": delivery_id, "receipt": detail, "at": now}
                connection.execute(statements.POST_REPLIES, thread)
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
        with self._database.reading() as connection:
            return dict.fromkeys(State, 0) | dict(connection.execute(query).all())

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
        with self._database.reading() as connection:
            times = [connection.scalar(query) for query in oldest]
        return min((time for time in times if time), default=None)

    def expired_claims(self, now: datetime) -> int:
        """Return how many claims have a lease that has ended: their worker has died or hangs."""
        states = (State.CLAIMED, State.DATA_STARTED)
        query = select(func.count()).where(outbox.c.state.in_(states), outbox.c.lease_until < now)
        with self._database.reading() as connection:
            return connection.scalar(query) or 0

    def problems(self, limit: int, since: datetime | None = None) -> list[UndeliveredMessage]:
        """Return the messages that failed, wait for a retry, or may have arrived; newest first.

        With ``since``, only those that changed after it.
        """
        query = select(outbox, *statements.READER).join(readers).where(outbox.c.state.in_(_TROUBLED))
        query = query.order_by(outbox.c.id.desc()).limit(limit)
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

    def last_sent(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, datetime]:
        """Return when a message last went out to each of these readers who got one."""
        query = select(outbox.c.reader_id, func.max(outbox.c.updated_at))
        query = query.where(outbox.c.state == State.SENT).group_by(outbox.c.reader_id)
        last: dict[ReaderId, datetime] = {}
        with self._database.reading() as connection:
            for chunk in in_chunks(reader_ids):
                last |= dict(connection.execute(query.where(outbox.c.reader_id.in_(chunk))).all())
        return last

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
        # Undone by a power failure, the row is claimed again or expires to ``unknown``: never sent twice.
        change = Decision(decision, _claim_values(delivery, now) | values)
        return self._commits.commit(_decide_all, change, durable=False)

    def _claim_all(self, connection: Connection, claims: Sequence[Claim]) -> list[list[Delivery]]:
        """Give each worker in turn up to ``limit`` due rows, with a token each and a lease.

        Before, drop the bodies of what was settled since the last claim.
        """
        # With the claims, one in 50 messages, and not with each message that was sent.
        settled = [self._settled.pop() for _ in range(len(self._settled))]
        if settled:
            # The state is asked again: the transaction that settled a row may have been rolled back.
            over = select(outbox.c.id).where(outbox.c.id.in_(settled), outbox.c.state.in_(_BODY_DROPPED))
            connection.execute(delete(outbox_bodies).where(outbox_bodies.c.outbox_id.in_(over)))
        _expire(connection, max(claim.now for claim in claims))
        claimed: list[list[Delivery]] = []
        for claim in claims:
            due: list[AnyRow] = []
            for query in statements.DUE:
                if len(due) < claim.limit:
                    values = {"of_kind": claim.kind, "at": claim.now, "far": claim.now + FAR}
                    due += connection.execute(query, {**values, "most": claim.limit - len(due)})
            rows = [(row, token_hex(16)) for row in due]
            if rows:
                lease = {"until": claim.now + claim.lease, "at": claim.now}
                connection.execute(
                    statements.CLAIM, [{"row_id": row.id, "new_token": token, **lease} for row, token in rows]
                )
            claimed.append([_delivery(row, token) for row, token in rows])
        return claimed

    def _start_all(self, connection: Connection, starts: Sequence[Start]) -> list[bool]:
        """Start the bodies of the claims that are still held; cancel those whose reader has stopped."""
        now = max(start.now for start in starts)
        until = max(start.until for start in starts)
        claims = [value for start in starts for value in (start.delivery.id, start.delivery.token)]
        # Nothing of a message was sent until its start is committed, so that a start whose commit got no answer may be
        # repeated. Otherwise it may not: a second one of the same claim would be a second body.
        is_repeated = any(start.may_be_committed for start in starts)
        sql = statements.start(len(starts), is_repeated=is_repeated)
        started = statements.changed_ids(connection, sql, [until, now, *claims, now])
        for start in starts:
            start.may_be_committed = True
        for start in starts:
            if start.delivery.id not in started:
                cancelled = connection.scalars(
                    statements.CANCEL, _claim_values(start.delivery, start.now)
                ).all()
                self._settled.extend(cancelled)
                for row_id in cancelled:
                    replies = connection.scalars(statements.CANCEL_REPLIES, {"row_id": row_id, "at": now})
                    self._settled.extend(replies)
        return [start.delivery.id in started for start in starts]

    def _record_sent(self, connection: Connection, messages: Sequence[Sent]) -> list[bool]:
        now = max(message.now for message in messages)
        receipts = [value for message in messages for value in (message.delivery.id, message.receipt)]
        claims = [value for message in messages for value in (message.delivery.id, message.delivery.token)]
        sql = statements.record_sent(len(messages))
        recorded = statements.changed_ids(connection, sql, [now, *receipts, *claims])
        self._settled.extend(recorded)
        # In the same transaction, so that no thread is left without its replies.
        threads = [
            {"row_id": message.delivery.id, "receipt": message.receipt, "at": message.now}
            for message in messages
            if message.delivery.has_replies and message.delivery.id in recorded
        ]
        if threads:
            connection.execute(statements.POST_REPLIES, threads)
        return [message.delivery.id in recorded for message in messages]


def _decide_all(connection: Connection, decisions: Sequence[Decision]) -> list[bool]:
    return [connection.execute(decision.statement, decision.values).rowcount == 1 for decision in decisions]


def _overrule(connection: Connection, row_id: int, states: Collection[State], **values: object) -> bool:
    """Change a row in one of the states without a claim; its token is cleared, so that no late worker undoes it."""
    changed = update(outbox).where(outbox.c.id == row_id, outbox.c.state.in_(states))
    return connection.execute(changed.values(token=None, code="", **values)).rowcount == 1


def _claim_values(delivery: Delivery, now: datetime) -> dict[str, object]:
    return {"row_id": delivery.id, "row_token": delivery.token, "at": now}


def _expire(connection: Connection, now: datetime) -> int:
    return connection.execute(statements.EXPIRE, {"at": now, "far": now + FAR}).rowcount


def _delivery(row: AnyRow, token: str) -> Delivery:
    reader = reader_of(row, row.reader_id)
    return Delivery(
        id=row.id,
        key=OutboxKey.parse(row.key),
        reader=reader,
        body=row.body,
        attempts=row.attempts + 1,
        token=token,
        date=row.date,
        thread=row.thread,
        has_replies=row.has_replies,
    )
