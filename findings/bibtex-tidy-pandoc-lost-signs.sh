#!/usr/bin/env bash
# bibtex-tidy 1.14.0 and pandoc 3.9: "x ≠ y" becomes "x = y", "p ≥ 5" becomes "p 5", and micrometres become metres.
#
# bibtex-tidy escapes signs in a library, unless told otherwise. pandoc reads the library for a paper.
# Guess before the run: the signs of a title come back the same.
# Seen with bibtex-tidy 1.14.0 on Node 20 and pandoc 3.9 of pypandoc-binary 1.17: bibtex-tidy writes "\geq{}", "\pm{}"
# and "\mathrm{\mu}m" into text, though LaTeX has them in formulas only. pandoc drops them without a warning. "\not ="
# is "=". Arrows, "≈" and "∞" are gone, too. Before bibtex-tidy, pandoc reads all of them right.
# The README says "Escape special characters, such as umlaut. This ensures correct typesetting with latex". That these
# commands need a formula is undocumented.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" bibtex-tidy@1.14.0
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17
cd "$folder"
cat >before.bib <<'BIB'
@article{owls, author = {Berg, Anna}, title = {{Owls if x ≠ y, p ≥ 5, 3 ± 1 and x → y, of 10 µm and ≈ 5 mice}}}
BIB
cp before.bib after.bib
node_modules/.bin/bibtex-tidy after.bib --modify --quiet
cat after.bib
"$folder/venv/bin/python" - <<'PYTHON'
import json
from pathlib import Path

import pypandoc


def title(name: str) -> str:
    (work,) = json.loads(pypandoc.convert_file(name, "csljson", format="bibtex"))
    return " ".join(work["title"].split())


print("pandoc", pypandoc.get_pandoc_version(), title("before.bib"), title("after.bib"), sep="\n")
changed = "the behaviour has changed"
assert title("before.bib") == "Owls if x ≠ y, p ≥ 5, 3 ± 1 and x → y, of 10 µm and ≈ 5 mice"
assert r"p \geq{} 5" in Path("after.bib").read_text(encoding="utf-8"), changed
assert title("after.bib") == "Owls if x = y, p 5, 3 1 and x y, of 10 m and 5 mice", changed
PYTHON
