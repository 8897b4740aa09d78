"""Real digests of every format, if the samples are beside the checkout; the golden files hold facts about them."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from support import ROOT

from bot.digests import parse
from bot.domain import Entry, RawDigest
from bot.errors import DigestError

SAMPLES = ROOT.parent / "shared" / "samples"
GOLDEN = sorted(Path(__file__).parent.glob("golden/*.json"))
NO_PLAIN_TEXT = "a mail without a plain text part; ask its sender for one, or save its text"
UNKNOWN_FORMAT = (
    "no digest that Paperbot knows (known: keyword digest, Daily Papers page, arXiv mail, Markdown digest,"
    ' RSS or Atom feed, Daily Papers JSON); one begins with a first line such as "LLM-RL - 2025-05-06", or with'
    ' the lines "Daily Papers" and "byAK and the research community", or with a line "\\\\" above one such as'
    ' "arXiv:2601.15305", or with a heading such as "# A Title" with "**Authors**: ..." below it'
)
# Alert mails have no format of their own yet, so they are refused; each message says what the operator can do.
REFUSED = {
    "alert-mail/biorxiv-subject.eml": UNKNOWN_FORMAT,  # the only one with a plain text part
    "alert-mail/cell-online-now.eml": NO_PLAIN_TEXT,
    "alert-mail/google-scholar-citations-2019.eml": NO_PLAIN_TEXT,
    "alert-mail/google-scholar-related-2019.eml": NO_PLAIN_TEXT,
}


def read_sample(name: str) -> RawDigest:
    path = SAMPLES / name
    if not path.is_file():
        pytest.skip("the real digests are not beside this checkout")
    return RawDigest("samples", path.name, path.read_bytes())


def facts(entry: Entry) -> dict[str, Any]:
    """What a golden file says of a paper: all fields that are set, with the abstract's number of words."""
    values = asdict(entry) | {"abstract": f"{len(entry.abstract.split())} words"}
    return {
        key: json.loads(json.dumps(value, default=date.isoformat)) for key, value in values.items() if value
    }


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


@pytest.mark.parametrize("name", REFUSED)
def test_alert_mails_are_refused_with_a_reason(name: str) -> None:
    with pytest.raises(DigestError) as refusal:
        parse(read_sample(name))
    assert str(refusal.value) == REFUSED[name]


def test_every_sample_has_a_golden_file_or_a_refusal() -> None:
    if not SAMPLES.is_dir():
        pytest.skip("the real digests are not beside this checkout")
    golden = {json.loads(path.read_text())["sample"] for path in GOLDEN}
    assert golden | REFUSED.keys() == {path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.*")}
