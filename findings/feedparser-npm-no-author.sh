#!/usr/bin/env bash
# feedparser 2.6.0 (npm): a paper with two authors has none.
#
# Atom has an element for each author. arXiv's API and the feeds of journals use that.
# Guess before the run: `author` is the first of them.
# Seen with feedparser 2.6.0 on Node 20: `author` is null for two or three authors, and right for one. The names are
# left in "atom:author", as the XML has them. With two elements dc:creator in RSS, `author` is the first.
# Undocumented: the README lists `author` among the properties of an article.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" feedparser@2.6.0
cd "$folder"
cat >read.mjs <<'NODE'
import FeedParser from "feedparser";
import assert from "node:assert";
import { Readable } from "node:stream";

const names = ["Ada Lovelace", "Grace Hopper", "Emmy Noether"];
const entry = (number) => `<entry>
<id>urn:${number}</id><title>Owls ${number}</title><link href="https://example.org/${number}"/>
<updated>2026-03-10T00:00:00Z</updated><summary>We see owls.</summary>
${names.slice(0, number).map((name) => `<author><name>${name}</name></author>`).join("")}
</entry>`;
const feed = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Owls</title><id>urn:feed</id><updated>2026-03-10T00:00:00Z</updated>
${[1, 2, 3].map(entry).join("\n")}
</feed>`;
const parser = new FeedParser({});
const authors = [];
for await (const paper of Readable.from([feed]).pipe(parser)) {
  authors.push(paper.author);
}
console.log(authors);
assert.deepEqual(authors, ["Ada Lovelace", null, null], "the behaviour has changed");
NODE
node read.mjs
