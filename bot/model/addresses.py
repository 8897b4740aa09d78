"""Check addresses of mail, web, brokers and networks.

Functions for settings return the usable address, or raise ValueError with the remedy.
"""

from __future__ import annotations

import re
from email.errors import HeaderParseError
from email.headerregistry import Address
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

# RFC 5322, sections 3.2.3 and 3.4.1: a dot-atom at a host name.
_DOT_ATOM = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*"
)
# RFC 5321, 4.5.3.1.3: 256 octets with angle brackets. Checked first, because email-validator is slow on long text.
_MAX_ADDRESS = 254
# Without the comments and escapes of RFC 5322.
_SENDER = re.compile(r'(?P<name>[^<>"\\]*|"[^<>"\\]*"\s*)<(?P<bracketed>[^<>]+)>|(?P<bare>[^<>\s]+)')


def is_one_address(text: str) -> bool:
    """Return whether a text is one bare ASCII address (RFC 5322, addr-spec).

    >>> is_one_address("ada@example.org"), is_one_address("ada@example.org,eve@example.org")
    (True, False)
    """
    if _DOT_ATOM.fullmatch(text):
        return True
    # Quoted names and address literals. The parser is a hundred times slower than the pattern.
    try:
        return text.isascii() and text.isprintable() and Address(addr_spec=text).addr_spec == text
    except (ValueError, IndexError, HeaderParseError):  # IndexError for an empty address
        return False


def mail_address(address: str) -> str:
    """Return a normalised mail address. Raises ValueError."""
    from email_validator import EmailNotValidError, validate_email

    if len(address) > _MAX_ADDRESS:
        raise ValueError(f"{address[:40]!r}... is not an email address: it is too long")
    try:
        # Checks the syntax only. A laptop may mail to ada@localhost, and a DNS lookup would fail offline.
        valid = validate_email(address, check_deliverability=False, globally_deliverable=False, test_environment=True)
    except EmailNotValidError as error:
        raise ValueError(f"{address!r} is not an email address: {error} Write it like ada@example.org") from None
    if valid.ascii_email is None:
        # It would need SMTPUTF8 (RFC 6531) on every server on the way.
        raise ValueError(f"{address!r} has characters before the @ that most mail servers refuse; use an ASCII address")
    return valid.ascii_email


def own_mail_address(address: str) -> str:
    """Check an address from a page, whose domain has a dot or is localhost."""
    known = mail_address(address)
    domain = known.rpartition("@")[2]
    if "." not in domain and domain != "localhost":
        raise ValueError(
            f"{address!r} is not an email address: {domain!r} lacks an ending. Write it like ada@example.org"
        )
    return known


_DOTLESS_DOMAINS = frozenset({"gmail.com", "googlemail.com"})


def mailbox_of(address: str) -> str:
    """Return a key that all addresses of one mailbox share.

    Drops a subaddress after "+" (RFC 5233), and dots that the provider ignores.

    >>> mailbox_of("Ada.Lovelace+papers@googlemail.com"), mailbox_of("ada.l+x@example.org")
    ('adalovelace@gmail.com', 'ada.l@example.org')
    """
    local, at, domain = address.lower().rpartition("@")
    local = local.partition("+")[0] or local
    if domain in _DOTLESS_DOMAINS:
        return f"{local.replace('.', '')}@gmail.com"
    return f"{local}{at}{domain}"


def is_loopback(host: str) -> bool:
    """Return whether a host is ``localhost`` or a loopback address, without asking DNS."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def web_url(value: str) -> str:
    _check_url(value, example="https://papers.example.org")
    return value.rstrip("/")


def pages_url(value: str) -> str:
    return web_url(value) if value else ""


def fetch_url(value: str) -> str:
    _check_url(value, example="https://example.org/feed.xml")
    return value


def is_web_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:  # such as http://[x
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _check_url(value: str, example: str) -> None:
    """Raise ValueError for an invalid web address, or one with a login."""
    if not is_web_address(value):
        raise ValueError(f"{_without_login(value)} is not a web address; write it like {example}")
    parts = urlsplit(value)
    try:
        port = parts.port  # raises ValueError unless it is a number from 0 to 65535
    except ValueError:
        port = 0
    if port == 0:
        problem = "has no port between 1 and 65535; correct it, or leave it out"
        raise ValueError(f"{_without_login(value)} {problem}")
    if parts.username or parts.password:
        raise ValueError("passwords don't belong in addresses; remove it")


def _without_login(value: str) -> str:
    # The text before an @ may be a password.
    return "what is set there" if "@" in value else repr(value)


def mail_sender(value: str) -> str:
    parts = _SENDER.fullmatch(value)
    # "=?" begins an encoded word (RFC 2047), which could disguise the name as another address.
    if parts is None or not value.isprintable() or "=?" in value:
        raise ValueError(f"{value[:80]!r} is not a sender; write it like Paperbot <papers@example.org>")
    address = mail_address(parts["bracketed"] or parts["bare"])
    return str(Address((parts["name"] or "").strip().strip('"').strip(), addr_spec=address))


def network(value: str) -> str:
    try:
        return str(ip_network(value))
    except ValueError:
        raise ValueError(f"{value!r} is not an address or network; write it like 127.0.0.1 or 10.0.0.0/8") from None


def taggable_address(value: str) -> str:
    """Return an empty string, or a mail address with room for a tag of 38 characters. Raises ValueError."""
    if value and len(mail_address(value).partition("@")[0]) > 25:
        raise ValueError("is too long before the @: at most 25 characters, as each mail adds its own tag there")
    return value


def queue_url(value: str) -> str:
    if value and urlsplit(value).scheme not in ("amqp", "amqps", "redis", "rediss"):
        example = "amqp://user:password@localhost:5672// or redis://localhost:6379/0"
        raise ValueError(f"{_without_login(value)} is not the address of a broker; write it like {example}")
    return value
