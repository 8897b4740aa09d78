"""RSS and Atom feeds: blogs, journals, the announcements of rss.arxiv.org, and the answers of arXiv's API.

    bytes --decode--> XML --feedparser--> items --description: journal, authors, abstract--> papers
                       |                    |
                       +--malformed: repair-+

Titles and abstracts are plain text here, without the tags that blogs use; output encoding is the renderers' task.
feedparser's HTML sanitiser is switched off: an abstract's ``$x<y$`` looks like a tag to it.

Work is limited by counts of items, tags and references, not by a clock: the same bytes give the same digest on every
machine.
"""

from __future__ import annotations

import io
import re
import xml.sax
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from html import unescape
from html.entities import html5
from itertools import pairwise
from statistics import median_low
from time import struct_time
from typing import Any
from urllib.parse import unquote_plus
from xml.parsers import expat

from feedparser.api import StrictFeedParser

from bot.formats.format import (
    Document,
    author_names,
    build_digest,
    calendar_day,
    charset,
    decode,
    detect_encoding,
    from_arxiv,
    is_front_matter,
    plausible_date,
    quoted,
    reject_reason,
    tidy,
    without_affiliations,
)
from bot.model import Entry, Fact, FactKind, ParsedDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, arxiv_version_in, doi_in

MAX_ITEMS = 5_000
_MAX_TAGS = 100_000
_MAX_REFERENCES = 500_000
_MAX_ATTRIBUTES = 100  # of one element; feedparser looks for each among all
_MAX_CONTENTS = 10  # of one item: the same text in several forms
_LAST_YEAR = 2100  # a later one is a mistake in the feed, and date arithmetic on the year 9999 overflows
_XML = re.compile(r"<(\?xml|!doctype (?!html)|!--|rss|feed|rdf:rdf|opml|channel)\b|<!--", re.IGNORECASE)
# A list of tags, and not every "<...>": abstracts have inequalities.
_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|code|div|em|figcaption|figure|font|h[1-6]|hr|i|img|li|ol|p|pre|small|span"
    r"|strong|sub|sup|table|tbody|td|th|tr|tt|u|ul)(?:\s[^<>]{0,2000})?/?>",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(r"arXiv:(\S+) Announce Type: (\S+)\s*(?:Abstract: )?")
_HOSTS_WITH_ARXIV_IDS = re.compile(
    r"(?:arxiv\.org(?:/abs/|/pdf/|:)|huggingface\.co/papers/|10\.48550/arxiv\.)", re.IGNORECASE
)
# A reference to no character of Unicode; `html.unescape` raises on one of more than 4,300 digits.
_INVALID_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{8,}")
_QUERY = re.compile(r"arxiv query: search_query=([^&]*)&id_list=([^&]*)", re.IGNORECASE)


def parse(content: bytes) -> ParsedDigest:
    """Read one feed; raises DigestError if it exceeds a cap, can't be read, or is other XML."""
    text, encoding_problem = _decode_declared(content)
    for number, unit, cap in (
        (sum(1 for _ in _ITEM.finditer(text)), "items", MAX_ITEMS),
        (text.count("<"), "tags", _MAX_TAGS),
        (text.count("&"), "references", _MAX_REFERENCES),
    ):
        if number > cap:
            remedy = "; split it" if unit == "items" else ""
            raise DigestError(f"{number:,} {unit}, more than the {cap:,} that a feed may have{remedy}")

    feed = _read(text)
    if not feed.version:
        beginning = text[:2000].lower()
        if "<opml" in beginning:
            raise DigestError("OPML, a list of feeds; add them with `paperbot sources import FILE`")
        if "<html" in beginning:
            raise DigestError("an HTML page, not a feed; look on it for the feed's own address")
        raise DigestError("XML, but neither RSS nor Atom")

    day = _date(feed.feeddata, "updated_parsed", "published_parsed")
    if day is None:
        # The low median: a single item with a wrong date must not move the day of the feed.
        days = list(filter(None, (_date(item, "published_parsed", "updated_parsed") for item in feed.entries)))
        day = median_low(days) if days else None
    topic = _text((feed.feeddata.get("title") or "")[: limits.URL])
    if query := _QUERY.match(topic):  # the title of an answer of arXiv's API
        topic = f"arXiv {unquote_plus(query[1] or query[2])}".strip()
    results: list[Entry | str] = [*([encoding_problem] if encoding_problem else []), *feed.problems]
    for number, item in enumerate(feed.entries, 1):
        results.extend(_papers(number, item, day))
    return build_digest("feed", topic, day, results)


def _papers(number: int, item: Any, day: date | None) -> Iterator[Entry | str]:
    """Yield the paper of an item, or why it can't be read, or the paper and what was left out of it."""
    identifier = _value(item, "id")
    # arXiv reports an error as a feed with one entry.
    if "arxiv.org/api/errors" in identifier:
        yield f"arXiv answers: {_text(_value(item, 'summary'))[: limits.TITLE]}"
        return
    # Some feeds have a teaser and the full text.
    contents = [_value(content, "value") for content in item.get("content", ())[:_MAX_CONTENTS]]
    text = _text(max([_value(item, "summary"), *contents], key=len))
    # rss.arxiv.org puts the version and the type of the announcement before the abstract.
    announced = _ANNOUNCED.match(text)
    announcement = announced[2] if announced else _value(item, "arxiv_announce_type")
    title = _text(_value(item, "title"))[: limits.TITLE]
    description = Description(text[announced.end() :]) if announced else read_description(text)
    abstract = description.abstract
    authors = _authors(item) or description.authors
    if not abstract and not authors and is_front_matter(title):
        return
    if problem := reject_reason(f"item {number}", title, abstract):
        yield problem
        return

    date_in_feed = _date(item, "published_parsed", "updated_parsed")
    published = plausible_date(date_in_feed, day)
    if published != date_in_feed:
        yield f"item {number}: {quoted(title)} is dated {date_in_feed}, after its feed; the date is left out"

    link = tidy(_value(item, "link"))
    if not link.lower().startswith(("https://", "http://")) or " " in link:
        link = ""
    # A number such as 2504.08385 is an arXiv id only in an address of a site that uses them.
    hosts = ((address, _HOSTS_WITH_ARXIV_IDS.search(address[: limits.URL])) for address in (identifier, link))
    reference = next((text[host.end() : host.end() + limits.ID] for text, host in hosts if host), "")
    categories = (tidy(str(term)) for term in _categories(item) if term)
    yield Entry(
        title=title,
        abstract=abstract,
        authors=authors,
        published=published or description.published,
        arxiv_id=arxiv_id_in(reference),
        doi=_doi(item, link),
        # The arXiv id says more than arXiv's address, which names a version.
        url=None if "arxiv.org/" in link else link or None,
        version=arxiv_version_in(reference) or arxiv_version_in(announced[1] if announced else ""),
        categories=tuple(dict.fromkeys(filter(None, categories))),
        replacement=announcement.startswith("replace"),
        facts=from_arxiv(_text(_value(item, "arxiv_comment")), _text(_value(item, "arxiv_journal_ref")))
        or _venue(item, description),
    )


def _categories(item: Any) -> Iterator[object]:
    """Yield the categories of an item, arXiv's primary one first, as feedparser has them."""
    # An element of such a name without attributes is text.
    primary = item.get("arxiv_primary_category")
    yield primary.get("term") if isinstance(primary, dict) else primary
    yield from (tag.get("term") for tag in item.get("tags") or () if isinstance(tag, dict))


def _authors(item: Any) -> tuple[str, ...]:
    """Return the authors, whether the feed has one element for each or one for all."""
    authors = item.get("authors", ())
    if isinstance(authors, str):  # an element of IEEE's: "Ada Lovelace;Grace Hopper;"
        return author_names(_text(authors[: limits.BYLINE]))
    authors = authors[: limits.AUTHORS + 1]
    # All names together get the length of one author list, so that 5,000 long names cost no more than one.
    names = [_text(str(author.get("name") or "")[: limits.BYLINE // len(authors)]) for author in authors]
    names = [name for name in names if name]
    if len(names) != 1:
        return tuple(names)
    listed = author_names(without_affiliations(names[0]))
    # "Lovelace, Ada" is one author, "Ada Lovelace, Grace Hopper" are two.
    is_inverted_name = len(listed) == 2 and not all(" " in name for name in listed)
    return tuple(names) if is_inverted_name else listed


def _venue(item: Any, description: Description) -> tuple[Fact, ...]:
    """Return the journal that an item names in an element of its own (PRISM, Dublin Core) or in its description."""
    stated = _value(item, "prism_publicationname") or _value(item, "dc_source")
    venue = description.venue or _text(stated[: limits.URL])
    # Other feeds name a page there.
    return (Fact(FactKind.VENUE, venue, "feed"),) if venue and "://" not in venue else ()


def _doi(item: Any, link: str) -> str | None:
    """Return the DOI from the first element that has one; a link counts only if it leads to doi.org."""
    places = [item.get(name) for name in ("arxiv_doi", "prism_doi", "dc_identifier", "id")]
    places.append(link if "doi.org/" in link else None)
    dois = (doi_in(unquote_plus(str(place or "")[: limits.URL])) for place in places)
    return next(filter(None, dois), None)


def _value(element: Any, field: str) -> str:
    """Return a field's text; feedparser has None for a field without a text."""
    return str(element.get(field) or "")[: limits.MARKUP]


def _text(markup: str) -> str:
    """Return the text of markup: without tags, and with character references resolved where there were tags."""
    # The XML parser has resolved the references once. Where HTML is escaped inside XML they are escaped twice; in plain
    # text a second time would turn "&lt;" that an author wrote into "<".
    text, tags = _TAG.subn(" ", markup)
    return tidy(unescape(_INVALID_REFERENCE.sub("", text)) if tags else text)


def _date(element: Any, *fields: str) -> date | None:
    """Return the first of these times that an element has, as a date in UTC; None if it is impossible."""
    # dict.get, because feedparser's own get() returns the time of publication for a missing time of update.
    times = (dict.get(element, field) for field in fields)
    # A feed's own element of that name is text.
    parsed = next((time for time in times if isinstance(time, struct_time)), None)
    try:
        day = date(*parsed[:3]) if parsed else None
    except (ValueError, OverflowError):  # feedparser lets impossible dates pass
        return None
    return day if day and day.year <= _LAST_YEAR else None


# What publishers write around the abstract in an item's description:
#
# PubMed        J Owls. 2026 Jan 20;12(3):4-5. doi: 10.1234/owls.5. ABSTRACT ... PMID: 41000001 | DOI: 10.1234/owls.5
# Nature        Nature Owls, Published online: 20 January 2026; doi:10.1038/s49999-026-00001-2 ...
# Science, ACM  ACM Transactions on Owls, Volume 12, Issue 3, Page 4-5, March 2026. ...
# Elsevier      Publication date: March 2026 Source: Artificial Owls, Volume 12 Author(s): Ada Lovelace, Grace Hopper

# Repetitions are bounded: a description may have megabytes.
_MAX_CITATION = 600  # characters
_PUBMED_IDS = re.compile(r"\s?\d{1,9}(?:\s?\|\s?PMC:\s?\w{1,15})?(?:\s?\|\s?DOI:\s?\S{1,300})?\s*")
_NATURE = re.compile(r"(?P<venue>[^;]{2,200}?), Published online: [^;]{4,30}; doi:\s?10\.\S{1,300}\s*")
# A year alone does not show an issue: "We read the papers of ACL, 2023. ..."
_ISSUE = re.compile(
    r"(?P<venue>[^;]{2,200}?), (?:Ahead of Print|Volume [^.;]{1,80}?, (?:[A-Z][a-z/]{2,20} )?(?:19|20)\d\d)\.\s*"
)
_ELSEVIER = re.compile(
    r"Publication date: (?:Available online )?(?P<date>.{4,40}?)\s*Source:\s*(?P<venue>.{2,250}?)"
    r"\s*Author\(s\):\s*(?P<authors>.*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Description:
    """A description in its parts; a part that it doesn't have is empty."""

    abstract: str
    venue: str = ""
    authors: tuple[str, ...] = ()
    published: date | None = None


def read_description(text: str) -> Description:
    """Return the parts of a description without markup; all of it is the abstract if it has none of these forms.

    >>> read_description("Owl Letters, Volume 12, Issue 3, Page 4-5, March 2026. Owls see by night.")
    Description(abstract='Owls see by night.', venue='Owl Letters', authors=(), published=None)
    """
    if match := _ELSEVIER.fullmatch(text):
        day, _, month_and_year = match["date"].partition(" ")
        return Description(
            "",
            venue=match["venue"],
            authors=author_names(match["authors"]),
            published=calendar_day(day, *month_and_year.split()) if month_and_year.count(" ") == 1 else None,
        )
    citation, heading, rest = text.partition("ABSTRACT")
    abstract, _, ids = rest.rpartition("PMID:")
    if heading and len(citation) <= _MAX_CITATION and _PUBMED_IDS.fullmatch(ids):
        return Description(abstract.strip())
    if match := _NATURE.match(text) or _ISSUE.match(text):
        return Description(text[match.end() :], venue=match["venue"])
    return Description(text)


# The XML of a feed, read in time linear in its size, unlike by ``feedparser.parse``: the document is decoded and its
# prolog removed here, and feedparser's SAX handler gets the events of a strict parser. Malformed XML is repaired first,
# item by item, so that an error costs the item that it is in.

_ITEM = re.compile(r"<(?:\w+:)?(?:item|entry)\b", re.IGNORECASE)
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


class _FeedReader(StrictFeedParser):  # type: ignore[misc]  # feedparser ships no types
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

    def startElementNS(self, name: Any, qname: Any, attrs: Any) -> None:  # noqa: N802 - as xml.sax calls it
        if len(attrs) > _MAX_ATTRIBUTES:
            raise DigestError(f"an element with {len(attrs):,} attributes, more than the {_MAX_ATTRIBUTES} it may have")
        super().startElementNS(name, qname, attrs)

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


def _decode_declared(content: bytes) -> tuple[str, str | None]:
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


def _read(text: str) -> _FeedReader:
    """Return the feed in a document, with ``problems`` if it was repaired; DigestError if nothing can be read."""
    # Everything before the first element is skipped: neither declarations nor entities are needed.
    text = _FORBIDDEN.sub("", text).removeprefix("\ufeff")
    begin = 0
    while piece := _PROLOG.match(text, begin):
        begin = piece.end()
    body = text[begin:]
    reader = _FeedReader()
    try:
        reader.read(body)
    except DigestError:
        raise
    # Broken bytes make feedparser and expat raise many types: SAXParseException, AttributeError, IndexError, ...
    except Exception as error:
        problem = tidy(str(error)[:200])
    else:
        return reader
    reader = _FeedReader()
    try:
        reader.read(_repair(body))
    except DigestError:
        raise
    except Exception as error:
        if not reader.version:
            raise DigestError(f"a feed that can't be read ({tidy(str(error)[:200])})") from None
    reader.problems.append(
        f"no well-formed XML ({problem}); what could be read was taken, the last paper may be cut off"
    )
    return reader


def _repair(text: str) -> str:
    """Return well-formed XML with as much of each item as can be read; an item that can't be closed is dropped."""

    def escape(reference: re.Match[str]) -> str:
        if cdata := reference["verbatim"]:
            return cdata if cdata.endswith("]]>") else ""
        # HTML's named references, which XML lacks, become their characters; any other ampersand is escaped.
        name = reference["name"] or ""
        return html5.get(name) or f"&amp;{name}"

    text = _REFERENCE.sub(escape, text)
    begins = [match.start() for match in _ITEM.finditer(text)] or [len(text)]
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
        f' xmlns:{prefix}="{_NAMESPACES.get(prefix, f"urn:{prefix}")}"' for prefix in missing[: limits.CATEGORIES]
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


FEED = Document("RSS or Atom feed", _XML, parse)
