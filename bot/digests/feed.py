"""RSS and Atom feeds, arXiv's among them: the announcements of rss.arxiv.org, and the answers of its API.

feedparser reads them (``feed_xml.py``). What it would "sanitise" is kept: an abstract's ``$x<y$`` looks like a tag to
it. Titles and abstracts are plain text here, less the tags that blogs use, and whoever shows them escapes them.

Work is capped by what a feed has, not by a clock: the same bytes give the same digest on every machine. At the
caps, feedparser needs some two seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from html import unescape
from statistics import median_low
from time import struct_time
from typing import Any
from urllib.parse import unquote_plus

from bot import limits
from bot.digests.format import Document, collect
from bot.digests.text import tidy
from bot.digests.wording import flaw, names, plausible_date, quoted, without_affiliations
from bot.domain import Entry, ParsedDigest
from bot.errors import DigestError
from bot.identity import arxiv_id, arxiv_version

MAX_ITEMS = 5_000
_MAX_TAGS, _MAX_REFERENCES = 100_000, 500_000
_MAX_CONTENTS = 10  # of one item: the same text in several forms
_LAST_YEAR = 2100  # no paper is dated later
_XML = re.compile(r"<(\?xml|!doctype (?!html)|!--|rss|feed|rdf:rdf|opml|channel)\b|<!--", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|code|div|em|figcaption|figure|font|h[1-6]|hr|i|img|li|ol|p|pre|small|span"
    r"|strong|sub|sup|table|tbody|td|th|tr|tt|u|ul)(?:\s[^<>]{0,2000})?/?>",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(r"arXiv:(\S+) Announce Type: (\S+)\s*(?:Abstract: )?")
_HOSTS_WITH_ARXIV_IDS = re.compile(
    r"(?:arxiv\.org(?:/abs/|/pdf/|:)|huggingface\.co/papers/|10\.48550/arxiv\.)", re.IGNORECASE
)
# A reference to no character; `html.unescape` gives up on one of more than 4,300 digits.
_NO_CHARACTER = re.compile(r"&#[xX]?[0-9a-fA-F]{8,}")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s<>\"]+")
_QUERY = re.compile(r"arxiv query: search_query=([^&]*)&id_list=([^&]*)", re.IGNORECASE)


def _parse(content: bytes) -> ParsedDigest:
    from bot.digests import feed_xml  # imports feedparser

    text, wrong_encoding = feed_xml.decoded(content)
    _refuse_floods(text, sum(1 for _ in feed_xml.ITEM.finditer(text)))
    feed = feed_xml.read(text)
    if not feed.version:
        raise DigestError(_what_else(text))
    day = _day(feed)
    flaws = [*([wrong_encoding] if wrong_encoding else []), *feed.flaws]
    entries = (_paper(number, entry, day) for number, entry in enumerate(feed.entries, 1))
    papers = (result for results in entries for result in results)
    return collect("feed", _topic(feed.feeddata.get("title")), day, (*flaws, *papers))


def _refuse_floods(text: str, items: int) -> None:
    if items > MAX_ITEMS:
        raise DigestError(f"{items:,} items, more than the {MAX_ITEMS:,} that a feed may have; split it")
    for sign, what, cap in (("<", "tags", _MAX_TAGS), ("&", "references", _MAX_REFERENCES)):
        if text.count(sign) > cap:
            raise DigestError(f"{text.count(sign):,} {what}, more than the {cap:,} that a feed may have")


def _what_else(text: str) -> str:
    beginning = text[:2000].lower()
    if "<opml" in beginning:
        return "OPML, a list of feeds; add them with `paperbot sources import FILE`"
    if "<html" in beginning:
        return "an HTML page, not a feed; look on it for the feed's own address"
    return "XML, but neither RSS nor Atom"


def _paper(number: int, item: Any, day: date | None) -> Iterator[Entry | str]:
    """The paper of an item; where there is something to say of it, that too."""
    if "arxiv.org/api/errors" in _value(item, "id"):
        yield f"arXiv answers: {_text(_value(item, 'summary'))[: limits.TITLE]}"
        return
    entry = _entry(item)
    if problem := flaw(number, entry.title, entry.abstract):
        yield problem.replace("line", "item", 1)
        return
    published = plausible_date(entry.published, day)
    if published != entry.published:
        yield f"item {number}: {quoted(entry.title)} is dated {entry.published}, after its feed; the date is left out"
    yield replace(entry, published=published)


def _entry(item: Any) -> Entry:
    text, link = _text(_longest(item)), _web_address(_value(item, "link"))
    announced = _ANNOUNCED.match(text)
    announcement = announced[2] if announced else _value(item, "arxiv_announce_type")
    where = next(filter(None, map(_behind_arxiv, (_value(item, "id"), link))), "")
    return Entry(
        title=_text(_value(item, "title"))[: limits.TITLE],
        abstract=text[announced.end() :] if announced else text,
        authors=_authors(item),
        published=_date(item, "published_parsed", "updated_parsed"),
        arxiv_id=arxiv_id(where),
        doi=_doi(item, link),
        url=None if "arxiv.org/" in link else link or None,  # its id says more, and names no version
        version=arxiv_version(where) or arxiv_version(announced[1] if announced else ""),
        categories=_categories(item),
        replacement=announcement.startswith("replace"),
    )


def _behind_arxiv(address: str) -> str:
    """What stands in an address behind the name of a site that has arXiv's ids; nothing for other sites."""
    found = _HOSTS_WITH_ARXIV_IDS.search(address[: limits.URL])
    return address[found.end() : found.end() + limits.ID] if found else ""


def _value(element: Any, field: str) -> str:
    """A field's text; empty where the feed has the field without a text, which feedparser gives as None."""
    return str(element.get(field) or "")[: limits.MARKUP]


def _longest(entry: Any) -> str:
    """The abstract: some feeds have a teaser and the whole text."""
    contents = [_value(content, "value") for content in entry.get("content", ())[:_MAX_CONTENTS]]
    return max([_value(entry, "summary"), *contents], key=len)


def _text(markup: str) -> str:
    """Markup as text: known tags go, character references are resolved once more where tags were."""
    text, tags = _TAG.subn(" ", markup)
    return tidy(unescape(_NO_CHARACTER.sub("", text)) if tags else text)


def _authors(entry: Any) -> tuple[str, ...]:
    """The authors, whether the feed lists them one by one or all in one element."""
    authors = entry.get("authors", ())[: limits.AUTHORS + 1]
    listed = [_text(str(author.get("name") or "")[: limits.BYLINE // len(authors)]) for author in authors]
    listed = [name for name in listed if name]
    if len(listed) != 1:
        return tuple(listed)
    several = names(without_affiliations(listed[0]))
    is_one_name = len(several) == 2 and not all(" " in name for name in several)  # "Lovelace, Ada"
    return tuple(listed) if is_one_name else several


def _doi(entry: Any, link: str) -> str | None:
    places = (entry.get("arxiv_doi"), entry.get("prism_doi"), entry.get("dc_identifier"), entry.get("id"))
    for place in (*places, link if "doi.org/" in link else None):
        found = _DOI.search(unquote_plus(str(place or "")[: limits.URL]))
        if found and not found[0].lower().startswith("10.48550/arxiv."):
            return found[0].rstrip(".,;)")
    return None


def _categories(entry: Any) -> tuple[str, ...]:
    primary = entry.get("arxiv_primary_category") or {}
    terms = [primary.get("term"), *(tag.get("term") for tag in entry.get("tags", ()))]
    tidied = (tidy(str(term)) for term in terms if term)
    return tuple(dict.fromkeys(filter(None, tidied)))


def _web_address(link: str) -> str:
    link = tidy(link)
    return link if link.lower().startswith(("https://", "http://")) and " " not in link else ""


def _topic(title: str | None) -> str:
    """The feed's title; of an answer of arXiv's API, what it was asked for."""
    text = _text((title or "")[: limits.URL])
    if asked := _QUERY.match(text):
        text = f"arXiv {unquote_plus(asked[1] or asked[2])}".strip()
    return text


def _day(found: Any) -> date | None:
    """The day the feed is of: its own, else the one in the middle of its items' days."""
    own = _date(found.feeddata, "updated_parsed", "published_parsed")
    return own or _middle([_date(entry, "published_parsed") for entry in found.entries])


def _middle(days: Sequence[date | None]) -> date | None:
    known = [day for day in days if day]
    return median_low(known) if known else None


def _date(element: Any, *fields: str) -> date | None:
    """The first of these times that an element has, as a date in UTC; feedparser lets impossible ones pass."""
    # Its own get() takes the time of publication for that of an update.
    parsed: struct_time | None = next(filter(None, (dict.get(element, field) for field in fields)), None)
    try:
        found = date(*parsed[:3]) if parsed else None
    except (ValueError, OverflowError):
        return None
    return found if found and found.year <= _LAST_YEAR else None


FORMAT = Document(
    name="feed",
    title="RSS or Atom feed",
    recognises=lambda beginning: bool(_XML.match(beginning)),
    parse=_parse,
)
