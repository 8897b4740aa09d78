"""Servers on loopback that do what they are told: a web server, one that speaks raw bytes, a mailbox."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Page:
    """One answer."""

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Request:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]


class Web:
    """A web server whose pages are set in ``pages``: by path, or by a function of the request."""

    def __init__(self) -> None:
        self.pages: dict[str, Page | Callable[[Request], Page]] = {}
        self.requests: list[Request] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                request = Request(self.path, {name.lower(): value for name, value in self.headers.items()})
                web.requests.append(request)
                page = web.pages.get(self.path.partition("?")[0], Page(b"nothing here", 404))
                page = page if isinstance(page, Page) else page(request)
                self.send_response(page.status)
                for name, value in ({"Content-Length": str(len(page.content))} | page.headers).items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(page.content)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def running(self) -> Iterator[Web]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


@contextmanager
def speaking(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that lets ``answer`` do with each connection what it likes; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection, suppress(OSError):
                        connection.recv(65_536)
                        answer(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


class FakeTime:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds
