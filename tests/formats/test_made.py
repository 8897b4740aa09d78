"""``paperbot inspect`` on a small file for each kind of fault seen in real ones, beside what a person reads in it."""

import json
from pathlib import Path

import pytest

from bot.cli.main import invoke

MADE = Path(__file__).with_name("made")
FILES = sorted(path.name for path in MADE.iterdir() if not path.name.endswith(".expected.json"))


@pytest.fixture(scope="module")
def inspected(tmp_path_factory):
    """Return what the command prints of all files at once, without what is missing, by their names."""
    from contextlib import redirect_stdout
    from io import StringIO

    printed = StringIO()
    with redirect_stdout(printed):
        invoke(["inspect", *(str(MADE / name) for name in FILES), "--json"])
    files = json.loads(printed.getvalue())["files"]
    for file in files:
        file["papers"] = [{key: value for key, value in paper.items() if value} for paper in file["papers"]]
    return {Path(file["file"]).name: file for file in files}


@pytest.mark.parametrize("name", FILES)
def test_a_made_file_is_read_as_a_person_reads_it(inspected, name):
    expected = json.loads((MADE / f"{name}.expected.json").read_text())
    assert {key: inspected[name][key] for key in expected} == expected
