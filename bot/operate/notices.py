"""Notices: at most one mail a day to the operator, when something needs a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.channels import Route
from bot.channels.dispatcher import Dispatcher
from bot.channels.email.rendering import notice_bytes, sender_domain
from bot.channels.ports import StopSignal
from bot.config.files import DiskSpace
from bot.model import OPERATOR_KIND, Message, OutboxKey, Problem, State
from bot.model.errors import DeliveryError, StoreError
from bot.store import Store

# Older problems were in an earlier notice.
_MAX_AGE = timedelta(days=1)
_MAX_PROBLEMS = 50
_MAX_SUBJECT = 120
_FOOTER = "`paperbot status` shows more; `paperbot retry` sends again what waits, failed or is unknown."


def pending_problems(store: Store, disk_space: DiskSpace, now: datetime) -> list[Problem]:
    """Return the full disks, the open circuit breakers, and the messages failed or unknown since yesterday."""
    return [
        *disk_space.problems(),
        *(
            Problem(kind, f"circuit breaker open until {breaker.until:%Y-%m-%d %H:%M} UTC: {breaker.why}")
            for kind, breaker in store.circuit_breakers.all().items()
            # A notice of what holds notices back would only be held back too.
            if kind != OPERATOR_KIND
        ),
        *(
            Problem(trouble.reader, f"{trouble.state}: {trouble.detail or trouble.code} ({trouble.subject})")
            for trouble in store.outbox.problems(_MAX_PROBLEMS, since=now - _MAX_AGE)
            # A message in retry is sent again without anybody's help, and a notice does not report on notices.
            if trouble.state is not State.RETRY and trouble.kind != OPERATOR_KIND
        ),
    ]


@dataclass(frozen=True, slots=True)
class OperatorNotices:
    """Sends notices to the operator's address, by the outbox like every other message.

    The outbox's key holds the day: at most one notice a day, also from several processes. A notice that can't be sent
    is tried again and listed by ``status``. It is delivered by a dispatcher of its own, whatever the state of the
    readers' channels and disks, since these are what a notice reports; ``stop``, once set, ends a delivery early.
    """

    address: str
    sender: str
    store: Store
    disk_space: DiskSpace
    route: Route
    stop: StopSignal | None = None

    def send(self, problems: Sequence[Problem], now: datetime) -> list[Problem]:
        """Send these and the stored problems, unless today has a notice already; return what failed."""
        problems = list(dict.fromkeys([*pending_problems(self.store, self.disk_space, now), *problems]))
        if not problems:
            return []
        subject = f"Paperbot needs you: {problems[0]}"[:_MAX_SUBJECT]
        try:
            operator = self.store.readers.operator(self.address, now)
            key = OutboxKey(f"notice-{now.date()}", operator.id, operator.kind)
            body = notice_bytes(
                subject,
                "\n".join([*(f"- {problem}" for problem in problems), "", _FOOTER, ""]),
                sender=self.sender,
                recipient=self.address,
                message_id=f"<{key.slot}@{sender_domain(self.sender)}>",
                date=now,
            )
            self.store.outbox.put_without_edition(operator.id, Message(body, subject), key, now)
            return list(self._dispatcher().deliver_due(now).problems)
        except (StoreError, DeliveryError) as error:
            return [Problem("operator", f"could not be notified: {error}")]

    def _dispatcher(self) -> Dispatcher:
        # Without ``disk_problems``, as a notice of a full disk is one short row and must go out, and without limits,
        # as a few notices a day are no load.
        return Dispatcher(
            self.store.outbox,
            {OPERATOR_KIND: self.route},
            self.store.readers,
            self.store.circuit_breakers,
            self.store.send_rates({}),
            stop=self.stop,
        )
