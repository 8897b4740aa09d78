"""The main job: ingest; send what can't wait; make every edition that is due; deliver.

``paperbot run`` does all of it once. ``paperbot serve`` ingests and publishes by turns of their own, so that a
slow source never delays an edition.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import count

from bot.config.overrides import with_override
from bot.config.profiles import Profile
from bot.delivery.dispatcher import Dispatcher
from bot.disk_space import DiskSpace
from bot.domain import Delivery, Edition, Kind, Problem, Reader, SourceState, State
from bot.editions.alerts import alert
from bot.editions.candidates import Readers, last_edition_days
from bot.editions.composer import EditionComposer, EditionRequest
from bot.editions.tldrs import TldrWriter
from bot.editions.waiting_for_sources import Due, Waiting, missing_of
from bot.errors import PaperbotError, mistake
from bot.ingestion.service import DigestReport, IngestionService, Parse
from bot.rendering.messages import MessageRenderer
from bot.schedule import due_slots, local_date
from bot.sources import Source
from bot.store import Store

log = logging.getLogger("paperbot")

# So many readers are ranked together: enough to be quick, few enough for any machine's memory.
_BATCH = 200
KEEP_BODIES = timedelta(days=30)  # after this long, what a settled message said is forgotten

Progress = Callable[[str, int, int], None]  # what is being done, how many so far, of how many (0: unknown)
Shown = Callable[[Edition], None]


def no_progress(_what: str, _done: int, _total: int) -> None:
    """Nobody watches."""


def _unseen(_edition: Edition) -> None:
    """Nobody looks at the editions."""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What was made and sent. ``skipped`` editions were quiet, and their profiles want no note."""

    editions: int
    skipped: int
    alerts: int
    delivered: int
    failed: int
    unknown: int
    problems: Sequence[Problem]
    sent_kinds: Set[Kind]  # the kinds of address to which something was delivered


@dataclass(frozen=True, slots=True)
class RunReport(PublishReport):
    """The same, and what came in before."""

    digests: Sequence[DigestReport]
    unread: Sequence[Problem]  # those of the problems that are about sources

    @property
    def complete(self) -> bool:
        """Whether everything that was to be done went through."""
        return not (self.problems or self.failed or self.unknown)


@dataclass(frozen=True, slots=True)
class _Due:
    """One reader's edition that is to be made now.

    ``slot`` is its day, or ``day#2`` for one more of that day; ``skipped`` are older days it makes up for;
    ``missing`` are sources that were interrupted, so that it is made without what they have.
    """

    reader: Reader
    profile: Profile
    day: date
    slot: str
    skipped: Sequence[date] = ()
    missing: Sequence[SourceState] = ()


@dataclass(slots=True)
class _Made:
    """What was made in one run, counted; the editions themselves are in the store."""

    show: Shown
    editions: int = 0
    skipped: int = 0
    alerts: int = 0
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DailyJob:
    """The parts that a paper passes, in their order; decides nothing."""

    sources: Sequence[Source]
    store: Store
    parse: Parse
    profiles: Mapping[str, Profile]
    editor: EditionComposer
    renderer: MessageRenderer
    dispatcher: Dispatcher
    resolve: Callable[[datetime], Iterable[Problem]]  # looks up links that digests don't give
    room: DiskSpace
    learn: Callable[[], None]  # the vocabulary anew, if enough came in
    waiting: Waiting
    tldr_writer: TldrWriter | None = None

    def run(
        self, now: datetime, *, force: bool = False, progress: Progress = no_progress, show: Shown = _unseen
    ) -> RunReport:
        """The whole way once; with ``force``, an edition for every reader whether due or not.

        ``show`` gets each edition and alert as it was made, quiet ones too.
        """
        arrived, problems = self.ingest(now, progress)
        sent = self.publish(now, force=force, progress=progress, show=show)
        return RunReport(
            digests=arrived,
            unread=problems,
            editions=sent.editions,
            skipped=sent.skipped,
            alerts=sent.alerts,
            delivered=sent.delivered,
            failed=sent.failed,
            unknown=sent.unknown,
            problems=list(dict.fromkeys([*problems, *sent.problems])),
            sent_kinds=sent.sent_kinds,
        )

    def ingest(
        self, now: datetime, progress: Progress = no_progress
    ) -> tuple[list[DigestReport], list[Problem]]:
        """Poll the sources and store what is new, unless the disk is full."""
        service = IngestionService(self.store, self.parse, self.room, self.resolve, self.learn)
        report = service.ingest(self.sources, now, progress=progress)
        return report.digests, report.problems

    def publish(
        self, now: datetime, *, force: bool = False, progress: Progress = no_progress, show: Shown = _unseen
    ) -> PublishReport:
        """Alerts and editions that are due, then all that waits in the outbox."""
        made = self._make_all(now, force, progress, show)
        settled = count(1)
        sent_kinds: set[Kind] = set()

        def on_progress(delivery: Delivery, state: State) -> None:
            progress("delivering", next(settled), 0)
            if state is State.SENT:
                sent_kinds.add(delivery.reader.kind)

        sent = self.dispatcher.deliver_due(now, on_progress)
        if made.editions:  # a few times a day at most, as forgetting looks through all that is kept
            self.store.outbox.purge(now - KEEP_BODIES)
        return PublishReport(
            editions=made.editions,
            skipped=made.skipped,
            alerts=made.alerts,
            delivered=sent.delivered,
            failed=sent.failed,
            unknown=sent.unknown,
            problems=[*made.problems, *sent.problems],
            sent_kinds=sent_kinds,
        )

    def _make_all(self, now: datetime, force: bool, progress: Progress, show: Shown) -> _Made:
        made = _Made(show)
        if self.room.problems():  # the dispatcher tells
            return made
        readers = list(self._readers(now))
        for reader, profile in readers:
            self._alert(reader, profile, now, made)
        due = self._with_missing(
            [self._forced(*one, now) for one in readers] if force else list(_due(self.store, readers, now)),
            now,
        )
        if not force:
            due = self._not_held(due, now, made)
        for done, (one, edition) in enumerate(self._composed(due, now, made), 1):
            self._make(one, edition, now, made)
            progress("composing editions", done, len(due))
        return made

    def _with_missing(self, due: Sequence[_Due], now: datetime) -> Sequence[_Due]:
        interrupted = self.waiting.interrupted(now) if due else []
        if not interrupted:
            return due
        return [replace(one, missing=missing_of(one.profile.sources, interrupted)) for one in due]

    def _not_held(self, due: Sequence[_Due], now: datetime, made: _Made) -> Sequence[_Due]:
        """Those that don't wait for a source."""
        held, problems = self.waiting.held((Due(one.reader.id, one.slot, one.missing) for one in due), now)
        made.problems.extend(problems)
        return [one for one in due if one.reader.id not in held]

    def _composed(self, due: Sequence[_Due], now: datetime, made: _Made) -> Iterator[tuple[_Due, Edition]]:
        """The editions that are due, batch by batch; a batch that can't be read is each of its readers' problem."""
        for start in range(0, len(due), _BATCH):
            some = due[start : start + _BATCH]
            wanted = [EditionRequest(one.reader, one.profile, one.day) for one in some]
            try:
                yield from zip(some, self.editor.editions(wanted, now), strict=True)
            except Exception as error:
                reason = _reason(error)
                made.problems.extend(Problem(one.reader.name, reason) for one in some)

    def _readers(self, now: datetime) -> Iterator[tuple[Reader, Profile]]:
        overrides = self.store.overrides.all()
        for slug, profile in self.profiles.items():
            for reader in self.store.readers.sync(slug, profile.addresses, now):
                if not reader.stopped:
                    yield reader, with_override(profile, overrides.get(reader.id))

    def _forced(self, reader: Reader, profile: Profile, now: datetime) -> _Due:
        day = local_date(now, profile.schedule.timezone)
        return _Due(reader, profile, day, _free_slot(self.store, reader, day))

    def _alert(self, reader: Reader, profile: Profile, now: datetime, made: _Made) -> None:
        try:
            alerts = alert(
                reader, profile, store=self.store, editor=self.editor, render=self.renderer.messages, now=now
            )
        except Exception as error:
            made.problems.append(Problem(reader.name, _reason(error)))
            return
        made.alerts += len(alerts)
        for one in alerts:
            made.show(one)

    def _make(self, due: _Due, edition: Edition, now: datetime, made: _Made) -> None:
        """Puts one edition into the outbox; a quiet one without messages where the profile wants none.

        What goes wrong is this reader's problem alone.
        """
        edition = replace(edition, missing=tuple(state.name for state in due.missing))
        try:
            if self.tldr_writer:
                edition, problems = self.tldr_writer.shorten(edition, now)
                made.problems.extend(problems)
            silent = bool(edition.quiet) and due.profile.edition.when_quiet == "skip"
            messages = [] if silent else self.renderer.messages(edition, due.slot)
        except Exception as error:
            made.problems.append(Problem(due.reader.name, _reason(error)))
            return
        if self.store.editions.save(edition, due.slot, messages, due.skipped) is None:
            return  # another process was faster
        if silent:
            made.skipped += 1
        else:
            made.editions += 1
        made.show(edition)


def _reason(error: Exception) -> str:
    """What to say of an error that is one reader's alone; one that nobody foresaw is logged with its traceback."""
    if isinstance(error, PaperbotError):
        return str(error)
    log.debug("%s", error, exc_info=error)
    return mistake(error)


def _due(store: Store, readers: Readers, now: datetime) -> Iterator[_Due]:
    """Whose edition is due by the schedule, and was not made yet."""
    last = last_edition_days(store, readers, now)
    since = store.readers.since_of([reader.id for reader, _ in readers if reader.id not in last])
    for reader, profile in readers:
        schedule, timezone = profile.schedule, profile.schedule.timezone
        slots = due_slots(
            schedule.at, schedule.days, timezone, now, last=last.get(reader.id), since=since.get(reader.id)
        )
        if slots:
            yield _Due(reader, profile, slots[0], slots[0].isoformat(), slots[1:])


def _free_slot(store: Store, reader: Reader, day: date) -> str:
    """The day's own slot, or where that is taken the first free one beside it."""
    taken = store.editions.slots(reader.id, day)
    names = (f"{day}#{n}" if n > 1 else f"{day}" for n in count(1))
    return next(name for name in names if name not in taken)
