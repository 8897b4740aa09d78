"""Sending again, because a person asks: what waits, what failed, what is of unknown fate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.delivery import Route
from bot.domain import Kind, Reader, State, StopReason
from bot.store import Store


@dataclass(frozen=True, slots=True)
class RetryReport:
    """``arrived`` messages of unknown fate turned out to be there; ``again`` ones go out once more."""

    arrived: int
    again: int


def retry(
    store: Store, routes: Mapping[Kind, Route], state: State, reader: Reader | None, now: datetime
) -> RetryReport:
    """Have messages in a state sent at the next delivery, those of one reader or all.

    Where the other side can be asked, a message of unknown fate that arrived is settled instead. Paused
    channels are tried again; a named reader whose address was refused is served again.
    """
    for kind in store.pauses.all():
        store.pauses.end(kind)
    if reader and reader.stopped is StopReason.REFUSED:
        store.readers.resume(reader.id)
    arrived = again = 0
    for delivery in store.outbox.in_state(state, reader.id if reader else None):
        channel = routes[delivery.reader.kind].channels[0]
        receipt = channel.found(delivery) if state is State.UNKNOWN else None
        if receipt:
            arrived += store.outbox.settle(delivery.id, receipt, now)
        else:
            again += store.outbox.again(delivery.id, now)
    return RetryReport(arrived, again)
