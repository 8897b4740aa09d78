"""HTTP fetching: the only place that connects out to read what others publish.

    URL --> rate limit of the host --> resolve and check its addresses (SSRF) --> connect to a checked address
        --> conditional GET, no content coding --> redirect? check again, from the beginning --> body, up to a cap

One deadline holds for all of it, redirects and every single read included. httpx is not used for the request: its
transports resolve names themselves and follow redirects without another check (``bot/sources/ssrf.py``).
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from http import HTTPStatus

import httpcore2
import httpx2

from bot import __version__
from bot.deadline import Deadline
from bot.errors import SourceError
from bot.sources import HttpError
from bot.sources.ssrf import CheckedBackend, literal_addresses, one_line, parse_url, refuse_private

MAX_BYTES = 10_000_000
MAX_REDIRECTS = 3
# The rate within one run, over all sources of a process; how often a source is polled is ``every`` in the settings.
SECONDS_BETWEEN_REQUESTS = 1.0  # to one host
# arXiv's terms for its API: at most one request every three seconds (https://info.arxiv.org/help/api/tou.html).
# The same interval is kept for its feeds.
ARXIV_SECONDS_BETWEEN_REQUESTS = 3.0
_LONGEST_WAIT_IN_RUN = 20.0  # seconds of Retry-After to sit out; a longer wait is left to a later run
_DEFAULT_RETRY_AFTER = 600.0  # seconds, where a busy host does not say
_LONGEST_RETRY_AFTER = 86_400.0
_MAX_ERROR_BYTES = 20_000  # enough of an error's body to find the server's explanation
_MAX_VALIDATOR_LENGTH = 500  # characters of an ETag or Last-Modified
_REDIRECT_STATUSES = (301, 302, 303, 307, 308)
_BUSY_STATUSES = (429, 503)


@dataclass(frozen=True, slots=True)
class Response:
    """A server's response and its validators; ``content`` is None if nothing changed (304 Not Modified)."""

    content: bytes | None
    etag: str = ""
    last_modified: str = ""


def user_agent(contact: str = "") -> str:
    """Return the User-Agent; with a mail address, as arXiv and Crossref ask for one.

    >>> user_agent("ada@example.org").partition(" ")[2]
    '(reads paper digests; mailto:ada@example.org)'
    """
    return f"Paperbot/{__version__} (reads paper digests{f'; mailto:{contact}' if contact else ''})"


class Fetcher:
    """Fetch for all sources of a process, so that hosts which several of them share are not overrun."""

    def __init__(
        self,
        *,
        private_hosts: Collection[str] = (),
        proxy: str = "",
        contact: str = "",
        seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``private_hosts`` may have addresses that are not public; ``seconds`` is the deadline of one fetch.

        ``contact`` is a mail address that servers see, so that they can write before they block.

        With ``proxy`` (``http://host:port``), the proxy resolves names and connects: only addresses that are
        written as numbers can be checked here then.
        """
        self._private_hosts = {host.lower() for host in private_hosts}
        self._user_agent = user_agent(contact)
        self._proxy = httpx2.URL(proxy) if proxy else None
        self._seconds = seconds
        self._clock = clock
        self._sleep = sleep
        self._last_request: dict[str, float] = {}

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Response:
        """Fetch a URL unless it is unchanged; raises SourceError, and HttpError for an error status.

        With the validators of an earlier answer the request is conditional (RFC 9110, section 13). A busy host
        is asked once more if its Retry-After is short.
        """
        conditions = {
            "If-None-Match": _sendable_validator(etag),
            "If-Modified-Since": _sendable_validator(last_modified),
        }
        headers = {name: value for name, value in conditions.items() if value}
        try:
            return self._follow(url, headers)
        except HttpError as error:
            if error.retry_after is None or error.retry_after > _LONGEST_WAIT_IN_RUN:
                raise
            self._sleep(error.retry_after)
        return self._follow(url, headers)

    def _follow(self, url: str, headers: dict[str, str]) -> Response:
        """Request a URL and what it redirects to."""
        origin = parse_url(url)
        target = origin
        deadline = Deadline(self._seconds, self._clock)
        for _ in range(MAX_REDIRECTS + 1):
            # A private host is allowed for the URL in the settings, not for whatever a public page redirects to.
            allow_private = target.host == origin.host and target.host in self._private_hosts
            last_request = self._last_request.get(target.host)
            if last_request is not None and not allow_private:
                wait = last_request + seconds_between_requests(target.host) - self._clock()
                if wait > 0:
                    self._sleep(wait)
            result = self._request(target, headers, deadline, allow_private)
            if isinstance(result, Response):
                return result
            target = result
        raise SourceError(
            f"{url}: more than {MAX_REDIRECTS} redirects; use the address that it leads to instead"
        )

    def _request(
        self, url: httpx2.URL, headers: dict[str, str], deadline: Deadline, allow_private: bool
    ) -> Response | httpx2.URL:
        """Send one request; return the answer, or the URL that it redirects to."""
        request_headers = {
            "Host": url.netloc.decode(),
            "User-Agent": self._user_agent,
            # A compressed body would have to be capped while it is unpacked: 10 KB of gzip can hold 10 MB.
            "Accept-Encoding": "identity",
            "Accept": "*/*",
            **headers,
        }
        pool: httpcore2.ConnectionPool
        if self._proxy is None:
            backend = CheckedBackend(deadline, allow_private=allow_private)
            pool = httpcore2.ConnectionPool(ssl_context=self._tls, network_backend=backend)
        else:
            if not allow_private:
                refuse_private(url.host, literal_addresses(url.host))
            # The proxy itself may be private: it is named in the settings.
            backend = CheckedBackend(deadline, allow_private=True)
            pool = httpcore2.HTTPProxy(str(self._proxy), ssl_context=self._tls, network_backend=backend)
        try:
            with pool, pool.stream("GET", str(url), headers=list(request_headers.items())) as response:
                return _read_response(url, response)
        except httpcore2.TimeoutException:
            raise SourceError(f"{url}: no answer in time") from None
        except (
            httpcore2.NetworkError,
            httpcore2.ProtocolError,
            httpcore2.ProxyError,
            httpcore2.UnsupportedProtocol,
            OSError,
        ) as error:
            raise SourceError(
                f"{url}: {one_line(error)}; if that stays so, correct the source's url"
            ) from None
        finally:
            self._last_request[url.host] = self._clock()

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context()


def _read_response(url: httpx2.URL, response: httpcore2.Response) -> Response | httpx2.URL:
    """Return the answer or the redirect's target; raises SourceError for what is refused."""
    headers = httpx2.Headers(response.headers)
    if response.status in _REDIRECT_STATUSES and "location" in headers:
        return parse_url(headers["location"], url)
    etag = _sendable_validator(headers.get("etag", ""))
    last_modified = _sendable_validator(headers.get("last-modified", ""))
    if response.status == HTTPStatus.NOT_MODIFIED:
        return Response(None, etag, last_modified)
    if not 200 <= response.status <= 299:
        is_known = response.status in HTTPStatus._value2member_map_
        phrase = HTTPStatus(response.status).phrase if is_known else "unknown status"
        retry_after = retry_after_seconds(headers) if response.status in _BUSY_STATUSES else None
        wait = f"; asks to wait {retry_after:.0f} s" if retry_after else ""
        body = b"".join(_chunks(response, _MAX_ERROR_BYTES))
        message = f"{url}: {response.status} {phrase}{wait}"
        raise HttpError(message, response.status, body, retry_after=retry_after)
    encoding = headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise SourceError(f"{url}: sends {encoding!r} although uncompressed content was requested")
    content = b"".join(_chunks(response, MAX_BYTES + 1))
    if len(content) > MAX_BYTES:
        raise SourceError(f"{url}: more than the {MAX_BYTES // 1_000_000} MB that a digest may have")
    return Response(content, etag, last_modified)


def _chunks(response: httpcore2.Response, max_bytes: int) -> Iterator[bytes]:
    """Yield the body until it ends or ``max_bytes`` have come; Content-Length is not relied on."""
    received = 0
    with closing(response):
        for chunk in response.iter_stream():
            yield chunk
            received += len(chunk)
            if received >= max_bytes:
                return


def retry_after_seconds(headers: httpx2.Headers) -> float:
    """Return the seconds that ``Retry-After`` (RFC 9110, section 10.2.3) asks for, a day at most.

    The header holds seconds or a date. A date is compared with the server's own ``Date``, as the two machines'
    clocks may differ.
    """
    value = headers.get("retry-after", "").strip()
    if value.isdecimal():
        return min(float(value[:9]), _LONGEST_RETRY_AFTER)
    try:
        until = parsedate_to_datetime(value)
        now = parsedate_to_datetime(headers.get("date", ""))
        return min(max((until - now).total_seconds(), 1.0), _LONGEST_RETRY_AFTER)
    except (TypeError, ValueError, OverflowError):  # not a date, or one with a year that datetime can't hold
        return _DEFAULT_RETRY_AFTER


def seconds_between_requests(host: str) -> float:
    """Return the least number of seconds between two requests to a host.

    >>> seconds_between_requests("export.arxiv.org"), seconds_between_requests("notarxiv.org")
    (3.0, 1.0)
    """
    is_arxiv = f".{host}".endswith(".arxiv.org")
    return ARXIV_SECONDS_BETWEEN_REQUESTS if is_arxiv else SECONDS_BETWEEN_REQUESTS


def _sendable_validator(value: str) -> str:
    """Return an ETag or Last-Modified that can be sent back as it came, else an empty string."""
    is_sendable = len(value) <= _MAX_VALIDATOR_LENGTH and value.isascii() and value.isprintable()
    return value if is_sendable else ""
