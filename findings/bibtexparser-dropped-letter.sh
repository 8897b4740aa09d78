#!/usr/bin/env bash
# bibtexparser 2.1.0: splitting names drops a LaTeX command that stands right behind " and ".
#
# "and \O{}rsted, Hans" is how BibTeX files write Ørsted.
# Guess before the run: splitting leaves each name as it is written, and only decoding touches commands.
# Seen with bibtexparser 2.1.0 on Python 3.11: "{}rsted, Hans". The command is gone, and with it the first letter.
# Undocumented, in middlewares/names.py.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bibtexparser==2.1.0
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from bibtexparser.middlewares.names import split_multiple_persons_names

names = split_multiple_persons_names(r"Lovelace, Ada and \O{}rsted, Hans")
print("bibtexparser", version("bibtexparser"), names)
assert names == ["Lovelace, Ada", "{}rsted, Hans"], "the behaviour has changed"
PYTHON
