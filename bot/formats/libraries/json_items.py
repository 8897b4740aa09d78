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
from bot.formats.libraries.reference import Reference, fields, reference
from bot.model.errors import DigestError

# An item, a list of them, or an object that begins with "items" or Better BibTeX's "config".
_FIRST = re.compile(r'\s{0,99}(?:\[\s{0,99}|\{\s{0,99}"(?:items|config)"\s{0,9}:|(?=\{))')
_ITEMS = re.compile(r'"items"\s{0,9}:\s{0,99}\[\s{0,99}')
_EMPTY = re.compile(r"\s*\[\s*\]\s*\Z")
_ZOTERO_KEY = re.compile(r"[A-Z0-9]{1,16}")
_CSL_FIELDS = frozenset("issued container-title accessed citation-key title-short citation-label".split())
_NAME_PARTS = (
    "firstName given first dropping-particle non-dropping-particle lastName family last suffix name literal".split()
)
Item = Mapping[str, Any]


def _first_item(text: str) -> Item:
    """Return the first object of a list. An empty answer of Zotero counts as an item without fields."""
    if _EMPTY.match(text[:1000]):
        return {"itemType": ""}
    first = _FIRST.match(text)
    if first and first[0].endswith(":"):
        first = _ITEMS.search(text, 0, 1_000_000)  # of Better BibTeX's settings and collections
    try:
        item = json.JSONDecoder().raw_decode(text, first.end())[0] if first else None
    except (ValueError, RecursionError):
        return {}
    return item if isinstance(item, dict) else {}


def _is_csl(item: Item) -> bool:
    authors = item.get("author")
    names = [name for name in authors if isinstance(name, Mapping)] if isinstance(authors, list) else []
    is_named = any("family" in name or "literal" in name for name in names)
    return {"type", "title"} <= item.keys() and (is_named or not _CSL_FIELDS.isdisjoint(item))


def _is_paperpile(item: Item) -> bool:
    return bool({"pubtype", "kind"} & item.keys()) and "title" in item and bool({"citekey", "incomplete"} & item.keys())


def _is_zotero(item: Item) -> bool:
    data = item.get("data", item)
    return isinstance(data, Mapping) and "itemType" in data


def begins(is_of_format: Callable[[Item], bool], text: str) -> int | None:
    return 0 if is_of_format(_first_item(text)) else None


BEGINS = {
    "zotero": partial(begins, _is_zotero),
    "csl-json": partial(begins, _is_csl),
    "paperpile": partial(begins, _is_paperpile),
}


def load(text: str) -> object:
    """Return the value of JSON. Raises DigestError for anything else, such as an answer that broke off."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DigestError("no valid JSON, or it broke off") from None


def references(text: str) -> Iterator[Reference | str]:
    loaded = load(text)
    items = loaded.get("items", [loaded]) if isinstance(loaded, Mapping) else loaded
    for position, item in enumerate(items if isinstance(items, list) else (), 1):
        data = item.get("data", item) if isinstance(item, Mapping) else None
        if isinstance(item, Mapping) and isinstance(data, Mapping) and data.keys() & {"title", "itemType"}:
            key = item.get("key")
            yield _reference(data, key if isinstance(key, str) and _ZOTERO_KEY.fullmatch(key) else "")
        else:
            yield f"item {position:,}: no title, and none of the fields of CSL-JSON, Zotero or Paperpile"


def _reference(item: Item, key: str) -> Reference:
    people = item.get("author", item.get("creators"))
    authors = [
        person
        for person in (people if isinstance(people, list) else ())
        if isinstance(person, Mapping) and person.get("creatorType") in (None, "author")
    ]
    names = (" ".join(filter(None, (_text(person.get(part)) for part in _NAME_PARTS))) for person in authors)
    record = {name: (_text(value),) for name, value in item.items()}
    return reference(record, fields("json"), authors=filter(None, names), key=key)


def _text(value: object) -> str:
    """Return a text, a number, the first of a list, or a date of CSL or Paperpile, else an empty string."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        days = parts[0] if isinstance(parts, list) and parts else [value.get(part) for part in ("year", "month", "day")]
        day = "-".join(filter(None, map(_text, days[:3] if isinstance(days, list) else ())))
        return day or _text(value.get("raw", value.get("literal", "")) if not parts else "")
    if isinstance(value, str):
        return UNWANTED.sub("", value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
