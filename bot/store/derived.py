"""Derived data: fitted models and weights, the shared corpus, TL;DRs, and profiles for workers.

One process fits the corpus for all machines, because separate vocabularies would invalidate each other's models.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from bot.model import PaperId, ReaderId
from bot.store.engine import Aggregate, Lock, from_row, in_chunks, replace_rows
from bot.store.readers import present
from bot.store.schema import corpora, mixtures, published_profiles, reader_models, tldrs


@dataclass(frozen=True, slots=True)
class StoredMixture:
    """The experts' mixture for a reader's votes, or for all readers' without ``reader_id``."""

    reader_id: ReaderId | None
    fitted_at: datetime
    votes: int
    weights: tuple[float, ...]
    offset: float


class Mixtures(Aggregate):
    """The newest mixture of each reader and of all readers, as of ``until`` if given."""

    def of_home(self) -> StoredMixture | None:
        return next(iter(self._newest(mixtures.c.reader_id.is_(None))), None)

    def of_readers(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredMixture]:
        return {
            mixture.reader_id: mixture
            for chunk in in_chunks(reader_ids)
            for mixture in self._newest(mixtures.c.reader_id.in_(chunk))
            if mixture.reader_id is not None
        }

    def add(self, fitted: Sequence[StoredMixture]) -> None:
        # Not durable, because they can be fitted again.
        if fitted:
            with self._database.writing(durable=False) as connection:
                left = present(connection, (mixture.reader_id for mixture in fitted if mixture.reader_id is not None))
                rows = [asdict(mixture) for mixture in fitted if mixture.reader_id in {None, *left}]
                if rows:
                    connection.execute(insert(mixtures), rows)

    def _newest(self, condition: ColumnElement[bool]) -> list[StoredMixture]:
        newest = select(func.max(mixtures.c.id)).where(condition, self._by_then(mixtures.c.fitted_at))
        rows = self._rows(select(mixtures).where(mixtures.c.id.in_(newest.group_by(mixtures.c.reader_id))))
        return [from_row(StoredMixture, row) for row in rows]


_MODELS = 50  # rows in a statement; a model of 40 votes takes 60 KB


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A reader's models for the votes of a signature and a version of the vocabulary."""

    reader_id: ReaderId
    signature: str
    vocabulary: int
    fitted_at: datetime
    arrays: bytes


class ReaderModels(Aggregate):
    """The fitted models, at most one per reader. As of a past time there are none."""

    def of_readers(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredModel]:
        if self._until:  # the stored models are fitted to today's votes
            return {}
        return {
            row.reader_id: StoredModel(*row)
            for row in self._rows_in(select(reader_models), reader_models.c.reader_id, reader_ids, _MODELS)
        }

    def versions(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, tuple[str, int]]:
        query = select(reader_models.c.reader_id, reader_models.c.signature, reader_models.c.vocabulary)
        rows = self._rows_in(query, reader_models.c.reader_id, reader_ids)
        return {reader_id: (signature, vocabulary) for reader_id, signature, vocabulary in rows}

    def save(self, models: Sequence[StoredModel]) -> None:
        with self._database.writing(durable=False) as connection:
            left = present(connection, (model.reader_id for model in models))
            replace_rows(connection, reader_models, [asdict(model) for model in models if model.reader_id in left])


# Another process may be about to read the version before the newest.
_KEPT = 2


class Corpora(Aggregate):
    """The last versions of the fitted corpus, counted from 1."""

    def newest(self) -> int:
        return self._scalar(select(func.max(corpora.c.version))) or 0

    def content(self, version: int) -> bytes | None:
        return self._scalar(select(corpora.c.content).where(corpora.c.version == version))

    def add(self, content: bytes) -> int:
        with self._database.writing(Lock.CORPUS) as connection:
            version = (connection.scalar(select(func.max(corpora.c.version))) or 0) + 1
            connection.execute(insert(corpora).values(version=version, content=content))
            connection.execute(delete(corpora).where(corpora.c.version <= version - _KEPT))
        return version

    def fitting(self) -> AbstractContextManager[Collection[str]]:
        return self._database.exclusively("fit the corpus")


RequestId = int


class Tldrs(Aggregate):
    """Requests to a language model. Without text, a request failed or is in progress."""

    def known(self, papers: Collection[PaperId], model: str) -> dict[PaperId, str]:
        query = select(tldrs.c.paper_id, tldrs.c.text).where(tldrs.c.model == model, tldrs.c.text.is_not(None))
        rows = self._rows_in(query.order_by(tldrs.c.id), tldrs.c.paper_id, papers)
        return {row.paper_id: row.text for row in rows}

    def begin(self, paper: PaperId, model: str, now: datetime, *, since: datetime, budget: int) -> RequestId | None:
        """Record a request, or return None once ``budget`` requests were recorded since ``since``."""
        spent = select(func.count()).where(tldrs.c.asked_at >= since, tldrs.c.asked_at <= now)
        row = {"paper_id": paper, "model": model, "asked_at": now}
        with self._database.writing(Lock.TLDR) as connection:
            if (connection.scalar(spent) or 0) >= budget:
                return None
            request: RequestId = connection.scalars(insert(tldrs).values(row).returning(tldrs.c.id)).one()
            return request

    def keep(self, request: RequestId, text: str) -> None:
        with self._database.writing() as connection:
            connection.execute(update(tldrs).where(tldrs.c.id == request).values(text=text))


@dataclass(frozen=True, slots=True)
class PublishedProfile:
    """A profile's content as JSON without readers, or None after it was withdrawn."""

    slug: str
    version: int
    content: str | None


class PublishedProfiles(Aggregate):
    """The published profiles, one row each."""

    def publish(self, contents: Mapping[str, str]) -> None:
        """Publish these profiles, and withdraw all others."""
        # Each tick publishes and rarely changes anything.
        with self._database.reading() as connection:
            if not _changes(connection, contents):
                return
        with self._database.writing(Lock.PROFILES) as connection:
            changes = _changes(connection, contents)
            version = (connection.scalar(select(func.max(published_profiles.c.version))) or 0) + 1
            rows = [{"slug": slug, "version": version, "content": content} for slug, content in changes.items()]
            replace_rows(connection, published_profiles, rows)

    def newer_than(self, version: int) -> list[PublishedProfile]:
        query = select(published_profiles).where(published_profiles.c.version > version)
        rows = self._rows(query.order_by(published_profiles.c.slug))
        return [PublishedProfile(*row) for row in rows]


def _changes(connection: Connection, contents: Mapping[str, str]) -> dict[str, str | None]:
    rows = connection.execute(select(published_profiles.c.slug, published_profiles.c.content))
    stored: dict[str, str | None] = dict(rows.all())
    return {
        slug: contents.get(slug)
        for slug in sorted(contents.keys() | stored.keys())
        if contents.get(slug) != stored.get(slug)
    }
