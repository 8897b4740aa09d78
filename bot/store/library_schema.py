"""The tables of readers' own libraries and their connections to Zotero."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, Date, ForeignKey, Index, Integer, Table, Text

from bot.store.column_types import Id, UtcDateTime
from bot.store.schema import metadata, papers, readers

# Papers that readers had before, each reader's own: in no table that other readers' editions, searches or models read.
library = Table(
    "library",
    metadata,
    Column("id", Id, primary_key=True),
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), nullable=False),
    Column("origin", Text, nullable=False),
    Column("added_at", UtcDateTime, nullable=False),
    Column("title", Text, nullable=False),
    Column("abstract", Text, nullable=False),
    Column("authors", JSON, nullable=False),
    Column("published", Date),
    Column("arxiv_id", Text),
    Column("doi", Text),
    Column("url", Text),
    # The item in the Zotero library that the row follows.
    Column("source_key", Text),
    # Ranking reads a reader's last additions.
    Index(None, "reader_id", "added_at"),
    sqlite_autoincrement=True,
)

library_keys = Table(
    "library_keys",
    metadata,
    Column(
        "library_id", Id, ForeignKey(library.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("key", Text, primary_key=True, index=True),
)

# Connections to readers' Zotero libraries, with the outcome of the last poll.
zotero_connections = Table(
    "zotero_connections",
    metadata,
    Column(
        "reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("library", Text, nullable=False),
    Column("collections", JSON, nullable=False),
    Column("sealed_key", Text, nullable=False),
    Column("saves", Boolean, nullable=False),
    Column("connected_at", UtcDateTime, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("checked_at", UtcDateTime),
    Column("failures", Integer, nullable=False),
    Column("problem", Text, nullable=False),
    Column("not_before", UtcDateTime),
)

# Liked papers that were put into the outbox to be saved in their reader's Zotero library.
zotero_saves = Table(
    "zotero_saves",
    metadata,
    Column(
        "reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("paper_id", Id, ForeignKey(papers.c.id), primary_key=True, autoincrement=False),
    Column("item_key", Text, nullable=False),
    Column("outbox_key", Text, nullable=False),
)
