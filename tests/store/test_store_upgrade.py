"""Schema migrations: after a backup, in one transaction, once among several processes."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from bot.model import Vote
from bot.model.errors import StoreError
from bot.store import open_store
from bot.store.engine import Database, parse_url
from bot.store.schema import metadata
from bot.store.upgrade import HEAD, SCRIPTS, bring_up_to_date, revisions

SECOND_MIGRATION = '''
"""A second migration, which on SQLite copies the table, drops it, and renames the copy."""
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "%s"

def upgrade():
    with op.batch_alter_table("readers", recreate="auto") as table:
        table.add_column(sa.Column("nickname", sa.Text()))
        table.alter_column("address", nullable=True)
    op.execute("UPDATE readers SET nickname = 'from ' || profile")
'''


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request, empty_store, tmp_path):
    """The URL of a store whose tables a test may change."""
    if request.param == "postgresql":
        return request.getfixturevalue("schema_url")
    return f"sqlite:///{shutil.copy(empty_store, tmp_path)}"


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The migrations of a later version: the shipped ones and a second one."""
    folder = tmp_path / "100% later"
    shutil.copytree(SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "9999_nickname.py").write_text(SECOND_MIGRATION % HEAD)
    return folder


@pytest.fixture
def database(store_url):
    database = Database(parse_url(store_url))
    yield database
    database.close()


def _reader_columns(database: Database) -> set[str]:
    with database.reading() as connection:
        return {column["name"] for column in inspect(connection).get_columns("readers")}


def _revision_of(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        ((revision,),) = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return str(revision)


def test_head_is_the_newest_migration():
    assert revisions(SCRIPTS)[0] == HEAD


def _is_in_schema(name: str | None, kind: str, _parents: object) -> bool:
    """Leave out the search index, which is not in ``schema.py``: virtual tables on SQLite, a tsvector on PostgreSQL."""
    return not (kind == "table" and name and name.startswith("papers_search"))


def test_migrations_create_the_tables_of_the_schema(store, database):
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": _is_in_schema})
        differences = compare_metadata(context, metadata)
    assert differences == []


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_titles_are_ordered_by_bytes_on_a_server_with_any_locale(store, database):
    query = "SELECT collation_name FROM information_schema.columns WHERE table_schema = current_schema() "
    with database.reading() as connection:
        collation = connection.exec_driver_sql(query + "AND column_name = 'title_start'").scalar()
    assert collation == "C"


def test_an_upgrade_keeps_all_rows_and_changes_them_as_the_migration_says(samples, store, database, later, now):
    reader = samples.reader()
    (paper,) = samples.papers(1)
    store.feedback.add(reader.id, paper, Vote.UP, now, "cli")
    store.close()
    bring_up_to_date(database, scripts=later, head="9999")
    with database.reading() as connection:
        assert connection.exec_driver_sql("SELECT nickname FROM readers").all() == [("from rewards",)]
    assert store.readers.all() == [reader]
    # Dropping the old table must not cascade to the rows that refer to it.
    assert list(store.feedback.current(reader.id)) == [paper]


def test_an_upgraded_store_is_not_upgraded_again(store, database, later, tmp_path):
    bring_up_to_date(database, scripts=later, head="9999")
    for backup in tmp_path.glob("*.bak"):
        backup.unlink()
    bring_up_to_date(database, scripts=later, head="9999")
    assert list(tmp_path.glob("*.bak")) == []


def test_a_failed_migration_changes_nothing(samples, store, store_url, database, later):
    reader = samples.reader()
    with (later / "versions" / "9999_nickname.py").open("a") as script:
        script.write("    raise RuntimeError('the migration is wrong')\n")
    with pytest.raises(RuntimeError, match="the migration is wrong"):
        bring_up_to_date(database, scripts=later, head="9999")
    assert "nickname" not in _reader_columns(database)
    with open_store(store_url) as again:
        assert again.readers.all() == [reader]


@pytest.fixture
def old_file(tmp_path: Path, now) -> Path:
    """An SQLite store of the current revision with a reader in it."""
    file = tmp_path / "paperbot.db"
    with open_store(f"sqlite:///{file}") as store:
        store.readers.sync("rewards", [("email", "ada@example.org")], now)
    return file


def _upgrade(file: Path, scripts: Path) -> None:
    database = Database(parse_url(f"sqlite:///{file}"))
    try:
        bring_up_to_date(database, scripts=scripts, head="9999")
    finally:
        database.close()


def test_an_sqlite_file_is_copied_before_its_upgrade(old_file, later):
    backup = old_file.with_name("paperbot.db.before-9999.bak")
    backup.write_text("left over from an upgrade that was cut short")
    _upgrade(old_file, later)
    assert _revision_of(backup) == HEAD
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT address FROM readers").fetchall() == [("ada@example.org",)]
    with open_store(f"sqlite:///{backup}") as restored:
        assert [reader.address for reader in restored.readers.all()] == ["ada@example.org"]


def test_a_failed_backup_prevents_the_upgrade(old_file, later):
    old_file.with_name("paperbot.db.before-9999.bak").mkdir()  # a folder where the backup should be
    with pytest.raises(StoreError, match=r"not upgraded, because its backup .* failed"):
        _upgrade(old_file, later)
    assert _revision_of(old_file) == HEAD


def test_a_new_store_has_no_backup(old_file, tmp_path):
    assert list(tmp_path.glob("*.bak")) == []
