"""The XML of a feed, read by feedparser at a cost that grows with its size and no faster.

``feedparser.parse`` is not called: it looks for the declared encoding, for entities and for addresses in names by
patterns that take n^2 or n^3 steps, and what is no well-formed XML it reads by a parser that needs minutes and a
gigabyte for some 10 MB. So the text is decoded and freed of its prolog here, and feedparser's handler of a strict
XML parser gets it. XML that is not well-formed is mended first, item by item, so that what breaks costs its own item.
"""

from __future__ import annotations

import io
import re
import xml.sax
from html.entities import html5
from typing import Any
from xml.parsers import expat

from feedparser.api import StrictFeedParser

from bot import limits
from bot.digests.text import charset, decode, sniffed, tidy
from bot.errors import DigestError

ITEM = re.compile(r"<(?:\w+:)?(?:item|entry)\b", re.IGNORECASE)
_DECLARATION = re.compile(r"<\?xml\s[^<>?]{0,200}?\bencoding\s{0,9}=\s{0,9}['\"]([^'\"<>]{1,40})['\"]")
_PROLOG = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!doctype[^<>\[]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")  # in XML
_REFERENCE = re.compile(
    r"(?P<verbatim><!\[CDATA\[.*?(?:\]\]>|\Z))"
    r"|&(?!(?:amp|lt|gt|quot|apos|\#\d{1,7}|\#x[0-9a-fA-F]{1,6});)(?P<name>\w{1,32};)?",
    re.DOTALL,
)
_PREFIX = re.compile(r"</?([A-Za-z][\w.-]{0,30}):")
_ATTRIBUTE_PREFIX = re.compile(r"\s([A-Za-z][\w.-]{0,30}):[A-Za-z][\w.-]{0,30}\s?=")
_ROOT = re.compile(r"<[^\s<>/]+")
_NAMESPACES = {
    "arxiv": "http://arxiv.org/schemas/atom",
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "prism": "http://prismstandard.org/namespaces/basic/2.0/",
}
_LONGEST_NAME_WITH_ADDRESS = 320  # characters: an address has at most 254
_LONGEST_WORD = 100


class FeedReader(StrictFeedParser):  # type: ignore[misc]  # feedparser ships no types
    """feedparser's handler of XML's events: ``feeddata``, ``entries`` and ``version`` are what it has read."""

    def __init__(self) -> None:
        super().__init__("", None, "utf-8")
        self.sanitize_html = False
        self.resolve_relative_uris = False
        self.flaws: list[str] = []

    def read(self, text: str) -> None:
        """Takes the document in; raises what the parser raises where it breaks, keeping what came before."""
        parser = xml.sax.make_parser()  # noqa: S317 - no entities: the prolog, where they are declared, is gone
        parser.setFeature(xml.sax.handler.feature_namespaces, True)
        parser.setFeature(xml.sax.handler.feature_external_ges, False)
        parser.setContentHandler(self)
        parser.setErrorHandler(self)
        source = xml.sax.xmlreader.InputSource()
        source.setEncoding("utf-8")
        source.setByteStream(io.BytesIO(text.encode("utf-8", "replace")))
        parser.parse(source)

    def _sync_author_detail(self, key: str = "author") -> None:
        """feedparser's, where the author is short: it looks for an address in it, in n^2 steps for n letters."""
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
        """feedparser's, which compares each category with all others, for as many as a paper may have."""
        if len(self._get_context().get("tags", ())) < 10 * limits.CATEGORIES:
            super()._add_tag(term, scheme, label)


def decoded(content: bytes) -> tuple[str, str | None]:
    """The document in the encoding that it declares, and a sentence where that is not its encoding."""
    guessed = decode(content)
    if sniffed(content):
        return guessed, None
    declaration = _DECLARATION.match(guessed.lstrip())
    declared = declaration[1] if declaration else "utf-8"
    encoding = charset(declared)
    try:
        # gb18030 holds all of gb2312, and what is declared as that is more as often as not.
        return content.decode("gb18030" if encoding == "gb2312" else encoding or "undefined"), None
    except UnicodeError:
        return guessed, f"the declared encoding is wrong (no valid {tidy(declared)}); another was guessed"


def read(text: str) -> FeedReader:
    """The feed in a document; what was mended stands in ``flaws``. Raises DigestError where nothing can be read."""
    body = _without_prolog(_FORBIDDEN.sub("", text))
    reader = FeedReader()
    try:
        reader.read(body)
    except Exception as error:  # whatever broken bytes make feedparser and expat raise
        problem = tidy(str(error)[:200])
    else:
        return reader
    reader = FeedReader()
    try:
        reader.read(_mended(body))
    except Exception as error:
        if not reader.version:
            raise DigestError(f"a feed that can't be read ({tidy(str(error)[:200])})") from None
    reader.flaws.append(
        f"no well-formed XML ({problem}); what could be read was taken, the last paper may be cut off"
    )
    return reader


def _without_prolog(text: str) -> str:
    """The document from its first element on: declarations of entities are not wanted, nor needed."""
    at = 0
    text = text.removeprefix("\ufeff")
    while piece := _PROLOG.match(text, at):
        at = piece.end()
    return text[at:]


def _mended(text: str) -> str:
    """XML that a strict parser takes, with what can be read of each item."""
    text = _REFERENCE.sub(_escaped, text)
    edges = [match.start() for match in ITEM.finditer(text)] or [len(text)]
    head, opened = _readable(text[: edges[0]])
    items = (_closed(text[begin:end]) for begin, end in zip(edges, [*edges[1:], len(text)], strict=True))
    return _with_namespaces(f"{head}{''.join(items)}{_closing(opened)}")


def _escaped(reference: re.Match[str]) -> str:
    """A reference that XML knows: HTML's by their character, and an ampersand that begins none as one."""
    if reference["verbatim"]:
        return reference["verbatim"] if reference["verbatim"].endswith("]]>") else ""
    name = reference["name"] or ""
    return html5.get(name) or f"&amp;{name}"


def _closed(piece: str) -> str:
    """An item as far as it can be read, with all of its elements closed; nothing where even so it is no XML."""
    readable, opened = _readable(piece)
    item = f"{readable}{_closing(opened)}"
    try:
        expat.ParserCreate("utf-8").Parse(item.encode(), True)
    except (expat.ExpatError, ValueError):
        return ""
    return item


def _readable(piece: str) -> tuple[str, list[str]]:
    """The piece up to where it ends or breaks, and the elements that are open there, from the outside in."""
    opened: list[str] = []
    data = piece.encode()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda name, _: opened.append(name)
    parser.EndElementHandler = lambda _: opened.pop()
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError):
        data = data[: max(parser.ErrorByteIndex, 0)]
    tag = data.rfind(b"<")  # the error may stand inside a tag
    return (data if tag < data.rfind(b">") else data[: max(tag, 0)]).decode(errors="replace"), opened


def _closing(opened: list[str]) -> str:
    return "".join(f"</{name}>" for name in reversed(opened))


def _with_namespaces(text: str) -> str:
    """The document with the prefixes declared that its author forgot."""
    used = {*_PREFIX.findall(text), *_ATTRIBUTE_PREFIX.findall(text)} - {"xml", "xmlns"}
    missing = sorted(prefix for prefix in used if f"xmlns:{prefix}=" not in text)[: limits.CATEGORIES]
    declared = "".join(f' xmlns:{name}="{_NAMESPACES.get(name, f"urn:{name}")}"' for name in missing)
    return _ROOT.sub(lambda root: root[0] + declared, text, count=1)
