"""``paperbot import``: a library as first feedback."""

import io
import sqlite3
import sys
from contextlib import closing

import pytest
from support import edit

from bot.config.files import shipped
from bot.config.keys import redact
from bot.ranking.experts import LIBRARY_VOTES

NOW = "2025-05-07T18:00:00+00:00"
ADA = "reward-models/ada@example.org"
BIB = """
@article{cats, title = {Cats at {W}ork}, date-added = {2025-01-02 10:00}}
@misc{owls, title = {Owls on the night shift}, eprint = {2101.00001}, archiveprefix = {arXiv}, urldate = {2024-05-06}}
@book{b, title = {A book}}
@misc{note, title = {Buy milk}}
"""


@pytest.fixture
def papers(papers):
    (papers / "own.bib").write_text(BIB)
    return papers


def test_the_library_is_matched_kept_and_exported(papers, paperbot):
    answer = paperbot("import", "reward-models", "own.bib", "--now", NOW, "--json")
    assert (answer.code, answer.json) == (
        0,
        {"reader": ADA, "read": 4, "matched": 1, "new": 1, "skipped": 2, "problems": []},
    )
    data = paperbot("export", ADA).json
    assert [(row["title"], row["vote"], row["via"], row["at"]) for row in data["library"]] == [
        ("Cats at Work", "up", "library", "2025-01-02T00:00:00+00:00"),
        ("Owls on the night shift", "up", "library", "2024-05-06T00:00:00+00:00"),
    ]
    # Apart from the votes that were given.
    assert data["thumbs"] == data["history"] == []
    again = paperbot("import", "reward-models", "own.bib", "--now", NOW)
    assert "votes at most" not in again.out
    assert "4 references read, 0 papers added" in again.out
    assert "2 skipped: there already" in again.out


def test_each_text_says_how_much_a_library_counts(papers, paperbot):
    most = f"as {LIBRARY_VOTES:.0f} votes at most"
    documents = [shipped(path).read_text("utf-8") for path in ("docs/commands.md", "templates/pages/data.html.j2")]
    said = [paperbot("import", "reward-models", "own.bib").out, paperbot("import", "--help").out, *documents]
    assert [most in " ".join(text.split()) for text in said] == [True] * 4


def test_standard_input_and_ris_work_too(papers, paperbot, monkeypatch):
    ris = b"TY  - JOUR\nTI  - Dogs at rest\nER  - \n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ris)))
    assert paperbot("import", ADA, "-", "--json").json["matched"] == 1


def test_a_broken_entry_is_a_problem_and_the_rest_is_added(papers, paperbot):
    (papers / "own.bib").write_text("@article{a, title = {Never closed\n@article{b, title = {Closed}}\n")
    answer = paperbot("import", ADA, "own.bib", "--json")
    assert (answer.code, answer.json["new"], answer.json["skipped"]) == (1, 1, 1)
    (problem,) = answer.json["problems"]
    assert problem["source"].endswith("own.bib")
    assert problem["problem"].startswith("line 1: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", "reward-models", "absent.bib"), "absent.bib"),
        (("import", "reward-models", "paperbot.toml"), "export it as one of these: BibTeX"),
        (("import", "reward-models"), "Missing FILE"),
        (("import", "reward-models", "own.bib", "--remove"), "leave FILE out"),
        (("import", "nobody", "own.bib"), "no profile 'nobody'"),
    ],
)
def test_wrong_usage_changes_nothing(papers, paperbot, arguments, words):
    answer = paperbot(*arguments)
    assert answer.code == 2
    assert words in answer.err
    assert paperbot("import", "reward-models", "own.bib", "--json").json["new"] == 1


def test_a_library_is_removed_in_one_act(papers, paperbot):
    paperbot("import", ADA, "own.bib")
    assert paperbot("import", ADA, "--remove").out == f"{ADA}: 2 papers removed\n"
    assert paperbot("export", ADA).json["library"] == []


def test_forgetting_a_reader_leaves_no_byte_of_the_library(papers, paperbot):
    paperbot("import", ADA, "own.bib")
    assert paperbot("forget", ADA, "--yes").code == 0
    for file in (papers / "state").glob("paperbot.db*"):
        assert b"night shift" not in file.read_bytes()
    with closing(sqlite3.connect(papers / "state" / "paperbot.db")) as store:
        assert store.execute("SELECT count(*) FROM library_keys").fetchone() == (0,)


def test_what_is_in_the_library_is_not_sent_and_what_resembles_it_comes_first(papers, paperbot):
    edit(papers / "profiles/reward-models.toml", "[edition]", "[edition]\nthreshold = 0.0")
    before = paperbot("why", "reward-models", "Dogs at rest", "--json").json["score"]
    (papers / "own.bib").write_text(
        "@article{a, title = {Dogs at work}}\n"
        + "".join(
            f"@article{{d{n}, title = {{Dogs in {place}}}}}\n" for n, place in enumerate(("boats", "bars", "beds"))
        )
    )
    paperbot("import", ADA, "own.bib")
    assert paperbot("why", "reward-models", "Dogs at rest", "--json").json["score"] > before
    text = paperbot("preview", "reward-models", "--now", NOW, "--format", "text").out
    assert "Dogs at rest" in text
    assert "“Dogs at work”, which is in your library" in " ".join(text.split())
    assert text.count("Dogs at work") == 1, "in the reason alone"


def test_no_other_reader_can_tell(papers, paperbot):
    bob = "reward-models/bob@example.org"
    edit(papers / "profiles/reward-models.toml", "[edition]", "[edition]\nthreshold = 0.0")
    assert paperbot("subscribe", "reward-models", "bob@example.org").code == 0
    file = papers / "own.bib"
    file.write_text("".join(f"@article{{d{n}, title = {{Dogs at work on day {n}}}}}\n" for n in range(5)))

    def seen():
        scores = [paperbot("why", bob, title, "--now", NOW, "--json").json for title in ("Dogs at work", "Cats at")]
        # The links are signed with the time of day.
        preview = redact(paperbot("preview", bob, "--now", NOW, "--format", "text").out)
        return scores, preview, paperbot("export", bob).json

    before = seen()
    assert "Dogs at work" in before[1]
    mine = paperbot("why", ADA, "Dogs at work", "--now", NOW, "--json").json
    assert paperbot("import", ADA, file).code == 0
    # Refitted with the library in the store.
    (papers / "state" / "corpus.npz").unlink()
    assert paperbot("why", ADA, "Dogs at work", "--now", NOW, "--json").json["score"] != mine["score"]
    assert seen() == before


def test_why_says_that_a_paper_is_in_the_library(papers, paperbot):
    assert paperbot("why", ADA, "Cats at work", "--json").json["in_library"] is False
    paperbot("import", ADA, "own.bib")
    assert paperbot("why", ADA, "Cats at work", "--json").json["in_library"] is True
    assert "Not sent: it is already in your library." in paperbot("why", ADA, "Cats at work").out


def test_a_vote_on_a_paper_of_the_library_counts_instead(papers, paperbot):
    def score():
        return paperbot("why", ADA, "Cats at work", "--now", NOW, "--json").json["score"]

    (papers / "own.bib").write_text("@article{cats, title = {Cats at work}}")
    paperbot("thumb", "down", ADA, "Cats at work", "--now", NOW)
    disliked = score()
    paperbot("import", ADA, "own.bib", "--now", NOW)
    assert score() == disliked
