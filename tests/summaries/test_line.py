"""A paper in one line: its title, unless that only asks for what the summary has in bold."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.registry import parse
from bot.model import RawDigest
from bot.summaries.line import line_of
from bot.summaries.summary import answer

ROOT = Path(__file__).parents[2]
BENCH = ROOT.parent / "shared" / "bench"
ASKS = "Effects of larger nets on owls in wet forests"


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Counting owls at night: a pilot study", "Counting owls at night"),
        ("Counting owls at night - a randomised, double-blind, placebo-controlled trial", "Counting owls at night"),
        (
            "Counting owls at night: results of the NOCTURNE trial",
            "Counting owls at night: results of the NOCTURNE trial",
        ),
        ("Counting owls at night: results from a multicentre trial", "Counting owls at night"),
        ("Counting owls at night. Northern Owl Study Group", "Counting owls at night"),
        ("Owls first: how nets changed what we know of bats", "Owls first: how nets changed what we know of bats"),
        ("GAZE:Owls by night", "GAZE: Owls by night"),
        ("[Owls by night].", "Owls by night"),
        ("Can owls count?", "Can owls count?"),
    ],
)
def test_a_title_loses_only_what_says_how_it_was_studied(title, line):
    assert line_of(title, None) == line


@pytest.mark.parametrize(
    ("title", "finding", "line"),
    [
        (
            ASKS,
            "Our nine tests (all by night) show that larger nets catch 31% more owls in forests.",
            "Larger nets catch 31% more owls in forests",
        ),
        (
            ASKS,
            "However, larger nets caught no more owls than small ones.",
            "Larger nets caught no more owls than small ones",
        ),
        (
            "Are owls better than hens at counting?",
            "While owls count well by day, by night hens are better at counting than owls.",
            "While owls count well by day, by night hens are better at counting than owls",
        ),
    ],
)
def test_a_title_that_only_asks_gives_way_to_the_whole_finding(title, finding, line):
    assert line_of(title, finding) == line


@pytest.mark.parametrize(
    "finding",
    [
        "Our nets catch 31% more owls in wet forests.",  # whose?
        "Larger nets caught more owls than hens in the second group.",
        "It is larger nets that catch owls best.",
        "Larger nets may catch more owls in forests.",
        "Our data do not show that larger nets catch more owls.",
        "Bats were caught 31% more often by night.",  # not what was asked
        "Larger nets catch owls.",  # says too little
        f"Larger nets catch owls {'in forests and on hills ' * 5}by night.",
        "Why do larger nets catch more owls?",
    ],
)
def test_in_doubt_the_title_stays(finding):
    assert line_of(ASKS, finding) == ASKS


@pytest.mark.parametrize(
    "title",
    [
        "STRIX: a network for owls in nets",
        "Larger nets change owls",
        "Owls and their larger nets",
        "Estimating net effects with owls",
        "Estimating the effect of larger nets on owls",
        "Night evaluation for owls in larger nets",
    ],
)
def test_a_title_that_asks_nothing_stays(title):
    assert line_of(title, "Larger nets catch 31% more owls in forests.") == title


@given(st.text(max_size=80), st.text(max_size=120))
def test_any_text_gives_a_line(title, finding):
    assert isinstance(line_of(title, finding), str)


@cache
def abstracts() -> dict[str, list[str]]:
    """Return abstracts by title: of the samples, and of the papers beside the checkout if there are any."""
    by_title = defaultdict(list)
    for path in sorted((ROOT / "seeds").glob("*.txt")):
        for digest in parse(RawDigest("seeds", path.name, path.read_bytes())):
            for entry in digest.entries:
                by_title[entry.title].append(entry.abstract)
    for path in (BENCH / "screening.jsonl.gz", BENCH / "arxiv-papers.jsonl.gz"):
        if path.is_file():
            with gzip.open(path, "rt") as file:
                for paper in map(json.loads, file):
                    by_title[paper["title"]].append(paper["abstract"])
    return by_title


@pytest.mark.parametrize("row", json.loads(Path(__file__).with_name("lines.json").read_text()))
def test_the_lines_of_papers_that_people_read(row):
    """Each row has a title, and how its line begins where that isn't the title."""
    if not (texts := abstracts().get(row["title"])):
        pytest.skip("the paper isn't beside this checkout")
    line = line_of(row["title"], answer(texts[0] or ""))
    expected = row.get("line", row["title"].rstrip("."))
    assert line.startswith(expected.removesuffix("…")) if expected.endswith("…") else line == expected
