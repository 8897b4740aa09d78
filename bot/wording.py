"""Plurals and enumerations for messages."""

from __future__ import annotations

from collections.abc import Sequence


def plural(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "paper"), plural(1200, "paper")
    ('1 paper', '1,200 papers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """Return items as an enumeration.

    >>> listed(["arXiv"]), listed(["arXiv", "seeds", "mail"])
    ('arXiv', 'arXiv, seeds and mail')
    """
    if len(items) < 2:
        return "".join(items)
    # No comma before "and", as everywhere in the messages.
    return f"{', '.join(items[:-1])} and {items[-1]}"
