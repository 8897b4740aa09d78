"""What becomes of a delivery: one pure decision from what its channel said.

A refused message waits 1, 5, 15, 60 minutes, then 4 hours each time, and fails with the eighth attempt: about
13 hours, in which most outages end and after which the next edition is near. What the other side asks for
wins where it is longer, up to a day.

A channel's own failure (a wrong password, no connection) is never a message's end: the channel pauses, ever
longer up to an hour, and the attempt is not counted. Where a channel refuses all, but perhaps for this
message's sake (a policy), it counts, and this message waits a step longer than the channel, so that it does
not stop the others twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain import Delivery, State
from bot.errors import DeliveryError, FailureScope

BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
MAX_ATTEMPTS = 8
LONGEST_WAIT = timedelta(days=1)
PAUSES = BACKOFF[:4]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A delivery's next state, the other side's word and text for it; ``not_before`` with ``RETRY`` only.

    Unless ``counted``, the attempt was none of the message's own.
    """

    state: State
    code: str = ""
    detail: str = ""
    not_before: datetime | None = None
    counted: bool = True


def after_error(delivery: Delivery, error: DeliveryError, now: datetime) -> Outcome:
    """What becomes of the delivery that met the error."""
    if error.unknown:
        return Outcome(State.UNKNOWN, error.code, str(error))
    if error.blame is FailureScope.CHANNEL:
        return Outcome(State.RETRY, error.code, str(error), now + _wait(1, error), counted=False)
    of_policy = error.blame is FailureScope.POLICY
    if delivery.attempts >= MAX_ATTEMPTS or (error.permanent and not of_policy):
        return Outcome(State.FAILED, error.code, str(error))
    return Outcome(State.RETRY, error.code, str(error), now + _wait(delivery.attempts + of_policy, error))


def pause(failures: int) -> timedelta:
    """How long a channel pauses after so many failures in a row, from 1 on."""
    return PAUSES[min(failures, len(PAUSES)) - 1]


def _wait(attempts: int, error: DeliveryError) -> timedelta:
    step = BACKOFF[min(attempts, len(BACKOFF)) - 1]
    asked = timedelta(seconds=min(error.retry_after or 0, LONGEST_WAIT.total_seconds()))
    return max(step, asked)
