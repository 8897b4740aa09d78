"""What the formats of libraries share: references, dates and names as exports write them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

from bot.formats.format import MONTHS, first_name_first

PREAMBLE = 20_000  # characters in which a format looks for its beginning
NEXT_URL = re.compile(r"[;\s]\s{0,9}(?=https?://)")  # between two addresses of one field
_LONGEST_DATE = 200
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_DAYS = (
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>[0-3]\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<y>(?:1[5-9]|20)\d\d)[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?(?!\d)"),
    re.compile(r"(?<![\d/.])(?P<m>\d{1,2})[/.](?P<y>(?:1[5-9]|20)\d\d)(?!\d)"),
)
_MONTH = re.compile(
    rf"(?<![a-z])({'|'.join(MONTHS)})(?:[a-z]{{0,6}}(?![a-z]))\.?(?:[\s~-]{{0,3}}(\d{{1,2}})(?!\d))?", re.IGNORECASE
)
_DAY_BEFORE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?:[-\u2013]\d{1,2})?[.\s~,-]{1,3}$")


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry as a format has it; texts are not cleaned yet.

    ``type`` is the format's own word, or several with semicolons between. ``published`` has the texts that may hold the
    date of publication. ``doi`` is a field of its own, ``urls`` and ``mentions`` may hold a DOI or an arXiv id.
    ``added`` is when the reader added it, where the format says so. ``key`` identifies it in a library that is
    followed.
    """

    type: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    doi: str = ""
    urls: tuple[str, ...] = ()
    venue: str = ""
    arxiv_id: str = ""
    mentions: tuple[str, ...] = ()
    added: date | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class LibraryFormat:
    """A format of libraries.

    ``begins(text)`` returns where its first entry begins, and None in other texts. ``is_database`` is set where an
    entry is a paper unless its type says otherwise. In reference managers, people keep web pages and notes as well.
    """

    name: str
    begins: Callable[[str], int | None]
    references: Callable[[str], Iterator[Reference | str]]
    is_database: bool = False


Fields = Mapping[str, Sequence[str]]


@cache
def fields(section: str) -> Fields:
    """Return the names by which a format calls each field, the best first, as ``fields.toml`` has them."""
    table = tomllib.loads(Path(__file__).with_name("fields.toml").read_text(encoding="utf-8"))[section]
    return {field: tuple(names.split()) for field, names in table.items()}


def reference(
    record: Mapping[str, Sequence[str]],
    names: Fields,
    *,
    authors: Iterable[str] | None = None,
    author_name: Callable[[str], str] | None = None,
    key: str = "",
) -> Reference:
    """Return the reference that a record's values make, each a list of texts by the format's names.

    Of dates, addresses and mentions all count. Of the other fields the first name with a value does. ``lead`` and
    ``group`` are further authors, before and behind the others. ``seconds`` is the time of addition as Unix time.
    """

    def first(field: str) -> list[str]:
        values = ([value for value in record.get(name, ()) if value] for name in names.get(field, ()))
        return next(filter(None, values), [])

    def every(field: str) -> tuple[str, ...]:
        return tuple(value for name in names.get(field, ()) for value in record.get(name, ()) if value)

    def text(field: str) -> str:
        return next(iter(first(field)), "")

    if authors is None:
        # Some programs write all authors into one value.
        people = ";".join((*every("lead"), *first("authors"), *every("group"))).split(";")
        authors = map(author_name or first_name_first, filter(None, (name.strip() for name in people)))
    return Reference(
        type=";".join(every("type")),
        title=text("title"),
        abstract=" ".join(first("abstract")),
        authors=tuple(dict.fromkeys(authors)),
        published=every("published"),
        doi=text("doi"),
        urls=tuple(url for value in every("urls") for url in NEXT_URL.split(value)),
        venue=text("venue"),
        arxiv_id=text("arxiv"),
        mentions=every("mentions"),
        added=day_in(text("added")) or day_of_second(text("seconds")),
        key=key,
    )


def day_in(*texts: str) -> date | None:
    """Return the day that a date field states; month and day are 1 where it has none.

    The last text states the year for certain. Those before complete it: Web of Science writes "SEP 22" and, elsewhere,
    "2010". One with another year is a date of something else.

    >>> day_in("SEP 22", "2010"), day_in("2019/05/03/11:02"), day_in("2021 Jan-Feb"), day_in("2024-05-01", "2020///")
    (datetime.date(2010, 9, 22), datetime.date(2019, 5, 3), datetime.date(2021, 1, 1), datetime.date(2020, 1, 1))
    """
    text = ""
    years: list[list[str]] = [_YEAR.findall(part[:_LONGEST_DATE]) for part in texts]
    certain = set(next(filter(None, reversed(years)), ()))
    for part, stated in zip(texts, years, strict=True):
        if stated and not certain.intersection(stated):
            continue
        text = f"{text} {part[:_LONGEST_DATE]}"
        days = (match for pattern in _DAYS for match in pattern.finditer(text))
        for match in days:
            parts = match.groupdict()
            if day := _day(int(parts["y"]), int(parts["m"]), int(parts.get("d") or 1)):
                return day
        if year := _YEAR.search(text):
            month = _MONTH.search(text)
            if month is None:
                return date(int(year[0]), 1, 1)
            before = _DAY_BEFORE.search(text[: month.start()])
            number = MONTHS.index(month[1].lower()) + 1
            day_number = int(before[1] if before else month[2] or 1)
            return _day(int(year[0]), number, day_number) or date(int(year[0]), number, 1)
    return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def day_of_second(seconds: str) -> date | None:
    """Return the day of a Unix time, as some programs write when an entry was added."""
    try:
        return datetime.fromtimestamp(float(seconds[:20]), UTC).date()
    except (ValueError, OverflowError, OSError):
        return None
