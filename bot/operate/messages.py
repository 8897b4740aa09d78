"""Messages at the operator's request: tests, retries, and notices of problems."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from threading import Event

from bot.channels import MessageRenderer, Route, reader_channel
from bot.channels.email import EMAIL
from bot.channels.email.rendering import notice_bytes, sender_domain
from bot.channels.papers import SampleLinks
from bot.channels.templates import welcome_edition
from bot.config.files import DiskSpace
from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.model import OPERATOR_KIND, Delivery, Edition, Kind, Message, OutboxKey, Problem, Reader, State, StopReason
from bot.model.clock import local_date, next_moment, zone_named
from bot.model.errors import DeliveryError, FailureScope, StoreError, UsageError
from bot.operate.dispatcher import Dispatcher
from bot.operate.status import breaker_problem, message_problem
from bot.store import Store
from bot.wording import understood

# Earlier notices had the others.
_NOTICE_AGE = timedelta(days=1)
_NOTICE_PROBLEMS = 50
_NOTICE_SUBJECT = 120
_NOTICE_FOOTER = "`paperbot status` shows more; `paperbot retry` sends again what waits, failed or is unknown."
_REMEDIES: Mapping[FailureScope, str] = {
    FailureScope.RECIPIENT: "correct the reader's address in the profile, or what the server lets this login send",
    FailureScope.READER: "correct the reader's address in the profile",
    FailureScope.MESSAGE: "the other side's log may say more",
}


@dataclass(frozen=True, slots=True)
class SentTest:
    """A test message that was sent."""

    edition: Edition
    is_sample: bool
    receipts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChannelTests:
    """``renderer`` makes working links and buttons."""

    store: Store
    renderer: MessageRenderer
    sample_renderer: MessageRenderer
    routes: Mapping[Kind, Route]
    composer: EditionComposer
    public_url: str
    reply_to: str  # the mailbox for thumbs, or empty
    sleep: Callable[[float], None] = time.sleep

    def send(self, reader: Reader, profile: Profile, now: datetime) -> SentTest:
        """Send one edition as a test.

        Raises UsageError for a stopped reader, unless refused: a test checks the corrected address. Raises
        DeliveryError with a remedy.
        """
        if reader.stopped not in (None, StopReason.REFUSED):
            raise UsageError(f"{reader.name} gets no messages: {reader.stopped_because}")
        day = local_date(now, profile.schedule.timezone)
        last = next((stored for stored in self.store.editions.of_reader(reader.id) if stored.picks), None)
        next_one = None if last else self.composer.edition(reader, profile, day, now)
        schedule = profile.schedule
        first = next_moment(schedule.at, schedule.days, schedule.timezone, now).astimezone(
            zone_named(schedule.timezone)
        )
        welcome = welcome_edition(
            understood(profile.interests_at(now)), first, SampleLinks(self.public_url).page("title")
        )
        edition = replace(
            next_one if next_one and next_one.picks else welcome,
            reader=reader,
            profile_title=profile.title if last else f"{profile.title} (a sample)",
            date=last.date if last else day,
            # Mailboxes sort by date.
            composed_at=now,
            language=profile.language,
            is_test=True,
        )
        if last:
            edition = replace(
                edition,
                picks=self.store.editions.picks_of(last.id),
                considered=last.considered,
                watermark=last.watermark,
                is_weekly=profile.schedule.is_weekly,
            )
        has_links = reader.kind == EMAIL.name and (self.reply_to or self.public_url)
        if has_links and (last or (next_one and next_one.picks)):
            how = f"whose page opens while `paperbot serve` runs at {self.public_url}"
            if self.reply_to:
                how = f"and send the mail to {self.reply_to} that it opens"
            request = f"This is a test. Please press one thumb below, {how}. The vote counts like any other."
            edition = replace(edition, request=request)
        renderer = self.renderer if last else self.sample_renderer
        return SentTest(edition, last is None, self._deliver(edition, renderer, day))

    def _deliver(self, edition: Edition, renderer: MessageRenderer, day: date) -> tuple[str, ...]:
        """Send past the outbox, and return the receipts. Raises DeliveryError with a remedy."""
        reader = edition.reader
        slot = f"test-{edition.composed_at:%Y%m%dT%H%M%S.%f}"
        route = self.routes[reader.kind]
        receipts: list[str] = []
        try:
            for message in renderer.messages(edition, slot):
                if receipts:
                    self.sleep(route.spacing.total_seconds())
                delivery = Delivery(
                    id=0,
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
            if remedy:
                error.args = (f"{error}; {remedy}",)
            raise
        return tuple(receipts)


@dataclass(frozen=True, slots=True)
class RetryReport:
    """Messages that had ``arrived``, ids ``queued`` again, and ``resumed`` names of readers."""

    arrived: int
    queued: tuple[int, ...]
    resumed: tuple[str, ...]


def retry(
    store: Store, routes: Mapping[Kind, Route], state: State, readers: Sequence[Reader] | None, now: datetime
) -> RetryReport:
    """Queue all or some readers' messages in a state for the next delivery, and close all circuit breakers.

    Readers with a refused address get messages again if they are named or have failed messages: presumably, the
    operator has corrected the cause.
    """
    for kind in store.circuit_breakers.all():
        store.circuit_breakers.end(kind)
    only = None if readers is None else {reader.id for reader in readers}
    deliveries = [d for d in store.outbox.in_state(state) if only is None or d.reader.id in only]
    again = [*(readers or ()), *(delivery.reader for delivery in deliveries if state is State.FAILED)]
    resumed = {reader.id: reader.name for reader in again if reader.stopped is StopReason.REFUSED}
    for reader_id in resumed:
        store.readers.resume(reader_id)
    arrived = 0
    queued = []
    for delivery in deliveries:
        channel = routes[delivery.key.kind].channels[0]
        # Slack can find an arrived message, SMTP can't.
        receipt = channel.find_receipt(delivery) if state is State.UNKNOWN else None
        if receipt:
            arrived += store.outbox.mark_arrived(delivery.id, receipt, now)
        elif store.outbox.requeue(delivery.id, now):
            queued.append(delivery.id)
    return RetryReport(arrived, tuple(queued), tuple(resumed.values()))


def notify_operator(
    problems: Sequence[Problem],
    now: datetime,
    *,
    address: str,
    sender: str,
    store: Store,
    disk_space: DiskSpace,
    route: Route,
    stop: Event,
) -> list[Problem]:
    """Mail these and the stored problems to the operator once a day, and return failures.

    The stored ones are full disks, open circuit breakers, and messages failed or unknown since yesterday. ``stop`` ends
    a delivery early.
    """
    # The operator's own breaker would hold this notice back.
    breakers = [item for item in store.circuit_breakers.all().items() if item[0] != OPERATOR_KIND]
    unsent = [
        trouble
        for trouble in store.outbox.problems(_NOTICE_PROBLEMS, since=now - _NOTICE_AGE)
        if trouble.state is not State.RETRY and trouble.kind != OPERATOR_KIND
    ]
    stored = [*disk_space.problems(), *map(breaker_problem, breakers), *map(message_problem, unsent)]
    problems = list(dict.fromkeys([*stored, *problems]))
    if not problems:
        return []
    subject = f"Paperbot needs you: {problems[0]}"[:_NOTICE_SUBJECT]
    try:
        operator = store.readers.operator(address, now)
        key = OutboxKey(f"notice-{now.date()}", operator.id, operator.kind)
        body = notice_bytes(
            subject,
            "\n".join([*(f"- {problem}" for problem in problems), "", _NOTICE_FOOTER, ""]),
            sender=sender,
            recipient=address,
            message_id=f"<{key.slot}@{sender_domain(sender)}>",
            date=now,
        )
        store.outbox.put_without_edition(Message(body, subject), key, now)
        # A dispatcher of its own, because a notice of a full disk must go out.
        routes, rates = {OPERATOR_KIND: route}, store.send_rates({})
        dispatcher = Dispatcher(store.outbox, routes, store.readers, store.circuit_breakers, rates, stop=stop)
        return list(dispatcher.deliver_due(now).problems)
    except (StoreError, DeliveryError) as error:
        return [Problem("operator", f"could not be notified: {error}")]
