"""The daily job: ingest, send alerts, compose the editions that are due, deliver.

    source --retrieve--> digest --parse--> entries --identify, merge--> papers in the store     ``ingest``
    papers new to a reader --rank, select--> picks --summarise, explain--> edition              ``publish``
    edition --render--> messages --outbox--> email | Slack | file                               ``publish``
    reader --vote--> feedback --> the next ranking                                              bot.feedback

1. ``ingest`` polls each source, parses and stores its digests, looks up missing links, and refits the corpus if enough
   papers are new. A source that fails is a problem of its own; the others go on.
2. ``publish`` first sends alerts, as they can't wait for the editions of other readers.
3. It determines which editions are due by the schedule, oldest missed days included, and leaves out those that wait
   for an interrupted source.
4. It composes them in batches, after refitting the models of readers who voted since. A batch is saved with its
   slots and outbox rows in one transaction, so that two processes, or one that is killed and restarted, make one
   edition for each slot.
5. Then the weekly letters that are due are composed, so that they know of today's edition.
6. The dispatcher sends what the outbox holds, messages of earlier runs included.

``paperbot run`` does all of it once. ``paperbot serve`` ingests and publishes on separate intervals, so that a slow
source never delays an edition. What goes wrong for one reader is a problem of that reader alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count, islice
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.delivery.dispatcher import Dispatcher
from bot.disk_space import DiskSpace
from bot.domain import Delivery, Edition, Kind, Problem, Reader, State
from bot.editions.alerts import Render, alert
from bot.editions.candidates import EditionRequest, Readers
from bot.editions.due import DueEdition, due_editions, forced_editions, readers_to_alert
from bot.editions.published_profiles import publish
from bot.editions.tldrs import TldrWriter
from bot.editions.waiting_for_sources import Wait, Waiting, waiting_problems
from bot.errors import PaperbotError, unexpected_error
from bot.garbage_collection import rare_collections
from bot.ingestion.bounces import BounceService
from bot.ingestion.service import DigestReport, IngestionService, Parse, Progress
from bot.sources import Source
from bot.store import Store
from bot.store.active_readers import EVERYONE, IdRange
from bot.store.edition_insertion import NewEdition
from bot.store.retention import KeepDays

if TYPE_CHECKING:  # with reasons and summaries it takes a tenth of the time of a run in which nothing is due
    from bot.editions.composer import EditionComposer

log = logging.getLogger("paperbot")

# Readers ranked together: a larger batch saves nothing more, and its score matrix grows with readers times papers.
_BATCH = 200

Shown = Callable[[Edition], None]


def no_progress(_step: str, _done: int, _total: int) -> None:
    """Ignore progress."""


def _ignore_edition(_edition: Edition) -> None:
    """Ignore an edition that was composed."""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What was composed and sent.

    ``skipped`` counts quiet editions of profiles with ``when_quiet = "skip"``: stored, not sent. (Days that downtime
    missed are called missed, and are not counted.)
    """

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
    """A ``PublishReport`` with what was ingested before."""

    digests: Sequence[DigestReport]
    source_problems: Sequence[Problem]  # which ``problems`` contains as well

    @property
    def complete(self) -> bool:
        """Whether everything succeeded."""
        return not (self.problems or self.failed or self.unknown)


@dataclass(slots=True)
class _Tally:
    """Counts of one run; the editions themselves are in the store."""

    editions: int = 0
    skipped: int = 0
    alerts: int = 0
    problems: list[Problem] = field(default_factory=list)

    def add_problem(self, reader: Reader, error: Exception) -> None:
        """Record an error, in one line, as a problem of one reader; an unforeseen one is logged with its traceback."""
        words = str(error)
        if not isinstance(error, PaperbotError):
            log.debug("%s", error, exc_info=error)
            words = unexpected_error(error)
        self.problems.append(Problem(reader.name, words))


@dataclass(frozen=True, slots=True)
class DailyJob:
    """Runs the steps in the order of the module's docstring."""

    sources: Sequence[Source]
    store: Store
    parse: Parse
    bounces: BounceService
    profiles: Mapping[str, Profile]
    composer: Callable[[], EditionComposer]  # called only if somebody is due
    render: Render
    dispatcher: Dispatcher
    resolve: Callable[[datetime], Iterable[Problem]]  # looks up links that digests lack
    disk_space: DiskSpace
    refit_corpus: Callable[[], None]  # refits the corpus if enough papers are new
    follow_libraries: Callable[[datetime], Iterable[Problem]]  # polls readers' own libraries that are due
    queue_saves: Callable[[Mapping[str, Profile], datetime], None]  # liked papers, to be saved in Zotero
    refit_models: Callable[[Readers, datetime], None]  # refits the models of readers who voted since
    put_letters: Callable[
        [Mapping[str, Profile], IdRange, datetime], Iterable[Problem]
    ]  # puts due weekly letters into the outbox
    waiting: Waiting
    keep: KeepDays
    tldr_writer: TldrWriter | None = None

    def run(
        self,
        now: datetime,
        *,
        force: bool = False,
        progress: Progress = no_progress,
        show: Shown = _ignore_edition,
    ) -> RunReport:
        """Ingest and publish once; with ``force``, compose an edition for every reader whether due or not.

        ``show`` is called with each edition and alert once it is saved, quiet editions too.
        """
        digests, source_problems = self.ingest(now, progress)
        published = self.publish(now, force=force, progress=progress, show=show)
        return RunReport(
            digests=digests,
            source_problems=source_problems,
            editions=published.editions,
            skipped=published.skipped,
            alerts=published.alerts,
            delivered=published.delivered,
            failed=published.failed,
            unknown=published.unknown,
            # A full disk stops both steps with the same problem; report it once.
            problems=list(dict.fromkeys([*source_problems, *published.problems])),
            sent_kinds=published.sent_kinds,
        )

    def ingest(
        self, now: datetime, progress: Progress = no_progress
    ) -> tuple[list[DigestReport], list[Problem]]:
        """Poll the sources and store what is new, unless the disk is full."""
        service = IngestionService(
            self.store, self.parse, self.disk_space, self.resolve, self.refit_corpus, self.bounces
        )
        report = service.ingest(self.sources, now, progress=progress)
        problems = (
            report.problems if self.disk_space.problems() else [*report.problems, *self.follow_libraries(now)]
        )
        return report.digests, problems

    def publish(
        self,
        now: datetime,
        *,
        force: bool = False,
        progress: Progress = no_progress,
        show: Shown = _ignore_edition,
    ) -> PublishReport:
        """Compose the due alerts and editions, then deliver everything in the outbox."""
        # With a full disk nothing is composed; the dispatcher, which can't record either, reports the problem.
        tally = _Tally()
        if not self.disk_space.problems():
            publish(self.store, self.profiles, now)
            tally = self._compose(self.profiles, EVERYONE, now, force=force, progress=progress, show=show)
            self.queue_saves(self.profiles, now)
        settled = count(1)
        sent_kinds: set[Kind] = set()

        def on_settled(delivery: Delivery, state: State) -> None:
            progress("delivering", next(settled), 0)
            if state is State.SENT:
                sent_kinds.add(delivery.key.kind)

        sent = self.dispatcher.deliver_due(now, on_settled)
        # A purge scans the outbox; only runs with editions do it, a few a day instead of 1,440 ticks.
        if tally.editions:
            self.store.retention.purge(self.keep, now)
        return PublishReport(
            editions=tally.editions,
            skipped=tally.skipped,
            alerts=tally.alerts,
            delivered=sent.delivered,
            failed=sent.failed,
            unknown=sent.unknown,
            problems=[*tally.problems, *sent.problems],
            sent_kinds=sent_kinds,
        )

    def compose(self, slug: str, ids: IdRange, now: datetime) -> list[Problem]:
        """Compose the due alerts and editions of a profile's readers with these ids, and return what failed.

        Nothing is done for a profile that was withdrawn meanwhile.
        """
        if problems := self.disk_space.problems():
            return problems
        profiles = {slug: self.profiles[slug]} if slug in self.profiles else {}
        return self._compose(profiles, ids, now).problems

    @rare_collections()
    def _compose(
        self,
        profiles: Mapping[str, Profile],
        ids: IdRange,
        now: datetime,
        *,
        force: bool = False,
        progress: Progress = no_progress,
        show: Shown = _ignore_edition,
    ) -> _Tally:
        """Put the due alerts, then the due editions into the outbox."""
        tally = _Tally()
        for reader, profile in readers_to_alert(self.store, profiles, now, ids):
            try:
                alerts = alert(
                    reader,
                    profile,
                    store=self.store,
                    composer=self.composer(),
                    render=self.render,
                    now=now,
                )
            except Exception as error:
                tally.add_problem(reader, error)
                continue
            tally.alerts += len(alerts)
            for edition in alerts:
                show(edition)

        progress("composing editions", 0, 0)  # the first one waits until the models are loaded
        choose = forced_editions if force else due_editions
        composed = count(1)
        waits: list[Wait] = []
        all_due = choose(self.store, profiles, now, ids)
        while batch := list(islice(all_due, _BATCH)):
            due = self.waiting.with_interrupted(batch, now)
            if not force:
                due, of_batch = self.waiting.ready(due, now)
                waits.extend(of_batch)
            drafts = []
            for due_edition, edition in self._composed(due, now, tally):
                if draft := self._draft(due_edition, edition, now, tally):
                    drafts.append(draft)
                progress("composing editions", next(composed), 0)
            self._save(drafts, tally, show)
        tally.problems.extend(waiting_problems(waits))
        tally.problems.extend(self.put_letters(profiles, ids, now))
        return tally

    def _composed(
        self, batch: Sequence[DueEdition], now: datetime, tally: _Tally
    ) -> Iterator[tuple[DueEdition, Edition]]:
        """Yield the due editions of a batch; if it fails, that is a problem of each of its readers left."""
        remaining = list(batch)
        requests = [EditionRequest(edition.reader, edition.profile, edition.day) for edition in batch]
        try:
            candidates = self.composer().candidates_of(requests)
            self.refit_models(
                [
                    (request.reader, request.profile)
                    for request, new in zip(requests, candidates, strict=True)
                    if new.ids
                ],
                now,
            )
            for edition in self.composer().editions(requests, now, candidates):
                yield remaining.pop(0), edition
        except Exception as error:
            for due in remaining:
                tally.add_problem(due.reader, error)

    def _draft(self, due: DueEdition, edition: Edition, now: datetime, tally: _Tally) -> NewEdition | None:
        """Return an edition with its messages; a quiet one has none if the profile says ``skip``."""
        edition = replace(edition, missing=tuple(state.name for state in due.interrupted))
        try:
            if self.tldr_writer:
                edition, problems = self.tldr_writer.shorten(edition, now)
                tally.problems.extend(problems)
            is_skipped = bool(edition.quiet) and due.profile.edition.when_quiet == "skip"
            messages = [] if is_skipped else self.render(edition, due.slot)
        except Exception as error:
            tally.add_problem(due.reader, error)
            return None
        return NewEdition(edition, due.slot, messages, due.missed)

    def _save(self, drafts: Sequence[NewEdition], tally: _Tally, show: Shown) -> None:
        """Save a batch's editions. A store that can't write concerns all readers, and ends the run."""
        for draft, message_ids in zip(drafts, self.store.editions.save_all(drafts), strict=True):
            if message_ids is None:
                continue  # another process has saved this slot
            if draft.messages:
                tally.editions += 1
            else:
                tally.skipped += 1
            show(draft.edition)
