"""The migrations in ``versions/``, and running them; importing this imports Alembic, which is slow.

A new one is a file beside the others; ``HEAD`` in ``upgrade.py`` and the tables in ``schema.py`` follow it.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def revisions(scripts: Path) -> list[str]:
    """Return all revisions in a folder of migrations, newest first."""
    return [script.revision for script in ScriptDirectory.from_config(_config(scripts)).walk_revisions()]


def migrate(connection: Connection, scripts: Path, head: str, secret: bytes) -> None:
    """Take the store from the revision it is at to ``head``, in the connection's transaction.

    ``secret`` keys the hashes of addresses.
    """
    config = _config(scripts)
    config.attributes.update(connection=connection, secret=secret)
    command.upgrade(config, head)


def _config(scripts: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    return config
