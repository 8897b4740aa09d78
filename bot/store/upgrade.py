"""Schema migrations: create the tables, upgrade an older store, or refuse one that this program can't use.

Importing Alembic takes longer than opening an up-to-date store, so the revision is read with plain SQL first. A
migration runs in one transaction: a failed upgrade leaves the store unchanged.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, column, inspect, select, table

from bot.errors import StoreError
from bot.store.backups import back_up
from bot.store.engine import Database, Lock
from bot.store.schema import metadata

HEAD = "0001"  # the newest revision in migrations/versions; a test compares them
SCRIPTS = Path(__file__).parent / "migrations"

_VERSION = table("alembic_version", column("version_num"))


def bring_up_to_date(database: Database, *, scripts: Path = SCRIPTS, head: str = HEAD) -> None:
    """Create or upgrade the tables; an existing SQLite file is backed up before its upgrade.

    Several processes may call this at the same time: one upgrades under an advisory lock, the others wait and
    find the upgrade done. Raises StoreError for tables of another program, a newer revision, or a failed backup.
    """
    with database.reading() as connection:
        if _revision(connection) == head:
            return
    from bot.store.migrations import migrate, revisions  # slow: imports Alembic

    # To change a column, SQLite needs a copy of the table and DROP TABLE of the original, which with foreign keys
    # on would delete the dependent rows (sqlite.org/lang_altertable.html, section 7).
    with (
        closing(Database(database.url, foreign_keys=False)) as upgrader,
        upgrader.writing(Lock.UPGRADE) as connection,
    ):
        # Read again under the lock: another process may have finished the upgrade while this one waited.
        revision = _revision(connection)
        if revision == head:
            return
        if revision is None:
            if foreign := set(inspect(connection).get_table_names()) & set(metadata.tables):
                names = ", ".join(sorted(foreign))
                raise StoreError(
                    f"{upgrader.name}: has tables of another program ({names}); name another store"
                )
        elif revision not in revisions(scripts):
            raise StoreError(
                f"{upgrader.name}: made by a newer Paperbot (revision {revision}; this one knows {head}); "
                "upgrade Paperbot, or name another store"
            )
        elif upgrader.file:
            back_up(upgrader.file, head)
        migrate(connection, scripts, head)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    revision: str | None = connection.scalar(select(_VERSION.c.version_num))
    return revision
