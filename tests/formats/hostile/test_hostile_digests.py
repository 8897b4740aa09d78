"""A hostile digest affects itself only: papers or a reported problem, within limits of processor time and memory."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile.library_shapes import LIBRARIES
from hostile.shapes import CRASHES, SHAPES
from support import ROOT

from bot.formats.format import MAX_BYTES
from bot.formats.registry import parse
from bot.model import RawDigest

# The largest file that is read adds minutes to a run: only on request.
SIZES = (40_000, 160_000, *([MAX_BYTES] if os.environ.get("PAPERBOT_TEST_LARGEST") else []))
# Four times the size takes four times the processor time, and 16 times where the work grows with its square. The
# seconds leave room for what another process takes of the caches.
_GROWTH, _SECONDS_BESIDE = 8, 0.5


@pytest.fixture(scope="module")
def limited() -> Iterator[subprocess.Popen[str]]:
    """A process that reads shapes within limits."""
    arguments = [sys.executable, Path(__file__).with_name("limited.py"), *map(str, SIZES)]
    with subprocess.Popen(arguments, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.communicate()


@pytest.mark.parametrize(
    ("module", "name"),
    [*(("shapes", name) for name in SHAPES), *(("library_shapes", name) for name in LIBRARIES)],
)
def test_a_hostile_digest_or_library_gives_its_papers_or_a_problem_within_the_limits(
    limited: subprocess.Popen[str], module: str, name: str
) -> None:
    shape = {**SHAPES, **LIBRARIES}[name]
    assert limited.stdin
    assert limited.stdout
    print(json.dumps([module, name]), file=limited.stdin, flush=True)
    *outcomes, end = _until_end(map(json.loads, limited.stdout))
    assert end == {"ended": 0}, f"{name}: ended by {end['ended']}: {outcomes[-1:]}"
    assert [outcome["size"] for outcome in outcomes] == list(SIZES)
    quarter, whole = outcomes[:2]
    assert whole["seconds"] < _GROWTH * quarter["seconds"] + _SECONDS_BESIDE, f"{name}: grows faster than its size"
    for outcome in outcomes:
        # At a cap on lines, tags or items the whole file is refused, with a reason.
        assert outcome["papers"] or outcome["problems"], f"{name}: nothing read, and no problem reported"
    for outcome in outcomes[1:]:  # a quarter may stay below the limits that the number of papers is due to
        expected = shape.expected_papers(outcome["size"])
        assert expected is None or outcome["papers"] in (0, expected), f"{name} at {outcome['size']:,} bytes"


def _until_end(lines: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for line in lines:
        yield line
        if "ended" in line:
            return


@pytest.mark.parametrize("name", CRASHES)
def test_a_former_crash_gives_papers_or_a_problem(name: str) -> None:
    digests = parse(RawDigest("hostile", "x", CRASHES[name]))
    assert all(digest.entries or digest.rejected for digest in digests)


def test_the_more_specific_of_two_formats_that_begin_on_one_line_reads_it() -> None:
    (digest,) = parse(RawDigest("hostile", "x", CRASHES["two formats begin on one line"]))
    (entry,) = digest.entries
    assert (digest.format, entry.title, entry.abstract) == ("markdown", "T", "x.")
