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

# At 80 KB the worst of these once took 20 s, so that at four times the size whatever grows with its square meets the
# limit, which is the same for all sizes. The largest file that is read adds minutes to a run: only on request.
SIZES = (80_000, 160_000, 320_000, *([MAX_BYTES] if os.environ.get("PAPERBOT_TEST_LARGEST") else []))
# Twice the size takes twice the processor time, and four times where the work grows with the square; the seconds leave
# room for what another process takes of the caches.
_GROWTH, _SECONDS_BESIDE = 3, 0.5


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
    half, whole = outcomes[1:3]
    assert whole["seconds"] < _GROWTH * half["seconds"] + _SECONDS_BESIDE, f"{name}: grows faster than its size"
    for outcome in outcomes:
        # At a cap on lines, tags or items the whole file is refused, with a reason.
        assert outcome["papers"] or outcome["problems"], f"{name}: nothing read, and no problem reported"
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
