"""Files with addresses, keys and messages are for their owner only, whatever the umask."""

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime

import pytest

from bot.app import open_app
from bot.config.files import create_private, make_private

RUN = ("run", "--now", "2025-05-07T09:00:00+02:00")


def rights(path):
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def test_files_of_a_run_are_for_their_owner_only(open_umask, home, paperbot):
    assert paperbot(*RUN).code == 0
    assert rights(home / "state") == 0o700
    files = [path for path in (home / "state").rglob("*") if path.is_file()]
    assert {"paperbot.db", "secret.key", "corpus.npz"} <= {path.name for path in files}
    assert {path.name: rights(path) for path in files} == {path.name: 0o600 for path in files}


def test_settings_and_profiles_of_a_new_home_are_for_their_owner_and_open_ones_are_told(
    open_umask, tmp_path, paperbot, monkeypatch
):
    home = tmp_path / "my papers"
    assert paperbot("init", home).code == 0
    monkeypatch.chdir(home)
    files = [home / "paperbot.toml", *(home / "profiles").glob("*.toml")]
    assert {rights(file) for file in files} == {0o600}
    tmp_path.chmod(0o755)
    assert "chmod" not in paperbot("check").out
    files[0].chmod(0o644)
    answer = paperbot("check")
    assert answer.code == 0
    assert "note: other users can read addresses, and perhaps a password: `chmod go= paperbot.toml`" in answer.out
    home.chmod(0o700)
    assert "chmod" not in paperbot("check").out


def test_the_write_ahead_log_of_an_open_store_is_for_its_owner_only(open_umask, home):
    with open_app(home) as app:
        app.store.readers.sync("x", [], datetime.now(UTC))
        assert rights(home / "state" / "paperbot.db-wal") == 0o600


def test_open_permissions_of_an_older_version_are_corrected_and_reported(home, paperbot):
    assert paperbot(*RUN).code == 0
    state = home / "state"
    (state / "outbox").chmod(0o755)
    (state / "paperbot.db").chmod(0o644)
    state.chmod(0o755)
    answer = paperbot("check")
    assert answer.code == 0
    assert [rights(state / name) for name in ("", "outbox", "paperbot.db")] == [0o700, 0o700, 0o600]
    assert answer.out.count("other users of this machine could read it; now they can't") == 3
    assert "could read it" not in paperbot("check").out


def test_a_store_outside_the_home_is_made_private_but_its_folder_is_left(home, tmp_path, paperbot):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    with closing(sqlite3.connect(elsewhere / "papers.db")) as connection:
        connection.execute("PRAGMA user_version = 1")  # writes the first page
    (elsewhere / "papers.db").chmod(0o644)
    (home / "paperbot.toml").write_text(f'[store]\nurl = "sqlite:///{elsewhere}/papers.db"\n')
    assert paperbot("check").code == 0
    assert (rights(elsewhere / "papers.db"), rights(elsewhere)) == (0o600, 0o755)


def test_files_of_another_user_are_reported(home, paperbot, monkeypatch):
    (home / "state" / "secret.key").chmod(0o644)

    def refused(_self, _mode):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("pathlib.Path.chmod", refused)
    answer = paperbot("check")
    assert answer.code == 2
    assert "secret.key: other users of this machine can read it" in answer.err + answer.out


def test_the_target_of_a_symbolic_link_is_not_changed(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.touch(mode=0o644)
    link.symlink_to(target)
    assert make_private([link, tmp_path / "absent"]) == ([], [])
    assert rights(target) == 0o644


def test_a_file_that_exists_keeps_the_locks_that_this_process_has_on_it(tmp_path):
    """Closing any descriptor of a file drops all POSIX locks of the process: SQLite's database would be damaged."""
    file = tmp_path / "papers.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE papers (title)")
        connection.execute("BEGIN EXCLUSIVE")
        create_private(file)
        code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
        other = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True, check=False)
    assert "database is locked" in other.stderr
