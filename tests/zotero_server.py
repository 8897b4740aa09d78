"""Zotero's web API on loopback: one library with versions, collections, trash and deletions; and faults on request."""

import json
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from servers import HttpServer, answer, body_of

KEY = "a" * 24
Fault = Callable[[BaseHTTPRequestHandler], None]


class ZoteroServer(HttpServer):
    """``items`` and ``collections`` are the data of objects by key; ``faults`` happen to the next requests, in order.

    A fault is a status with headers, or a function of the request; None lets one request pass. ``requests`` are those
    that came, as method, path with query, and headers.
    """

    protocol = "HTTP/1.1"

    def __init__(self, library: str = "users/1") -> None:
        super().__init__()
        self.url = f"http://{self.host}"
        self.library = library
        self.version = 1
        self.items: dict[str, dict[str, Any]] = {}
        self.collections: dict[str, dict[str, Any]] = {}
        self.deleted: dict[str, int] = {}
        self.tokens: set[str] = set()
        self.access: dict[str, Any] = {"user": {"library": True, "write": True}, "groups": {}}
        self.faults: deque[tuple[int, dict[str, str]] | Fault | None] = deque()
        self.headers: dict[str, str] = {}  # added to each answer
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.before_page: Callable[[int], None] = lambda _start: None

        # A function, which becomes a method of the handler.
        self._server.RequestHandlerClass.do_PATCH = lambda request: self._serve(request)  # noqa: PLW0108

    # What somebody does in the library

    def put(self, key: str, **data: Any) -> None:
        self.version += 1
        stored = self.items.get(key, {"dateAdded": "2025-01-02T03:04:05Z", "collections": []})
        self.items[key] = stored | {"key": key, "itemType": "journalArticle"} | data | {"version": self.version}

    def delete(self, key: str) -> None:
        self.version += 1
        del self.items[key]
        self.deleted[key] = self.version

    def paths(self, method: str = "GET") -> list[str]:
        return [urlsplit(path).path for requested, path, _ in self.requests if requested == method]

    # The server's side

    def get(self, request: BaseHTTPRequestHandler) -> None:
        self._serve(request)

    def post(self, request: BaseHTTPRequestHandler) -> None:
        self._serve(request)

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append((request.command, request.path, headers))
        fault = self.faults.popleft() if self.faults else None
        body = json.loads(body_of(request) or b"null") if not callable(fault) else None
        if callable(fault):
            fault(request)
            return
        if fault:
            status, more = fault
            self._answer(request, b"refused", status, **more)
            return
        if headers.get("zotero-api-key") != KEY or headers.get("zotero-api-version") != "3":
            self._answer(request, b"Forbidden", 403)
            return
        parts = urlsplit(request.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/keys/current":
            self._json(request, {"userID": 1, "access": self.access})
            return
        prefix, _, path = parts.path[1:].partition(f"{self.library}/")
        if prefix or not path:
            self._answer(request, b"Not found", 404)
        elif request.command == "GET":
            self._read(request, path, query, headers)
        else:
            self._write(request, path, body, headers)

    def _read(self, request: BaseHTTPRequestHandler, path: str, query: dict[str, str], headers: dict[str, str]) -> None:
        since = int(query.get("since", 0))
        if int(headers.get("if-modified-since-version", 0)) >= self.version:
            self._answer(request, b"", 304)
        elif path == "deleted":
            self._json(request, {"items": [key for key, at in self.deleted.items() if at > since]})
        elif path.startswith("items/") and path.count("/") == 1 and path not in ("items/top", "items/trash"):
            item = self.items.get(path.removeprefix("items/"))
            if item is None:
                self._answer(request, b"Not found", 404)
            else:
                self._json(request, {"key": item["key"], "data": item}, version=item["version"])
        else:
            objects = self.collections if path == "collections" else self._items(path, query)
            data = [value for value in objects.values() if value.get("version", 1) > since]
            if query.get("format") == "versions":
                self._json(request, {value["key"]: value["version"] for value in data})
                return
            start = int(query.get("start", 0))
            self.before_page(start)
            page = data[start : start + min(int(query.get("limit", 25)), 100)]
            self._json(request, [{"key": value["key"], "data": value} for value in page], Total_Results=str(len(data)))

    def _items(self, path: str, query: dict[str, str]) -> dict[str, dict[str, Any]]:
        is_trash = path == "items/trash"
        items = {
            key: item
            for key, item in self.items.items()
            if bool(item.get("deleted")) is is_trash and "parentItem" not in item
        }
        if path.startswith("collections/"):
            collection = path.split("/")[1]
            items = {key: item for key, item in items.items() if collection in item["collections"]}
        if text := query.get("q", "").lower():
            fields = None if query["qmode"] == "everything" else ("title",)
            items = {
                key: item
                for key, item in items.items()
                if any(text in str(item.get(name, "")).lower() for name in fields or item)
            }
        return items

    def _write(self, request: BaseHTTPRequestHandler, path: str, body: Any, headers: dict[str, str]) -> None:
        if request.command == "PATCH":
            item = self.items.get(path.removeprefix("items/"))
            if item is None:
                self._answer(request, b"", 404)
            elif item["version"] != int(headers["if-unmodified-since-version"]):
                self._answer(request, b"", 412)
            else:
                self.put(item["key"], **body)
                self._answer(request, b"", 204)
            return
        token = headers["zotero-write-token"]
        if token in self.tokens:
            self._answer(request, b"", 412)
            return
        self.tokens.add(token)
        self.version += 1
        successful = {}
        for number, new in enumerate(body):
            objects = self.items if path == "items" else self.collections
            key = new.get("key") or f"COLLECT{len(self.collections)}"
            objects[key] = {"dateAdded": "2025-05-07T00:00:00Z"} | new | {"key": key, "version": self.version}
            successful[str(number)] = {"key": key, "version": self.version, "data": objects[key]}
        self._json(request, {"successful": successful, "unchanged": {}, "failed": {}})

    def _json(self, request: BaseHTTPRequestHandler, value: Any, *, version: int | None = None, **headers: str) -> None:
        self._answer(request, json.dumps(value).encode(), 200, version=version, **headers)

    def _answer(
        self,
        request: BaseHTTPRequestHandler,
        content: bytes,
        status: int,
        *,
        version: int | None = None,
        **headers: str,
    ) -> None:
        versions = {"Last_Modified_Version": str(version or self.version)}
        answer(request, content, status, **(versions | self.headers | headers))


def closed(request: BaseHTTPRequestHandler) -> None:
    """Close the connection without an answer."""
    body_of(request)
    request.close_connection = True
    request.connection.shutdown(2)


def truncated(request: BaseHTTPRequestHandler) -> None:
    """Answer JSON that breaks off."""
    body_of(request)
    answer(request, b'[{"key": "ABCD', 200, Last_Modified_Version="9", Total_Results="1")
