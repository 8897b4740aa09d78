#!/usr/bin/env bash
# fastfeedparser 0.6.5: a title in XHTML is empty.
#
# Atom allows a title of type "xhtml". Journals need it for species in italics and for formulas.
# Guess before the run: the text of the title, "Growth of E. coli in CO2".
# Seen with fastfeedparser 0.6.5 on Python 3.11: "". No error, and the content, also in XHTML, is read.
# Undocumented, in main.py.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check fastfeedparser==0.6.5
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import fastfeedparser

feed = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Cells</title><id>urn:cells</id>
<updated>2026-03-01T00:00:00Z</updated>
<entry><id>urn:1</id><updated>2026-03-01T00:00:00Z</updated><link href="https://example.org/1"/>
<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Growth of <i>E. coli</i> in CO<sub>2</sub></div></title>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>We grow <i>E. coli</i>.</p></div></content></entry>
</feed>"""
(entry,) = fastfeedparser.parse(feed).entries
print("fastfeedparser", version("fastfeedparser"), repr(entry["title"]), repr(entry["description"]))
assert entry["title"] == "", "the behaviour has changed"
assert "coli" in entry["description"]
PYTHON
