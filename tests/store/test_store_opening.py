"""Opening a store: what is created, what is refused, and with which message."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from sqlalchemy.exc import StatementError

from bot.model import Entry, ParsedDigest
from bot.model.errors import StoreError
from bot.store import open_store
from bot.store.engine import Database, parse_url


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request, tmp_path):
    """The URL of a store that is not there yet."""
    return (
        request.getfixturevalue("schema_url") if request.param == "postgresql" else f"sqlite:///{tmp_path}/paperbot.db"
    )


def test_a_new_store_is_empty_and_persistent(store_url, now):
    with open_store(store_url) as store:
        assert store.papers.count() == 0
        store.readers.sync("rewards", [], now)
    with open_store(store_url) as store:
        assert store.readers.all() == []


def test_the_folder_of_an_sqlite_store_is_created(tmp_path):
    open_store(f"sqlite:///{tmp_path}/state/of/things/paperbot.db").close()
    assert (tmp_path / "state/of/things/paperbot.db").is_file()


def test_sqlite_is_in_wal_mode_and_enforces_foreign_keys(tmp_path):
    with open_store(f"sqlite:///{tmp_path}/paperbot.db") as store:
        assert store.papers.count() == 0
    database = Database(parse_url(f"sqlite:///{tmp_path}/paperbot.db"))
    expected = {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2, "busy_timeout": 30_000}
    with database.reading() as connection:
        actual = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in expected}
    database.close()
    assert actual == expected


def test_opening_a_store_that_is_up_to_date_does_not_import_alembic(store_url):
    open_store(store_url).close()
    code = "import sys; from bot.store import open_store; open_store(sys.argv[1]).close(); "
    code += "sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, store_url], check=False).returncode == 0


@pytest.mark.slow
def test_processes_can_open_a_new_store_at_the_same_time(store_url):
    code = "import sys; from bot.store import open_store; print(open_store(sys.argv[1]).papers.count())"
    command = [sys.executable, "-c", code, store_url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[0].strip() for process in processes] == ["0"] * 4


@pytest.mark.parametrize(
    "url", ["", "paperbot.db", "mysql://localhost/x", "sqlite://", "sqlite:///:memory:", "postgresql+asyncpg://h/x"]
)
def test_an_invalid_url_is_refused_with_the_valid_forms(url):
    with pytest.raises(StoreError, match="sqlite:///"):
        open_store(url)


def test_a_file_of_another_kind_is_refused_and_unchanged(tmp_path):
    file = tmp_path / "paperbot.db"
    file.write_bytes(b"Dear diary, today I read a paper.\n" * 100)
    with pytest.raises(StoreError, match=r"paperbot\.db: file is not a database"):
        open_store(f"sqlite:///{file}")
    assert file.read_bytes() == b"Dear diary, today I read a paper.\n" * 100


def test_a_folder_that_cannot_be_created_is_refused(tmp_path):
    (tmp_path / "state").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match=r"state: the store's folder can't be made"):
        open_store(f"sqlite:///{tmp_path}/state/paperbot.db")


def test_a_folder_instead_of_the_file_is_refused(tmp_path):
    with pytest.raises(StoreError, match="unable to open database file"):
        open_store(f"sqlite:///{tmp_path}")


def test_tables_of_another_program_are_refused(store_url, open_another):
    _run(store_url, "CREATE TABLE readers (name TEXT)")
    with pytest.raises(StoreError, match=r"tables of another program \(readers\)"):
        open_another()


WRONG_URLS = {
    "postgresql://ada@127.0.0.1:1/papers?password=s3cret": "; start PostgreSQL there, or correct store.url",
    "postgresql://ada@127.0.0.1:1/papers?sslpassword=s3cret": "; start PostgreSQL there, or correct store.url",
    "postgresql://ada:s3cret@127.0.0.1:port/papers": "store.url can't be read; write sqlite:///path or",
    "postgresql://ada:s3@cret@127.0.0.1:s3cret/papers": "store.url can't be read; write sqlite:///path or",
    "postgresql://ada:s3cret@[::1/papers": "store.url can't be read; write sqlite:///path or",
    "postgresql://ada:s3cret@127.0.0.1:99999/papers": "; write one between 1 and 65535 in store.url, or leave it out",
    "postgresql://ada:s3cret@/papers?host=127.0.0.1&port=s3cret": "store.url: a port is a number between 1 and 65535",
    "postgresql://ada@127.0.0.1:1/papers?passwort=s3cret": 'invalid connection option "passwort"; correct the options',
    "postgresql://ada:s3cret@127.0.0.1:1/papers?connect_timeout=x": "bad value for connect_timeout: 'x'; correct the",
    "sqlite:///papers.db?timeout=s3cret": "store.url: an SQLite store has no options; remove the question mark",
}


@pytest.mark.parametrize("url", WRONG_URLS)
def test_a_wrong_url_is_reported_with_its_remedy_and_without_its_password(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError) as caught:
        open_store(url)
    assert WRONG_URLS[url] in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_postgresql_without_its_driver_is_refused_with_what_to_install():
    code = "import sys; sys.modules['psycopg'] = None\n"
    code += "from bot.store import open_store\n"
    code += "try: open_store('postgresql://localhost/papers')\n"
    code += "except Exception as error: print(f'{type(error).__name__}: {error}')"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("StoreError: a store on PostgreSQL needs psycopg: ")
    assert "pip install '.[postgres]'" in answer.stdout


def test_a_store_damaged_while_open_is_a_store_error(tmp_path):
    file = tmp_path / "paperbot.db"
    with open_store(f"sqlite:///{file}") as store:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("DROP TABLE outbox")
        with pytest.raises(StoreError, match=r"paperbot\.db: no such table: outbox"):
            store.outbox.counts()


def test_who_waits_for_another_writer_in_vain_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("bot.store.engine._BUSY_SECONDS", 0)
    file = tmp_path / "paperbot.db"
    with open_store(f"sqlite:///{file}") as store, closing(sqlite3.connect(file, isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="database is locked; another process has been writing for 30 seconds"):
            store.bounce_counts.add("stopped")
        another.execute("ROLLBACK")
        store.bounce_counts.add("stopped")
        assert store.bounce_counts.all() == {"stopped": 1}


def _run(store_url: str, statement: str) -> None:
    """Run a statement on a connection that is not the store's."""
    database = Database(parse_url(store_url))
    with database.writing() as connection:
        connection.exec_driver_sql(statement)
    database.close()


DAMAGES = {
    "invalid UTF-8": "UPDATE readers SET address = CAST(X'ff6164' AS TEXT)",
    "invalid JSON": "UPDATE papers SET categories = '[\"cs'",
    "invalid time": "UPDATE readers SET since = '2Q25-05-07 07:00:00.000000'",
    "invalid time of a paper": "UPDATE papers SET first_seen = 'yesterday'",
    "unknown enum value": "UPDATE readers SET origin = 'pigeon'",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_values_are_a_store_error(tmp_path, now, damage):
    url = f"sqlite:///{tmp_path}/paperbot.db"
    with open_store(url) as store:
        digest = ParsedDigest("keyword", "Testing", None, (Entry(title="One"),))
        store.papers.add_digests("seeds", "a.txt", "hash", [digest], now=now)
        (reader,) = store.readers.sync("rewards", [("email", "ada@example.org")], now)
    _run(url, DAMAGES[damage])

    def read_all(store):
        return store.readers.all(), store.readers.since(reader.id), store.papers.get([1])

    with open_store(url) as store, pytest.raises(StoreError, match=r"paperbot\.db: "):
        read_all(store)


def test_an_invalid_argument_is_not_reported_as_damage(tmp_path, now):
    with open_store(f"sqlite:///{tmp_path}/paperbot.db") as store, pytest.raises(StatementError, match="time zone"):
        store.readers.sync("rewards", [("email", "ada@example.org")], now.replace(tzinfo=None))
