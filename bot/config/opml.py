"""OPML, the format in which feed readers export their list of feeds, as sources for ``paperbot.toml``."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NoReturn
from urllib.parse import urlsplit
from xml.parsers import expat

import tomlkit

from bot import limits
from bot.errors import UsageError

MAX_FEEDS = 500


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed of the list."""

    title: str
    url: str


def parse_opml(content: bytes) -> list[Feed]:
    """Return the feeds of a list, each URL once; raises UsageError if it is not OPML or has no usable feed."""
    feeds: dict[str, Feed] = {}

    def start_element(name: str, attributes: dict[str, str]) -> None:
        # OPML names are case-sensitive by the specification, but exports have xmlurl and xmlURL too.
        lowered = {key.lower(): value for key, value in attributes.items()}
        url = lowered.get("xmlurl", "").strip()
        if name.lower() == "outline" and _is_web_address(url):
            feeds.setdefault(url, Feed(lowered.get("title") or lowered.get("text") or "", url))

    def refuse_doctype(*_: object) -> NoReturn:
        # Entities are declared in a document type declaration: "billion laughs" grows them exponentially.
        raise UsageError("not OPML: it has a document type declaration; remove that")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start_element
    parser.StartDoctypeDeclHandler = refuse_doctype
    try:
        parser.Parse(content, True)
    # LookupError: the file declares an encoding that Python lacks, or a codec that is no encoding, such as "hex".
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise UsageError(f"not OPML: {str(error)[:200]}") from None
    if not feeds or len(feeds) > MAX_FEEDS:
        raise UsageError(f"{len(feeds)} feeds in it; there should be 1 to {MAX_FEEDS}")
    return list(feeds.values())


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:  # such as http://[x
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and len(url) <= limits.URL


def source_tables(feeds: Sequence[Feed], used_names: Collection[str]) -> dict[str, str]:
    """Return a ``[[sources]]`` table for each feed by its name: made from its title, and different from others."""
    tables: dict[str, str] = {}
    for feed in feeds:
        title = feed.title or urlsplit(feed.url).hostname or ""
        stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:50].strip("-") or "feed"
        candidates = (stem if n == 1 else f"{stem}-{n}" for n in count(1))
        name = next(name for name in candidates if name not in used_names and name not in tables)
        # A URL may have quotes and control characters, which TOML needs escaped.
        url = tomlkit.item(feed.url).as_string()
        tables[name] = f'\n[[sources]]\nname = "{name}"\nkind = "feed"\nurl = {url}\n'
    return tables
