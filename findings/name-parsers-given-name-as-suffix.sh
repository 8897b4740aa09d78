#!/usr/bin/env bash
# parse-full-name 1.2.7 and another-name-parser 0.1.0: scholars' names become suffixes, as if they were a Jr.
#
# Metadata of papers has names as "Family, Given", and initials such as "V.".
# Guess before the run: "García Márquez, Gabriel" is right with the first, and "Do, Minh" with the second.
# Seen on Node 20: parse-full-name has García as the first name, Márquez as the last, and Gabriel as the suffix. So it
# does with "Lo Presti, Anna", and its list of errors is empty. another-name-parser takes Do for a doctor's degree of
# somebody without a last name, and the V. in "Ivan V. Petrov" for "the fifth".
# Undocumented: parse-full-name promises names "in any format", and another-name-parser "Last Name, First Name" order.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" \
    parse-full-name@1.2.7 another-name-parser@0.1.0
cd "$folder"
cat >read.cjs <<'NODE'
const another = require("another-name-parser");
const { parseFullName } = require("parse-full-name");
const assert = require("node:assert");

const changed = "the behaviour has changed";
for (const [name, first, last, suffix] of [
  ["García Márquez, Gabriel", "García", "Márquez", "Gabriel"],
  ["Lo Presti, Anna", "Lo", "Presti", "Anna"],
  ["Lovelace, Ada", "Ada", "Lovelace", ""],
]) {
  const read = parseFullName(name);
  console.log("parse-full-name", name, read);
  assert.deepEqual([read.first, read.last, read.suffix, read.error], [first, last, suffix, []], changed);
}
for (const [name, first, last, suffix] of [
  ["Ivan V. Petrov", "Ivan", "Petrov", "V."],
  ["Do, Minh", "Minh", null, "Do"],
]) {
  const read = another(name);
  console.log("another-name-parser", name, read);
  assert.deepEqual([read.first, read.last, read.suffix], [first, last, suffix], changed);
}
NODE
node read.cjs
