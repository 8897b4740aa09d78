"""What an address in a setting may look like: of the web, of a broker, of a network, of mail.

Each function returns the address as it is used, or raises ValueError with the remedy.
"""

from __future__ import annotations

import re
from email.headerregistry import Address
from ipaddress import ip_network
from urllib.parse import SplitResult, urlsplit

from bot.model.addresses import mail_address

# RFC 5322 allows more: comments, and escapes within quotes. What is not understood is refused rather than guessed.
_SENDER = re.compile(r'(?P<name>[^<>"\\]*|"[^<>"\\]*"\s*)<(?P<bracketed>[^<>]+)>|(?P<bare>[^<>\s]+)')


def web_url(value: str) -> str:
    """Return an address that links begin with, without a slash at its end; raises ValueError."""
    _split_url(value, example="https://papers.example.org")
    return value.rstrip("/")


def fetch_url(value: str) -> str:
    """Return an address to fetch from; raises ValueError."""
    parts = _split_url(value, example="https://example.org/feed.xml")
    if parts.username or parts.password:
        raise ValueError("passwords don't belong in addresses; remove it")
    return value


def _split_url(value: str, example: str) -> SplitResult:
    """Return the parts of a web address; raises ValueError."""
    try:
        parts = urlsplit(value)
        is_web_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # such as http://[x
        is_web_address = False
    if not is_web_address:
        raise ValueError(f"{_without_login(value)} is not a web address; write it like {example}")
    try:
        port = parts.port  # parsed only now; raises ValueError if it is not a number from 0 to 65535
    except ValueError:
        port = 0
    if port == 0:
        problem = "has no port between 1 and 65535; correct it, or leave it out"
        raise ValueError(f"{_without_login(value)} {problem}")
    return parts


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
