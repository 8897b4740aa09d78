"""A random salt of the store's own, which keys the hashes of forgotten addresses: the home's keys may be lost."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0001"


def upgrade() -> None:
    """Create the table with its only row."""
    salts = op.create_table('salts', sa.Column('salt', sa.Text(), nullable=False), sa.PrimaryKeyConstraint('salt', name=op.f('pk_salts')))
    op.bulk_insert(salts, [{'salt': secrets.token_hex(32)}])
