#!/usr/bin/env bash
# markdownify 1.2.3, html2text 2025.4.15 and turndown 7.2.5: the mean degree <k> of a network vanishes in Markdown.
#
# Physicists write means as "<k>" and "<x>". A page has "&lt;k&gt;" for it, and Markdown needs a backslash, since "<k>"
# is an element of HTML there (CommonMark, raw HTML).
# Guess before the run: the signs are escaped, as "*" and "_" are.
# Seen on Python 3.11 and Node 20: all three write "<k>". Markdown's readers pass it on as HTML, so a browser shows "The
# mean degree is 4". "A <b> of 3" makes the rest bold. "&lt;" that a page shows becomes "<". "p < 0.05" is right.
# Undocumented. markdownify escapes "*" and "_", and turndown brackets, too.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" turndown@7.2.5
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    markdownify==1.2.3 html2text==2025.4.15 markdown==3.10
cd "$folder"
cat >write.cjs <<'NODE'
const TurndownService = require("turndown");
console.log(new TurndownService().turndown("<p>The mean degree &lt;k&gt; is 4, and p &lt; 0.05.</p>"));
NODE
node write.cjs >turndown.md
"$folder/venv/bin/python" - <<'PYTHON'
from pathlib import Path

import html2text
import markdown
import markdownify

page = "<p>The mean degree &lt;k&gt; is 4, and p &lt; 0.05.</p>"
texts = {
    "markdownify": markdownify.markdownify(page),
    "html2text": html2text.html2text(page),
    "turndown": Path("turndown.md").read_text(encoding="utf-8"),
}
for name, text in texts.items():
    read = markdown.markdown(text)
    print(name, text.strip(), read, sep=" | ")
    assert text.strip() == "The mean degree <k> is 4, and p < 0.05.", "the behaviour has changed"
    assert "degree <k> is 4, and p &lt; 0.05" in read, "the behaviour has changed"
PYTHON
