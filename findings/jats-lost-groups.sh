#!/usr/bin/env bash
# pandoc 3.9, jats-xml 1.1.1 and jats 0.2.2: in JATS, a collaboration among the authors has no name.
#
# JATS, the XML of PMC and most journals, has groups as <collab> beside people. Trials and physics have them.
# Guess before the run: each of them names the group among the authors.
# Seen on Python 3.11 and Node 20: pandoc's list of authors has an empty one, jats-xml's name of the third author is a
# blank, and jats leaves it out. No error or warning. Of a structured abstract, jats makes
# "BackgroundOwls hunt at 103 m.", where the paper has a heading and 10 to the power of 3.
# Undocumented.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" jats-xml@1.1.1
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17 jats==0.2.2
cd "$folder"
cat >paper.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<article article-type="research-article"><front>
<journal-meta><journal-title-group><journal-title>Journal of Owls</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="doi">10.1234/owls.5</article-id>
<title-group><article-title>Owls in snow</article-title></title-group>
<contrib-group>
<contrib contrib-type="author"><name><surname>Berg</surname><given-names>Anna</given-names></name></contrib>
<contrib contrib-type="author"><name><surname>Li</surname><given-names>Wei</given-names></name></contrib>
<contrib contrib-type="author"><collab>OWL Study Group</collab></contrib>
</contrib-group>
<pub-date pub-type="epub"><day>14</day><month>3</month><year>2020</year></pub-date>
<abstract><sec><title>Background</title><p>Owls hunt at 10<sup>3</sup> m.</p></sec></abstract>
</article-meta></front><body><sec><title>Introduction</title><p>Owls see at night.</p></sec></body></article>
XML
cat >read.mjs <<'NODE'
import assert from "node:assert";
import fs from "node:fs";
import { Jats } from "jats-xml";

const names = new Jats(fs.readFileSync("paper.xml", "utf8")).frontmatter.authors.map((author) => author.name);
console.log("jats-xml", names);
assert.deepEqual(names, ["Anna Berg", "Wei Li", " "], "the behaviour has changed");
NODE
node read.mjs
"$folder/venv/bin/jats" metadata paper.xml >metadata.json
"$folder/venv/bin/python" - <<'PYTHON'
import json
from importlib.metadata import version
from pathlib import Path

import pypandoc

changed = "the behaviour has changed"
document = json.loads(pypandoc.convert_file("paper.xml", "json", format="jats"))
authors = [author["c"] for author in document["meta"]["author"]["c"]]
print("pandoc", pypandoc.get_pandoc_version(), authors)
assert len(authors) == 3 and authors[2] == [], changed

paper = json.loads(Path("metadata.json").read_text(encoding="utf-8"))
names = [author["surname"] for author in paper["authors"]]
print("jats", version("jats"), names, paper["abstract"])
assert names == ["Berg", "Li"], changed
assert paper["abstract"] == "BackgroundOwls hunt at 103 m.", changed
PYTHON
