"""Delivery: kinds of editions, an outbox by channel, paused channels, what alerts have seen, notices."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Time = sa.DateTime(timezone=True)
KEPT = sa.text("length(body) > 0")


def upgrade() -> None:
    """Add columns and tables; what is there are editions, each on its reader's channel."""
    op.add_column("editions", sa.Column("kind", sa.String(16), nullable=False, server_default="edition"))
    op.add_column("outbox", sa.Column("kind", sa.String(16), nullable=False, server_default="email"))
    op.execute("UPDATE outbox SET kind = (SELECT kind FROM readers WHERE readers.id = outbox.reader_id)")
    op.drop_index("ix_outbox_state_id", "outbox")
    op.create_index("ix_outbox_state_kind_id", "outbox", ["state", "kind", "id"])
    op.create_index("ix_outbox_kept", "outbox", ["updated_at"], sqlite_where=KEPT, postgresql_where=KEPT)
    _pauses()
    _alert_marks()
    _notices()


def _pauses() -> None:
    op.create_table(
        "pauses",
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("since", Time, nullable=False),
        sa.Column("until", Time, nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("kind", name="pk_pauses"),
    )


def _alert_marks() -> None:
    op.create_table(
        "alert_marks",
        sa.Column("reader_id", Id, autoincrement=False, nullable=False),
        sa.Column("watermark", Id, nullable=False),
        sa.ForeignKeyConstraint(
            ["reader_id"], ["readers.id"], name="fk_alert_marks_reader_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reader_id", name="pk_alert_marks"),
    )


def _notices() -> None:
    op.create_table(
        "notices",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("sent_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_notices"),
    )
