"""The pages' server over real sockets: clients that never finish hold little, and keep nobody out."""

from __future__ import annotations

import logging
import select
import socket
import threading
import urllib.request
from contextlib import ExitStack, contextmanager, suppress

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bot.app.limits import Limits
from bot.web.server import OncePerMinute, Server

LONG = 20_000_000  # bytes of an answer, more than the sockets' buffers hold


def web():
    return Starlette(
        routes=[
            Route("/client", lambda request: PlainTextResponse(request.client.host)),
            Route("/long", lambda _request: PlainTextResponse(b"x" * LONG)),
        ]
    )


@contextmanager
def serving(connections=20, client_seconds=600.0, trusted_proxies=()):
    """The port of a server with these limits, in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(web(), Limits(trusted_proxies, connections, client_seconds), lambda: None)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


def get(port, path="/client", **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read().decode()


def read_until_closed(connection):
    """Raises TimeoutError where the other side leaves the connection open."""
    connection.settimeout(30)
    with suppress(ConnectionError):
        while connection.recv(1_000):
            pass


HALF_OPEN = {
    "that say nothing": b"",
    "with half a header": b"GET /client HTTP/1.1\r\nHost: x\r\nX-",
    "with half a body": b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf",
}


@pytest.mark.parametrize("kind", HALF_OPEN)
def test_half_open_connections_keep_nobody_out(kind):
    with serving(connections=20) as port, ExitStack() as stack:
        clients = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(60)]
        for client in clients:
            with suppress(ConnectionError):  # it has had to make room already
                client.sendall(HALF_OPEN[kind])
        assert get(port) == "127.0.0.1"
        for client in clients[:40]:
            read_until_closed(client)


@pytest.mark.parametrize("kind", HALF_OPEN)
def test_a_client_that_does_not_finish_is_left_after_a_while(kind):
    with serving(client_seconds=1.0) as port, socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(HALF_OPEN[kind])
        read_until_closed(client)


def test_an_answer_that_is_not_taken_is_given_up():
    with serving(client_seconds=1.0) as port, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", port))
        client.sendall(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
        client.settimeout(30)
        assert client.recv(10).startswith(b"HTTP/1.1 2")
        hung_up = select.poll()
        hung_up.register(client, 0)
        assert hung_up.poll(30_000)


def test_a_long_answer_is_taken_whole_and_connections_are_used_again():
    with serving(client_seconds=30.0) as port:
        assert len(get(port, "/long")) == LONG
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            for _ in range(3):
                client.sendall(b"GET /client HTTP/1.1\r\nHost: x\r\n\r\n")
                answer = b""
                while not answer.endswith(b"127.0.0.1"):
                    part = client.recv(1_000)
                    assert part
                    answer += part


def test_who_says_on_whose_behalf_it_asks_is_believed_only_if_the_settings_name_it():
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    with serving() as port:
        assert get(port, **forwarded) == "127.0.0.1"
    with serving(trusted_proxies=["127.0.0.1/32"]) as port:
        assert get(port, **forwarded) == "203.0.113.9"
        assert get(port, **{"X-Forwarded-For": "198.51.100.1, 203.0.113.9"}) == "203.0.113.9"
    with serving(trusted_proxies=["10.0.0.0/8"]) as port:
        assert get(port, **forwarded) == "127.0.0.1"


def record(message, at):
    made = logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, message, (), None)
    made.created = at
    return made


def test_the_same_error_is_logged_once_a_minute_and_the_rest_is_counted():
    only = OncePerMinute()
    times = [1_000.0 + 0.1 * n for n in range(300)]
    assert [only.filter(record("socket.accept() failed", at)) for at in times].count(True) == 1
    assert only.filter(record("another", 1_030.0))
    later = record("socket.accept() failed", 1_061.0)
    assert only.filter(later)
    assert later.getMessage() == "socket.accept() failed (299 lines were left out before)"


def test_errors_that_all_differ_do_not_fill_the_log_either():
    only = OncePerMinute()
    assert [only.filter(record(f"error {n}", 1_000.0)) for n in range(10_000)].count(True) == 100
    assert only.filter(record("error 20000", 999.0)), "a clock that was set back begins a minute"
