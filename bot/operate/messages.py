"""Messages at the operator's request: tests, retries, and notices of problems."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from shlex import quote
from threading import Event

from bot.channels import MessageRenderer, Route, reader_channel
from bot.channels.email import EMAIL
from bot.channels.email.rendering import notice_bytes, sender_domain
from bot.channels.papers import SampleLinks
from bot.channels.templates import SAMPLE_TITLE, welcome_edition
from bot.config.files import DiskSpace
from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.model import (
    OPERATOR_KIND,
    Delivery,
    Edition,
    Entry,
    Kind,
    Message,
    OutboxKey,
    PaperId,
    ParsedDigest,
    Problem,
    Reader,
    State,
    StopReason,
)
from bot.model.errors import DeliveryError, FailureScope, StoreError, UsageError
from bot.model.papers import TEST_SOURCE
from bot.model.wording import plural
from bot.operate.dispatcher import Dispatcher
from bot.operate.status import breaker_problem, message_problem
from bot.store import Store
from bot.wording import understood

# Earlier notices had the others.
_NOTICE_AGE = timedelta(days=1)
_NOTICE_PROBLEMS = 50
_NOTICE_SUBJECT = 120
_SUBSCRIBERS = "subscribers-"
_SUBSCRIBERS_AGE = timedelta(days=7)
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
        day = profile.schedule.day_of(now)
        request = ""
        # In Slack, thumbs aren't links.
        if reader.kind == EMAIL.name and (self.reply_to or self.public_url):
            how = (
                f"and send the mail to {self.reply_to} that it opens"
                if self.reply_to
                else f"whose page opens while `paperbot serve` runs at {self.public_url}"
            )
            request = f"This is a test. Please press one thumb below, {how}. The vote counts like any other."
        if last := self.store.editions.last_with_picks(reader.id):
            edition = Edition(
                reader=reader,
                profile_title=profile.title,
                date=last.date,
                composed_at=now,
                picks=self.store.editions.picks_of(last.id),
                considered=last.considered,
                watermark=last.watermark,
                is_weekly=profile.schedule.is_weekly,
            )
        else:
            edition = self.composer.edition(reader, profile, day, now)
            if not edition.picks:
                first, page = profile.schedule.next_moment(now), SampleLinks(self.public_url).page("title")
                edition = welcome_edition(understood(profile.interests_at(now)), first, page)
                if request:
                    request = request.replace("one thumb below", f"one thumb of “{SAMPLE_TITLE}” below")
                    before, sample, after = edition.picks
                    sample = replace(sample, paper=replace(sample.paper, id=self._stored_sample(now)))
                    edition = replace(edition, picks=(before, sample, after))
            edition = replace(edition, reader=reader, profile_title=f"{profile.title} (a sample)", date=day)
        # Mailboxes sort by date.
        edition = replace(edition, composed_at=now, language=profile.language, is_test=True, request=request)
        renderer = self.renderer if last else self.sample_renderer
        return SentTest(edition, last is None, self._deliver(edition, renderer, day))

    def _stored_sample(self, now: datetime) -> PaperId:
        """Return the id of a stored, made-up paper that takes votes, appears in no edition, and goes after a day."""
        entry = Entry(SAMPLE_TITLE)
        content = hashlib.sha256(TEST_SOURCE.encode()).hexdigest()
        if not self.store.papers.digests_with(content):
            digest = ParsedDigest("programme", "A test", None, (entry,))
            self.store.papers.add_digests(TEST_SOURCE, "A test", content, [digest], now=now)
        return self.store.papers.identified([entry], now)[0].id

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
    profiles: Mapping[str, Profile],
    disk_space: DiskSpace,
    route: Route,
    stop: Event,
) -> list[Problem]:
    """Mail these and the stored problems to the operator once a day, also who subscribed, and return failures.

    The stored ones are full disks, open circuit breakers, and messages failed or unknown since yesterday. A dispatcher
    of its own delivers the notices, whatever the state of channels and disks. ``stop`` ends a delivery early.
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
    try:
        is_open = any(profile.open for profile in profiles.values())
        subscribers = store.readers.subscribers(now - _SUBSCRIBERS_AGE) if is_open else {}
        if not (problems or subscribers):
            return []
        operator = store.readers.operator(address, now)
        last = store.outbox.last_queued(operator.id, _SUBSCRIBERS)
        new = [reader for reader, since in subscribers.items() if last is None or since >= last]
        notices = {}
        if problems:
            lines = [*(f"- {problem}" for problem in problems), "", _NOTICE_FOOTER]
            notices[f"notice-{now.date()}"] = (f"Paperbot needs you: {problems[0]}"[:_NOTICE_SUBJECT], lines)
        if new and (last is None or now - last >= _NOTICE_AGE):
            notices[f"{_SUBSCRIBERS}{now.date()}"] = _subscriber_notice(new)
        for slot, (subject, lines) in notices.items():
            body = notice_bytes(
                subject,
                "\n".join([*lines, ""]),
                sender=sender,
                recipient=address,
                message_id=f"<{slot}@{sender_domain(sender)}>",
                date=now,
            )
            key = OutboxKey(slot, operator.id, operator.kind)
            store.outbox.put_without_edition(Message(body, subject), key, now)
        # A notice of a full disk must go out.
        routes, rates = {OPERATOR_KIND: route}, store.send_rates({})
        dispatcher = Dispatcher(store.outbox, routes, store.readers, store.circuit_breakers, rates, stop=stop)
        return list(dispatcher.deliver_due(now).problems)
    except (StoreError, DeliveryError) as error:
        return [Problem("operator", f"could not be notified: {error}")]


def _subscriber_notice(new: Sequence[Reader]) -> tuple[str, list[str]]:
    """Return subject and lines of a notice of new subscribers."""
    waiting = [reader for reader in new if reader.stopped]
    joined = [reader for reader in new if not reader.stopped]
    counts = [
        f"{plural(len(readers), 'reader')} {verb}"
        for readers, verb in ((waiting, f"wait{'s' * (len(waiting) == 1)} for your approval"), (joined, "joined"))
        if readers
    ]
    lines = []
    if waiting:
        lines += ["They are at no domain that the profile's `allow` names. Each command approves one:", ""]
        lines += [f"    paperbot subscribe {reader.profile} {quote(reader.address)}" for reader in waiting]
        lines += [""]
    if joined:
        lines += ["New readers:", "", *(f"    {reader.name}" for reader in joined), ""]
    return f"Paperbot: {', '.join(counts)}", [*lines, "`paperbot unsubscribe READER` refuses or removes one."]
