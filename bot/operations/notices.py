"""Notices: at most one mail a day to the operator, when something needs a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.delivery import Channel
from bot.disk_space import DiskSpace
from bot.domain import NOT_STORED, Delivery, Kind, OutboxKey, Problem, Reader, State
from bot.errors import DeliveryError, StoreError
from bot.rendering.mime import notice_bytes, sender_domain
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
            Problem(kind, f"paused until {breaker.until:%Y-%m-%d %H:%M} UTC: {breaker.why}")
            for kind, breaker in store.circuit_breakers.all().items()
        ),
        *(
            Problem(trouble.reader, f"{trouble.state}: {trouble.detail or trouble.code} ({trouble.subject})")
            for trouble in store.outbox.problems(_MAX_PROBLEMS, since=now - _MAX_AGE)
            # A message in retry is sent again without anybody's help.
            if trouble.state is not State.RETRY
        ),
    ]


@dataclass(frozen=True, slots=True)
class OperatorNotices:
    """Sends notices to the operator's address.

    A notice doesn't go through the outbox: it reports that the outbox can't deliver, so it must not wait there behind
    an open circuit breaker or a full disk. The day is taken in the store before the mail is sent, and released if the
    server refused it: at most one notice a day, also from several processes.
    """

    address: str
    sender: str
    store: Store
    disk_space: DiskSpace
    channel: Channel

    def tell(self, problems: Sequence[Problem], now: datetime) -> Problem | None:
        """Send these and the stored problems, unless today's notice was sent; return a problem if that fails."""
        problems = list(dict.fromkeys([*pending_problems(self.store, self.disk_space, now), *problems]))
        day = now.date()
        try:
            if not problems or not self.store.notices.take(day, now):
                return None
            self.channel.send(self._notice(problems, now), lambda: None)
        except StoreError as error:
            return Problem("operator", f"could not be told: {error}")
        except DeliveryError as error:
            # If the outcome is unknown, the mail may have arrived: the day stays taken (at most once).
            if not error.unknown:
                self.store.notices.release(day)
            return Problem("operator", f"could not be told: {error}")
        return None

    def _notice(self, problems: Sequence[Problem], now: datetime) -> Delivery:
        key = f"notice-{now.date()}"
        lines = [f"- {problem}" for problem in problems]
        body = notice_bytes(
            f"Paperbot needs you: {problems[0]}"[:_MAX_SUBJECT],
            "\n".join([*lines, "", _FOOTER, ""]),
            sender=self.sender,
            recipient=self.address,
            message_id=f"<{key}@{sender_domain(self.sender)}>",
            date=now,
        )
        # Channels send to readers; the operator subscribes to nothing and is in no table.
        operator = Reader(NOT_STORED, "operator", Kind.EMAIL, self.address)
        return Delivery(0, OutboxKey(key, operator.id, operator.kind), operator, body, 1, "", now.date())
