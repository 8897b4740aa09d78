"""Who stopped a reader as a word of its own, not a sentence; hashes of the forgotten keyed with the home's key."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context, op

from bot.store.keyed import keyed_hash

revision = "0007"
down_revision = "0006"

readers = sa.table("readers", sa.column("stopped"), sa.column("stop_detail"))
forgotten = sa.table("forgotten", sa.column("key"))
rate_limits = sa.table("rate_limits")

_WORDS = {
    "waits for its confirmation": "awaiting",
    "paused by its reader": "paused",
    "unsubscribed by its reader": "unsubscribed",
    "removed from the profile": "removed",
}


def upgrade() -> None:
    """Read the word off the sentences that there were; any other sentence is what a mail server or Slack said."""
    op.add_column("readers", sa.Column("stop_detail", sa.Text(), nullable=False, server_default=""))
    other = readers.c.stopped.is_not(None) & readers.c.stopped.not_in(_WORDS)
    said = sa.case(
        (readers.c.stopped.like("refused: %"), sa.func.substr(readers.c.stopped, len("refused: ") + 1)),
        else_=readers.c.stopped,
    )
    op.execute(readers.update().where(other).values(stop_detail=said))
    op.execute(readers.update().where(other).values(stopped="refused"))
    for sentence, word in _WORDS.items():
        op.execute(readers.update().where(readers.c.stopped == sentence).values(stopped=word))
    with op.batch_alter_table("readers", table_kwargs={"sqlite_autoincrement": True}) as table:
        table.alter_column("stopped", existing_type=sa.Text(), type_=sa.String(16), existing_nullable=True)
    _key_hashes(context.config.attributes["secret"])


def _key_hashes(secret: bytes) -> None:
    """The old hash is what is hashed with the key; limits of the last two days begin anew."""
    connection = op.get_bind()
    for key in connection.scalars(sa.select(forgotten.c.key)).all():
        keyed = keyed_hash(secret, key)
        connection.execute(forgotten.update().where(forgotten.c.key == key).values(key=keyed))
    op.execute(rate_limits.delete())
