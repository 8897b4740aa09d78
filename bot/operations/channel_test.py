"""Test messages: a reader's last edition, or a sample, sent now through the configured channel.

The store is read and never written: no slot, no pick, no outbox row. Circuit breakers and schedules are ignored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from bot.channels.registry import MessageRenderer, reader_channel
from bot.config.profiles import Profile
from bot.delivery import Route
from bot.domain import Delivery, Edition, Kind, OutboxKey, Reader, StopReason
from bot.errors import DeliveryError, FailureScope, UsageError
from bot.rendering import sample
from bot.schedule import local_date
from bot.store import Store

# An error of the whole channel names its settings already, so it needs no remedy here.
_REMEDIES: Mapping[FailureScope, str] = {
    FailureScope.READER: "correct the reader's address in the profile",
    FailureScope.MESSAGE: "the other side's log may say more",
}


@dataclass(frozen=True, slots=True)
class SentTest:
    """The edition sent, whether it is a sample, and the server's receipts or the paths of the files written."""

    edition: Edition
    is_sample: bool
    receipts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChannelTests:
    """Sends test messages; ``renderer`` is that of real editions, whose links and buttons work."""

    store: Store
    renderer: MessageRenderer
    sample_renderer: MessageRenderer
    routes: Mapping[Kind, Route]
    sleep: Callable[[float], None] = time.sleep

    def send(self, reader: Reader, profile: Profile, now: datetime) -> SentTest:
        """Send one edition as a test.

        Raises UsageError for a reader who has stopped, and DeliveryError with a remedy if the message can't be sent.
        A reader whose address was refused is allowed: a test is how a corrected address is checked.
        """
        if reader.stopped not in (None, StopReason.REFUSED):
            raise UsageError(f"{reader.name} gets no messages: {reader.stopped_because}")
        day = local_date(now, profile.schedule.timezone)
        renderer = self.renderer
        last = next((stored for stored in self.store.editions.of_reader(reader.id) if stored.picks), None)
        if last:
            edition = Edition(
                reader=reader,
                profile_title=profile.title,
                date=last.date,
                # Now, not the original time: mailboxes sort by the Date header, and an old one would be buried.
                composed_at=now,
                picks=self.store.editions.picks_of(last.id),
                considered=last.considered,
                watermark=last.watermark,
                language=profile.language,
                is_weekly=profile.schedule.is_weekly,
                is_test=True,
            )
        else:
            edition = replace(
                sample.edition(),
                reader=reader,
                profile_title=f"{profile.title} (a sample)",
                date=day,
                composed_at=now,
                language=profile.language,
                is_test=True,
            )
            renderer = self.sample_renderer
        return SentTest(edition, last is None, self._deliver(edition, renderer, day))

    def _deliver(self, edition: Edition, renderer: MessageRenderer, day: date) -> tuple[str, ...]:
        """Send the edition's messages past the outbox; return the receipts. Raises DeliveryError with a remedy."""
        reader = edition.reader
        slot = f"test-{edition.composed_at:%Y%m%dT%H%M%S.%f}"
        route = self.routes[reader.kind]
        receipts: list[str] = []
        try:
            for message in renderer.messages(edition, slot):
                if receipts:
                    self.sleep(route.spacing.total_seconds())
                delivery = Delivery(
                    id=0,  # no outbox row
                    key=OutboxKey(slot, reader.id, reader.kind, message.part),
                    reader=reader,
                    body=message.body,
                    attempts=1,
                    token="",
                    date=day,
                    thread=receipts[0] if message.in_thread else "",
                )
                receipts.append(route.channels[0].send(delivery, lambda: None))
        except DeliveryError as error:
            remedy = "it may have arrived: look there before sending another"
            if not error.unknown:
                remedies = {**_REMEDIES, **reader_channel(reader.kind).remedies}
                remedy = remedies.get(error.scope, "")
            raise DeliveryError(
                f"{error}; {remedy}" if remedy else str(error),
                permanent=error.permanent,
                scope=error.scope,
                unknown=error.unknown,
                code=error.code,
            ) from error
        return tuple(receipts)
