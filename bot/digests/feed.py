"""RSS and Atom feeds: blogs, the announcements of rss.arxiv.org, and the answers of arXiv's API.

feedparser reads them (``feed_xml.py``), with its HTML sanitiser switched off: an abstract's ``$x<y$`` looks like a
tag to it. Titles and abstracts are plain text here, without the tags that blogs use; output encoding is the
renderers' task.

Work is capped by counts of items, tags and references, not by a clock: the same bytes give the same digest on every
machine. At the caps, feedparser needs some two seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from statistics import median_low
from time import struct_time
from typing import Any
from urllib.parse import unquote_plus

from bot import limits
from bot.decoding import tidy
from bot.digests.feed_descriptions import Description, read_description
from bot.digests.fields import (
    author_names,
    is_front_matter,
    plausible_date,
    quoted,
    reject_reason,
    split_authors,
)
from bot.digests.format import Document, build_digest
from bot.digests.stated_facts import from_arxiv
from bot.domain import Entry, Fact, FactKind, ParsedDigest
from bot.errors import DigestError
from bot.identity import arxiv_id, arxiv_version, doi

MAX_ITEMS = 5_000
VENUE_ORIGIN = "feed"
_MAX_TAGS = 100_000
_MAX_REFERENCES = 500_000
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
    # Imported here, so that commands that read no feed don't import feedparser.
    from bot.digests import feed_xml

    text, encoding_problem = feed_xml.decode_declared(content)
    for number, unit, cap in (
        (sum(1 for _ in feed_xml.ITEM.finditer(text)), "items", MAX_ITEMS),
        (text.count("<"), "tags", _MAX_TAGS),
        (text.count("&"), "references", _MAX_REFERENCES),
    ):
        if number > cap:
            remedy = "; split it" if unit == "items" else ""
            raise DigestError(f"{number:,} {unit}, more than the {cap:,} that a feed may have{remedy}")

    feed = feed_xml.read(text)
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
        days = [_date(item, "published_parsed", "updated_parsed") for item in feed.entries]
        dated = [published for published in days if published]
        day = median_low(dated) if dated else None
    topic = _text((feed.feeddata.get("title") or "")[: limits.URL])
    if query := _QUERY.match(topic):  # the title of an answer of arXiv's API
        topic = f"arXiv {unquote_plus(query[1] or query[2])}".strip()
    results: list[Entry | str] = [*([encoding_problem] if encoding_problem else []), *feed.problems]
    for number, item in enumerate(feed.entries, 1):
        results.extend(parse_paper(number, item, day))
    return build_digest("feed", topic, day, results)


def parse_paper(number: int, item: Any, day: date | None) -> Iterator[Entry | str]:
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
        arxiv_id=arxiv_id(reference),
        doi=_doi(item, link),
        # The arXiv id says more than arXiv's address, which names a version.
        url=None if "arxiv.org/" in link else link or None,
        version=arxiv_version(reference) or arxiv_version(announced[1] if announced else ""),
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
    return split_authors([name for name in names if name])


def _venue(item: Any, description: Description) -> tuple[Fact, ...]:
    """Return the journal that an item names in an element of its own (PRISM, Dublin Core) or in its description."""
    stated = _value(item, "prism_publicationname") or _value(item, "dc_source")
    venue = description.venue or _text(stated[: limits.URL])
    if "://" in venue:  # other feeds name a page there
        return ()
    return (Fact(FactKind.VENUE, venue, VENUE_ORIGIN),) if venue else ()


def _doi(item: Any, link: str) -> str | None:
    """Return the DOI from the first element that has one; a link counts only if it leads to doi.org."""
    places = [item.get(name) for name in ("arxiv_doi", "prism_doi", "dc_identifier", "id")]
    places.append(link if "doi.org/" in link else None)
    dois = (doi(unquote_plus(str(place or "")[: limits.URL])) for place in places)
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


FORMAT = Document(
    name="feed",
    title="RSS or Atom feed",
    recognises=lambda beginning: bool(_XML.match(beginning)),
    parse=parse,
)
