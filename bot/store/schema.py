"""The tables, and column types that mean the same on SQLite and PostgreSQL."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Dialect,
    Enum,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    Time,
    TypeDecorator,
    UniqueConstraint,
)

from bot.model import EditionKind, Origin, PickKind, QuietReason, State, StopReason, Vote

_COMPRESSION_LEVEL = 1  # level 6 takes twice the time to save a sixth


class UtcDateTime(TypeDecorator[datetime]):
    """Aware UTC datetimes on both databases."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a datetime without a time zone can't be stored: {value}")
        utc = value.astimezone(UTC)
        # SQLite stores text. In UTC, text order is time order.
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


class Compressed(TypeDecorator[bytes]):
    """Bytes, compressed in the database (zlib, RFC 1950)."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, _dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.compress(value, _COMPRESSION_LEVEL)

    def process_result_value(self, value: bytes | None, _dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.decompress(value)


def text_enum(kind: type[StrEnum]) -> Enum:
    # A native enum or a constraint would need a migration for each member.
    return Enum(kind, native_enum=False, length=16, values_callable=lambda members: [m.value for m in members])


KindName = String(16)
# SQLite's AUTOINCREMENT needs INTEGER. A million readers use up 2^31 outbox ids in six years.
Id = BigInteger().with_variant(Integer, "sqlite")
# Byte order, as Python compares strings. The server's locale may differ.
ByteOrdered = Text().with_variant(Text(collation="C"), "postgresql")


# Without ``sqlite_autoincrement``, SQLite reuses ids, and an old signed link would act on another reader.
metadata = MetaData(
    # ALTER TABLE drops constraints by name.
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

papers = Table(
    "papers",
    metadata,
    Column("id", Id, primary_key=True),
    Column("title", Text, nullable=False),
    Column("title_start", ByteOrdered, nullable=False, index=True),
    Column("abstract", Text, nullable=False),
    Column("authors", JSON, nullable=False),
    Column("author_count", Integer),
    Column("published", Date),
    Column("arxiv_id", Text),
    Column("doi", Text),
    Column("url", Text),
    Column("upvotes", Integer),
    Column("organisation", Text),
    Column("first_seen", UtcDateTime, nullable=False),
    Column("version", Integer),
    Column("categories", JSON, nullable=False, server_default="[]"),
    # Objects with kind, value and origin.
    Column("facts", JSON, nullable=False, server_default="[]"),
    sqlite_autoincrement=True,
)

revisions = Table(
    "revisions",
    metadata,
    Column("paper_id", Id, ForeignKey(papers.c.id), primary_key=True, autoincrement=False),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False, index=True),
    Column("before", Text, nullable=False, server_default=""),  # the abstract of the earlier version
)

# When a stored preprint was first seen with a journal's DOI or a venue.
publications = Table(
    "publications",
    metadata,
    Column("paper_id", Id, ForeignKey(papers.c.id), primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False, index=True),
)

# Each paper's first and last author, normalised.
leading_authors = Table(
    "leading_authors",
    metadata,
    Column("name", Text, primary_key=True),
    Column("paper_id", Id, ForeignKey(papers.c.id), primary_key=True, index=True),
    sqlite_with_rowid=False,
)

paper_keys = Table(
    "paper_keys",
    metadata,
    Column("key", Text, primary_key=True),
    Column("paper_id", Id, ForeignKey(papers.c.id), primary_key=True),
    sqlite_with_rowid=False,
)

digests = Table(
    "digests",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("date", Date),
    Column("content_hash", Text, nullable=False),
    Column("part", Integer, nullable=False),
    Column("received_at", UtcDateTime, nullable=False),
    Column("papers", Integer, nullable=False),
    Column("rejected", JSON, nullable=False),
    # Papers new to this source, for health checks.
    Column("fresh", Integer, nullable=False, server_default="0"),
    Column("highest_id", Text),
    # Any source ingests the same bytes once. ``part`` numbers the digests of a file.
    UniqueConstraint("content_hash", "part"),
    sqlite_autoincrement=True,
)

sightings = Table(
    "sightings",
    metadata,
    Column("digest_id", Id, ForeignKey(digests.c.id), primary_key=True),
    Column("paper_id", Id, ForeignKey(papers.c.id), primary_key=True, index=True),
    Column("position", Integer, nullable=False),
    # The reader's alert that the digest answers.
    Column("alert", Text),
)

source_states = Table(
    "source_states",
    metadata,
    Column("name", Text, primary_key=True),
    Column("checked_at", UtcDateTime),
    Column("succeeded_at", UtcDateTime),
    Column("failures", Integer, nullable=False),
    Column("problem", Text, nullable=False),
    Column("not_before", UtcDateTime),
    Column("warned", Text, nullable=False),
    Column("memory", JSON, nullable=False),
    Column("failing_since", UtcDateTime),
)

# Digests that are being parsed, or refused for a problem.
parse_attempts = Table(
    "parse_attempts",
    metadata,
    Column("content_hash", Text, primary_key=True),
    Column("attempts", Integer, nullable=False),
    Column("problem", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)

lookups = Table(
    "lookups",
    metadata,
    Column("paper_id", Id, ForeignKey(papers.c.id), primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
    Column("arxiv_id", Text),
)

readers = Table(
    "readers",
    metadata,
    Column("id", Id, primary_key=True),
    Column("profile", Text, nullable=False),
    Column("kind", KindName, nullable=False),
    Column("address", Text, nullable=False),
    Column("stopped", text_enum(StopReason)),
    Column("stop_detail", Text, nullable=False, server_default=""),
    Column("paused_until", UtcDateTime, index=True),
    Column("since", UtcDateTime, nullable=False),
    Column("origin", text_enum(Origin), nullable=False, server_default=Origin.FILE.value),
    UniqueConstraint("profile", "address"),
    # The conditions are in the migration: ``postgresql_where`` would import PostgreSQL's dialect in every command.
    Index("ix_readers_active", "profile", "id"),  # stopped IS NULL
    Index("ix_readers_awaiting", "since"),  # stopped = 'awaiting'
    sqlite_autoincrement=True,
)

votes = Table(
    "votes",
    metadata,
    Column("id", Id, primary_key=True),
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), nullable=False),
    Column("paper_id", Id, ForeignKey(papers.c.id), nullable=False),
    Column("vote", text_enum(Vote), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("via", Text, nullable=False),
    Column("voter", Text, nullable=False, server_default=""),
    Index(None, "reader_id", "paper_id", "id"),
    sqlite_autoincrement=True,
)

editions = Table(
    "editions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), nullable=False),
    Column("slot", Text, nullable=False),
    Column("date", Date, nullable=False),
    Column("composed_at", UtcDateTime, nullable=False),
    Column("considered", Integer, nullable=False),
    Column("watermark", Id, nullable=False),
    Column("quiet", Text),
    Column("quiet_reason", text_enum(QuietReason)),
    Column("kind", text_enum(EditionKind), nullable=False),
    Column("missing", JSON, nullable=False, server_default="[]"),
    Column("closest", JSON, nullable=False, server_default="[]"),
    Column("follow_ups", JSON, nullable=False, server_default="[]"),
    Column("more", Integer, nullable=False, server_default="0"),
    UniqueConstraint("reader_id", "slot"),
    Index(None, "reader_id", "composed_at"),
    Index(None, "reader_id", "id", "watermark"),
    sqlite_autoincrement=True,
)

catch_ups = Table(
    "catch_ups",
    metadata,
    Column("edition_id", Id, ForeignKey(editions.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    # To find readers' rows without their editions.
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("since", Date, nullable=False),
    Column("until", Date, nullable=False),
    Column("arrived", Integer, nullable=False),
    Column("good", Integer, nullable=False),
    Column("upto", Id, nullable=False),
    Column("topics", JSON, nullable=False),  # lists of a name, a number of papers, and the ids of shown ones
    Column("skipped", JSON, nullable=False),  # pairs of an id and a probability
    Column("is_automatic", Boolean, nullable=False),
)

# When a due edition began to wait for a failed source.
edition_waits = Table(
    "edition_waits",
    metadata,
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("slot", Text, nullable=False),
    Column("since", UtcDateTime, nullable=False),
)

# A summary without the reader's marks.
summaries = Table(
    "summaries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("paper_id", Id, ForeignKey(papers.c.id), nullable=False),
    Column("digest", Text, nullable=False),  # of the sentences: equal ones are stored once
    Column("sentences", JSON, nullable=False),
    Column("line", Text, nullable=False, server_default=""),
    UniqueConstraint("digest", "paper_id"),
)

picks = Table(
    "picks",
    metadata,
    Column("edition_id", Id, ForeignKey(editions.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("paper_id", Id, ForeignKey(papers.c.id), nullable=False),
    Column("kind", text_enum(PickKind), nullable=False),
    Column("probability", Float, nullable=False),
    Column("reasons", JSON, nullable=False),
    Column("summary_id", Id, ForeignKey(summaries.c.id)),
    Column("marks", JSON, nullable=False, server_default="[]"),  # words to highlight, a list for each sentence
    # Log-odds of each expert and of the profile's rules.
    Column("predictions", JSON, nullable=False, server_default="[]"),
    # A table of row ids would need an index.
    sqlite_with_rowid=False,
)

reader_models = Table(
    "reader_models",
    metadata,
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("signature", Text, nullable=False),
    Column("vocabulary", BigInteger, nullable=False),
    Column("fitted_at", UtcDateTime, nullable=False),
    Column("arrays", LargeBinary, nullable=False),
)

mixtures = Table(
    "mixtures",
    metadata,
    Column("id", Id, primary_key=True),
    # NULL: fitted to all readers' votes.
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE")),
    Column("fitted_at", UtcDateTime, nullable=False),
    Column("votes", Integer, nullable=False),
    Column("weights", JSON, nullable=False),
    Column("offset", Float, nullable=False),
    Index(None, "reader_id", "id"),
    sqlite_autoincrement=True,
)

tldrs = Table(
    "tldrs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("paper_id", Id, ForeignKey(papers.c.id), nullable=False),
    Column("model", Text, nullable=False),
    Column("text", Text),
    Column("asked_at", UtcDateTime, nullable=False, index=True),
    Index(None, "paper_id", "model"),
    sqlite_autoincrement=True,
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False),
    # NULL: a confirmation mail or a notice.
    Column("edition_id", Id, ForeignKey(editions.c.id, ondelete="CASCADE")),
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("kind", KindName, nullable=False),
    Column("part", Integer, nullable=False),
    Column("subject", Text, nullable=False),
    Column("date", Date, nullable=False),
    Column("state", text_enum(State), nullable=False),
    Column("token", Text),
    Column("lease_until", UtcDateTime),
    Column("not_before", UtcDateTime),
    Column("attempts", Integer, nullable=False),
    Column("code", Text, nullable=False),
    Column("detail", Text, nullable=False),
    # The receipt of the thread's first message.
    Column("thread", Text, nullable=False, server_default=""),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("key"),
    Index(None, "edition_id", "part"),
    Index(None, "state", "kind", "id"),
    sqlite_autoincrement=True,
)

# Apart, because SQLite rewrites the whole row at each change of state.
outbox_bodies = Table(
    "outbox_bodies",
    metadata,
    Column("outbox_id", Id, ForeignKey(outbox.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("body", Compressed, nullable=False),
)

alert_marks = Table(
    "alert_marks",
    metadata,
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("watermark", Id, nullable=False),
)

overrides = Table(
    "overrides",
    metadata,
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("size", Integer),
    Column("at", Time),
    # Without ``none_as_null``, None becomes the JSON text "null".
    Column("days", JSON(none_as_null=True)),
    Column("ignored", JSON, nullable=False),
    Column("timezone", Text),
    Column("interests", Text),
    Column("keywords", JSON(none_as_null=True)),
    Column("authors", JSON(none_as_null=True)),
    Column("mute", JSON(none_as_null=True)),
    Column("language", Text),
    Column("title", Text),
    Column("shown_as", Text),
    Column("catch_up", Boolean),
    Column("weekly", Boolean),
)

visits = Table(
    "visits",
    metadata,
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("day", Date, nullable=False),
)

# Keyed hashes of forgotten readers, whom a profile's file would add again.
forgotten = Table(
    "forgotten", metadata, Column("key", Text, primary_key=True), Column("at", UtcDateTime, nullable=False)
)


# For workers without the files. NULL: withdrawn.
published_profiles = Table(
    "published_profiles",
    metadata,
    Column("slug", Text, primary_key=True),
    Column("version", BigInteger, nullable=False, index=True),
    Column("content", Text),
)

# The file's addresses at the last ``sync``, as a keyed hash.
reader_lists = Table(
    "reader_lists", metadata, Column("profile", Text, primary_key=True), Column("key", Text, nullable=False)
)

send_rates = Table(
    "send_rates",
    metadata,
    Column("kind", KindName, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("tokens", Float, nullable=False),
    Column("share", Float, nullable=False),
    Column("slowed_at", UtcDateTime),
    Column("day", Date, nullable=False),
    Column("used", Integer, nullable=False),
)

bounce_counts = Table(
    "bounce_counts", metadata, Column("outcome", Text, primary_key=True), Column("count", Integer, nullable=False)
)

# The fitted corpus by version, for stores of several machines.
corpora = Table(
    "corpora",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

circuit_breakers = Table(
    "circuit_breakers",
    metadata,
    Column("kind", KindName, primary_key=True),
    Column("since", UtcDateTime, nullable=False),
    Column("until", UtcDateTime, nullable=False),
    Column("times", Integer, nullable=False),
    Column("why", Text, nullable=False),
)

rate_limits = Table(
    "rate_limits",
    metadata,
    Column("key", Text, primary_key=True),
    Column("began_at", UtcDateTime, nullable=False, index=True),
    Column("count", Integer, nullable=False),
)


# Readers' own papers, which nobody else's editions, searches or models read.
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
    # The Zotero item that the row follows.
    Column("source_key", Text),
    Index(None, "reader_id", "added_at"),
    sqlite_autoincrement=True,
)

library_keys = Table(
    "library_keys",
    metadata,
    Column("library_id", Id, ForeignKey(library.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True, index=True),
)

zotero_connections = Table(
    "zotero_connections",
    metadata,
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
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

zotero_saves = Table(
    "zotero_saves",
    metadata,
    Column("reader_id", Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("paper_id", Id, ForeignKey(papers.c.id), primary_key=True, autoincrement=False),
    Column("item_key", Text, nullable=False),
    Column("outbox_key", Text, nullable=False),
)

# One row. The salt must survive the loss of the home's keys.
salts = Table("salts", metadata, Column("salt", Text, primary_key=True))
