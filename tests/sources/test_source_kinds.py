"""A kind of source is one module and one entry of the registry: a kind that only this test has works everywhere."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ROOT
from toy_source import SETTINGS, registered

from bot.app import open_app


@pytest.fixture
def toy_home(home: Path) -> Iterator[Path]:
    """A home whose only source is of a kind that this test registers."""
    (home / "paperbot.toml").write_text(SETTINGS)
    with registered():
        yield home


def test_an_edition_comes_from_a_source_of_a_registered_kind(toy_home: Path, paperbot) -> None:
    assert "ok  source owl-news" in paperbot("check", "--connect").out
    now = ("--now", "2025-05-06T09:00")
    tried = paperbot("sources", "test", "owl-news", *now)
    assert tried.out.startswith("2025-05-06.txt: keyword, LLM-RL, 2025-05-06\n  1 paper, 0 rejected\n")
    (stored,) = paperbot("ingest", *now, "--json").json["digests"]
    assert (stored["source"], stored["new"]) == ("owl-news", 1)
    ran = paperbot("run", "--force", *now, "--json")
    assert (ran.code, ran.json["editions"], ran.json["delivered"]) == (0, 1, 1)
    (mail,) = (toy_home / "state" / "outbox").rglob("*.eml")
    assert b"Reward models for owls" in mail.read_bytes()


def test_a_registered_kind_has_its_interval_and_its_place_in_lists(toy_home: Path, paperbot) -> None:
    (toy_home / "paperbot.toml").write_text(f"{SETTINGS}every = 90\n")
    (listed,) = paperbot("sources", "--json").json["sources"]
    assert (listed["name"], listed["kind"]) == ("owl-news", "toy")
    settings = {row["key"]: row["value"] for row in paperbot("config", "--json").json["settings"]}
    assert settings["sources[1].title"] == "Reward models for owls"
    for text, minutes in ((SETTINGS, 45), (f"{SETTINGS}every = 90\n", 90)):
        (toy_home / "paperbot.toml").write_text(text)
        with open_app(toy_home) as app:
            (source,) = app.sources
            assert source.poll_interval.total_seconds() == minutes * 60


def test_a_registered_kind_gets_its_password(toy_home: Path, paperbot, monkeypatch) -> None:
    (toy_home / "paperbot.toml").write_text(f'{SETTINGS}expects = "hush-hush"\n')
    wrong = paperbot("check", "--connect")
    assert (wrong.code, "owl-news: the password is wrong" in wrong.err) == (2, True)
    monkeypatch.setenv("PAPERBOT_PASSWORDS__OWL_NEWS", "hush-hush")
    assert paperbot("check", "--connect").code == 0


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('titel = "x"', "paperbot.toml:5: sources[1].titel: unknown key; did you mean 'title'?"),
        ('xyz = "x"', ":5: sources[1].xyz: unknown key; known here: every, expects, kind, name, title"),
        (
            'url = "http://x"',
            ':5: sources[1].url: a source of kind "toy" has no url; known: every, expects, kind, name, title',
        ),
        ("every = 0", ":5: sources[1].every: 0 is not valid"),
    ],
)
def test_a_mistake_in_a_source_of_a_registered_kind_names_the_key_and_the_remedy(
    toy_home: Path, paperbot, line: str, problem: str
) -> None:
    (toy_home / "paperbot.toml").write_text(f"{SETTINGS}{line}\n")
    refused = paperbot("check")
    assert (refused.code, refused.out) == (2, "")
    assert problem in refused.err


def test_a_missing_key_of_a_registered_kind_is_named(toy_home: Path, paperbot) -> None:
    (toy_home / "paperbot.toml").write_text('[[sources]]\nname = "owl-news"\nkind = "toy"\ntitle = " "\n')
    assert 'sources[1]: a source of kind "toy" needs title; add title = ...' in paperbot("check").err


def test_kinds_that_are_not_registered_are_refused_with_the_list_of_all(home: Path, paperbot) -> None:
    (home / "paperbot.toml").write_text(SETTINGS)
    refused = paperbot("check")
    expected = "'folder', 'feed', 'arxiv', 'biorxiv', 'pubmed', 'openalex', 'huggingface', 'mailbox' or 'bounces'"
    assert f"paperbot.toml:3: sources[1].kind: 'toy' is not valid; it should be {expected}" in refused.err


def test_settings_are_read_without_the_libraries_for_http_and_mailboxes() -> None:
    heavy = "{'httpx2', 'httpcore2', 'imap_tools', 'feedparser'}"
    check = f"import sys, bot.sources; bot.sources.source_models(); print(sorted({heavy} & sys.modules.keys()))"
    ran = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stdout.strip() == "[]"
