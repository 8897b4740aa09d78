#!/usr/bin/env bash
# @citation-js/plugin-bibtex 0.9.0: "10\^{}3" in BibTeX is read as "10undefined̂3", and "\~{}5" as "undefined̃5".
#
# pandoc and Mendeley write a "^" or "~" of a title as "\^{}" and "\~{}", since TeX takes the bare signs for commands.
# Guess before the run: both signs, in a title that pandoc wrote.
# Seen with @citation-js/core 0.9.0 on Node 20: the word "undefined" with an accent on its last letter, in the title and
# in every reference that is made from it. No error or warning. An accent on a letter is right.
# Undocumented.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" \
    @citation-js/core@0.9.0 @citation-js/plugin-bibtex@0.9.0 @citation-js/plugin-csl@0.9.0
cd "$folder"
cat >read.cjs <<'NODE'
const { Cite } = require("@citation-js/core");
require("@citation-js/plugin-bibtex");
require("@citation-js/plugin-csl");
const assert = require("node:assert");

const work = (title) => new Cite(`@article{owls, author = {Berg, Anna}, title = {${title}}, year = {2020}}`);
const expected = {
  "Flakes: 10\\^{}3": "Flakes: 10undefined\u03023",
  "Owls of {\\~{}}5 kg": "Owls of undefined\u03035 kg",
  'Owls of M{\\"u}nster': "Owls of Münster",
};
for (const [latex, seen] of Object.entries(expected)) {
  const reference = work(latex).format("bibliography").trim();
  console.log(latex, "->", reference);
  assert(reference.normalize("NFC").includes(seen.normalize("NFC")), "the behaviour has changed");
}
NODE
node read.cjs
