#!/usr/bin/env bash
# html-to-text 10.0.1, and with it mailparser 3.14.2: cells of a table join, so rank 1 and score 0.9 are "10.9".
#
# Alerts are tables: a cell for the number, the title, the authors and the citations. A mail without plain text gets its
# `text` from the HTML.
# Guess before the run: all words of the mail, with a blank between two cells.
# Seen on Node 20, with no blanks in the HTML between the cells: "10.9Owls in snowBerg, A.12" for five of them, and
# "OwlsBirds of the night." for a term and its definition. Paragraphs are apart.
# The README says of tables, "Equivalent to block", and advises `dataTable` for data, whose cells are apart. That words
# and numbers join is undocumented, and mailparser doesn't set the option.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" html-to-text@10.0.1 mailparser@3.14.2
cd "$folder"
cat >read.cjs <<'NODE'
const { convert } = require("html-to-text");
const { simpleParser } = require("mailparser");
const assert = require("node:assert");

const row = ["1", "0.9", "Owls in snow", "Berg, A.", "12"].map((cell) => `<td>${cell}</td>`).join("");
const html = `<html><body><table><tr>${row}</tr></table>
<dl><dt>Owls</dt><dd>Birds of the night.</dd></dl><p>First</p><p>Second</p></body></html>`;
const mail = `From: a@example.org\r
Subject: new papers\r
MIME-Version: 1.0\r
Content-Type: text/html; charset=utf-8\r
\r
${html}`;
simpleParser(mail).then(({ text }) => {
  console.log(text);
  for (const seen of [text, convert(html)]) {
    assert(seen.includes("10.9Owls in snowBerg, A.12"), "the behaviour has changed");
    assert(seen.includes("OwlsBirds of the night."), "the behaviour has changed");
    assert(seen.includes("First\n\nSecond"));
  }
});
NODE
node read.cjs
