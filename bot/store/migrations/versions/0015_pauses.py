"""Pauses may end by themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the end of a reader's pause, which each run looks up."""
    op.add_column("readers", sa.Column("paused_until", sa.DateTime(timezone=True)))
    op.create_index("ix_readers_paused_until", "readers", ["paused_until"])
