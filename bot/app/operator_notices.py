"""Notices to the operator, with a dispatcher of their own, so that the readers' messages don't delay them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.delivery.dispatcher import Dispatcher
from bot.domain import OPERATOR_KIND
from bot.operations.notices import OperatorNotices

if TYPE_CHECKING:
    from threading import Event

    from bot.delivery import Route
    from bot.disk_space import DiskSpace
    from bot.store import Store


def make_operator_notices(
    address: str, sender: str, store: Store, disk_space: DiskSpace, route: Route, *, stop: Event | None
) -> OperatorNotices:
    """Make the notices to the operator at ``address``; ``stop``, once set, ends a delivery early."""
    return OperatorNotices(
        address=address,
        sender=sender,
        store=store,
        disk_space=disk_space,
        # Without ``disk_problems``: a notice of a full disk is one short row, and must go out.
        dispatcher=Dispatcher(
            store.outbox,
            {OPERATOR_KIND: route},
            store.readers,
            store.circuit_breakers,
            # Without limits: a few notices a day, which say that something must be repaired.
            store.send_rates({}),
            stop=stop,
        ),
    )
