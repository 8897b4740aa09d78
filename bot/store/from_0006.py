"""Brings the rows of a store of revision 0006 into the tables of 0001, from which revisions were numbered again.

Rows keep their ids: links in mails hold them. What is derived from other rows is made again: the search index by its
triggers, models at the next edition. Not carried over are rate limits and which days had a notice to the operator.

old tables --> temporary copies, stopped readers and keys of messages in today's form --> new tables
picks --> reasons in today's form, summaries stored once for each paper       outbox --> bodies apart, compressed
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from sqlalchemy import (
    JSON,
    Connection,
    MetaData,
    Table,
    column,
    delete,
    func,
    insert,
    inspect,
    select,
    table,
    text,
)

_Row = Mapping[Any, Any]  # by name of column, as in SQLAlchemy's RowMapping

# The names of tables whose rows are carried over by column, those that others refer to first; picks and bodies follow.
_COPIED = {
    "papers": "papers",
    "revisions": "revisions",
    "paper_keys": "paper_keys",
    "digests": "digests",
    "sightings": "sightings",
    "source_states": "source_states",
    "lookups": "lookups",
    "readers": "readers",
    "thumbs": "votes",
    "editions": "editions",
    "tldrs": "tldrs",
    "outbox": "outbox",
    "alert_marks": "alert_marks",
    "overrides": "overrides",
    "forgotten": "forgotten",
    "pauses": "circuit_breakers",
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
        columns = _columns(connection, f"old_{old_name}") & set(new.tables[name].columns.keys())
        listed = ", ".join(f'"{column}"' for column in sorted(columns))
        connection.execute(text(f"INSERT INTO {name} ({listed}) SELECT {listed} FROM old_{old_name}"))
    _copy_bodies(connection, new.tables["outbox_bodies"])
    _copy_picks(connection, new.tables["picks"], new.tables["summaries"])
    _continue_ids(connection, used_ids)
    for name in (*_COPIED, "picks"):
        connection.execute(text(f"DROP TABLE old_{name}"))


def _columns(connection: Connection, name: str) -> set[str]:
    return set(connection.execute(text(f"SELECT * FROM {name} LIMIT 0")).keys())


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
