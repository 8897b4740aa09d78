#!/usr/bin/env bash
# bibtexparser 1.4.4: "\lambda" is "łambda", "\le" is "łe", and "\oe" is "øe".
#
# Version 1 decodes LaTeX with `convert_to_unicode`. papis 0.16.1 and litstudy 1.0.6 read libraries with it.
# Guess before the run: letters are decoded, and formulas are decoded or kept.
# Seen with bibtexparser 1.4.4 on Python 3.11: "$p łe 0.05$" for p at most 0.05, "$łambda$", and "høe uvre".
# Braces are gone, so 10 to the power of -3 is "$10^-3$". \alpha and \beta are right.
# `homogenize_latex_encoding`, which cleans files, writes "{\l}ambda", which TeX prints as "łambda", too.
# Undocumented, in latexenc.py: commands are replaced by search, and "\l" comes before "\lambda".
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bibtexparser==1.4.4
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import bibtexparser
from bibtexparser.bparser import BibTexParser
from bibtexparser.customization import convert_to_unicode, homogenize_latex_encoding

library = r"""@article{owls,
  title = {Owls with $\lambda$, $p \le 0.05$ and $10^{-3}$, an h\oe uvre of $\alpha$-decay},
  author = {{\L}uk, Anna}}"""


def title(customization) -> str:
    parser = BibTexParser(common_strings=True)
    parser.customization = customization
    (entry,) = bibtexparser.loads(library, parser).entries
    return entry["title"]


print("bibtexparser", version("bibtexparser"))
read, cleaned = title(convert_to_unicode), title(homogenize_latex_encoding)
print(read, cleaned, sep="\n")
changed = "the behaviour has changed"
assert read == "Owls with $łambda$, $p łe 0.05$ and $10^-3$, an høe uvre of $α$-decay", changed
assert r"{\l}ambda" in cleaned, changed
PYTHON
