"""The tables. A change here needs a migration beside it in ``migrations/versions``; a test compares the two.

What belongs to a reader goes when the reader goes (``ON DELETE CASCADE``); papers and digests stay. Ids are
never given twice, so that an old link can't act on another reader (SQLite reuses them unless told not to).
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import (
    JSON,
    BigInteger,
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
    Table,
    Text,
    Time,
    TypeDecorator,
    UniqueConstraint,
    text,
)

from bot.domain import EditionKind, Kind, Origin, PickKind, QuietReason, State, StopReason, Vote


class UtcDateTime(TypeDecorator[datetime]):
    """Aware UTC in, aware UTC out, on databases with and without time zones; a naive datetime is a bug."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the driver UTC, bare where the database keeps no zone (text order is then time order)."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a datetime without a time zone can't be stored: {value}")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Take what the driver gives as UTC; PostgreSQL answers in its session's zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


def _words_of(kind: type[StrEnum]) -> Enum:
    """Text in the database, a ``StrEnum`` in Python; no CHECK, so that a new member needs no migration."""
    return Enum(
        kind, native_enum=False, length=16, values_callable=lambda members: [m.value for m in members]
    )


# SQLite counts up only an INTEGER; 2^31 messages are six years of a million readers.
_Id = BigInteger().with_variant(Integer, "sqlite")
# Byte order, whatever the server's locale: the order Python compares strings in.
_Ordered = Text().with_variant(Text(collation="C"), "postgresql")

_KEPT = text("length(body) > 0")

metadata = MetaData(
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
    Column("id", _Id, primary_key=True),
    Column("title", Text, nullable=False),
    Column("title_start", _Ordered, nullable=False, index=True),  # folded and cut: what find() looks up
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
    sqlite_autoincrement=True,
)

# When a version after the first that was seen of a paper came in.
revisions = Table(
    "revisions",
    metadata,
    Column("paper_id", _Id, ForeignKey(papers.c.id), primary_key=True, autoincrement=False),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False, index=True),
)

paper_keys = Table(
    "paper_keys",
    metadata,
    Column("key", Text, primary_key=True),  # first, so that the primary key finds the papers of a key
    Column("paper_id", _Id, ForeignKey(papers.c.id), primary_key=True),
)

digests = Table(
    "digests",
    metadata,
    Column("id", _Id, primary_key=True),
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
    Column(
        "fresh", Integer, nullable=False, server_default="0"
    ),  # papers that this source had not brought before
    Column("highest_id", Text),  # of arXiv, in the order in which it gives them
    UniqueConstraint("content_hash", "part"),
    sqlite_autoincrement=True,
)

sightings = Table(
    "sightings",
    metadata,
    Column("digest_id", _Id, ForeignKey(digests.c.id), primary_key=True),
    Column("paper_id", _Id, ForeignKey(papers.c.id), primary_key=True, index=True),
    Column("position", Integer, nullable=False),
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

# Digests whose parsing was begun and not ended; with a problem, they are not to be parsed again.
parse_attempts = Table(
    "parse_attempts",
    metadata,
    Column("content_hash", Text, primary_key=True),
    Column("attempts", Integer, nullable=False),
    Column("problem", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)

# Papers that were looked up at arXiv by their title, so that each is asked for once.
lookups = Table(
    "lookups",
    metadata,
    Column("paper_id", _Id, ForeignKey(papers.c.id), primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
    Column("arxiv_id", Text),  # what was found, if anything
)

readers = Table(
    "readers",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("profile", Text, nullable=False),
    Column("kind", _words_of(Kind), nullable=False),
    Column("address", Text, nullable=False),
    Column("stopped", _words_of(StopReason)),
    Column("stop_detail", Text, nullable=False, server_default=""),
    Column("since", UtcDateTime, nullable=False),
    Column("origin", _words_of(Origin), nullable=False, server_default=Origin.FILE.value),
    UniqueConstraint("profile", "address"),
    sqlite_autoincrement=True,
)

thumbs = Table(
    "thumbs",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("reader_id", _Id, ForeignKey(readers.c.id, ondelete="CASCADE"), nullable=False),
    Column("paper_id", _Id, ForeignKey(papers.c.id), nullable=False),
    Column("vote", _words_of(Vote), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("via", Text, nullable=False),
    Column("voter", Text, nullable=False, server_default=""),
    Index(None, "reader_id", "paper_id", "id"),
    sqlite_autoincrement=True,
)

editions = Table(
    "editions",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("reader_id", _Id, ForeignKey(readers.c.id, ondelete="CASCADE"), nullable=False),
    Column("slot", Text, nullable=False),
    Column("date", Date, nullable=False),
    Column("composed_at", UtcDateTime, nullable=False),
    Column("considered", Integer, nullable=False),
    Column("watermark", _Id, nullable=False),
    Column("quiet", Text),
    Column("quiet_reason", _words_of(QuietReason)),
    Column("kind", _words_of(EditionKind), nullable=False),
    Column("missing", JSON, nullable=False, server_default="[]"),  # sources that it did without
    UniqueConstraint("reader_id", "slot"),
    Index(None, "reader_id", "composed_at"),
    sqlite_autoincrement=True,
)

# Since when an edition that is due waits for a source that failed.
edition_waits = Table(
    "edition_waits",
    metadata,
    Column(
        "reader_id", _Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("slot", Text, nullable=False),
    Column("since", UtcDateTime, nullable=False),
)

picks = Table(
    "picks",
    metadata,
    Column("edition_id", _Id, ForeignKey(editions.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("paper_id", _Id, ForeignKey(papers.c.id), nullable=False),
    Column("kind", _words_of(PickKind), nullable=False),
    Column("probability", Float, nullable=False),
    Column("reasons", JSON, nullable=False),
    Column("summary", JSON, nullable=False),
    Column("because", Text),
    Column("followed", Text),
)

tldrs = Table(
    "tldrs",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("paper_id", _Id, ForeignKey(papers.c.id), nullable=False),
    Column("model", Text, nullable=False),
    Column("text", Text),
    Column("asked_at", UtcDateTime, nullable=False, index=True),
    Index(None, "paper_id", "model"),
    sqlite_autoincrement=True,
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("key", Text, nullable=False),
    Column(
        "edition_id", _Id, ForeignKey(editions.c.id, ondelete="CASCADE")
    ),  # none: a letter, such as a welcome
    Column("reader_id", _Id, ForeignKey(readers.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("kind", _words_of(Kind), nullable=False),
    Column("part", Integer, nullable=False),
    Column("subject", Text, nullable=False),
    Column("date", Date, nullable=False),
    Column("body", LargeBinary, nullable=False),  # empty once it was purged
    Column("state", _words_of(State), nullable=False),
    Column("token", Text),
    Column("lease_until", UtcDateTime),
    Column("not_before", UtcDateTime),
    Column("attempts", Integer, nullable=False),
    Column("code", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("key"),
    Index(None, "edition_id", "part"),
    Index(None, "state", "kind", "id"),
    Index("ix_outbox_kept", "updated_at", sqlite_where=_KEPT, postgresql_where=_KEPT),
    sqlite_autoincrement=True,
)

pauses = Table(
    "pauses",
    metadata,
    Column("kind", _words_of(Kind), primary_key=True),
    Column("since", UtcDateTime, nullable=False),
    Column("until", UtcDateTime, nullable=False),
    Column("times", Integer, nullable=False),
    Column("why", Text, nullable=False),
)

alert_marks = Table(
    "alert_marks",
    metadata,
    Column(
        "reader_id", _Id, ForeignKey(readers.c.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("watermark", _Id, nullable=False),  # papers to this id were looked at
)

notices = Table(
    "notices",
    metadata,
    Column("day", Date, primary_key=True),  # UTC; the operator got the one mail of that day
    Column("sent_at", UtcDateTime, nullable=False),
)

overrides = Table(
    "overrides",
    metadata,
    Column(
        "reader_id",
        _Id,
        ForeignKey(readers.c.id, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("size", Integer),
    Column("at", Time),
    Column("days", JSON(none_as_null=True)),
    Column("ignored", JSON, nullable=False),
)

# Readers whom a file still names and who want nothing kept of them: a hash keyed with the home's key is all that is.
forgotten = Table(
    "forgotten",
    metadata,
    Column("key", Text, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
)

rate_limits = Table(
    "rate_limits",
    metadata,
    Column("key", Text, primary_key=True),
    Column("began_at", UtcDateTime, nullable=False, index=True),
    Column("count", Integer, nullable=False),
)
