"""The first hour of a new user: the first edition, and the output of the commands after it."""

import re
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest
from channels.smtp_servers import MailServer
from sqlalchemy import make_url
from support import digest, edit, use_smtp

from bot.app import open_app
from bot.cli.output import wrapped
from bot.cli.services import unreachable_pages
from bot.model import StopReason
from bot.model.errors import StoreError
from bot.store.engine import Database
from bot.store.readers import Readers

SATURDAY = "2025-05-10T09:00:00+02:00"


@pytest.fixture
def noted(home):
    """A home whose reader wants a note on quiet days."""
    edit(home / "profiles/reward-models.toml", 'when_quiet = "skip"', 'when_quiet = "note"')
    return home


@pytest.mark.parametrize("first", [SATURDAY, "2025-05-09T07:00:00+02:00"])
@pytest.mark.slow
def test_after_a_forced_edition_no_earlier_day_is_due(noted, paperbot, first):
    assert paperbot("run", "--force", "--now", first).code == 0
    again = paperbot("run", "--now", first, "--json").json
    assert (again["editions"], again["skipped"], again["delivered"]) == (0, 0, 0)
    (reader,) = paperbot("status", "--now", first, "--json").json["readers"]
    assert reader["last_edition"] == first[:10]
    assert reader["late"] is None
    monday = paperbot("run", "--now", "2025-05-12T08:00:00+02:00", "--json").json
    assert monday["editions"] == 1


def test_days_before_a_reader_subscribed_are_not_missed(noted, paperbot):
    early = paperbot("run", "--now", "2025-05-09T07:59:00+02:00", "--json").json
    assert early["editions"] == 0
    (reader,) = paperbot("status", "--now", "2025-05-09T07:59:30+02:00", "--json").json["readers"]
    assert reader["late"] is None
    assert paperbot("run", "--now", "2025-05-09T08:00:00+02:00", "--json").json["editions"] == 1


def test_a_reader_who_subscribed_in_the_afternoon_is_not_late(home, paperbot):
    afternoon = "2025-05-09T15:00:00+02:00"
    paperbot("subscribe", "reward-models", "grace@example.org", "--now", afternoon)
    status = paperbot("status", "--now", "2025-05-09T15:01:00+02:00", "--json").json
    assert [reader["late"] for reader in status["readers"]] == [None, None]
    assert paperbot("run", "--now", "2025-05-09T15:05:00+02:00", "--json").json["editions"] == 2


def test_downtime_before_the_first_edition_leads_to_one_edition(home, paperbot):
    paperbot("run", "--now", "2025-05-06T07:00:00+02:00")
    late = paperbot("status", "--now", "2025-05-08T09:00:00+02:00", "--json").json["readers"][0]["late"]
    assert late.startswith("due since Thu 2025-05-08 06:00 UTC")
    run = paperbot("run", "--now", "2025-05-08T09:00:00+02:00", "--json").json
    assert (run["editions"], run["skipped"]) == (1, 0)


@pytest.fixture
def all_papers(home):
    """Let the sample profile send every paper: two papers are too few to tell which stands out."""
    edit(home / "profiles/reward-models.toml", "# threshold = 0.15", "threshold = 0  #")


@pytest.mark.usefixtures("all_papers")
def test_the_channel_whose_messages_are_files_is_named(home, paperbot, monkeypatch):
    profile = home / "profiles" / "reward-models.toml"
    files = paperbot("run", "--force").out
    assert "Mails become files in state/outbox, as no mail server is set (email.host)." in files
    assert "Slack" not in files
    profile.write_text(profile.read_text() + '\n[[readers]]\nslack = "C0123ABC"\n')
    (home / "seeds" / "own.txt").write_text(digest("Reward models for dogs"))
    with MailServer().running() as server:
        use_smtp(monkeypatch, server.port)
        both = paperbot("run", "--force").out
    assert "Messages for Slack become files in" in both
    assert "Mails become" not in both


@pytest.mark.parametrize(
    ("profile", "says"),
    [
        ('title = "A"\ninterests = "b"\n', "no profile has a reader. Add an address to one"),
        (None, "there is no profile. Write one, such as profiles/my-topic.toml"),
        ('titel = "A"\n', ""),
    ],
)
@pytest.mark.parametrize("force", [["--force"], []])
@pytest.mark.parametrize("file", [None, "Dear diary, today nothing happened at all."])
@pytest.mark.slow
def test_a_run_without_editions_says_why(home, paperbot, profile, says, force, file):
    if file:  # a problem of a source, which is not the reason
        (home / "seeds" / "notes.txt").write_text(file)
    (home / "profiles" / "reward-models.toml").unlink()
    if profile:
        (home / "profiles" / "a.toml").write_text(profile)
    answer = paperbot("run", *force)
    assert says in answer.out
    assert "No edition is due now" not in answer.out
    assert ("profiles/a.toml:1: titel: unknown key" in answer.err) is (says == "")


@pytest.mark.parametrize("reason", [StopReason.UNSUBSCRIBED, StopReason.PAUSED])
def test_run_with_force_says_that_all_readers_have_stopped_or_paused(home, paperbot, reason):
    paperbot("run", "--force")
    (home / "profiles" / "reward-models.toml").write_text(
        'title = "A"\ninterests = "b"\n[[readers]]\nemail = "bob@example.org"\n'
    )
    paperbot("thumb", "up", "reward-models", "p1")
    with open_app(home) as app:
        for reader in app.store.readers.all():
            app.store.readers.stop(reader.id, reason)
    assert "all readers have stopped or paused" in paperbot("run", "--force").out


@pytest.mark.usefixtures("all_papers")
def test_other_sources_supersede_the_samples(home, paperbot):
    assert paperbot("ingest", "--json").json["digests"][0]["source"] == "samples"
    (home / "seeds" / "own.txt").write_text(digest("Reward models for dogs", "Robot arms"))
    assert paperbot("run", "--force", "--json").json["new"] == 2
    (edition,) = paperbot("export", "reward-models").json["editions"]
    assert {paper["title"] for paper in edition["papers"]} == {"Reward models for dogs", "Robot arms"}
    shutil.rmtree(home / "samples")
    assert paperbot("check").code == 0, "the samples are read no more"


def test_init_describes_the_samples_and_can_leave_them_out(paperbot, tmp_path):
    output = paperbot("init", tmp_path / "with").out
    assert "abstracts are rewritten, not the authors'" in output
    assert "send-test reward-models" in output
    output = paperbot("init", tmp_path / "without", "--no-samples").out
    assert "rewritten" not in output
    assert not (tmp_path / "without" / "samples").exists()
    assert paperbot("--home", tmp_path / "without", "ingest", "--json").json["digests"] == []


def test_a_read_only_store_is_reported_with_a_remedy(home, paperbot):
    paperbot("status")
    # As on a disk that is mounted for reading only: root may write to any file.
    readonly = Database(make_url(f"sqlite:///file:{home / 'state' / 'paperbot.db'}?mode=ro&uri=true"))
    with closing(readonly), pytest.raises(StoreError) as caught:
        Readers(readonly, secrets=[b"key"]).stop(1, StopReason.OPERATOR)
    assert "attempt to write a readonly database; allow writing to the file and its folder" in str(caught.value)


def test_an_unused_template_is_reported_with_a_similar_name(home, paperbot):
    folder = home / "templates"
    folder.mkdir()
    (folder / "mial.html.j2").write_text("<p>Hello</p>")
    answer = paperbot("check")
    assert answer.code == 2
    assert "mial.html.j2: nothing uses a template of this name; did you mean mail.html.j2?" in answer.err
    (folder / "mial.html.j2").rename(folder / "_greeting.j2")
    assert paperbot("check").code == 2
    (folder / "mail.txt.j2").write_text('{% include "_greeting.j2" %}')
    assert paperbot("check").code == 0


def test_a_chart_that_could_not_be_drawn_is_reported(home, paperbot):
    paperbot("ingest")
    for reader in (["reward-models"], []):
        answer = paperbot("evaluate", *reader, "--chart", "chart.svg")
        assert answer.code == 1
        assert "! chart.svg: not written: " in answer.err
        assert not Path("chart.svg").exists()
        assert paperbot("evaluate", *reader).code == 0


def test_tables_do_not_break_addresses(home, paperbot):
    address = "somebody.with.a.rather.long.name@lab.department.university.example.org"
    paperbot("subscribe", "reward-models", address)
    assert f"reward-models/{address}" in paperbot("status").out
    assert address in paperbot("profiles").out
    assert f"Reward models → {address}" in paperbot("run", "--force").out
    paperbot("thumb", "up", f"reward-models/{address}", "p1")
    assert f"reward-models/{address}" in paperbot("evaluate").out


def test_check_says_what_comes_when_and_how(home, paperbot):
    paperbot("subscribe", "reward-models", "grace@example.org")
    lines = paperbot("check").out.splitlines()
    when = r"(Mon|Tues|Wednes|Thurs|Fri)day \d+ \w+ \d{4}, 08:00 Berlin, by mail"
    for reader in ("ada@example.org", "grace@example.org"):
        assert any(re.fullmatch(f"    {reader}: next edition of “Reward models” {when}", line) for line in lines)


@pytest.mark.parametrize(
    ("public_url", "host", "port", "remedy"),
    [
        ("http://localhost:8000", "127.0.0.1", 8000, ""),
        ("http://localhost:8000", "127.0.0.1", 9000, "add --port 8000, or set bot.public_url"),
        ("http://192.168.1.5:8000", "127.0.0.1", 8000, "add --host 0.0.0.0"),
        ("http://192.168.1.5:8000", "0.0.0.0", 8000, ""),
        ("https://papers.example.org", "127.0.0.1", 9000, ""),
    ],
)
def test_serve_warns_where_links_of_messages_do_not_reach_its_pages(public_url, host, port, remedy):
    warning = unreachable_pages(public_url, host, port)
    assert remedy in warning
    assert bool(remedy) is bool(warning)


def test_lines_of_a_terminal_break_at_spaces(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    address = "https://papers.example.org/a/rather-long/address"
    assert wrapped(f"ok  The pages of this home are at {address}\nshort") == (
        f"ok  The pages of this home\n    are at\n    {address}\nshort"
    )


@pytest.mark.parametrize(
    "arguments",
    [("unsubscribe", "reward-models"), ("thumb", "up", "reward-models", "TTRL"), ("import", "reward-models", "a.bib")],
)
def test_commands_about_readers_break_their_lines_too(home, paperbot, monkeypatch, arguments):
    (home / "a.bib").write_text("@article{a, title={Reward models for dogs}, author={Ada Lovelace}}")
    paperbot("ingest")
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    lines = paperbot(*arguments).out.splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) < 50


def test_status_reports_files_that_cannot_be_read(home, paperbot):
    (home / "seeds" / "notes.txt").write_text("Dear diary, today nothing happened at all.\n")
    (home / "seeds" / "own.txt").write_text(digest("Reward models for dogs"))
    assert paperbot("run", "--force").code == 1
    status = paperbot("status", "--json")
    assert status.code == 1
    assert [problem["source"] for problem in status.json["problems"]] == ["seeds/notes.txt"]
    (home / "seeds" / "notes.txt").unlink()
    assert paperbot("status").code == 0
