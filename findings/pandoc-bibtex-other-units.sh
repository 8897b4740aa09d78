#!/usr/bin/env bash
# pandoc 3.9: in the BibTeX that it writes, 5 mm is "5 Mm", and a double issue has no date when it is read again.
#
# It turns CSL JSON, Zotero's and Crossref's format, into BibTeX. Titles of BibTeX are in title case.
# Guess before the run: title and date come back the same, in pandoc and in citation-js.
# Seen with pandoc 3.9 of pypandoc-binary 1.17: small letters at the beginning of a word become capitals, so millimetres
# are megametres, milligrams megagrams, and the micro sign is a capital Greek letter that looks like M. citation-js
# 0.9.0 reads them so. March to May of 2020 is "year = {2020--2020}", which pandoc reads as no date: "n.d.". No warning.
# Undocumented for units. BibLaTeX has the date right.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" @citation-js/core@0.9.0 @citation-js/plugin-bibtex@0.9.0
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import json
from pathlib import Path

import pypandoc

work = {
    "id": "owls",
    "type": "article-journal",
    "title": "Owls of 5 mm, 5 mg and 5 µm",
    "author": [{"family": "Berg", "given": "Anna"}],
    "container-title": "J. Owls",
    "issued": {"date-parts": [[2020, 3], [2020, 5]]},
}
bibtex = pypandoc.convert_text(json.dumps([work]), "bibtex", format="csljson")
Path("owls.bib").write_text(bibtex, encoding="utf-8")
text = pypandoc.convert_text(bibtex, "plain", format="bibtex", extra_args=["--citeproc", "--wrap=none"])
biblatex = pypandoc.convert_text(json.dumps([work]), "biblatex", format="csljson")
print("pandoc", pypandoc.get_pandoc_version(), bibtex, text, sep="\n")
changed = "the behaviour has changed"
assert "5 Mm, 5 Mg and 5 \u039cm" in bibtex, changed
assert "2020--2020" in bibtex and "n.d." in text, changed
assert "2020-03/2020-05" in biblatex
PYTHON
cat >read.cjs <<'NODE'
const { Cite } = require("@citation-js/core");
require("@citation-js/plugin-bibtex");
const assert = require("node:assert");

const [work] = new Cite(require("node:fs").readFileSync("owls.bib", "utf8")).data;
console.log("citation-js", work.title);
assert.equal(work.title, "Owls of 5 Mm, 5 Mg and 5 \u039cm", "the behaviour has changed");
NODE
node read.cjs
