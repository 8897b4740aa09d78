"""Hugging Face's Daily Papers page, copied as text.

    Daily Papers                                     above it: new, Get trending papers ..., Subscribe
    byAK and the research community
    Apr 17                                           the day of the page

    Thinking in Small Steps                          title

    The abstract, in one or more paragraphs.

      • 8 authors                                    or an organisation: its slug, then its name
    ·
    May 30, 2025 4                                   date, and the number of comments

The last three lines, the metadata, separate one paper from the next, but some papers lack them: then a title is a
short paragraph that does not end like a sentence and that prose follows. A page copied without its first lines is
recognised by the metadata of some paper, if these count authors.

The page's own day and the dates of its own year carry no year; dates of earlier years do. So the page is of the year
after the latest one it names. If it names none, those dates are unknown (None).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from bot.formats.format import (
    LONGEST_TITLE,
    MONTHS,
    Format,
    Line,
    build_digest,
    is_prose,
    is_title,
    plausible_date,
    quoted,
    reject_reason,
)
from bot.model import Entry, ParsedDigest

_NAME = "daily papers"
_MENU = {"new", "get trending papers in your email inbox!", "subscribe"}
# Copies have "byAK" as often as "by AK".
_EDITOR = re.compile(r"by ?.{1,60} and the research community", re.IGNORECASE)
# The number of comments may follow the date.
_STAMP = re.compile(
    rf"({'|'.join(MONTHS)})[a-z]{{0,6}}\.? (\d{{1,2}})(?:, ((?:19|20)\d\d))?(?: \d{{1,6}})?", re.IGNORECASE | re.ASCII
)
_AUTHOR_COUNT = re.compile(r"[•·*-]? ?(\d{1,5}) authors?", re.IGNORECASE | re.ASCII)
_DOTS = {"·", "•", "∙"}
_LONGEST_ORGANISATION = 100  # characters, its slug included
_LONGEST_WRAPPED = 120  # characters; editors wrap at 72 to 100, so a longer line is a whole paragraph


class Stamp(NamedTuple):
    """A date as the page writes it."""

    year: int | None
    month: int
    day: int


@dataclass(frozen=True, slots=True)
class Metadata:
    """The lines below an abstract: the number of the first one, and the index of the line that follows them."""

    number: int
    end: int
    authors: int | None = None
    organisation: str | None = None
    stamp: Stamp | None = None


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    menu: int | None = None
    for i, line in enumerate(lines):
        text = line.text.lower()
        if text == _NAME:
            # "Daily Papers" alone may stand in any text; the editor's line or a date must follow.
            below = next((lines[k].text for k in range(i + 1, len(lines)) if lines[k].text), "")
            if _EDITOR.fullmatch(below) or _stamp(below):
                yield i if menu is None else menu
        if text in _MENU:
            menu = i if menu is None else menu
        elif text:
            menu = None


def _is_rest(lines: Sequence[Line]) -> bool:
    """Whether some paper has all three lines of metadata: nothing else is written like that."""
    texts = [line.text for line in lines if line.text]
    triples = zip(texts, texts[1:], texts[2:], strict=False)
    return any(_AUTHOR_COUNT.fullmatch(first) and second in _DOTS and _stamp(third) for first, second, third in triples)


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    lines = [line for line in lines if line.text]
    # Each line of the header may be missing from the copy.
    at = next((i + 1 for i, line in enumerate(lines) if line.text.lower() == _NAME), 0)
    if _EDITOR.fullmatch(_text_at(lines, at)):
        at += 1
    stamp = _stamp(_text_at(lines, at))
    blocks = list(_blocks(lines[at + 1 if stamp else at :]))
    year = stamp.year if stamp else None
    if not year:
        stamps = [metadata.stamp for _, metadata in blocks if metadata]
        latest = max((other.year for other in stamps if other and other.year), default=None)
        year = latest + 1 if latest else None
    day = _date(stamp, year)
    papers = (_paper(paragraphs, metadata, year, day) for paragraphs, metadata in blocks)
    return build_digest("daily-papers", "Daily Papers", day, papers)


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[Sequence[Line], Metadata | None]]:
    """Yield paragraphs and metadata of each paper; it ends with its metadata, or where another title begins."""
    pending: list[Line] = []
    at = 0
    while at < len(lines):
        metadata = _metadata(lines, at, in_paper=bool(pending))
        if metadata:
            *complete, last = _split(pending, ends_in_metadata=True)
            yield from ((paragraphs, None) for paragraphs in complete)
            yield last, metadata
            pending = []
            at = metadata.end
            continue
        # The page has one line for a paragraph, but an editor may have wrapped it: into short lines, without an empty
        # line or the end of a sentence between them.
        end = at + 1
        while end < len(lines) and not is_prose(lines[end - 1].text):
            is_next_row = lines[end].number <= lines[end - 1].number + 1
            is_short = max(len(line.text) for line in lines[end - 1 : end + 1]) <= _LONGEST_WRAPPED
            if not is_next_row or not is_short or _metadata(lines, end, in_paper=True):
                break
            end += 1
        pending.append(Line(lines[at].number, " ".join(line.text for line in lines[at:end])))
        at = end
    if pending:
        yield from ((paragraphs, None) for paragraphs in _split(pending, ends_in_metadata=False))


def _metadata(lines: Sequence[Line], at: int, *, in_paper: bool) -> Metadata | None:
    number, text = lines[at]
    count = _AUTHOR_COUNT.fullmatch(text)
    has_dot = _text_at(lines, at + 1) in _DOTS
    organisation = None
    # Any short line may be an organisation, so the dot below it must confirm it.
    if in_paper and has_dot and not count and len(text) <= _LONGEST_ORGANISATION and not is_prose(text):
        organisation = text.partition(" ")[2] or text  # the slug goes: "qualcomm Qualcomm"
    if not (count or organisation or text in _DOTS):
        return None
    end = at + 1 if text in _DOTS else at + 1 + has_dot
    stamp = _stamp(_text_at(lines, end))
    return Metadata(
        number=number,
        end=end + 1 if stamp else end,
        authors=int(count[1]) if count else None,
        organisation=organisation,
        stamp=stamp,
    )


def _split(paragraphs: Sequence[Line], *, ends_in_metadata: bool) -> list[Sequence[Line]]:
    prose = [i for i, paragraph in enumerate(paragraphs) if is_prose(paragraph.text)]
    cuts = {i - 1 for i in prose}
    # Short paragraphs after the last prose belong to no paper if no metadata follow: they are the page's foot, or a
    # title whose abstract was cut off.
    if prose and not ends_in_metadata:
        cuts.add(prose[-1] + 1)
    titles = [i for i in range(1, len(paragraphs)) if i in cuts and is_title(paragraphs[i].text)]
    return [paragraphs[begin:end] for begin, end in pairwise([0, *titles, len(paragraphs)])]


def _paper(paragraphs: Sequence[Line], metadata: Metadata | None, year: int | None, day: date | None) -> Entry | str:
    if not paragraphs:
        return f"line {metadata.number if metadata else 0}: authors and date belong to no paper"
    number, title = paragraphs[0]
    abstract = [paragraph.text for paragraph in paragraphs[1:]]
    if not metadata and not any(map(is_prose, abstract)):
        return f"line {number}: no abstract, authors or date belong to {quoted(title)}"
    stamp = metadata.stamp if metadata else None
    if len(title) > LONGEST_TITLE:  # an abstract
        title = ""
    return reject_reason(f"line {number}", title, " ".join(abstract)) or Entry(
        title=title,
        abstract=" ".join(abstract),
        author_count=metadata.authors if metadata else None,
        published=plausible_date(_date(stamp, year), day),
        organisation=metadata.organisation if metadata else None,
    )


def _date(stamp: Stamp | None, page_year: int | None) -> date | None:
    try:
        return date(stamp.year or page_year or 0, stamp.month, stamp.day) if stamp else None
    except ValueError:  # the year 0 as well
        return None


def _stamp(text: str) -> Stamp | None:
    match = _STAMP.fullmatch(text)
    if not match:
        return None
    month, day, year = match.groups()
    return Stamp(int(year) if year else None, MONTHS.index(month.lower()) + 1, int(day))


def _text_at(lines: Sequence[Line], at: int) -> str:
    return lines[at].text if at < len(lines) else ""


DAILY_PAPERS_PAGE = Format(
    title="Daily Papers page",
    hint='the lines "Daily Papers" and "byAK and the research community"',
    starts=_starts,
    parse=_parse,
    specificity=2,
    is_rest=_is_rest,
)
