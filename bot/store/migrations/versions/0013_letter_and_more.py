"""Readers switch their weekly letter, and editions count the strong matches beyond their picks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add two columns, which SQLite does in place."""
    op.add_column("overrides", sa.Column("weekly", sa.Boolean()))
    op.add_column("editions", sa.Column("more", sa.Integer(), nullable=False, server_default="0"))
