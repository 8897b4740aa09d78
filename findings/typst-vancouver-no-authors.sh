#!/usr/bin/env bash
# Typst 0.15.0: references in Vancouver style have no authors.
#
# "vancouver" is one of the styles that Typst brings. Journals of medicine ask for it, and it names up to six authors.
# Guess before the run: "1. Berg A, Noether E. Owls in snow. J Owls. 2020;3:1–9."
# Seen with typst 0.15.0 for Python: "1. Owls in snow. J Owls. 2020 ;3:1–9." No warning. "vancouver-superscript" and
# "nlm-citation-sequence" do the same. The variants "springer-vancouver" and "elsevier-vancouver" name both authors.
# Undocumented.
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

Path("works.bib").write_text(
    """@article{owls, author = {Berg, Anna and Noether, Emmy}, title = {Owls in snow}, journal = {J. Owls},
  year = {2020}, volume = {3}, pages = {1--9}}
@book{mice, author = {Curie, Marie}, title = {Mice}, publisher = {Owl Press}, year = {2019}}
""",
    encoding="utf-8",
)


def references(style: str) -> str:
    Path("paper.typ").write_text(f'@owls @mice\n#bibliography("works.bib", style: "{style}")\n', encoding="utf-8")
    page = typst.compile("paper.typ", format="html").decode()
    return re.sub(r"<[^>]*>", "", page[page.index("<section") :])


print("typst", version("typst"))
for style in ("vancouver", "vancouver-superscript", "nlm-citation-sequence"):
    text = references(style)
    print(style, text)
    assert "Owls in snow" in text and "Mice" in text
    assert not any(name in text for name in ("Berg", "Noether", "Curie")), "the behaviour has changed"
for style in ("springer-vancouver", "elsevier-vancouver"):
    assert "Berg A, Noether E. Owls in snow." in references(style)
PYTHON
