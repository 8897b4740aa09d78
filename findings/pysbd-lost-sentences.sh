#!/usr/bin/env bash
# pysbd 0.3.4: sentences with the sign of the sun, or of an integral around a surface, are lost.
#
# Astronomers write masses as "3 M☉", and physicists write "∮" and "∯".
# Guess before the run: all sentences of both texts. The sign might change with clean=True.
# Seen with pysbd 0.3.4 on Python 3.11: of three sentences, the second one is left, and a lone full stop stands for each
# of the others. The sentence with "∯" is lost, and so are those with "∮" and "♭". With clean=True, 3 M☉ is "3 M?!".
# Undocumented: the rules of languages use these signs for marks inside a sentence. A sentence that isn't found in
# the text again is left out (segmenter.py).
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pysbd==0.3.4
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import pysbd

masses = "We weigh a star of 3 M☉. It is heavy. It shines with 5 L☉, and has 2 R☉."
flux = "The flux is ∯ E·dA. It is zero. Later it grows."
segmenter = pysbd.Segmenter(language="en", clean=False)
cleaner = pysbd.Segmenter(language="en", clean=True)
print("pysbd", version("pysbd"))
for text in (masses, flux):
    print(text, segmenter.segment(text), cleaner.segment(text), sep="\n  ")
changed = "the behaviour has changed"
assert segmenter.segment(masses) == [". ", "It is heavy. ", "."], changed
assert segmenter.segment(flux) == ["It is zero. ", "Later it grows."], changed
assert cleaner.segment(masses)[0] == "We weigh a star of 3 M?!", changed
for sign in "∮♭":
    assert segmenter.segment(f"One {sign} here. Two.") == ["Two."], sign
plain = "We weigh a star of 3 suns. It is heavy."
assert "".join(segmenter.segment(plain)) == plain
PYTHON
