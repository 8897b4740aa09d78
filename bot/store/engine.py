"""Connect to SQLite or PostgreSQL, and translate their errors.

The aggregates use SQLAlchemy Core. Only this module, ``upgrade.py`` and search depend on the dialect.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from enum import IntEnum
from json import JSONDecodeError
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    Text,
    create_engine,
    event,
    func,
    literal,
    select,
    true,
)
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DataError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.pool import ConnectionPoolEntry

from bot.model.errors import DeletedError, StoreConnectionLostError, StoreError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from sqlalchemy.dialects import postgresql, sqlite

D = TypeVar("D", bound="DataclassInstance")
T = TypeVar("T")
Columns = TypeVarTuple("Columns")
AnyRow = Row[*tuple[Any, ...]]
AnySelect = Select[*tuple[Any, ...]]

_BUSY_SECONDS = 30  # that a writer waits for another process
# SQLite allows 32,766 variables in a statement and psycopg 65,535.
_CHUNK = 1_000
# Blanks are a tenth of a pick's JSON, and ``json.dumps`` would build an encoder for each value.
_compact_json = json.JSONEncoder(separators=(",", ":")).encode
_BUGS = (DataError, IntegrityError, ProgrammingError)

# A row refers to a deleted one: SQLSTATE, and SQLite's name.
_ORPHAN = ("23503", "SQLITE_CONSTRAINT_FOREIGNKEY")
# SQLSTATE: no usable schema, no permission.
_FOR_ADMINISTRATOR = ("3F000", "42501")
# SQLSTATE: no connection; the server is stopping, has crashed, or is starting (57P01 to 57P03).
_STOPPING = ("08", "57P0")
_REMEDIES = {
    "readonly database": "allow writing to the file and its folder (chmod u+w), or name another in store.url",
    "file is not a database": "name another file in store.url, or put a backup in its place",
    "malformed": "the file is damaged: put a backup in its place",
    "unable to open database file": "let Paperbot read the file and write to its folder, or name another in store.url",
    "database is locked": f"another process has been writing for {_BUSY_SECONDS} seconds; try again when it has ended",
    "disk is full": "free some space, then try again",
    "Connection refused": "start PostgreSQL there, or correct store.url",
    "failed to resolve host": "correct the host in store.url",
    "password authentication failed|no password supplied": "correct the password in store.url or PAPERBOT_STORE__URL",
    'role ".*" does not exist': "create it (`createuser --pwprompt NAME`), or correct store.url",
    'database ".*" does not exist': "create it (`createdb --owner=ROLE NAME`), or correct store.url",
    "invalid connection option|bad value for|invalid .* value": "correct the options behind the ? in store.url",
    "invalid port number": "write one between 1 and 65535 in store.url, or leave it out",
    "no schema has been selected|permission denied for": "let store.url's role own the database "
    "(`ALTER DATABASE ... OWNER TO ...`), or name another",
}


class Lock(IntEnum):
    """Exclusive operations, by PostgreSQL's key of the advisory lock."""

    UPGRADE = 7_265_501
    INGEST = 7_265_502
    TLDR = 7_265_503
    PROFILES = 7_265_504
    CORPUS = 7_265_505
    FORGOTTEN = 7_265_506


class Database:
    """Connections. Errors of the database become StoreError."""

    def __init__(self, url: URL, *, foreign_keys: bool = True) -> None:
        self.url = url
        self._engine = _engine(url, foreign_keys)
        self._writer = self._engine.execution_options(writing=True)
        self._relaxed_writer = self._engine.execution_options(writing=True, durable=False)
        # A busy SQLite polls. The lock makes four sending threads twice as fast.
        self._turn = threading.Lock() if self.file else nullcontext()

    @property
    def file(self) -> Path | None:
        return Path(self.url.database or "") if self.url.drivername == "sqlite" else None

    @property
    def name(self) -> str:
        """The file, or the URL without passwords and driver."""
        # ``sslpassword`` is secret, too.
        secret = [name for name in self.url.query if "pass" in name.lower()]
        shown = self.url.set(drivername=self.url.get_backend_name()).difference_update_query(secret)
        return str(self.file or shown.render_as_string())

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a read transaction, which never waits for a writer."""
        with self._translated(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self, lock: Lock | None = None, *, durable: bool = True) -> Iterator[Connection]:
        """Open a write transaction, which excludes others with the same lock.

        A power failure may undo SQLite's last ones that aren't ``durable``.
        """
        writer = self._writer if durable else self._relaxed_writer
        with self._translated(), self._turn, writer.begin() as connection:
            if lock and connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(int(lock))))
            yield connection

    @contextmanager
    def exclusively(self, *names: str) -> Iterator[Collection[str]]:
        """Hold named locks among all processes, and yield the names that no other process holds.

        Ends with the process. SQLite always yields all names.
        """
        if self.file or not names:
            yield names
            return
        name = func.unnest(literal(names, ARRAY(Text))).column_valued("name")
        key = func.hashtextextended(func.concat(func.current_schema(), ":", name), 0)
        with self._translated(), self._engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            held = connection.scalars(select(name).where(func.pg_try_advisory_lock(key))).all()
            try:
                yield held
            finally:
                connection.execute(select(func.pg_advisory_unlock_all()))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        # SQLAlchemy doesn't wrap errors of the event handler below that begins a transaction.
        except (DatabaseError, sqlite3.Error) as error:
            driver_error = getattr(error, "orig", error)
            # Errors of Python's sqlite3 module, as for text that is not UTF-8, have no code.
            code = getattr(driver_error, "sqlstate", None) or getattr(driver_error, "sqlite_errorname", None)
            if code in _ORPHAN:
                raise DeletedError from error
            # Without a statement, libpq or psycopg refused the URL.
            is_of_url = isinstance(error, ProgrammingError) and error.statement is None
            if isinstance(error, _BUGS) and not (is_of_url or code in _FOR_ADMINISTRATOR):
                raise
            reason = " ".join(str(driver_error).partition("\nLINE ")[0].split())
            remedies = (remedy for words, remedy in _REMEDIES.items() if re.search(words, reason))
            # Without a code, libpq could not connect.
            is_lost = self.file is None and (
                getattr(error, "connection_invalidated", False)
                or (isinstance(error, OperationalError) and (code is None or code.startswith(_STOPPING)))
            )
            raise (StoreConnectionLostError if is_lost else StoreError)(
                "; ".join([f"{self.name}: {reason}", *remedies])
            ) from error
        except (ValueError, LookupError, zlib.error) as error:
            innermost = extract_tb(error.__traceback__)[-1]
            is_conversion = "str_to_" in innermost.name or "_object_value_for_elem" in innermost.name
            is_from_database = is_conversion and "sqlalchemy" in innermost.filename
            if not (is_from_database or isinstance(error, UnicodeDecodeError | JSONDecodeError | zlib.error)):
                raise
            raise StoreError(
                f"{self.name}: holds a value that can't be read; the file is damaged, restore it from a backup"
            ) from error

    def close(self) -> None:
        self._engine.dispose()


class Aggregate:
    """A part of the store. Each call is one transaction. Docstrings name the methods that are as of ``until``."""

    def __init__(self, database: Database, until: datetime | None = None) -> None:
        self._database = database
        self._until = until

    def _by_then(self, time: Column[datetime]) -> ColumnElement[bool]:
        return time <= self._until if self._until else true()

    def _scalar(self, query: Select[T]) -> T | None:
        with self._database.reading() as connection:
            return connection.scalar(query)

    def _rows(self, query: Select[*Columns]) -> Sequence[Row[*Columns]]:
        with self._database.reading() as connection:
            return connection.execute(query).all()

    def _greatest(self, column: Column[T], reader_ids: Collection[int]) -> dict[int, T]:
        by_reader = column.table.c.reader_id
        return dict(self._rows_in(select(by_reader, func.max(column)).group_by(by_reader), by_reader, reader_ids))

    def _rows_in(
        self, query: Select[*Columns], column: Column[T], values: Collection[T], size: int = _CHUNK
    ) -> list[Row[*Columns]]:
        with self._database.reading() as connection:
            return [
                row
                for chunk in in_chunks(list(values), size)
                for row in connection.execute(query.where(column.in_(chunk)))
            ]


def parse_url(url: str) -> URL:
    """Parse ``sqlite:///path`` or ``postgresql://...``. Raises StoreError for other URLs."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: the message would quote an invalid port
        example = "sqlite:///path or postgresql://user:password@host:5432/database"
        raise StoreError(f"store.url can't be read; write {example}") from None
    if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        if not all(re.fullmatch(r"[\d,]*", ports) for ports in parsed.normalized_query.get("port", ())):
            raise StoreError("store.url: a port is a number between 1 and 65535; correct it, or leave it out")
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername != "sqlite":
        raise StoreError(f"store.url: no store in {parsed.drivername}; write sqlite:///path or postgresql://...")
    if parsed.query:
        raise StoreError("store.url: an SQLite store has no options; remove the question mark and what follows it")
    # In memory, each pooled connection would have its own database.
    if parsed.database in (None, "", ":memory:"):
        raise StoreError("store.url: a store needs a file, as in sqlite:///state/paperbot.db")
    return parsed


def from_row(kind: type[D], row: AnyRow, **others: object) -> D:
    names = kind.__dataclass_fields__
    values = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in zip(row._fields, row, strict=True)
        if name in names
    }
    return kind(**values | others)


def row_of(table: Table, value: object, **others: object) -> dict[str, Any]:
    """Build a row from a value's attributes except the id, and ``others``."""
    names = (column.name for column in table.c if column.name != "id" and hasattr(value, column.name))
    return {name: getattr(value, name) for name in names} | others


def dialect_insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    # PostgreSQL's dialect takes a sixth of SQLAlchemy's import time.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


def insert_new(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    return dialect_insert(connection, table).on_conflict_do_nothing()


def replace_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    if rows:
        new = dialect_insert(connection, table)
        others = {column.name: new.excluded[column.name] for column in table.c if not column.primary_key}
        connection.execute(new.on_conflict_do_update(index_elements=table.primary_key.columns, set_=others), rows)


def in_chunks(values: Sequence[T], size: int = _CHUNK) -> Iterator[Sequence[T]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _engine(url: URL, foreign_keys: bool) -> Engine:
    if url.drivername != "sqlite":
        try:
            # Pre-ping replaces connections that a server restart has closed.
            return create_engine(url, pool_pre_ping=True, json_serializer=_compact_json)
        except ModuleNotFoundError as error:
            raise StoreError(
                "a store on PostgreSQL needs psycopg: in Paperbot's checkout, pip install '.[postgres]'"
            ) from error
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS}, json_serializer=_compact_json)

    @event.listens_for(engine, "connect")
    def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        # The driver would begin at the first INSERT (SQLAlchemy, "Serializable isolation / Savepoints / Transactional
        # DDL" of the SQLite dialect).
        connection.isolation_level = None
        # For a new file. Two of three papers fit on a page of 4,096 bytes, and the rest of it stays empty.
        connection.execute("PRAGMA page_size = 8192")
        # "locked" means that another process is switching to WAL, which the file keeps.
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        # Otherwise forgotten data stays readable in free pages.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        cursor = connection.connection.cursor()
        if not options.get("writing"):
            cursor.execute("BEGIN")
            return
        # After a power failure, NORMAL could lose the record of a started mail.
        cursor.execute(f"PRAGMA synchronous = {'FULL' if options.get('durable', True) else 'NORMAL'}")
        # A transaction that reads first would fail at its first write.
        cursor.execute("BEGIN IMMEDIATE")

    return engine
