"""Real digests of every format, if the samples are beside the checkout; the golden files hold facts about them."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from support import ROOT

from bot.formats.registry import parse
from bot.model import Entry, RawDigest

SAMPLES = ROOT.parent / "shared" / "samples"
GOLDEN = sorted(Path(__file__).parent.glob("golden/*.json"))


def read_sample(name: str) -> RawDigest:
    path = SAMPLES / name
    if not path.is_file():
        pytest.skip("the real digests are not beside this checkout")
    return RawDigest("samples", path.name, path.read_bytes())


def facts(entry: Entry) -> dict[str, Any]:
    """What a golden file says of a paper: all fields that are set, with the abstract's number of words."""
    values = asdict(entry) | {"abstract": f"{len(entry.abstract.split())} words"}
    return {key: json.loads(json.dumps(value, default=date.isoformat)) for key, value in values.items() if value}


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_a_real_digest_is_read_as_its_golden_file_says(golden: Path) -> None:
    expected = json.loads(golden.read_text())
    (digest,) = parse(read_sample(expected["sample"]))
    header = {
        "format": digest.format,
        "topic": digest.topic,
        "date": digest.date and digest.date.isoformat(),
        "rejected": list(digest.rejected),
    }
    assert header == {key: expected[key] for key in header}
    assert [facts(entry) for entry in digest.entries] == expected["papers"]


def test_every_sample_has_a_golden_file() -> None:
    if not SAMPLES.is_dir():
        pytest.skip("the real digests are not beside this checkout")
    golden = {json.loads(path.read_text())["sample"] for path in GOLDEN}
    samples = {path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.*")}
    # Those that we made are read by test_made.py.
    assert golden == {sample for sample in samples if not sample.startswith("made/")}
