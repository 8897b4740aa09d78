"""A home of commit 8be0fab, the last one before 0.2.0, is opened by this version.

``8be0fab/sqlite.sql`` is a dump of a store of that commit in which six papers were sent to four readers, two of whom
voted. Others came, paused, left and were refused on the pages, and one was forgotten.
"""

import re
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import time_machine
from alembic import command
from alembic.config import Config
from sqlalchemy import MetaData, NullPool, StaticPool, create_engine, func, insert, select, text
from starlette.testclient import TestClient
from support import digest

from bot.app import open_app
from bot.model import Origin, ReasonKind, StopReason, Vote
from bot.model.errors import StoreError
from bot.model.papers import leading_authors
from bot.model.readers import Override
from bot.store import Store, open_store
from bot.store.engine import parse_url
from bot.store.upgrade import HEAD, SCRIPTS
from bot.web.application import make_web

HERE = Path(__file__).parent
DUMP = HERE / "8be0fab" / "sqlite.sql"
KEY = "ab" * 32  # of the homes
NEXT_YEAR = datetime(2027, 11, 20, 8, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)
PROFILE = """
title = "Reward models"
interests = "Reward models and reinforcement learning for reasoning."
open = true
edition = { threshold = 0.0 }
schedule = { at = "08:00" }
readers = [{ email = "ada@example.org" }, { email = "grace@example.org" }, { email = "gone@example.org" }]
"""
VOTES = {1: Vote.UP, 3: Vote.UP, 5: Vote.DOWN}  # of Ada, by paper


# The links of the mail that Ada got.
LINKS = {
    "edition": "/edition/1.b4a64.6afffe02.b-z-jLXczyfEwk8CZEoaZA",
    "me": "/me/1.6afffe02.bx1rab7yByiuWjCwGD6EzA",
    "thumb": "/thumb/1.6.6afffe02.ub6e2UtCIscVGE37mhGQ6g?vote=down",
    "unsubscribe": "/unsubscribe/1.6afffe02.fjG8ZK_tu82MhnKGBEO-Cg",
}
TAG = "1-0-tso7xbsjqcxl72te"  # in its Message-ID


@dataclass(frozen=True)
class OldHome:
    """A home whose store an earlier version made."""

    path: Path
    store_url: str

    def query(self, statement: str) -> Sequence[Any]:
        """Run a statement, and return its rows if it has any."""
        engine = create_engine(parse_url(self.store_url), poolclass=NullPool)
        with engine.begin() as connection:
            result = connection.exec_driver_sql(statement)
            return result.all() if result.returns_rows else []


def _load_on_server(dump: sqlite3.Connection, store_url: str) -> None:
    """Copy the rows of the dump into tables that the first migration makes."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    source = create_engine("sqlite://", creator=lambda: dump, poolclass=StaticPool)
    with create_engine(parse_url(store_url), poolclass=NullPool).begin() as target, source.connect() as rows:
        config.attributes["connection"] = target
        command.upgrade(config, "0011")
        target.execute(text("SET timezone TO 'UTC'"))
        target.execute(text("DELETE FROM salts"))
        old, new = MetaData(), MetaData()
        old.reflect(rows)
        new.reflect(target)
        for table in new.sorted_tables:
            if table.name in ("alembic_version", "papers_search"):
                continue
            for row in rows.execute(select(old.tables[table.name])).mappings():
                # None as a JSON value would be stored as the text "null".
                target.execute(insert(table).values({name: value for name, value in row.items() if value is not None}))
        used = dict(rows.execute(text("SELECT name, seq FROM sqlite_sequence")).all())
        for name in used.keys() | {"summaries"}:
            last = used.get(name) or rows.scalar(text(f"SELECT max(id) FROM {name}"))
            target.execute(select(func.setval(func.pg_get_serial_sequence(name, "id"), last)))


@pytest.fixture(params=["sqlite", "postgresql"])
def dialect(request) -> str:
    return request.param


def _make_home(path: Path, server_url: str = "") -> OldHome:
    """Make a home whose store is the dump, in a schema of a server or in a file."""
    for folder in ("state", "profiles", "seeds"):
        (path / folder).mkdir(parents=True)
    url = server_url or f"sqlite:///{path}/state/paperbot.db"
    with closing(sqlite3.connect(":memory:" if server_url else path / "state" / "paperbot.db")) as connection:
        connection.executescript(DUMP.read_text())
        if server_url:
            _load_on_server(connection, url)
    (path / "state" / "secret.key").write_text(KEY)
    (path / "paperbot.toml").write_text(
        f'[store]\nurl = "{url}"\n[[sources]]\nname = "seeds"\nkind = "folder"\npath = "seeds"\n'
    )
    (path / "profiles" / "rewards.toml").write_text(PROFILE)
    shutil.copy(HERE / "digest.txt", path / "seeds" / "a.txt")
    return OldHome(path, url)


@pytest.fixture
def old(request, dialect, tmp_path, monkeypatch) -> OldHome:
    url = request.getfixturevalue("schema_url") if dialect == "postgresql" else ""
    home = _make_home(tmp_path / "papers", url)
    monkeypatch.delenv("PAPERBOT_HOME", raising=False)
    monkeypatch.chdir(home.path)
    return home


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def store(request, tmp_path_factory):
    """An upgraded store, for tests that leave what it had."""
    with ExitStack() as stack:
        url = ""
        if request.param == "postgresql":
            _, _, url = stack.enter_context(request.getfixturevalue("new_schema")())
        home = _make_home(tmp_path_factory.mktemp("old") / "papers", url)
        yield stack.enter_context(open_store(home.store_url, secrets=[bytes.fromhex(KEY)]))


def _reader(store: Store, name: str):
    return store.readers.get("rewards", f"{name}@example.org")


def test_every_vote_is_kept(store):
    assert {paper: vote.vote for paper, vote in store.feedback.current(_reader(store, "ada").id).items()} == VOTES
    history = [vote.vote for vote in store.feedback.history(_reader(store, "grace").id)]
    assert history == [Vote.UP, Vote.DOWN, Vote.CLEAR]
    assert [vote.via for vote in store.feedback.votes(_reader(store, "web").id)] == ["mail"]


def test_the_votes_of_a_channels_members_are_kept(store):
    channel = store.readers.get("rewards", "C0123ABC")
    assert {vote.voter: vote.vote for vote in store.feedback.votes(channel.id)} == {"U1": Vote.UP, "U2": Vote.DOWN}


def test_papers_are_found_by_their_authors(store):
    paper = store.papers.get([1])[1]
    names = leading_authors(paper)
    assert names
    assert all(1 in ids for ids in store.papers.by_leading_authors(names).values())


def test_readers_are_as_they_were(store):
    expected = {
        "ada": (None, Origin.FILE),
        "grace": (None, Origin.FILE),
        "web": (None, Origin.WEB),
        "left": (StopReason.UNSUBSCRIBED, Origin.WEB),
        "paused": (StopReason.PAUSED, Origin.WEB),
        "waiting": (StopReason.AWAITING, Origin.WEB),
        "removed": (StopReason.REMOVED, Origin.FILE),
    }
    found = {name: _reader(store, name) for name in expected}
    assert {name: (reader.stopped, reader.origin) for name, reader in found.items()} == expected
    assert _reader(store, "refused").stopped_because == "refused: 550 no such user"


def test_preferences_circuit_breakers_and_alerts_are_kept(store):
    ada = _reader(store, "ada").id
    assert store.overrides.get(ada) == Override(
        size=2,
        at=time(7, 30),
        days=("mon", "wed"),
        ignored=("tasks",),
        language="de",
        title="Rewards",
        shown_as="Ada",
        catch_up=True,
    )
    breaker = store.circuit_breakers.all()["email"]
    assert (breaker.times, breaker.why) == (1, "535 wrong password")
    assert store.alert_marks.get(ada) == 6


def test_who_was_forgotten_stays_forgotten_also_with_another_key(old):
    with open_store(old.store_url, secrets=[bytes.fromhex(KEY)]) as store:
        assert store.readers.forgotten("rewards", "gone@example.org")
        store.readers.forget(_reader(store, "grace"), NOW)
    with open_store(old.store_url, secrets=[b"o" * 32]) as store:
        assert store.readers.forgotten("rewards", "grace@example.org")
        assert not store.readers.forgotten("rewards", "ada@example.org")


def test_editions_show_what_they_showed(store):
    (edition,) = store.editions.of_reader(_reader(store, "ada").id)
    picks = store.editions.picks_of(edition.id)
    assert (edition.slot, edition.composed_at.hour, edition.watermark) == ("2026-11-20", 9, 6)
    assert len(picks) == 5
    assert all(len(pick.summary) == 3 and pick.summary[2].text.endswith("on three tasks.") for pick in picks[:4])
    assert any(sentence.marks for pick in picks for sentence in pick.summary)
    assert "reward hacking" in {reason.text for pick in picks for reason in pick.reasons}
    # The second pick had a reason before these, of a kind that is no longer given.
    assert [reason.kind for reason in picks[1].reasons] == [ReasonKind.WROTE, ReasonKind.NEAR]
    assert [paper.id for paper in store.search.papers("hacking")] == [3]


def test_ids_of_deleted_readers_are_not_given_again(store):
    given = max(reader.id for reader in store.readers.all())
    new = store.readers.request_subscription("rewards", "email", "new@example.org", NOW)
    assert new.id > given + 1  # one more came, and was forgotten


def test_nothing_is_sent_again_and_the_backup_is_named(old, paperbot, caplog, dialect):
    answer = paperbot("--home", old.path, "run", "--now", "2026-11-20T15:00", "--json")
    assert (answer.code, answer.json["new"]) == (0, 0)
    with open_app(old.path) as app:
        number = {
            name: len(app.store.editions.of_reader(_reader(app.store, name).id)) for name in ("ada", "grace", "web")
        }
    # The reader who came by the pages after that day's run gets a first edition now.
    assert number == {"ada": 1, "grace": 1, "web": 1}
    (line,) = [record.getMessage() for record in caplog.records if "upgraded" in record.getMessage()]
    if dialect == "sqlite":
        backup = Path(re.search(r"from before is (\S+)$", line)[1])
        with closing(sqlite3.connect(backup)) as copy:
            ((votes,),) = copy.execute("SELECT count(*) FROM votes")
    else:
        schema = re.search(r'DROP SCHEMA "(\w+)" CASCADE$', line)[1]
        ((votes,),) = old.query(f'SELECT count(*) FROM "{schema}".votes')
    assert votes >= 7


def test_the_next_edition_sends_no_paper_again(old, paperbot):
    (old.path / "seeds" / "b.txt").write_text(digest("Reward models for owls", "Process rewards for proofs"))
    assert paperbot("--home", old.path, "run", "--now", "2026-11-23T15:00").code == 0
    with open_app(old.path) as app:
        last, first = app.store.editions.of_reader(_reader(app.store, "grace").id)
        assert first.slot == "2026-11-20"
        sent, sent_before = ({pick.paper.id for pick in app.store.editions.picks_of(e.id)} for e in (last, first))
        assert sent
        assert not sent & sent_before


@time_machine.travel(NEXT_YEAR, tick=False)
def test_the_links_of_an_old_mail_work_for_a_year(old):
    with open_app(old.path) as app:
        client = TestClient(make_web(app), base_url="http://localhost:8000")
        assert client.get(LINKS["me"]).status_code == 200
        assert "Reward Hacking in Small Models" in client.get(LINKS["edition"]).text
        assert "Less like this. Your vote counts" in client.post(LINKS["thumb"]).text
        (*_, last) = app.store.feedback.history(_reader(app.store, "ada").id)
        assert (last.paper, last.vote, last.via) == (6, Vote.DOWN, "mail")
        client.post(LINKS["unsubscribe"])
        assert _reader(app.store, "ada").stopped is StopReason.UNSUBSCRIBED
        assert app.signer.read_tag(TAG) == (1, 0)


def test_forget_reaches_the_backup(old, dialect):
    with open_store(old.store_url, secrets=[bytes.fromhex(KEY)]) as store:
        store.forget(_reader(store, "ada"), NOW)
    if dialect == "sqlite":
        (backup,) = (old.path / "state").glob("*.bak")
        assert b"ada@example.org" not in backup.read_bytes()
        return
    schema = re.search(r"test_\w+", old.store_url)[0] + f"_before_{HEAD}"
    assert old.query(f"SELECT count(*) FROM {schema}.readers WHERE address = 'ada@example.org'") == [(0,)]
    assert old.query(f"SELECT DISTINCT reader_id FROM {schema}.outbox WHERE reader_id = 1") == []
    assert old.query(f"SELECT count(*) FROM {schema}.picks WHERE edition_id = 1") == [(0,)]
    assert old.query(f"SELECT count(*) FROM {schema}.picks") == [(10,)]


@pytest.mark.parametrize("dialect", ["postgresql"], indirect=True)
def test_a_copy_of_an_earlier_upgrade_is_not_overwritten(old):
    schema = re.search(r"test_\w+", old.store_url)[0] + f"_before_{HEAD}"
    old.query(f"CREATE SCHEMA {schema}")
    with pytest.raises(StoreError, match=rf"not upgraded, because the schema {schema} .* would be overwritten"):
        open_store(old.store_url)
    old.query(f"DROP SCHEMA {schema}")
    open_store(old.store_url).close()


@pytest.mark.parametrize("revision", ["0001", "0006", "0010"])
def test_a_store_of_an_earlier_version_is_left_as_it_is(paperbot, home, revision):
    file = home / "state" / "paperbot.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = file.read_bytes()
    answer = paperbot("--home", home, "run")
    assert answer.code == 2
    assert (
        f"made by an earlier Paperbot (revision {revision}), and left as it is; open it once with commit" in answer.err
    )
    assert "! store: " in paperbot("--home", home, "check").err
    assert file.read_bytes() == content
    assert [other.name for other in file.parent.glob("*.bak")] == []


def test_a_newer_store_is_refused_with_what_can_be_done(old):
    old.query("UPDATE alembic_version SET version_num = '0999'")
    told = r"made by a newer Paperbot.*no downgrade leads back; upgrade Paperbot, or use its copy from before"
    with pytest.raises(StoreError, match=told):
        open_store(old.store_url)


def test_the_first_migration_makes_the_tables_of_that_commit(tmp_path):
    """Column by column and index by index, with all that SQLite knows of them."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    engine = create_engine(f"sqlite:///{tmp_path}/new.db", poolclass=NullPool)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0011")
    with closing(sqlite3.connect(tmp_path / "new.db")) as made, closing(sqlite3.connect(":memory:")) as dump:
        dump.executescript(DUMP.read_text())
        assert _description(made) == _description(dump)


def _description(connection: sqlite3.Connection) -> dict[str, object]:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    described: dict[str, object] = {f"{kind} {name}": sql for kind, name, sql in rows if kind != "table"}
    for kind, name, sql in rows:
        if kind == "table":
            described[f"table {name}"] = connection.execute(f"PRAGMA table_xinfo({name})").fetchall()
            described[f"keys {name}"] = connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
            described[f"indexes {name}"] = [
                (row, connection.execute(f"PRAGMA index_xinfo({row[1]})").fetchall())
                for row in connection.execute(f"PRAGMA index_list({name})").fetchall()
            ]
            described[f"autoincrement {name}"] = "AUTOINCREMENT" in sql
            described[f"rowid {name}"] = "WITHOUT ROWID" in sql
    return described


def test_a_published_migration_is_never_edited():
    """A change of the tables is a new migration, whose checksum is added here."""
    recorded = dict(reversed(line.split()) for line in (HERE / "migrations.sha256").read_text().splitlines())
    found = {file.name: sha256(file.read_bytes()).hexdigest() for file in (SCRIPTS / "versions").glob("*.py")}
    assert found == recorded


# The commands open the store first, so that the tables are those of this version.
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("ALTER TABLE overrides DROP COLUMN language", "it lacks overrides.language"),
        ("ALTER TABLE overrides ADD COLUMN colour TEXT", "it has also overrides.colour"),
        ("DROP TABLE salts", "it lacks salts"),
        ("DROP INDEX ix_readers_active", "it lacks ix_readers_active"),
    ],
)
def test_check_compares_the_tables_with_what_it_expects(old, paperbot, change, told):
    assert "ok  store\n" in paperbot("--home", old.path, "check").out
    old.query(change)
    answer = paperbot("--home", old.path, "check")
    assert answer.code == 2
    assert f"! store: its tables differ from what revision {HEAD} has: {told}" in answer.err
