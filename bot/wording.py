"""Small pieces of English that several messages need."""

from __future__ import annotations

from collections.abc import Sequence


def plural(number: int, noun: str) -> str:
    """A number with its noun.

    >>> plural(1, "paper"), plural(1200, "paper")
    ('1 paper', '1,200 papers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """Items as a sentence names them.

    >>> listed(["arXiv"]), listed(["arXiv", "seeds", "mail"])
    ('arXiv', 'arXiv, seeds and mail')
    """
    return " and ".join([*([", ".join(items[:-1])] if len(items) > 1 else []), *items[-1:]])
