"""Fetch over HTTP, protected against server-side request forgery (SSRF, CWE-918).

A feed's URL or redirect could lead to the cloud's metadata service (169.254.169.254) or a database on this machine. So
the name is resolved once, and the connection goes to a checked address: a second look-up would allow DNS rebinding.
httpx resolves names and follows redirects itself, so httpcore sends the requests. One deadline holds for a whole fetch.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cached_property
from http import HTTPStatus
from http.client import responses as status_phrases
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpcore2
import httpx2

from bot import __version__
from bot.model.clock import Deadline
from bot.model.errors import OfflineError, SourceError
from bot.sources import HttpError

_NO_NETWORK = "this machine has no network, or no name server answers it; check its network"
_WITHOUT_A_ROUTE = (errno.ENETUNREACH, errno.ENETDOWN)
_RESERVED_NAME = "example.com"
_CONNECT_SECONDS = 10.0  # leaves time for IPv4 after a dead IPv6 address
_PRIVATE_NETWORKS = tuple(
    ip_network(network)
    for network in (
        # With an embedded IPv4 address that may be private: NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), Teredo
        # (RFC 4380), IPv4-compatible (RFC 4291), IPv4-translated (RFC 2765).
        *("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "::ffff:0:0:0/96"),
        # Unknown to older Pythons: IETF protocol assignments (RFC 6890), 6to4 relays (RFC 7526), documentation
        # (RFC 9637), segment routing (RFC 9602).
        *("192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "5f00::/16"),
        "fec0::/10",  # deprecated, and global for Python (RFC 3879)
    )
)
# Labels up to 63 characters (RFC 1123, and underscores), 253 in all (RFC 1035).
_HOST_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62}){0,126}\.?")


def parse_url(url: str, base: httpx2.URL | None = None) -> httpx2.URL:
    """Parse an http or https URL, relative to ``base``, without login and fragment. Raises SourceError."""
    try:
        parsed = base.join(url) if base else httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise SourceError(f"{url[:200]!r}: not a web address ({error})") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise SourceError(f"{url[:200]!r}: neither http nor https; not fetched")
    host = parsed.raw_host.decode()
    # The system's resolver may accept an invalid host.
    try:
        is_valid_host = bool(_HOST_NAME.fullmatch(host.lower())) or ip_address(host).version == 6
    except ValueError:
        is_valid_host = False
    if not is_valid_host:
        raise SourceError(f"{url[:200]!r}: not a web address (invalid host)")
    if parsed.port is not None and not 1 <= parsed.port <= 65_535:
        raise SourceError(f"{url[:200]!r}: not a web address (ports are 1 to 65535)")
    return parsed.copy_with(username=None, password=None, fragment=None)


def literal_addresses(host: str) -> list[str]:
    """Return the address written as a host, also as ``localhost``."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return ["127.0.0.1"]
    try:
        # Unlike ip_address(), the resolver takes http://2130706433/ and http://0x7f.1/ for 127.0.0.1. A proxy may
        # ignore a final dot and the zone of a link-local address.
        number = name.partition("%")[0]
        infos = socket.getaddrinfo(number, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return []
    return [str(info[4][0]) for info in infos]


def refuse_private(host: str, addresses: Iterable[str]) -> None:
    """Raise SourceError if any address is private, because the name server chooses."""
    for address in addresses:
        if not _is_public(ip_address(address.partition("%")[0])):
            at = "" if host == address else f"at {address}, which is "
            raise SourceError(
                f"{host} is {at}not a public address; to allow it, name the host in private_hosts under [fetch]"
            )


def _is_offline() -> bool:
    """Return whether no name server answers for a name that always exists (RFC 2606)."""
    try:
        return not socket.getaddrinfo(_RESERVED_NAME, None)
    except OSError:
        return True


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if mapped := getattr(address, "ipv4_mapped", None):
        return _is_public(mapped)
    is_listed = any(address in network for network in _PRIVATE_NETWORKS)
    return address.is_global and not (address.is_multicast or is_listed)


class CheckedBackend(httpcore2.NetworkBackend):
    """Connect to checked addresses only, under one deadline."""

    def __init__(self, deadline: Deadline, *, allow_private: bool) -> None:
        self._deadline = deadline
        self._allow_private = allow_private
        self._backend = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - httpcore's signature; the deadline decides
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the first address that answers."""
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            if isinstance(error, OSError) and _is_offline():
                raise OfflineError(f"{host} can't be reached: {_NO_NETWORK}") from None
            raise httpcore2.ConnectError(f"the host {host} is not known ({one_line(error)})") from None
        addresses = list(dict.fromkeys(str(info[4][0]) for info in infos))
        if not self._allow_private:
            refuse_private(host, addresses)
        problem: httpcore2.NetworkError | httpcore2.TimeoutException | None = None
        for address in addresses:
            try:
                stream = self._backend.connect_tcp(
                    address,
                    port,
                    timeout=_step_timeout(self._deadline, _CONNECT_SECONDS),
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem = error
                if isinstance(error.__cause__, OSError) and error.__cause__.errno in _WITHOUT_A_ROUTE:
                    raise OfflineError(f"{host} can't be reached: {_NO_NETWORK}") from None
            else:
                return _DeadlineStream(stream, self._deadline)
        raise problem or httpcore2.ConnectError(f"{host} has no address")


class _DeadlineStream(httpcore2.NetworkStream):
    """A connection with a deadline for all steps: httpcore's timeouts hold for single reads."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - httpcore's signature
        return self._stream.read(max_bytes, _step_timeout(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - httpcore's signature
        self._stream.write(buffer, _step_timeout(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - httpcore's signature
    ) -> httpcore2.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, _step_timeout(self._deadline))
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _step_timeout(deadline: Deadline, at_most: float = float("inf")) -> float:
    try:
        return deadline.remaining(at_most)
    except TimeoutError as error:
        # A backend must raise httpcore's exceptions.
        raise httpcore2.ReadTimeout(str(error)) from None


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


MAX_BYTES = 10_000_000
MAX_REDIRECTS = 3
SECONDS_BETWEEN_REQUESTS = 1.0  # to one host
# arXiv's terms for its API (https://info.arxiv.org/help/api/tou.html).
ARXIV_SECONDS_BETWEEN_REQUESTS = 3.0
_LONGEST_WAIT_IN_RUN = 20.0  # seconds of Retry-After to sit out
_DEFAULT_RETRY_AFTER = 600.0  # seconds
_LONGEST_RETRY_AFTER = 86_400.0
_MAX_ERROR_BYTES = 20_000  # enough to find the server's explanation
_MAX_VALIDATOR_LENGTH = 500  # characters of an ETag or Last-Modified
_REDIRECT_STATUSES = (301, 302, 303, 307, 308)
_LONGEST_SHOWN = 120  # characters
_BUSY_STATUSES = (429, 503)


@dataclass(frozen=True, slots=True)
class Response:
    """A response and its validators. ``content`` is None if nothing changed (304 Not Modified)."""

    content: bytes | None
    etag: str = ""
    last_modified: str = ""


def user_agent(contact: str = "") -> str:
    """Return the User-Agent. arXiv and Crossref ask for a mail address in it.

    >>> user_agent("ada@example.org").partition(" ")[2]
    '(reads paper digests; mailto:ada@example.org)'
    """
    return f"Paperbot/{__version__} (reads paper digests{f'; mailto:{contact}' if contact else ''})"


@dataclass
class Fetcher:
    """Fetch for all sources of a process, at a limited rate for each host.

    ``private_hosts`` may have private addresses. Servers see ``contact``, a mail address. A ``proxy``
    (``http://host:port``) resolves names, so only literal addresses are checked.
    """

    private_hosts: Collection[str] = ()
    proxy: str = ""
    contact: str = ""
    seconds: float = 30.0  # for one fetch
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _last_request: dict[str, float] = field(default_factory=dict)

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Response:
        """Fetch a URL. Raises SourceError, and HttpError for an error status.

        Validators make the request conditional (RFC 9110, section 13). A busy host with a short Retry-After is asked
        once more.
        """
        validators = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        headers = {name: value for name, value in validators.items() if _sendable(value)}
        try:
            return self._follow(url, headers)
        except HttpError as error:
            if error.retry_after is None or error.retry_after > _LONGEST_WAIT_IN_RUN:
                raise
            self.sleep(error.retry_after)
        return self._follow(url, headers)

    def _follow(self, url: str, headers: dict[str, str]) -> Response:
        private_hosts = {host.lower() for host in self.private_hosts}
        origin = parse_url(url)
        target = origin
        deadline = Deadline(self.seconds, self.clock)
        for _ in range(MAX_REDIRECTS + 1):
            # No public page may redirect to a private host.
            allow_private = target.host == origin.host and target.host in private_hosts
            last_request = self._last_request.get(target.host)
            if last_request is not None and not allow_private:
                is_arxiv = f".{target.host}".endswith(".arxiv.org")
                interval = ARXIV_SECONDS_BETWEEN_REQUESTS if is_arxiv else SECONDS_BETWEEN_REQUESTS
                wait = last_request + interval - self.clock()
                if wait > 0:
                    self.sleep(wait)
            result = self._request(target, headers, deadline, allow_private)
            if isinstance(result, Response):
                return result
            target = result
        raise SourceError(f"{url}: more than {MAX_REDIRECTS} redirects; use the address that it leads to instead")

    def _request(
        self, url: httpx2.URL, headers: dict[str, str], deadline: Deadline, allow_private: bool
    ) -> Response | httpx2.URL:
        """Return the answer, or the target of a redirect."""
        request_headers = {
            "Host": url.netloc.decode(),
            "User-Agent": user_agent(self.contact),
            # 10 KB of gzip can hold 10 MB.
            "Accept-Encoding": "identity",
            "Accept": "*/*",
            **headers,
        }
        pool: httpcore2.ConnectionPool
        if not self.proxy:
            backend = CheckedBackend(deadline, allow_private=allow_private)
            pool = httpcore2.ConnectionPool(ssl_context=self._tls, network_backend=backend)
        else:
            if not allow_private:
                refuse_private(url.host, literal_addresses(url.host))
            # The settings name the proxy, so it may be private.
            backend = CheckedBackend(deadline, allow_private=True)
            pool = httpcore2.HTTPProxy(self.proxy, ssl_context=self._tls, network_backend=backend)
        try:
            with pool, pool.stream("GET", str(url), headers=list(request_headers.items())) as response:
                return _read_response(url, response)
        except httpcore2.TimeoutException:
            raise SourceError(f"{_shown(url)}: no answer in time") from None
        except (
            httpcore2.NetworkError,
            httpcore2.ProtocolError,
            httpcore2.ProxyError,
            httpcore2.UnsupportedProtocol,
            OSError,
        ) as error:
            raise SourceError(f"{_shown(url)}: {one_line(error)}; if that stays so, correct the source's url") from None
        finally:
            self._last_request[url.host] = self.clock()

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context()


def _shown(url: httpx2.URL) -> str:
    address, query, _ = str(url).partition("?")
    return f"{address}?..." if query and len(str(url)) > _LONGEST_SHOWN else str(url)


def _read_response(url: httpx2.URL, response: httpcore2.Response) -> Response | httpx2.URL:
    headers = httpx2.Headers(response.headers)
    if response.status in _REDIRECT_STATUSES and "location" in headers:
        return parse_url(headers["location"], url)
    etag, last_modified = (_sendable(headers.get(name, "")) for name in ("etag", "last-modified"))
    if response.status == HTTPStatus.NOT_MODIFIED:
        return Response(None, etag, last_modified)
    if not 200 <= response.status <= 299:
        phrase = status_phrases.get(response.status, "unknown status")
        retry_after = retry_after_seconds(headers) if response.status in _BUSY_STATUSES else None
        wait = f"; asks to wait {retry_after:.0f} s" if retry_after else ""
        body = b"".join(_chunks(response, _MAX_ERROR_BYTES))
        message = f"{_shown(url)}: {response.status} {phrase}{wait}"
        raise HttpError(message, response.status, body, retry_after=retry_after)
    encoding = headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise SourceError(f"{_shown(url)}: sends {encoding!r} although uncompressed content was requested")
    content = b"".join(_chunks(response, MAX_BYTES + 1))
    if len(content) > MAX_BYTES:
        raise SourceError(f"{_shown(url)}: more than the {MAX_BYTES // 1_000_000} MB that a digest may have")
    return Response(content, etag, last_modified)


def _chunks(response: httpcore2.Response, max_bytes: int) -> Iterator[bytes]:
    received = 0
    with closing(response):
        for chunk in response.iter_stream():
            yield chunk
            received += len(chunk)
            if received >= max_bytes:
                return


def retry_after_seconds(headers: httpx2.Headers) -> float:
    """Return the seconds of ``Retry-After`` (RFC 9110, section 10.2.3), by the server's clock."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal():
        return min(float(value[:9]), _LONGEST_RETRY_AFTER)
    try:
        until = parsedate_to_datetime(value)
        now = parsedate_to_datetime(headers.get("date", ""))
        return min(max((until - now).total_seconds(), 1.0), _LONGEST_RETRY_AFTER)
    except (TypeError, ValueError, OverflowError):  # not a date, or a year beyond datetime's
        return _DEFAULT_RETRY_AFTER


def _sendable(validator: str) -> str:
    is_sendable = len(validator) <= _MAX_VALIDATOR_LENGTH and validator.isascii() and validator.isprintable()
    return validator if is_sendable else ""
