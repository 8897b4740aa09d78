#!/usr/bin/env bash
# unicodeit 0.7.5: "\left(" is "≤ft(", "\log n" is "łog n", and "\inf" is "∈f".
#
# Titles and abstracts of arXiv have formulas such as O(n \log n). In TeX, a command ends before the first sign that is
# no letter.
# Guess before the run: commands that it doesn't have a sign for stay as they are.
# Seen with unicodeit 0.7.5 on Python 3.11: the beginning of a longer command is replaced. \lim is "łim", \pmod "±od",
# \Pr is "¶r", \operatorname is "øperatorname", and \negthinspace is "¬thinspace". \sin and \max stay, and \leq, \infty
# and exponents are right.
# Undocumented, in replace.py: names are replaced as substrings, and only some longer ones come first.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check unicodeit==0.7.5
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import unicodeit

print("unicodeit", version("unicodeit"))
expected = {
    r"Owls in O(n \log n)": "Owls in O(n łog n)",
    r"\left( x \right)": r"≤ft( x \right)",
    r"\inf f(x)": "∈f f(x)",
    r"\lim x": "łim x",
    r"a \pmod 5": "a ±od 5",
    r"\Pr(x)": "¶r(x)",
    r"\operatorname{tr}": "øperatorname{tr}",
    r"\sin x": r"\sin x",
    r"p \leq 10^{-3}": "p ≤ 10⁻³",
}
for latex, seen in expected.items():
    print(latex, "->", unicodeit.replace(latex))
    assert unicodeit.replace(latex) == seen, "the behaviour has changed"
PYTHON
