"""Small pieces of English that several messages need."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby


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


_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def format_days(days: Collection[str]) -> str:
    """Days of the week as people write them; three or more in a row as a range.

    >>> format_days(["mon", "tue", "wed", "thu", "fri"]), format_days(["sun", "mon"]), format_days(_WEEKDAYS)
    ('Mon-Fri', 'Mon and Sun', 'every day')
    """
    if len(set(days)) == len(_WEEKDAYS):
        return "every day"
    parts: list[str] = []
    for in_days, run in groupby(_WEEKDAYS, key=lambda day: day in days):
        names = [day.capitalize() for day in run]
        if in_days:
            parts += [f"{names[0]}-{names[-1]}"] if len(names) > 2 else names
    return listed(parts)
