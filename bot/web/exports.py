"""Papers as BibTeX and RIS, which EndNote, Zotero and Mendeley import; an edition as an Atom feed (RFC 4287)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from bot.channels import phrases
from bot.channels.papers import category_in_words, facts, facts_text, title_link
from bot.model import Edition, Paper
from bot.model.wording import oneline
from bot.text.latex import readable
from bot.text.tokens import tokens

_ATOM = "http://www.w3.org/2005/Atom"
_TEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TEX_TABLE = str.maketrans(_TEX)
_NOT_IN_KEY = re.compile(r"[^a-z0-9]+")
# Explains the address of a paper for which no digest gave one.
_SEARCH_NOTE = "The address searches arXiv for the title"


def bibtex(papers: Iterable[Paper]) -> str:
    """Return an ``@misc`` entry for each paper; keys are unique because they end in the paper's id."""
    entries = []
    for paper in papers:
        published = paper.published
        fields = {
            # Bibliography styles change a title to lower case unless it has braces of its own.
            "title": "{" + _tex(paper.title) + "}",
            # " and " separates authors and "," last names from first names: an institution's name with either needs
            # braces.
            "author": " and ".join(
                "{" + _tex(author) + "}" if " and " in author.lower() or "," in author else _tex(author)
                for author in _authors(paper)
            ),
            "year": str(published.year) if published else "",
            "month": f"{published:%b}".lower() if published else "",
            "eprint": paper.arxiv_id or "",
            "archiveprefix": "arXiv" if paper.arxiv_id else "",
            "primaryclass": _tex(paper.categories[0]) if paper.arxiv_id and paper.categories else "",
            "doi": _tex(paper.doi or ""),
            "url": title_link(paper).url,
            "note": _tex(_note(paper)),
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        entries.append("\n".join([f"@misc{{{_citation_key(paper)},", *lines, "}\n"]))
    return "\n".join(entries)


def ris(papers: Iterable[Paper]) -> str:
    """Return a reference for each paper, with the CRLF line ends of the RIS format."""
    references = []
    for paper in papers:
        published = paper.published
        fields = [
            # UNPB, unpublished work: the format has no type for preprints.
            ("TY", "UNPB"),
            ("TI", oneline(readable(paper.title))),
            *(("AU", author) for author in _authors(paper)),
            ("PY", str(published.year) if published else ""),
            ("DA", f"{published:%Y/%m/%d}" if published else ""),
            ("DO", oneline(paper.doi or "")),
            ("M1", f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else ""),
            ("UR", title_link(paper).url),
            ("N1", oneline(_note(paper))),
            ("AB", oneline(readable(paper.abstract))),
        ]
        lines = [f"{tag}  - {value}\r\n" for tag, value in fields if value]
        references.append("".join([*lines, "ER  - \r\n\r\n"]))
    return "".join(references)


def _note(paper: Paper) -> str:
    """Return the facts that have no field of their own, with the addresses of code and project."""
    # The category is a field, and the PDF's address follows from the paper's own.
    words = category_in_words(paper.categories[0]) if paper.categories else ""
    noted = [fact for fact in facts(paper) if fact.text not in (words, "PDF")]
    parts = [f"{fact.text}: {fact.url}" if fact.url else fact.text for fact in noted]
    return "; ".join([*parts, *([_SEARCH_NOTE] if title_link(paper).is_search else [])])


def _citation_key(paper: Paper) -> str:
    """Return ``lovelace2025p17``: first author's last name (or the title's first content word), year, id."""
    # BibTeX reads keys in ASCII only: NFKD separates accents from base characters, and encoding drops them.
    words = [author.split()[-1] for author in _authors(paper)[:1]] or [
        token.spelling for token in tokens(readable(paper.title))
    ]
    ascii_words = (unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode() for word in words)
    name = next((key for word in ascii_words if (key := _NOT_IN_KEY.sub("", word.lower()))), "paper")
    return f"{name}{paper.published.year if paper.published else ''}{paper.ref}"


def _authors(paper: Paper) -> Sequence[str]:
    return [name for author in paper.authors if (name := oneline(readable(author)))]


def _tex(text: str) -> str:
    return oneline(readable(text)).translate(_TEX_TABLE)


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
