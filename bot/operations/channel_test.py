"""A test of the way to one reader: the last edition once more, or a sample, through the configured channel.

The store is read and never written: no slot, no pick, no row of the outbox. Pauses and schedules don't count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.delivery import Route
from bot.domain import Delivery, Edition, Kind, OutboxKey, Reader, StopReason
from bot.errors import DeliveryError, FailureScope, UsageError
from bot.reader_links import SampleLinks
from bot.rendering import sample
from bot.rendering.messages import MessageRenderer
from bot.schedule import local_date
from bot.store import Store

if TYPE_CHECKING:
    from jinja2 import Environment

_REMEDIES = {
    FailureScope.READER: "correct the reader's address in the profile",
    FailureScope.POLICY: "check email.sender, and what the mail server lets this login send",
    FailureScope.MESSAGE: "the other side's log may say more",
}


@dataclass(frozen=True, slots=True)
class SentTest:
    """What was sent, a sample or the edition of a day, and the other side's receipts or the files written."""

    edition: Edition
    is_sample: bool
    receipts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChannelTests:
    """Sends test messages; ``renderer`` is that of real editions, whose links and buttons work."""

    store: Store
    templates: Environment
    sender: str
    public_url: str
    renderer: MessageRenderer
    routes: Mapping[Kind, Route]

    def send(self, reader: Reader, profile: Profile, now: datetime) -> SentTest:
        """Send one edition as a test.

        Raises UsageError for a reader who wants no messages, DeliveryError with its remedy where it can't go out.
        One whose address was refused earlier may be tried: that is how its correction is found to work.
        """
        if reader.stopped not in (None, StopReason.REFUSED):
            raise UsageError(f"{reader.name} gets no messages: {reader.stopped_because}")
        edition, renderer = self._last(reader, profile, now), self.renderer
        if is_sample := edition is None:
            edition = self._sample(reader, profile, now)
            links = SampleLinks(self.public_url)
            renderer = MessageRenderer(self.templates, self.sender, lambda _: links, slack_buttons=False)
        assert edition is not None  # noqa: S101 - the sample where there was none
        receipts = self._send(renderer, edition, profile, now)
        return SentTest(edition, is_sample, tuple(receipts))

    def _last(self, reader: Reader, profile: Profile, now: datetime) -> Edition | None:
        """The reader's last edition that had picks; None before the first.

        Its time is now, so that the mail stands among the newest of a mailbox.
        """
        editions = self.store.editions
        stored = next((e for e in editions.of_reader(reader.id) if e.picks), None)
        if stored is None:
            return None
        return Edition(
            reader=reader,
            profile_title=profile.title,
            date=stored.date,
            composed_at=now,
            picks=editions.picks_of(stored.id),
            considered=stored.considered,
            watermark=stored.watermark,
            is_test=True,
        )

    def _sample(self, reader: Reader, profile: Profile, now: datetime) -> Edition:
        return replace(
            sample.edition(),
            reader=reader,
            profile_title=f"{profile.title} (a sample)",
            date=local_date(now, profile.schedule.timezone),
            composed_at=now,
            is_test=True,
        )

    def _send(
        self, renderer: MessageRenderer, edition: Edition, profile: Profile, now: datetime
    ) -> list[str]:
        reader, slot = edition.reader, f"test-{now:%Y%m%dT%H%M%S.%f}"
        channel = self.routes[reader.kind].channels[0]
        day = local_date(now, profile.schedule.timezone)
        deliveries = [
            Delivery(0, OutboxKey(slot, reader.id, reader.kind, m.part), reader, m.body, 1, "", day)
            for m in renderer.messages(edition, slot)
        ]
        try:
            return [channel.send(delivery, lambda: None) for delivery in deliveries]
        except DeliveryError as error:
            raise _with_remedy(error) from error


def _with_remedy(error: DeliveryError) -> DeliveryError:
    """The error with what to do; what stops a whole channel names its settings already."""
    remedy = (
        "it may have arrived: look there before sending another"
        if error.unknown
        else _REMEDIES.get(error.blame)
    )
    message = f"{error}; {remedy}" if remedy else str(error)
    return DeliveryError(
        message, permanent=error.permanent, blame=error.blame, unknown=error.unknown, code=error.code
    )
