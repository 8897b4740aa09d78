"""``paperbot inspect`` on small files as products write them, beside a person's reading of each.

``more`` in an expected file has the fields that the command doesn't print.
"""

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from bot.cli.main import invoke
from bot.formats import dump
from bot.formats.registry import inspect
from bot.model import RawDigest

MADE = Path(__file__).with_name("made")
FILES = sorted(path.name for path in MADE.iterdir() if not path.name.endswith(".expected.json"))
MORE = {
    *("topic", "date", "entries", "entry", "contributions", "author_count", "organisation", "upvotes", "alert"),
    *("categories", "version", "replacement", "facts", "kind", "value"),  # digests
    *("added", "skipped", "withdrawn", "session", "is_utc", "iso"),  # libraries and programmes
}


@pytest.fixture(scope="module")
def inspected():
    """Return the output for all files at once, by their names and without missing values."""
    printed = StringIO()
    with redirect_stdout(printed):
        invoke(["inspect", *(str(MADE / name) for name in FILES), "--json"])
    files = json.loads(printed.getvalue())["files"]
    for file in files:
        file["papers"] = [{key: value for key, value in paper.items() if value} for paper in file["papers"]]
    return {Path(file["file"]).name: file for file in files}


def more(value):
    if isinstance(value, list):
        return [more(part) for part in value]
    return (
        {key: more(part) for key, part in value.items() if part and key in MORE} if isinstance(value, dict) else value
    )


@pytest.mark.parametrize("name", FILES)
def test_a_made_file_is_read_as_a_person_reads_it(inspected, name):
    expected = json.loads((MADE / f"{name}.expected.json").read_text())
    stated = expected.pop("more", None)
    assert {key: inspected[name][key] for key in expected} == expected
    if stated:
        results = inspect(RawDigest("made", name, (MADE / name).read_bytes())).results
        assert more(json.loads(dump({"results": results}))["results"]) == stated
