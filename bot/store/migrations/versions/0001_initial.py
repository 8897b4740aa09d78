"""The tables as of the first release, with the full-text index over papers and the triggers that maintain it.

The tables are a frozen copy of ``schema.py``: later migrations begin from these, however the schema changes.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ORDERED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
TIME = sa.DateTime(timezone=True)
WORD = sa.String(16)

tables = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

sa.Table(
    "papers",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("title_start", ORDERED, nullable=False, index=True),
    sa.Column("abstract", sa.Text, nullable=False),
    sa.Column("authors", sa.JSON, nullable=False),
    sa.Column("author_count", sa.Integer),
    sa.Column("published", sa.Date),
    sa.Column("arxiv_id", sa.Text),
    sa.Column("doi", sa.Text),
    sa.Column("url", sa.Text),
    sa.Column("upvotes", sa.Integer),
    sa.Column("organisation", sa.Text),
    sa.Column("first_seen", TIME, nullable=False),
    sa.Column("version", sa.Integer),
    sa.Column("categories", sa.JSON, nullable=False, server_default="[]"),
    sa.Column("facts", sa.JSON, nullable=False, server_default="[]"),
    sqlite_autoincrement=True,
)

sa.Table(
    "revisions",
    tables,
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", TIME, nullable=False, index=True),
)

sa.Table(
    "paper_keys",
    tables,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), primary_key=True),
)

sa.Table(
    "digests",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("source", sa.Text, nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("format", sa.Text, nullable=False),
    sa.Column("topic", sa.Text, nullable=False),
    sa.Column("date", sa.Date),
    sa.Column("content_hash", sa.Text, nullable=False),
    sa.Column("part", sa.Integer, nullable=False),
    sa.Column("received_at", TIME, nullable=False),
    sa.Column("papers", sa.Integer, nullable=False),
    sa.Column("rejected", sa.JSON, nullable=False),
    sa.Column("fresh", sa.Integer, nullable=False, server_default="0"),
    sa.Column("highest_id", sa.Text),
    sa.UniqueConstraint("content_hash", "part"),
    sqlite_autoincrement=True,
)

sa.Table(
    "sightings",
    tables,
    sa.Column("digest_id", ID, sa.ForeignKey("digests.id"), primary_key=True),
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), primary_key=True, index=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("alert", sa.Text),
)

sa.Table(
    "source_states",
    tables,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("checked_at", TIME),
    sa.Column("succeeded_at", TIME),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("not_before", TIME),
    sa.Column("warned", sa.Text, nullable=False),
    sa.Column("memory", sa.JSON, nullable=False),
    sa.Column("failing_since", TIME),
)

sa.Table(
    "parse_attempts",
    tables,
    sa.Column("content_hash", sa.Text, primary_key=True),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("at", TIME, nullable=False),
)

sa.Table(
    "lookups",
    tables,
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), primary_key=True, autoincrement=False),
    sa.Column("at", TIME, nullable=False),
    sa.Column("arxiv_id", sa.Text),
)

sa.Table(
    "readers",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("profile", sa.Text, nullable=False),
    sa.Column("kind", WORD, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("stopped", WORD),
    sa.Column("stop_detail", sa.Text, nullable=False, server_default=""),
    sa.Column("since", TIME, nullable=False),
    sa.Column("origin", WORD, nullable=False, server_default="file"),
    sa.UniqueConstraint("profile", "address"),
    sa.Index(
        "ix_readers_active",
        "profile",
        "id",
        sqlite_where=sa.text("stopped IS NULL"),
        postgresql_where=sa.text("stopped IS NULL"),
    ),
    sa.Index(
        "ix_readers_awaiting",
        "since",
        sqlite_where=sa.text("stopped = 'awaiting'"),
        postgresql_where=sa.text("stopped = 'awaiting'"),
    ),
    sqlite_autoincrement=True,
)

sa.Table(
    "votes",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("reader_id", ID, sa.ForeignKey("readers.id", ondelete="CASCADE"), nullable=False),
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), nullable=False),
    sa.Column("vote", WORD, nullable=False),
    sa.Column("at", TIME, nullable=False),
    sa.Column("via", sa.Text, nullable=False),
    sa.Column("voter", sa.Text, nullable=False, server_default=""),
    sa.Index(None, "reader_id", "paper_id", "id"),
    sqlite_autoincrement=True,
)

sa.Table(
    "library",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("reader_id", ID, sa.ForeignKey("readers.id", ondelete="CASCADE"), nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("added_at", TIME, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("abstract", sa.Text, nullable=False),
    sa.Column("authors", sa.JSON, nullable=False),
    sa.Column("published", sa.Date),
    sa.Column("arxiv_id", sa.Text),
    sa.Column("doi", sa.Text),
    sa.Column("url", sa.Text),
    sa.Column("source_key", sa.Text),
    sa.Index(None, "reader_id", "added_at"),
    sqlite_autoincrement=True,
)

sa.Table(
    "library_keys",
    tables,
    sa.Column(
        "library_id",
        ID,
        sa.ForeignKey("library.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("key", sa.Text, primary_key=True, index=True),
)

sa.Table(
    "zotero_connections",
    tables,
    sa.Column(
        "reader_id",
        ID,
        sa.ForeignKey("readers.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("library", sa.Text, nullable=False),
    sa.Column("collections", sa.JSON, nullable=False),
    sa.Column("sealed_key", sa.Text, nullable=False),
    sa.Column("saves", sa.Boolean, nullable=False),
    sa.Column("connected_at", TIME, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("checked_at", TIME),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("not_before", TIME),
)

sa.Table(
    "zotero_saves",
    tables,
    sa.Column(
        "reader_id",
        ID,
        sa.ForeignKey("readers.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), primary_key=True, autoincrement=False),
    sa.Column("item_key", sa.Text, nullable=False),
    sa.Column("outbox_key", sa.Text, nullable=False),
)

sa.Table(
    "editions",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("reader_id", ID, sa.ForeignKey("readers.id", ondelete="CASCADE"), nullable=False),
    sa.Column("slot", sa.Text, nullable=False),
    sa.Column("date", sa.Date, nullable=False),
    sa.Column("composed_at", TIME, nullable=False),
    sa.Column("considered", sa.Integer, nullable=False),
    sa.Column("watermark", ID, nullable=False),
    sa.Column("quiet", sa.Text),
    sa.Column("quiet_reason", WORD),
    sa.Column("kind", WORD, nullable=False),
    sa.Column("missing", sa.JSON, nullable=False, server_default="[]"),
    sa.UniqueConstraint("reader_id", "slot"),
    sa.Index(None, "reader_id", "composed_at"),
    sqlite_autoincrement=True,
)

sa.Table(
    "edition_waits",
    tables,
    sa.Column(
        "reader_id",
        ID,
        sa.ForeignKey("readers.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("slot", sa.Text, nullable=False),
    sa.Column("since", TIME, nullable=False),
)

sa.Table(
    "summaries",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("sentences", sa.JSON, nullable=False),
    sa.UniqueConstraint("digest", "paper_id"),
)

sa.Table(
    "picks",
    tables,
    sa.Column("edition_id", ID, sa.ForeignKey("editions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), nullable=False),
    sa.Column("kind", WORD, nullable=False),
    sa.Column("probability", sa.Float, nullable=False),
    sa.Column("reasons", sa.JSON, nullable=False),
    sa.Column("summary_id", ID, sa.ForeignKey("summaries.id")),
    sa.Column("marks", sa.JSON, nullable=False, server_default="[]"),
    sa.Column("predictions", sa.JSON, nullable=False, server_default="[]"),
    sqlite_with_rowid=False,
)

sa.Table(
    "reader_models",
    tables,
    sa.Column(
        "reader_id",
        ID,
        sa.ForeignKey("readers.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("signature", sa.Text, nullable=False),
    sa.Column("vocabulary", sa.BigInteger, nullable=False),
    sa.Column("fitted_at", TIME, nullable=False),
    sa.Column("arrays", sa.LargeBinary, nullable=False),
)

sa.Table(
    "mixtures",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("reader_id", ID, sa.ForeignKey("readers.id", ondelete="CASCADE")),
    sa.Column("fitted_at", TIME, nullable=False),
    sa.Column("votes", sa.Integer, nullable=False),
    sa.Column("weights", sa.JSON, nullable=False),
    sa.Column("offset", sa.Float, nullable=False),
    sa.Index(None, "reader_id", "id"),
    sqlite_autoincrement=True,
)

sa.Table(
    "tldrs",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("text", sa.Text),
    sa.Column("asked_at", TIME, nullable=False, index=True),
    sa.Index(None, "paper_id", "model"),
    sqlite_autoincrement=True,
)

sa.Table(
    "outbox",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("edition_id", ID, sa.ForeignKey("editions.id", ondelete="CASCADE")),
    sa.Column("reader_id", ID, sa.ForeignKey("readers.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("kind", WORD, nullable=False),
    sa.Column("part", sa.Integer, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("date", sa.Date, nullable=False),
    sa.Column("state", WORD, nullable=False),
    sa.Column("token", sa.Text),
    sa.Column("lease_until", TIME),
    sa.Column("not_before", TIME),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Column("created_at", TIME, nullable=False),
    sa.Column("updated_at", TIME, nullable=False),
    sa.UniqueConstraint("key"),
    sa.Index(None, "edition_id", "part"),
    sa.Index(None, "state", "kind", "id"),
    sqlite_autoincrement=True,
)

sa.Table(
    "outbox_bodies",
    tables,
    sa.Column(
        "outbox_id",
        ID,
        sa.ForeignKey("outbox.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("body", sa.LargeBinary, nullable=False),  # zlib
)

sa.Table(
    "circuit_breakers",
    tables,
    sa.Column("kind", WORD, primary_key=True),
    sa.Column("since", TIME, nullable=False),
    sa.Column("until", TIME, nullable=False),
    sa.Column("times", sa.Integer, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
)

sa.Table(
    "alert_marks",
    tables,
    sa.Column(
        "reader_id",
        ID,
        sa.ForeignKey("readers.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("watermark", ID, nullable=False),
)

sa.Table(
    "overrides",
    tables,
    sa.Column(
        "reader_id",
        ID,
        sa.ForeignKey("readers.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("size", sa.Integer),
    sa.Column("at", sa.Time),
    sa.Column("days", sa.JSON(none_as_null=True)),
    sa.Column("ignored", sa.JSON, nullable=False),
    sa.Column("timezone", sa.Text),
    sa.Column("interests", sa.Text),
    sa.Column("keywords", sa.JSON(none_as_null=True)),
    sa.Column("authors", sa.JSON(none_as_null=True)),
    sa.Column("mute", sa.JSON(none_as_null=True)),
)

sa.Table(
    "forgotten",
    tables,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("at", TIME, nullable=False),
)

sa.Table(
    "published_profiles",
    tables,
    sa.Column("slug", sa.Text, primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False, index=True),
    sa.Column("content", sa.Text),
)

sa.Table(
    "reader_lists",
    tables,
    sa.Column("profile", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
)

sa.Table(
    "send_rates",
    tables,
    sa.Column("kind", WORD, primary_key=True),
    sa.Column("at", TIME, nullable=False),
    sa.Column("tokens", sa.Float, nullable=False),
    sa.Column("share", sa.Float, nullable=False),
    sa.Column("slowed_at", TIME),
    sa.Column("day", sa.Date, nullable=False),
    sa.Column("used", sa.Integer, nullable=False),
)

sa.Table(
    "corpora",
    tables,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

sa.Table(
    "rate_limits",
    tables,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("began_at", TIME, nullable=False, index=True),
    sa.Column("count", sa.Integer, nullable=False),
)

_SQLITE_VALUES = (
    "{0}.id, {0}.title, (SELECT group_concat(value, ' ') FROM json_each({0}.authors)), {0}.abstract"
)
_SQLITE_INSERT = "INSERT INTO papers_search (rowid, title, authors, abstract)"
_SQLITE = (
    "CREATE VIRTUAL TABLE papers_search USING fts5 "
    "(title, authors, abstract, tokenize = 'porter unicode61 remove_diacritics 2')",
    "CREATE TRIGGER papers_search_new AFTER INSERT ON papers BEGIN "
    f"{_SQLITE_INSERT} SELECT {_SQLITE_VALUES.format('new')}; END",
    "CREATE TRIGGER papers_search_changed AFTER UPDATE ON papers BEGIN "
    "DELETE FROM papers_search WHERE rowid = old.id; "
    f"{_SQLITE_INSERT} SELECT {_SQLITE_VALUES.format('new')}; END",
    "CREATE TRIGGER papers_search_gone AFTER DELETE ON papers BEGIN "
    "DELETE FROM papers_search WHERE rowid = old.id; END",
)

# PostgreSQL limits a tsvector to 1 MB, so long fields are cut; an abstract is found by its first 100,000 characters.
_POSTGRESQL_WORDS = (
    "setweight(to_tsvector('english', left({0}.title, 10000)), 'A') || "
    "setweight(to_tsvector('english', left(coalesce((SELECT string_agg(name, ' ') "
    "FROM json_array_elements_text({0}.authors) AS name), ''), 100000)), 'B') || "
    "to_tsvector('english', left({0}.abstract, 100000))"
)
_POSTGRESQL = (
    "CREATE TABLE papers_search "
    "(paper_id bigint PRIMARY KEY REFERENCES papers (id) ON DELETE CASCADE, words tsvector NOT NULL)",
    "CREATE INDEX papers_search_words ON papers_search USING gin (words)",
    "CREATE FUNCTION papers_search_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"INSERT INTO papers_search VALUES (NEW.id, {_POSTGRESQL_WORDS.format('NEW')}) "
    "ON CONFLICT (paper_id) DO UPDATE SET words = excluded.words; RETURN NEW; END $$",
    "CREATE TRIGGER papers_search_keep AFTER INSERT OR UPDATE ON papers "
    "FOR EACH ROW EXECUTE FUNCTION papers_search_keep()",
)


def upgrade() -> None:
    """Create the tables and the search index."""
    connection = op.get_bind()
    tables.create_all(connection, checkfirst=False)
    for statement in _POSTGRESQL if connection.dialect.name == "postgresql" else _SQLITE:
        op.execute(sa.text(statement))
