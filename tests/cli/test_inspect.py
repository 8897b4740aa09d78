"""``paperbot inspect``: what a file holds, before anything is stored."""

import io
import sys

import pytest
from support import digest

KEYS = {"file", "kind", "format", "date", "papers", "rejected", "problem"}
PAPER_KEYS = {
    *("title", "authors", "abstract", "date", "arxiv", "doi", "url", "venue", "added", "start", "end", "room")
}


@pytest.fixture
def files(home):
    """A digest, a library, a programme and a list of feeds, in the home."""
    contents = {
        "day.txt": digest("Robot arms", "Audio of whales"),
        "own.bib": "@article{a, title={Owls at work}, author={Lovelace, Ada}, year=2024, date-added={2025-01-02}}",
        "talks.csv": "title,date,start,room\nOwls at noon,2026-12-02,14:30,Hall A\n",
        "feeds.opml": '<opml version="2.0"><body><outline text="Owls" xmlUrl="https://example.org/owls"/></body></opml>',
    }
    for name, content in contents.items():
        (home / name).write_text(content)
    return list(contents)


def test_each_kind_is_recognised_and_every_key_is_there(files, paperbot):
    answer = paperbot("inspect", *files, "--json")
    assert answer.code == 0
    inspected = answer.json["files"]
    assert [(file["file"], file["kind"], len(file["papers"])) for file in inspected] == [
        ("day.txt", "digest", 2),
        ("own.bib", "library", 1),
        ("talks.csv", "programme", 1),
        ("feeds.opml", "feeds", 1),
    ]
    assert all(file.keys() == KEYS and file["problem"] is None for file in inspected)
    assert all(paper.keys() == PAPER_KEYS for file in inspected for paper in file["papers"])
    assert inspected[1]["papers"][0]["added"] == "2025-01-02"


def test_nothing_is_stored_and_no_home_is_needed(files, home, paperbot, tmp_path):
    before = sorted(home.rglob("*"))
    assert paperbot("inspect", *files).code == 0
    assert sorted(home.rglob("*")) == before
    (tmp_path / "day.txt").write_text(digest("Robot arms"))
    assert paperbot("--home", str(tmp_path / "none"), "inspect", str(tmp_path / "day.txt"), "--json").code == 0


def test_a_file_that_can_not_be_read_costs_itself_and_the_exit_code(files, home, paperbot):
    (home / "broken.bin").write_bytes(b"\x89PNG\r\n")
    answer = paperbot("inspect", "broken.bin", "missing.txt", "day.txt", "--json")
    broken, missing, day = answer.json["files"]
    assert answer.code == 1
    assert "PNG" in broken["problem"]
    assert "can't be opened" in missing["problem"]
    assert (broken["papers"], broken["kind"], len(day["papers"])) == ([], None, 2)
    printed = paperbot("inspect", "broken.bin", "day.txt")
    assert "! broken.bin: binary data (a PNG picture)" in printed.err
    assert "Robot arms" in printed.out


def test_times_without_a_zone_are_those_of_the_option_and_said_to_be(files, paperbot):
    (programme,) = paperbot("inspect", "talks.csv", "--json").json["files"]
    assert programme["papers"][0]["start"] == "2026-12-02T14:30:00+00:00"
    assert [reason["entry"] for reason in programme["rejected"]] == ["times"]
    (vienna,) = paperbot("inspect", "talks.csv", "--timezone", "Europe/Vienna", "--json").json["files"]
    assert vienna["papers"][0]["start"] == "2026-12-02T14:30:00+01:00"
    assert paperbot("inspect", "talks.csv", "--timezone", "Vienna", "--json").json["files"] == [vienna]
    assert "unknown time zone" in paperbot("inspect", "talks.csv", "--timezone", "Middle Earth").err


def test_problems_name_their_file_among_several(files, paperbot):
    assert paperbot("inspect", "talks.csv").err.startswith("! times: the file names no time zone")
    assert paperbot("inspect", "day.txt", "talks.csv").err.startswith("! talks.csv: times: the file names no time zone")


def test_standard_input_is_a_file_too(paperbot, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(digest("Robot arms").encode())))
    (file,) = paperbot("inspect", "-", "--json").json["files"]
    assert (file["file"], file["papers"][0]["title"]) == ("standard input", "Robot arms")


def test_titles_are_shown_as_readers_see_them(home, paperbot):
    (home / "day.txt").write_text(digest(r"Owls at $z\sim$10 in Erd\H{o}s graphs"))
    (file,) = paperbot("inspect", "day.txt", "--json").json["files"]
    assert file["papers"][0]["title"] == "Owls at z~10 in Erdős graphs"
