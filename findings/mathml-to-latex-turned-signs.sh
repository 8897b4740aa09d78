#!/usr/bin/env bash
# mathml-to-latex 1.8.0: signs get another meaning: "⋊" becomes "⋉", and "≨" becomes "not less or equal".
#
# Journals and arXiv's HTML have formulas in MathML, and converters to Markdown use this package for them.
# Guess before the run: each sign becomes a command that KaTeX reads as the same sign.
# Seen with mathml-to-latex 1.8.0 on Node 20: both semidirect products are swapped. "Less than but not equal" becomes
# "\nleqslant", which means greater, and "does not precede" becomes "precedes or equals". "≲" is "\leq", "∌" is
# "not an element of", "∓" is "+-", and "≉" is "\approx /". <ms> is empty. "≤", "≪" and isotopes are right.
# Undocumented, in the package's table of operators.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" mathml-to-latex@1.8.0
cd "$folder"
cat >convert.cjs <<'NODE'
const { MathMLToLaTeX } = require("mathml-to-latex");
const assert = require("node:assert");

const convert = (content) => MathMLToLaTeX.convert(`<math>${content}</math>`);
const relation = (sign) => convert(`<mi>x</mi><mo>${sign}</mo><mi>y</mi>`);
const expected = {
  "⋊": "\\ltimes",
  "⋉": "\\rtimes",
  "≨": "\\nleqslant",
  "≩": "\\ngeqslant",
  "⊀": "\\preceq",
  "≲": "\\leq",
  "∌": "\\not\\in",
  "∓": "+-",
  "≉": "\\approx /",
};
for (const [sign, seen] of Object.entries(expected)) {
  console.log(sign, relation(sign));
  assert.equal(relation(sign), `x ${seen} y`, "the behaviour has changed");
}
assert.equal(convert("<ms>owl</ms>"), "", "the behaviour has changed");
assert.equal(relation("≤"), "x \\leq y");
assert.equal(convert("<mmultiscripts><mi>C</mi><mprescripts/><none/><mn>13</mn></mmultiscripts>"), "{}^{13}C");
NODE
node convert.cjs
