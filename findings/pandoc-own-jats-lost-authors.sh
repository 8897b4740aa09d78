#!/usr/bin/env bash
# pandoc 3.9: from the JATS that it wrote itself, it reads authors without names and an abstract in pieces.
#
# pandoc writes an author whose name has no parts as <string-name>, and an abstract without paragraphs. JATS allows the
# first.
# Guess before the run: title, authors and abstract come back whole, in pandoc and in other readers.
# Seen with pandoc 3.9 of pypandoc-binary 1.17 on Python 3.11: there are two authors without a name, so a document made
# from it has none. Each word in italics and each exponent of the abstract is a paragraph of its own. jats-xml 1.1.1 on
# Node 20 makes one author of both, named by a blank. No error or warning.
# Undocumented, in Writers/JATS.hs and Readers/JATS.hs.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" jats-xml@1.1.1
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import json
from pathlib import Path

import pypandoc

paper = """---
title: Owls in snow
author: [Anna Berg, Emmy Noether]
abstract: "We see *p* < 0.05 and 10^-3^ mice."
---

Owls see at night.
"""
jats = pypandoc.convert_text(paper, "jats_archiving", format="markdown", extra_args=["--standalone"])
Path("paper.xml").write_text(jats, encoding="utf-8")
meta = json.loads(pypandoc.convert_text(jats, "json", format="jats"))["meta"]
back = pypandoc.convert_text(jats, "plain", format="jats", extra_args=["--standalone"])
print("pandoc", pypandoc.get_pandoc_version(), meta["author"], back, sep="\n")
changed = "the behaviour has changed"
assert jats.count("<string-name>") == 2, changed
assert [author["c"] for author in meta["author"]["c"]] == [[], []], changed
assert "Berg" not in back and "Noether" not in back, changed
assert len(meta["abstract"]["c"]) == 5, changed
PYTHON
cat >read.mjs <<'NODE'
import assert from "node:assert";
import fs from "node:fs";
import { Jats } from "jats-xml";

const names = new Jats(fs.readFileSync("paper.xml", "utf8")).frontmatter.authors.map((author) => author.name);
console.log("jats-xml", names);
assert.deepEqual(names, [" "], "the behaviour has changed");
NODE
node read.mjs
