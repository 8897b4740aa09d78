"""Readers, what they have set and voted, and what was learned from it."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.migrations.initial.columns import ID, TIME, WORD, tables

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
    sa.Column("language", sa.Text),
)

sa.Table(
    "forgotten",
    tables,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("at", TIME, nullable=False),
)

sa.Table(
    "reader_lists",
    tables,
    sa.Column("profile", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
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
    "published_profiles",
    tables,
    sa.Column("slug", sa.Text, primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False, index=True),
    sa.Column("content", sa.Text),
)

sa.Table(
    "rate_limits",
    tables,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("began_at", TIME, nullable=False, index=True),
    sa.Column("count", sa.Integer, nullable=False),
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
