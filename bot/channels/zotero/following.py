"""What changed in a Zotero library since a version, as Zotero's guide to syncing has it.

    items/top?since=VERSION, pages of 100 ----> entries to add
    the same as keys, items/trash, deleted ---> keys whose earlier entries go

An item that leaves the followed collections changes its version, so that its key is among those that go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from bot.channels.zotero.api import ZoteroApi, ZoteroError
from bot.domain import LibraryEntry, ParsedLibrary, RawDigest, ZoteroChanges

PAGE = 100  # the most that Zotero gives
MAX_ITEMS = 50_000
_ATTEMPTS = 3  # a library that somebody edits meanwhile is read again from the beginning

ParsePage = Callable[[RawDigest], ParsedLibrary]


class _Changed(Exception):  # noqa: N818 - a signal: the library got a new version while it was read
    pass


def changes(api: ZoteroApi, collections: Sequence[str], since: int, parse: ParsePage) -> ZoteroChanges | None:
    """Return what changed since a version, 0 for everything; None for nothing.

    ``collections`` are names, of which one names all below it too; none stand for the whole library. Raises
    ZoteroError, and what ``parse`` raises.
    """
    for _ in range(_ATTEMPTS):
        try:
            return _changes(api, collections, since, parse)
        except _Changed:
            continue
    raise ZoteroError("the library changes while it is read; it is read with the next poll", retry_after=60.0)


def _changes(
    api: ZoteroApi, collections: Sequence[str], since: int, parse: ParsePage
) -> ZoteroChanges | None:
    gone: set[str] = set()
    version = 0
    if since:
        changed = api.get("items/top", unless_version=since, since=since, format="versions")
        if changed.status == 304:
            return None
        version = changed.version
        trashed = api.get("items/trash", since=since, format="versions")
        deleted = api.get("deleted", since=since).json(dict).get("items")
        deleted_keys = [key for key in deleted if isinstance(key, str)] if isinstance(deleted, list) else []
        gone = {*changed.json(dict), *trashed.json(dict), *deleted_keys}
    entries: list[LibraryEntry] = []
    skipped: dict[str, int] = {}
    problems: list[str] = []
    for page, page_version in _pages(api, collections, since):
        version = version or page_version
        if page_version != version:
            raise _Changed
        parsed = parse(RawDigest("zotero", "items", page))
        entries += parsed.entries
        problems += parsed.problems
        for reason, count in parsed.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count
    # An item may be in several collections.
    by_key = {entry.key: entry for entry in entries if entry.key}
    return ZoteroChanges(version, frozenset(gone), tuple(by_key.values()), skipped, tuple(problems))


def _pages(api: ZoteroApi, collections: Sequence[str], since: int) -> Iterator[tuple[bytes, int]]:
    """Yield each page of the collections of these names, or of the whole library, with the library's version."""
    paths = ["items/top"]
    if collections:
        paths = [f"collections/{key}/items/top" for key in collection_keys(api, collections)]
    for path in paths:
        for start in range(0, MAX_ITEMS, PAGE):
            answer = api.get(
                path, since=since, limit=PAGE, start=start, format="json", sort="dateAdded", direction="asc"
            )
            yield answer.body, answer.version
            if start + PAGE >= answer.total:
                break
        else:
            raise ZoteroError(f"more than {MAX_ITEMS:,} items; name collections to follow")


def all_collections(api: ZoteroApi) -> list[dict[str, Any]]:
    """Return the data of a library's collections: key, name, and the key of the one that each is in."""
    collections: list[dict[str, Any]] = []
    for start in range(0, MAX_ITEMS, PAGE):
        answer = api.get("collections", limit=PAGE, start=start)
        items = answer.json(list)
        for item in items:
            data = item.get("data") if isinstance(item, dict) else None
            if isinstance(data, dict) and {type(data.get("key")), type(data.get("name"))} == {str}:
                collections.append(data)
        if start + PAGE >= answer.total or not items:
            break
    return collections


def collection_keys(api: ZoteroApi, names: Iterable[str]) -> list[str]:
    """Return the keys of the collections of these names and of all below; raises ZoteroError for an unknown name."""
    collections = all_collections(api)
    selected: dict[str, None] = {}
    for name in names:
        keys = [data["key"] for data in collections if data["name"] == name]
        if not keys:
            names = ", ".join(sorted({data["name"] for data in collections})[:10]) or "none"
            raise ZoteroError(f"no collection {name!r} in this library; it has: {names}", status=404)
        selected |= dict.fromkeys(keys)
    while below := [
        data["key"]
        for data in collections
        if data.get("parentCollection") in selected and data["key"] not in selected
    ]:
        selected |= dict.fromkeys(below)
    return list(selected)
