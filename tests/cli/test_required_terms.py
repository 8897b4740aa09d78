"""Required terms: what reaches editions, alerts and previews, and what `why` and `rank` say of the rest."""

import json

import pytest
from support import digest

NOW = "2026-06-08T08:00:00+00:00"
PROFILE = """title = "Owls"
interests = "owls"
require = [["owl", "eagle"], ["language models"]]
[edition]
threshold = 0
when_quiet = "note"
[[readers]]
email = "ada@example.org"
"""
WANTED = "Owls as LLMs"
ALONE = "Owls alone"


@pytest.fixture
def owls(bare):
    (bare / "profiles" / "owls.toml").write_text(PROFILE)
    (bare / "seeds" / "1.txt").write_text(digest(WANTED, ALONE, "Language models alone"))
    return bare


def test_only_papers_with_a_term_of_each_group_are_previewed_and_sent(owls, paperbot):
    assert paperbot("ingest").code == 0
    preview = paperbot("preview", "owls", "--now", NOW).out
    assert WANTED in preview
    assert ALONE not in preview
    assert paperbot("run", "--force", "--now", NOW).code == 0
    (edition,) = paperbot("export", "owls").json["editions"]
    assert [paper["title"] for paper in edition["papers"]] == [WANTED]
    assert edition["considered"] == 3


def test_why_names_the_terms_that_a_paper_lacks(owls, paperbot):
    assert paperbot("ingest").code == 0
    lacking = paperbot("why", "owls", ALONE)
    assert "Not ranked: none of “language models”, which the profile requires, is in it" in lacking.out
    assert paperbot("why", "owls", ALONE, "--json").json["lacks"] == ["language models"]
    assert paperbot("why", "owls", WANTED, "--json").json["lacks"] == []


def test_a_paper_without_a_required_term_is_not_an_alert(owls, paperbot):
    (owls / "profiles" / "owls.toml").write_text(PROFILE + '[alerts]\nkeywords = ["owls", "alone"]\n')
    assert paperbot("run", "--now", NOW, "--json").json["alerts"] == 1


def test_rank_takes_required_terms_from_the_profiles_lines(tmp_path, paperbot):
    papers = [
        {"id": str(n), "title": title, "abstract": f"We study {title}."}
        for n, title in enumerate([WANTED, ALONE, "Eagles and language modeling", "Bees"])
    ]
    rows = {
        "history": papers,
        "candidates": papers,
        "profiles": [
            {"profile": "strict", "interests": "owls", "require": [["owl", "eagle"], ["language model"]]},
            {"profile": "open", "interests": "owls"},
        ],
        "feedback": [],
    }
    options = []
    for name, lines in rows.items():
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        options += [f"--{name}", tmp_path / name]
    assert paperbot("rank", *options, "--output", tmp_path / "ranked").code == 0
    ranked = [json.loads(line) for line in (tmp_path / "ranked").read_text().splitlines()]
    assert [row["paper"] for row in ranked if row["profile"] == "strict"] == ["0", "2"]
    assert len([row for row in ranked if row["profile"] == "open"]) == 4

    (tmp_path / "profiles").write_text('{"profile": "strict", "interests": "owls", "require": ["owl"]}\n')
    refused = paperbot("rank", *options, "--output", tmp_path / "ranked")
    assert refused.code == 2
    assert '"require" must be a list of groups of texts' in refused.err
