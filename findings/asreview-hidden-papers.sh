#!/usr/bin/env bash
# asreview 3.0.8: two editorials with different DOIs, years and authors are one record, and a reviewer sees only one.
#
# It hides duplicates, and gives a reviewer's label of one to the others. Titles often come without an abstract.
# Guess before the run: papers with different DOIs aren't duplicates.
# Seen with asreview 3.0.8 on Python 3.11: both editorials are in one group, and so are papers on α and on β cells.
# Only letters a to z and digits are compared, so all papers in Russian or Greek are one group. DOIs are read and not
# compared.
# The README says "Records with duplicate titles and texts are automatically hidden". That this ignores DOIs and most
# letters is undocumented (data/utils.py).
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes. load_dataset calls the
# function below. It alone is loaded, since the package needs 400 MB of others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-compile --no-deps asreview==3.0.8
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-compile pandas==2.3.3 rispy==0.9.0
"$folder/venv/bin/python" - <<'PYTHON'
import importlib.util
from importlib.metadata import distribution, version
from types import SimpleNamespace

path = distribution("asreview").locate_file("asreview/data/utils.py")
spec = importlib.util.spec_from_file_location("asreview_data_utils", path)
utils = importlib.util.module_from_spec(spec)
spec.loader.exec_module(utils)

papers = [
    ("Editorial", "", "10.1234/owls.1", "Noether, Emmy", 2019),
    ("Editorial", "", "10.1234/owls.2", "Hopper, Grace", 2021),
    ("Role of α cells in owls", "", "10.1234/owls.3", "Berg, Anna", 2020),
    ("Role of β cells in owls", "", "10.1234/owls.4", "Berg, Anna", 2020),
    ("Совы в снегу", "Мы считаем сов.", "10.1234/owls.5", "Berg, Anna", 2020),
    ("Мыши в лесу", "Мы ловим мышей.", "10.1234/owls.6", "Li, Wei", 2018),
    ("Owls in snow", "We count owls.", "10.1234/owls.7", "Li, Wei", 2018),
]
names = ("title", "abstract", "doi", "authors", "year")
records = [
    SimpleNamespace(record_id=number, **dict(zip(names, paper, strict=True))) for number, paper in enumerate(papers)
]
groups = utils.identify_record_groups(records)
print("asreview", version("asreview"))
for first, number in groups:
    print(first, papers[number])
assert [first for first, _ in groups] == [0, 0, 2, 2, 4, 4, 6], "the behaviour has changed"
PYTHON
