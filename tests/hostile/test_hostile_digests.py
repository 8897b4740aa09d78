"""Each hostile digest costs itself alone: the right papers or a named problem, within processor time and memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.shapes import CRASHES, SHAPES
from support import ROOT

from bot.digests import parse
from bot.digests.text import MAX_BYTES
from bot.domain import RawDigest

# From 80 KB, at which the worst of these once took minutes, by doubling until what is repeated meets a cap on lines,
# tags or items; then the largest file. The limits are the same for all: what grows with the square of its size dies.
SIZES = (80_000, 160_000, 320_000, 640_000, MAX_BYTES)


@pytest.mark.parametrize("name", SHAPES)
def test_a_hostile_digest_gives_its_papers_or_a_named_problem_within_the_limits(name: str) -> None:
    shape = SHAPES[name]
    ran = subprocess.run(
        [sys.executable, Path(__file__).with_name("limited.py"), name, *map(str, SIZES)],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, f"{name}: ended by {ran.returncode}: {ran.stderr[-500:]}"
    outcomes = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [outcome["size"] for outcome in outcomes] == list(SIZES)
    for outcome in outcomes:
        if shape.papers is None or not outcome["papers"]:
            assert outcome["papers"] or outcome["problems"], f"{name}: nothing read, and nothing said of it"
        else:
            assert outcome["papers"] == shape.papers


@pytest.mark.parametrize("name", CRASHES)
def test_what_once_was_a_traceback_gives_papers_or_a_named_problem(name: str) -> None:
    digests = parse(RawDigest("hostile", "x", CRASHES[name]))
    assert all(digest.entries or digest.rejected for digest in digests)


def test_where_two_formats_begin_on_one_line_the_one_that_asks_for_more_reads_it() -> None:
    (digest,) = parse(RawDigest("hostile", "x", CRASHES["two formats begin on one line"]))
    (entry,) = digest.entries
    assert (digest.format, entry.title, entry.abstract) == ("markdown", "T", "x.")
