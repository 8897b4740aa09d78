#!/usr/bin/env bash
# pandoc 3.9: letters of names in BibTeX are lost, and so are words in \mbox: Đurić is "urić", and Þór is "ór".
#
# BibTeX files write Croatian, Vietnamese, Icelandic and Sami letters as {\DJ}, {\dj}, {\TH}, {\th}, {\DH} and {\NG}.
# \mbox{SARS-CoV-2} protects a word.
# Guess before the run: all letters and words.
# Seen with pandoc 3.9 of pypandoc-binary 1.17: these six letters are gone, and so are \mbox with its words,
# \texttimes, \textpm and \textminus, so 10 to the power of -3 is 10 to the power of 3, and 5 × 3 is "5 3". citeproc
# prints the names so. No warning. Accents, {\O} and {\L} are right.
# Undocumented for BibTeX: its fields are read by the reader for LaTeX, which skips unknown commands.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17
"$folder/venv/bin/python" - <<'PYTHON'
import json

import pypandoc

library = r"""@article{owls,
  author = {{\DJ}uri{\'c}, Ana and {\TH}{\'o}r, J{\'o}n and Ho{\dj}a, Eva and Gu{\dh}, Una and {\L}u{\'s}, {\O}rn},
  title = {{Uptake of \mbox{SARS-CoV-2} in owls at 10\textsuperscript{\textminus{}3} and 5 \texttimes{} 3}},
  journal = {J. Owls}, year = {2020}}
"""
(work,) = json.loads(pypandoc.convert_text(library, "csljson", format="bibtex"))
families = [author["family"] for author in work["author"]]
text = pypandoc.convert_text(library, "plain", format="bibtex", extra_args=["--citeproc", "--wrap=none"])
print("pandoc", pypandoc.get_pandoc_version(), families, work["title"], text, sep="\n")
changed = "the behaviour has changed"
assert families == ["urić", "ór", "Hoa", "Gu", "Łuś"], changed
assert work["title"] == "Uptake of  in owls at 10<sup>3</sup> and 5  3", changed
assert "urić, Ana" in text, changed
PYTHON
