"""The pages' server: uvicorn, with bounds on what clients that never finish can hold.

A connection that waits for its client (for the rest of a request, or for an answer to be taken) is closed after
``client_seconds``. Where there are more than ``connections``, the one that has waited longest makes room for the
newest, so that half-open connections keep nobody out: uvicorn's own ``limit_concurrency`` would refuse the newest.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.app.limits import Limits

_PAGES_END = 2  # seconds that open requests get after a signal
_DROP = struct.pack("ii", 1, 0)  # linger for 0 seconds
_MINUTE = 60.0
_LINES_A_MINUTE = 100  # of the log, different ones
_UNFINISHED = (h11.IDLE, h11.SEND_BODY)


class _Config(uvicorn.Config):
    """uvicorn's configuration with limits of our own, and the connections that wait, longest first."""

    def __init__(self, web: ASGIApp, limits: Limits) -> None:
        # Addresses of pages hold tokens: no access log; what uvicorn logs passes the handlers of the root logger.
        super().__init__(
            web,
            http=_Connection,
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=bool(limits.trusted_proxies),
            forwarded_allow_ips=list(limits.trusted_proxies),
            timeout_graceful_shutdown=_PAGES_END,
            # asyncio accepts as many at one go, before the first of them can make room.
            backlog=min(limits.connections, 64),
        )
        self.limits = limits
        self.waiting: dict[_Connection, None] = {}


class _Connection(H11Protocol):
    """One connection; knows when it is the client that everything waits for."""

    config: _Config
    _deadline: asyncio.TimerHandle | None = None
    _is_full = False  # whether answers are taken more slowly than they are made

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self.config.limits.connections:
            next(iter(self.config.waiting))._give_up()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._review()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._go_on()
        self._wait()  # for the next request, or for this answer to be taken

    def pause_writing(self) -> None:
        super().pause_writing()
        self._is_full = True
        self._review()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._is_full = False
        self._go_on()
        self._review()

    def connection_lost(self, exc: Exception | None) -> None:
        self._go_on()
        super().connection_lost(exc)

    def _review(self) -> None:
        if self._is_full or self.conn.their_state in _UNFINISHED:
            self._wait()
        else:
            self._go_on()

    def _wait(self) -> None:
        """From now on, unless it waits already: bytes that drip in win no time."""
        if self._deadline is None:
            self.config.waiting[self] = None
            self._deadline = self.loop.call_later(self.config.limits.client_seconds, self._give_up)

    def _go_on(self) -> None:
        self.config.waiting.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._go_on()
        # What was not taken is dropped: else the system would keep it, and try to send it, for minutes.
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _DROP)
        self.transport.abort()


class Server(uvicorn.Server):
    """Serves the pages; calls ``told_to_stop`` as soon as a signal comes."""

    def __init__(self, web: ASGIApp, limits: Limits, told_to_stop: Callable[[], object]) -> None:
        super().__init__(_Config(web, limits))
        self._told_to_stop = told_to_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """As uvicorn has it."""
        self._told_to_stop()
        super().handle_exit(sig, frame)


@dataclass
class OncePerMinute(logging.Filter):
    """Lets the same line pass once a minute, and so many different ones: who provokes errors fills no disk.

    What was left out is counted at the first line of a later minute.
    """

    _began: float = 0.0
    _passed: set[str] = field(default_factory=set)
    _left_out: int = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged."""
        message = record.getMessage()
        if not 0 <= record.created - self._began < _MINUTE:
            if self._left_out:
                record.msg, record.args = f"{message} ({self._left_out} lines were left out before)", None
            self._began, self._passed, self._left_out = record.created, set(), 0
        if message in self._passed or len(self._passed) >= _LINES_A_MINUTE:
            self._left_out += 1
            return False
        self._passed.add(message)
        return True
