"""Run by Alembic for each upgrade, on the connection and in the transaction that ``upgrade.py`` opened."""

from __future__ import annotations

from alembic import context


def run() -> None:
    """Run the migrations wanted."""
    context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


if __name__ == "env_py":  # Alembic's name for it; others import it too, to look for doctests
    run()
