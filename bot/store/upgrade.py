"""Create, back up, upgrade and check the tables.

Alembic's autogenerate renders migrations from ``schema.py``. An upgrade is one transaction.
"""

from __future__ import annotations

import logging
import sqlite3
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, column, create_engine, inspect, literal, select, table, text

from bot.config.files import create_private
from bot.model import Reader
from bot.model.errors import StoreError
from bot.model.wording import plural
from bot.store.engine import Database, Lock, parse_url
from bot.store.schema import metadata

if TYPE_CHECKING:
    from alembic.config import Config


HEAD = "0015"  # the newest revision in migrations/versions; a test compares them
SCRIPTS = Path(__file__).parent / "migrations"
_VERSION = table("alembic_version", column("version_num"))
_NAMED = 4
# Tables that belong to a reader through another table.
_DEEPER = (
    ("editions", "picks", "edition_id"),
    ("outbox", "outbox_bodies", "outbox_id"),
    ("library", "library_keys", "library_id"),
)
log = logging.getLogger("paperbot")


def bring_up_to_date(database: Database, *, scripts: Path = SCRIPTS, head: str = HEAD) -> None:
    """Create or upgrade the tables, after a backup that the log names.

    Raises StoreError for foreign tables, an unknown revision, or a failed backup.
    """
    with database.reading() as connection:
        if _revision(connection) == head:
            return
    # SQLite changes a column by copying the table. With foreign keys on, dropping the original would delete dependent
    # rows (sqlite.org/lang_altertable.html, section 7).
    with closing(Database(database.url, foreign_keys=False)) as upgrader, upgrader.writing(Lock.UPGRADE) as connection:
        revision = _revision(connection)
        if revision == head:
            return
        _refuse_unknown(upgrader, connection, revision, scripts, head)
        backup = _back_up(upgrader, connection, head) if revision else None
        from alembic import command

        command.upgrade(_config(scripts, connection), head)
    if backup:
        message = "%s: upgraded from revision %s to %s; the store from before is %s"
        log.warning(message, database.name, revision, head, backup)


def has_readers(url: str) -> bool:
    """Return whether a store of any version has readers or forgotten ones."""
    database = Database(parse_url(url))
    if database.file and not database.file.exists():
        return False
    with closing(database), database.reading() as connection:
        tables = {"readers", "forgotten"} & set(inspect(connection).get_table_names())
        return any(connection.scalar(select(literal(1)).select_from(table(name)).limit(1)) for name in tables)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    revision: str | None = connection.scalar(select(_VERSION.c.version_num))
    return revision


def _refuse_unknown(database: Database, connection: Connection, revision: str | None, scripts: Path, head: str) -> None:
    if revision is None:
        if foreign := set(inspect(connection).get_table_names()) & set(metadata.tables):
            names = ", ".join(sorted(foreign))
            raise StoreError(f"{database.name}: has tables of another program ({names}); name another store")
        return
    known = revisions(scripts)
    if revision < known[-1]:
        raise StoreError(
            f"{database.name}: made by an earlier Paperbot (revision {revision}), and left as it is; open it once with "
            "commit 8be0fab, for example with its `paperbot status`, and then with this version"
        )
    if revision not in known:
        raise StoreError(
            f"{database.name}: made by a newer Paperbot (revision {revision}; this one knows {head}), and no "
            f"downgrade leads back; upgrade Paperbot, or use its copy from before ({_backup_of(database, revision)}), "
            "which lacks everything since"
        )


def faults(database: Database) -> list[str]:
    """Describe unexpected tables, damage, and orphaned rows."""
    with database.reading() as connection:
        differing = difference(connection)
        found = [f"its tables differ from what revision {HEAD} has: {differing}"] if differing else []
        if not database.file:  # a server checks files and foreign keys itself
            return found
        damage = connection.scalar(text("PRAGMA quick_check(1)"))
        if damage != "ok":
            return [*found, f"the file is damaged ({' '.join(str(damage).split())}); put a backup in its place"]
        orphans = Counter((row[0], row[2]) for row in connection.execute(text("PRAGMA foreign_key_check")))
        found += [
            f"{plural(number, 'row')} of {child} without the row of {parent} they refer to; put a backup in its place"
            for (child, parent), number in orphans.items()
        ]
    return found if differing else [*found, *_search_faults(database)]


def _search_faults(database: Database) -> list[str]:
    try:
        # FTS5's commands are INSERTs, so SQLite wants the write lock.
        with database.writing() as connection:
            connection.execute(text("INSERT INTO papers_search (papers_search, rank) VALUES ('integrity-check', 1)"))
    except StoreError as error:
        if getattr(getattr(error.__cause__, "orig", None), "sqlite_errorname", "") != "SQLITE_CORRUPT_VTAB":
            raise
        again = "INSERT INTO papers_search (papers_search) VALUES ('rebuild')"
        return [f'its search index differs from its papers; make it again: sqlite3 {database.file} "{again}"']
    return []


@cache
def _names_of(revision: str) -> frozenset[str]:
    from alembic import command

    with closing(create_engine("sqlite://").connect()) as memory:
        command.upgrade(_config(SCRIPTS, memory), revision)
        return frozenset(_names(memory))


def difference(connection: Connection) -> str:
    expected, actual = _names_of(HEAD), _names(connection)
    # An operator's own tables do no harm. An extra column may require a value.
    tables = {name.partition(".")[0] for name in expected if "." in name}
    besides = [name for name in actual - expected if "." in name and name.partition(".")[0] in tables]
    lacking = [name for name in expected - actual if name.partition(".")[0] not in tables - actual or name in tables]
    parts = (("lacks", lacking), ("has also", besides))
    sentences = []
    for verb, names in parts:
        rest = len(names) - _NAMED
        listed = ", ".join(sorted(names)[:_NAMED]) + (f" and {plural(rest, 'other')}" if rest > 0 else "")
        sentences += [f"it {verb} {listed}"] if names else []
    return ", and ".join(sentences)


def _names(connection: Connection) -> set[str]:
    """Return tables with the search index, columns (``table.column``) and indexes."""
    inspector = inspect(connection)
    names = set(inspector.get_table_names())
    for name in {name for name in names if not name.startswith("papers_search")}:
        names |= {f"{name}.{column['name']}" for column in inspector.get_columns(name)}
        names |= {str(index["name"]) for index in inspector.get_indexes(name) if str(index["name"]).startswith("ix_")}
    return {name for name in names if not name.startswith("papers_search_")}


def revisions(scripts: Path) -> list[str]:
    from alembic.script import ScriptDirectory

    return [script.revision for script in ScriptDirectory.from_config(_config(scripts)).walk_revisions()]


def _config(scripts: Path, connection: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _backup_of(database: Database, head: str) -> str:
    return f"{database.file}.before-{head}.bak" if database.file else f"schema ..._before_{head}"


def _back_up(database: Database, connection: Connection, head: str) -> str:
    """Copy the store to a file or a schema, and return its name. Raises StoreError."""
    if not database.file:
        own = connection.scalar(text("SELECT current_schema()"))
        name = f"{own}_before_{head}"
        if inspect(connection).has_schema(name):
            raise StoreError(
                f"{database.name}: not upgraded, because the schema {name} of an earlier upgrade would be overwritten; "
                f'rename it (ALTER SCHEMA "{name}" RENAME TO ...), or drop it'
            )
        connection.execute(text(f'CREATE SCHEMA "{name}"'))
        for copied in inspect(connection).get_table_names():
            connection.execute(text(f'CREATE TABLE "{name}"."{copied}" AS TABLE "{copied}"'))
        return f'schema "{name}"; drop it when you no longer need it: DROP SCHEMA "{name}" CASCADE'
    copy = Path(_backup_of(database, head))
    try:
        copy.unlink(missing_ok=True)
        create_private(copy)
        with closing(sqlite3.connect(database.file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{database.file}: not upgraded, because its backup {copy} failed: {error}") from error
    return str(copy)


def forget_in_copies(database: Database, reader: Reader) -> None:
    """Remove a deleted reader from the write-ahead log and from all backups.

    Deletes an unreadable backup, or raises StoreError.
    """
    if database.file:
        _forget_in_files(database.file, reader)
        return
    with database.writing() as connection:
        inspector = inspect(connection)
        own = connection.scalar(text("SELECT current_schema()"))
        key = {"profile": reader.profile, "address": reader.address}
        for schema in [name for name in inspector.get_schema_names() if name.startswith(f"{own}_before_")]:
            this = f'FROM "{schema}".readers WHERE profile = :profile AND address = :address'
            ids = f"SELECT id {this}"
            for owner, child, by in _DEEPER:
                if inspector.has_table(child, schema):
                    of_reader = f'SELECT id FROM "{schema}".{owner} WHERE reader_id IN ({ids})'
                    connection.execute(text(f'DELETE FROM "{schema}".{child} WHERE {by} IN ({of_reader})'), key)
            for copied in inspector.get_table_names(schema):
                if "reader_id" in {found["name"] for found in inspector.get_columns(copied, schema)}:
                    connection.execute(text(f'DELETE FROM "{schema}".{copied} WHERE reader_id IN ({ids})'), key)
            connection.execute(text(f"DELETE {this}"), key)


def _forget_in_files(file: Path, reader: Reader) -> None:
    # The log keeps old pages until a checkpoint.
    with closing(sqlite3.connect(file)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for copy in file.parent.glob(f"{file.name}.before-*.bak"):
        try:
            # At every revision, a reader's rows refer to ``readers``.
            with closing(sqlite3.connect(copy, isolation_level=None)) as backup:
                backup.execute("PRAGMA journal_mode = DELETE")
                backup.execute("PRAGMA foreign_keys = ON")
                key = (reader.profile, reader.address)
                deleted = backup.execute("DELETE FROM readers WHERE profile = ? AND address = ?", key)
                if deleted.rowcount:
                    # DELETE only frees pages.
                    backup.execute("VACUUM")
        except sqlite3.Error:
            try:
                copy.unlink()
            except OSError as error:
                raise StoreError(
                    f"{copy}: this backup may still hold the reader; delete it ({error.strerror})"
                ) from error
