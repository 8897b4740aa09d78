"""Read the XML of a feed with feedparser, in time linear in its size.

``feedparser.parse`` is not called: it looks for the declared encoding, for entities and for addresses in names with
regular expressions of n^2 or n^3 steps (an author name of 40 KB: 12 s), and it reads malformed XML with a parser that
needs minutes and a gigabyte for some 10 MB. So the document is decoded and its prolog removed here, and feedparser's
SAX handler gets the events of a strict parser. Malformed XML is repaired first, item by item, so that an error costs
the item that it is in.
"""

from __future__ import annotations

import io
import re
import xml.sax
from html.entities import html5
from itertools import pairwise
from typing import Any
from xml.parsers import expat

from feedparser.api import StrictFeedParser

from bot import limits
from bot.decoding import charset, decode, detect_encoding, tidy
from bot.errors import DigestError

ITEM = re.compile(r"<(?:\w+:)?(?:item|entry)\b", re.IGNORECASE)
# Bounded repetitions: two unbounded ones that match the same characters take n^2 steps.
_DECLARATION = re.compile(r"<\?xml\s[^<>?]{0,200}?\bencoding\s{0,9}=\s{0,9}['\"]([^'\"<>]{1,40})['\"]")
_PROLOG = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!doctype[^<>\[]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
# Characters outside of XML 1.0's production [2], at which expat stops.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
# CDATA sections, in which an ampersand is a character, and ampersands that begin no reference of XML's own.
_REFERENCE = re.compile(
    r"(?P<verbatim><!\[CDATA\[.*?(?:\]\]>|\Z))"
    r"|&(?!(?:amp|lt|gt|quot|apos|\#\d{1,7}|\#x[0-9a-fA-F]{1,6});)(?P<name>\w{1,32};)?",
    re.DOTALL,
)
_PREFIX = re.compile(r"</?([A-Za-z][\w.-]{0,30}):")
_ATTRIBUTE_PREFIX = re.compile(r"\s([A-Za-z][\w.-]{0,30}):[A-Za-z][\w.-]{0,30}\s?=")
_DECLARED_PREFIX = re.compile(r"xmlns:([A-Za-z][\w.-]{0,30})=")
_ROOT = re.compile(r"<[^\s<>/]+")
# Prefixes that feeds use and forget to declare; feedparser knows elements by their namespace.
_NAMESPACES = {
    "arxiv": "http://arxiv.org/schemas/atom",
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "prism": "http://prismstandard.org/namespaces/basic/2.0/",
}
_LONGEST_NAME_WITH_ADDRESS = 320  # characters; an address has at most 254 (RFC 5321, 4.5.3.1.3)
_LONGEST_WORD = 100


class FeedReader(StrictFeedParser):  # type: ignore[misc]  # feedparser ships no types
    """feedparser's SAX handler; ``feeddata``, ``entries`` and ``version`` are what it has read."""

    def __init__(self) -> None:
        super().__init__("", None, "utf-8")
        self.sanitize_html = False
        self.resolve_relative_uris = False
        self.problems: list[str] = []

    def read(self, document: str) -> None:
        """Read a document; raises whatever expat and feedparser raise where it breaks, and keeps what came before."""
        # No XXE and no "billion laughs": the prolog, where entities are declared, has been removed.
        parser = xml.sax.make_parser()  # noqa: S317
        parser.setFeature(xml.sax.handler.feature_namespaces, True)
        parser.setFeature(xml.sax.handler.feature_external_ges, False)
        parser.setContentHandler(self)
        parser.setErrorHandler(self)
        source = xml.sax.xmlreader.InputSource()
        source.setEncoding("utf-8")
        source.setByteStream(io.BytesIO(document.encode("utf-8", "replace")))
        parser.parse(source)

    # The next two override private methods of feedparser, which constraints.txt pins; tests/hostile fails if a
    # release renames them.
    def _sync_author_detail(self, key: str = "author") -> None:
        """Split name and address of short authors only: feedparser searches for an address in n^2 steps."""
        context = self._get_context()
        author = str(context.get(key) or "")
        has_address = "@" in author and len(author) <= _LONGEST_NAME_WITH_ADDRESS
        if has_address and max(map(len, author.split())) <= _LONGEST_WORD:
            super()._sync_author_detail(key)
            return
        details = context.get(f"{key}s") or [{}]
        if author and not details[-1]:
            details[-1]["name"] = author

    def _add_tag(self, term: Any, scheme: Any, label: Any) -> None:
        """Add a category, up to a limit: feedparser compares each with all others."""
        if len(self._get_context().get("tags", ())) < 10 * limits.CATEGORIES:
            super()._add_tag(term, scheme, label)


def decode_declared(content: bytes) -> tuple[str, str | None]:
    """Return the document in the encoding that it declares, and a sentence if that is not its encoding."""
    decoded = decode(content)
    # A byte-order mark overrides the declaration (XML 1.0, appendix F; RFC 7303, section 3).
    if detect_encoding(content):
        return decoded, None
    declaration = _DECLARATION.match(decoded.lstrip())
    declared = declaration[1] if declaration else "utf-8"
    encoding = charset(declared)
    # gb18030 is a superset of gb2312, and documents that declare gb2312 often use it (WHATWG Encoding Standard).
    if encoding == "gb2312":
        encoding = "gb18030"
    try:
        return content.decode(encoding or "undefined"), None
    except UnicodeError:
        return decoded, f"the declared encoding is wrong (no valid {tidy(declared)}); another was detected"


def read(text: str) -> FeedReader:
    """Return the feed in a document, with ``problems`` if it was repaired; DigestError if nothing can be read."""
    # Everything before the first element is skipped: neither declarations nor entities are needed.
    text = _FORBIDDEN.sub("", text).removeprefix("\ufeff")
    begin = 0
    while piece := _PROLOG.match(text, begin):
        begin = piece.end()
    body = text[begin:]
    reader = FeedReader()
    try:
        reader.read(body)
    # Broken bytes make feedparser and expat raise many types: SAXParseException, AttributeError, IndexError, ...
    except Exception as error:
        problem = tidy(str(error)[:200])
    else:
        return reader
    reader = FeedReader()
    try:
        reader.read(repair(body))
    except Exception as error:
        if not reader.version:
            raise DigestError(f"a feed that can't be read ({tidy(str(error)[:200])})") from None
    reader.problems.append(
        f"no well-formed XML ({problem}); what could be read was taken, the last paper may be cut off"
    )
    return reader


def repair(text: str) -> str:
    """Return well-formed XML with as much of each item as can be read; an item that can't be closed is dropped."""

    def escape(reference: re.Match[str]) -> str:
        if cdata := reference["verbatim"]:
            return cdata if cdata.endswith("]]>") else ""
        # HTML's named references, which XML lacks, become their characters; any other ampersand is escaped.
        name = reference["name"] or ""
        return html5.get(name) or f"&amp;{name}"

    text = _REFERENCE.sub(escape, text)
    begins = [match.start() for match in ITEM.finditer(text)] or [len(text)]
    head, opened = _well_formed_prefix(text[: begins[0]])
    pieces = [head]
    for begin, end in pairwise([*begins, len(text)]):
        prefix, opened_in_item = _well_formed_prefix(text[begin:end])
        item = prefix + _closing_tags(opened_in_item)
        try:
            expat.ParserCreate("utf-8").Parse(item.encode(), True)
        except (expat.ExpatError, ValueError):
            continue
        pieces.append(item)
    document = "".join([*pieces, _closing_tags(opened)])

    # Declare the prefixes that the document uses without a declaration; namespaces are off up to here, since
    # ParserCreate takes prefixes as part of the names.
    prefixes = {*_PREFIX.findall(document), *_ATTRIBUTE_PREFIX.findall(document)} - {"xml", "xmlns"}
    # All declarations at once: to look for each of n prefixes in the document takes n^2 steps (10 MB: minutes).
    missing = sorted(prefixes.difference(_DECLARED_PREFIX.findall(document)))
    declarations = "".join(
        f' xmlns:{prefix}="{_NAMESPACES.get(prefix, f"urn:{prefix}")}"'
        for prefix in missing[: limits.CATEGORIES]
    )
    return _ROOT.sub(lambda root: root[0] + declarations, document, count=1)


def _well_formed_prefix(piece: str) -> tuple[str, list[str]]:
    """Return the piece up to where it ends or breaks, and the elements that are open there, outermost first."""
    opened: list[str] = []
    data = piece.encode()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda name, _: opened.append(name)
    parser.EndElementHandler = lambda _: opened.pop()
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError):
        data = data[: max(parser.ErrorByteIndex, 0)]
    # The error may be inside a tag, which is then removed as a whole.
    tag = data.rfind(b"<")
    if tag >= data.rfind(b">"):
        data = data[: max(tag, 0)]
    return data.decode(errors="replace"), opened


def _closing_tags(opened: list[str]) -> str:
    return "".join(f"</{name}>" for name in reversed(opened))
