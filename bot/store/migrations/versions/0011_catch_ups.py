"""Catch-up editions, and when their readers last opened a link."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add two tables and a column; nothing that is stored has them."""
    op.create_table(
        "catch_ups",
        sa.Column("edition_id", _ID, autoincrement=False, nullable=False),
        sa.Column("reader_id", _ID, nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=False),
        sa.Column("arrived", sa.Integer(), nullable=False),
        sa.Column("good", sa.Integer(), nullable=False),
        sa.Column("upto", _ID, nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.Column("is_automatic", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["edition_id"], ["editions.id"], name=op.f("fk_catch_ups_edition_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["reader_id"], ["readers.id"], name=op.f("fk_catch_ups_reader_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("edition_id", name=op.f("pk_catch_ups")),
    )
    op.create_index(op.f("ix_catch_ups_reader_id"), "catch_ups", ["reader_id"], unique=False)
    op.create_table(
        "visits",
        sa.Column("reader_id", _ID, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(["reader_id"], ["readers.id"], name=op.f("fk_visits_reader_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("reader_id", name=op.f("pk_visits")),
    )
    op.add_column("overrides", sa.Column("catch_up", sa.Boolean(), nullable=True))
