"""Tables of databases and reference managers: CSV and text with tabs, read by Python's csv.

The names of columns decide, so products may add some or leave some out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from bot.formats.format import author_names, first_name_first, initials_first
from bot.formats.libraries.reference import Reference, fields, reference
from bot.model import limits

_YEARS = frozenset("publicationyear publishedyear pubyear year py".split())
# Columns of programmes.
_PROGRAMME = frozenset(
    "start starttime startsat startdatetime room roomname session sessiontitle track speakers".split()
)
_MANAGERS = frozenset(("itemtype", "dateadded"))  # Zotero has a column "Session", too
_NO_LETTER = re.compile(r"[^a-z]+")
_NUMBER = re.compile(r"\s*\(\d{1,15}\)\s*$")
# A record of Embase's "CSV, fields by row" is a block of rows, each with its name and its values.
_BY_ROW = re.compile(r'\A\s*"?TITLE"?,"[^"]{20,}"\s*\n"?[A-Z][A-Za-z/ -]{3,40}"?,')


def begins(text: str) -> int | None:
    """Return 0 if the first lines name the columns of a library."""
    return None if _table(text[:20_000]) is None else 0


def _table(text: str) -> tuple[str, int] | None:
    """Return the delimiter of a table, and the number of lines above the names of its columns."""
    # Dimensions and Excel write a line of their own first.
    lines = text.lstrip("\n").split("\n", 3)[:3]
    for number, line in enumerate(lines):
        delimiter = max("\t,;|", key=line.count)
        try:
            row = next(csv.reader([line[:20_000]], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:
            continue
        names = set(map(_simple, row))
        known = {field for field, columns in fields("columns").items() if names & set(columns)} - {"mentions"}
        is_dated = names & _YEARS or {"doi", "published", "venue"} <= known
        if "title" in known and is_dated and len(known) > 2 and (names & _MANAGERS or not names & _PROGRAMME):
            return delimiter, number
    if _BY_ROW.match(text):
        return "", 0
    return None


def _simple(name: str) -> str:
    """Return a column's name in small letters only: "Author(s) ID" is "authorsid"."""
    return _NO_LETTER.sub("", name.lower())


def references(text: str) -> Iterator[Reference | str]:
    text = text.lstrip("\n")
    table = _table(text[:20_000])
    if table is None:
        return
    delimiter, skipped = table
    if not delimiter:
        yield from _blocks(text)
        return
    # Web of Science quotes nothing. No text has this control character.
    quote = "\x01" if text.startswith("PT\t") else '"'
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, quotechar=quote)
    names: list[str] = []
    while True:
        line = rows.line_num + 1
        try:
            values = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"line {line:,}: {error}; is a quotation mark missing?"
            continue
        if line <= skipped or not any(value.strip() for value in values):
            continue
        if not names:
            names = [_simple(name) for name in values]
            continue
        row: dict[str, str] = {}
        for name, value in zip(names, values, strict=False):
            row.setdefault(name, value.strip())
        yield _reference(row)


def _blocks(text: str) -> Iterator[Reference | str]:
    block: dict[str, str] = {}
    rows = csv.reader(text.split("\n"))
    try:
        for row in rows:
            name = _simple(row[0]) if row else ""
            if name == "title" and block:
                yield _reference(block)
                block = {}
            if name:
                block.setdefault(name, "; ".join(filter(None, row[1:])))
    except csv.Error as error:
        yield f"line {rows.line_num:,}: {error}; is a quotation mark missing?"
    if block:
        yield _reference(block)


def _reference(row: dict[str, str]) -> Reference:
    people = next(filter(None, map(row.get, fields("columns")["authors"])), "")[: limits.BYLINE].strip(" ,;")
    if "journalbook" in row:  # PubMed's lists of authors are sentences
        people = people.removesuffix(".")
    record = {name: (value,) for name, value in row.items()}
    return reference(record, fields("columns"), authors=_authors(people, "abstractnote" in row))


def _authors(text: str, is_zotero: bool) -> Iterator[str]:
    """Yield the names of a cell, first name first. Zotero separates them by semicolons."""
    if text.startswith(("['", '["')):  # a list as Python writes it
        text = re.sub(r"['\"], ?['\"]", ";", text[2:].rstrip("]'\""))
    parts: Sequence[str] = text.split(";" if ";" in text else "|")  # OpenAlex has a bar
    # "Lovelace, Ada" is one, "Lovelace A, Hopper G" are two.
    is_one = text.count(",") < 2 and not all(" " in part.strip() for part in text.split(","))
    if len(parts) == 1 and not is_zotero and not is_one:
        parts = author_names(text)
    for name in filter(None, (_NUMBER.sub("", part.strip()) for part in parts)):
        yield initials_first(name) if "," not in name else first_name_first(name)
