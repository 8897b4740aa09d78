"""The store as a whole, now or as of a time: opened by URL, with one attribute for each aggregate, and its retention.

As of a time, for replays, the aggregates whose rows have a time take it as ``until``; editions and models are
replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Column, ColumnElement, and_, delete, exists, func, or_, select, true

from bot.config.files import create_private
from bot.model import Edition, EditionKind, Kind, Reader, ReaderId, SendLimit, State
from bot.model.errors import StoreError
from bot.store.derived import Corpora, Mixtures, PublishedProfiles, ReaderModels, Tldrs
from bot.store.editions import ActiveReaders, AlertMarks, CatchUps, Editions, EditionWaits, StoredEdition, Visits
from bot.store.engine import Aggregate, Database, in_chunks, parse_url
from bot.store.libraries import Library, Zotero
from bot.store.outbox import Outbox
from bot.store.papers import AsOf, Papers, Search
from bot.store.readers import Feedback, Overrides, Readers
from bot.store.schema import (
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

PAGE = 1_000  # rows that a transaction of the retention deletes
# Pages of each table in a call: half a minute on a busy server. The next tick continues.
_PAGES = 50
# Each page of papers reads all picks, so that there is one in a call. A day brings a tenth of it.
_PAPERS = 10_000
# A person may ask for a failed or unknown message again; nobody for the others.
_BODY_DROPPED = (State.SENT, State.CANCELLED)
_BODY_KEPT_FOR_A_TIME = (State.FAILED, State.UNKNOWN)
_SETTLED = (*_BODY_DROPPED, *_BODY_KEPT_FOR_A_TIME)


def open_store(url: str, *, secrets: Sequence[bytes] = (b"",)) -> Store:
    """Open the store at a URL, after creating or upgrading its tables.

    ``url`` is ``sqlite:///path`` (a missing folder is created) or ``postgresql://...``. Before an upgrade an SQLite
    file is copied to ``<name>.before-<revision>.bak``, a schema of PostgreSQL to ``<name>_before_<revision>``.
    ``secrets`` are the home's keys, oldest first, which key the hashes of addresses. Raises StoreError for a store that
    is unreadable, unreachable, of another program, or newer than this program.
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


class Store(AbstractContextManager["Store"]):
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
        """Delete a reader and all their data, in the backups from before upgrades too."""
        self.readers.forget(reader, now)
        forget_in_copies(self._database, reader)

    def faults(self) -> list[str]:
        """Return what is wrong with the tables and their rows, in words; reads all of an SQLite file."""
        return faults(self._database)

    def send_rates(self, limits: Mapping[Kind, SendLimit]) -> SendRates:
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
        self._database.close()

    def __exit__(self, *_: object) -> None:
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
        self.catch_ups = CatchUps(database, since)
        self.reader_models = ReaderModels(database, at)
        self.mixtures = Mixtures(database, at)


class EditionsAsOf(Editions):
    """The editions composed before ``since``, and one reader's editions ``instead`` of the real later ones."""

    def __init__(self, database: Database, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        self._since = since
        self._instead = instead

    def last_by_reader(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredEdition]:
        """Return each reader's last edition: the last of ``instead``, or the last real one before ``since``."""
        if not self._instead:
            before = {reader_id: self.last(reader_id, before=self._since) for reader_id in reader_ids}
            return {reader_id: edition for reader_id, edition in before.items() if edition}
        last = self._instead[-1]
        stored = StoredEdition(
            id=0,
            reader_id=reader_ids[0],
            slot=last.date.isoformat(),
            date=last.date,
            composed_at=last.composed_at,
            considered=last.considered,
            watermark=last.watermark,
            quiet=last.quiet,
            kind=last.kind,
            picks=len(last.picks),
        )
        return dict.fromkeys(reader_ids, stored)


@dataclass(frozen=True, slots=True)
class KeepDays:
    """How many days each is kept; 0: forever. ``picks`` go with their edition at the latest."""

    bodies: int = 30
    editions: int = 400
    picks: int = 400
    thumbs: int = 0
    papers: int = 0


class Retention(Aggregate):
    """Deletes old rows of all tables that grow, in pages: no transaction holds many rows, and no call takes long.

    Ids are given in the order of time. So each call looks at the lowest ids alone, and ends at the first row that is
    young enough; what is kept for another reason (a reader's newest edition) is passed over.
    """

    def purge(self, keep: KeepDays, now: datetime) -> int:
        """Delete what is too old, as far as one call goes; return how many rows of the tables named in ``KeepDays``."""
        number = 0
        if keep.bodies:
            number += self.bodies(now - timedelta(days=keep.bodies))
        if keep.picks:
            is_old = editions.c.composed_at < now - timedelta(days=keep.picks)
            # An edition's row stays without its picks; those of earlier calls are passed over.
            has_picks = exists().where(picks.c.edition_id == editions.c.id)
            number += self._in_windows(editions.c.id, is_old, has_picks, [picks.c.edition_id])
        if keep.editions:
            number += self._editions(now - timedelta(days=keep.editions))
        if keep.thumbs:
            is_old = votes.c.at < now - timedelta(days=keep.thumbs)
            number += self._in_windows(votes.c.id, is_old, true(), [votes.c.id])
        if keep.papers:
            number += self._papers(now - timedelta(days=keep.papers))
        return number

    def bodies(self, before: datetime) -> int:
        """Delete the bodies of messages that failed or became unknown before a time.

        Also those of messages that were cancelled before they were claimed, or found to have arrived after all.
        """
        is_over = or_(
            outbox.c.state.in_(_BODY_DROPPED),
            and_(outbox.c.state.in_(_BODY_KEPT_FOR_A_TIME), outbox.c.updated_at < before),
        )
        # Few rows have a body at any time, so that none is looked at for each message that was ever sent.
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
        """Delete editions with their messages, and settled messages that belong to none."""
        later = editions.alias()
        # The newest of a reader says up to where they have seen papers.
        is_followed = exists().where(
            later.c.reader_id == editions.c.reader_id,
            later.c.id > editions.c.id,
            later.c.kind.not_in((EditionKind.ALERT, EditionKind.LETTER)),
        )
        is_old = editions.c.composed_at < before
        # The outbox first: its rows refer to the reader's editions too.
        number = self._in_windows(editions.c.id, is_old, is_followed, [outbox.c.edition_id, editions.c.id])
        is_mail_alone = and_(outbox.c.edition_id.is_(None), outbox.c.state.in_(_SETTLED))
        is_old = outbox.c.updated_at < before
        return number + self._in_windows(outbox.c.id, is_old, is_mail_alone, [outbox.c.id])

    def _papers(self, before: datetime) -> int:
        """Delete papers that no edition shows, nobody voted on, and no reader has in Zotero by us."""
        used = [exists().where(table.c.paper_id == papers.c.id) for table in (picks, votes, zotero_saves)]
        newest = select(func.max(papers.c.id)).scalar_subquery()
        unused = select(papers.c.id).where(papers.c.first_seen < before, papers.c.id < newest, ~or_(*used))
        number = 0
        with self._database.writing() as connection:
            ids = connection.scalars(unused.order_by(papers.c.id).limit(_PAPERS)).all()
            for chunk in in_chunks(ids):
                unused_in = (revisions, publications, leading_authors, paper_keys, sightings, lookups, summaries, tldrs)
                for table in unused_in:
                    connection.execute(delete(table).where(table.c.paper_id.in_(chunk)))
                number += connection.execute(delete(papers).where(papers.c.id.in_(chunk))).rowcount
        return number

    def _in_windows(
        self,
        key: Column[int],
        is_old: ColumnElement[bool],
        is_droppable: ColumnElement[bool],
        dropped: Sequence[Column[int]],
    ) -> int:
        """Drop what may be dropped of each window of the lowest ids, until a window has a row that is not old.

        ``dropped`` are the columns that hold such an id: their rows are deleted in this order, and the last one's
        are counted.
        """
        number = 0
        after = 0
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
