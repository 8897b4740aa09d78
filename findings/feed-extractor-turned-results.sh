#!/usr/bin/env bash
# @extractus/feed-extractor 8.0.3: "we see p < 0.05 in owls, and q > 5" becomes "we see p  5", and links lead elsewhere.
#
# In Atom, a summary of type "text" is no HTML, and a link has a relation: "alternate" is the paper, "related" a PDF.
# Guess before the run: titles and summaries whole, the link of the paper, and its date of publication.
# Seen with @extractus/feed-extractor 8.0.3 on Node 20: what stands between "<" and ">" is taken for an element, though
# the feed escapes the "<" as it must. In RSS 1.0, "p &lt; 0.05 in 10<sup>3</sup> owls" is "p 3 owls". The link is the
# first one of the entry, whatever its relation, and `published` has the time of the last change. A title or summary in
# XHTML is empty.
# Undocumented. The README says of descriptions only that they are cut.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" @extractus/feed-extractor@8.0.3
cd "$folder"
cat >read.mjs <<'NODE'
import assert from "node:assert";
import { extractFromXml } from "@extractus/feed-extractor";

const xhtml = (text) => `type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">${text}</div>`;
const atom = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Owls</title><id>urn:feed</id><updated>2026-03-10T00:00:00Z</updated>
<entry><id>urn:1</id><title>Owls in snow</title>
<link rel="related" href="https://example.org/1.pdf"/><link rel="alternate" href="https://example.org/1"/>
<published>2026-03-01T00:00:00Z</published><updated>2026-03-10T00:00:00Z</updated>
<summary type="text">We see p &lt; 0.05 in owls, and q > 5 in mice.</summary></entry>
<entry><id>urn:2</id><link href="https://example.org/2"/><updated>2026-03-10T00:00:00Z</updated>
<title ${xhtml("Growth of <i>E. coli</i>")}</title><summary ${xhtml("It grows in <b>snow</b>.")}</summary></entry>
</feed>`;
const rss = `<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="https://example.org"><title>Owls</title><link>https://example.org</link></channel>
<item rdf:about="https://example.org/3"><title>Owls in rain</title><link>https://example.org/3</link>
<description><![CDATA[We see p &lt; 0.05 in 10<sup>3</sup> owls.]]></description></item></rdf:RDF>`;
const [paper, other] = extractFromXml(atom).entries;
const [third] = extractFromXml(rss).entries;
console.log(paper, other, third);
const changed = "the behaviour has changed";
assert.equal(paper.description.replace(/ +/g, " "), "We see p 5 in mice.", changed);
assert.equal(paper.link, "https://example.org/1.pdf", changed);
assert(paper.published.startsWith("2026-03-10"), changed);
assert.equal(other.title + other.description, "", changed);
assert.equal(third.description, "We see p 3 owls.", changed);
NODE
node read.mjs
