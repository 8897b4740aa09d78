"""The outbox and the readers' stops in memory, strict about states and tokens."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from datetime import timedelta
from threading import Lock

from bot.model import Delivery, SendGrant, State

_NEXT = {
    State.PENDING: {State.CLAIMED},
    State.RETRY: {State.CLAIMED},
    State.CLAIMED: {S for S in State if S not in (State.SENT, State.UNKNOWN)},
    State.DATA_STARTED: {State.SENT, State.FAILED, State.RETRY, State.UNKNOWN},
}


@dataclass
class Row:
    delivery: Delivery
    history: list[State] = field(default_factory=lambda: [State.PENDING])
    lease_until: object = None
    not_before: object = None
    code: str = ""
    detail: str = ""

    @property
    def state(self):
        return self.history[-1]

    def move(self, state):
        assert state in _NEXT[self.state], f"{self.state} -> {state}"
        self.history.append(state)


@dataclass
class MemoryBreaker:
    until: object
    times: int
    why: str


class MemoryBreakers:
    def __init__(self):
        self.breakers: dict[object, MemoryBreaker] = {}
        self.ended: list[object] = []

    def all(self):
        return dict(self.breakers)

    def begin(self, kind, now, until, why):
        before = self.breakers.get(kind)
        self.breakers[kind] = MemoryBreaker(until, before.times + 1 if before else 1, why)

    def end(self, kind):
        del self.breakers[kind]
        self.ended.append(kind)


class MemoryReaders:
    def __init__(self):
        self.stopped: dict[int, str] = {}

    def suppress(self, reader_id, why):
        self.stopped[reader_id] = why


class MemoryRates:
    """Grants so many messages in all, and then none until ``next_at``; without ``left`` it grants everything."""

    def __init__(self):
        self.left, self.next_at, self.is_day_over = None, None, False
        self.slowed: list[object] = []
        self._lock = Lock()

    def take(self, kind, most, now):
        with self._lock:
            if self.left is None:
                return SendGrant(most)
            if self.next_at and now >= self.next_at:
                self.left, self.next_at = self.left + 1, None
            count = min(self.left, most)
            self.left -= count
            if count:
                return SendGrant(count)
            self.next_at = self.next_at or now + timedelta(seconds=1)
            return SendGrant(0, self.next_at, self.is_day_over)

    def release(self, kind, count, now):
        with self._lock:
            if self.left is not None:
                self.left += count

    def slow_down(self, kind, now):
        self.slowed.append(kind)


class MemoryOutbox:
    """Rows by id. ``on_start`` is called just before a body's start is committed: the moment of races."""

    def __init__(self, readers):
        self.rows: dict[int, Row] = {}
        self.on_start = lambda delivery: None
        self.readers = readers
        self._tokens = itertools.count(1)
        self._lock = Lock()

    def add(self, delivery):
        self.rows[delivery.id] = Row(replace(delivery, attempts=delivery.attempts - 1, token=""))
        return self.rows[delivery.id]

    def expire(self, now):
        late = [r for r in self.rows.values() if r.state is State.DATA_STARTED and r.lease_until <= now]
        for row in late:
            row.move(State.UNKNOWN)
        return len(late)

    def claim(self, kind, now, lease, limit):
        with self._lock:
            return self._claim(kind, now, lease, limit)

    def _claim(self, kind, now, lease, limit):
        of_kind = [row for row in self.rows.values() if row.delivery.reader.kind == kind]
        due = [row for row in of_kind if self._due(row, now)][:limit]
        for row in due:
            row.move(State.CLAIMED)
            row.lease_until = now + lease
            row.delivery = replace(row.delivery, token=str(next(self._tokens)), attempts=row.delivery.attempts + 1)
        return [row.delivery for row in due]

    def unanswered_lists(self, kind, since):
        return []  # no row here has a thread

    def release(self, deliveries, not_before, now):
        for delivery in deliveries:
            if row := self._mine(delivery):
                row.move(State.RETRY if not_before else State.PENDING)
                row.not_before = not_before
                row.delivery = replace(row.delivery, attempts=row.delivery.attempts - 1)

    def next_due(self, kind):
        rows = [r for r in self.rows.values() if r.delivery.reader.kind == kind and r.state is State.RETRY]
        return min((row.not_before for row in rows), default=None)

    def waiting(self, kind):
        waits = (State.PENDING, State.RETRY)
        return sum(r.delivery.reader.kind == kind and r.state in waits for r in self.rows.values())

    def start_data(self, delivery, now, lease):
        self.on_start(delivery)
        row = self._mine(delivery)
        if row is None:
            return False
        stopped = delivery.reader.id in self.readers.stopped
        row.move(State.CANCELLED if stopped else State.DATA_STARTED)
        return not stopped

    def record_sent(self, delivery, receipt, now):
        return self._settle(delivery, State.SENT, "", receipt)

    def finish(self, delivery, state, now, code, detail):
        return self._settle(delivery, state, code, detail)

    def retry(self, delivery, not_before, code, detail, now, *, counted):
        assert not_before > now
        if not counted:
            row = self.rows[delivery.id]
            row.delivery = replace(row.delivery, attempts=row.delivery.attempts - 1)
        return self._settle(delivery, State.RETRY, code, detail, not_before)

    def others_were_accepted(self, delivery):
        return any(row.state is State.SENT and row.delivery.reader != delivery.reader for row in self.rows.values())

    def steal(self, delivery):
        """Claim the row for another worker, as after the end of the lease."""
        row = self.rows[delivery.id]
        row.delivery = replace(row.delivery, token="another's")

    def _settle(self, delivery, state, code, detail, not_before=None):
        row = self._mine(delivery)
        if row is None:
            return False
        row.move(state)
        row.code, row.detail, row.not_before = code, detail, not_before
        return True

    def _mine(self, delivery):
        row = self.rows[delivery.id]
        return row if row.delivery.token == delivery.token else None

    def _due(self, row, now):
        if row.state is State.RETRY:
            return row.not_before <= now
        if row.state is State.CLAIMED:
            return row.lease_until <= now
        return row.state is State.PENDING
