"""The main job, once: ingest, make every edition that is due, deliver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import count

from bot.config.personal import personal
from bot.config.profiles import Profile
from bot.deliver.dispatch import Dispatcher
from bot.domain import Edition, Problem, Reader
from bot.errors import PaperbotError
from bot.pipeline.editing import Editor
from bot.pipeline.ingesting import DigestReport, ingest
from bot.pipeline.rendering import Renderer
from bot.schedule import due_slot, local_date
from bot.sources import Source
from bot.store import Store

Progress = Callable[[str, int, int], None]  # what is being done, how many so far, of how many (0: unknown)


@dataclass(frozen=True, slots=True)
class RunReport:
    """What one run did. ``skipped`` editions were quiet, and their profiles want no note."""

    digests: Sequence[DigestReport]
    editions: Sequence[Edition]
    skipped: int
    delivered: int
    failed: int
    unknown: int
    problems: Sequence[Problem]

    @property
    def complete(self) -> bool:
        """Whether everything that was to be done went through."""
        return not (self.problems or self.failed or self.unknown)


@dataclass(frozen=True, slots=True)
class _Due:
    """One reader's edition that is to be made now; ``slot`` is its day, or ``day#2`` for one more of that day."""

    reader: Reader
    profile: Profile
    day: date
    slot: str


@dataclass(frozen=True, slots=True)
class _Made:
    """What was made in one run."""

    editions: list[Edition] = field(default_factory=list)
    skipped: list[Edition] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The parts that a paper passes, in their order; decides nothing."""

    sources: Sequence[Source]
    store: Store
    profiles: Mapping[str, Profile]
    editor: Editor
    renderer: Renderer
    dispatcher: Dispatcher

    def run(self, now: datetime, *, force: bool, progress: Progress) -> RunReport:
        """The whole way once; with ``force``, an edition for every reader whether due or not."""
        arrived, problems = self._ingest(now, progress)
        made = self._edit(now, force, progress)
        settled = count(1)
        sent = self.dispatcher.deliver_due(now, lambda *_: progress("delivering", next(settled), 0))
        return RunReport(
            digests=arrived,
            editions=made.editions,
            skipped=len(made.skipped),
            delivered=sent.delivered,
            failed=sent.failed,
            unknown=sent.unknown,
            problems=[*problems, *made.problems, *sent.problems],
        )

    def _ingest(self, now: datetime, progress: Progress) -> tuple[list[DigestReport], list[Problem]]:
        arrived: list[DigestReport] = []
        problems: list[Problem] = []
        for outcome in ingest(self.sources, self.store, now):
            if isinstance(outcome, Problem):
                problems.append(outcome)
            else:
                arrived.append(outcome)
            progress("reading digests", len(arrived) + len(problems), 0)
        return arrived, problems

    def _edit(self, now: datetime, force: bool, progress: Progress) -> _Made:
        due = self._due(now, force)
        made = _Made()
        for done, one in enumerate(due, 1):
            self._make(one, now, made)
            progress("composing editions", done, len(due))
        return made

    def _due(self, now: datetime, force: bool) -> list[_Due]:
        overrides = self.store.overrides.all()
        readers = (
            (reader, personal(profile, overrides.get(reader.id)))
            for slug, profile in self.profiles.items()
            for reader in self.store.readers.sync(slug, profile.addresses, now)
            if not reader.stopped
        )
        slots = (_slot(self.store, reader, profile, now, force=force) for reader, profile in readers)
        return [slot for slot in slots if slot]

    def _make(self, due: _Due, now: datetime, made: _Made) -> None:
        """Makes one edition; a quiet one is stored without messages where the profile wants none.

        What goes wrong is this reader's problem alone.
        """
        try:
            edition = self.editor.edition(due.reader, due.profile, due.day, now)
            silent = bool(edition.quiet) and due.profile.edition.when_quiet == "skip"
            messages = [] if silent else self.renderer.messages(edition, due.slot)
        except PaperbotError as error:
            made.problems.append(Problem(due.reader.name, str(error)))
            return
        if self.store.editions.save(edition, due.slot, messages) is None:
            return  # another process was faster
        (made.skipped if silent else made.editions).append(edition)


def _slot(store: Store, reader: Reader, profile: Profile, now: datetime, *, force: bool) -> _Due | None:
    schedule = profile.schedule
    timezone = schedule.timezone or "UTC"
    if force:
        day = local_date(now, timezone)
        return _Due(reader, profile, day, _free_slot(store, reader, day))
    due = due_slot(schedule.at, schedule.days, timezone, now)
    if due is None or store.editions.slots(reader.id, [due.isoformat()]):
        return None
    return _Due(reader, profile, due, due.isoformat())


def _free_slot(store: Store, reader: Reader, day: date) -> str:
    """The day's own slot, or where that is taken the first free one beside it."""
    names = [day.isoformat(), *(f"{day.isoformat()}#{n}" for n in range(2, 100))]
    taken = store.editions.slots(reader.id, names)
    return next(name for name in names if name not in taken)
