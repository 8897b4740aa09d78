"""Send again, because a person asks for it: messages in retry, failed ones, or those of unknown outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.delivery import Route
from bot.domain import Kind, Reader, State, StopReason
from bot.store import Store


@dataclass(frozen=True, slots=True)
class RetryReport:
    """``arrived`` messages of unknown outcome turned out to be delivered; ``again`` messages are queued again."""

    arrived: int
    again: int


def retry(
    store: Store, routes: Mapping[Kind, Route], state: State, reader: Reader | None, now: datetime
) -> RetryReport:
    """Queue the messages in a state for the next delivery, those of one reader or of all.

    All circuit breakers are closed, and a named reader whose address was refused is reactivated: whoever asks for a
    retry has presumably fixed the cause.
    """
    for kind in store.circuit_breakers.all():
        store.circuit_breakers.end(kind)
    if reader and reader.stopped is StopReason.REFUSED:
        store.readers.resume(reader.id)
    # Counted by what was changed, not by what was listed: a worker may have claimed a row since.
    arrived = 0
    requeued = 0
    for delivery in store.outbox.in_state(state, reader.id if reader else None):
        channel = routes[delivery.key.kind].channels[0]
        # Slack can be asked whether a message arrived, SMTP can't. Where it can, an arrived message is marked as sent
        # instead: sending it again would be the duplicate that at-most-once delivery avoids.
        receipt = channel.find_receipt(delivery) if state is State.UNKNOWN else None
        if receipt:
            arrived += store.outbox.mark_arrived(delivery.id, receipt, now)
        else:
            requeued += store.outbox.requeue(delivery.id, now)
    return RetryReport(arrived, requeued)
