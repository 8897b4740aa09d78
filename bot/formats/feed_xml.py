"""The XML of feeds, also malformed, as feedparser's items.

    bytes --decode--> XML --feedparser--> head and items
                       |                    |
                       +--malformed: repair-+

Counts of items, tags and references limit the work, not a clock: the same bytes give the same digest on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partialmethod
from html.entities import html5
from itertools import pairwise
from typing import Any, NamedTuple
from xml.sax.expatreader import ExpatParser
from xml.sax.handler import feature_external_ges

from feedparser.api import StrictFeedParser

from bot.formats.format import FORBIDDEN_IN_XML, charset, decode, detect_encoding, tidy
from bot.model import limits
from bot.model.errors import DigestError
from bot.model.papers import CUT_OFF

MAX_ITEMS = 5_000
_MAX_ATTRIBUTES = 100  # of one element; feedparser looks for each among all
_ITEM = re.compile(r"<(?:\w+:)?(?:item|entry)\b", re.IGNORECASE)
# Two unbounded repetitions of the same characters would take n^2 steps.
_DECLARATION = re.compile(r"<\?xml\s[^<>?]{0,200}?\bencoding\s{0,9}=\s{0,9}['\"]([^'\"<>]{1,40})['\"]")
_PROLOG = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!doctype[^<>\[]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
# CDATA sections, and ampersands outside of XML's own references.
_REFERENCE = re.compile(
    r"(?P<verbatim><!\[CDATA\[.*?(?:\]\]>|\Z))"
    r"|&(?!(?:amp|lt|gt|quot|apos|\#\d{1,7}|\#x[0-9a-fA-F]{1,6});)(?P<name>\w{1,32};)?",
    re.DOTALL,
)
_PREFIX = re.compile(r"(?:</?|\s(?=[^\s<>=]{3,63}\s?=))([A-Za-z][\w.-]{0,30}):")
_DECLARED_PREFIX = re.compile(r"xmlns:([A-Za-z][\w.-]{0,30})=")
_ROOT = re.compile(r"<[^\s<>/]+")
_TITLE_END = re.compile(r"</(?:\w+:)?title>", re.IGNORECASE)
# Prefixes that feeds forget to declare.
_NAMESPACES = {
    "arxiv": "http://arxiv.org/schemas/atom",
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "prism": "http://prismstandard.org/namespaces/basic/2.0/",
}
# Elements that nothing reads, and that take feedparser as long as titles.
_UNREAD = frozenset(
    "comments copyright coverdisplaydate docs eissn endingpage endpage filesize format genre issn issue"
    " issueidentifier items language li number pagerange rights section startingpage startpage ttl url volume".split()
)
_LONGEST_NAME_WITH_ADDRESS = 320  # characters; an address has at most 254 (RFC 5321, 4.5.3.1.3)


class Feed(NamedTuple):
    """A feed's head and items, mappings with feedparser's names, and sentences on mistakes."""

    head: Any
    items: Sequence[Any]
    problems: list[str]


def read_feed(content: bytes) -> Feed:
    """Read one feed. Raises DigestError for other XML and at a cap."""
    text, problems = _decoded(content)
    for number, unit, cap in (
        (sum(1 for _ in _ITEM.finditer(text)), "items", MAX_ITEMS),
        (text.count("<"), "tags", 100_000),
        (text.count("&"), "references", 500_000),
    ):
        if number > cap:
            remedy = "; split it" if unit == "items" else ""
            raise DigestError(f"{number:,} {unit}, more than the {cap:,} that a feed may have{remedy}")
    text = FORBIDDEN_IN_XML.sub("", text).removeprefix("\ufeff")
    begin = 0
    while piece := _PROLOG.match(text, begin):
        begin = piece.end()
    text = text[begin:]
    feed = _FeedReader()
    if problem := feed.read(text):
        text, sentence = _whole_items(text, problem)
        problems.append(sentence)
        feed = _FeedReader()
        if (mistake := feed.read(_repair(text))) and not feed.version:
            raise DigestError(f"a feed that can't be read ({mistake})")
    if not feed.version:
        if "<opml" in text[:2000].lower():
            raise DigestError("OPML, a list of feeds; add them with `paperbot sources import FILE`")
        raise DigestError("XML, but neither RSS nor Atom; export a library as BibTeX or RIS")
    return Feed(feed.feeddata, feed.entries, problems)


def _decoded(content: bytes) -> tuple[str, list[str]]:
    """Return the text in its declared encoding, and a sentence on a wrong one."""
    text = decode(content)
    # A byte-order mark overrides the declaration (RFC 7303, section 3).
    if detect_encoding(content):
        return text, []
    declaration = _DECLARATION.match(text.lstrip())
    declared = declaration[1] if declaration else "utf-8"
    encoding = charset(declared) or "undefined"
    try:
        # WHATWG's Encoding Standard has gb18030 for gb2312.
        return content.decode("gb18030" if encoding == "gb2312" else encoding), []
    except UnicodeError:
        return text, [f"the declared encoding is wrong (no valid {tidy(declared)}); another was detected"]


def _whole_items(text: str, problem: str) -> tuple[str, str]:
    """Return malformed XML up to its last whole title, and a sentence on the mistake."""
    root = _ROOT.match(text)
    end = f"</{root[0][1 : limits.ID]}" if root else ""
    if end in text:
        return text, f"no well-formed XML ({problem}); what could be read was taken"
    # Half a title would be another paper.
    *_, last = [None, *_ITEM.finditer(text)]
    text = text[: last.start()] if last and not _TITLE_END.search(text, last.end()) else text
    remedy = "the papers before that were read. Get the whole feed for the others"
    return text, f"{CUT_OFF}the feed ends before its {end}>; {remedy}"


class _FeedReader(StrictFeedParser):  # type: ignore[misc]  # feedparser ships no types
    """feedparser's SAX handler, with ``feeddata``, ``entries`` and ``version`` as results.

    ``feedparser.parse`` takes more than linear time. Here its handler gets the events of a strict parser.
    """

    def __init__(self) -> None:
        super().__init__("", None, "utf-8")
        self.sanitize_html = False  # it would take the "$x<y$" of an abstract for a tag
        self.resolve_relative_uris = False
        self._skipped = 0  # elements that are open, from an unread one down

    def read(self, document: str) -> str:
        """Read a document up to a mistake, and return that. Raises DigestError at a cap."""
        # No XXE and no "billion laughs": the prolog with its entities is gone.
        parser = ExpatParser(namespaceHandling=1)
        parser.setFeature(feature_external_ges, False)
        parser.setContentHandler(self)
        parser.setErrorHandler(self)
        try:
            parser.feed(document)
            parser.close()
        except (DigestError, MemoryError):
            raise
        except Exception as error:  # expat and feedparser raise many types
            return tidy(str(error)[:200]) or type(error).__name__
        return ""

    def startElementNS(self, name: Any, qname: Any, attrs: Any) -> None:  # noqa: N802 - as xml.sax calls it
        if len(attrs) > _MAX_ATTRIBUTES:
            raise DigestError(f"an element with {len(attrs):,} attributes, more than the {_MAX_ATTRIBUTES} it may have")
        local = name[1].lower()
        is_read_twice = local == "title" and bool(self.inentry) and "title" in self.entries[-1]
        if self._skipped or (not self.incontent and (local in _UNREAD or is_read_twice)):
            self._skipped += 1
        else:
            super().startElementNS(name, qname, attrs)

    def endElementNS(self, name: Any, qname: Any) -> None:  # noqa: N802 - as xml.sax calls it
        if self._skipped:
            self._skipped -= 1
        else:
            super().endElementNS(name, qname)

    # The next methods override private ones of feedparser, which constraints.txt pins.
    # The text of a date stays: feedparser 6.0.14 completes a partial one by the clock.
    _end_published = _end_issued = _end_pubdate = partialmethod(StrictFeedParser.pop, "published")
    _end_updated = _end_modified = _end_lastbuilddate = partialmethod(StrictFeedParser.pop, "updated")
    _end_created = partialmethod(StrictFeedParser.pop, "created")

    # JOSS has the names' parts, below an element of all authors.
    _start_given_name = _start_middle_name = _start_last_name = StrictFeedParser._start_name

    def _end_given_name(self) -> None:
        part = self.pop("name")
        if self.inauthor and (authors := self._get_context().get("authors")):
            authors[-1]["name"] = f"{authors[-1].get('name', '')} {part}".strip()

    _end_middle_name = _end_last_name = _end_given_name

    def _end_authors(self) -> None:
        context = self._get_context()
        people = context.get("authors")
        self.pop("authors")
        if isinstance(people, list):
            context["authors"] = people

    def _end_dc_identifier(self) -> None:
        context = self._get_context()
        if len(known := context.get("identifiers", "")) < limits.URL:
            context["identifiers"] = f"{known} {self.pop('dc_identifier')}"

    def _sync_author_detail(self, key: str = "author") -> None:
        """Split name and address only of short authors: feedparser takes n^2 steps."""
        context = self._get_context()
        author = str(context.get(key) or "")
        has_address = "@" in author and len(author) <= _LONGEST_NAME_WITH_ADDRESS
        if has_address and max(map(len, author.split())) <= 100:
            super()._sync_author_detail(key)
            return
        details = context.get(f"{key}s") or [{}]
        if author and not details[-1]:
            details[-1]["name"] = author

    def _add_tag(self, term: Any, scheme: Any, label: Any) -> None:
        """Add a category up to a limit: feedparser compares each with all others."""
        if len(self._get_context().get("tags", ())) < 10 * limits.CATEGORIES:
            super()._add_tag(term, scheme, label)


def _repair(text: str) -> str:
    """Return well-formed XML with the readable part of each item: an error costs only its item."""
    from lxml import etree

    def recovered(piece: str) -> str:
        parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
        try:
            root = etree.fromstring(piece.encode(), parser)
        except etree.XMLSyntaxError:
            return ""
        return "" if root is None else etree.tostring(root, encoding="unicode", with_tail=False)

    def escape(reference: re.Match[str]) -> str:
        if cdata := reference["verbatim"]:
            return cdata if cdata.endswith("]]>") else ""
        # XML lacks HTML's named references.
        name = reference["name"] or ""
        return html5.get(name) or f"&amp;{name}"

    text = _REFERENCE.sub(escape, text)
    begins = [match.start() for match in _ITEM.finditer(text)] or [len(text)]
    items = [recovered(text[begin:end]) for begin, end in pairwise([*begins, len(text)])]
    document = "".join([text[: begins[0]], *items])
    # feedparser finds elements by their namespace.
    missing = sorted({*_PREFIX.findall(document)}.difference({"xml", "xmlns"}, _DECLARED_PREFIX.findall(document)))
    declarations = "".join(
        f' xmlns:{prefix}="{_NAMESPACES.get(prefix, f"urn:{prefix}")}"' for prefix in missing[: limits.CATEGORIES]
    )
    return recovered(_ROOT.sub(lambda root: root[0] + declarations, document, count=1))
