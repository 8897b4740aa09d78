#!/usr/bin/env bash
# pybtexnbib 0.2.0: all records of a PubMed file become one entry.
#
# A .nbib file has a blank line between two records. The parser splits at "ER  -", which ends a record of RIS. PubMed's
# format has no such line.
# Guess before the run: authors, DOI and whole abstract of each paper.
# Seen with pybtexnbib 0.2.0 and pybtex 0.26.1 on Python 3.11: one entry with both titles, the authors of both papers,
# and the DOI of the last. Where PubMed wraps a line, two words become one. A wrapped line that begins with capitals and
# a dash ends the abstract, and becomes a field of its own: "RNA".
# Undocumented, in parsers.py. The README converts whole files.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pybtexnbib==0.2.0 pybtexris==0.2.0 pybtex==0.26.1
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from pybtex.database import parse_string

records = """PMID- 30000001
DP  - 2020 Mar
TI  - Owls that hunt in snow: a field study of
      two winters.
AB  - We counted mice in snow, and read what owls had left behind.
      RNA - not DNA - was stable in the cold.
FAU - Lovelace, Ada
PT  - Journal Article
AID - 10.1000/owls.1 [doi]

PMID- 30000002
DP  - 2019 May
TI  - Bats over lakes.
AB  - We counted moths.
FAU - Hopper, Grace
PT  - Journal Article
AID - 10.1000/bats.2 [doi]
"""
entries = parse_string(records, "nbib").entries
print("pybtexnbib", version("pybtexnbib"), len(entries), "entry of two records")
(entry,) = entries.values()
authors = [str(person) for person in entry.persons["author"]]
print(authors, dict(entry.fields))
assert authors == ["Lovelace, Ada", "Hopper, Grace"], "the behaviour has changed"
assert entry.fields["title"] == "Owls that hunt in snow: a field study oftwo winters.; Bats over lakes."
assert entry.fields["abstract"].startswith("We counted mice in snow, and read what owls had left behind.; ")
assert entry.fields["doi"] == "10.1000/bats.2"
assert entry.fields["RNA"] == "not DNA - was stable in the cold."
PYTHON
