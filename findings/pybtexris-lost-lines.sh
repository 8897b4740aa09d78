#!/usr/bin/env bash
# pybtexris 0.2.0: an abstract ends at its first line break, and a conference paper loses its booktitle.
#
# RIS allows a value on several lines, of which the first has a tag. Structured abstracts come so.
# Guess before the run: lines without a tag are appended. T2 is the booktitle, and the year is 2020.
# Seen with pybtexris 0.2.0 and pybtex 0.26.1 on Python 3.11: the abstract's results are gone without a word.
# A conference paper has its proceedings in a field "T2", which styles don't print. The year is "2020/03/14/", though in
# RIS the year ends at the first slash.
# Undocumented, in parsers.py.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pybtexris==0.2.0 pybtex==0.26.1
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from pybtex.database import parse_string

records = """TY  - JOUR
TI  - Owls in snow
AU  - Lovelace, Ada
PY  - 2020/03/14/
AB  - Background: Owls hunt in snow.
Results: They caught nothing in 40 nights.
ER  - 

TY  - CPAPER
TI  - Bats over lakes
AU  - Hopper, Grace
T2  - Proceedings on Bats
PY  - 2021
ER  - 
"""
article, paper = parse_string(records, "ris").entries.values()
print("pybtexris", version("pybtexris"), dict(article.fields), dict(paper.fields))
assert article.fields["abstract"] == "Background: Owls hunt in snow.", "the behaviour has changed"
assert article.fields["year"] == "2020/03/14/"
assert paper.fields["T2"] == "Proceedings on Bats"
assert "booktitle" not in paper.fields
PYTHON
