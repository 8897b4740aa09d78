"""Digests that killed their parser; since when sources fail; editions that wait for them, and say what they lack."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add two tables and two columns; a source that fails now is taken to have failed since it was last asked."""
    op.create_table(
        "parse_attempts",
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.PrimaryKeyConstraint("content_hash", name="pk_parse_attempts"),
    )
    op.create_table(
        "edition_waits",
        sa.Column("reader_id", Id, autoincrement=False, nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("since", Time, nullable=False),
        sa.ForeignKeyConstraint(
            ["reader_id"], ["readers.id"], name="fk_edition_waits_reader_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reader_id", name="pk_edition_waits"),
    )
    op.add_column("source_states", sa.Column("failing_since", Time))
    op.execute("UPDATE source_states SET failing_since = checked_at WHERE failures > 0")
    op.add_column("editions", sa.Column("missing", sa.JSON(), nullable=False, server_default="[]"))
