#!/usr/bin/env bash
# biblatex-csl-converter 3.6.0: pages 100-110 of RIS, PubMed and EndNote are page 100110.
#
# Guess before the run: pages 100-110 from each of the three formats, and the whole abstract.
# Seen with biblatex-csl-converter 3.6.0 on Node 20: "100110" in the CSL JSON and in the BibLaTeX that it writes.
# PubMed's "100-10" is page 10010. From BibLaTeX, the range is right. An abstract of RIS ends at its first line break,
# so the results are gone. A date "2019/05//", as RIS defines it, is missing in the CSL JSON. No errors or warnings.
# Undocumented, in src/import/ris.ts: both numbers stand in one list, where a range has a list for each.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" biblatex-csl-converter@3.6.0
cd "$folder"
cat >read.mjs <<'NODE'
import * as converter from "biblatex-csl-converter";
import assert from "node:assert";

const ris = `TY  - JOUR
TI  - Owls in snow
AU  - Lovelace, Ada
JO  - Journal of Owls
PY  - 2019/05//
SP  - 100
EP  - 110
AB  - Background: Owls hunt in snow.
Results: They caught nothing in 40 nights.
ER  - 
`;
const pubmed = `
PMID- 30000001
DP  - 2019 May
TI  - Owls in snow.
PG  - 100-10
FAU - Lovelace, Ada
JT  - Journal of owls
`;
const endnote = `%0 Journal Article
%A Lovelace, Ada
%T Owls in snow
%J Journal of Owls
%D 2019
%P 100-110
`;
const bibtex = "@article{a, author={Lovelace, Ada}, title={Owls in snow}, pages={100--110}, year={2019}}";
const seen = {};
for (const [parser, text] of [
  [converter.RISParser, ris],
  [converter.NBIBParser, pubmed],
  [converter.ENWParser, endnote],
  [converter.BibLatexParser, bibtex],
]) {
  const read = new parser(text, {}).parse();
  const entries = read.entries ?? read;
  const [paper] = Object.values(new converter.CSLExporter(entries).parse());
  seen[parser.name] = { page: paper.page, issued: paper.issued, abstract: paper.abstract };
  console.log(parser.name, seen[parser.name], read.errors, read.warnings);
  assert.deepEqual([read.errors, read.warnings], [[], []]);
  seen[parser.name].written = new converter.BibLatexExporter(entries).parse();
}
const changed = "the behaviour has changed";
assert.equal(seen.RISParser.page, "100110", changed);
assert(seen.RISParser.written.includes("pages = {100110}"), changed);
assert.equal(seen.RISParser.abstract, "Background: Owls hunt in snow.", changed);
assert.equal(seen.RISParser.issued, undefined, changed);
assert.equal(seen.NBIBParser.page, "10010", changed);
assert.equal(seen.ENWParser.page, "100110", changed);
assert.equal(seen.BibLatexParser.page, "100-110", changed);
NODE
node read.mjs
