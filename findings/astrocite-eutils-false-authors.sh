#!/usr/bin/env bash
# astrocite-eutils 0.16.4: of PubMed's "van der Berg J", the family is "van", and the given name is "der".
#
# PubMed's ESummary writes the family name, a blank and initials, and many family names have blanks.
# Guess before the run: all authors, the date, DOI and title.
# Seen with astrocite-eutils 0.16.4 on Node 20: the first word is the family and the second one the given name. The rest
# is gone: two of the three authors have false names. Date, DOI and title are right.
# Undocumented, in lib/eutils.js: a name is split at blanks, and two parts are used.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" astrocite-eutils@0.16.4
cd "$folder"
cat >read.cjs <<'NODE'
const { toCSL } = require("astrocite-eutils");
const assert = require("node:assert");

const names = ["Lovelace A", "van der Berg J", "Garcia Marquez G"];
const summary = {
  uid: "30000001",
  title: "Owls in snow.",
  pubdate: "2020 Mar 14",
  sortpubdate: "2020/03/14 00:00",
  fulljournalname: "Journal of owls",
  source: "J Owls",
  authors: names.map((name) => ({ name, authtype: "Author", clusterid: "" })),
  articleids: [{ idtype: "doi", idtypen: 3, value: "10.1234/owls.5" }],
  pubtype: ["Journal Article"],
  lang: ["eng"],
};
const answer = {
  header: { type: "esummary", version: "0.3" },
  result: { uids: [summary.uid], [summary.uid]: summary },
};
const [paper] = toCSL(answer);
console.log(paper);
const expected = [
  { family: "Lovelace", given: "A" },
  { family: "van", given: "der" },
  { family: "Garcia", given: "Marquez" },
];
assert.deepEqual(paper.author, expected, "the behaviour has changed");
assert.equal(paper.DOI, "10.1234/owls.5");
NODE
node read.cjs
