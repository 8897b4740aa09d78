#!/usr/bin/env bash
# @citation-js/plugin-bibtex 0.9.0: in the BibTeX that it writes, "≠" is "=", and 10 to the power of 3 is 103.
#
# Crossref's titles have such signs. The plugin turns letters with accents and many signs into LaTeX's commands.
# Guess before the run: the title comes back whole when the plugin reads its BibTeX, and so it does in pandoc.
# Seen with @citation-js/core 0.9.0 on Node 20: "x ≠ y" is "x = y", and "10³" is "103". "≤" and "≥" are gone, and so
# is each letter of a title in Cyrillic. pandoc 3.9 reads its "\textminus{}5 \textdegree{}C" as 5 °C, without the minus,
# and 5 × 3 as "5 3". No error or warning.
# The README says of the option `asciiOnly`, which is the default, "Escape or remove non-ASCII characters". That a sign
# gets another meaning is undocumented. lib/output/value.js decomposes a text (NFKD), and drops what it has no name for.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" @citation-js/core@0.9.0 @citation-js/plugin-bibtex@0.9.0
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17
cd "$folder"
cat >write.cjs <<'NODE'
const { Cite } = require("@citation-js/core");
require("@citation-js/plugin-bibtex");
const assert = require("node:assert");
const fs = require("node:fs");

const expected = {
  "Owls hunt if x ≠ y": "Owls hunt if x = y",
  "A rate of 10³ mice": "A rate of 103 mice",
  "Snow if p ≤ 0.05": "Snow if p 0.05",
  "Совы": "",
};
for (const [title, seen] of Object.entries(expected)) {
  const bibtex = new Cite({ id: "owls", type: "book", title }).format("bibtex");
  const [back] = new Cite(bibtex).data;
  console.log(`${title} -> ${back.title ?? ""}`);
  assert.equal(back.title ?? "", seen, "the behaviour has changed");
}
const cold = new Cite({ id: "owls", type: "book", title: "Owls at −5 °C and 5 × 3 mice" });
fs.writeFileSync("cold.bib", cold.format("bibtex"));
assert.equal(new Cite(cold.format("bibtex")).data[0].title, "Owls at −5 °C and 5 × 3 mice");
NODE
node write.cjs
"$folder/venv/bin/python" - <<'PYTHON'
import json
from pathlib import Path

import pypandoc

print("pandoc", pypandoc.get_pandoc_version(), Path("cold.bib").read_text(encoding="utf-8"))
(work,) = json.loads(pypandoc.convert_file("cold.bib", "csljson", format="bibtex"))
print(work["title"])
assert work["title"] == "Owls at 5 °C and 5  3 mice", "the behaviour has changed"
PYTHON
