"""``paperbot check --fix`` mends a home, and loses nothing."""

import re
import shutil
import sqlite3
import stat
from contextlib import closing

import pytest


def test_missing_folders_are_created(home, paperbot):
    before = (home / "state" / "secret.key").read_bytes()
    assert paperbot("check", "--fix").code == 0
    assert (home / "state" / "secret.key").read_bytes() == before, "good keys are left alone"
    for folder in ("seeds", "profiles", "state"):
        shutil.rmtree(home / folder)
    assert paperbot("check").code == 2
    mended = paperbot("check", "--fix")
    assert mended.code == 0
    for folder in ("seeds", "profiles"):
        assert f"ok  created {folder}" in mended.out
    assert stat.S_IMODE((home / "state").stat().st_mode) == 0o700
    assert "created" not in paperbot("check", "--fix").out


@pytest.mark.parametrize("content", ["", "not hexadecimal", "abcd"])
def test_keys_that_cannot_be_used_are_replaced_and_kept(home, paperbot, content):
    (home / "state" / "secret.key").write_text(content)
    mended = paperbot("check", "--fix")
    assert mended.code == 0
    assert "Links in messages that were sent before no longer work" in mended.out
    assert "`paperbot check --fix`" not in mended.out
    assert (home / "state" / "secret.key.damaged-1").read_text() == content
    (home / "state" / "secret.key").write_text("damaged again")
    assert paperbot("check", "--fix").code == 0
    assert (home / "state" / "secret.key.damaged-2").read_text() == "damaged again"


@pytest.mark.parametrize(("subject", "file"), [("signing keys", "secret.key"), ("store", "paperbot.db")])
def test_a_file_that_others_need_is_one_problem(home, few_papers, paperbot, subject, file):
    assert paperbot("run", "--force").code == 0
    (home / "state" / file).write_text("no keys and no database")
    answer = paperbot("check")
    assert answer.code == 2
    assert answer.err.startswith(f"! {subject}: ")
    assert f"{file}: " in answer.err
    assert answer.err.count("\n") == 1
    assert "ok  source seeds" in answer.out


@pytest.mark.parametrize("command", [["run"], ["status"], ["check"], ["export", "reward-models"]])
@pytest.mark.slow
def test_no_key_is_made_for_a_store_with_readers(home, few_papers, paperbot, command):
    assert paperbot("run", "--force").code == 0
    key = home / "state" / "secret.key"
    key.unlink()
    answer = paperbot(*command)
    assert answer.code == 2
    assert "secret.key: is missing, though the store has readers; restore it from a backup, or run" in answer.err
    assert "links in all messages sent before, also those to unsubscribe, then no longer work" in answer.err
    assert not key.exists()
    assert "Links in messages that were sent before don't work" in paperbot("check", "--fix").out
    assert paperbot(*command).code == 0


@pytest.mark.parametrize(("is_there", "mails", "told"), [(True, False, "is empty"), (False, True, "is missing")])
@pytest.mark.slow
def test_a_store_that_was_emptied_is_no_new_home(home, few_papers, paperbot, is_there, mails, told):
    assert paperbot("run", "--force").code == 0
    file, outbox = home / "state" / "paperbot.db", home / "state" / "outbox"
    for other in file.parent.glob("paperbot.db*"):
        other.unlink()
    if is_there:
        file.touch()
    if not mails:
        shutil.rmtree(outbox)
    answer = paperbot("run", "--force")
    assert answer.code == 2
    assert f"{file}: {told}, though there is {'state/outbox and ' * mails}state/secret.key; restore it" in answer.err
    for sign in (outbox, home / "state" / "secret.key"):
        if sign.exists():
            sign.rename(home / sign.name)
    assert paperbot("run").code == 0


def test_damage_of_the_store_and_rows_without_theirs_are_found(home, few_papers, paperbot):
    assert paperbot("run", "--force").code == 0
    file = home / "state" / "paperbot.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DELETE FROM editions")
        connection.commit()
    answer = paperbot("check")
    assert answer.code == 2
    assert re.search(r"! store: \d+ rows of picks without the row of editions they refer to; put a backup", answer.err)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(file.read_bytes())
    content[-60_000:-20_000] = b"\x55" * 40_000
    file.write_bytes(content)
    answer = paperbot("check")
    assert answer.code == 2
    assert re.search(r"! store: .*damaged", answer.err)


@pytest.mark.parametrize("name", ["state", "profiles"])
def test_a_file_where_a_folder_belongs_is_left_to_the_operator(home, paperbot, name):
    shutil.rmtree(home / name)
    (home / name).write_text("a file")
    answer = paperbot("check", "--fix")
    assert answer.code == 2
    assert f"{name}: is not a folder; move it elsewhere, and try again" in answer.err
    assert (home / name).read_text() == "a file"


def test_a_source_outside_of_the_home_is_not_created(home, paperbot, tmp_path):
    elsewhere = tmp_path / "disk" / "digests"
    with (home / "paperbot.toml").open("a") as settings:
        settings.write(f'[[sources]]\nname = "disk"\nkind = "folder"\npath = "{elsewhere}"\n')
    answer = paperbot("check", "--fix")
    assert answer.code == 2
    assert f"disk: no folder {elsewhere}" in answer.err
    assert not elsewhere.exists()
