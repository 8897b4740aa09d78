"""Lists of feeds: OPML, in which feed readers export theirs, JSON, and plain addresses, one a line.

    <opml><body><outline text="Birds"><outline text="Owls" xmlUrl="https://..." htmlUrl="..."/></outline></body></opml>
    ["https://...", {"title": "Owls", "url": "https://..."}]
    https://... "~Owls"                     a line of Newsboat's list, whose title may be missing

An outline that can't be used costs itself, and is named by its line and title.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.formats.format import prose, quoted, tidy
from bot.formats.xml_tree import problems_of, read_xml, text_of
from bot.model import RawDigest, limits
from bot.model.addresses import fetch_url
from bot.model.errors import DigestError
from bot.model.papers import ListedFeed, ParsedFeeds

MAX_FEEDS = 500
_MAX_BYTES = 10_000_000
_OPML = re.compile(r"\s{0,20}(?:<\?[^>]{0,500}>\s{0,20}|<!--[^>]{0,2000}-->\s{0,20}){0,20}<opml[\s>/]", re.IGNORECASE)
# Papers' addresses are no feeds.
_LINE = re.compile(
    r"(?!\S{0,20}(?:arxiv\.org/(?:abs|pdf|html)|doi\.org)/)(?:feed:(?://)?)?(?:https?://)?[^\s\"<>|,]{4,2000}"
    r"(?:\s{1,9}\"[^\"]{0,200}\"){0,20}"
)
_NEWSBOAT_TITLE = re.compile(r"\"~([^\"]{1,200})\"")
_KEYS = ("xmlurl", "feedurl", "feed_url", "rss", "url", "href")
_JSON = re.compile(
    r"\{?\s{0,99}(?:\"(?:feeds|subscriptions)\"\s{0,9}:\s{0,9})?\[\s{0,99}"
    r"(?:\"(?:https?|feed):|\{[^{}\[\]]{0,999}\"(?:xmlUrl|feedUrl|feed_url|rss)\"\s{0,9}:)",
    re.IGNORECASE,
)
_NO_FEEDS = ("link", "include")


class _Outline(NamedTuple):
    place: str
    title: str
    address: str
    page: str = ""  # of a site whose feed is not named


def is_feed_list(text: str) -> bool:
    """Whether a text is a list of feeds, by its beginning; a feed, a programme or a list of papers is none."""
    beginning = text.lstrip("\ufeff \t\r\n")[:20_000]
    if _OPML.match(beginning) or _JSON.match(beginning):
        return True
    lines = [line.strip() for line in beginning.split("\n")[:20]]
    listed = [line for line in lines if line and not line.startswith("#")]
    return bool(listed) and all("://" in line and _LINE.fullmatch(line) for line in listed)


def parse(raw: RawDigest) -> ParsedFeeds:
    """Return the feeds of a list, each address once; raises DigestError if the bytes are none, or have too many."""
    text = text_of(raw.content, _MAX_BYTES, "list of feeds").removeprefix("\ufeff")
    problems: list[str] = []
    if text.lstrip().startswith("<"):
        form, outlines = "opml", _opml(text, problems)
    elif text.lstrip().startswith(("[", "{")):
        form, outlines = "json", _json(text)
    elif is_feed_list(text):
        form, outlines = "addresses", _lines(text)
    else:
        raise DigestError("not OPML; export the list of feeds as OPML, or write one address a line")
    feeds: dict[str, str] = {}
    for place, title, address, page in outlines:
        if not address:
            problems.append(f"{place}: {quoted(title or page)}: a page and no feed; look on it for its feed's address")
            continue
        # "feed:" stands before an address or instead of its scheme.
        url = re.sub(r"\Afeed:(?://)?(?=https?:)|\Afeed:(?=//)", "", address.strip(), flags=re.IGNORECASE)
        url = f"https:{url}" if url.startswith("//") else url
        try:
            if len(url) > limits.URL:
                raise ValueError(f"an address of more than {limits.URL:,} characters")
            feeds.setdefault(fetch_url(url), prose(title, limits.TITLE))
        except ValueError as error:
            problems.append(f"{place}: {quoted(title) + ': ' if title else ''}{error}")
    if len(feeds) > MAX_FEEDS or (not feeds and not problems):
        raise DigestError(f"{len(feeds):,} feeds in it; there should be 1 to {MAX_FEEDS}")
    return ParsedFeeds(
        form, tuple(ListedFeed(title, url) for url, title in feeds.items()), tuple(problems[: limits.REJECTED])
    )


def _opml(text: str, problems: list[str]) -> Iterator[_Outline]:
    root = read_xml(text)
    if root is None or str(root.tag).lower() != "opml":
        raise DigestError("not OPML: it does not begin with <opml>")
    problems += problems_of(root)
    for element in root.iter():
        # OPML names are case-sensitive by the specification, but exports have xmlurl and xmlURL too.
        values = {str(name).lower(): value for name, value in element.attrib.items()}
        if str(element.tag).lower() != "outline":
            continue
        title = tidy(values.get("title") or values.get("text") or "")
        kind = values.get("type", "").lower()
        address = values.get("xmlurl") or (values.get("url", "") if kind not in _NO_FEEDS else "")
        page = values.get("htmlurl") or values.get("url", "")
        if address or page:
            yield _Outline(f"line {element.sourceline:,}", title, address, page)


def _json(text: str) -> Iterator[_Outline]:
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    if isinstance(items, dict):
        items = items.get("feeds") or items.get("subscriptions")
    if not isinstance(items, list):
        raise DigestError("JSON, but no list of feeds; write an array of addresses, or of objects with title and url")
    for number, item in enumerate(items, 1):
        values = {str(key).lower(): value for key, value in item.items()} if isinstance(item, dict) else {"url": item}
        address = next((values[key] for key in _KEYS if isinstance(values.get(key), str)), "")
        title = next((values[key] for key in ("title", "name", "text") if isinstance(values.get(key), str)), "")
        yield _Outline(f"item {number:,}", tidy(title), address)


def _lines(text: str) -> Iterator[_Outline]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            title = _NEWSBOAT_TITLE.search(line[:3_000])
            yield _Outline(f"line {number:,}", title[1] if title else "", line.split()[0])
