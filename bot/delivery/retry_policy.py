"""What becomes of a failed attempt: one pure decision from the channel's error.

A refused message is retried with exponential backoff: 1, 5, 15, 60 minutes, then 4 hours each time. It fails with
the eighth attempt, about 13 hours later. Most outages end by then, and the next edition is near. RFC 5321
(4.5.4.1) asks relays to try for 4 to 5 days; a daily digest is out of date by then. A hard bounce
(``DeliveryError.is_hard_bounce``) fails at once, and the worker suppresses the reader.

A failure of the channel itself (a wrong password, no connection) never ends a message and is not counted: the
circuit breaker opens instead. A refusal by policy may be about the whole channel or about this message. It counts, and
the message waits one step longer than the breaker, so that it does not open the breaker twice in a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain import Delivery, State
from bot.errors import DeliveryError, FailureScope

BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
MAX_ATTEMPTS = 8
LONGEST_WAIT = timedelta(days=1)
# Shorter than a message's backoff: an operator who corrects a password should not wait for four hours.
BREAKER_TIMEOUTS = BACKOFF[:4]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The next state of a delivery, with the other side's code and text.

    ``not_before`` is set for ``RETRY`` only. ``counted`` is False where the failure was the channel's and the attempt
    does not bring the message closer to ``MAX_ATTEMPTS``.
    """

    state: State
    code: str = ""
    detail: str = ""
    not_before: datetime | None = None
    counted: bool = True

    @property
    def next_step(self) -> str:
        """What happens to the message now, for people."""
        if self.not_before is not None:
            return f"tried again from {self.not_before:%Y-%m-%d %H:%M} UTC"
        if self.state is State.UNKNOWN:
            return "it may have arrived, so it is not sent again unless a person asks"
        return "given up"


def decide(delivery: Delivery, error: DeliveryError, now: datetime) -> Outcome:
    """Return what becomes of a delivery that met an error."""
    if error.unknown:
        # The body may have arrived. A retry could deliver it twice (RFC 1047), so this is final: at most once.
        return Outcome(State.UNKNOWN, error.code, str(error))
    if error.scope is FailureScope.CHANNEL:
        not_before = now + _backoff(1, error)
        return Outcome(State.RETRY, error.code, str(error), not_before, counted=False)
    is_policy = error.scope is FailureScope.POLICY
    if delivery.attempts >= MAX_ATTEMPTS or (error.permanent and not is_policy):
        return Outcome(State.FAILED, error.code, str(error))
    not_before = now + _backoff(delivery.attempts + is_policy, error)
    return Outcome(State.RETRY, error.code, str(error), not_before)


def breaker_timeout(failures: int) -> timedelta:
    """Return how long a circuit breaker stays open after ``failures`` in a row, 1 or more."""
    return BREAKER_TIMEOUTS[min(failures, len(BREAKER_TIMEOUTS)) - 1]


def _backoff(attempts: int, error: DeliveryError) -> timedelta:
    """Return the wait after ``attempts``; the other side's ``Retry-After`` applies where it is longer."""
    step = BACKOFF[min(attempts, len(BACKOFF)) - 1]
    # Capped, since a header of 10^300 seconds is more than a timedelta holds.
    requested = timedelta(seconds=min(error.retry_after or 0, LONGEST_WAIT.total_seconds()))
    return max(step, requested)
