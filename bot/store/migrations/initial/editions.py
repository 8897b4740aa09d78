"""Editions, and the messages that they are sent as."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.migrations.initial.columns import ID, TIME, WORD, tables

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
    sa.Index(None, "reader_id", "id", "watermark"),
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
    sa.Column("thread", sa.Text, nullable=False, server_default=""),
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
    "bounce_counts",
    tables,
    sa.Column("outcome", sa.Text, primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
)
