"""Open the store, read it as of a past time, and delete old rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Column, ColumnElement, Connection, and_, delete, exists, func, or_, select, true

from bot.config.files import create_private
from bot.model import Edition, EditionKind, Kind, Reader, ReaderId, SendLimit, State
from bot.model.errors import StoreError
from bot.model.papers import TEST_SOURCE
from bot.store.derived import Corpora, Mixtures, PublishedProfiles, ReaderModels, Tldrs
from bot.store.editions import ActiveReaders, AlertMarks, CatchUps, Editions, EditionWaits, StoredEdition, Visits
from bot.store.engine import Aggregate, Database, in_chunks, parse_url
from bot.store.libraries import Library, Zotero
from bot.store.outbox import Outbox
from bot.store.papers import AsOf, Papers, Search
from bot.store.readers import Feedback, Overrides, Readers
from bot.store.schema import (
    digests,
    editions,
    leading_authors,
    lookups,
    outbox,
    outbox_bodies,
    paper_keys,
    papers,
    picks,
    publications,
    revisions,
    sightings,
    summaries,
    tldrs,
    votes,
    zotero_saves,
)
from bot.store.sending import BounceCounts, CircuitBreakers, RateLimits, SendRates
from bot.store.sources import ParseAttempts, Sources
from bot.store.upgrade import bring_up_to_date, faults, forget_in_copies

PAGE = 1_000
_PAGES = 50  # half a minute on a busy server; the next tick continues
_PAPERS = 10_000  # ten days'
_BODY_DROPPED = (State.SENT, State.CANCELLED)
_BODY_KEPT_FOR_A_TIME = (State.FAILED, State.UNKNOWN)
_SETTLED = (*_BODY_DROPPED, *_BODY_KEPT_FOR_A_TIME)


def open_store(url: str, *, secrets: Sequence[bytes] = (b"",)) -> Store:
    """Open the store at a URL, after creating or upgrading its tables.

    ``secrets`` are the home's keys, oldest first. Raises StoreError for a store that is unreadable, unreachable,
    foreign, or newer than this program.
    """
    database = Database(parse_url(url))
    try:
        if database.file:
            folder = database.file.parent
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"{folder}: the store's folder can't be made ({error.strerror})") from error
            # SQLite copies its permissions to the log and shared memory.
            create_private(database.file)
        bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return Store(database, secrets)


class Store(AbstractContextManager["Store"]):
    """An open store, which threads may share."""

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
        self.catch_ups = CatchUps(database)
        self.visits = Visits(database)
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
        """Delete a reader and all their data, also from the backups of upgrades."""
        self.readers.forget(reader, now)
        forget_in_copies(self._database, reader)

    def faults(self) -> list[str]:
        return faults(self._database)

    def send_rates(self, limits: Mapping[Kind, SendLimit]) -> SendRates:
        return SendRates(self._database, limits)

    @property
    def is_shared(self) -> bool:
        return self._database.file is None

    def exclusively(self, *names: str) -> AbstractContextManager[Collection[str]]:
        return self._database.exclusively(*names)

    def as_of(self, at: datetime, since: datetime, instead: Sequence[Edition]) -> StoreAsOf:
        return StoreAsOf(self._database, at, since, instead)

    def close(self) -> None:
        self._database.close()

    def __exit__(self, *_: object) -> None:
        self.close()


class StoreAsOf(Store):
    """A read-only store as of a time, for one reader, with today's texts, upvotes and overrides."""

    def __init__(self, database: Database, at: datetime, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        shown = frozenset(pick.paper.id for edition in instead for pick in edition.picks)
        self.papers = Papers(database, AsOf(at, since, shown))
        self.readers = Readers(database, (), at)
        self.sources = Sources(database, at)
        self.feedback = Feedback(database, at)
        self.library = Library(database, at)
        self.editions = EditionsAsOf(database, since, instead)
        self.catch_ups = CatchUps(database, since)
        self.reader_models = ReaderModels(database, at)
        self.mixtures = Mixtures(database, at)


class EditionsAsOf(Editions):
    """The real editions before ``since``, and ``instead`` after it."""

    def __init__(self, database: Database, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        self._since = since
        self._instead = instead

    def last_by_reader(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredEdition]:
        if not self._instead:
            before = {reader_id: self.last(reader_id, before=self._since) for reader_id in reader_ids}
            return {reader_id: edition for reader_id, edition in before.items() if edition}
        last = self._instead[-1]
        slot, number = last.date.isoformat(), len(last.picks)
        places = (slot, last.date, last.composed_at, last.considered, last.watermark, last.quiet, last.kind, number)
        return {reader_id: StoredEdition(0, reader_id, *places) for reader_id in reader_ids}


@dataclass(frozen=True, slots=True)
class KeepDays:
    """Days to keep each kind of row, or 0 for ever. An edition takes its picks along."""

    bodies: int = 30
    editions: int = 400
    picks: int = 400
    thumbs: int = 0
    papers: int = 0


class Retention(Aggregate):
    """Deletes old rows page by page, to keep transactions and calls short."""

    def purge(self, keep: KeepDays, now: datetime) -> int:
        """Delete a call's oldest rows, and return their number."""
        number = 0
        if keep.bodies:
            number += self.bodies(now - timedelta(days=keep.bodies))
        if keep.picks:
            is_old = editions.c.composed_at < now - timedelta(days=keep.picks)
            has_picks = exists().where(picks.c.edition_id == editions.c.id)
            number += self._in_windows(editions.c.id, is_old, has_picks, [picks.c.edition_id])
        if keep.editions:
            number += self._editions(now - timedelta(days=keep.editions))
        if keep.thumbs:
            is_old = votes.c.at < now - timedelta(days=keep.thumbs)
            number += self._in_windows(votes.c.id, is_old, true(), [votes.c.id])
        if keep.papers:
            number += self._papers(now - timedelta(days=keep.papers))
        return number + self._test_papers(now - timedelta(days=1))

    def bodies(self, before: datetime) -> int:
        is_over = or_(
            outbox.c.state.in_(_BODY_DROPPED),
            and_(outbox.c.state.in_(_BODY_KEPT_FOR_A_TIME), outbox.c.updated_at < before),
        )
        with_body = select(outbox_bodies.c.outbox_id).join(outbox).where(is_over).limit(PAGE)
        number = 0
        for _ in range(_PAGES):
            with self._database.writing() as connection:
                old = delete(outbox_bodies).where(outbox_bodies.c.outbox_id.in_(with_body))
                deleted = connection.execute(old).rowcount
            number += deleted
            if deleted < PAGE:
                break
        return number

    def _editions(self, before: datetime) -> int:
        later = editions.alias()
        # A reader's newest edition stays, because it records the papers that they have seen.
        is_followed = exists().where(
            later.c.reader_id == editions.c.reader_id,
            later.c.id > editions.c.id,
            later.c.kind.not_in((EditionKind.ALERT, EditionKind.LETTER)),
        )
        is_old = editions.c.composed_at < before
        # The outbox goes first, because its rows refer to editions.
        number = self._in_windows(editions.c.id, is_old, is_followed, [outbox.c.edition_id, editions.c.id])
        is_mail_alone = and_(outbox.c.edition_id.is_(None), outbox.c.state.in_(_SETTLED))
        is_old = outbox.c.updated_at < before
        return number + self._in_windows(outbox.c.id, is_old, is_mail_alone, [outbox.c.id])

    def _papers(self, before: datetime) -> int:
        used = [exists().where(table.c.paper_id == papers.c.id) for table in (picks, votes, zotero_saves)]
        newest = select(func.max(papers.c.id)).scalar_subquery()
        unused = select(papers.c.id).where(papers.c.first_seen < before, papers.c.id < newest, ~or_(*used))
        number = 0
        with self._database.writing() as connection:
            ids = connection.scalars(unused.order_by(papers.c.id).limit(_PAPERS)).all()
            for chunk in in_chunks(ids):
                number += _delete_papers(connection, chunk)
        return number

    def _test_papers(self, before: datetime) -> int:
        """Delete the made-up papers of test mails, with their votes and saves."""
        tests = select(digests.c.id).where(digests.c.source == TEST_SOURCE, digests.c.received_at < before)
        made_up = select(sightings.c.paper_id).where(sightings.c.digest_id.in_(tests))
        with self._database.writing() as connection:
            if ids := connection.scalars(made_up).all():
                for table in (votes, zotero_saves):
                    connection.execute(delete(table).where(table.c.paper_id.in_(ids)))
                _delete_papers(connection, ids)
            return connection.execute(delete(digests).where(digests.c.id.in_(tests))).rowcount

    def _in_windows(
        self,
        key: Column[int],
        is_old: ColumnElement[bool],
        is_droppable: ColumnElement[bool],
        dropped: Sequence[Column[int]],
    ) -> int:
        """Delete droppable rows in windows of ascending ids, up to the first young row.

        ``dropped`` are the columns with the id, in the order of deletion. Returns the number of rows of the last.
        """
        number = after = 0
        for _ in range(_PAGES):
            window = select(key).where(key > after).order_by(key).limit(PAGE)
            with self._database.writing() as connection:
                ids = connection.scalars(window).all()
                if not ids:
                    return number
                old = connection.scalars(select(key).where(key.between(ids[0], ids[-1]), is_old)).all()
                droppable = connection.scalars(select(key).where(key.in_(old), is_droppable)).all()
                if droppable:
                    deletions = [delete(column.table).where(column.in_(droppable)) for column in dropped]
                    number += [connection.execute(deletion).rowcount for deletion in deletions][-1]
            after = ids[-1]
            if len(old) < len(ids):
                return number
        return number


def _delete_papers(connection: Connection, ids: Sequence[int]) -> int:
    """Delete papers that no pick, vote or saved item names, and return their number."""
    for table in (revisions, publications, leading_authors, paper_keys, sightings, lookups, summaries, tldrs):
        connection.execute(delete(table).where(table.c.paper_id.in_(ids)))
    return connection.execute(delete(papers).where(papers.c.id.in_(ids))).rowcount
