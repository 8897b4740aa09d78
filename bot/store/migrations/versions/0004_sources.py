"""What is known of sources: their state, what each digest added; versions and categories of papers; lookups."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add columns and tables; what older digests brought counts as new at its time."""
    with op.batch_alter_table("papers") as papers:
        papers.add_column(sa.Column("version", sa.Integer()))
        papers.add_column(sa.Column("categories", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("digests") as digests:
        digests.add_column(sa.Column("fresh", sa.Integer(), nullable=False, server_default="0"))
        digests.add_column(sa.Column("highest_id", sa.Text()))
    op.execute("UPDATE digests SET fresh = papers")
    _revisions()
    _source_states()
    _lookups()


def _revisions() -> None:
    op.create_table(
        "revisions",
        sa.Column("paper_id", Id, autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name="fk_revisions_paper_id"),
        sa.PrimaryKeyConstraint("paper_id", "version", name="pk_revisions"),
    )
    op.create_index("ix_revisions_at", "revisions", ["at"])


def _source_states() -> None:
    op.create_table(
        "source_states",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("checked_at", Time),
        sa.Column("succeeded_at", Time),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("not_before", Time),
        sa.Column("warned", sa.Text(), nullable=False),
        sa.Column("memory", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_source_states"),
    )


def _lookups() -> None:
    op.create_table(
        "lookups",
        sa.Column("paper_id", Id, autoincrement=False, nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("arxiv_id", sa.Text()),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name="fk_lookups_paper_id"),
        sa.PrimaryKeyConstraint("paper_id", name="pk_lookups"),
    )
