"""What a reader calls the editions, and under which name the others of a group see what the reader likes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_WIDTH = 60  # characters


def upgrade() -> None:
    """Add both columns; editions of readers with interests of their own are named after the first line of these."""
    op.add_column("overrides", sa.Column("title", sa.Text(), nullable=True))
    op.add_column("overrides", sa.Column("shown_as", sa.Text(), nullable=True))
    table = sa.table(
        "overrides",
        sa.column("reader_id", sa.BigInteger),
        sa.column("interests", sa.Text),
        sa.column("title", sa.Text),
    )
    connection = op.get_bind()
    own = sa.select(table.c.reader_id, table.c.interests).where(table.c.interests != "")
    titles = [{"id": row.reader_id, "name": _first_line(row.interests)} for row in connection.execute(own)]
    if titles:
        naming = table.update().where(table.c.reader_id == sa.bindparam("id")).values(title=sa.bindparam("name"))
        connection.execute(naming, titles)


def _first_line(text: str) -> str | None:
    line = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    return (line if len(line) <= _WIDTH else line[: _WIDTH - 1].rsplit(" ", 1)[0] + "…") or None
