"""Schema migrations: create the tables, upgrade an older store after a backup, or refuse a store of another program.

A migration is a file in ``migrations/versions``, with the operations that Alembic's autogenerate renders from
``schema.py``; ``HEAD`` follows it. It runs in one transaction: a failed upgrade leaves the store unchanged.

Importing Alembic takes longer than opening an up-to-date store, so the revision is read with plain SQL first.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, column, inspect, select, table

from bot.config.files import create_private
from bot.model import Reader
from bot.model.errors import StoreError
from bot.store.engine import Database, Lock
from bot.store.schema import metadata

if TYPE_CHECKING:
    from alembic.config import Config

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
    # To change a column, SQLite needs a copy of the table and DROP TABLE of the original, which with foreign keys
    # on would delete the dependent rows (sqlite.org/lang_altertable.html, section 7).
    with closing(Database(database.url, foreign_keys=False)) as upgrader, upgrader.writing(Lock.UPGRADE) as connection:
        # Read again under the lock: another process may have finished the upgrade while this one waited.
        revision = _revision(connection)
        if revision == head:
            return
        if revision is None:
            if foreign := set(inspect(connection).get_table_names()) & set(metadata.tables):
                names = ", ".join(sorted(foreign))
                raise StoreError(f"{upgrader.name}: has tables of another program ({names}); name another store")
        elif revision not in revisions(scripts):
            raise StoreError(
                f"{upgrader.name}: made by a newer Paperbot (revision {revision}; this one knows {head}); "
                "upgrade Paperbot, or name another store"
            )
        elif upgrader.file:
            _back_up(upgrader.file, head)
        _migrate(connection, scripts, head)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    revision: str | None = connection.scalar(select(_VERSION.c.version_num))
    return revision


def revisions(scripts: Path) -> list[str]:
    """Return all revisions in a folder of migrations, newest first."""
    from alembic.script import ScriptDirectory

    return [script.revision for script in ScriptDirectory.from_config(_config(scripts)).walk_revisions()]


def _migrate(connection: Connection, scripts: Path, head: str) -> None:
    """Upgrade the store to revision ``head`` in the connection's transaction."""
    from alembic import command

    config = _config(scripts)
    config.attributes["connection"] = connection
    command.upgrade(config, head)


def _config(scripts: Path) -> Config:
    from alembic.config import Config

    config = Config()
    # ConfigParser interpolates "%", which may be part of a folder's name.
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    return config


def _back_up(file: Path, head: str) -> None:
    """Copy the store to ``<name>.before-<head>.bak`` beside it.

    The caller holds the write lock, so that nothing is written between the copy and the upgrade. Raises StoreError.
    """
    copy = file.with_name(f"{file.name}.before-{head}.bak")
    try:
        copy.unlink(missing_ok=True)
        create_private(copy)
        # SQLite's online backup includes pages that are still in the write-ahead log; a copy of the file would not.
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{file}: not upgraded, because its backup {copy} failed: {error}") from error


def forget_in_copies(file: Path, reader: Reader) -> None:
    """Remove a reader, already deleted from the store, from its write-ahead log and from the backups beside it.

    A backup that can't be read any more is deleted. Raises StoreError if it can't be deleted either.
    """
    # The log keeps the old pages until a checkpoint, and TRUNCATE empties the file as well.
    with closing(sqlite3.connect(file)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for copy in file.parent.glob(f"{file.name}.before-*.bak"):
        try:
            # Works at every revision: all rows about a reader refer to the row in ``readers``.
            with closing(sqlite3.connect(copy, isolation_level=None)) as backup:
                backup.execute("PRAGMA journal_mode = DELETE")
                backup.execute("PRAGMA foreign_keys = ON")
                key = (reader.profile, reader.address)
                deleted = backup.execute("DELETE FROM readers WHERE profile = ? AND address = ?", key)
                if deleted.rowcount:
                    # DELETE only marks pages as free; VACUUM rewrites the file without them.
                    backup.execute("VACUUM")
        except sqlite3.Error:
            try:
                copy.unlink()
            except OSError as error:
                raise StoreError(
                    f"{copy}: this backup may still hold the reader; delete it ({error.strerror})"
                ) from error
