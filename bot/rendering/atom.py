"""Render an edition as an Atom feed (RFC 4287)."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from bot.domain import Edition
from bot.rendering import phrases
from bot.rendering.categories import category_in_words
from bot.rendering.facts import facts, facts_text
from bot.rendering.latex import readable
from bot.rendering.paper_links import title_link
from bot.rendering.text import oneline

_ATOM = "http://www.w3.org/2005/Atom"


def atom(edition: Edition, public_url: str) -> bytes:
    """Return the feed of an open profile's edition, in UTF-8."""
    page = f"{public_url}/open/{edition.reader.profile}"
    feed = ET.Element("feed", xmlns=_ATOM)
    _add(feed, "title", oneline(edition.profile_title))
    _add(feed, "id", page)
    _add(feed, "updated", edition.composed_at.isoformat())
    ET.SubElement(feed, "link", rel="self", href=f"{page}/feed.atom")
    ET.SubElement(feed, "link", rel="alternate", href=page)
    for pick in edition.picks:
        paper = pick.paper
        entry = ET.SubElement(feed, "entry")
        _add(entry, "title", phrases.title(paper))
        # RFC 4287, section 4.2.6: the id never changes. It holds the paper's id and no date, so a feed reader shows
        # a paper in two editions as one entry.
        _add(entry, "id", f"{page}#{paper.ref}")
        _add(entry, "updated", paper.first_seen.isoformat())
        # RFC 4287, section 4.1.2, requires an author in each entry of a feed that has none itself.
        for name in paper.authors or ["unknown"]:
            _add(ET.SubElement(entry, "author"), "name", oneline(readable(name)))
        ET.SubElement(entry, "link", rel="alternate", href=title_link(paper).url)
        for fact in facts(paper):
            if fact.url:
                ET.SubElement(entry, "link", rel="related", href=fact.url, title=oneline(fact.text))
        for category in paper.categories:
            label = oneline(category_in_words(category))
            ET.SubElement(entry, "category", term=oneline(category), label=label)
        summary = oneline(readable(" ".join(sentence.text for sentence in pick.summary)))
        _add(entry, "summary", "\n".join(filter(None, [oneline(facts_text(paper)), summary])))
    text: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return text


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text
