"""The parts that the formats of libraries share: references, and dates of exports."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from itertools import chain, takewhile

from bot.formats.format import MONTHS, calendar_day
from bot.formats.names import first_name_first
from bot.formats.tables import table

PREAMBLE = 20_000  # characters in which a format looks for its beginning
# Between two addresses of one field. Rayyan puts nothing between them.
NEXT_URL = re.compile(r"(?:[;\s]|\s(?:and|or)\s)\s{0,9}(?=https?://)|(?<=[a-z\d])(?=https?://)")
_BRACKETED = re.compile(r"\[([^][]{40,})\]")  # JSTOR
_TRANSLATION = re.compile(
    r"(?:abstract|resumo|resumen|r\u00e9sum\u00e9|riassunto|zusammenfassung)\b", re.IGNORECASE
)  # SciELO
_LONGEST_DATE = 200
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_DAYS = (
    re.compile(r"(?<![\d.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>(?:1[5-9]|20)\d\d)(?!\d)"),  # 14.03.2018
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>[0-3]\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<y>(?:1[5-9]|20)\d\d)[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?(?!\d)"),
    re.compile(r"(?<![\d/.])(?P<m>\d{1,2})[/.](?P<y>(?:1[5-9]|20)\d\d)(?!\d)"),
    re.compile(r"\A\s*(?P<m>\d{1,2}) (?P<y>(?:1[5-9]|20)\d\d)\s*\Z"),  # INSPEC's "07 2006"
)
_MONTH = re.compile(
    rf"(?<![a-z])({'|'.join(MONTHS)})(?:[a-z]{{0,6}}(?![a-z]))\.?(?:[\s~-]{{0,3}}(\d{{1,2}})(?!\d))?", re.IGNORECASE
)
_DAY_BEFORE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?:[-\u2013]{1,2}\d{1,2})?[.\s~,-]{1,3}$")
_NO_LETTER = re.compile(r"[^a-z]+")
HOMONYM = re.compile(r" 0\d{3}$")  # dblp's number behind people of the same name
MISSING = {"NA", "N/A", "nan", "NaN", "null", "None"}  # as R, pandas, JavaScript and Python write it
# EndNote names a reference after a PDF that it can't identify: <Owls by night.pdf>
_FILE = re.compile(r"<(.{1,300})\.pdf>", re.IGNORECASE)
# BIOSIS: "Lovelace, Ada [Author, Reprint Author; E-mail: ada@example.org]"
_ROLE = re.compile(r"\s?\[[^][]{0,300}\]")


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of an export, with raw texts."""

    type: str  # the format's own words, between semicolons
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    doi: str = ""
    urls: tuple[str, ...] = ()
    venue: str = ""
    arxiv_id: str = ""
    mentions: tuple[str, ...] = ()  # may have a DOI or an arXiv id, as ``urls`` may
    added: date | None = None  # by the reader
    key: str = ""  # in a followed library


@dataclass(frozen=True, slots=True)
class LibraryFormat:
    """A format of libraries."""

    name: str
    begins: Callable[[str], int | None]  # at the index of the first entry; None in other texts
    references: Callable[[str], Iterator[Reference | str]]
    is_database: bool = False  # entries are papers by default; reference managers also have web pages and notes


Fields = Mapping[str, Sequence[str]]


@cache
def fields(section: str) -> Fields:
    """Return a format's names of each field in ``fields.toml``, the best first."""
    rows = table("libraries/fields")[section].items()
    return {field: tuple(chain.from_iterable(map(_columns, names.split()))) for field, names in rows}


def _columns(name: str) -> list[str]:
    """Return a name, or the names that "«title»" stands for."""
    known = table("markdown")["fields"][name.strip("«»")] if name.startswith("«") else ()
    return [column for column in known if not column.isascii()] or [name]


def reference(
    record: Mapping[str, Sequence[str]],
    names: Fields,
    *,
    authors: Iterable[str] | None = None,
    author_name: Callable[[str], str] | None = None,
    key: str = "",
) -> Reference:
    """Return the reference of a record, with lists of texts by the format's names.

    All dates, addresses and mentions count, but only the first value of other fields. ``lead`` and ``group`` are
    authors before and behind the others. ``early`` is the date of a paper without an issue. ``seconds`` is the Unix
    time of addition.
    """

    def lists(field: str) -> Iterator[list[str]]:
        for name in names.get(field, ()):
            yield [value for value in record.get(name, ()) if value and value not in MISSING]

    def first(field: str) -> list[str]:
        return next(filter(None, lists(field)), [])

    def every(field: str) -> tuple[str, ...]:
        return tuple(chain.from_iterable(lists(field)))

    def text(field: str) -> str:
        return next(iter(first(field)), "")

    if authors is None:
        people = people_in(";".join((*every("lead"), *first("authors"), *every("group"))))
        authors = map(author_name or first_name_first, people)
    added = day_in(text("added"))
    with suppress(ValueError, OverflowError, OSError):
        added = added or datetime.fromtimestamp(float(text("seconds")[:20]), UTC).date()
    return Reference(
        type=";".join(every("type")),
        title=file[1] if (file := _FILE.fullmatch(text("title"))) else text("title"),
        abstract=_joined(first("abstract")),
        authors=tuple(dict.fromkeys(authors)),
        published=every("published") or every("early"),
        doi=text("doi"),
        urls=tuple(url for value in every("urls") for url in NEXT_URL.split(value)),
        venue=text("venue"),
        arxiv_id=text("arxiv"),
        mentions=every("mentions"),
        added=added,
        key=key,
    )


def _joined(paragraphs: Sequence[str]) -> str:
    """Return the paragraphs of an abstract up to the same in another language."""
    text = " ".join(takewhile(lambda part: part is paragraphs[0] or not _TRANSLATION.match(part), paragraphs))
    return match[1] if (match := _BRACKETED.fullmatch(text)) else text


def simple(name: str) -> str:
    """Return a name in small letters only, or as it is if all of them are of another script.

    >>> simple("Author(s)"), simple("Ano de publicação"), simple("Title-题名"), simple(" 题名")
    ('authors', 'anodepublicacao', 'title', '题名')
    """
    if name.isascii():
        return _NO_LETTER.sub("", name.lower())
    return _NO_LETTER.sub("", unicodedata.normalize("NFKD", name).lower()) or name.strip(' :"\n')


def people_in(text: str) -> list[str]:
    """Return the names of authors in one value, where a program writes all into one.

    >>> people_in("Lovelace, Ada [Author; E-mail: x]; Hopper, G and Owl, B; Office of Owls, Bees and Mice, Wales")
    ['Lovelace, Ada', 'Hopper, G', 'Owl, B', 'Office of Owls, Bees and Mice, Wales']
    """
    people = []
    for part in _ROLE.sub("", text).split(";"):
        names = part.split(" and ")
        people += names if " of " not in part and all("," in name for name in names) else [part]
    return [name for part in people if (name := part.strip())]


def day_in(*texts: str) -> date | None:
    """Return the day of date fields. A missing month or day is 1.

    The last text has the certain year, and earlier ones complete it: Web of Science has "SEP 22" and "2010".

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
            if day := calendar_day(parts.get("d") or "1", parts["m"], parts["y"]):
                return day
        if year := _YEAR.search(text):
            month = _MONTH.search(text)
            if month is None:
                return date(int(year[0]), 1, 1)
            before = _DAY_BEFORE.search(text[: month.start()])
            day_text = before[1] if before else month[2] or "1"
            return calendar_day(day_text, month[1], year[0]) or calendar_day("1", month[1], year[0])
    return None
