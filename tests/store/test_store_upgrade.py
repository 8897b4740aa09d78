"""Upgrading an older store: after a backup, whole or not at all."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from bot.domain import Kind, Quiet, QuietReason, Sentence, StopReason, Vote
from bot.errors import StoreError
from bot.store import open_store
from bot.store.engine import Database, parse_url
from bot.store.migrations import revisions
from bot.store.schema import metadata
from bot.store.upgrade import HEAD, SCRIPTS, bring_up_to_date

REBUILDS_READERS = '''
"""A migration of a later day, which on SQLite copies the table, drops it, and renames the copy."""
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "%s"

def upgrade():
    with op.batch_alter_table("readers", recreate="auto") as table:
        table.add_column(sa.Column("nickname", sa.Text()))
        table.alter_column("address", nullable=True)
'''


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The migrations of a later version, one more than ours."""
    folder = tmp_path / "100% later"
    shutil.copytree(SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "9999_nickname.py").write_text(REBUILDS_READERS % HEAD)
    return folder


@pytest.fixture
def database(store_url):
    database = Database(parse_url(store_url))
    yield database
    database.close()


def _columns(database: Database) -> set[str]:
    with database.reading() as connection:
        return {column["name"] for column in inspect(connection).get_columns("readers")}


def test_the_head_is_the_newest_migration():
    assert revisions(SCRIPTS)[0] == HEAD


def _is_a_table(name: str | None, kind: str, _parents: object) -> bool:
    """The search index is the database's own matter: virtual tables here, a tsvector there."""
    return not (kind == "table" and name and name.startswith("papers_search"))


def test_the_migrations_make_the_tables_of_the_schema(store, database):
    with database.reading() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "include_name": _is_a_table}
        )
        differences = compare_metadata(context, metadata)
    assert differences == []


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_titles_are_ordered_by_bytes_whatever_the_servers_locale(store, database):
    query = "SELECT collation_name FROM information_schema.columns WHERE table_schema = current_schema() "
    with database.reading() as connection:
        found = connection.exec_driver_sql(query + "AND column_name = 'title_start'").scalar()
    assert found == "C"


def test_an_older_store_is_upgraded_and_loses_nothing(samples, store, database, later, now):
    reader, (paper,) = samples.reader(), samples.papers(1)
    store.feedback.add(reader.id, paper, Vote.UP, now, "cli")
    store.close()
    bring_up_to_date(database, scripts=later, head="9999")
    assert "nickname" in _columns(database)
    assert store.readers.all() == [reader]
    assert list(store.feedback.current(reader.id)) == [
        paper
    ]  # what refers to the table outlives its rebuilding


def test_a_second_look_finds_the_upgrade_done(store, database, later, tmp_path):
    bring_up_to_date(database, scripts=later, head="9999")
    for backup in tmp_path.glob("*.bak"):
        backup.unlink()
    bring_up_to_date(database, scripts=later, head="9999")
    assert list(tmp_path.glob("*.bak")) == []


def test_an_upgraded_store_is_too_new_for_the_program_of_before(store, store_url, database, later):
    bring_up_to_date(database, scripts=later, head="9999")
    with pytest.raises(StoreError, match="newer Paperbot"):
        open_store(store_url)


def test_a_migration_that_fails_changes_nothing(samples, store, store_url, database, later):
    reader = samples.reader()
    with (later / "versions" / "9999_nickname.py").open("a") as script:
        script.write("    raise RuntimeError('the migration is wrong')\n")
    with pytest.raises(RuntimeError, match="the migration is wrong"):
        bring_up_to_date(database, scripts=later, head="9999")
    assert "nickname" not in _columns(database)
    with open_store(store_url) as again:
        assert again.readers.all() == [reader]


@pytest.fixture
def old_file(tmp_path: Path, now) -> Path:
    """An SQLite store of our revision with something in it."""
    file = tmp_path / "paperbot.db"
    with open_store(f"sqlite:///{file}") as store:
        store.readers.sync("rewards", [("email", "ada@example.org")], now)
    return file


def _upgrade(file: Path, scripts: Path, backups: Path | None = None) -> None:
    database = Database(parse_url(f"sqlite:///{file}"))
    try:
        bring_up_to_date(database, backups=backups, scripts=scripts, head="9999")
    finally:
        database.close()


def test_an_sqlite_file_is_copied_before_its_upgrade(old_file, later):
    backup = old_file.with_name("paperbot.db.before-9999.bak")
    backup.write_text("left over from an upgrade that was cut short")
    _upgrade(old_file, later)
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
        assert copy.execute("SELECT address FROM readers").fetchall() == [("ada@example.org",)]
    with open_store(f"sqlite:///{backup}") as restored:
        assert [reader.address for reader in restored.readers.all()] == ["ada@example.org"]


def test_the_backup_goes_where_it_is_wanted(old_file, later, tmp_path):
    _upgrade(old_file, later, backups=tmp_path / "safe" / "place")
    assert (tmp_path / "safe" / "place" / "paperbot.db.before-9999.bak").is_file()


def test_without_a_backup_there_is_no_upgrade(old_file, later, tmp_path):
    (tmp_path / "full").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match=r"not upgraded, because its backup .* failed"):
        _upgrade(old_file, later, backups=tmp_path / "full")
    with closing(sqlite3.connect(old_file)) as file:
        assert file.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]


def test_a_new_store_has_no_backup(old_file, tmp_path):
    assert list(tmp_path.glob("*.bak")) == []


FIRST_EDITION = """
INSERT INTO papers (id, title, title_start, abstract, authors, first_seen)
    VALUES (1, 'One', 'one', '', '[]', '2026-04-17 08:00:00');
INSERT INTO readers (id, profile, kind, address, since)
    VALUES (1, 'rewards', 'email', 'ada@example.org', '2026-04-17 08:00:00');
INSERT INTO editions (id, reader_id, slot, date, composed_at, considered, watermark)
    VALUES (1, 1, '2026-04-17', '2026-04-17', '2026-04-17 08:00:00', 1, 1);
INSERT INTO picks (edition_id, position, paper_id, kind, probability, reasons, summary)
    VALUES (1, 1, 1, 'match', 0.5, '[]', '["One.", "Two."]')
"""


def test_summaries_kept_as_bare_texts_become_sentences(store_url):
    database = Database(parse_url(store_url))
    bring_up_to_date(database, head="0001")
    with database.writing() as connection:
        for statement in FIRST_EDITION.split(";"):
            connection.exec_driver_sql(statement)
    database.close()
    with open_store(store_url) as store:
        (pick,) = store.editions.picks_of(1)
    assert pick.summary == (Sentence("One."), Sentence("Two."))


OLD_READER = """
INSERT INTO readers (id, profile, kind, address, since)
    VALUES (1, 'rewards', 'email', 'ada@example.org', '2026-04-17 08:00:00')
"""
OLD_EDITION = """
INSERT INTO editions (reader_id, slot, date, composed_at, considered, watermark, quiet, kind)
    VALUES (1, :slot, '2026-04-17', '2026-04-17 08:00:00', 0, 0, :quiet, 'edition')
"""


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("No new paper has come in since your last edition; the last one came on 7 May 2025.", "nothing new"),
        ("3 new papers came in, and your mutes hide all of them.", "muted"),
        ("1 new paper came in; the best matches to 3%, and your threshold is 50%.", "below threshold"),
    ],
)
def test_quiet_editions_kept_as_sentences_get_their_reason(store_url, words, reason):
    database = Database(parse_url(store_url))
    bring_up_to_date(database, head="0005")
    with database.writing() as connection:
        connection.execute(text(OLD_READER))
        for slot, quiet in (("a", words), ("b", None)):
            connection.execute(text(OLD_EDITION), {"slot": slot, "quiet": quiet})
    database.close()
    with open_store(store_url) as store:
        b, a = store.editions.of_reader(1)
    assert (a.quiet, b.quiet) == (Quiet(QuietReason(reason), words), None)


@pytest.mark.parametrize(
    ("sentence", "stopped", "because"),
    [
        (None, None, None),
        ("waits for its confirmation", StopReason.AWAITING, "waits for its confirmation"),
        ("paused by its reader", StopReason.PAUSED, "paused by its reader"),
        ("unsubscribed by its reader", StopReason.UNSUBSCRIBED, "unsubscribed by its reader"),
        ("removed from the profile", StopReason.REMOVED, "removed from the profile"),
        ("refused: 550 no such user", StopReason.REFUSED, "refused: 550 no such user"),
        ("mailbox unavailable", StopReason.REFUSED, "refused: mailbox unavailable"),
    ],
)
def test_why_readers_stopped_becomes_a_word_of_its_own(store_url, sentence, stopped, because):
    database = Database(parse_url(store_url))
    bring_up_to_date(database, head="0006")
    with database.writing() as connection:
        connection.execute(text(OLD_READER))
        connection.execute(text("UPDATE readers SET stopped = :why"), {"why": sentence})
    database.close()
    with open_store(store_url) as store:
        (reader,) = store.readers.all()
    assert (reader.stopped, reader.stopped_because) == (stopped, because)


def test_hashes_of_the_forgotten_from_before_are_keyed_and_still_count(store_url, now):
    plain = sha256(b"rewards/ada@example.org").hexdigest()
    database = Database(parse_url(store_url))
    bring_up_to_date(database, head="0006")
    with database.writing() as connection:
        connection.execute(
            text("INSERT INTO forgotten (key, at) VALUES (:key, :at)"), {"key": plain, "at": now}
        )
    database.close()
    with open_store(store_url, secrets=[b"k" * 32]) as store:
        assert store.readers.forgotten("rewards", "Ada@example.org")
        assert store.readers.sync("rewards", [(Kind.EMAIL, "ada@example.org")], now) == []
        with store._database.reading() as connection:
            assert connection.scalar(text("SELECT key FROM forgotten")) != plain
