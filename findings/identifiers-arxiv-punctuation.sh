#!/usr/bin/env bash
# identifiers-arxiv 0.1.1: identifiers of arXiv before a full stop, a comma or a bracket are not found.
#
# In abstracts, references and mails, most of them stand at the end of a sentence, in a list or in brackets.
# Guess before the run: all identifiers of a sentence are found, old and new ones.
# Seen with identifiers-arxiv 0.1.1 on Node 20: of six in a text, only the one with blanks on both sides. Nothing tells
# that others were left out. The address of a PDF has none, either.
# Undocumented: the README says "extract", and its examples end at line breaks. In lib/arxiv.js, an identifier must end
# at a blank or the end of the text.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" identifiers-arxiv@0.1.1
cd "$folder"
cat >read.cjs <<'NODE'
const arxiv = require("identifiers-arxiv");
const assert = require("node:assert");

const text = `We follow arXiv:2101.00123v2, hep-th/9901001, and (arXiv:0704.0001). Code of arXiv:1501.00001 is used.
The paper is https://arxiv.org/pdf/1501.00002.pdf, and a sequel is arXiv:1501.00003.`;
const found = arxiv.extract(text);
console.log(found);
assert.deepEqual(found, ["1501.00001"], "the behaviour has changed");
NODE
node read.cjs
