#!/usr/bin/env bash
# bibtexparser 1.4.4 and @citation-js/plugin-bibtex 0.7.21: García of a BibTeX file is another name than García.
#
# "Garc{\'\i}a" is how LaTeX has written the name for decades, since the accent replaces the dot of the i. ADS exports
# it so.
# Guess before the run: "García", as for other accents.
# Seen on Python 3.11 and Node 20, and with pandoc 3.9, too: a dotless i (U+0131) and a combining accent. On a screen,
# nothing is wrong. No Unicode normalisation makes it the "í" of other sources, so a search for the author, or a
# comparison with Crossref's record, finds nothing. "Jos{\'e}" is right, and bibtexparser 2.1.0 reads both right.
# Undocumented.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" \
    @citation-js/core@0.7.21 @citation-js/plugin-bibtex@0.7.21
python3 -m venv "$folder/one"
"$folder/one/bin/pip" install --quiet --disable-pip-version-check bibtexparser==1.4.4 pypandoc-binary==1.17
python3 -m venv "$folder/two"
"$folder/two/bin/pip" install --quiet --disable-pip-version-check bibtexparser==2.1.0
cd "$folder"
cat >owls.bib <<'BIB'
@article{owls, author = {Garc{\'\i}a, Jos{\'e}}, title = {Owls}, journal = {Journal of Owls}, year = {2020}}
BIB
cat >read.cjs <<'NODE'
const { Cite } = require("@citation-js/core");
require("@citation-js/plugin-bibtex");
const assert = require("node:assert");
const { readFileSync } = require("node:fs");

const [author] = new Cite(readFileSync("owls.bib", "utf8")).data[0].author;
console.log("@citation-js/plugin-bibtex", author);
assert.equal(author.family.normalize("NFKC"), "Garc\u0131\u0301a", "the behaviour has changed");
assert.equal(author.given.normalize("NFKC"), "Jos\u00e9");
NODE
node read.cjs
one/bin/python - <<'PYTHON'
import json
import unicodedata
from importlib.metadata import version
from pathlib import Path

import bibtexparser
import pypandoc
from bibtexparser.customization import convert_to_unicode

library = Path("owls.bib").read_text(encoding="utf-8")
parser = bibtexparser.bparser.BibTexParser(customization=convert_to_unicode)
read = bibtexparser.loads(library, parser).entries[0]["author"]
(paper,) = json.loads(pypandoc.convert_text(library, "csljson", format="bibtex"))
converted = "{family}, {given}".format(**paper["author"][0])
print("bibtexparser", version("bibtexparser"), ascii(read), "pandoc", pypandoc.get_pandoc_version(), ascii(converted))
for author in (read, converted):
    assert unicodedata.normalize("NFKC", author) == "Garc\u0131\u0301a, Jos\u00e9", "the behaviour has changed"
PYTHON
two/bin/python - <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

import bibtexparser
from bibtexparser.middlewares import LatexDecodingMiddleware

library = Path("owls.bib").read_text(encoding="utf-8")
(entry,) = bibtexparser.parse_string(library, append_middleware=[LatexDecodingMiddleware()]).entries
print("bibtexparser", version("bibtexparser"), ascii(entry["author"]))
assert entry["author"] == "Garc\u00eda, Jos\u00e9"
PYTHON
