"""From digests to editions by the commands, with the JSON of the contract."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from imap_server import ImapServer
from support import digest, outbox, parsed, text_of

from bot.app import open_app
from bot.config.keys import Purpose

WEDNESDAY = "2025-05-07T09:00:00+02:00"
RUN_KEYS = "digests papers new editions alerts delivered failed unknown skipped problems".split()


def add_profile(home: Path, slug: str, extra: str = "", interests: str = "reward models") -> None:
    # Every paper is sent, unless the test sets another threshold.
    if "[edition]" not in extra:
        extra += "\n[edition]\nthreshold = 0\n"
    (home / "profiles" / f"{slug}.toml").write_text(f'title = "{slug}"\ninterests = "{interests}"\n{extra}')


@pytest.fixture
def small(bare):
    """A home with one small digest, and one profile for one reader."""
    (bare / "seeds" / "day.txt").write_text(digest("Reward models for cats", "Robot arms", "Audio of whales"))
    add_profile(
        bare,
        "rewards",
        '[edition]\nexplore = 0\nthreshold = 0\n[schedule]\ntimezone = "Europe/Berlin"\n'
        '[[readers]]\nemail = "ada@example.org"',
    )
    return bare


def test_a_run_tells_how_many_thumbs_came_by_mail_and_whose_it_could_not_take(small, paperbot, monkeypatch):
    paperbot("run", "--force")
    with open_app(small) as app:
        (reader,) = app.store.readers.of_profile("rewards")
        subject = f"Paperbot vote up {app.signer.sign(Purpose.REPLY, [reader.id, 1])}"
    with ImapServer().running() as server:
        for sender, wanted in (("ada@example.org", subject), ("eve@example.org", subject), ("ada@example.org", "Hi")):
            server.put(f"From: {sender}\r\nSubject: {wanted}\r\n\r\n".encode())
        mailbox = f'[[sources]]\nname = "replies"\nkind = "mailbox"\nhost = "127.0.0.1"\nport = {server.port}\n'
        settings = (small / "paperbot.toml").read_text()
        (small / "paperbot.toml").write_text(f'{settings}{mailbox}security = "none"\nusername = "bot@example.org"\n')
        monkeypatch.setenv("PAPERBOT_PASSWORDS__REPLIES", "secret")
        answer = paperbot("run")
    assert answer.code == 0
    assert "1 thumb came by mail\n" in answer.out
    assert answer.err.startswith("note: 1 thumb by mail of eve@example.org not taken: its link is too old")
    assert answer.err.count("\n") == 1


def test_the_sample_digests_hold_177_entries_of_176_papers(home, paperbot):
    first = paperbot("ingest", "--json")
    assert first.code == 0
    assert sorted(d["papers"] for d in first.json["digests"]) == [30, 30, 30, 30, 57]
    assert sum(d["new"] for d in first.json["digests"]) == 176
    assert sum(d["rejected"] for d in first.json["digests"]) == 0
    assert {d["format"] for d in first.json["digests"]} == {"keyword", "daily-papers"}
    assert {d["date"] for d in first.json["digests"]} == {
        "2025-04-12", "2025-04-23", "2025-05-06", "2025-05-18", "2026-04-17",
    }  # fmt: skip
    assert first.json["problems"] == []
    second = paperbot("ingest", "--json").json["digests"]
    assert [(d["papers"], d["new"], d["known"]) for d in second if d["papers"] == 57] == [(57, 0, 57)]
    assert sum(d["new"] for d in second) == 0


def test_the_original_digests_give_the_same_numbers(home, paperbot, original_seeds):
    answer = paperbot("ingest", original_seeds, "--json")
    assert [d["papers"] for d in answer.json["digests"]] == [30, 30, 30, 57, 30]
    assert sum(d["new"] for d in answer.json["digests"]) == 176
    assert sum(d["rejected"] for d in answer.json["digests"]) == 0


def test_a_file_that_is_not_a_digest_does_not_stop_the_others(small, tmp_path, paperbot):
    (small / "seeds" / "notes.txt").write_text("Dear diary, today nothing happened at all.\n")
    answer = paperbot("ingest")
    assert answer.code == 1
    assert "day.txt" in answer.out
    assert "1 digest, 3 new papers" in answer.out
    assert answer.err.startswith("! seeds/notes.txt: ")
    named = tmp_path / "other.txt"
    named.write_text(digest("Something else"))
    (report,) = paperbot("ingest", named, "--json").json["digests"]
    assert (report["source"], report["file"], report["new"]) == ("files", str(named), 1)


def test_run_delivers_what_is_due_and_prints_the_json_of_the_contract(small, paperbot):
    answer = paperbot("run", "--now", WEDNESDAY, "--json")
    assert answer.code == 0
    assert list(answer.json) == RUN_KEYS
    assert answer.json == dict.fromkeys(RUN_KEYS, 0) | {
        "digests": 1, "papers": 3, "new": 3, "editions": 1, "delivered": 1, "problems": [],
    }  # fmt: skip
    (path,) = outbox(small)
    assert path == small / "state/outbox/2025-05-07/rewards--ada@example.org.eml"
    mail = parsed(path)
    assert mail["To"] == "ada@example.org"
    assert mail["Subject"].startswith("Reward models for cats")
    assert not mail.defects
    assert "We study *reward models* for cats with" in mail.get_body(("plain",)).get_content()


def test_an_edition_is_due_once_a_day_and_has_what_is_new_since_the_last(small, paperbot):
    first = paperbot("run", "--now", WEDNESDAY).out
    assert "rewards → ada@example.org" in first
    assert "Reward models for cats" in first
    assert "Mails become files" in first
    assert "No edition is due now" in paperbot("run", "--now", "2025-05-07T18:00:00+02:00").out
    (small / "seeds" / "next.txt").write_text(digest("Reward models for dogs", "Robot arms"))
    early = paperbot("run", "--now", "2025-05-08T07:59:00+02:00", "--json").json
    assert (early["new"], early["editions"]) == (1, 0)
    assert paperbot("run", "--now", "2025-05-08T08:00:00+02:00", "--json").json["editions"] == 1
    assert len(outbox(small)) == 2
    text = text_of(outbox(small)[-1])
    assert "Reward models for dogs" in text
    assert "Robot arms" not in text
    assert "1 paper; 1 new paper came in" in text
    (small / "seeds" / "more.txt").write_text(digest("Reward models for eels"))
    forced = paperbot("run", "--force", "--now", "2025-05-08T08:00:00+02:00", "--json").json
    assert (forced["editions"], forced["delivered"], len(outbox(small))) == (1, 1, 3)


def test_the_hundredth_edition_of_a_day_has_a_slot_too(small, paperbot):
    paperbot("run", "--force", "--now", WEDNESDAY)
    with open_app(small) as app:
        (reader,) = app.store.readers.all()
        profile = app.profiles[reader.profile]
        day = app.store.editions.of_reader(reader.id)[0].date
        edition = app.composer.edition(reader, profile, day, datetime.fromisoformat(WEDNESDAY))
        for n in range(2, 100):
            assert app.store.editions.save(edition, f"{day}#{n}", [])
    for _ in range(2):
        assert paperbot("run", "--force", "--now", WEDNESDAY).code == 0
    with open_app(small) as app:
        assert [edition.slot for edition in app.store.editions.of_reader(reader.id)[:2]] == [f"{day}#101", f"{day}#100"]


def test_a_quiet_day_sends_nothing_unless_the_profile_wants_a_note(small, paperbot):
    wants = '[edition]\nthreshold = 1.0\nwhen_quiet = "note"\n[[readers]]\nemail = "b@example.org"'
    add_profile(small, "noted", wants)
    add_profile(small, "silent", '[edition]\nthreshold = 1.0\n[[readers]]\nemail = "c@example.org"')
    answer = paperbot("run", "--force", "--now", WEDNESDAY, "--json").json
    assert (answer["editions"], answer["skipped"], answer["delivered"]) == (2, 1, 2)
    note = next(path for path in outbox(small) if path.name.startswith("noted"))
    assert "3 new papers came in, and none comes close enough" in text_of(note)


def test_muted_papers_are_never_sent_and_followed_authors_always(small, paperbot):
    (small / "seeds" / "more.txt").write_text(
        digest("Reward models and stock trading", "Gardening").replace("Grace Hopper", "Natasha Jaques")
    )
    add_profile(small, "rules", '[edition]\nthreshold = 0.99\nexplore = 0\n[[readers]]\nemail = "r@example.org"')
    profile = small / "profiles" / "rules.toml"
    profile.write_text('mute = ["stock trading"]\nauthors = ["natasha jaques"]\n' + profile.read_text())
    paperbot("run", "--force", "--now", WEDNESDAY)
    path = next(path for path in outbox(small) if path.name.startswith("rules"))
    text = text_of(path)
    assert "Gardening" in text
    assert "By natasha jaques, whom you follow" in text
    assert "stock trading" not in text


def test_a_missing_source_folder_is_a_problem_and_editions_still_go_out(small, paperbot):
    settings = small / "paperbot.toml"
    settings.write_text(settings.read_text() + '\n[[sources]]\nname = "gone"\nkind = "folder"\npath = "gone"\n')
    answer = paperbot("run", "--now", WEDNESDAY, "--json")
    assert answer.code == 1
    assert [p["source"] for p in answer.json["problems"]] == ["gone"]
    assert answer.json["delivered"] == 1


def test_hostile_titles_arrive_as_text(small, paperbot):
    title = "<script>alert(1)</script> =?utf-8?q?a=0d=0aBcc:_x@y?= reward models [bold]x[/bold]"
    (small / "seeds" / "evil.txt").write_text(digest(title))
    answer = paperbot("run", "--now", WEDNESDAY)
    assert "[bold]x[/bold]" in "".join(answer.out.split("\n"))
    (path,) = outbox(small)
    mail = parsed(path)
    assert mail["Bcc"] is None
    assert "<script" not in mail.get_body(("html",)).get_content()


def test_run_without_sources_and_papers_is_quiet(bare, paperbot):
    answer = paperbot("run", "--json")
    assert answer.code == 0
    assert answer.json == dict.fromkeys(RUN_KEYS, 0) | {"problems": []}


@pytest.mark.parametrize("printed", [0, 1])
@pytest.mark.slow
def test_a_closed_pipe_keeps_nothing_from_being_sent(home, printed):
    """As with `paperbot run | head -1`: the reader of standard output goes while editions are printed."""
    profile = (home / "profiles" / "reward-models.toml").read_text()
    (home / "profiles" / "second.toml").write_text(profile)
    command = [sys.executable, "-m", "bot", "run", "--force", "--now", "2025-05-07T09:00:00+02:00"]
    with subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for _ in range(printed):
            process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert len(list((home / "state" / "outbox").rglob("*.eml"))) == 2


def test_on_a_full_disk_only_the_disk_is_named(home, paperbot, monkeypatch):
    monkeypatch.setattr("bot.config.files.shutil.disk_usage", lambda _: SimpleNamespace(free=0))
    answer = paperbot("run", "--force")
    assert answer.code == 1
    assert "the disk is nearly full: 0 MB are free" in answer.err
    assert "No edition was made" not in answer.out
