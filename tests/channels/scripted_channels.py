"""A channel and a clock that tests control, and the counts of a report."""

from __future__ import annotations

from time import sleep

from bot.model import State


class ScriptedChannel:
    """A channel that does to each delivery what its number says, before or after the start of the body."""

    def __init__(self):
        self.before, self.after, self.sent = {}, {}, []

    def send(self, delivery, start_data):
        if delivery.id in self.before:
            raise self.before[delivery.id]
        start_data()
        if delivery.id in self.after:
            raise self.after[delivery.id]
        self.sent.append(delivery.id)
        return f"250 queued as {delivery.id}"

    def close(self):
        """Nothing to close."""


class PatientChannel(ScriptedChannel):
    """The probing worker: continues after its first message when the others have sent theirs."""

    def __init__(self, others):
        super().__init__()
        self._others = others

    def send(self, delivery, start_data):
        while self.sent and not all(other.sent for other in self._others):
            sleep(0)
        return super().send(delivery, start_data)


class Clock:
    """A timer that advances only when waited on, and the stop signal of the run."""

    def __init__(self):
        self.seconds, self.waits, self.stopped = 0.0, [], False

    def __call__(self):
        return self.seconds

    def is_set(self):
        return self.stopped

    def wait(self, seconds):
        self.seconds += seconds
        self.waits.append(seconds)


def counts(report):
    """How many were delivered, failed, are unknown, wait for a retry, were cancelled."""
    states = (State.SENT, State.FAILED, State.UNKNOWN, State.RETRY, State.CANCELLED)
    return tuple(report.counts[state] for state in states)
