"""Libraries in JSON: CSL-JSON, Paperpile's export, and Zotero's items.

Zotero's web API (version 3, ``format=json``) wraps an item as ``{"key", "data": {"itemType", ...}}``; Better BibTeX
exports ``{"items": [{"itemType", ...}]}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from bot.formats.format import UNWANTED
from bot.formats.libraries.reference import Reference, day_in, day_of_second
from bot.model.errors import DigestError

# An item, a list of them, or an object that begins with "items" or Better BibTeX's "config".
_FIRST = re.compile(r'\s{0,99}(?:\[\s{0,99}|\{\s{0,99}"(?:items|config)"\s{0,9}:|(?=\{))')
_ITEMS = re.compile(r'"items"\s{0,9}:\s{0,99}\[\s{0,99}')
_EMPTY = re.compile(r"\s*\[\s*\]\s*\Z")
_LONGEST_HEAD = 1_000_000  # of Better BibTeX's settings and collections
_ZOTERO_KEY = re.compile(r"[A-Z0-9]{1,16}")
_ZOTERO_MENTIONS = ("archiveID", "extra", "publicationTitle", "number", "archiveLocation", "callNumber")
_ZOTERO_VENUES = ("publicationTitle", "proceedingsTitle", "bookTitle", "conferenceName")
_CSL_MENTIONS = ("note", "number", "archive_location", "publisher", "container-title")
_CSL_TYPES = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter classic collection dataset "
    "document entry entry-dictionary entry-encyclopedia event figure graphic hearing interview legal_case legislation "
    "manuscript map motion_picture musical_score pamphlet paper-conference patent performance periodical "
    "personal_communication post post-weblog regulation report review review-book software song speech standard thesis "
    "treaty webpage journal-article proceedings-article book-chapter posted-content".split()
)
_CSL_FIELDS = frozenset("issued author container-title accessed citation-key title-short".split())
Item = Mapping[str, Any]


def _is_zotero(item: Item) -> bool:
    data = item.get("data", item)
    return isinstance(data, Mapping) and "itemType" in data


def _is_csl(item: Item) -> bool:
    authors = item.get("author")
    has_names = isinstance(authors, list) and all(isinstance(name, Mapping) for name in authors)
    return (
        item.get("type") in _CSL_TYPES
        and "title" in item
        and (has_names or authors is None)
        and bool(_CSL_FIELDS & item.keys())
    )


def _is_paperpile(item: Item) -> bool:
    return ("pubtype" in item or "kind" in item) and "title" in item and ("citekey" in item or "incomplete" in item)


def _begins(is_of_format: Callable[[Item], bool], text: str) -> int | None:
    return 0 if is_of_format(_first_item(text)) else None


def _first_item(text: str) -> Item:
    """Return the first object of a list; an empty answer of Zotero has an item without fields."""
    if _EMPTY.match(text[:1000]):
        return {"itemType": ""}
    first = _FIRST.match(text)
    if first and first[0].endswith(":"):
        first = _ITEMS.search(text, 0, _LONGEST_HEAD)
    try:
        item = json.JSONDecoder().raw_decode(text, first.end())[0] if first else None
    except (ValueError, RecursionError):
        return {}
    return item if isinstance(item, dict) else {}


BEGINS = {
    "zotero": partial(_begins, _is_zotero),
    "csl-json": partial(_begins, _is_csl),
    "paperpile": partial(_begins, _is_paperpile),
}


def load(text: str) -> object:
    """Return what JSON holds; raises DigestError if it is none, such as an answer that broke off."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DigestError("no valid JSON, or it broke off") from None


def references(text: str) -> Iterator[Reference | str]:
    """Yield the items of a list; raises DigestError if it is no JSON."""
    loaded = load(text)
    items = loaded.get("items", [loaded]) if isinstance(loaded, Mapping) else loaded
    for position, item in enumerate(items if isinstance(items, list) else (), 1):
        if not isinstance(item, Mapping):
            yield f"item {position:,}: no object with the fields of a paper"
        elif isinstance(data := item.get("data"), Mapping):
            key = item.get("key")
            yield _zotero(data, key if isinstance(key, str) and _ZOTERO_KEY.fullmatch(key) else "")
        elif "itemType" in item:
            yield _zotero(item, "")
        elif "title" in item:
            yield _csl(item) if "type" in item else _paperpile(item)
        else:
            yield f"item {position:,}: no title, and none of the fields of CSL-JSON, Zotero or Paperpile"


def _text(value: object) -> str:
    """Return a text, the first one of a list, or a number; empty for anything else."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, str):
        return UNWANTED.sub("", value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _names(people: object, *parts: str) -> tuple[str, ...]:
    """Return the names of people, each an object with parts of it; an institution has one part only."""
    named = (person for person in (people if isinstance(people, list) else ()) if isinstance(person, Mapping))
    names = (" ".join(filter(None, (_text(person.get(part)) for part in parts))) for person in named)
    return tuple(name for name in names if name)


def _zotero(data: Item, key: str) -> Reference:
    creators = data.get("creators")
    authors = [
        creator
        for creator in (creators if isinstance(creators, list) else ())
        if isinstance(creator, Mapping) and creator.get("creatorType") in (None, "author")
    ]
    return Reference(
        type=_text(data.get("itemType")),
        title=_text(data.get("title")),
        abstract=_text(data.get("abstractNote")),
        authors=_names(authors, "firstName", "lastName", "name"),
        published=(_text(data.get("date")),),
        doi=_text(data.get("DOI")),
        urls=(_text(data.get("url")),),
        venue=next((venue for name in _ZOTERO_VENUES if (venue := _text(data.get(name)))), ""),
        mentions=tuple(_text(data.get(name)) for name in _ZOTERO_MENTIONS),
        added=day_in(_text(data.get("dateAdded"))),
        key=key,
    )


def _csl(item: Item) -> Reference:
    issued = item.get("issued", item.get("published"))
    parts = issued.get("date-parts") if isinstance(issued, Mapping) else None
    stated = (
        [_text(issued.get(name)) for name in ("raw", "literal")] if isinstance(issued, Mapping) else [_text(issued)]
    )
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        stated.append("-".join(_text(part) for part in parts[0][:3]))
    particles = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix", "literal")
    return Reference(
        type=_text(item.get("type")),
        title=_text(item.get("title")),
        abstract=_text(item.get("abstract")),
        authors=_names(item.get("author"), *particles),
        published=tuple(stated),
        doi=_text(item.get("DOI")),
        urls=(_text(item.get("URL")),),
        venue=_text(item.get("container-title")),
        mentions=tuple(_text(item.get(name)) for name in _CSL_MENTIONS),
    )


def _paperpile(item: Item) -> Reference:
    published = item.get("published")
    dates = [_text(published.get(part)) for part in ("year", "month", "day")] if isinstance(published, Mapping) else []
    return Reference(
        type=_text(item.get("pubtype", item.get("kind"))),
        title=_text(item.get("title")),
        abstract=_text(item.get("abstract")),
        authors=_names(item.get("author"), "first", "last", "collective"),
        published=("-".join(filter(None, dates)), _text(item.get("year"))),
        doi=_text(item.get("doi")),
        urls=(_text(item.get("url")),),
        venue=_text(item.get("journalfull")) or _text(item.get("journal")) or _text(item.get("booktitle")),
        arxiv_id=_text(item.get("arxivid")),
        mentions=(_text(item.get("journal")), _text(item.get("note"))),
        added=day_of_second(_text(item.get("created"))),
    )
