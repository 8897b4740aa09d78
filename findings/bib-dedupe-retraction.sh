#!/usr/bin/env bash
# bib-dedupe 0.11.0: a retraction or correction in the same volume is a duplicate of its article, and is merged away.
#
# Publishers title it "Retraction note: " or "Correction to: " and the article's title, with its own DOI and pages.
# Guess before the run, for "Correction to": two records, since DOI, pages and title differ.
# Seen with bib-dedupe 0.11.0 on Python 3.11: one record, the article, so a review never sees its retraction. With
# another volume and year they stay two. "Comment on: " stays apart, too.
# Undocumented: the README promises "zero false positives".
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    bib-dedupe==0.11.0 number-parser==0.3.2 numpy==2.4.6 pandas==2.3.3 rapidfuzz==3.14.6
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import pandas as pd
from bib_dedupe.bib_dedupe import block, cluster, match, merge, prep

article = {
    "ID": "article",
    "ENTRYTYPE": "article",
    "author": "Lovelace, Ada and Noether, Emmy",
    "title": "Owls hunt mice at night in old forests",
    "journal": "Journal of Owls",
    "year": "2020",
    "volume": "12",
    "number": "3",
    "pages": "321-328",
    "doi": "10.1000/owls.1",
    "abstract": "We watch owls at night in a forest, and count how often they hunt mice.",
}


def titles_after_merge(prefix: str, **changed: str) -> list[str]:
    notice = article | {
        "ID": "notice",
        "title": prefix + article["title"],
        "number": "4",
        "pages": "400",
        "doi": "10.1000/owls.9",
        "abstract": "",
    }
    records = pd.DataFrame([article, notice | changed])
    pairs = block(prep(records.copy(), verbosity_level=0, cpu=1), verbosity_level=0, cpu=1)
    groups = cluster(match(pairs, verbosity_level=0, cpu=1), verbosity_level=0)
    return list(merge(records, duplicate_id_sets=groups, verbosity_level=0)["title"])


for prefix in ("Correction to: ", "Retraction note: "):
    titles = titles_after_merge(prefix)
    print("bib-dedupe", version("bib-dedupe"), prefix, titles)
    assert titles == [article["title"]], "the behaviour has changed"
assert len(titles_after_merge("Retraction note: ", volume="13", year="2021")) == 2
assert len(titles_after_merge("Comment on: ")) == 2
PYTHON
