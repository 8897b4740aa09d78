#!/usr/bin/env bash
# rss-parser 3.13.0: words in italics and exponents of an abstract in XHTML move to its end.
#
# Atom allows titles and summaries of type "xhtml". Journals need them for species, exponents and indices.
# Guess before the run: the title as text.
# Seen with rss-parser 3.13.0 on Node 20: "We see  &lt; 0.05 and 10 mol" and then "<i>p</i><sup>-3</sup>", so 10 to the
# power of -3 is 10. The title is an object, and no property has it in order.
# Undocumented, in lib/utils.js: xml2js keeps text and elements apart, and XML is made from that.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" rss-parser@3.13.0
cd "$folder"
cat >read.mjs <<'NODE'
import assert from "node:assert";
import Parser from "rss-parser";

const div = (text) => `<div xmlns="http://www.w3.org/1999/xhtml">${text}</div>`;
const feed = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>Owls</title><id>urn:feed</id><updated>2026-03-10T00:00:00Z</updated>
<entry>
<id>urn:1</id><link href="https://example.org/1"/><updated>2026-03-10T00:00:00Z</updated>
<title type="xhtml">${div("Growth of <i>E. coli</i> in CO<sub>2</sub>")}</title>
<author><name>Ada Lovelace</name></author>
<summary type="xhtml">${div("We see <i>p</i> &lt; 0.05 and 10<sup>-3</sup> mol.")}</summary>
</entry>
</feed>`;
const [paper] = (await new Parser().parseString(feed)).items;
console.log(JSON.stringify(paper.title), paper.summary);
const changed = "the behaviour has changed";
assert.equal(typeof paper.title, "object", changed);
assert.equal(paper.title.div[0]._, "Growth of  in CO", changed);
assert(paper.summary.includes("We see  &lt; 0.05 and 10 mol.<i>p</i><sup>-3</sup>"), changed);
NODE
node read.mjs
