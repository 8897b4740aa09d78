"""uvicorn with limits on slow clients, a defence against Slowloris.

A connection that waits for its client is closed after ``client_seconds``. Beyond ``connections``, the longest waiting
one makes room for the newest. uvicorn's ``limit_concurrency`` would refuse the newest with 503.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from threading import Event
from types import FrameType

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.app import ClientLimits

_GRACEFUL_SECONDS = 2  # for open requests after a signal
_NO_LINGER = struct.pack("ii", 1, 0)  # struct linger: on, 0 seconds
_UNFINISHED_REQUEST = (h11.IDLE, h11.SEND_BODY)

_MINUTE = 60.0  # seconds
_LINES_A_MINUTE = 100


class _Config(uvicorn.Config):
    def __init__(self, web: ASGIApp, limits: ClientLimits) -> None:
        super().__init__(
            web,
            # Only h11 tells how far a request has come.
            http=_Connection,
            ws="none",
            # The root logger handles messages. No access log, because paths contain tokens.
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=bool(limits.trusted_proxies),
            forwarded_allow_ips=list(limits.trusted_proxies),
            timeout_graceful_shutdown=_GRACEFUL_SECONDS,
            backlog=min(limits.connections, 64),
        )
        self.limits = limits
        # A set would lose the order.
        self.waiting: dict[_Connection, None] = {}


class _Connection(H11Protocol):
    """A connection with a deadline while it waits for its client."""

    config: _Config
    _deadline: asyncio.TimerHandle | None = None
    _is_write_buffer_full = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        # Without it, a second packet waits 40 ms for the client's delayed ACK.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._start_deadline()
        if len(self.connections) > self.config.limits.connections:
            next(iter(self.config.waiting))._abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_deadline()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._cancel_deadline()
        self._start_deadline()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._is_write_buffer_full = True
        self._update_deadline()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._is_write_buffer_full = False
        # The client has read a part, and gets the full time again.
        self._cancel_deadline()
        self._update_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def _update_deadline(self) -> None:
        if self._is_write_buffer_full or self.conn.their_state in _UNFINISHED_REQUEST:
            self._start_deadline()
        else:
            self._cancel_deadline()

    def _start_deadline(self) -> None:
        # A running deadline stays: a client must not gain time with each byte.
        if self._deadline is None:
            self.config.waiting[self] = None
            self._deadline = self.loop.call_later(self.config.limits.client_seconds, self._abort)

    def _cancel_deadline(self) -> None:
        self.config.waiting.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _abort(self) -> None:
        self._cancel_deadline()
        # Otherwise the kernel would try to send the rest for minutes (FIN_WAIT1).
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.transport.abort()


class Server(uvicorn.Server):
    """Serves the pages until SIGTERM or SIGINT sets ``stop``."""

    def __init__(self, web: ASGIApp, limits: ClientLimits, stop: Event) -> None:
        super().__init__(_Config(web, limits))
        self._stop = stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop the jobs before waiting for open requests."""
        self._stop.set()
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self._stop.is_set()


class LogRateLimit(logging.Filter):
    """Passes each line once a minute, and at most 100 lines, so errors don't fill the disk.

    A later line counts the suppressed ones.
    """

    def __init__(self) -> None:
        super().__init__()
        self._minute_started = 0.0
        self._passed: set[str] = set()
        self._suppressed = 0

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        # Negative after the clock was set back, which starts a minute too.
        if not 0 <= record.created - self._minute_started < _MINUTE:
            if self._suppressed:
                record.msg = f"{message} ({self._suppressed} lines were suppressed before)"
                record.args = None
            self._minute_started = record.created
            self._passed = set()
            self._suppressed = 0
        if message in self._passed or len(self._passed) >= _LINES_A_MINUTE:
            self._suppressed += 1
            return False
        self._passed.add(message)
        return True
