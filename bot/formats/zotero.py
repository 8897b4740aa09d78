"""Items of Zotero's web API (version 3, ``format=json``), as ``items/top`` answers them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.formats.references import Reference, Unreadable, is_paper
from bot.model.errors import DigestError
from bot.text.decoding import UNWANTED

BEGINNING = re.compile(r"\A\s*\[\s*(?:\{\s*\"|\]\s*\Z)")

_KEY = re.compile(r"[A-Z0-9]{1,16}")
_PAPERS = frozenset(
    "journalArticle conferencePaper preprint report thesis manuscript bookSection magazineArticle".split()
)
_UNDECIDED = frozenset(("webpage", "document", "blogPost"))
_MENTIONS = ("archiveID", "extra", "publicationTitle", "number", "archiveLocation", "callNumber")


def references(text: str) -> Iterator[Reference | Unreadable]:
    """Yield the items of an answer; raises DigestError if it is no JSON, such as one that broke off."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        raise DigestError("no valid JSON, or it broke off") from None
    for position, item in enumerate(items, 1):
        data = item.get("data") if isinstance(item, Mapping) else None
        if isinstance(data, Mapping):
            key = item.get("key")
            yield _reference(data, key if isinstance(key, str) and _KEY.fullmatch(key) else "")
        else:
            yield Unreadable(position, "an item without data")


def _reference(data: Mapping[str, Any], key: str) -> Reference:
    def text(name: str) -> str:
        value = data.get(name)
        return UNWANTED.sub("", value) if isinstance(value, str) else ""

    kind = text("itemType")
    creators = data.get("creators")
    authors: list[str] = []
    for creator in creators if isinstance(creators, Sequence) else ():
        if isinstance(creator, Mapping) and creator.get("creatorType") in (None, "author"):
            # First name first; an institution has a single name.
            parts = (creator.get("firstName"), creator.get("lastName"), creator.get("name"))
            authors.append(" ".join(part for part in parts if isinstance(part, str) and part))
    return Reference(
        line=1,
        is_paper=is_paper(kind, _PAPERS, _UNDECIDED),
        title=text("title"),
        abstract=text("abstractNote"),
        authors=tuple(authors),
        published=text("date"),
        doi=text("DOI"),
        url=text("url"),
        mentions=tuple(text(name) for name in _MENTIONS),
        dates=(text("dateAdded"),),
        key=key,
    )
