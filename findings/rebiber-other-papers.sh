#!/usr/bin/env bash
# rebiber 1.1.3: "Findings of the owl task 2018" is replaced by the paper on the task of 2019, under the same key.
#
# It replaces entries of preprints by the official ones of conferences, which it finds by title.
# Guess before the run: another paper with the title of an official one stays, since its authors and year differ.
# Seen with rebiber 1.1.3 on Python 3.11: it gets the authors, year and pages of the official one. Of titles, only the
# letters a to z count, so the tasks of 2018 and 2019 are one paper, and so are models of versions 2 and 3. A line of an
# abstract with a "=" is dropped. The log says "Converted", as for a preprint.
# Undocumented: the README speaks of "arXiv versions". normalize_title in bib2json.py keeps letters only.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rebiber==1.1.3 bibtexparser==1.4.4
cd "$folder"
cat >official.bib <<'BIB'
@inproceedings{owls-2019,
  title = {Findings of the Owl Task 2019},
  author = {Berg, Anna and Noether, Emmy},
  booktitle = {Proceedings on Owls},
  pages = {1--9},
  year = {2019}
}

@inproceedings{snow-2020,
  title = {Snow},
  author = {Li, Wei},
  booktitle = {Proceedings on Owls},
  pages = {11--19},
  year = {2020}
}

BIB
cat >library.bib <<'BIB'
@inproceedings{task,
  title = {Findings of the Owl Task 2018},
  author = {Curie, Marie},
  booktitle = {Proceedings on Owls},
  pages = {31--39},
  year = {2018}
}

@article{snow,
  title = {Snow},
  author = {Hopper, Grace},
  journal = {Journal of Rain},
  year = {1999}
}

@article{mice,
  title = {Mice in rain},
  author = {Hopper, Grace},
  abstract = {We watch mice in rain,
    where n = k holds, and
    count them.},
  journal = {Journal of Rain},
  year = {1998}
}

BIB
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

import bibtexparser
from rebiber.bib2json import build_json, load_bib_file
from rebiber.normalize import normalize_bib

print("rebiber", version("rebiber"))
normalize_bib(build_json(load_bib_file("official.bib")), load_bib_file("library.bib"), "new.bib")
new = Path("new.bib").read_text(encoding="utf-8")
print(new)
works = bibtexparser.loads(new).entries_dict
changed = "the behaviour has changed"
assert works["task"]["author"] == "Berg, Anna and Noether, Emmy", changed
assert works["task"]["year"] == "2019", changed
assert works["snow"]["author"] == "Li, Wei", changed
assert works["mice"]["author"] == "Hopper, Grace"
assert "where" not in works["mice"]["abstract"], changed
PYTHON
