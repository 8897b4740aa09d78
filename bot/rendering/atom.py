"""An edition as an Atom feed (RFC 4287)."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from bot.domain import Edition, Pick
from bot.rendering import phrases
from bot.rendering.latex import readable
from bot.rendering.paper_links import title_link
from bot.rendering.text import oneline

_ATOM = "http://www.w3.org/2005/Atom"


def atom(edition: Edition, public_url: str) -> bytes:
    """The feed of an open profile's edition; an entry's id is the paper's, so that none is new twice."""
    page = f"{public_url}/open/{edition.reader.profile}"
    feed = ET.Element("feed", xmlns=_ATOM)
    _add(feed, "title", oneline(edition.profile_title))
    _add(feed, "id", page)
    _add(feed, "updated", edition.composed_at.isoformat())
    ET.SubElement(feed, "link", rel="self", href=f"{page}/feed.atom")
    ET.SubElement(feed, "link", rel="alternate", href=page)
    for pick in edition.picks:
        _entry(feed, pick, page)
    text: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return text


def _entry(feed: ET.Element, pick: Pick, page: str) -> None:
    paper = pick.paper
    entry = ET.SubElement(feed, "entry")
    _add(entry, "title", phrases.title(paper))
    _add(entry, "id", f"{page}#{paper.ref}")
    _add(entry, "updated", paper.first_seen.isoformat())
    for name in paper.authors or ["unknown"]:
        _add(ET.SubElement(entry, "author"), "name", oneline(readable(name)))
    ET.SubElement(entry, "link", rel="alternate", href=title_link(paper).url)
    _add(entry, "summary", oneline(readable(" ".join(sentence.text for sentence in pick.summary))))


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text
