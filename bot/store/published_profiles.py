"""Profiles as published by the machine that has their files, for workers on machines that don't.

Each publication that changes something takes the next version, so that a worker reads what is newer than it has.
Without readers: addresses are in the table of readers alone, where ``forget`` deletes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from bot.store.engine import Aggregate, Lock, dialect_insert
from bot.store.shared_schema import published_profiles


@dataclass(frozen=True, slots=True)
class PublishedProfile:
    """The content of a profile without its readers, as JSON text; None if it was withdrawn."""

    slug: str
    version: int
    content: str | None


class PublishedProfiles(Aggregate):
    """At most one row for each profile that was ever published."""

    def publish(self, contents: Mapping[str, str]) -> None:
        """Make ``contents``, by slug, all profiles there are; the others are withdrawn."""
        # Most calls change nothing: serve publishes with each tick, and need not take the lock to see that.
        with self._database.reading() as connection:
            if not _changes(connection, contents):
                return
        with self._database.writing(Lock.PROFILES) as connection:
            changes = _changes(connection, contents)
            version = (connection.scalar(select(func.max(published_profiles.c.version))) or 0) + 1
            rows = [
                {"slug": slug, "version": version, "content": content} for slug, content in changes.items()
            ]
            if rows:
                new = dialect_insert(connection, published_profiles)
                upsert = new.on_conflict_do_update(
                    index_elements=[published_profiles.c.slug],
                    set_={"version": new.excluded.version, "content": new.excluded.content},
                )
                connection.execute(upsert, rows)

    def newer_than(self, version: int) -> list[PublishedProfile]:
        """Return what was published or withdrawn after a version, by slug; with 0, everything."""
        query = select(published_profiles).where(published_profiles.c.version > version)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(published_profiles.c.slug))
            return [PublishedProfile(row.slug, row.version, row.content) for row in rows]


def _changes(connection: Connection, contents: Mapping[str, str]) -> dict[str, str | None]:
    """Return what differs from the stored rows: new contents, and None for those to withdraw."""
    rows = connection.execute(select(published_profiles.c.slug, published_profiles.c.content))
    stored: dict[str, str | None] = dict(rows.all())
    return {
        slug: contents.get(slug)
        for slug in sorted(contents.keys() | stored.keys())
        if contents.get(slug) != stored.get(slug)
    }
