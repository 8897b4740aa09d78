#!/usr/bin/env bash
# Typst 0.15.0: a formula of LaTeX in a BibTeX title is read as one of Typst: beta is "b" times eta, and "\le" is "le".
#
# Titles in BibTeX have formulas in LaTeX. Typst reads BibTeX, and has its own language for formulas.
# Guess before the run: formulas are converted, or printed as they are.
# Seen with typst 0.15.0 for Python: "$\beta$" prints b and eta, "$\mu$m" prints "mu m", and "$\zeta$" z and eta, since
# "\b" is an escaped b in Typst, before "eta". "$a \le b$" prints "a l e b", "$\nu_e$" a neutrino "n u", and "$10^{-3}$"
# an exponent in braces. No error or warning. Formulas that Typst can't read stay as they are: "\gamma".
# Undocumented: the title is evaluated as a formula of Typst, and kept as text if that fails.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check typst==0.15.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import re
import unicodedata
from importlib.metadata import version
from pathlib import Path

import typst

Path("paper.typ").write_text('@owls\n#bibliography("works.bib", style: "ieee")\n', encoding="utf-8")


def title(latex: str) -> str:
    work = "@article{owls, author = {Berg, Anna}, title = {%s}, journal = {J. Owls}, year = {2020}}"
    Path("works.bib").write_text(work % latex, encoding="utf-8")
    page = typst.compile("paper.typ", format="html").decode()
    text = re.sub(r"<[^>]*>", "", page[page.index("<section") :])
    # Letters of formulas are "mathematical italic" ones.
    return unicodedata.normalize("NFKC", text.partition("“")[2].partition("”")[0].removesuffix(","))


print("typst", version("typst"))
expected = {
    r"Role of $\beta$-amyloid": "Role of bη-amyloid",
    r"Owls of 5 $\mu$m": "Owls of 5 mum",
    r"The $\zeta$ function": "The zη function",
    r"Bats if $a \le b$": "Bats if aleb",
    r"A flux of $\nu_e$": "A flux of nue",
    r"Rates of $10^{-3}$": "Rates of 10{−3}",
    r"Sources of $\gamma$ rays": r"Sources of \gamma rays",
}
for latex, seen in expected.items():
    print(latex, "->", title(latex))
    assert title(latex) == seen, "the behaviour has changed"
PYTHON
