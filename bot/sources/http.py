"""Fetching over HTTP: the only socket that is opened to read what others publish.

    address --> wait for the host's turn --> resolve, check what it resolves to --> connect to just that
        --> request, without content encoding --> redirect? by hand, from the beginning --> body, up to a cap

One deadline holds for all of it, redirects included, and for every single read: a server that sends a byte a
second gains nothing. What an address or a redirect leads to may be anybody's, so addresses that are not public
are refused unless the settings name the host. The check and the connection use the same address; a name that
resolves differently the second time gains nothing either.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpcore2
import httpx2

from bot import __version__
from bot.errors import SourceError

MAX_BYTES = 10_000_000
MAX_REDIRECTS = 3
USER_AGENT = f"Paperbot/{__version__} (reads paper digests)"
# Seconds between two requests to one host. arXiv's API asks for three (info.arxiv.org/help/api/tou.html).
PAUSE, ARXIV_PAUSE = 1.0, 3.0
_SHORT_WAIT = 20.0  # seconds; a host that asks for so much is asked again at once, for more with a later run
_UNTIL_ASKED_AGAIN = 600.0  # seconds, where a busy host does not say
_CONNECT_SECONDS = 10.0
_MAX_REFUSAL = 20_000  # bytes read of an answer that is a refusal
_REDIRECTS = (301, 302, 303, 307, 308)
_BUSY = (429, 503)
# Public by their number, but each carries another address inside: NAT64, 6to4, Teredo, IPv4-compatible,
# IPv4-translated.
_TRANSLATED = tuple(
    map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "::ffff:0:0:0/96"))
)
_HOST_NAME = re.compile(
    r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62}){0,126}\.?"
)
_LONGEST_VALIDATOR = 500  # characters of an ETag or Last-Modified


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server sent; ``content`` is None where nothing changed since the last time (304)."""

    content: bytes | None
    etag: str = ""
    last_modified: str = ""


class HttpError(SourceError):
    """A refusal: HTTP's status, and the beginning of what the server said with it."""

    def __init__(self, message: str, status: int, body: bytes, *, retry_after: float | None) -> None:
        super().__init__(message, retry_after=retry_after)
        self.status, self.body = status, body


class Fetcher:
    """Fetches for all sources, so that it can be polite to a host that several share."""

    def __init__(
        self,
        *,
        private_hosts: Collection[str] = (),
        proxy: str = "",
        seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``private_hosts`` may have addresses that are not public; ``seconds`` is the deadline of one fetch.

        With ``proxy`` (``http://host:port``), it is the proxy that looks names up and connects: only addresses
        that are written as numbers can be checked here then.
        """
        self._private_hosts = {host.lower() for host in private_hosts}
        self._proxy = httpx2.URL(proxy) if proxy else None
        self._seconds, self._clock, self._sleep = seconds, clock, sleep
        self._last_request: dict[str, float] = {}

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Answer:
        """The content at an address, if it changed; raises SourceError, HttpError where the server refuses."""
        conditions = {"If-None-Match": _validator(etag), "If-Modified-Since": _validator(last_modified)}
        headers = {name: value for name, value in conditions.items() if value}
        try:
            return self._follow(url, headers)
        except HttpError as error:
            if error.retry_after is None or error.retry_after > _SHORT_WAIT:
                raise
            self._sleep(error.retry_after)
        return self._follow(url, headers)

    def _follow(self, url: str, headers: dict[str, str]) -> Answer:
        target = first = _web_address(url)
        deadline = _Deadline(self._seconds, self._clock)
        for _ in range(MAX_REDIRECTS + 1):
            # A public page must not lead to a host that the settings allow for itself alone.
            private = target.host == first.host and target.host in self._private_hosts
            if not private:
                self._wait_for_turn(target)
            outcome = self._request(target, headers, deadline, private)
            if isinstance(outcome, Answer):
                return outcome
            target = outcome
        raise SourceError(f"{url}: more than {MAX_REDIRECTS} redirects; name the address that it leads to")

    def _request(
        self, url: httpx2.URL, headers: dict[str, str], deadline: _Deadline, private: bool
    ) -> Answer | httpx2.URL:
        """One request: its answer, or the address that it is sent on to."""
        fixed = {"Host": url.netloc.decode(), "User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
        sent = [*fixed.items(), ("Accept", "*/*"), *headers.items()]
        try:
            with (
                self._connections(url, deadline, private) as connections,
                connections.stream("GET", str(url), headers=sent) as response,
            ):
                return _read(url, response)
        except httpcore2.TimeoutException:
            raise SourceError(f"{url}: no answer in time") from None
        except (
            httpcore2.NetworkError,
            httpcore2.ProtocolError,
            httpcore2.ProxyError,
            httpcore2.UnsupportedProtocol,
            OSError,
        ) as error:
            raise SourceError(f"{url}: {_reason(error)}") from None
        finally:
            self._last_request[url.host] = self._clock()

    def _connections(self, url: httpx2.URL, deadline: _Deadline, private: bool) -> httpcore2.ConnectionPool:
        """One connection for one request, through the proxy where there is one."""
        if self._proxy is None:
            backend = _CheckedBackend(deadline, allow_private=private)
            return httpcore2.ConnectionPool(ssl_context=self._tls, network_backend=backend)
        if not private:
            _refuse_private(url.host, _written_out(url.host))
        return httpcore2.HTTPProxy(
            str(self._proxy),
            ssl_context=self._tls,
            network_backend=_CheckedBackend(deadline, allow_private=True),  # the settings name the proxy
        )

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context()

    def _wait_for_turn(self, url: httpx2.URL) -> None:
        pause = ARXIV_PAUSE if f".{url.host}".endswith(".arxiv.org") else PAUSE
        wait = self._last_request.get(url.host, -pause) + pause - self._clock()
        if url.host in self._last_request and wait > 0:
            self._sleep(wait)


class _Deadline:
    """A point in time after which every step fails."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._clock, self._at = clock, clock() + seconds

    def left(self, at_most: float = 3600.0) -> float:
        """Seconds that a step may take; a timeout of httpcore where none are left."""
        left = self._at - self._clock()
        if left <= 0:
            raise httpcore2.ReadTimeout("the deadline has passed")
        return min(left, at_most)


class _CheckedBackend(httpcore2.NetworkBackend):
    """Connects to addresses that were checked, under a deadline."""

    def __init__(self, deadline: _Deadline, *, allow_private: bool) -> None:
        self._deadline, self._allow_private = deadline, allow_private
        self._plain = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - httpcore's signature; the deadline says it
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connects to the first address that answers; SourceError where the host has one that is not public."""
        addresses = _resolve(host, port)
        if not self._allow_private:
            _refuse_private(host, addresses)
        problem: httpcore2.NetworkError | httpcore2.TimeoutException | None = None
        for address in addresses:
            try:
                stream = self._plain.connect_tcp(
                    address,
                    port,
                    timeout=self._deadline.left(_CONNECT_SECONDS),
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem = error
            else:
                return _TimedStream(stream, self._deadline)
        raise problem or httpcore2.ConnectError(f"{host} has no address")


class _TimedStream(httpcore2.NetworkStream):
    """A connection each step of which has until the deadline, whatever timeout httpcore would give it."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: _Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - httpcore's signature
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        """The same connection, encrypted; the certificate is checked for the host's name, not its address."""
        stream = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return _TimedStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _read(url: httpx2.URL, response: httpcore2.Response) -> Answer | httpx2.URL:
    headers = httpx2.Headers(response.headers)
    if response.status in _REDIRECTS and "location" in headers:
        return _web_address(headers["location"], url)
    etag, last_modified = _validator(headers.get("etag", "")), _validator(headers.get("last-modified", ""))
    if response.status == HTTPStatus.NOT_MODIFIED:
        return Answer(None, etag, last_modified)
    if not 200 <= response.status <= 299:
        raise _refusal(url, response, headers)
    encoding = headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise SourceError(f"{url}: sends {encoding!r} although it was asked for plain bytes; not unpacked")
    content = b"".join(_chunks(response, MAX_BYTES + 1))
    if len(content) > MAX_BYTES:
        raise SourceError(f"{url}: more than the {MAX_BYTES // 1_000_000} MB that a digest may have")
    return Answer(content, etag, last_modified)


def _chunks(response: httpcore2.Response, cap: int) -> Iterator[bytes]:
    """The body, until it ends or the cap is reached."""
    received = 0
    with closing(response):
        for chunk in response.iter_stream():
            yield chunk
            received += len(chunk)
            if received >= cap:
                return


def _refusal(url: httpx2.URL, response: httpcore2.Response, headers: httpx2.Headers) -> HttpError:
    status = response.status
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "unknown status"
    retry_after = _seconds_to_wait(headers) if status in _BUSY else None
    wait = f"; asks to wait {retry_after:.0f} s" if retry_after else ""
    body = b"".join(_chunks(response, _MAX_REFUSAL))
    return HttpError(f"{url}: {status} {phrase}{wait}", status, body, retry_after=retry_after)


def _seconds_to_wait(headers: httpx2.Headers) -> float:
    """What ``Retry-After`` asks for: seconds, or a time, which is measured by the server's own clock."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal():
        return min(float(value[:9]), 86_400.0)
    try:
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("date", ""))
        return min(max((until - now).total_seconds(), 1.0), 86_400.0)
    except (TypeError, ValueError, OverflowError):  # no date, or one of a year beyond all
        return _UNTIL_ASKED_AGAIN


def _validator(value: str) -> str:
    """An ETag or Last-Modified that can be sent back as it came; nothing in place of any other."""
    return value if len(value) <= _LONGEST_VALIDATOR and value.isascii() and value.isprintable() else ""


def _web_address(url: str, base: httpx2.URL | None = None) -> httpx2.URL:
    """The address, resolved against the one that redirects to it; SourceError unless it is http or https."""
    try:
        found = base.join(url) if base else httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise SourceError(f"{url[:200]!r}: no web address ({error})") from None
    if found.scheme not in ("http", "https") or not found.host:
        raise SourceError(f"{url[:200]!r}: neither http nor https; not fetched")
    if not _is_host(found.raw_host.decode()):
        raise SourceError(f"{url[:200]!r}: no web address (its host can't be one)")
    if found.port is not None and not 1 <= found.port <= 65_535:
        raise SourceError(f"{url[:200]!r}: no web address (ports are 1 to 65535)")
    return found.copy_with(username=None, password=None, fragment=None)


def _is_host(host: str) -> bool:
    """Whether it is a name as DNS has it, or an address: nothing else is handed to the system's resolver."""
    if _HOST_NAME.fullmatch(host.lower()):
        return True
    try:
        return ip_address(host).version == 6
    except ValueError:
        return False


def _resolve(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore2.ConnectError(f"the host {host} is not known ({_reason(error)})") from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _written_out(host: str) -> Sequence[str]:
    """The address that a host is written as; none for a name, but for this machine's own."""
    if host.lower().rstrip(".") == "localhost" or host.lower().rstrip(".").endswith(".localhost"):
        return ["127.0.0.1"]
    try:
        # As a system's resolver would read it: decimal, octal and hexadecimal numbers are addresses too.
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return []
    return [str(address[0]) for *_, address in found]


def _refuse_private(host: str, addresses: Iterable[str]) -> None:
    """Raises SourceError where an address is not public."""
    for address in addresses:
        if not _is_public(ip_address(address.partition("%")[0])):
            raise SourceError(
                f"{host} is at {address}, which is no public address; "
                "if that is meant, name the host in private_hosts under [fetch]"
            )


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    inner = getattr(address, "ipv4_mapped", None)
    if inner is not None:
        return _is_public(inner)
    translated = any(address in network for network in _TRANSLATED if network.version == address.version)
    site_local = getattr(address, "is_site_local", False)  # fec0::/10, which Python takes for global
    return address.is_global and not (address.is_multicast or site_local or translated)


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
