#!/usr/bin/env bash
# biblatex-csl-converter 3.6.0 and astrocite-bibtex 0.16.4: numbers of a formula in BibTeX lose their signs.
#
# Titles and abstracts of astronomers and physicists have "$5.2\pm0.1$". In TeX, a command ends at the first sign that
# is no letter.
# Guess before the run: formulas are decoded, or kept as they are.
# Seen on Node 20: "5.2.1" for 5.2 plus or minus 0.1, "3<sup>8</sup>" for 3 times 10 to the power of 8, and "redshift z"
# for z at least 5, without errors or warnings. With a blank behind the command, most are right, but \times is lost.
# astrocite-bibtex has "5.20.1" and "310[object Object]". @retorquere/bibtex-parser 9.0.29 reads all of them.
# Undocumented: both drop commands that they don't know, and the first one drops what follows with them.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" \
    biblatex-csl-converter@3.6.0 astrocite-bibtex@0.16.4 @retorquere/bibtex-parser@9.0.29
cd "$folder"
cat >read.mjs <<'NODE'
import { parse as readAstrocite } from "astrocite-bibtex";
import { BibLatexParser, CSLExporter } from "biblatex-csl-converter";
import { parse as readRetorquere } from "@retorquere/bibtex-parser";
import assert from "node:assert";

const library = String.raw`@article{noether2020,
  author = {Noether, Emmy},
  title = {A mass of $5.2\pm0.1$ kg at redshift $z\geq5$ from $3\times10^{8}$ owls},
  year = {2020}
}`;
const read = new BibLatexParser(library).parse();
const [converted] = Object.values(new CSLExporter(read.entries).parse());
const [astrocite] = readAstrocite(library);
const [entry] = readRetorquere(library).entries;
console.log("biblatex-csl-converter", converted.title, read.errors, read.warnings);
console.log("astrocite-bibtex", astrocite.title);
console.log("@retorquere/bibtex-parser", entry.fields.title);
const changed = "the behaviour has changed";
assert.equal(converted.title, "A mass of 5.2.1 kg at redshift z from 3<sup>8</sup> owls", changed);
assert.deepEqual([read.errors, read.warnings], [[], []], changed);
assert.equal(astrocite.title, "A mass of 5.20.1 kg at redshift z5 from 310[object Object] owls", changed);
assert(entry.fields.title.includes("5.2±0.1 kg") && entry.fields.title.includes("3×10⁸"), changed);
NODE
node read.mjs
