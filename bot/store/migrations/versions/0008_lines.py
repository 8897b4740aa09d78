"""A line for each summary, and the closest papers of a quiet edition."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add both columns; what is stored already has neither."""
    op.add_column("summaries", sa.Column("line", sa.Text(), nullable=False, server_default=""))
    op.add_column("editions", sa.Column("closest", sa.JSON(), nullable=False, server_default="[]"))
