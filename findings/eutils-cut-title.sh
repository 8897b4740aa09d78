#!/usr/bin/env bash
# eutils 0.6.0: a title of PubMed ends at its first index or italic word: "Uptake of CO".
#
# PubMed's XML marks species by <i>, and indices and exponents by <sub> and <sup>.
# Guess before the run: title and structured abstract whole.
# Seen with eutils 0.6.0 on Python 3.11: the title of "Uptake of CO2 by E. coli in owls" is "Uptake of CO", and one that
# begins with a species is "". In the abstract, 10 to the power of 3 is "103".
# Undocumented, in medlinecitation.py: the title is the text before the first element, and the abstract is all text.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check eutils==0.6.0
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from eutils._internal.xmlfacades.pubmedarticleset import PubmedArticleSet
from lxml import etree

PAPER = """<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><Journal><JournalIssue>
<PubDate><Year>2020</Year></PubDate></JournalIssue><Title>Journal of owls</Title></Journal>
<ArticleTitle>{title}</ArticleTitle>
<Abstract><AbstractText Label="METHODS">We watch 10<sup>3</sup> owls.</AbstractText></Abstract>
</Article></MedlineCitation></PubmedArticle>"""
titles = ("Uptake of CO<sub>2</sub> by <i>E. coli</i> in owls.", "<i>Strix aluco</i> hunts in snow.", "Owls in snow.")
answer = "".join(PAPER.format(pmid=30000000 + number, title=title) for number, title in enumerate(titles))
papers = list(PubmedArticleSet(etree.fromstring(f"<PubmedArticleSet>{answer}</PubmedArticleSet>")))
print("eutils", version("eutils"))
for paper in papers:
    print(paper.pmid, repr(paper.title), paper.abstract)
assert [paper.title for paper in papers] == ["Uptake of CO", "", "Owls in snow."], "the behaviour has changed"
assert "103 owls" in papers[0].abstract, "the behaviour has changed"
PYTHON
