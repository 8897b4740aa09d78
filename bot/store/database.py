"""The store as a whole, now or as of a time: opened by URL, with one attribute for each aggregate.

As of a time, for replays, the aggregates whose rows have a time take it as ``until``; editions and models are
replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from types import TracebackType
from typing import Self

from bot.config.files import create_private
from bot.model import Edition, Kind, Reader, ReaderId, SendLimit
from bot.model.errors import StoreError
from bot.store.derived import Corpora, Mixtures, PublishedProfiles, ReaderModels, StoredModel, Tldrs
from bot.store.editions import ActiveReaders, AlertMarks, Editions, EditionWaits, StoredEdition
from bot.store.engine import Database, parse_url
from bot.store.feedback import Feedback
from bot.store.library import Library, Zotero
from bot.store.outbox import Outbox
from bot.store.papers import AsOf, Papers, Search
from bot.store.readers import Overrides, Readers
from bot.store.retention import Retention
from bot.store.sending import BounceCounts, CircuitBreakers, RateLimits, SendRates
from bot.store.sources import ParseAttempts, Sources
from bot.store.upgrade import bring_up_to_date, forget_in_copies


def open_store(url: str, *, secrets: Sequence[bytes] = (b"",)) -> Store:
    """Open the store at a URL, after creating or upgrading its tables.

    ``url`` is ``sqlite:///path`` (a missing folder is created) or ``postgresql://...``. An SQLite file is copied to
    ``<name>.before-<revision>.bak`` before an upgrade. ``secrets`` are the home's keys, oldest first, which key the
    hashes of addresses. Raises StoreError for a store that is unreadable, unreachable, of another program, or newer
    than this program.
    """
    database = Database(parse_url(url))
    try:
        if database.file:
            folder = database.file.parent
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"{folder}: the store's folder can't be made ({error.strerror})") from error
            # Created before SQLite does it: SQLite gives its log and shared memory the permissions of this file.
            create_private(database.file)
        bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return Store(database, secrets)


class Store:
    """An open store. Threads may share it; each call of an aggregate's method is one transaction."""

    def __init__(self, database: Database, secrets: Sequence[bytes] = (b"",)) -> None:
        self._database = database
        self.papers = Papers(database)
        self.sources = Sources(database)
        self.parse_attempts = ParseAttempts(database)
        self.edition_waits = EditionWaits(database)
        self.readers = Readers(database, secrets)
        self.published_profiles = PublishedProfiles(database)
        self.active_readers = ActiveReaders(database)
        self.feedback = Feedback(database)
        self.library = Library(database)
        self.zotero = Zotero(database)
        self.editions = Editions(database)
        self.outbox = Outbox(database)
        self.circuit_breakers = CircuitBreakers(database)
        self.alert_marks = AlertMarks(database)
        self.tldrs = Tldrs(database)
        self.overrides = Overrides(database)
        self.reader_models = ReaderModels(database)
        self.mixtures = Mixtures(database)
        self.corpora = Corpora(database)
        self.retention = Retention(database)
        self.bounce_counts = BounceCounts(database)
        self.rate_limits = RateLimits(database, secrets[-1])
        self.search = Search(database)

    def forget(self, reader: Reader, now: datetime) -> None:
        """Delete a reader and all their data, in the backups from before upgrades too."""
        self.readers.forget(reader, now)
        if self._database.file:
            forget_in_copies(self._database.file, reader)

    def send_rates(self, limits: Mapping[Kind, SendLimit]) -> SendRates:
        """Return the token buckets by which messages are sent, under these limits."""
        return SendRates(self._database, limits)

    @property
    def is_shared(self) -> bool:
        """Whether other machines may use this store."""
        return self._database.file is None

    def exclusively(self, name: str) -> AbstractContextManager[bool]:
        """Hold the lock ``name`` among all processes; see ``Database.exclusively``."""
        return self._database.exclusively(name)

    def as_of(self, at: datetime, since: datetime, instead: Sequence[Edition]) -> StoreAsOf:
        """Return the store as of a time, for one reader.

        From ``since`` on, the reader's editions were those in ``instead``, oldest first, and not the real ones.
        """
        return StoreAsOf(self._database, at, since, instead)

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class StoreAsOf(Store):
    """The store as of a time, for one reader; only for reading.

    Values without a history are today's: the texts and upvotes of papers, and overrides.
    """

    def __init__(self, database: Database, at: datetime, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        shown = frozenset(pick.paper.id for edition in instead for pick in edition.picks)
        self.papers = Papers(database, AsOf(at, since, shown))
        self.sources = Sources(database, at)
        self.feedback = Feedback(database, at)
        self.library = Library(database, at)
        self.editions = EditionsAsOf(database, since, instead)
        self.reader_models = ReaderModelsAsOf(database)
        self.mixtures = Mixtures(database, at)


class EditionsAsOf(Editions):
    """The editions composed before ``since``, and one reader's editions ``instead`` of the real later ones."""

    def __init__(self, database: Database, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        self._since = since
        self._instead = instead

    def last_by_reader(self, reader_ids: Sequence[ReaderId] | None = None) -> dict[ReaderId, StoredEdition]:
        """Return each reader's last edition: the last of ``instead``, or the last real one before ``since``."""
        ids = reader_ids or ()
        if not self._instead:
            before = {reader_id: self.last(reader_id, before=self._since) for reader_id in ids}
            return {reader_id: edition for reader_id, edition in before.items() if edition}
        last = self._instead[-1]
        stored = StoredEdition(
            id=0,
            reader_id=ids[0],
            slot=last.date.isoformat(),
            date=last.date,
            composed_at=last.composed_at,
            considered=last.considered,
            watermark=last.watermark,
            quiet=last.quiet,
            kind=last.kind,
            picks=len(last.picks),
        )
        return dict.fromkeys(ids, stored)


class ReaderModelsAsOf(ReaderModels):
    """No models: the stored ones were fitted to today's votes, so those of the time are fitted again."""

    def of_readers(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredModel]:  # noqa: ARG002 - the base's signature
        """Return no models."""
        return {}
