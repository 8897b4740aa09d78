"""The types of columns, and the metadata to which the modules beside this one add their tables."""

from __future__ import annotations

import sqlalchemy as sa

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ORDERED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
TIME = sa.DateTime(timezone=True)
WORD = sa.String(16)

tables = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
