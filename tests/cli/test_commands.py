"""The other commands, and the contract of all: exit codes, errors in one line, no traceback."""

import json
import os
import re
import subprocess
import sys
from datetime import datetime
from html import unescape

import pytest

from bot import __version__, wording
from bot.app import open_app
from bot.cli.main import paperbot as group
from bot.model import Vote

NOW = "2025-05-07T09:00:00+02:00"


def test_without_a_command_all_commands_are_listed(paperbot):
    answer = paperbot()
    assert answer.code == 0
    for name in group.commands:
        assert f"\n  {name}" in answer.out


@pytest.mark.parametrize("name", group.commands)
def test_every_command_has_a_help_text(paperbot, name):
    answer = paperbot(name, "--help")
    assert answer.code == 0
    assert "--home" in answer.out


def test_version_is_printed(paperbot):
    assert __version__ in paperbot("--version").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("rum",), "No such command 'rum'. Did you mean 'run'?"),
        (("run", "--nwo"), "No such option"),
        (
            ("run", "--now", "yesterday"),
            "'yesterday' is not a valid date and time; write it like 2025-05-06T08:00+02:00",
        ),
        (("run", "--now", "0001-01-01"), "'0001-01-01' is not in the years 1990 to 2990"),
        (("run", "--now", "9999-12-31T23:00-08:00"), "is not in the years 1990 to 2990"),
        (("preview",), "Missing argument 'READER'"),
        (("zotero",), "Missing command. (see `paperbot zotero --help`)"),
        (
            ("thumb", "upp", "ada", "p1"),
            "'VOTE': 'upp' is none of up, down, clear, save, unsave; did you mean up?",
        ),
        (("import", "ada", "nowhere.bib"), "Invalid value for 'FILE': 'nowhere.bib': No such file"),
        (("catch-up", "ada", "--since", "gestern"), "'--since': 'gestern' is no day; write it like 2026-11-25 (see"),
        (("catch-up", "ada", "--minutes", "ten"), "'ten' doesn't fit; write a whole number from 1 to 120 (see"),
        (("catch-up", "ada", "--minutes", "500"), "'500' doesn't fit; write a whole number from 1 to 120 (see"),
        (("zotero", "connect", "ada", "--user", "0"), "'0' doesn't fit; write a whole number of 1 or more (see"),
        (("--home", "/nowhere/at/all", "run"), "no such directory; make a home with `paperbot init"),
    ],
)
def test_a_usage_error_is_one_line_and_exit_code_2(paperbot, arguments, says):
    answer = paperbot(*arguments)
    assert answer.code == 2
    assert says in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("position", ["before", "after", "environment"])
def test_home_is_an_option_of_group_and_command_or_an_environment_variable(paperbot, tmp_path, monkeypatch, position):
    paperbot("init", tmp_path / "papers")
    if position == "before":
        answer = paperbot("--home", tmp_path / "papers", "profiles")
    elif position == "after":
        answer = paperbot("profiles", "--home", tmp_path / "papers")
    else:
        monkeypatch.setenv("PAPERBOT_HOME", str(tmp_path / "papers"))
        answer = paperbot("profiles")
    assert answer.code == 0
    assert "reward-models" in answer.out


def test_init_does_not_overwrite_a_home(paperbot, tmp_path):
    answer = paperbot("init", tmp_path / "papers")
    assert answer.code == 0
    assert sorted(path.name for path in (tmp_path / "papers").iterdir()) == [
        "paperbot.toml", "profiles", "samples", "seeds", "state",
    ]  # fmt: skip
    again = paperbot("init", tmp_path / "papers")
    assert again.code == 2
    assert "exists already" in again.err


def test_init_reports_a_directory_that_cannot_be_made(paperbot, tmp_path):
    (tmp_path / "file").write_text("")
    answer = paperbot("init", tmp_path / "file" / "papers")
    assert answer.code == 2
    assert "choose a directory you may write to" in answer.err


def test_check_passes_on_a_new_home(home, paperbot):
    answer = paperbot("check")
    assert answer.code == 0
    assert [line[:2] for line in answer.out.splitlines()] == ["ok"] * 10 + ["  "] * 3
    assert answer.err == ""


def test_preview_shows_the_edition_in_each_form_and_writes_no_file(ingested, paperbot):
    text = paperbot("preview", "reward-models", "--now", NOW)
    html = paperbot("preview", "reward-models", "--now", NOW, "--format", "html")
    slack = paperbot("preview", "reward-models", "--now", NOW, "--format", "slack")
    assert (text.code, html.code, slack.code) == (0, 0, 0)
    assert (text.err, html.err) == ("", "")
    assert slack.err.startswith("note: messages for Slack go without buttons, as nothing receives them; set PAPERBOT_")
    assert "5 papers; 176 new papers came in" in text.out
    assert "oday" not in text.out + html.out + slack.out, "the papers are of other days"
    assert html.out.lower().startswith("<!doctype html>")
    assert {json.loads(line)["channel"] for line in slack.out.splitlines()} == {"ada@example.org"}
    assert not (ingested / "state" / "outbox").exists()


def test_preview_without_papers_says_why_it_is_empty(home, paperbot):
    files = "5 files not read yet, such as samples/daily-papers-04-17.txt; `paperbot ingest` does"
    answer = paperbot("preview", "reward-models")
    assert f"No paper that was read is new; {files}." in " ".join(answer.out.split())
    assert answer.err.strip() == f"note: {files}"
    for path in home.glob("samples/*"):
        path.unlink()
    answer = paperbot("preview", "reward-models")
    assert "No new paper has come in." in answer.out
    assert answer.err == ""


def test_status_shows_sources_readers_and_outbox(home, paperbot):
    empty = paperbot("status")
    assert empty.code == 0
    assert "not yet" in empty.out
    assert "none yet" in empty.out
    paperbot("run", "--now", NOW)
    answer = paperbot("status", "--now", NOW, "--json")
    assert answer.json["papers"] == 176
    assert [(s["name"], s["digests"]) for s in answer.json["sources"]] == [("seeds", 0), ("samples", 5)]
    (reader,) = answer.json["readers"]
    assert (reader["reader"], reader["last_edition"], reader["last_picks"], reader["last_states"]) == (
        "reward-models/ada@example.org", "2025-05-07", 5, ["sent"],
    )  # fmt: skip
    assert reader["next_due"].startswith("2025-05-08T06:00")
    assert answer.json["outbox"]["sent"] == 1
    text = " ".join(paperbot("status", "--now", NOW).out.split())
    assert "2025-05-07, 5 papers, sent" in text
    assert "Wed 2025-05-07 09:00 Europe/Berlin" in text, "in the zone of the bot"
    assert "UTC" not in text
    late = " ".join(paperbot("status", "--now", "2025-05-09T09:00:00+02:00").out.split())
    assert "due since Fri 2025-05-09 08:00 Europe/Berlin" in late


def test_status_shows_a_days_edition_after_a_quiet_run(home, paperbot):
    paperbot("run", "--now", NOW)
    profile = home / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text().replace("size = 5", "size = 5\nthreshold = 1.0"))
    assert paperbot("run", "--force", "--now", NOW, "--json").json["skipped"] == 1
    assert "2025-05-07, 5 papers, sent" in " ".join(paperbot("status", "--now", NOW).out.split())


def test_status_names_a_missing_folder_once(home, paperbot):
    settings = home / "paperbot.toml"
    settings.write_text(f'{settings.read_text()}\n[[sources]]\nname = "gone"\nkind = "folder"\npath = "gone"\n')
    for _ in range(2):
        assert paperbot("status").err.count("no folder") == 1
        paperbot("run")


def test_a_preview_says_that_the_reader_has_paused(home, paperbot):
    paperbot("run", "--now", NOW)
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        app.subscriptions.pause([reader], datetime.fromisoformat(NOW))
    answer = paperbot("preview", "reward-models", "--now", NOW.replace("05-07", "05-08"))
    assert "note: reward-models/ada@example.org gets no messages: paused" in answer.err
    assert "5 papers of earlier days" in answer.out


def test_status_shows_a_quiet_edition_with_its_reason(home, paperbot):
    for path in home.glob("samples/*"):
        path.unlink()
    paperbot("run", "--now", NOW)
    assert "quiet: No" in " ".join(paperbot("status").out.split())
    quiet = paperbot("status", "--json").json["readers"][0]["quiet"]
    assert quiet == {"reason": "nothing new", "words": "No new paper has come in."}


def test_profiles_lists_valid_files_and_reports_the_others(home, paperbot):
    (home / "profiles" / "bad.toml").write_text("titel = 1")
    answer = paperbot("profiles")
    assert answer.code == 1
    assert "08:00 Europe/Berlin, Mon-Fri" in answer.out
    assert "profiles/bad.toml:1" in answer.err


def test_demo_ends_with_a_page_whose_vote_moves_the_first_papers(paperbot, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    opened = []
    monkeypatch.setattr("bot.cli.output.webbrowser.open", opened.append)
    answer = paperbot("demo")
    assert answer.code == 0
    steps = [
        "Making a home in",
        "Reading digests ...",
        "Composing editions ...",
        "Delivering ...",
        "Yesterday: 146 papers",
    ]
    steps += [
        "pressed 👎 Less like this, under paper 5.",
        "Today: 30 papers",
        "All of it on one page: state/demo/index.html",
    ]
    places = [answer.out.index(step) for step in steps]
    assert places == sorted(places)
    was = re.findall(r"^  (\d)\. \(was ([^)]+)\)", answer.out, re.MULTILINE)
    assert len(was) == 5
    assert sum(place != before for place, before in was[:4]) >= 3, "the first papers have changed places"
    assert opened == []
    files = [path.name for path in (tmp_path / "state/demo/state/outbox").rglob("*.*")]
    assert "human-feedback--mary@example.org.eml" in files
    assert "agents--C0123ABC.json" in files
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("bot.cli.demo.sys.stdout.isatty", lambda: True)
    assert paperbot("demo").code == 0, "it can be repeated"
    page = tmp_path / "state/demo/index.html"
    assert opened == [page.as_uri()]
    html = page.read_text()
    assert re.findall(r"(?:src=|url\(|@import|<link|<script)", html) == [], "it loads nothing"
    assert "localhost" not in html
    anchors = set(re.findall(r'(?:id|name)="([^"]+)"', html))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= anchors
    with open_app(tmp_path / "state/demo") as app:
        mary = app.store.readers.get("human-feedback", "mary@example.org")
        second, first = app.store.editions.of_reader(mary.id)
        (vote,) = app.store.feedback.votes(mary.id)
        places = [pick.paper.id for pick in app.store.editions.picks_of(first.id)]
        assert (places.index(vote.paper), vote.vote) == (4, Vote.DOWN)
        sent = [wording.title(pick.paper) for pick in app.store.editions.picks_of(second.id)]
    with_it = html[html.index("<h3>With it</h3>") : html.index("4. The edition of the next day")]
    titles = [unescape(title) for title in re.findall(r'<li dir="auto">(.+?) <span class="moved">', with_it)]
    assert titles == sent, "what is compared is what was sent"


def test_demo_deletes_only_an_earlier_demo(paperbot, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    answer = paperbot("demo", tmp_path / "mine")
    assert answer.code == 2
    assert "was not made by an earlier demo" in answer.err
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_an_unexpected_exception_is_one_line_without_a_traceback(home, paperbot, monkeypatch):
    monkeypatch.setattr("bot.app.open_store", lambda _url, **_options: 1 / 0)
    answer = paperbot("status")
    assert answer.code == 1
    assert answer.err == (
        "paperbot: ZeroDivisionError: division by zero. This is a mistake in Paperbot; PAPERBOT_DEBUG=1 shows where\n"
    )
    monkeypatch.setenv("PAPERBOT_DEBUG", "1")
    assert "Traceback" in paperbot("status").err


def test_a_relative_store_path_counts_from_the_home(home, paperbot, tmp_path, monkeypatch):
    (home / "paperbot.toml").write_text('[store]\nurl = "sqlite:///elsewhere/papers.db"\n')
    monkeypatch.chdir(tmp_path)
    paperbot("status", "--home", home)
    assert (home / "elsewhere" / "papers.db").exists()


@pytest.mark.slow
def test_nothing_is_said_of_processes_where_semaphores_are_not_allowed(home):
    code = (
        "import _multiprocessing, sys\n"
        "class SemLock:\n"
        "    SEM_VALUE_MAX = 1\n"
        "    def __init__(self, *_): raise PermissionError(13, 'Permission denied')\n"
        "_multiprocessing.SemLock = SemLock\n"
        "sys.argv = ['paperbot', 'run', '--force']\n"
        "from bot.cli.main import main; main()"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "1 edition, 1 message delivered" in process.stdout
    assert process.stderr == ""


def test_help_by_python_m_bot_imports_no_heavy_library(tmp_path):
    heavy = "sklearn, sqlalchemy, pydantic, rich, slack_sdk, starlette, jinja2"
    code = (
        "import sys, runpy; sys.argv = ['paperbot', '--help']\n"
        "try: runpy.run_module('bot', run_name='__main__')\n"
        f"except SystemExit: print([m for m in '{heavy}'.split(', ') if m in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert "Read the day's paper digests" in process.stdout
    assert process.stdout.splitlines()[-1] == "[]"


def test_a_run_with_nothing_to_do_imports_no_heavy_library(home, paperbot):
    assert paperbot("run", "--now", NOW).code == 0
    heavy = "sklearn, scipy, numpy, jinja2, httpx2, sqlalchemy.dialects.postgresql, bot.editions.choices"
    code = (
        f"import sys; from bot.cli.main import invoke; invoke(['run', '--json', '--now', '{NOW}'])\n"
        f"print([m for m in '{heavy}'.split(', ') if m in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *report, imported = process.stdout.splitlines()
    assert json.loads("".join(report))["problems"] == []
    assert imported == "[]"
