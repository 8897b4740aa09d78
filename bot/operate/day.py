"""The daily job: ingest, send alerts, compose due editions, deliver.

1. ``ingest`` polls each source, stores its digests, looks up missing links, and refits the corpus for new papers.
2. ``publish`` first composes alerts, which can't wait.
3. It lists due editions and missed days, except editions that wait for an interrupted source.
4. It refits the models of readers with new votes, and composes in batches. One transaction saves a batch with slots and
   outbox rows, so each slot gets one edition despite kills and second processes.
5. Weekly letters follow, which refer to today's edition.
6. The dispatcher sends the outbox.

``paperbot serve`` ingests and publishes separately, so a slow source never delays an edition.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count, islice

from bot.config.files import DiskSpace
from bot.editions.catch_up import CatchUpRequest, compose_catch_up
from bot.editions.composer import Context, TldrWriter, alert
from bot.editions.due import (
    DueEdition,
    Readers,
    Wait,
    Waiting,
    due_editions,
    forced_editions,
    publish,
    readers_to_alert,
    waiting_problems,
)
from bot.editions.letters import put_letters
from bot.editions.models import refit
from bot.model import Delivery, Edition, Kind, Problem, Reader, ReaderId, State
from bot.model.errors import DeletedError, StoreError, in_one_line
from bot.operate.dispatcher import Dispatcher
from bot.operate.ingest import DigestReport, Ingestion, IngestionReport, Progress, no_progress
from bot.operate.references import References
from bot.readers.libraries import ZoteroLibraries
from bot.sources import Source
from bot.store.database import KeepDays
from bot.store.editions import NewEdition
from bot.store.readers import EVERYONE, IdRange

# The score matrix grows with readers times papers.
_BATCH = 200

Shown = Callable[[Edition], None]


@dataclass(slots=True)
class RunReport:
    """``skipped`` counts quiet editions that ``when_quiet = "skip"`` stores but doesn't send."""

    editions: int = 0
    skipped: int = 0
    alerts: int = 0
    delivered: int = 0
    failed: int = 0
    unknown: int = 0
    problems: list[Problem] = field(default_factory=list)
    sent_kinds: set[Kind] = field(default_factory=set)
    digests: Sequence[DigestReport] = ()
    source_problems: Sequence[Problem] = ()  # also in ``problems``

    @property
    def complete(self) -> bool:
        return not (self.problems or self.failed or self.unknown)


@dataclass(frozen=True, slots=True)
class DailyJob:
    """The steps above."""

    context: Context
    sources: Sequence[Source]
    ingestion: Ingestion
    waiting: Waiting
    libraries: ZoteroLibraries
    dispatcher: Dispatcher
    disk_space: DiskSpace
    keep: KeepDays
    tldr_writer: TldrWriter | None = None
    references: References | None = None

    def run(
        self, now: datetime, *, force: bool = False, progress: Progress = no_progress, show: Shown | None = None
    ) -> RunReport:
        """Ingest and publish once, with ``force`` for every reader. ``show`` gets each saved edition and alert."""
        ingested = self.ingest(now, progress=progress)
        report = self.publish(now, force=force, progress=progress, show=show)
        report.digests, report.source_problems = ingested.digests, ingested.problems
        report.problems = list(dict.fromkeys([*ingested.problems, *report.problems]))
        return report

    def ingest(
        self, now: datetime, sources: Sequence[Source] | None = None, progress: Progress = no_progress
    ) -> IngestionReport:
        polled = self.sources if sources is None else sources
        report = self.ingestion.ingest(polled, now, progress=progress)
        if not self.disk_space.problems():
            report.problems.extend(self.libraries.follow(now))
            # Afterwards, because new papers may cite the libraries'.
            report.problems.extend(self.references.look_up(now) if self.references else ())
        return report

    def prepare(self, now: datetime) -> list[Problem]:
        """Publish the profiles with their readers, queue missing library items, and return problems."""
        publish(self.context.store, self.context.profiles, now)
        return self.libraries.queue_saves(self.context.profiles, now)

    def publish(
        self, now: datetime, *, force: bool = False, progress: Progress = no_progress, show: Shown | None = None
    ) -> RunReport:
        report = RunReport()
        if not self.disk_space.problems():
            report.problems.extend(self.prepare(now))
            _Composing(self, now, report, progress, show).all(EVERYONE, force=force)
        settled = count(1)

        def on_settled(delivery: Delivery, state: State) -> None:
            progress("delivering", next(settled), 0)
            if state is State.SENT:
                report.sent_kinds.add(delivery.key.kind)

        sent = self.dispatcher.deliver_due(now, on_settled)
        report.delivered = sent.counts[State.SENT]
        report.failed = sent.counts[State.FAILED]
        report.unknown = sent.counts[State.UNKNOWN]
        report.problems.extend(sent.problems)
        if report.editions:
            self.context.store.retention.purge(self.keep, now)
        return report

    def compose(self, ids: IdRange, now: datetime) -> list[Problem]:
        report = RunReport(problems=self.disk_space.problems())
        if not report.problems:
            _Composing(self, now, report).all(ids)
        return report.problems


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Collect garbage rarely, because composing makes few cycles, and a collection walks the corpus."""
    thresholds = gc.get_threshold()
    gc.set_threshold(50_000, *thresholds[1:])  # allocations; Python's default is 700
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@dataclass(slots=True)
class _Composing:
    job: DailyJob
    now: datetime
    report: RunReport
    progress: Progress = no_progress
    show: Shown | None = None

    @_rare_collections()
    def all(self, ids: IdRange, *, force: bool = False) -> None:
        context = self.job.context
        to_alert = readers_to_alert(context.store, context.profiles, self.now, ids)
        while readers := list(islice(to_alert, _BATCH)):
            with self._alone([reader.id for reader, _ in readers]) as alone:
                self._alert([(reader, profile) for reader, profile in readers if reader.id in alone])
        self.progress("composing editions", 0, 0)
        composed = count(1)
        waits: list[Wait] = []
        choose = forced_editions if force else due_editions
        all_due = choose(context.store, context.profiles, self.now, ids)
        while batch := list(islice(all_due, _BATCH)):
            daily = self.job.waiting.with_interrupted([due for due in batch if not due.catch_up_since], self.now)
            if not force:
                daily, batch_waits = self.job.waiting.ready(daily, self.now)
                waits.extend(batch_waits)
            with self._alone([due.reader.id for due in batch]) as alone:
                for absent in (due for due in batch if due.catch_up_since and due.reader.id in alone):
                    self._put_catch_up(absent)
                    self.progress("composing editions", next(composed), 0)
                drafts = []
                for due_edition, edition in self._composed([due for due in daily if due.reader.id in alone]):
                    if draft := self._draft(due_edition, edition):
                        drafts.append(draft)
                    self.progress("composing editions", next(composed), 0)
                self._save(drafts)
        self.report.problems.extend(waiting_problems(waits))
        self.report.problems.extend(put_letters(context, ids, self.now))

    @contextmanager
    def _alone(self, ids: Sequence[ReaderId]) -> Iterator[Collection[ReaderId]]:
        """Yield the readers whose address has no other profile that another process composes just now.

        The next run, which sees what that process has sent, composes for the others.
        """
        store = self.job.context.store
        shared = store.readers.shared_addresses(ids) if store.is_shared else {}
        locks = {reader_id: f"compose {address}" for reader_id, address in shared.items()}
        with store.exclusively(*set(locks.values())) as held:
            yield {reader_id for reader_id in ids if reader_id not in locks or locks[reader_id] in held}

    def _alert(self, readers: Readers) -> None:
        for reader, profile in readers:
            try:
                alerts = alert(self.job.context, reader, profile, self.now)
            except Exception as error:
                self._add_problem(reader, error)
                continue
            self.report.alerts += len(alerts)
            if self.show:
                for edition in alerts:
                    self.show(edition)

    def _put_catch_up(self, due: DueEdition) -> None:
        context = self.job.context
        since = due.catch_up_since or due.day
        request = CatchUpRequest(due.reader, due.profile, since, is_automatic=True)
        try:
            refit(context.store, context.ranker, [(due.reader, due.profile)], self.now)
            edition = compose_catch_up(context.composer, request, self.now)
        except Exception as error:
            self._add_problem(due.reader, error)
            return
        if draft := self._draft(due, edition):
            self._save([draft])

    def _composed(self, batch: Sequence[DueEdition]) -> Iterator[tuple[DueEdition, Edition]]:
        """Yield the editions of a batch. A failure costs its reader alone."""
        context = self.job.context
        remaining = list(batch)
        try:
            readers = [(due.reader, due.profile) for due in batch]
            candidates = context.composer.candidates_of(readers)
            with_candidates = [
                reader for reader, new in zip(readers, candidates, strict=True) if new.ids or new.waiting
            ]
            refit(context.store, context.ranker, with_candidates, self.now)
            for edition in context.composer.editions(batch, self.now, candidates):
                yield remaining.pop(0), edition
        except Exception as error:
            if len(batch) == 1 or isinstance(error, StoreError):
                for due in remaining:
                    self._add_problem(due.reader, error)
                return
            # Any of them may be at fault, so each is composed alone.
            for due in remaining:
                yield from self._composed([due])

    def _draft(self, due: DueEdition, edition: Edition) -> NewEdition | None:
        edition = replace(edition, missing=tuple(state.name for state in due.interrupted))
        try:
            if self.job.tldr_writer:
                edition, problems = self.job.tldr_writer.shorten(edition, self.now)
                self.report.problems.extend(problems)
            is_skipped = bool(edition.quiet) and due.profile.edition.when_quiet == "skip"
            messages = [] if is_skipped else self.job.context.renderer.messages(edition, due.slot)
        except Exception as error:
            self._add_problem(due.reader, error)
            return None
        return NewEdition(edition, due.slot, messages, due.missed)

    def _save(self, drafts: Sequence[NewEdition]) -> None:
        """Save a batch's editions. A store that can't write ends the run."""
        try:
            saved = self.job.context.store.editions.save_all(drafts)
        except DeletedError as error:
            # The edition with the deleted paper is due again at the next run.
            if len(drafts) > 1:
                for draft in drafts:
                    self._save([draft])
            else:
                self._add_problem(drafts[0].edition.reader, error)
            return
        for draft, is_saved in zip(drafts, saved, strict=True):
            if not is_saved:  # another process has saved this slot
                continue
            if draft.messages:
                self.report.editions += 1
            else:
                self.report.skipped += 1
            if self.show:
                self.show(draft.edition)

    def _add_problem(self, reader: Reader, error: Exception) -> None:
        if isinstance(error, DeletedError) and self.job.context.store.readers.by_id(reader.id) is None:
            return
        self.report.problems.append(Problem(reader.name, in_one_line(error)))
