"""The migrations in ``versions/`` and how to run them. Importing this imports Alembic, which is slow.

A new migration is a file in ``versions/``, with the operations that Alembic's autogenerate renders from ``schema.py``;
``HEAD`` in ``upgrade.py`` follows it.
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


def migrate(connection: Connection, scripts: Path, head: str) -> None:
    """Upgrade the store to revision ``head`` in the connection's transaction."""
    config = _config(scripts)
    config.attributes["connection"] = connection
    command.upgrade(config, head)


def _config(scripts: Path) -> Config:
    config = Config()
    # ConfigParser interpolates "%", which may be part of a folder's name.
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    return config
