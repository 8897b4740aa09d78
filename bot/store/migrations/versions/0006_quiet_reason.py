"""Why an edition was quiet as a word of its own; until now it was in its sentence alone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

editions = sa.table("editions", sa.column("quiet"), sa.column("quiet_reason"))


def upgrade() -> None:
    """Add the column, and read the word off the sentences that there were."""
    op.add_column("editions", sa.Column("quiet_reason", sa.String(16)))
    reason = sa.case(
        (editions.c.quiet.like("missed;%"), "missed"),
        (editions.c.quiet.like("No new paper%"), "nothing new"),
        (editions.c.quiet.like("%your mutes hide all of them."), "muted"),
        else_="below threshold",
    )
    op.execute(editions.update().where(editions.c.quiet.is_not(None)).values(quiet_reason=reason))
