#!/usr/bin/env bash
# pandoc 3.9: a date of RIS with more than a year is lost, and so are abstracts in N2.
#
# RIS defines its dates as "YYYY/MM/DD/other info", and two tags of an abstract, AB and N2. EndNote, RefMan and many
# publishers write them so.
# Guess before the run: dates and abstracts of all records.
# Seen with pandoc 3.9 of pypandoc-binary 1.17: the date parts of "2019/05/12/" in PY or Y1 are empty, and no date is
# read from DA. citeproc prints "n.d.", and BibTeX has no year. No warning. Abstracts in N2 are gone. A plain year and
# AB are read.
# Undocumented, in Readers/RIS.hs: a date is a number or a text, and the text doesn't reach CSL JSON.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17
"$folder/venv/bin/python" - <<'PYTHON'
import json

import pypandoc

library = """TY  - JOUR
TI  - Owls in snow
AU  - Lovelace, Ada
JO  - Journal of Owls
Y1  - 2019/05/12/
N2  - Owls hunt in snow.
ER  - 
TY  - JOUR
TI  - Bats in snow
AU  - Hopper, Grace
JO  - Journal of Bats
PY  - 2019/05/12/
AB  - Bats hunt in snow.
ER  - 
TY  - JOUR
TI  - Mice in snow
AU  - Noether, Emmy
JO  - Journal of Mice
DA  - 2019/05/12/
AB  - Mice hunt in snow.
ER  - 
TY  - JOUR
TI  - Crows in snow
AU  - Franklin, Rosalind
JO  - Journal of Crows
PY  - 2019
AB  - Crows hunt in snow.
ER  - 
"""
print("pandoc", pypandoc.get_pandoc_version())
papers = {paper["title"]: paper for paper in json.loads(pypandoc.convert_text(library, "csljson", format="ris"))}
for paper in papers.values():
    print(paper["title"], paper.get("issued"), paper.get("abstract"))
text = pypandoc.convert_text(library, "plain", format="ris", extra_args=["--citeproc"])
bibtex = pypandoc.convert_text(library, "bibtex", format="ris")
print(text)
assert papers["Owls in snow"]["issued"] == papers["Bats in snow"]["issued"] == {"date-parts": []}, "it has changed"
assert "issued" not in papers["Mice in snow"]
assert "abstract" not in papers["Owls in snow"]
assert papers["Crows in snow"]["issued"] == {"date-parts": [[2019]]}
assert text.count("n.d.") == 3
assert bibtex.count("year = ") == 1
PYTHON
