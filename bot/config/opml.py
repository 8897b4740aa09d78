"""OPML, the list of feeds that feed readers export, as sources in ``paperbot.toml``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NoReturn
from urllib.parse import urlsplit
from xml.parsers import expat

import tomlkit

from bot import limits
from bot.errors import UsageError

MOST_FEEDS = 500


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed that the list names."""

    title: str
    url: str


def feeds_in(content: bytes) -> list[Feed]:
    """The feeds of a list, each address once; raises UsageError where it is none."""
    found: dict[str, Feed] = {}

    def outline(name: str, attributes: dict[str, str]) -> None:
        given = {key.lower(): value for key, value in attributes.items()}
        url = given.get("xmlurl", "").strip()
        if name.lower() == "outline" and _is_web_address(url):
            found.setdefault(url, Feed(given.get("title") or given.get("text") or "", url))

    parser = expat.ParserCreate()
    parser.StartElementHandler = outline
    parser.StartDoctypeDeclHandler = _refuse_declarations  # entities could make it explode
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError) as error:
        raise UsageError(f"no OPML: {error}") from None
    if not found or len(found) > MOST_FEEDS:
        raise UsageError(f"{len(found)} feeds in it; there should be 1 to {MOST_FEEDS}")
    return list(found.values())


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:  # such as http://[x
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and len(url) <= limits.URL


def _refuse_declarations(*_: object) -> NoReturn:
    raise UsageError("no OPML: it has a document type declaration; take that out")


def as_sources(feeds: Sequence[Feed], taken: Collection[str]) -> Iterator[tuple[str, str]]:
    """For each feed a name that is not taken, and its table for ``paperbot.toml``."""
    used = set(taken)
    for feed in feeds:
        name = _free_name(feed, used)
        used.add(name)
        url = tomlkit.item(feed.url).as_string()
        yield name, f'\n[[sources]]\nname = "{name}"\nkind = "feed"\nurl = {url}\n'


def _free_name(feed: Feed, used: Collection[str]) -> str:
    wanted = feed.title or urlsplit(feed.url).hostname or ""
    name = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")[:50].strip("-") or "feed"
    return next(free for n in count(1) if (free := name if n == 1 else f"{name}-{n}") not in used)
