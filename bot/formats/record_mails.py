"""Alerts in plain text, or in the body of a mail, with a record of labelled fields for each paper.

RePEc's New Economics Papers (NEP):

    1. A title                                   perhaps below a list of titles
    Date: 2026-05
    By: Ada Lovelace (University of Owls)        an author a line, or several with ";" between them
    Grace Hopper (Night School)
    URL: https://d.repec.org/n?u=RePEc:owl:wpaper:1&r=owl
    The abstract, with or without a label.
    Keywords: owls, silence
    JEL: D81

Web of Science and similar ones:

    Record 1 of 2.
    Title: A title
    Author(s): Lovelace, A (Lovelace, Ada); Hopper, G (Hopper, Grace)
    Source: JOURNAL OF OWLS, 12 (3): 45-56 MAY 2026
    Abstract: Owls see.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from bot.formats.addresses import destination
from bot.formats.credits import day_in, joined, names_in, venue_in
from bot.formats.format import Format, Line, build_digest, facts_of, reject_reason
from bot.formats.names import author_names, without_affiliations
from bot.formats.tables import pattern
from bot.model import Entry, FactKind, ParsedDigest, limits
from bot.model.papers import arxiv_id_in, doi_in

_ONE_LINE = ("date", "url", "doi")  # the abstract may follow without a label
_NUMBERED = re.compile(r"(?:\d{1,4}\.|\[\d{1,4}\]|<\d{1,4}>)\s(.{3,})")
_RECORD = re.compile(
    r"\W*(?:record|document|article|result)\s\d{1,4}(?: of \d{1,5})?\b\W*(?:view full record)?$", re.IGNORECASE
)
_NEP = re.compile(r"(?:nep: |nep-\w{3}\b.{0,20})?new economics papers\b.{0,100}", re.IGNORECASE)
_HEADER_LINES = 60  # at most, above the first paper's title
_END = re.compile(r"[-=_*]{5,}|this nep-\w{3}\b.*|.{0,60}\u00a9.*|general information on the nep\b.*", re.IGNORECASE)


def _field(text: str) -> tuple[str, str] | None:
    """Return the name of a line's field, and the text behind its label."""
    match = pattern("field").fullmatch(text)
    if match is None:
        return None
    return next(name for name, label in match.groupdict().items() if label), match["rest"] or ""


def _records(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the index of each record's title: a number or a label with authors below it.

    In NEP any field may follow a number. In its HTML a title has no number.
    """
    is_nep = any(_NEP.fullmatch(line.text) for line in lines[:_HEADER_LINES])
    candidate: int | None = None  # a title without fields so far
    above: int | None = None  # the last line with text
    rows = 0
    for i, line in enumerate(lines):
        field = _field(line.text)
        if _NUMBERED.match(line.text) or (field and field[0] == "title"):
            candidate, rows = i, 0
        elif candidate is not None and field and (field[0] == "authors" or is_nep):
            yield candidate
            candidate = None
        elif is_nep and field and field[0] == "authors" and above is not None and not _field(lines[above].text):
            yield above
        elif candidate is not None and line.text:
            rows += 1
            candidate = candidate if rows < 6 else None
        above = i if line.text else above


def starts(lines: Sequence[Line]) -> Iterator[int]:
    if any(_NEP.fullmatch(line.text) for line in lines[:_HEADER_LINES]) and is_rest(lines):
        yield next(i for i, line in enumerate(lines) if line.text)


def is_rest(lines: Sequence[Line]) -> bool:
    """Return whether a record has more than title and authors, which news have, too."""
    if next((line.text for line in lines if line.text), "") == "---":  # a page's front matter
        return False
    begin = next(_records(lines), len(lines))
    fields = (_field(line.text) for line in lines[begin:])
    return any(field and field[0] not in ("title", "authors", "date", "url") for field in fields)


def parse(lines: Sequence[Line]) -> ParsedDigest:
    begins = list(_records(lines))
    header = [line.text for line in lines[: begins[0] if begins else 0]]
    is_nep = any(map(_NEP.fullmatch, header))
    issue = next((day for text in header if re.match(r"issue\b", text, re.IGNORECASE) and (day := day_in(text))), None)
    heading = next((i for i, text in enumerate(header) if _NEP.fullmatch(text)), 0)
    about = next((text for text in header[heading + 1 :] if text), "") if is_nep else ""
    topic = re.sub(r"^on ", "", about) or ("New Economics Papers" if is_nep else "")
    records = (lines[begin:end] for begin, end in pairwise([*begins, len(lines)]))
    return build_digest("nep" if is_nep else "record-mail", topic, issue, map(_paper, records))


def _paper(record: Sequence[Line]) -> Entry | str:
    fields: dict[str, list[str]] = {}
    rows = fields.setdefault("title", [])
    is_open = "title"  # the field of the next line
    for line in record:
        text = line.text
        if _END.fullmatch(text) or (_RECORD.match(text) and line is not record[0]):
            break
        if field := _field(text):
            name, text = field
            rows = [] if name in fields and name != "title" else fields.setdefault(name, [])
            is_open = "abstract" if name in _ONE_LINE and text else name
            rows += [text] if text else []
            continue
        if text and is_open == "authors" and rows and rows[-1].count("(") > rows[-1].count(")"):
            rows[-1] = f"{rows[-1]} {text}"[: limits.URL]  # an affiliation that goes on
            continue
        if line is record[0] and (number := _NUMBERED.match(text)):
            text = number[1]
        if not text:
            # Blank lines separate fields. The first paragraph without a label is the abstract.
            is_open = "abstract" if is_open != "title" and not fields.get("abstract") else is_open if not rows else ""
        elif is_open == "authors" and not names_in(without_affiliations(f"By: {text}")) and "(" not in text and rows:
            is_open = "abstract"
        if text and is_open == "abstract":
            rows = fields.setdefault("abstract", [])
        if text and is_open:
            rows.append(text)
    values = defaultdict(str, {name: joined(rows) for name, rows in fields.items()})
    authors: list[str] = []
    for row in fields.get("authors", ()):
        authors += names_in(f"By: {row}") or author_names(without_affiliations(row).replace(";", ","))
    title, abstract = values["title"], values["abstract"]
    url = values["url"].partition(" ")[0]
    return reject_reason(f"line {record[0].number}", title, abstract) or Entry(
        title=title,
        abstract=abstract,
        authors=tuple(authors),
        published=day_in(values["date"]) or day_in(values["venue"]),
        arxiv_id=arxiv_id_in(url) if "arxiv.org" in url else None,
        doi=doi_in(values["doi"] or url) or doi_in(values["venue"]),
        url=destination(url).public_address or None,
        facts=facts_of("the mail", {FactKind.VENUE: venue_in(values["venue"])}),
    )


RECORDS = Format("alert of labelled records", starts, parse, specificity=6, is_rest=is_rest)
