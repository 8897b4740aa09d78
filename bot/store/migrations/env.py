"""Alembic's environment: runs the migrations on the connection and in the transaction that ``engine.py`` opened."""

from __future__ import annotations

from alembic import context


def run() -> None:
    # Batch mode: SQLite's ALTER TABLE can't change a column, so Alembic copies the table instead.
    context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


# Alembic imports this file under the name "env_py"; the doctest collector imports it too, and must not run it.
if __name__ == "env_py":
    run()
