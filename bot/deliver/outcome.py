"""What becomes of a delivery: one pure decision from what its channel said.

A refused message waits 1, 5, 15, 60 minutes, then 4 hours each time, and fails with the eighth attempt: about
13 hours, in which most outages end and after which the next edition is near. What the other side asks for
wins where it is longer, up to a day.

A channel's own failure (a wrong password, no connection) is never the end of the messages held back behind
the one that met it: they wait for whoever mends it. The one that met it waits a step longer than they do, so
that a message refused for its own sake does not stop the others twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain import Delivery, State
from bot.errors import Blame, DeliveryError

BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
MAX_ATTEMPTS = 8
LONGEST_WAIT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A delivery's next state, the other side's word and text for it; ``not_before`` with ``RETRY`` only."""

    state: State
    code: str = ""
    detail: str = ""
    not_before: datetime | None = None


def after_error(delivery: Delivery, error: DeliveryError, now: datetime) -> Outcome:
    """What becomes of the delivery that met the error."""
    if error.unknown:
        return Outcome(State.UNKNOWN, error.code, str(error))
    of_channel = error.blame is Blame.CHANNEL
    if delivery.attempts >= MAX_ATTEMPTS or (error.permanent and not of_channel):
        return Outcome(State.FAILED, error.code, str(error))
    wait = _wait(delivery.attempts + of_channel, error)
    return Outcome(State.RETRY, error.code, str(error), now + wait)


def held_back(delivery: Delivery, error: DeliveryError, now: datetime) -> Outcome:
    """What becomes of a delivery that was not tried, because its channel met the error earlier in the run."""
    return Outcome(State.RETRY, error.code, f"held back: {error}", now + _wait(delivery.attempts, error))


def _wait(attempts: int, error: DeliveryError) -> timedelta:
    step = BACKOFF[min(attempts, len(BACKOFF)) - 1]
    asked = timedelta(seconds=min(error.retry_after or 0, LONGEST_WAIT.total_seconds()))
    return max(step, asked)
