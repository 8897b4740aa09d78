#!/usr/bin/env bash
# readability-lxml 0.9: of an arXiv paper in HTML, short sections are gone, or all but the longest one.
#
# arXiv's HTML, made by LaTeXML, has an <article> with a <div> for the abstract and a <section> for each part.
# Guess before the run: the abstract and all sections.
# Seen with readability-lxml 0.9 on Python 3.11: if the results have 12 paragraphs, they and the abstract are left, and
# introduction, methods and discussion with one or two are gone. Of a paper with one paragraph in each section, the
# abstract alone is left. Nothing tells that parts are missing. Sections of the same length, eight paragraphs, are
# whole.
# Undocumented: the README says "extract and clean up the main body text". Each part has a score, and parts with much
# less than the best one are left out.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check lxml==6.1.3 lxml-html-clean==0.4.6
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check readability-lxml==0.9
"$folder/venv/bin/python" - <<'PYTHON'
import re
from importlib.metadata import version

from readability import Document

SENTENCE = "Owls live in forests, hunt in snow, and count flakes, as the {part} says, with care and with patience. "


def parts_of_summary(**paragraphs: int) -> list[str]:
    """Return the parts that are left, for a paper with so many paragraphs in each."""
    sections = "".join(
        f'<section class="ltx_section"><h2 class="ltx_title">{part}</h2>'
        + f'<div class="ltx_para"><p class="ltx_p">{SENTENCE.format(part=part) * 3}</p></div>' * number
        + "</section>"
        for part, number in paragraphs.items()
    )
    abstract = f'<div class="ltx_abstract"><p class="ltx_p">{SENTENCE.format(part="abstract") * 3}</p></div>'
    page = f"""<html><head><title>Owls in snow</title></head><body><div class="ltx_page_main">
<div class="ltx_page_content"><article class="ltx_document"><h1 class="ltx_title">Owls in snow</h1>{abstract}{sections}
</article></div></div></body></html>"""
    summary = Document(page).summary()
    return [part for part in ("abstract", *paragraphs) if re.search(rf"the {part} says", summary)]


print("readability-lxml", version("readability-lxml"))
long = parts_of_summary(introduction=2, methods=2, results=12, discussion=1)
even = parts_of_summary(introduction=8, methods=8, results=8, discussion=8)
short = parts_of_summary(introduction=1, results=1)
print(long, even, short)
changed = "the behaviour has changed"
assert long == ["abstract", "results"], changed
assert short == ["abstract"], changed
assert even == ["abstract", "introduction", "methods", "results", "discussion"], changed
PYTHON
