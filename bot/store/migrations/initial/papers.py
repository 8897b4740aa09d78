"""Papers, the digests that they came in, and what papers share among readers."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.migrations.initial.columns import ID, ORDERED, TIME, tables

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
    "summaries",
    tables,
    sa.Column("id", ID, primary_key=True),
    sa.Column("paper_id", ID, sa.ForeignKey("papers.id"), nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("sentences", sa.JSON, nullable=False),
    sa.UniqueConstraint("digest", "paper_id"),
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
    "corpora",
    tables,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)
