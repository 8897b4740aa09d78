"""What became of papers: earlier abstracts, publications, leading authors, and what an edition said of them."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_PAPERS = 1_000  # at a time
# As ``bot.model.papers`` had them at this revision.
_FULL_NAME = re.compile(r"[^\W\d_]{2,}(?<![A-Z]{2})[\w'’-]*[^\w.]+\w")
_LATEX_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\s*|.)")
_LONGEST = 400  # characters


def upgrade() -> None:
    """Add columns and tables; stored papers are found by their authors, and have no earlier abstract."""
    op.add_column("revisions", sa.Column("before", sa.Text(), nullable=False, server_default=""))
    op.add_column("editions", sa.Column("follow_ups", sa.JSON(), nullable=False, server_default="[]"))
    op.create_table(
        "publications",
        sa.Column("paper_id", _Id, autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name=op.f("fk_publications_paper_id")),
        sa.PrimaryKeyConstraint("paper_id", name=op.f("pk_publications")),
    )
    op.create_index(op.f("ix_publications_at"), "publications", ["at"])
    authors = op.create_table(
        "leading_authors",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("paper_id", _Id, nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name=op.f("fk_leading_authors_paper_id")),
        sa.PrimaryKeyConstraint("name", "paper_id", name=op.f("pk_leading_authors")),
    )
    op.create_index(op.f("ix_leading_authors_paper_id"), "leading_authors", ["paper_id"])
    connection = op.get_bind()
    papers = sa.table("papers", sa.column("id", sa.BigInteger), sa.column("authors", sa.JSON))
    last = 0
    while rows := connection.execute(
        sa.select(papers).where(papers.c.id > last).order_by(papers.c.id).limit(_PAPERS)
    ).all():
        last = rows[-1].id
        found = [{"name": name, "paper_id": row.id} for row in rows for name in _leading(row.authors)]
        if found:
            connection.execute(authors.insert(), found)


def _leading(authors: Any) -> dict[str, None]:
    names = json.loads(authors) if isinstance(authors, str) else authors
    full = (name for name in (*names[:1], *names[-1:]) if _FULL_NAME.match(name))
    return dict.fromkeys(name[:_LONGEST] for name in map(_normalised, full) if name)


def _normalised(name: str) -> str:
    text = unicodedata.normalize("NFKD", _LATEX_COMMAND.sub("", name)).casefold()
    return "".join(character for character in text if character.isalnum())
