"""Which texts are one mail address."""

from __future__ import annotations

import re
from email.errors import HeaderParseError
from email.headerregistry import Address

# RFC 5322, sections 3.2.3 and 3.4.1: a dot-atom at a host name.
_DOT_ATOM = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*"
)


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
