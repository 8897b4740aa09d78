"""Requests to one library by Zotero's web API (https://www.zotero.org/support/dev/web_api/v3/start).

``changes`` follows Zotero's guide to syncing. Leaving a followed collection changes an item's version, so its key is
among the removed ones.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bot.model import LibraryEntry, ParsedLibrary, RawDigest, ZoteroAccess, ZoteroChanges
from bot.model.addresses import is_loopback
from bot.model.clock import Deadline, Timer
from bot.model.errors import ConfigError, SourceError

if TYPE_CHECKING:
    import httpx2


_SECONDS = 60.0  # a page of a large library may take half a minute
_MAX_BYTES = 30_000_000  # 100 items with abstracts have 500 KB
_LONGEST_SLEEP = 20.0  # seconds of Backoff to sit out
_LONGEST_WAIT = 86_400.0
_DEFAULT_RETRY_AFTER = 600.0  # seconds
_REFUSED_FOR_NOW = (429, 503, 504)


class ZoteroError(SourceError):
    """``status`` is 0 without an answer. If ``is_sent``, the request may have arrived."""

    def __init__(
        self, message: str, *, status: int = 0, is_sent: bool = True, retry_after: float | None = None
    ) -> None:
        super().__init__(message, retry_after=retry_after)
        self.status = status
        self.is_sent = is_sent


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with a status below 400, and the version of library or item.

    ``total`` counts all results of a paged request. Both are 0 if missing.
    """

    status: int
    body: bytes
    version: int
    total: int

    def json(self, kind: type) -> Any:
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            raise ZoteroError("Zotero's answer is no valid JSON, or broke off", status=self.status) from None
        if not isinstance(value, kind):
            raise ZoteroError("Zotero's answer has another form than expected", status=self.status)
        return value


@dataclass(frozen=True, slots=True)
class KeyRights:
    """The rights of a key in a library. Only a user's own can be saved to."""

    library: str
    may_read: bool
    may_save: bool


class ZoteroApi:
    """One library. A context manager that closes its connections."""

    def __init__(
        self,
        url: str,
        access: ZoteroAccess,
        *,
        clock: Timer = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Raises ConfigError if ``url`` would send the key unencrypted over a network."""
        parts = urlsplit(url)
        if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
            problem = "must begin with https://, for readers' keys go there"
            raise ConfigError("paperbot.toml", "zotero.api_url", problem)
        self._url = url.rstrip("/")
        self._library = access.library
        self._clock = clock
        self._sleep = sleep
        self._not_before = 0.0  # on the clock, from Backoff
        import httpx2

        self._client = httpx2.Client(
            headers={
                "Zotero-API-Version": "3",
                "Zotero-API-Key": access.key,
                "Accept-Encoding": "identity",
            },
            timeout=_SECONDS,
            follow_redirects=False,  # a redirect would take the key along
            trust_env=False,
        )

    def __enter__(self) -> ZoteroApi:
        return self

    def __exit__(self, *exc: object) -> None:
        self._client.close()

    def key_rights(self, library: str | None) -> KeyRights:
        """Return the key's rights in ``users/123`` or ``groups/45``, by default its user's own."""
        info = self._request("GET", f"{self._url}/keys/current").json(dict)
        library = library or f"users/{info.get('userID')}"
        kind, _, number = library.partition("/")
        access = _object(info.get("access"))
        if kind == "users":
            rights = _object(access.get("user")) if str(info.get("userID")) == number else {}
            return KeyRights(library, bool(rights.get("library")), bool(rights.get("write")))
        groups = _object(access.get("groups"))
        rights = _object(groups.get(number) or groups.get("all"))
        return KeyRights(library, bool(rights.get("library")), may_save=False)

    def get(self, path: str, *, unless_version: int = 0, **parameters: str | int) -> Answer:
        """Return status 304 if unchanged since ``unless_version``."""
        headers = {"If-Modified-Since-Version": str(unless_version)} if unless_version else {}
        return self._request("GET", self._address(path), parameters=parameters, headers=headers)

    def post(self, path: str, objects: list[dict[str, Any]], *, token: str) -> Answer:
        """Create objects. Zotero refuses (412) a write token from the last hours."""
        return self._request("POST", self._address(path), json=objects, headers={"Zotero-Write-Token": token})

    def patch(self, path: str, changes: Mapping[str, Any], *, version: int) -> Answer:
        """Change an item. Zotero refuses (412) another version."""
        headers = {"If-Unmodified-Since-Version": str(version)}
        return self._request("PATCH", self._address(path), json=changes, headers=headers)

    def _address(self, path: str) -> str:
        return f"{self._url}/{self._library}/{path}"

    def _request(
        self,
        method: str,
        url: str,
        *,
        parameters: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        json: object = None,
    ) -> Answer:
        import httpx2

        wait = self._not_before - self._clock()
        if wait > _LONGEST_SLEEP:
            raise ZoteroError(f"Zotero asks to wait {wait:.0f} s", status=429, is_sent=False, retry_after=wait)
        if wait > 0:
            self._sleep(wait)
        deadline = Deadline(_SECONDS, self._clock)
        content = bytearray()
        try:
            with self._client.stream(
                method, url, params=parameters or {}, headers=headers or {}, json=json
            ) as response:
                for chunk in response.iter_raw():
                    content += chunk
                    if len(content) > _MAX_BYTES:
                        raise ZoteroError("Zotero's answer is too long", status=response.status_code)
                    deadline.remaining()
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise ZoteroError(
                f"can't reach Zotero: {_reason(error)}; check zotero.api_url and this machine's network", is_sent=False
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            raise ZoteroError(f"no answer from Zotero: {_reason(error)}") from None
        if backoff := _seconds(response.headers.get("backoff", "")):
            self._not_before = self._clock() + backoff
        status = response.status_code
        if 300 <= status < 400 and status != httpx2.codes.NOT_MODIFIED:
            raise ZoteroError(f"Zotero redirects ({status}); correct zotero.api_url", status=status)
        if status >= 400:
            raise _refusal(status, response.headers)
        return Answer(
            status,
            bytes(content),
            version=_number(response.headers.get("last-modified-version", "")),
            total=_number(response.headers.get("total-results", "")),
        )


def _refusal(status: int, headers: httpx2.Headers) -> ZoteroError:
    requested_wait = _seconds(headers.get("retry-after", "")) or _seconds(headers.get("backoff", ""))
    wait = requested_wait or (_DEFAULT_RETRY_AFTER if status in _REFUSED_FOR_NOW else None)
    meaning = {
        403: "the key has no access; connect again with one that has",
        404: "no such library or object",
        412: "changed meanwhile",
        429: "too many requests",
    }.get(status, "failed")
    return ZoteroError(f"Zotero answers {status}: {meaning}", status=status, retry_after=wait)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _seconds(value: str) -> float | None:
    """Return whole seconds, a day at most. Zotero sends no dates."""
    return min(float(value), _LONGEST_WAIT) if re.fullmatch(r"[0-9]{1,9}", value.strip()) else None


def _number(value: str) -> int:
    return int(value) if re.fullmatch(r"[0-9]{1,15}", value) else 0


def _reason(error: Exception) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())[:200]


PAGE = 100  # Zotero's maximum
MAX_ITEMS = 50_000

ParsePage = Callable[[RawDigest], ParsedLibrary]


def changes(api: ZoteroApi, collections: Sequence[str], since: int, parse: ParsePage) -> ZoteroChanges | None:
    """Return the changes since a version, 0 for everything, None without changes.

    ``collections`` are names that include all below them, empty for the whole library. Raises ZoteroError, and the
    errors of ``parse``.
    """
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
    # An item may be in several collections.
    by_key: dict[str, LibraryEntry] = {}
    skipped: Counter[str] = Counter()
    problems: list[str] = []
    for page, page_version in _pages(api, collections, since):
        version = version or page_version
        if page_version != version:
            raise ZoteroError("the library changed while it was read. Paperbot reads it again soon", retry_after=60.0)
        parsed = parse(RawDigest("zotero", "items", page))
        by_key |= {entry.key: entry for entry in parsed.entries if entry.key}
        problems += parsed.problems
        skipped.update(parsed.skipped)
    return ZoteroChanges(version, frozenset(gone), tuple(by_key.values()), skipped, tuple(problems))


def _pages(api: ZoteroApi, collections: Sequence[str], since: int) -> Iterator[tuple[bytes, int]]:
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
    """Return the keys of named collections and all below. Raises ZoteroError for an unknown name."""
    collections = all_collections(api)
    selected: dict[str, None] = {}
    for name in names:
        keys = [data["key"] for data in collections if data["name"] == name]
        if not keys:
            names = ", ".join(sorted({data["name"] for data in collections})[:10]) or "none"
            raise ZoteroError(f"no collection {name!r} in this library; it has: {names}", status=404)
        selected |= dict.fromkeys(keys)
    while below := [
        data["key"] for data in collections if data.get("parentCollection") in selected and data["key"] not in selected
    ]:
        selected |= dict.fromkeys(below)
    return list(selected)
