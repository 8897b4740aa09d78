#!/usr/bin/env bash
# fastfeedparser 0.6.5: the list `authors` holds the first author alone.
#
# Feeds of arXiv and of journals have an element for each author.
# Guess before the run, for Atom and RSS 2.0: `author` is the first one, and `authors` has all, as with feedparser.
# Seen with fastfeedparser 0.6.5 on Python 3.11: `authors` has one element in Atom (author), in RSS 2.0 and 1.0
# (dc:creator), and in JSON Feed 1.1 (authors). The others are in no other key.
# Undocumented: the README lists "Author information". In main.py, `authors` is made from `author`.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check fastfeedparser==0.6.5
"$folder/venv/bin/python" - <<'PYTHON'
import json
from importlib.metadata import version

import fastfeedparser

DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
CREATORS = "<dc:creator>Ada Lovelace</dc:creator><dc:creator>Emmy Noether</dc:creator>"
ITEM = f"<title>Owls</title><link>https://example.org/1</link><description>In snow.</description>{CREATORS}"
HEAD = "<title>Birds</title><link>https://example.org</link><description>Birds</description>"
feeds = {
    "Atom": '<feed xmlns="http://www.w3.org/2005/Atom"><title>Birds</title><id>urn:birds</id>'
    "<updated>2026-03-01T00:00:00Z</updated><entry><id>urn:1</id><title>Owls</title>"
    "<updated>2026-03-01T00:00:00Z</updated><author><name>Ada Lovelace</name></author>"
    "<author><name>Emmy Noether</name></author></entry></feed>",
    "RSS 2.0": f'<rss version="2.0" {DC}><channel>{HEAD}<item>{ITEM}</item></channel></rss>',
    "RSS 1.0": f'<rdf:RDF xmlns:rdf="{RDF}" xmlns="http://purl.org/rss/1.0/" {DC}>'
    f'<channel rdf:about="https://example.org">{HEAD}</channel>'
    f'<item rdf:about="https://example.org/1">{ITEM}</item></rdf:RDF>',
    "JSON Feed": json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": "Birds",
            "items": [
                {"id": "1", "title": "Owls", "authors": [{"name": "Ada Lovelace"}, {"name": "Emmy Noether"}]}
            ],
        }
    ),
}
for kind, feed in feeds.items():
    (entry,) = fastfeedparser.parse(feed).entries
    print("fastfeedparser", version("fastfeedparser"), kind, entry["authors"])
    assert [author["name"] for author in entry["authors"]] == ["Ada Lovelace"], "the behaviour has changed"
    assert "Noether" not in str(dict(entry))
PYTHON
