"""Readers added, taken out, exported and forgotten on the command line."""

import io
import json
import sqlite3
import tomllib
from contextlib import closing

import pytest

from bot.store import open_store

NOW = "2025-05-07T09:00:00+02:00"
SLUG, ADA, GRACE = "reward-models", "reward-models/ada@example.org", "grace@example.org"


def profile(home):
    return home / "profiles" / f"{SLUG}.toml"


def test_subscribe_writes_the_profiles_file_and_keeps_its_comments(home, paperbot):
    before = profile(home).read_text()
    assert f"{SLUG}/{GRACE} is subscribed. " in paperbot("subscribe", SLUG, GRACE).out
    after = profile(home).read_text()
    assert after.startswith(before.rstrip())
    assert [reader["email"] for reader in tomllib.loads(after)["readers"]] == ["ada@example.org", GRACE]
    assert paperbot("run", "--now", NOW, "--json").json["editions"] == 2
    assert "is in the profile already" in paperbot("subscribe", SLUG, GRACE.upper()).out
    assert profile(home).read_text() == after
    assert paperbot("subscribe", SLUG, "C0123ABC").code == 0
    assert {"slack": "C0123ABC"} in tomllib.loads(profile(home).read_text())["readers"]


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ("2025-05-09T15:00:00+02:00", "The first edition, of 9 May 2025, comes with the next run"),
        ("2025-05-09T07:00:00+02:00", "The first edition comes on Friday 9 May 2025, 08:00 Berlin"),
        ("2025-05-10T07:00:00+02:00", "The first edition comes on Monday 12 May 2025, 08:00 Berlin"),
    ],
)
def test_subscribe_names_the_day_of_the_first_edition(home, paperbot, now, says):
    assert paperbot("subscribe", SLUG, GRACE, "--now", now).out == f"{SLUG}/{GRACE} is subscribed. {says}\n"
    assert paperbot("subscribe", SLUG, GRACE).out == f"{SLUG}/{GRACE} is in the profile already\n"


def test_a_reader_who_returns_learns_of_the_next_edition(home, paperbot):
    paperbot("run", "--now", NOW)
    paperbot("unsubscribe", ADA)
    answer = paperbot("subscribe", SLUG, "ada@example.org", "--now", NOW)
    assert answer.out == f"{ADA} is subscribed. The next edition comes on Thursday 8 May 2025, 08:00 Berlin\n"


def test_the_next_edition_is_none_of_a_day_that_had_one_early(home, paperbot):
    early = "2025-05-07T06:00:00+02:00"
    paperbot("run", "--force", "--now", early)
    (reader,) = paperbot("status", "--json", "--now", early).json["readers"]
    assert reader["next_due"] == "2025-05-08T06:00:00+00:00"
    paperbot("unsubscribe", ADA)
    answer = paperbot("subscribe", SLUG, "ada@example.org", "--now", early)
    assert answer.out == f"{ADA} is subscribed. The next edition comes on Thursday 8 May 2025, 08:00 Berlin\n"


def test_unsubscribe_takes_a_reader_out_and_keeps_the_thumbs(home, paperbot):
    paperbot("thumb", "up", SLUG, "TTRL")
    before = profile(home).read_text()
    paperbot("subscribe", SLUG, GRACE)
    assert "gets no more editions" in paperbot("unsubscribe", f"{SLUG}/{GRACE}").out
    assert profile(home).read_text().rstrip() == before.rstrip()
    paperbot("unsubscribe", ADA)
    assert "readers" not in tomllib.loads(profile(home).read_text())
    assert paperbot("run", "--now", NOW, "--json").json["editions"] == 0
    paperbot("subscribe", SLUG, "ada@example.org")
    assert paperbot("export", SLUG).json["active"] is True


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("subscribe", "none", GRACE), "no profile 'none'; known profiles: reward-models"),
        (("subscribe", SLUG, "grace@"), "is not an email address"),
        (("subscribe", SLUG, "grace"), "like C0123ABC (a mail address has an @)"),
        (("unsubscribe", f"{SLUG}/{GRACE}"), "is not a reader; name one of"),
        (("export", f"{SLUG}/{GRACE}"), "is not a reader; name one of"),
        (("forget", f"none/{GRACE}"), "no profile 'none'"),
    ],
)
def test_mistakes_are_one_line_and_change_nothing(home, paperbot, arguments, says):
    before = profile(home).read_text()
    answer = paperbot(*arguments)
    assert answer.code == 2
    assert says in answer.err
    assert len(answer.err.strip().splitlines()) == 1
    assert profile(home).read_text() == before


def test_readers_that_are_written_in_one_line_are_named_as_the_obstacle(home, paperbot):
    text = profile(home).read_text()
    start = text.index("[[readers]]")
    profile(home).write_text('readers = [{email = "ada@example.org"}]\n' + text[:start])
    answer = paperbot("subscribe", SLUG, GRACE)
    assert answer.code == 2
    assert "write each reader as [[readers]]" in answer.err


def test_a_folder_that_cannot_be_written_is_reported(home, paperbot, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bot.config.files.tempfile.mkstemp", full)
    answer = paperbot("subscribe", SLUG, GRACE)
    assert answer.code == 2
    assert "reward-models.toml: can't be written: No space left on device" in answer.err


def test_line_ends_of_windows_stay(home, paperbot):
    profile(home).write_bytes(profile(home).read_text().replace("\n", "\r\n").encode())
    paperbot("subscribe", SLUG, GRACE)
    content = profile(home).read_bytes()
    assert GRACE.encode() in content
    assert content.count(b"\n") == content.count(b"\r\n")


def test_export_has_thumbs_with_their_history_and_editions_with_their_reasons(home, paperbot):
    paperbot("run", "--now", NOW)
    for vote in ("up", "down"):
        paperbot("thumb", vote, SLUG, "TTRL", "--now", NOW)
    exported = paperbot("export", SLUG).json
    assert exported["reader"] == ADA
    assert exported["active"] is True
    (thumb,) = exported["thumbs"]
    assert set(thumb) == {"paper", "title", "thumb", "at", "via"}
    assert (thumb["thumb"], thumb["via"], thumb["at"]) == ("down", "cli", "2025-05-07T07:00:00+00:00")
    assert [one["thumb"] for one in exported["history"]] == ["up", "down"]
    (edition,) = exported["editions"]
    assert edition["date"] == "2025-05-07"
    assert edition["messages"] == ["sent"]
    assert len(edition["papers"]) == 5
    assert edition["papers"][0]["reasons"]
    json.dumps(exported)


def test_forget_leaves_nothing_not_even_in_files(home, paperbot):
    paperbot("subscribe", SLUG, "ada@example.org.uk")
    paperbot("run", "--now", NOW)
    paperbot("thumb", "up", ADA, "TTRL")
    (home / "state" / "first-edition.html").write_text("for ada@example.org")
    paperbot("forget", ADA, "--yes")
    assert not (home / "state" / "first-edition.html").exists()
    assert 'ada@example.org"' not in profile(home).read_text()
    assert [path.stem for path in home.glob("state/outbox/*/*")] == [f"{SLUG}--ada@example.org.uk"]
    assert paperbot("export", ADA).code == 2
    paperbot("run", "--now", NOW)
    assert paperbot("export", ADA).code == 2
    paperbot("subscribe", SLUG, "ada@example.org")
    assert paperbot("export", ADA).json["thumbs"] == []


def test_forget_asks_on_a_terminal(home, paperbot, monkeypatch):
    paperbot("ingest")
    paperbot("thumb", "up", SLUG, "TTRL")
    monkeypatch.setattr("bot.cli.readers.is_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("\nyes\n"))
    answer = paperbot("forget", ADA)
    assert f"Delete all of {ADA}: 1 vote, 0 editions? [y/N]" in answer.out
    assert (answer.code, answer.err) == (2, "paperbot: nothing was deleted\n")
    assert len(paperbot("export", ADA).json["thumbs"]) == 1
    assert "is forgotten" in paperbot("forget", ADA).out
    paperbot("subscribe", SLUG, "ada@example.org")
    assert "?" not in paperbot("forget", ADA, "--yes").out


def test_without_a_terminal_forget_needs_yes(home, paperbot):
    paperbot("ingest")
    paperbot("thumb", "up", SLUG, "TTRL")
    answer = paperbot("forget", ADA)
    assert answer.code == 2
    assert f"nothing was deleted, as this is no terminal to ask on; --yes deletes all of {ADA}: 1 vote" in answer.err
    assert len(paperbot("export", ADA).json["thumbs"]) == 1


def test_forget_leaves_no_byte_of_the_address_in_the_store_its_log_or_its_backups(home, paperbot):
    paperbot("subscribe", SLUG, GRACE)
    paperbot("run", "--now", NOW)
    paperbot("thumb", "up", f"{SLUG}/{GRACE}", "TTRL")
    state = home / "state"
    with open_store(f"sqlite:///{state}/paperbot.db"):  # so that there is a log
        backup = state / "paperbot.db.before-0099.bak"
        with closing(sqlite3.connect(state / "paperbot.db")) as source, closing(sqlite3.connect(backup)) as copy:
            source.backup(copy)
        (state / "paperbot.db.before-0001.bak").write_bytes(b"cut short, with " + GRACE.encode())
        assert GRACE.encode() in backup.read_bytes()
        assert paperbot("forget", f"{SLUG}/{GRACE}", "--yes").code == 0
        holders = [path for path in state.rglob("*") if path.is_file() and GRACE.encode() in path.read_bytes()]
    assert holders == []
    with open_store(f"sqlite:///{backup}") as restored:
        assert [reader.name for reader in restored.readers.all()] == [ADA]
        assert restored.papers.count() > 0


def test_a_reader_who_left_the_profile_can_still_be_exported_and_forgotten(home, paperbot):
    paperbot("thumb", "up", SLUG, "TTRL")
    profile(home).unlink()
    assert len(paperbot("export", ADA).json["thumbs"]) <= 1
    assert paperbot("forget", ADA, "--yes").code == 0
    assert paperbot("export", ADA).code == 2
