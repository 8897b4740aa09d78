"""The outbox and the readers' stops in memory, strict about states and tokens."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

from bot.domain import Delivery, State

_NEXT = {
    State.PENDING: {State.CLAIMED},
    State.RETRY: {State.CLAIMED},
    State.CLAIMED: {State.CLAIMED, State.DATA_STARTED, State.FAILED, State.RETRY, State.CANCELLED},
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


class MemoryReaders:
    def __init__(self):
        self.stopped: dict[int, str] = {}

    def stop(self, reader_id, why):
        self.stopped[reader_id] = why


class MemoryOutbox:
    """Rows by id. ``on_start`` is called just before a body's start is committed: the moment of races."""

    def __init__(self, readers):
        self.rows: dict[int, Row] = {}
        self.on_start = lambda delivery: None
        self.readers = readers
        self._tokens = itertools.count(1)

    def add(self, delivery):
        self.rows[delivery.id] = Row(replace(delivery, attempts=delivery.attempts - 1, token=""))
        return self.rows[delivery.id]

    def expire(self, now):
        late = [r for r in self.rows.values() if r.state is State.DATA_STARTED and r.lease_until <= now]
        for row in late:
            row.move(State.UNKNOWN)
        return len(late)

    def claim(self, now, lease, limit):
        due = [row for row in self.rows.values() if self._due(row, now)][:limit]
        for row in due:
            row.move(State.CLAIMED)
            row.lease_until = now + lease
            row.delivery = replace(
                row.delivery, token=str(next(self._tokens)), attempts=row.delivery.attempts + 1
            )
        return [row.delivery for row in due]

    def start_data(self, delivery, now):
        self.on_start(delivery)
        row = self._mine(delivery)
        if row is None:
            return False
        stopped = delivery.reader.id in self.readers.stopped
        row.move(State.CANCELLED if stopped else State.DATA_STARTED)
        return not stopped

    def finish(self, delivery, state, now, code, detail):
        return self._settle(delivery, state, code, detail)

    def retry(self, delivery, not_before, code, detail, now):
        assert not_before > now
        return self._settle(delivery, State.RETRY, code, detail, not_before)

    def steal(self, delivery):
        """What another worker does when this one's lease ran out."""
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
