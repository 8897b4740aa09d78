"""Servers on loopback that do what they are told: one for HTTP, a web of pages, one that speaks raw bytes."""

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


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


class OnLoopback:
    """Runs ``_server`` in threads, until it is left."""

    _server: socketserver.TCPServer

    @contextmanager
    def running(self) -> Iterator[Self]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()


class HttpServer(OnLoopback):
    """A threaded HTTP server on a free port, at ``host``; subclasses say what ``get`` and ``post`` do."""

    protocol = "HTTP/1.0"

    def __init__(self) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = server.protocol

            def do_GET(self) -> None:
                server.get(self)

            def do_POST(self) -> None:
                server.post(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"

    def get(self, request: BaseHTTPRequestHandler) -> None:
        request.send_error(405)

    def post(self, request: BaseHTTPRequestHandler) -> None:
        request.send_error(405)


def body_of(request: BaseHTTPRequestHandler) -> bytes:
    return request.rfile.read(int(request.headers.get("Content-Length", 0)))


def answer(request: BaseHTTPRequestHandler, content: bytes, status: int = 200, **headers: str) -> None:
    """Answer, and don't mind a client that has left; header names have ``_`` for ``-``."""
    request.send_response(status)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    for name, value in ({"Content-Length": str(len(content))} | named).items():
        request.send_header(name, value)
    request.end_headers()
    with suppress(OSError):
        request.wfile.write(content)


class Web(HttpServer):
    """A web server whose pages are set in ``pages``: by path, or by a function of the request; or ``default``."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, Page | Callable[[Request], Page]] = {}
        self.default: Page | Callable[[Request], Page] = Page(b"nothing here", 404)
        self.requests: list[Request] = []
        self.url = f"http://{self.host}"

    def get(self, request: BaseHTTPRequestHandler) -> None:
        received = Request(request.path, {name.lower(): value for name, value in request.headers.items()})
        self.requests.append(received)
        page = self.pages.get(request.path.partition("?")[0], self.default)
        page = page if isinstance(page, Page) else page(received)
        answer(request, page.content, page.status, **page.headers)


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


class Clock:
    """A timer that advances only when waited on, and the stop signal of the run."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waits: list[float] = []
        self.stopped = False

    def __call__(self) -> float:
        return self.seconds

    def is_set(self) -> bool:
        return self.stopped

    def wait(self, seconds: float) -> None:
        self.seconds += seconds
        self.waits.append(seconds)
