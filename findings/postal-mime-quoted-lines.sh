#!/usr/bin/env bash
# postal-mime 4.0.0: in a forwarded alert, "at most 5" and "10 mice" on two lines become "at most 5 > 10 mice".
#
# Mail programs wrap text as format=flowed (RFC 3676): a line that ends with a blank goes on. Quoted lines begin with
# ">", which is no part of the text (4.5: remove the quote marks before joining lines).
# Guess before the run: lines are joined, quoted ones without the marks between them.
# Seen with postal-mime 4.0.0 on Node 20: the mark of each quoted line that goes on stays in the text, where it reads
# as "greater than". mailparser 3.14.2 joins the same lines without it, and both join lines that aren't quoted.
# Undocumented.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" postal-mime@4.0.0 mailparser@3.14.2
cd "$folder"
cat >read.mjs <<'NODE'
import assert from "node:assert";
import { simpleParser } from "mailparser";
import PostalMime from "postal-mime";

const mail = [
  "From: anna@example.org",
  "Subject: Fwd: new papers",
  "MIME-Version: 1.0",
  "Content-Type: text/plain; charset=utf-8; format=flowed",
  "",
  "Read this, it is \nabout owls:",
  "> Owls in snow",
  "> Each owl catches at most 5 \n> 10 mice are seen.",
]
  .join("\n")
  .replaceAll("\n", "\r\n");
const { text } = await PostalMime.parse(mail);
const { text: right } = await simpleParser(mail);
console.log(text, right);
assert(text.includes("at most 5 > 10 mice are seen."), "the behaviour has changed");
assert(text.includes("it is about owls:"));
assert(right.includes("> Each owl catches at most 5 10 mice are seen."));
NODE
node read.mjs
