"""Forwards connections to RabbitMQ and counts the messages that are published through it."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

_HEADER = len(b"AMQP\x00\x00\x09\x01")  # a client's first bytes
_FRAME = struct.Struct(">BHI")  # type, channel and size; a payload and an end byte follow
_METHOD = 1
_BASIC_PUBLISH = struct.pack(">HH", 60, 40)


class PublishedMessages:
    """Counts the ``basic.publish`` methods in what one client sends (AMQP 0-9-1, section 2.3.5)."""

    def __init__(self) -> None:
        self.count = 0
        self._buffer = bytearray()
        self._skip = _HEADER

    def add(self, data: bytes) -> None:
        """Read what the client has sent next."""
        self._buffer += data
        if self._skip and len(self._buffer) >= self._skip:
            del self._buffer[: self._skip]
            self._skip = 0
        while not self._skip and len(self._buffer) >= _FRAME.size:
            kind, _, size = _FRAME.unpack_from(self._buffer)
            if len(self._buffer) < _FRAME.size + size + 1:
                return
            payload = self._buffer[_FRAME.size : _FRAME.size + size]
            self.count += kind == _METHOD and payload.startswith(_BASIC_PUBLISH)
            del self._buffer[: _FRAME.size + size + 1]


class BrokerProxy:
    """A port that forwards to the broker."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._clients: list[PublishedMessages] = []

    @property
    def published(self) -> int:
        """How many messages all clients have published."""
        return sum(client.count for client in self._clients)

    @contextmanager
    def running(self) -> Iterator[int]:
        """Yield the port to connect to."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            Thread(target=self._accept, args=(server,), daemon=True).start()
            yield server.getsockname()[1]
            server.shutdown(socket.SHUT_RDWR)

    def _accept(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                broker = socket.create_connection(self._target)
                messages = PublishedMessages()
                self._clients.append(messages)
                Thread(target=_forward, args=(client, broker, messages), daemon=True).start()
                Thread(target=_forward, args=(broker, client, None), daemon=True).start()


def _forward(source: socket.socket, sink: socket.socket, messages: PublishedMessages | None) -> None:
    with suppress(OSError):
        while chunk := source.recv(65_536):
            if messages:
                messages.add(chunk)
            sink.sendall(chunk)
    for each in (source, sink):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
