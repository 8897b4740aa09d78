"""Which texts are one mail address, and how it is written.

Loopback addresses: only to this machine may mails, passwords and tokens be sent without TLS.
"""

from __future__ import annotations

import re
from email.errors import HeaderParseError
from email.headerregistry import Address
from ipaddress import ip_address

# RFC 5322, sections 3.2.3 and 3.4.1: a dot-atom at a host name.
_DOT_ATOM = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*"
)
# Characters (RFC 5321, 4.5.3.1.3: a path of 256 octets with its angle brackets). Checked first, because email-validator
# takes 0.8 s for a million characters.
_MAX_ADDRESS = 254


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
