#!/usr/bin/env bash
# markdown-to-mrkdwn 0.3.3 and md2mrkdwn 0.4.5: the signs of a product become underscores.
#
# In Markdown, a star with blanks on both sides is a star (CommonMark, left- and right-flanking delimiter runs).
# Guess before the run: "2 * 3 * 4 = 24" stays as it is.
# Seen on Python 3.11: "2 _ 3 _ 4 = 24" with both, so a Slack message shows no product. slackify-markdown 0.2.4, which
# parses Markdown, keeps the stars.
# Undocumented: both take what lies between two stars for italics.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    markdown-to-mrkdwn==0.3.3 md2mrkdwn==0.4.5 slackify-markdown==0.2.4
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import md2mrkdwn
from markdown_to_mrkdwn import SlackMarkdownConverter
from slackify_markdown import slackify_markdown

abstract = "The cost is n * m * k steps, and 2 * 3 * 4 = 24."
seen = {
    "markdown-to-mrkdwn": SlackMarkdownConverter().convert(abstract),
    "md2mrkdwn": md2mrkdwn.convert(abstract),
    "slackify-markdown": slackify_markdown(abstract).strip(),
}
for package, text in seen.items():
    print(package, version(package), repr(text))
wrong = "The cost is n _ m _ k steps, and 2 _ 3 _ 4 = 24."
assert seen["markdown-to-mrkdwn"] == seen["md2mrkdwn"] == wrong, "the behaviour has changed"
assert seen["slackify-markdown"] == abstract
PYTHON
