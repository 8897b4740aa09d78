#!/usr/bin/env bash
# deduplicate-it 1.2.0: BibTeX titles with two levels of braces are lost or cut, and so are years without braces.
#
# ADS and many others write year = 2020, and brace a formula or an accent inside a braced title.
# Guess before the run: the RIS that it writes has whole fields, with braces removed and accents decoded.
# Seen with deduplicate-it 1.2.0 on Python 3.11: no TI for "Rates of {$10^{-3}$} in owls", "{Owls of the {H{\" for a
# title in quotation marks with an accent, and no PY for year = 2020. The program reports no problem. Of an abstract in
# RIS, the first line is left. A record without a title is never a duplicate, so its twin stays, too.
# Undocumented: the README lists BibTeX and RIS among the formats that it reads.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deduplicate-it==1.2.0
mkdir "$folder/source"
cat > "$folder/source/owls.bib" <<'BIBTEX'
@article{plain,
  author = {Lovelace, Ada}, title = {The {DNA} of owls}, year = {2020}, doi = {10.1000/owls.1},
}

@article{formula,
  author = {Lovelace, Ada}, title = {Rates of {$10^{-3}$} in owls}, year = {2020}, doi = {10.1000/owls.2},
}

@article{accent,
  author = {Noether, Emmy}, title = "{Owls of the {H{\"o}lle} valley}", year = 2020, doi = {10.1000/owls.3},
}
BIBTEX
cat > "$folder/source/owls.ris" <<'RIS'
TY  - JOUR
TI  - Owls in snow
AU  - Hopper, Grace
PY  - 2021
DO  - 10.1000/owls.4
AB  - Background: Owls hunt in snow.
Results: They caught nothing in 40 nights.
ER  - 
RIS
"$folder/venv/bin/deduplicate-it" --source "$folder/source" --outdir "$folder/out" > "$folder/log"
FOLDER="$folder" "$folder/venv/bin/python" - <<'PYTHON'
import os
from importlib.metadata import version
from pathlib import Path

records = {}
for part in Path(os.environ["FOLDER"], "out", "deduplicated.ris").read_text().split("ER  -"):
    fields = dict(line.split("  - ", 1) for line in part.splitlines() if "  - " in line)
    if fields:
        records[fields["DO"]] = fields
print("deduplicate-it", version("deduplicate-it"), records)
assert records["10.1000/owls.1"]["TI"] == "The {DNA} of owls"
assert "TI" not in records["10.1000/owls.2"], "the behaviour has changed"
assert records["10.1000/owls.3"]["TI"] == "{Owls of the {H{\\"
assert "PY" not in records["10.1000/owls.3"]
assert records["10.1000/owls.4"]["AB"] == "Background: Owls hunt in snow."
PYTHON
