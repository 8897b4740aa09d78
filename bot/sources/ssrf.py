"""Protection against server-side request forgery (SSRF, CWE-918): which addresses may be connected to.

A feed's URL, and whatever it redirects to, may be chosen by anybody. Without a check it could name the cloud's
metadata service (169.254.169.254), a database on this machine, or a printer on the local network.

The name is resolved once, all its addresses are checked, and the connection goes to a checked address, not to the
name. Checking first and letting the HTTP library resolve again would be open to DNS rebinding: a name server that
answers with a public address the first time and a private one the second.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpcore2
import httpx2

from bot.deadline import Deadline
from bot.errors import SourceError

_CONNECT_SECONDS = 10.0  # for each address; a host with a dead IPv6 address is then reached by IPv4
# Global by their number, but each embeds an IPv4 address that a translator or tunnel would deliver to, private ones
# included: NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380), IPv4-compatible (RFC 4291), and
# IPv4-translated (RFC 2765).
_TRANSLATION_NETWORKS = tuple(
    map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "::ffff:0:0:0/96"))
)
# Letters, digits, hyphens (RFC 1123) and underscores; labels up to 63 characters, 253 in all (RFC 1035).
_HOST_NAME = re.compile(
    r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62}){0,126}\.?"
)


def parse_url(url: str, base: httpx2.URL | None = None) -> httpx2.URL:
    """Parse an http or https URL, relative to ``base`` if given; login and fragment are dropped.

    Raises SourceError for anything else, also where the host can't be a name or an address: such a host must not
    reach the system's resolver, which reads more into it than the standards do.
    """
    try:
        parsed = base.join(url) if base else httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise SourceError(f"{url[:200]!r}: not a web address ({error})") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise SourceError(f"{url[:200]!r}: neither http nor https; not fetched")
    host = parsed.raw_host.decode()
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
    """Return the address that a host is written as; an empty list for a name other than localhost."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return ["127.0.0.1"]
    try:
        # Not ip_address(): the system's resolver also takes decimal, octal and hexadecimal numbers for addresses,
        # so that http://2130706433/ and http://0x7f.1/ are 127.0.0.1.
        # Without the dot at the end of an absolute name, and the zone of a link-local address: a proxy may ignore both.
        number = name.partition("%")[0]
        infos = socket.getaddrinfo(number, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return []
    return [str(info[4][0]) for info in infos]


def refuse_private(host: str, addresses: Iterable[str]) -> None:
    """Raise SourceError if an address of the host is not public.

    One private address among public ones is enough: which of them is connected to would be up to the name server.
    """
    for address in addresses:
        if not _is_public(ip_address(address.partition("%")[0])):
            raise SourceError(
                f"{host} is at {address}, which is not a public address; "
                "to allow it, name the host in private_hosts under [fetch]"
            )


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        return _is_public(mapped)
    translated = any(
        address in network for network in _TRANSLATION_NETWORKS if network.version == address.version
    )
    # Python counts the deprecated site-local network fec0::/10 (RFC 3879) as global.
    site_local = getattr(address, "is_site_local", False)
    return address.is_global and not (address.is_multicast or site_local or translated)


class CheckedBackend(httpcore2.NetworkBackend):
    """Connect to checked addresses only, under one deadline for all steps of an exchange."""

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
        """Connect to the first address that answers; raises SourceError if the host has a private address."""
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
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
            else:
                return _DeadlineStream(stream, self._deadline)
        raise problem or httpcore2.ConnectError(f"{host} has no address")


class _DeadlineStream(httpcore2.NetworkStream):
    """A connection whose every step ends with the deadline.

    httpcore's own timeouts hold for single reads, so that a server which sends a byte a second never meets them.
    """

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
        """Encrypt the connection; the certificate is checked for the host's name, not for its address."""
        stream = self._stream.start_tls(ssl_context, server_hostname, _step_timeout(self._deadline))
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _step_timeout(deadline: Deadline, at_most: float = float("inf")) -> float:
    """Return the seconds for one step; the one place where a passed deadline becomes httpcore's timeout."""
    try:
        return deadline.remaining(at_most)
    except TimeoutError as error:
        # A network backend raises httpcore's exceptions only: its callers tell a timeout from a broken connection by
        # them, and TimeoutError is an OSError.
        raise httpcore2.ReadTimeout(str(error)) from None


def one_line(error: BaseException) -> str:
    """Return an exception's message on one line, or its type's name if it has none."""
    return " ".join(str(error).split()) or type(error).__name__
