#!/usr/bin/env bash
# trafilatura 2.3.1: a paper by Anna Berg and Emmy Noether has four authors: Berg, Anna, Noether and Emmy.
#
# Pages of papers name authors as Google Scholar wants: a <meta name="citation_author"> with "Family, Given" for each.
# Guess before the run: "Berg, Anna; Noether, Emmy".
# Seen with trafilatura 2.3.1 on Python 3.11: "Berg; Anna; Noether; Emmy". A lone author is two. With "dc.creator", it
# is the same. Initials lose their dot: "Berg; A". Names as "Anna Berg" are right.
# Undocumented: names are split at commas (json_metadata.py), as news list authors in one tag.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check lxml==6.1.3 lxml-html-clean==0.4.3
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trafilatura==2.3.1
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import trafilatura


def authors(*names: str, tag: str = "citation_author") -> str:
    tags = "".join(f'<meta name="{tag}" content="{name}">' for name in names)
    text = "Owls hunt mice in the snow of long winters. " * 12
    page = f"<html><head><title>Owls in snow</title>{tags}</head><body><article><p>{text}</p></article></body></html>"
    return trafilatura.bare_extraction(page, with_metadata=True).as_dict()["author"]


print("trafilatura", version("trafilatura"), authors("Berg, Anna", "Noether, Emmy"), authors("Berg, A."))
changed = "the behaviour has changed"
assert authors("Berg, Anna", "Noether, Emmy") == "Berg; Anna; Noether; Emmy", changed
assert authors("Berg, Anna", "Noether, Emmy", tag="dc.creator") == "Berg; Anna; Noether; Emmy", changed
assert authors("Berg, A.") == "Berg; A", changed
assert authors("Anna Berg", "Emmy Noether") == "Anna Berg; Emmy Noether"
PYTHON
