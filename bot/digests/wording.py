"""What titles, abstracts and dates look like, for formats that don't mark them."""

from __future__ import annotations

import re
from datetime import date, timedelta

from bot import limits

LONGEST_TITLE = 300  # characters; the longest that are known have some 250
_FURTHEST_AHEAD = timedelta(days=2)  # of its digest: a paper's date may be another time zone's, or tomorrow
_CLOSING = "\"'\u201d\u2019)]"  # may stand behind the full stop
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BETWEEN_NAMES = re.compile(
    r"[,;](?!\s*(?:[JS]r\b|I{2,3}\b|IV\b))|\sand\s"
)  # "Sammy Davis, Jr." is one author
_PARENTHESIS = re.compile(r"([()])")
_LISTED = ("- ", "* ", "\u2022 ", "\u2013 ")  # how an item of a list begins


def names(text: str) -> tuple[str, ...]:
    """The authors in a list like "Ada Lovelace, Grace Hopper and others"; of too many, one more than are allowed."""
    parts = _BETWEEN_NAMES.split(text[: limits.BYLINE], maxsplit=limits.AUTHORS + 1)
    listed = (name.strip().removeprefix("and ") for name in parts)
    return tuple(filter(None, listed))


def without_affiliations(authors: str) -> str:
    """A list of authors without what stands in parentheses, which may hold commas and parentheses of its own.

    >>> without_affiliations("Ada Lovelace (1 and 2), Grace Hopper ((1) Lab, Here (2) There)")
    'Ada Lovelace , Grace Hopper '
    """
    outside: list[str] = []
    opened: list[int] = []  # where in ``outside`` each parenthesis stands that is still open
    for part in _PARENTHESIS.split(authors[: limits.BYLINE]):
        if part == ")" and opened:
            del outside[opened.pop() :]
        else:
            if part == "(":
                opened.append(len(outside))
            outside.append(part)
    return "".join(outside)


def calendar_day(day: str, month: str, year: str) -> date | None:
    """The date of such words as "6", "May", "2025"; None where there is no such day."""
    try:
        return date(int(year), MONTHS.index(month[:3].lower()) + 1, int(day))
    except ValueError:
        return None


def is_prose(text: str) -> bool:
    """Whether a paragraph reads like an abstract's: long, or a sentence."""
    return len(text) > LONGEST_TITLE or text.rstrip(_CLOSING).endswith(".")


def is_title(text: str) -> bool:
    """Whether a paragraph reads like a title: short, no sentence, no item of a list, no address."""
    if len(text) > LONGEST_TITLE or text.startswith(_LISTED) or "://" in text:
        return False
    return not text.rstrip(_CLOSING).endswith((".", ":", ";", ","))


def flaw(number: int, title: str, abstract: str) -> str | None:
    """Why this can't be a paper's title and abstract, as a sentence with the line number; None if it can."""
    if not title or len(title) > LONGEST_TITLE:
        return f"line {number}: a paper without a title"
    if len(abstract) > limits.ABSTRACT:
        return f"line {number}: the abstract of {quoted(title)} has {len(abstract):,} characters"
    return None


def quoted(text: str) -> str:
    """A text's beginning, in quotation marks, for a message."""
    return f'"{text}"' if len(text) <= 60 else f'"{text[:57].rstrip()}..."'


def plausible_date(published: date | None, digest: date | None) -> date | None:
    """A paper's date, unless it lies in the future of the digest that names it."""
    if published and digest and published - digest > _FURTHEST_AHEAD:
        return None
    return published
