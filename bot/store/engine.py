"""A database: its address, its connections to read and to write, the seam where its errors are translated.

SQLite and PostgreSQL differ here and in ``upgrade.py`` only; the aggregates write SQLAlchemy Core for both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from json import JSONDecodeError
from pathlib import Path
from traceback import extract_tb
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, Table, create_engine, event, func, make_url, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Engine
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DatabaseError, DataError, IntegrityError, ProgrammingError
from sqlalchemy.pool import ConnectionPoolEntry

from bot.errors import StoreError

T = TypeVar("T")
AnyRow = Row[*tuple[Any, ...]]
AnySelect = Select[*tuple[Any, ...]]

_BUSY_SECONDS = 30
_CHUNK = 1_000  # values in one IN (...), well below what either database takes
_BUGS = (DataError, IntegrityError, ProgrammingError)  # ours, not the database's: let them be seen


# What to do where SQLite says so.
_REMEDIES = {
    "readonly database": "allow writing to the file and its folder (chmod u+w), or name another in store.url",
    "file is not a database": "name another file in store.url, or put a backup in its place",
    "malformed": "the file is damaged: put a backup in its place",
    "unable to open database file": "let Paperbot read the file and write to its folder, or name another in store.url",
}


class Lock(IntEnum):
    """What only one process may do at a time; the numbers name PostgreSQL's advisory locks."""

    UPGRADE = 7_265_501
    INGEST = 7_265_502
    TLDR = 7_265_503


class Database:
    """Connections for reading and for writing; errors of the database come out as ``StoreError``."""

    def __init__(self, url: URL, *, foreign_keys: bool = True) -> None:
        self.url = url
        self._engine = _engine(url, foreign_keys)
        self._writer = self._engine.execution_options(writing=True)
        self._hasty_writer = self._engine.execution_options(writing=True, durable=False)

    @property
    def file(self) -> Path | None:
        """The SQLite file; None where a server keeps the data."""
        return Path(self.url.database or "") if self.url.drivername == "sqlite" else None

    @property
    def name(self) -> str:
        """The database as people know it: the file, or the URL without its password."""
        return str(self.file or self.url.render_as_string())

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent look at the data; on SQLite it neither waits for a writer nor holds one up."""
        with self._translated(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self, lock: Lock | None = None, *, durable: bool = True) -> Iterator[Connection]:
        """One transaction, committed at the end; with ``lock``, alone among all that take the same one.

        One that is not ``durable`` outlives the process, but on SQLite a power cut may undo it until the next
        durable one, which takes all before it to the disk.

        SQLite has one writer at a time anyway, and waits its turn at the beginning: a transaction that read
        first and wanted to write later could not wait, but would have to fail.
        """
        writer = self._writer if durable else self._hasty_writer
        with self._translated(), writer.begin() as connection:
            if lock and connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(int(lock))))
            yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except _BUGS:
            raise
        except (DatabaseError, sqlite3.Error) as error:  # the driver's own where a transaction begins
            reason = " ".join(str(getattr(error, "orig", error)).split())
            remedies = (remedy for words, remedy in _REMEDIES.items() if words in reason)
            raise StoreError("; ".join([f"{self.name}: {reason}", *remedies])) from error
        except (ValueError, LookupError) as error:
            if not _read_wrong(error):
                raise
            raise StoreError(
                f"{self.name}: holds a value that can't be read; the file is damaged, restore it from a backup"
            ) from error

    def close(self) -> None:
        """Close the connections; the database can be opened again at any time."""
        self._engine.dispose()


def _read_wrong(error: ValueError | LookupError) -> bool:
    """Whether it is what was read that is wrong (text, JSON, a time, a word), and not what was asked for."""
    if isinstance(error, UnicodeDecodeError | JSONDecodeError):
        return True
    innermost = extract_tb(error.__traceback__)[-1]
    reads = "str_to_" in innermost.name or "_object_value_for_elem" in innermost.name
    return reads and "sqlalchemy" in innermost.filename


def parse_url(url: str) -> URL:
    """Read ``sqlite:///path`` or ``postgresql://...``; ``StoreError`` for any other."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError("the store's url can't be read; write sqlite:///path or postgresql://...") from None
    if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername != "sqlite":
        raise StoreError(f"no store in {parsed.drivername}; write sqlite:///path or postgresql://...")
    if parsed.database in (None, "", ":memory:"):
        raise StoreError("a store needs a file: sqlite:///state/paperbot.db")
    return parsed


def insert_new(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """``INSERT ... ON CONFLICT DO NOTHING``, which each dialect has of its own."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def in_chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in runs short enough for one ``IN (...)``."""
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]


def _server_engine(url: URL) -> Engine:
    try:
        return create_engine(url, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StoreError(
            "a store on PostgreSQL needs psycopg: in Paperbot's checkout, pip install '.[postgres]'"
        ) from error


def _engine(url: URL, foreign_keys: bool) -> Engine:
    if url.drivername != "sqlite":
        return _server_engine(url)
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, below
        with suppress(sqlite3.OperationalError):  # locked: another process is switching to WAL this moment
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA secure_delete = ON")  # who is forgotten is not merely out of sight
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options, driver = connection.get_execution_options(), connection.connection.cursor()
        if options.get("writing"):
            # What says that a mail goes out must outlive a power cut, or it goes twice.
            driver.execute(f"PRAGMA synchronous = {'FULL' if options.get('durable', True) else 'NORMAL'}")
        driver.execute("BEGIN IMMEDIATE" if options.get("writing") else "BEGIN")

    return engine
