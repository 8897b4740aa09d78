"""Why an edition is late: composed and not delivered, or due and not composed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from bot.config.profiles import ScheduleSection
from bot.domain import Kind, Reader, State
from bot.schedule import due_slots, moment
from bot.store.circuit_breakers import OpenBreaker

# The states of a message's parts differ; the first of these, which needs a person, decides. Unknown comes before
# failed, as sending it again may be a duplicate.
_UNDELIVERED = {
    State.UNKNOWN: "sent, but no answer came; `paperbot retry --unknown` sends it again",
    State.FAILED: "given up; `paperbot retry --failed` sends it again",
}


def why_late(
    reader: Reader,
    schedule: ScheduleSection,
    states: Sequence[State],
    breakers: Mapping[Kind, OpenBreaker],
    *,
    last: date | None,
    since: datetime,
    now: datetime,
) -> str | None:
    """Return why a reader's edition is late; None if it isn't.

    ``states`` are those of the parts of the last edition, ``breakers`` the open circuit breakers. ``last`` is the
    newest local date that has an edition, ``since`` the time of the subscription.
    """
    # Nothing is due for a reader who has stopped, so nothing can be late.
    if reader.stopped:
        return None
    if not set(states) <= {State.SENT, State.CANCELLED}:
        for state, words in _UNDELIVERED.items():
            if state in states:
                return words
        if reader.kind in breakers:
            return f"the circuit breaker for {reader.kind} is open: {breakers[reader.kind].why}"
        return "composed, but not sent yet"

    missed = due_slots(schedule.at, schedule.days, schedule.timezone, now, last=last, since=since)
    if not missed:
        return None
    due = moment(missed[0], schedule.at, schedule.timezone)
    # A new reader's first edition is due on the day they subscribed, whatever the time; it is late only if they
    # subscribed before its moment.
    words = f"due since {due:%a %Y-%m-%d %H:%M} UTC, but nothing ran: is `paperbot serve` or cron running?"
    return words if due >= since else None
