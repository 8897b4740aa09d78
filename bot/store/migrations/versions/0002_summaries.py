"""Summaries know the roles of their sentences; TL;DRs are kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Time = sa.DateTime(timezone=True)

picks = sa.table(
    "picks",
    sa.column("edition_id", Id),
    sa.column("position", sa.Integer()),
    sa.column("summary", sa.JSON()),
)


def upgrade() -> None:
    """Make the table of TL;DRs; sentences that were bare texts get their new form."""
    op.create_table(
        "tldrs",
        sa.Column("id", Id, nullable=False),
        sa.Column("paper_id", Id, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("text", sa.Text()),
        sa.Column("asked_at", Time, nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"], name="fk_tldrs_paper_id"),
        sa.PrimaryKeyConstraint("id", name="pk_tldrs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tldrs_paper_id_model", "tldrs", ["paper_id", "model"])
    op.create_index("ix_tldrs_asked_at", "tldrs", ["asked_at"])
    _give_sentences_their_form()


def _give_sentences_their_form() -> None:
    connection = op.get_bind()
    for edition_id, position, summary in connection.execute(sa.select(picks)).all():
        sentences = [{"text": text, "role": None, "marks": []} for text in summary]
        row = (picks.c.edition_id == edition_id) & (picks.c.position == position)
        connection.execute(sa.update(picks).where(row).values(summary=sentences))
