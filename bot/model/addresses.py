"""Which texts are addresses of mail, of the web, of a broker or network, and which hosts are this machine.

The functions for settings return the address as it is used, or raise ValueError with the remedy.
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
# Characters (RFC 5321, 4.5.3.1.3: a path of 256 octets with its angle brackets). Checked first, because email-validator
# takes 0.8 s for a million characters.
_MAX_ADDRESS = 254
# RFC 5322 allows more: comments, and escapes within quotes. What is not understood is refused rather than guessed.
_SENDER = re.compile(r'(?P<name>[^<>"\\]*|"[^<>"\\]*"\s*)<(?P<bracketed>[^<>]+)>|(?P<bare>[^<>\s]+)')


def is_one_address(text: str) -> bool:
    """Whether a text is one bare ASCII address (RFC 5322, addr-spec), without a name or a second address.

    >>> is_one_address("ada@example.org"), is_one_address("ada@example.org,eve@example.org")
    (True, False)
    """
    if _DOT_ATOM.fullmatch(text):
        return True
    # Quoted names and address literals. The parser takes a hundred times as long as the pattern.
    try:
        return text.isascii() and text.isprintable() and Address(addr_spec=text).addr_spec == text
    except (ValueError, IndexError, HeaderParseError):
        # It raises any of these for a malformed address, IndexError for an empty one.
        return False


def mail_address(address: str) -> str:
    """Return the address in the normalised form that mail is sent to.

    Raises ValueError if it is not valid; the message is for people.
    """
    # Imported here: every command knows mail addresses, and few check one.
    from email_validator import EmailNotValidError, validate_email

    if len(address) > _MAX_ADDRESS:
        raise ValueError(f"{address[:40]!r}... is not an email address: it is too long")
    try:
        # Only the syntax is checked. A home on a laptop may well mail to ada@localhost, and whether an address can be
        # reached is for the mail server to say: a DNS lookup would fail offline.
        valid = validate_email(address, check_deliverability=False, globally_deliverable=False, test_environment=True)
    except EmailNotValidError as error:
        raise ValueError(f"{address!r} is not an email address: {error} Write it like ada@example.org") from None
    if valid.ascii_email is None:
        # It would need SMTPUTF8 (RFC 6531) on every server on the way.
        raise ValueError(f"{address!r} has characters before the @ that most mail servers refuse; use an ASCII address")
    return valid.ascii_email


def own_mail_address(address: str) -> str:
    """Return the address of somebody who is asked for it, like ``mail_address``; raises ValueError.

    A domain without a dot is a mistyped one here, unless it is this machine: mail to it would go nowhere.
    """
    known = mail_address(address)
    domain = known.rpartition("@")[2]
    if "." not in domain and domain != "localhost":
        raise ValueError(
            f"{address!r} is not an email address: {domain!r} lacks an ending. Write it like ada@example.org"
        )
    return known


_DOTLESS_DOMAINS = frozenset({"gmail.com", "googlemail.com"})


def mailbox_of(address: str) -> str:
    """Return what the addresses of one mailbox have in common, for counting; not an address to send to.

    A tag behind "+" (subaddress, RFC 5233) is left out, and the dots where the provider ignores them.

    >>> mailbox_of("Ada.Lovelace+papers@googlemail.com"), mailbox_of("ada.l+x@example.org")
    ('adalovelace@gmail.com', 'ada.l@example.org')
    """
    local, at, domain = address.lower().rpartition("@")
    local = local.partition("+")[0] or local
    if domain in _DOTLESS_DOMAINS:
        return f"{local.replace('.', '')}@gmail.com"
    return f"{local}{at}{domain}"


def is_loopback(host: str) -> bool:
    """Return whether a host is ``localhost`` or a loopback address.

    Other names count as remote without being resolved: a DNS answer may differ at the time of the connection.
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def web_url(value: str) -> str:
    """Return an address that links begin with, without a slash at its end; raises ValueError."""
    _check_url(value, example="https://papers.example.org")
    return value.rstrip("/")


def pages_url(value: str) -> str:
    """Return the address of the pages, as ``web_url`` does; empty where there are none."""
    return web_url(value) if value else ""


def fetch_url(value: str) -> str:
    """Return an address to fetch from; raises ValueError."""
    _check_url(value, example="https://example.org/feed.xml")
    return value


def is_web_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:  # such as http://[x
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _check_url(value: str, example: str) -> None:
    """Raise ValueError for what is no web address, or has a login: addresses are displayed and logged."""
    if not is_web_address(value):
        raise ValueError(f"{_without_login(value)} is not a web address; write it like {example}")
    parts = urlsplit(value)
    try:
        port = parts.port  # parsed only now; raises ValueError if it is not a number from 0 to 65535
    except ValueError:
        port = 0
    if port == 0:
        problem = "has no port between 1 and 65535; correct it, or leave it out"
        raise ValueError(f"{_without_login(value)} {problem}")
    if parts.username or parts.password:
        raise ValueError("passwords don't belong in addresses; remove it")


def _without_login(value: str) -> str:
    # What comes before an @ may be a password, and a message may end up in a log.
    return "what is set there" if "@" in value else repr(value)


def mail_sender(value: str) -> str:
    """Return a bare address, or ``Name <address>``, as mails have it in their From header; raises ValueError."""
    parts = _SENDER.fullmatch(value)
    # "=?" begins an encoded word (RFC 2047), by which a name could look like another address in a mail program.
    if parts is None or not value.isprintable() or "=?" in value:
        raise ValueError(f"{value[:80]!r} is not a sender; write it like Paperbot <papers@example.org>")
    address = mail_address(parts["bracketed"] or parts["bare"])
    return str(Address((parts["name"] or "").strip().strip('"').strip(), addr_spec=address))


def network(value: str) -> str:
    """Return an IP address or network in its canonical form; raises ValueError."""
    try:
        return str(ip_network(value))
    except ValueError:
        raise ValueError(f"{value!r} is not an address or network; write it like 127.0.0.1 or 10.0.0.0/8") from None


def taggable_address(value: str) -> str:
    """Return a mail address to which a tag of 38 characters can be added, or empty text; raises ValueError."""
    if value and len(mail_address(value).partition("@")[0]) > 25:
        raise ValueError("is too long before the @: at most 25 characters, as each mail adds its own tag there")
    return value


def queue_url(value: str) -> str:
    """Return the address of a broker, or empty text; raises ValueError."""
    if value and urlsplit(value).scheme not in ("amqp", "amqps", "redis", "rediss"):
        example = "amqp://user:password@localhost:5672// or redis://localhost:6379/0"
        raise ValueError(f"{_without_login(value)} is not the address of a broker; write it like {example}")
    return value
