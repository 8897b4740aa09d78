"""One mail a day to whoever runs Paperbot, when something needs a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parseaddr

from bot.delivery import Channel
from bot.disk_space import DiskSpace
from bot.domain import Delivery, Kind, OutboxKey, Problem, Reader, State
from bot.errors import DeliveryError, StoreError
from bot.rendering.mime import notice_bytes
from bot.store import Store

_FRESH = timedelta(days=1)  # what is older was told before
_SHOWN = 50
_FOOT = "`paperbot status` shows more; `paperbot retry` sends again what waits, failed or is unknown."


def pending_problems(store: Store, room: DiskSpace, now: datetime) -> list[Problem]:
    """A full disk, paused channels, and what failed or is of unknown fate since yesterday."""
    return [
        *room.problems(),
        *(
            Problem(kind, f"paused until {pause.until:%Y-%m-%d %H:%M} UTC: {pause.why}")
            for kind, pause in store.pauses.all().items()
        ),
        *(
            Problem(trouble.reader, f"{trouble.state}: {trouble.detail or trouble.code} ({trouble.subject})")
            for trouble in store.outbox.problems(_SHOWN, since=now - _FRESH)
            if trouble.state is not State.RETRY
        ),
    ]


@dataclass(frozen=True, slots=True)
class OperatorNotices:
    """Whoever runs Paperbot, at one address."""

    address: str
    sender: str
    store: Store
    room: DiskSpace
    channel: Channel

    def tell(self, problems: Sequence[Problem], now: datetime) -> Problem | None:
        """Mail these problems and those on record, unless today's mail has gone; a problem where it can't go."""
        found = list(dict.fromkeys([*pending_problems(self.store, self.room, now), *problems]))
        day = now.date()
        try:
            if not found or not self.store.notices.take(day, now):
                return None
            self.channel.send(self._mail(found, now), lambda: None)
        except StoreError as error:
            return Problem("operator", f"could not be told: {error}")
        except DeliveryError as error:
            if not error.unknown:
                self.store.notices.release(day)
            return Problem("operator", f"could not be told: {error}")
        return None

    def _mail(self, problems: Sequence[Problem], now: datetime) -> Delivery:
        lines = [f"- {problem}" for problem in problems]
        key = f"notice-{now.date()}"
        body = notice_bytes(
            f"Paperbot needs you: {problems[0]}"[:120],
            "\n".join([*lines, "", _FOOT, ""]),
            sender=self.sender,
            recipient=self.address,
            message_id=f"<{key}@{parseaddr(self.sender)[1].rpartition('@')[2] or 'localhost'}>",
            date=now,
        )
        reader = Reader(0, "operator", Kind.EMAIL, self.address)
        return Delivery(0, OutboxKey(key, reader.id, reader.kind), reader, body, 1, "", now.date())
