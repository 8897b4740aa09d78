#!/usr/bin/env bash
# metapub 0.7.5: an exponent in an abstract joins its base, so 10 to the power of 3 is 103.
#
# PubMed's XML marks exponents and indices by <sup> and <sub>.
# Guess before the run: title and abstract whole.
# Seen with metapub 0.7.5 on Python 3.11: the abstract says "103 cells" and "10-6 M", and has "&lt;" for a "<". The
# title loses <i> and keeps <sub>: "CO<sub>2</sub>". A keyword ends at its first tag: "CO".
# Undocumented, in pubmedarticle.py.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check metapub==0.7.5
HOME="$folder" "$folder/venv/bin/python" - 2> "$folder/log" <<'PYTHON' || { cat "$folder/log"; exit 1; }
from importlib.metadata import version

from metapub.pubmedarticle import PubMedArticle

record = b"""<?xml version="1.0" encoding="UTF-8"?><PubmedArticleSet><PubmedArticle>
<MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">30000001</PMID>
<Article PubModel="Print"><Journal><JournalIssue CitedMedium="Internet"><Volume>12</Volume>
<PubDate><Year>2020</Year><Month>Mar</Month></PubDate></JournalIssue><Title>Owls</Title></Journal>
<ArticleTitle>Loss of <i>TP53</i> and uptake of CO<sub>2</sub>.</ArticleTitle>
<Abstract><AbstractText>We gave 10<sup>-6</sup> M to 10<sup>3</sup> cells (p &lt; 0.05).</AbstractText></Abstract>
<AuthorList CompleteYN="Y"><Author ValidYN="Y"><LastName>Lovelace</LastName><ForeName>Ada</ForeName>
<Initials>A</Initials></Author></AuthorList></Article>
<MedlineJournalInfo><MedlineTA>Owls</MedlineTA></MedlineJournalInfo>
<KeywordList Owner="NOTNLM"><Keyword MajorTopicYN="N">CO<sub>2</sub> uptake</Keyword></KeywordList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">30000001</ArticleId></ArticleIdList></PubmedData>
</PubmedArticle></PubmedArticleSet>"""
article = PubMedArticle(record)
print("metapub", version("metapub"), [article.title, article.abstract, article.keywords])
assert article.abstract == "We gave 10-6 M to 103 cells (p &lt; 0.05).", "the behaviour has changed"
assert article.title == "Loss of TP53 and uptake of CO<sub>2</sub>."
assert article.keywords == ["CO"]
PYTHON
