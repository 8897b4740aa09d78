"""Heuristics for titles, abstracts, author lists and dates, shared by formats that don't mark them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from bot import limits

LONGEST_TITLE = 300  # characters; the longest titles on arXiv have some 250
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# A paper may be dated in a time zone ahead of its digest's, or a day ahead on purpose.
_MAX_DAYS_AHEAD = timedelta(days=2)
_AFTER_FULL_STOP = "\"'\u201d\u2019)]"
# "Sammy Davis, Jr." is one author.
_BETWEEN_NAMES = re.compile(r"[,;](?!\s*(?:[JS]r\b|I{2,3}\b|IV\b))|\sand\s")
_PARENTHESIS = re.compile(r"([()])")
# What publishers list beside the papers of an issue, with addresses of the same form.
_FRONT_MATTER = re.compile(
    r"(?:publication information|information for authors|instructions for authors|table of contents"
    r"|(?:front|back) cover|editorial board|society information|call for papers|issue information"
    r"|in this issue|(?:author|subject) index|list of reviewers)\W*$",
    re.IGNORECASE,
)
_LIST_MARKERS = ("- ", "* ", "\u2022 ", "\u2013 ")


def author_names(text: str) -> tuple[str, ...]:
    """Split an author list such as "Ada Lovelace, Grace Hopper and others".

    Returns at most one author more than a paper may have, so that the caller sees that there are too many.
    """
    parts = _BETWEEN_NAMES.split(text[: limits.BYLINE], maxsplit=limits.AUTHORS + 1)
    names = (name.strip().removeprefix("and ") for name in parts)
    return tuple(filter(None, names))


def split_authors(elements: Sequence[str]) -> tuple[str, ...]:
    """Return the authors in a feed's author elements: one element for each, or all authors in a single element."""
    if len(elements) != 1:
        return tuple(elements)
    names = author_names(without_affiliations(elements[0]))
    # "Lovelace, Ada" is one author, "Ada Lovelace, Grace Hopper" are two.
    is_inverted_name = len(names) == 2 and not all(" " in name for name in names)
    return tuple(elements) if is_inverted_name else names


def without_affiliations(authors: str) -> str:
    """Remove parentheses from an author list; they may hold commas and nested parentheses.

    >>> without_affiliations("Ada Lovelace (1 and 2), Grace Hopper ((1) Lab, Here (2) There)")
    'Ada Lovelace , Grace Hopper '
    """
    # A stack, and not a regular expression: none matches nested parentheses, and removing the innermost ones again and
    # again takes n^2 steps. What follows an unclosed parenthesis is kept.
    outside: list[str] = []
    opened: list[int] = []  # indices into ``outside``
    for part in _PARENTHESIS.split(authors[: limits.BYLINE]):
        if part == ")" and opened:
            del outside[opened.pop() :]
        else:
            if part == "(":
                opened.append(len(outside))
            outside.append(part)
    return "".join(outside)


def calendar_day(day: str, month: str, year: str) -> date | None:
    """Return the date of words such as "6", "May", "2025"; None if there is no such day."""
    try:
        return date(int(year), MONTHS.index(month[:3].lower()) + 1, int(day))
    except ValueError:
        return None


def is_prose(text: str) -> bool:
    """Return whether a paragraph reads like an abstract: long, or a sentence."""
    return len(text) > LONGEST_TITLE or text.rstrip(_AFTER_FULL_STOP).endswith(".")


def is_title(text: str) -> bool:
    """Return whether a paragraph reads like a title: short, not a sentence, list item or address."""
    if len(text) > LONGEST_TITLE or text.startswith(_LIST_MARKERS) or "://" in text:
        return False
    return not text.rstrip(_AFTER_FULL_STOP).endswith((".", ":", ";", ","))


def is_front_matter(title: str) -> bool:
    """Return whether a title is of a page without authors, such as "Editorial Board"."""
    return bool(_FRONT_MATTER.search(title))


def reject_reason(place: str, title: str, abstract: str) -> str | None:
    """Return why title and abstract can't be a paper's, as a sentence that begins with ``place``; None if they can."""
    if not title or len(title) > LONGEST_TITLE:
        return f"{place}: a paper without a title"
    if len(abstract) > limits.ABSTRACT:
        return f"{place}: the abstract of {quoted(title)} has {len(abstract):,} characters"
    return None


def quoted(text: str) -> str:
    """Return the beginning of a text in quotation marks, for a message."""
    return f'"{text}"' if len(text) <= 60 else f'"{text[:57].rstrip()}..."'


def plausible_date(published: date | None, digest: date | None) -> date | None:
    """Return a paper's date, or None if it is in the future of its digest."""
    if published and digest and published - digest > _MAX_DAYS_AHEAD:
        return None
    return published
