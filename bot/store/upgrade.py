"""Creates and upgrades the tables, after a backup; tells whether they are what this version expects.

A migration is a file in ``migrations/versions``, with the operations that Alembic's autogenerate renders from
``schema.py``; ``HEAD`` follows it. It runs in one transaction: a failed upgrade leaves the store unchanged. A migration
that was published is never edited: ``tests/upgrades`` has its checksum.

0006 (an earlier numbering) --convert--> 0001 --> 0007 --> HEAD
"""

from __future__ import annotations

import json
import logging
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    JSON,
    Connection,
    MetaData,
    Table,
    column,
    create_engine,
    delete,
    func,
    insert,
    inspect,
    literal,
    select,
    table,
    text,
)

from bot.config.files import create_private
from bot.model import Reader
from bot.model.errors import StoreError
from bot.model.wording import plural
from bot.store.engine import Database, Lock, parse_url
from bot.store.schema import metadata

if TYPE_CHECKING:
    from alembic.config import Config


HEAD = "0011"  # the newest revision in migrations/versions; a test compares them
SCRIPTS = Path(__file__).parent / "migrations"
_VERSION = table("alembic_version", column("version_num"))
# The last revision of an earlier numbering, and those before it, which only a version of that time upgrades.
_RENUMBERED, _BEFORE_RENUMBERED = "0006", ("0002", "0003", "0004", "0005")
_NAMED = 4  # differences in a message
# The tables whose rows belong to a reader by a row of another table.
_DEEPER = (
    ("editions", "picks", "edition_id"),
    ("outbox", "outbox_bodies", "outbox_id"),
    ("library", "library_keys", "library_id"),
)
log = logging.getLogger("paperbot")


def bring_up_to_date(database: Database, *, scripts: Path = SCRIPTS, head: str = HEAD) -> None:
    """Create or upgrade the tables; an existing store is backed up before its upgrade, and the log names the backup.

    Several processes may call this at the same time: one upgrades under an advisory lock, the others wait and
    find the upgrade done. Raises StoreError for tables of another program or of a version that was not published, a
    newer revision, or a failed backup.
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
        _refuse_unknown(upgrader, connection, revision, scripts, head)
        backup = _back_up(upgrader, connection, head) if revision else None
        from alembic import command

        config = _config(scripts, connection)
        if revision == _RENUMBERED:
            convert(connection, partial(command.upgrade, config, "0001"))
        command.upgrade(config, head)
    if backup:
        message = "%s: upgraded from revision %s to %s; the store from before is %s"
        log.warning(message, database.name, revision, head, backup)


def has_readers(url: str) -> bool:
    """Return whether a store, of any version, knows readers or has forgotten some; creates nothing."""
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
    """Raise StoreError for a state from which there is no way to ``head``."""
    if revision is None:
        if foreign := set(inspect(connection).get_table_names()) & set(metadata.tables):
            names = ", ".join(sorted(foreign))
            raise StoreError(f"{database.name}: has tables of another program ({names}); name another store")
    elif revision in _BEFORE_RENUMBERED:
        raise StoreError(
            f"{database.name}: made by an early Paperbot (revision {revision}), from which no upgrade leads here; open "
            f"it once with the version of revision {_RENUMBERED} (commit daea185), for example with its `status`"
        )
    elif revision not in (_RENUMBERED, *revisions(scripts)):
        raise StoreError(
            f"{database.name}: made by a newer Paperbot (revision {revision}; this one knows {head}), and no "
            f"downgrade leads back; upgrade Paperbot, or use its copy from before ({_backup_of(database, revision)}), "
            "which lacks everything since"
        )
    elif revision == "0001" and (problem := difference(connection, revision, scripts)):
        raise StoreError(
            f"{database.name}: made by a version between two releases, from which no upgrade leads here: {problem}. "
            "With that version, `paperbot export READER` prints a reader's votes, preferences and editions, and a new "
            'home takes the votes (docs/running.md, "Upgrading")'
        )


def faults(database: Database) -> list[str]:
    """Return what is wrong with a store of this revision: other tables than expected, damage, rows that lack theirs."""
    with database.reading() as connection:
        differing = difference(connection)
        found = [f"its tables differ from what revision {HEAD} has: {differing}"] if differing else []
        if not database.file:  # a server checks its files and its foreign keys itself
            return found
        damage = connection.scalar(text("PRAGMA quick_check(1)"))
        if damage != "ok":
            return [*found, f"the file is damaged ({' '.join(str(damage).split())}); put a backup in its place"]
        orphans = Counter((row[0], row[2]) for row in connection.execute(text("PRAGMA foreign_key_check")))
        return found + [
            f"{plural(number, 'row')} of {child} without the row of {parent} they refer to; put a backup in its place"
            for (child, parent), number in orphans.items()
        ]


def difference(connection: Connection, revision: str = HEAD, scripts: Path = SCRIPTS) -> str:
    """Return in words how the tables differ from those of a revision; empty if they don't."""
    from alembic import command

    # In memory: the migrations themselves say what each revision is.
    with closing(create_engine("sqlite://").connect()) as memory:
        command.upgrade(_config(scripts, memory), revision)
        expected = _names(memory)
    actual = _names(connection)
    # An operator's own tables and indexes beside ours do no harm; a column may be one that must have a value.
    tables = {name.partition(".")[0] for name in expected if "." in name}
    besides = [name for name in actual - expected if "." in name and name.partition(".")[0] in tables]
    lacking = [name for name in expected - actual if name.partition(".")[0] not in tables - actual or name in tables]
    parts = (("lacks", lacking), ("has also", besides))
    return ", and ".join(f"it {verb} {_listed(sorted(names))}" for verb, names in parts if names)


def _names(connection: Connection) -> set[str]:
    """Return the names of tables, of columns as ``table.column``, and of indexes; of the search index its table."""
    inspector = inspect(connection)
    names = set(inspector.get_table_names())
    for name in {name for name in names if not name.startswith("papers_search")}:
        names |= {f"{name}.{column['name']}" for column in inspector.get_columns(name)}
        names |= {str(index["name"]) for index in inspector.get_indexes(name) if str(index["name"]).startswith("ix_")}
    return {name for name in names if not name.startswith("papers_search_")}


def _listed(names: list[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {plural(rest, 'other')}" if rest > 0 else "")


def revisions(scripts: Path) -> list[str]:
    """Return all revisions in a folder of migrations, newest first."""
    from alembic.script import ScriptDirectory

    return [script.revision for script in ScriptDirectory.from_config(_config(scripts)).walk_revisions()]


def _config(scripts: Path, connection: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    # ConfigParser interpolates "%", which may be part of a folder's name.
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _backup_of(database: Database, head: str) -> str:
    return f"{database.file}.before-{head}.bak" if database.file else f"schema ..._before_{head}"


def _back_up(database: Database, connection: Connection, head: str) -> str:
    """Copy the store, and return the copy's name: a file beside an SQLite store, on PostgreSQL a schema beside its own.

    The caller holds the write lock, so that nothing is written between the copy and the upgrade. Raises StoreError.
    """
    if not database.file:
        return _back_up_schema(database, connection, head)
    copy = Path(_backup_of(database, head))
    try:
        copy.unlink(missing_ok=True)
        create_private(copy)
        # SQLite's online backup includes pages that are still in the write-ahead log; a copy of the file would not.
        with closing(sqlite3.connect(database.file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{database.file}: not upgraded, because its backup {copy} failed: {error}") from error
    return str(copy)


def _back_up_schema(database: Database, connection: Connection, head: str) -> str:
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


def forget_in_copies(database: Database, reader: Reader) -> None:
    """Remove a reader, already deleted from the store, from its write-ahead log and from the backups beside it.

    A backup that can't be read any more is deleted. Raises StoreError if it can't be deleted either.
    """
    if database.file:
        _forget_in_files(database.file, reader)
    else:
        with database.writing() as connection:
            _forget_in_schemas(connection, reader)


def _forget_in_schemas(connection: Connection, reader: Reader) -> None:
    inspector = inspect(connection)
    own = connection.scalar(text("SELECT current_schema()"))
    key = {"profile": reader.profile, "address": reader.address}
    for schema in [name for name in inspector.get_schema_names() if name.startswith(f"{own}_before_")]:
        ids = f'SELECT id FROM "{schema}".readers WHERE profile = :profile AND address = :address'
        # The copies have no foreign keys, so that nothing cascades: the deepest rows first.
        for owner, child, by in _DEEPER:
            if inspector.has_table(child, schema):
                of_reader = f'SELECT id FROM "{schema}".{owner} WHERE reader_id IN ({ids})'
                connection.execute(text(f'DELETE FROM "{schema}".{child} WHERE {by} IN ({of_reader})'), key)
        for copied in inspector.get_table_names(schema):
            if "reader_id" in {found["name"] for found in inspector.get_columns(copied, schema)}:
                connection.execute(text(f'DELETE FROM "{schema}".{copied} WHERE reader_id IN ({ids})'), key)
        connection.execute(text(f'DELETE FROM "{schema}".readers WHERE profile = :profile AND address = :address'), key)


def _forget_in_files(file: Path, reader: Reader) -> None:
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


# Brings the rows of a store of revision 0006 into the tables of 0001, from which revisions were numbered again.
#
# Rows keep their ids: links in mails hold them. What is derived from other rows is made again: the search index by its
# triggers, models at the next edition. Not carried over are rate limits and which days had a notice to the operator.
#
# old tables --> temporary copies, stopped readers and keys of messages in today's form --> new tables
# picks --> reasons in today's form, summaries stored once for each paper       outbox --> bodies apart, compressed
_Row = Mapping[Any, Any]  # by name of column, as in SQLAlchemy's RowMapping

_RENAMED = {"thumbs": "votes", "pauses": "circuit_breakers"}
# The tables whose rows are carried over by column, those that others refer to first, with their new names; picks and
# bodies follow.
_COPIED = {
    name: _RENAMED.get(name, name)
    for name in (
        *("papers", "revisions", "paper_keys", "digests", "sightings", "source_states", "lookups", "readers", "thumbs"),
        *("editions", "tldrs", "outbox", "alert_marks", "overrides", "forgotten", "pauses"),
    )
}
_DROPPED = ("picks", "notices", "rate_limits", "papers_search")
_PAGE = 500

# What the older version wrote, in the form of the newer one.
_CHANGES = (
    "UPDATE old_readers SET stop_detail = substr(stopped, 10), stopped = 'refused' WHERE stopped LIKE 'refused: %'",
    """UPDATE old_readers SET stopped = CASE stopped
        WHEN 'removed from the profile' THEN 'removed' WHEN 'waits for its confirmation' THEN 'awaiting'
        WHEN 'unsubscribed by its reader' THEN 'unsubscribed' WHEN 'paused by its reader' THEN 'paused'
        WHEN 'refused' THEN 'refused' ELSE 'operator' END WHERE stopped IS NOT NULL""",
    # letter:7:20261120T130000:1 --> confirmation-20261120T130000:7:email:1
    """UPDATE old_outbox SET key = 'confirmation-' || substr(key, 9 + length(CAST(reader_id AS TEXT)), 15)
        || ':' || reader_id || ':' || kind || ':' || part WHERE key LIKE 'letter:%'""",
)


def convert(connection: Connection, create_tables: Callable[[], None]) -> None:
    """Replace the tables of 0006 by those of 0001, which ``create_tables`` creates, and fill them.

    In the connection's transaction; on SQLite foreign keys have to be off.
    """
    used_ids = _used_ids(connection)
    for name in (*_COPIED, "picks"):
        connection.execute(text(f"CREATE TEMPORARY TABLE old_{name} AS SELECT * FROM {name}"))
    connection.execute(text("ALTER TABLE old_readers ADD COLUMN stop_detail TEXT DEFAULT '' NOT NULL"))
    for statement in _CHANGES:
        connection.execute(text(statement))
    _drop_tables(connection)
    create_tables()
    new = MetaData()
    new.reflect(connection, only=[*_COPIED.values(), "picks", "summaries", "outbox_bodies"])
    for old_name, name in _COPIED.items():
        old_columns = connection.execute(text(f"SELECT * FROM old_{old_name} LIMIT 0")).keys()
        columns = set(old_columns) & set(new.tables[name].columns.keys())
        listed = ", ".join(f'"{column}"' for column in sorted(columns))
        connection.execute(text(f"INSERT INTO {name} ({listed}) SELECT {listed} FROM old_{old_name}"))
    _copy_bodies(connection, new.tables["outbox_bodies"])
    _copy_picks(connection, new.tables["picks"], new.tables["summaries"])
    _continue_ids(connection, used_ids)
    for name in (*_COPIED, "picks"):
        connection.execute(text(f"DROP TABLE old_{name}"))


def _used_ids(connection: Connection) -> dict[str, int]:
    """Return the highest id that each table ever gave, by the table's new name."""
    if connection.dialect.name == "sqlite":
        rows = connection.execute(text("SELECT name, seq FROM sqlite_sequence")).all()
        return {_COPIED[name]: used for name, used in rows if name in _COPIED}
    used_ids: dict[str, int] = {}
    for name in set(_COPIED) & {
        sequence.removesuffix("_id_seq") for sequence in inspect(connection).get_sequence_names()
    }:
        used, is_used = connection.execute(text(f"SELECT last_value, is_called FROM {name}_id_seq")).one()
        used_ids |= {_COPIED[name]: used} if is_used else {}
    return used_ids


def _continue_ids(connection: Connection, used_ids: Mapping[str, int]) -> None:
    """Let each table give higher ids than ever before: a link in a mail to a deleted reader must not be another's."""
    for name, used in used_ids.items():
        if connection.dialect.name == "sqlite":
            sequence = table("sqlite_sequence", column("name"), column("seq"))
            connection.execute(delete(sequence).where(sequence.c.name == name))
            connection.execute(insert(sequence).values(name=name, seq=used))
        else:
            connection.execute(select(func.setval(func.pg_get_serial_sequence(name, "id"), used)))


def _drop_tables(connection: Connection) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    for name in (*_COPIED, *_DROPPED):
        connection.execute(text(f"DROP TABLE {name}{'' if is_sqlite else ' CASCADE'}"))
    if not is_sqlite:
        connection.execute(text("DROP FUNCTION papers_search_keep()"))
    connection.execute(text("DELETE FROM alembic_version"))


def _copy_bodies(connection: Connection, bodies: Table) -> None:
    old = table("old_outbox", column("id"), column("body"), column("state"))
    waiting = select(old.c.id, old.c.body).where(func.length(old.c.body) > 0, old.c.state.not_in(("sent", "cancelled")))
    for page in connection.execute(waiting).yield_per(_PAGE).partitions():
        connection.execute(insert(bodies), [{"outbox_id": row.id, "body": zlib.compress(row.body, 1)} for row in page])


def _copy_picks(connection: Connection, picks: Table, summaries: Table) -> None:
    names = ("edition_id", "position", "paper_id", "kind", "probability", "because", "followed")
    old = table("old_picks", *map(column, names), column("reasons", JSON), column("summary", JSON))
    summary_ids: dict[tuple[int, str], int] = {}
    for page in connection.execute(select(old)).yield_per(_PAGE).mappings().partitions():
        connection.execute(insert(picks), [_pick(connection, row, summaries, summary_ids) for row in page])


def _pick(connection: Connection, row: _Row, summaries: Table, summary_ids: dict[tuple[int, str], int]) -> _Row:
    sentences = [{name: s[name] for name in ("text", "role") if s[name]} for s in row["summary"]]
    summary_id = None
    if sentences:
        key = row["paper_id"], blake2b(json.dumps(sentences).encode(), digest_size=12).hexdigest()
        if key not in summary_ids:
            new = insert(summaries).values(paper_id=key[0], digest=key[1], sentences=sentences)
            summary_ids[key] = connection.scalars(new.returning(summaries.c.id)).one()
        summary_id = summary_ids[key]
    copied = {name: row[name] for name in ("edition_id", "position", "paper_id", "kind", "probability")}
    marks = [s["marks"] for s in row["summary"]]
    return copied | {"summary_id": summary_id, "reasons": _reasons(row), "marks": marks}


def _reasons(row: _Row) -> list[_Row]:
    """Return the reasons of a pick; ``because`` is the title of a liked paper, ``followed`` an author."""
    followed = [{"kind": "author", "text": row["followed"]}] if row["followed"] else []
    liked = [{"kind": "liked", "text": row["because"]}] if row["because"] else []
    terms = [
        {"kind": "phrases" if kind == "word" else kind, "text": reason["term"], "weight": reason["weight"]}
        for reason in row["reasons"]
        if (kind := reason["kind"]) and reason["weight"] > 0
    ]
    return [*followed, *terms, *liked]
