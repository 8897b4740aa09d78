#!/usr/bin/env bash
# @citation-js/plugin-ris 0.8.2: the RIS that it writes cuts words, DOIs and addresses after 70 signs.
#
# RIS has no limit to a line. Readers join lines by a blank, or take a line without a tag for an error.
# Guess before the run: it reads back what it wrote, and rispy reads it whole.
# Seen with @citation-js/core 0.8.2 on Node 20 and rispy 0.10.0 on Python 3.11: a title has "beyon d" in both. The
# plugin reads half of a long DOI, which still looks like one. rispy has a blank in the DOI, and the address is two
# addresses. Each long abstract has such words. pandoc 3.9 refuses the file.
# Undocumented: lib/ris.js puts a line break behind each 70 signs of a value.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" @citation-js/core@0.8.2 @citation-js/plugin-ris@0.8.2
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rispy==0.10.0
cd "$folder"
cat >write.mjs <<'NODE'
import { Cite } from "@citation-js/core";
import "@citation-js/plugin-ris";
import assert from "node:assert";
import { writeFileSync } from "node:fs";

const paper = {
  id: "owls",
  type: "paper-conference",
  title: "Owls that hunt in snow for forty nights and catch nothing at all beyond the lakes",
  author: [{ family: "Lovelace", given: "Ada" }],
  issued: { "date-parts": [[2021, 3, 4]] },
  DOI: "10.1234/proceedings-of-the-conference-on-owls.2021.volume-12.paper-123456789",
  URL: "https://example.org/proceedings/owls/2021/volume-12/papers/owls-that-hunt-in-snow-for-forty-nights",
};
const written = new Cite([paper]).format("ris");
writeFileSync("owls.ris", written);
const [read] = new Cite(written).data;
console.log(written);
console.log("read by itself:", read.title, "|", read.DOI, "|", read.URL);
const changed = "the behaviour has changed";
assert.equal(read.title, "Owls that hunt in snow for forty nights and catch nothing at all beyon d the lakes", changed);
assert.equal(read.DOI, "10.1234/proceedings-of-the-conference-on-owls.2021.volume-12.paper-123", changed);
NODE
node write.mjs
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

import rispy

(paper,) = rispy.loads(Path("owls.ris").read_text(encoding="utf-8"))
print("rispy", version("rispy"), paper)
assert paper["title"].endswith("beyon d the lakes"), "the behaviour has changed"
assert paper["doi"].endswith(".paper-123 456789")
assert len(paper["urls"]) == 2
PYTHON
