"""Bringing a store to the shape this program knows: made, upgraded, or refused.

Alembic is slow to import, so the revision is first read with plain SQL; only a store that is not at ``HEAD``
(a new one is at none) pays for it. A failed upgrade leaves the store as it was.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, column, inspect, select, table

from bot.errors import StoreError
from bot.store.backups import back_up
from bot.store.engine import Database, Lock
from bot.store.schema import metadata

HEAD = "0008"  # the newest file in migrations/versions; a test holds this
SCRIPTS = Path(__file__).parent / "migrations"

_VERSION = table("alembic_version", column("version_num"))


def bring_up_to_date(
    database: Database,
    *,
    backups: Path | None = None,
    scripts: Path = SCRIPTS,
    head: str = HEAD,
    secret: bytes = b"",
) -> None:
    """Make or upgrade the tables, an existing SQLite file after a backup; ``StoreError`` if that can't be.

    ``secret`` keys the hashes of addresses from before they were keyed. Several processes may call this at once:
    one does it, the others wait and find it done.
    """
    with database.reading() as connection:
        if _revision(connection) == head:
            return
    # Foreign keys off: rebuilding a table on SQLite drops the old one, and its dependents' rows with it.
    upgrader = Database(database.url, foreign_keys=False)
    try:
        with upgrader.writing(Lock.UPGRADE) as connection:
            _upgrade(upgrader, connection, backups, scripts, head, secret=secret)
    finally:
        upgrader.close()


def _upgrade(
    database: Database,
    connection: Connection,
    backups: Path | None,
    scripts: Path,
    head: str,
    *,
    secret: bytes,
) -> None:
    from bot.store.migrations import migrate, revisions  # slow: imports Alembic

    found = _revision(connection)
    if found == head:
        return
    if found is None:
        _refuse_others(database, connection)
    elif found not in revisions(scripts):
        raise StoreError(
            f"{database.name}: made by a newer Paperbot (revision {found}; this one knows {head}); "
            "upgrade Paperbot, or name another store"
        )
    elif database.file:
        back_up(database.file, backups or database.file.parent, head)
    migrate(connection, scripts, head, secret)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    found: str | None = connection.scalar(select(_VERSION.c.version_num))
    return found


def _refuse_others(database: Database, connection: Connection) -> None:
    if taken := set(inspect(connection).get_table_names()) & set(metadata.tables):
        names = ", ".join(sorted(taken))
        raise StoreError(f"{database.name}: has tables of another program ({names}); name another store")
