"""Lists of feeds: OPML, the export of feed readers, and plain addresses, one a line.

    <opml><body><outline text="Birds"><outline text="Owls" xmlUrl="https://..." htmlUrl="..."/></outline></body></opml>

A bad outline costs only itself, and gets a message with its line and title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.formats.format import decode, prose, quoted, read_xml, tidy
from bot.model import RawDigest, limits
from bot.model.addresses import fetch_url
from bot.model.errors import DigestError
from bot.model.papers import ListedFeed, ParsedFeeds

MAX_FEEDS = 500
_MAX_BYTES = 10_000_000
_OPML = re.compile(r"\s{0,20}(?:<\?[^>]{0,500}>\s{0,20}|<!--[^>]{0,2000}-->\s{0,20}){0,20}<opml[\s>/]", re.IGNORECASE)
# Papers' addresses are no feeds.
_LINE = re.compile(r"(?!\S{0,20}(?:arxiv\.org/(?:abs|pdf|html)|doi\.org)/)(?:https?|feed):[^\s\"<>|,]{4,2000}")
_Outline = tuple[int, str, str, str]  # the line, the feed's address, its title, and the page of its site


def is_feed_list(text: str) -> bool:
    """Whether a text begins like a list of feeds, and not like a feed, a programme or a list of papers."""
    beginning = text.lstrip("\ufeff \t\r\n")[:20_000]
    listed = [address for _, address, _, _ in _lines("\n".join(beginning.split("\n")[:20]))]
    return bool(_OPML.match(beginning)) or (bool(listed) and all(map(_LINE.fullmatch, listed)))


def parse(raw: RawDigest) -> ParsedFeeds:
    """Return the feeds of a list, each address once. Raises DigestError for other files and long lists."""
    text = decode(raw.content, _MAX_BYTES, "list of feeds").removeprefix("\ufeff")
    problems: list[str] = []
    if text.lstrip().startswith("<"):
        form, outlines = "opml", _outlines(text, problems)
    elif is_feed_list(text):
        form, outlines = "addresses", _lines(text)
    else:
        raise DigestError("not OPML; export the list of feeds as OPML, or write one address a line")
    feeds: dict[str, str] = {}
    for line, address, title, page in outlines:
        # "feed:" precedes an address or replaces its scheme.
        url = re.sub(r"\Afeed:(?://(?=https?:))?", "", address.strip(), count=1, flags=re.IGNORECASE)
        url = f"https:{url}" if url.startswith("//") else url
        try:
            if not url:
                raise ValueError("a page and no feed; look on it for its feed's address")
            if len(url) > limits.URL:
                raise ValueError(f"an address of more than {limits.URL:,} characters")
            feeds.setdefault(fetch_url(url), prose(title, limits.TITLE))
        except ValueError as error:
            name = title or page
            problems.append(f"line {line:,}: {quoted(name) + ': ' if name else ''}{error}")
    if len(feeds) > MAX_FEEDS or (not feeds and not problems):
        raise DigestError(f"{len(feeds):,} feeds in it; there should be 1 to {MAX_FEEDS}")
    return ParsedFeeds(
        form, tuple(ListedFeed(title, url) for url, title in feeds.items()), tuple(problems[: limits.REJECTED])
    )


def _outlines(text: str, problems: list[str]) -> Iterator[_Outline]:
    root, errors = read_xml(text, "opml", "not OPML: it does not begin with <opml>")
    problems += errors
    for element in root.iter("outline"):
        # OPML's names are case-sensitive, but exports have xmlurl and xmlURL, too.
        values = {str(name).lower(): value for name, value in element.attrib.items()}
        url = values.get("url", "")
        address = values.get("xmlurl") or ("" if values.get("type", "").lower() in ("link", "include") else url)
        page = values.get("htmlurl") or url
        if address or page:
            yield element.sourceline, address, tidy(values.get("title") or values.get("text") or ""), page


def _lines(text: str) -> Iterator[_Outline]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip(), "", ""
