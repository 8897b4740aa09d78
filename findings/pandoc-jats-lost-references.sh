#!/usr/bin/env bash
# pandoc 3.9: references of JATS in <mixed-citation> are lost: the text cites "(n.d.)".
#
# JATS has two kinds of references. Many articles of PMC have <mixed-citation>, which keeps the punctuation as printed.
# Guess before the run: both kinds, with authors and pages.
# Seen with pandoc 3.9 of pypandoc-binary 1.17: of a <mixed-citation> with names, year, title and DOI in elements, only
# the identifier is left, and citeproc prints the whole entry as "n.d.". Of an <element-citation>, authors that are a
# group are lost. Notes at the end of the article are gone. No warning.
# Undocumented, in Readers/JATS.hs: only <element-citation> is read.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17
"$folder/venv/bin/python" - <<'PYTHON'
import json

import pypandoc

ARTICLE = """<?xml version="1.0" encoding="UTF-8"?>
<article><front><article-meta><title-group><article-title>Owls in snow</article-title></title-group></article-meta>
</front><body><sec><title>Introduction</title><p>Owls see <xref ref-type="bibr" rid="r1">1</xref>, and hear
<xref ref-type="bibr" rid="r2">2</xref>.</p></sec></body>
<back><ref-list>
<ref id="r1"><element-citation publication-type="journal"><person-group person-group-type="author">
<name><surname>Hopper</surname><given-names>Grace</given-names></name><collab>Bat Study Group</collab></person-group>
<article-title>Bats at night</article-title><source>J Bats</source><year>1999</year><volume>1</volume>
<fpage>3</fpage><lpage>9</lpage></element-citation></ref>
<ref id="r2"><mixed-citation publication-type="journal"><person-group person-group-type="author"><name>
<surname>Curie</surname> <given-names>Marie</given-names></name></person-group>. <article-title>Mice in
snow</article-title>. <source>J Mice</source>. <year>1998</year>;<volume>4</volume>:<fpage>5</fpage>-<lpage>6</lpage>.
doi: <pub-id pub-id-type="doi">10.1234/mice.7</pub-id>.</mixed-citation></ref>
</ref-list><fn-group><fn><p>This article was retracted.</p></fn></fn-group></back></article>
"""
changed = "the behaviour has changed"
works = json.loads(pypandoc.convert_text(ARTICLE, "csljson", format="jats"))
text = pypandoc.convert_text(ARTICLE, "plain", format="jats", extra_args=["--citeproc", "--wrap=none"])
print("pandoc", pypandoc.get_pandoc_version(), works, text, sep="\n")
first, second = works
assert first["author"] == [{"family": "Hopper", "given": "Grace"}], changed
assert first["page"] == "3-9"
assert set(second) <= {"id", "type"}, changed
assert not any(word in text for word in ("Curie", "Mice", "10.1234", "retracted")), changed
PYTHON
