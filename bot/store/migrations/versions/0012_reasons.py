"""Reasons of picks that are no longer given are taken out of the editions that name them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_KINDS = {
    *("joins", "together", "near mentioned", "exploration"),
    *("library overall", "votes overall", "profile overall"),
}
_PICKS = 1_000  # at a time


def upgrade() -> None:
    """Keep the other reasons, in their order."""
    picks = sa.table(
        "picks", sa.column("edition_id", sa.BigInteger), sa.column("position", sa.Integer), sa.column("reasons", sa.JSON)
    )
    connection = op.get_bind()
    text = sa.cast(picks.c.reasons, sa.Text)
    named = sa.or_(*(text.like(f'%"{kind}"%') for kind in sorted(_KINDS)))
    key = sa.tuple_(picks.c.edition_id, picks.c.position)
    query = sa.select(picks).where(named).order_by(picks.c.edition_id, picks.c.position).limit(_PICKS)
    last = (-1, -1)
    while rows := connection.execute(query.where(key > last)).all():
        last = (rows[-1].edition_id, rows[-1].position)
        for row in rows:
            kept = [reason for reason in row.reasons if reason["kind"] not in _KINDS]
            this = (picks.c.edition_id == row.edition_id) & (picks.c.position == row.position)
            connection.execute(sa.update(picks).where(this).values(reasons=kept))
