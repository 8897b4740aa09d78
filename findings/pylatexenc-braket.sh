#!/usr/bin/env bash
# pylatexenc 2.11: \braket{...} takes what follows it for a second argument.
#
# The LaTeX package braket defines \braket with one argument: \braket{0|1}.
# Guess before the run: "⟨0|1⟩ = 0".
# Seen with pylatexenc 2.11 on Python 3.11: "⟨0|1|=⟩0". latexwalker's table gives the macro two arguments, and where no
# group follows, the next sign is the second one.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pylatexenc==2.11
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from pylatexenc.latex2text import LatexNodes2Text

seen = "".join(LatexNodes2Text().latex_to_text(r"$\braket{0|1} = 0$").split())
print("pylatexenc", version("pylatexenc"), repr(seen))
assert seen == "⟨0|1|=⟩0", "the behaviour has changed"
PYTHON
