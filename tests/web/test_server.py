"""The web server over real sockets: slow clients hold little, and keep nobody out."""

import asyncio
import logging
import select
import socket
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bot.app import ClientLimits
from bot.web.server import LogRateLimit, Server

LONG = 20_000_000  # bytes of a response, more than the sockets' buffers hold
CLIENT_SECONDS = 600.0


class SteeredLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock a test can move, so that no test waits for a deadline."""

    offset = 0.0

    def time(self) -> float:
        return super().time() + self.offset

    def move(self, seconds: float) -> None:
        self.offset += seconds


@dataclass
class Running:
    """A server in a thread."""

    port: int
    loop: SteeredLoop
    server: Server

    def after(self, seconds: float) -> None:
        """Let time pass for the server."""
        # A request that is answered shows that the server has read what clients sent before it.
        assert get(self.port) == "127.0.0.1"
        self.loop.call_soon_threadsafe(self.loop.move, seconds)


def web():
    return Starlette(
        routes=[
            Route("/client", lambda request: PlainTextResponse(request.client.host)),
            Route("/long", lambda _request: PlainTextResponse(b"x" * LONG)),
        ]
    )


@contextmanager
def serving(connections=20, trusted_proxies=()) -> Iterator[Running]:
    """Run a server with these limits."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(web(), ClientLimits(trusted_proxies, connections, CLIENT_SECONDS), threading.Event())
    loop = SteeredLoop()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(server.serve(sockets=[listener]))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield Running(listener.getsockname()[1], loop, server)
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join()


def get(port, path="/client", **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.read().decode()


def read_until_closed(connection):
    """Raises TimeoutError if the other side leaves the connection open."""
    connection.settimeout(30)
    with suppress(ConnectionError):
        while connection.recv(1_000):
            pass


def test_responses_are_sent_without_waiting_for_the_clients_acknowledgement():
    # Python 3.11's asyncio sets TCP_NODELAY on no connection that a listener of ``socket.create_server`` accepts.
    with serving() as running, socket.create_connection(("127.0.0.1", running.port)) as client:
        client.sendall(b"GET /client HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1_000).startswith(b"HTTP/1.1 200")
        (connection,) = running.server.server_state.connections
        accepted = connection.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


HALF_OPEN = {
    "that say nothing": b"",
    "with half a header": b"GET /client HTTP/1.1\r\nHost: x\r\nX-",
    "with half a body": b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HALF_OPEN)
def test_half_open_connections_block_no_other_client(kind):
    with serving(connections=20) as server, ExitStack() as stack:
        clients = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(60)]
        for client in clients:
            with suppress(ConnectionError):  # it was closed already in favour of a newer one
                client.sendall(HALF_OPEN[kind])
        assert get(server.port) == "127.0.0.1"
        for client in clients[:40]:
            read_until_closed(client)


@pytest.mark.parametrize("kind", HALF_OPEN)
def test_a_client_that_does_not_finish_is_disconnected(kind):
    with serving() as server, socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(HALF_OPEN[kind])
        server.after(CLIENT_SECONDS)
        read_until_closed(client)


def test_a_client_that_does_not_read_the_response_is_disconnected():
    with serving() as server, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", server.port))
        client.sendall(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
        client.settimeout(30)
        assert client.recv(10).startswith(b"HTTP/1.1 2")
        server.after(CLIENT_SECONDS)
        hung_up = select.poll()
        hung_up.register(client, 0)
        assert hung_up.poll(30_000)


def test_a_client_that_sends_byte_by_byte_gets_no_more_time():
    with serving() as server, socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(b"GET /client HTTP/1.1\r\n")
        server.after(CLIENT_SECONDS / 2)
        client.sendall(b"X-Header: ")
        server.after(CLIENT_SECONDS / 2)
        read_until_closed(client)


def test_before_the_deadline_a_slow_request_is_answered():
    with serving() as server, socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
        client.sendall(b"GET /client HTTP/1.1\r\n")
        server.after(CLIENT_SECONDS - 60)
        client.sendall(b"Host: x\r\nConnection: close\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"


def test_a_long_response_is_complete_and_connections_are_reused():
    with serving() as server:
        assert len(get(server.port, "/long")) == LONG
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            for _ in range(3):
                client.sendall(b"GET /client HTTP/1.1\r\nHost: x\r\n\r\n")
                response = b""
                while not response.endswith(b"127.0.0.1"):
                    chunk = client.recv(1_000)
                    assert chunk
                    response += chunk


def test_forwarded_addresses_are_believed_only_from_trusted_proxies():
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    with serving() as server:
        assert get(server.port, **forwarded) == "127.0.0.1"
    with serving(trusted_proxies=["127.0.0.1/32"]) as server:
        assert get(server.port, **forwarded) == "203.0.113.9"
        assert get(server.port, **{"X-Forwarded-For": "198.51.100.1, 203.0.113.9"}) == "203.0.113.9"
    with serving(trusted_proxies=["10.0.0.0/8"]) as server:
        assert get(server.port, **forwarded) == "127.0.0.1"


def record(message, at):
    log_record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, message, (), None)
    log_record.created = at
    return log_record


def test_the_same_error_is_logged_once_a_minute_and_repetitions_are_counted():
    limit = LogRateLimit()
    times = [1_000.0 + 0.1 * n for n in range(300)]
    assert [limit.filter(record("socket.accept() failed", at)) for at in times].count(True) == 1
    assert limit.filter(record("another", 1_030.0))
    later = record("socket.accept() failed", 1_061.0)
    assert limit.filter(later)
    assert later.getMessage() == "socket.accept() failed (299 lines were suppressed before)"


def test_different_errors_do_not_fill_the_log_either():
    limit = LogRateLimit()
    assert [limit.filter(record(f"error {n}", 1_000.0)) for n in range(10_000)].count(True) == 100
    assert limit.filter(record("error 20000", 999.0)), "a clock that was set back starts a minute"
