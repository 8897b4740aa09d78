"""The first tables: papers, digests, readers, thumbs, editions, and the outbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Ordered = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make all tables, those that others refer to first."""
    _papers()
    _paper_keys()
    _digests()
    _sightings()
    _readers()
    _thumbs()
    _editions()
    _picks()
    _outbox()


def _papers() -> None:
    op.create_table(
        "papers",
        sa.Column("id", Id, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_start", Ordered, nullable=False),
        sa.Column("abstract", sa.Text(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("author_count", sa.Integer()),
        sa.Column("published", sa.Date()),
        sa.Column("arxiv_id", sa.Text()),
        sa.Column("doi", sa.Text()),
        sa.Column("url", sa.Text()),
        sa.Column("upvotes", sa.Integer()),
        sa.Column("organisation", sa.Text()),
        sa.Column("first_seen", Time, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_papers"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_papers_title_start", "papers", ["title_start"])


def _paper_keys() -> None:
    op.create_table(
        "paper_keys",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("paper_id", Id, nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name="fk_paper_keys_paper_id"),
        sa.PrimaryKeyConstraint("key", "paper_id", name="pk_paper_keys"),
    )


def _digests() -> None:
    op.create_table(
        "digests",
        sa.Column("id", Id, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("date", sa.Date()),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("received_at", Time, nullable=False),
        sa.Column("papers", sa.Integer(), nullable=False),
        sa.Column("rejected", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_digests"),
        sa.UniqueConstraint("content_hash", "part", name="uq_digests_content_hash_part"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_digests_source", "digests", ["source"])


def _sightings() -> None:
    op.create_table(
        "sightings",
        sa.Column("digest_id", Id, nullable=False),
        sa.Column("paper_id", Id, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["digest_id"], ["digests.id"], name="fk_sightings_digest_id"),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name="fk_sightings_paper_id"),
        sa.PrimaryKeyConstraint("digest_id", "paper_id", name="pk_sightings"),
    )
    op.create_index("ix_sightings_paper_id", "sightings", ["paper_id"])


def _readers() -> None:
    op.create_table(
        "readers",
        sa.Column("id", Id, nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("stopped", sa.Text()),
        sa.Column("since", Time, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_readers"),
        sa.UniqueConstraint("profile", "address", name="uq_readers_profile_address"),
        sqlite_autoincrement=True,
    )


def _thumbs() -> None:
    op.create_table(
        "thumbs",
        sa.Column("id", Id, nullable=False),
        sa.Column("reader_id", Id, nullable=False),
        sa.Column("paper_id", Id, nullable=False),
        sa.Column("vote", sa.String(16), nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("via", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name="fk_thumbs_paper_id"),
        sa.ForeignKeyConstraint(
            ["reader_id"], ["readers.id"], name="fk_thumbs_reader_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_thumbs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_thumbs_reader_id_paper_id_id", "thumbs", ["reader_id", "paper_id", "id"])


def _editions() -> None:
    op.create_table(
        "editions",
        sa.Column("id", Id, nullable=False),
        sa.Column("reader_id", Id, nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("composed_at", Time, nullable=False),
        sa.Column("considered", sa.Integer(), nullable=False),
        sa.Column("watermark", Id, nullable=False),
        sa.Column("quiet", sa.Text()),
        sa.ForeignKeyConstraint(
            ["reader_id"], ["readers.id"], name="fk_editions_reader_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_editions"),
        sa.UniqueConstraint("reader_id", "slot", name="uq_editions_reader_id_slot"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_editions_reader_id_composed_at", "editions", ["reader_id", "composed_at"])


def _picks() -> None:
    op.create_table(
        "picks",
        sa.Column("edition_id", Id, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("paper_id", Id, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("because", sa.Text()),
        sa.Column("followed", sa.Text()),
        sa.ForeignKeyConstraint(
            ["edition_id"], ["editions.id"], name="fk_picks_edition_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name="fk_picks_paper_id"),
        sa.PrimaryKeyConstraint("edition_id", "position", name="pk_picks"),
    )


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", Id, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("edition_id", Id, nullable=False),
        sa.Column("reader_id", Id, nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("token", sa.Text()),
        sa.Column("lease_until", Time),
        sa.Column("not_before", Time),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.ForeignKeyConstraint(
            ["edition_id"], ["editions.id"], name="fk_outbox_edition_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["reader_id"], ["readers.id"], name="fk_outbox_reader_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("key", name="uq_outbox_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_edition_id_part", "outbox", ["edition_id", "part"])
    op.create_index("ix_outbox_reader_id", "outbox", ["reader_id"])
    op.create_index("ix_outbox_state_id", "outbox", ["state", "id"])
