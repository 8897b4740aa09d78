"""One delivery, from its claim to its end: send it, have the outbox remember what came of it, stop what failed.

    send (start_data just before the body) -> outcome -> commit -> pause the channel, stop the reader, or go on

Nothing is counted or told where the outbox says that the row is another worker's by now.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.delivery import Cancelled, Channel
from bot.delivery.ports import Outbox, Pauses, ReaderSuppression
from bot.delivery.retry_policy import Outcome, after_error, pause
from bot.delivery.run import SILENCES, Run, minute, paused
from bot.domain import Delivery, Kind, Problem, State
from bot.errors import DeliveryError, FailureScope

# Longer than one message may take (a mail's session and answer have 15 minutes): a dead worker's rows wait as long.
LEASE = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class DeliveryAttempts:
    """Settles deliveries of one run, in any thread."""

    outbox: Outbox
    readers: ReaderSuppression
    pauses: Pauses
    run: Run

    def deliver(self, delivery: Delivery, channel: Channel) -> DeliveryError | None:
        """Send one message and settle it; the error if it met one."""
        kind, failure = delivery.reader.kind, None
        try:
            outcome = self._send(delivery, channel)
        except DeliveryError as error:
            failure = error
            outcome = after_error(delivery, error, self.run.now())
        self._settle(delivery, outcome)
        if failure and outcome.counted:  # else the channel's problem says all
            self.run.problems.append(_problem(delivery, outcome, failure))
        if failure and failure.blame is FailureScope.READER and failure.permanent:
            self.readers.refuse(delivery.reader.id, str(failure))
        if outcome.state is State.SENT:
            self._resume(kind)
        if self.run.too_silent(kind, outcome.state):
            self.pause(kind, f"{SILENCES} messages in a row were sent and not answered")
        return failure

    def pause(self, kind: Kind, why: str) -> None:
        """Send nothing more through a channel for a while, each time longer."""
        before, now = self.run.pauses.get(kind), self.run.now()
        until = now + pause(before.times + 1 if before else 1)
        if self.run.first_to_pause(kind, paused(why, until)):
            self.pauses.begin(kind, now, until, why)

    def _resume(self, kind: Kind) -> None:
        self.run.proven[kind].set()
        with self.run.lock:
            ended = self.run.pauses.pop(kind, None)
        if ended:
            self.pauses.end(kind)

    def _send(self, delivery: Delivery, channel: Channel) -> Outcome:
        started = False

        def start_data() -> None:
            nonlocal started
            if not self.outbox.start_data(delivery, self.run.now(), LEASE):
                raise Cancelled
            started = True

        try:
            receipt = channel.send(delivery, start_data)
        except Cancelled:
            return Outcome(State.CANCELLED)
        except DeliveryError:
            raise
        except Exception as error:  # a channel's bug must not lose the row, nor the rows after it
            message = f"unexpected {type(error).__name__}: {error}"
            raise DeliveryError(message, permanent=False, unknown=started, code="unexpected") from error
        return Outcome(State.SENT, detail=receipt)

    def _settle(self, delivery: Delivery, outcome: Outcome) -> None:
        if self._commit(delivery, outcome, self.run.now()):
            self.run.settle(delivery, outcome.state)

    def _commit(self, delivery: Delivery, outcome: Outcome, now: datetime) -> bool:
        code, detail = outcome.code, outcome.detail
        if outcome.state is State.CANCELLED:
            return True  # the outbox said so itself
        if outcome.not_before is not None:
            return self.outbox.retry(delivery, outcome.not_before, code, detail, now, counted=outcome.counted)
        return self.outbox.finish(delivery, outcome.state, now, code, detail)


def _problem(delivery: Delivery, outcome: Outcome, error: DeliveryError) -> Problem:
    """One line for people: what has become of a message, under its reader's name."""
    return Problem(delivery.reader.name, f"{error} ({_what_now(outcome)})")


def _what_now(outcome: Outcome) -> str:
    if outcome.not_before is not None:
        return f"tried again from {minute(outcome.not_before)}"
    if outcome.state is State.UNKNOWN:
        return "it may have arrived, so it is not sent again unless a person asks"
    return "given up"
