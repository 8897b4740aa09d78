#!/usr/bin/env bash
# Typst 0.15.0: pages "12--19, 25--30" of BibTeX are "12–1925–30", and theses and preprints lose where they are from.
#
# BibTeX allows lists of pages. A thesis has its university in "school", or in biblatex's "institution", and a preprint
# has its number in "eprint".
# Guess before the run: page lists as they are, the university, and the number of arXiv.
# Seen with typst 0.15.0 for Python, in IEEE, APA and Chicago: pages "12, 15" are page 1215. A thesis has no university,
# a report no institution, and a preprint no number: "A. Berg, “Owls.” 2020." No error or warning. A single range is
# right, and so is a publisher.
# Undocumented. The pages are parsed as a list of ranges, which is printed without a separator.
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
from importlib.metadata import version
from pathlib import Path

import typst

WORKS = r"""
@article{list, author = {Berg, Anna}, title = {Owls}, journal = {J. Owls}, year = {2020}, pages = {12--19, 25--30}}
@article{two, author = {Berg, Anna}, title = {Bats}, journal = {J. Owls}, year = {2020}, pages = {12, 15}}
@article{range, author = {Berg, Anna}, title = {Mice}, journal = {J. Owls}, year = {2020}, pages = {31--39}}
@phdthesis{school, author = {Berg, Anna}, title = {Crows}, school = {University of Snow}, year = {2020}}
@thesis{ice, author = {Berg, Anna}, title = {Hens}, type = {phdthesis}, institution = {University of Ice}, year = 2020}
@techreport{report, author = {Berg, Anna}, title = {Ducks}, institution = {Institute of Rain}, year = {2020}}
@misc{arxiv, author = {Berg, Anna}, title = {Geese}, eprint = {2001.01234}, archiveprefix = {arXiv}, year = {2020}}
@book{book, author = {Berg, Anna}, title = {Rooks}, publisher = {Owl Press}, year = {2020}}
"""
Path("works.bib").write_text(WORKS, encoding="utf-8")
cited = " ".join(f"@{key}" for key in re.findall(r"\{(\w+), author", WORKS))
print("typst", version("typst"))
for style in ("ieee", "apa", "chicago-author-date"):
    Path("paper.typ").write_text(f'{cited}\n#bibliography("works.bib", style: "{style}")\n', encoding="utf-8")
    page = typst.compile("paper.typ", format="html").decode()
    text = re.sub(r"<[^>]*>", "", page[page.index("<section") :])
    print(style, text)
    assert "12–1925–30" in text and "1215" in text, "the behaviour has changed"
    assert "31–39" in text and "Owl Press" in text
    lost = ("University of Snow", "University of Ice", "Institute of Rain", "2001.01234")
    assert not any(place in text for place in lost), "the behaviour has changed"
PYTHON
