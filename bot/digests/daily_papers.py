"""Hugging Face's Daily Papers page, copied as text.

    Daily Papers                                     above it: new, Get trending papers ..., Subscribe
    byAK and the research community
    Apr 17                                           the day of the page

    Thinking in Small Steps                          title

    The abstract, in one or more paragraphs.

      • 8 authors                                    or an organisation: its slug, then its name
    ·
    May 30, 2025 4                                   date, and the number of comments

A page copied without its first lines is recognised by the last three of some paper, where these count authors.

The last three lines tell one paper from the next, but some papers lack them: then a title is a short
paragraph that does not end like a sentence and that prose follows.

The page's own day and the dates of its own year carry no year; dates of earlier years do. So the page is of
the year after the latest one it names. If it names none, those dates are unknown (None).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from bot.digests.format import Format, collect
from bot.digests.text import Line
from bot.digests.wording import MONTHS, flaw, is_prose, is_title, plausible_date, quoted
from bot.domain import Entry, ParsedDigest

_NAME = "daily papers"
_ABOVE = {"new", "get trending papers in your email inbox!", "subscribe"}
_EDITOR = re.compile(r"by ?.{1,60} and the research community", re.IGNORECASE)
_STAMP = re.compile(
    rf"({'|'.join(MONTHS)})[a-z]{{0,6}}\.? (\d{{1,2}})(?:, ((?:19|20)\d\d))?(?: (\d{{1,6}}))?",
    re.IGNORECASE | re.ASCII,
)
_COUNT = re.compile(r"[•·*-]? ?(\d{1,5}) authors?", re.IGNORECASE | re.ASCII)
_DOTS = {"·", "•", "∙"}
_LONGEST_ORGANISATION = 100  # characters, its slug included
_WRAPPED = 120  # characters; a longer line has not been wrapped by an editor


class _Stamp(NamedTuple):
    """A date as the page writes it, with the number of comments behind it."""

    month: int
    day: int
    year: int | None
    comments: int | None


@dataclass(frozen=True, slots=True)
class _Meta:
    """The lines below an abstract."""

    number: int  # of its first line
    authors: int | None = None
    organisation: str | None = None
    stamp: _Stamp | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    """Paragraphs that belong together, and the lines below them where there are any."""

    paragraphs: tuple[Line, ...]
    meta: _Meta | None


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    above = None  # where the lines above the page's name begin
    for i, line in enumerate(lines):
        if line.text.lower() == _NAME and _is_below_name(_next_text(lines, i + 1)):
            yield i if above is None else above
        if line.text.lower() in _ABOVE:
            above = i if above is None else above
        elif line.text:
            above = None


def _next_text(lines: Sequence[Line], begin: int) -> str:
    return next((lines[i].text for i in range(begin, len(lines)) if lines[i].text), "")


def _is_below_name(text: str) -> bool:
    return bool(_EDITOR.fullmatch(text) or _stamp(text))


def _is_rest(lines: Sequence[Line]) -> bool:
    """Whether some paper ends in its three lines, of which the first counts the authors: nothing else is written so."""
    texts = [line.text for line in lines if line.text]
    triples = zip(texts, texts[1:], texts[2:], strict=False)
    return any(_COUNT.fullmatch(a) and b in _DOTS and _stamp(c) for a, b, c in triples)


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    day, body = _header([line for line in lines if line.text])
    items = list(_items(body))
    year = _year([day, *(item.stamp for item in items if isinstance(item, _Meta))])
    today = _date(day, year)
    return collect(
        "daily-papers", "Daily Papers", today, (_paper(block, year, today) for block in _blocks(items))
    )


def _header(lines: Sequence[Line]) -> tuple[_Stamp | None, Sequence[Line]]:
    """The page's day, and the lines below its header, of which any may not have been copied."""
    at = next((i for i, line in enumerate(lines) if line.text.lower() == _NAME), -1) + 1
    if at < len(lines) and _EDITOR.fullmatch(lines[at].text):
        at += 1
    day = _stamp(_text(lines, at))
    return day, lines[at + 1 if day else at :]


def _items(lines: Sequence[Line]) -> Iterator[Line | _Meta]:
    """The paragraphs, each as a line of its first line's number, and the metadata between them."""
    at, in_paper = 0, False
    while at < len(lines):
        meta, end = _meta(lines, at, in_paper=in_paper)
        if meta:
            yield meta
        else:
            end = _paragraph_end(lines, at)
            yield Line(lines[at].number, " ".join(line.text for line in lines[at:end]))
        at, in_paper = end, meta is None


def _meta(lines: Sequence[Line], at: int, *, in_paper: bool) -> tuple[_Meta | None, int]:
    """The metadata that begin at a line, if they do, and where they end."""
    number, text = lines[at]
    count = _COUNT.fullmatch(text)
    dotted = _text(lines, at + 1) in _DOTS
    organisation = None if count or not (in_paper and dotted) else _organisation(text)
    if not (count or organisation or text in _DOTS):
        return None, at
    end = at + 1 if text in _DOTS else at + 1 + dotted
    stamp = _stamp(_text(lines, end))
    meta = _Meta(number, int(count[1]) if count else None, organisation, stamp)
    return meta, end + 1 if stamp else end


def _organisation(text: str) -> str | None:
    """The name in ``qualcomm Qualcomm``; a line too long for one, or a sentence, is none."""
    if len(text) > _LONGEST_ORGANISATION or is_prose(text):
        return None
    return text.partition(" ")[2] or text


def _paragraph_end(lines: Sequence[Line], begin: int) -> int:
    """Lines are paragraphs; but short ones with no empty line or sentence's end between were wrapped."""
    end = begin + 1
    while end < len(lines) and _continues(lines[end - 1], lines[end]):
        if _meta(lines, end, in_paper=True)[0]:
            break
        end += 1
    return end


def _continues(above: Line, below: Line) -> bool:
    if below.number > above.number + 1 or is_prose(above.text):
        return False
    return max(len(above.text), len(below.text)) <= _WRAPPED


def _blocks(items: Sequence[Line | _Meta]) -> Iterator[_Block]:
    """One block a paper: it ends with its metadata, or where another title begins."""
    pending: list[Line] = []
    for item in items:
        if isinstance(item, Line):
            pending.append(item)
            continue
        *complete, last = _split(pending, ends_in_meta=True)
        yield from (_Block(paragraphs, None) for paragraphs in complete)
        yield _Block(last, item)
        pending = []
    if pending:
        yield from (_Block(paragraphs, None) for paragraphs in _split(pending, ends_in_meta=False))


def _split(paragraphs: Sequence[Line], *, ends_in_meta: bool) -> list[tuple[Line, ...]]:
    """The paragraphs cut before each title but the first.

    Short paragraphs after the last prose belong to no paper where no metadata follow: the page's foot, or
    a title from which the rest was cut off.
    """
    prose = [i for i, paragraph in enumerate(paragraphs) if is_prose(paragraph.text)]
    cuts = {i - 1 for i in prose}
    if prose and not ends_in_meta:
        cuts.add(prose[-1] + 1)
    titles = [i for i in range(1, len(paragraphs)) if i in cuts and is_title(paragraphs[i].text)]
    return [tuple(paragraphs[a:b]) for a, b in pairwise([0, *titles, len(paragraphs)])]


def _paper(block: _Block, year: int | None, today: date | None) -> Entry | str:
    """The paper in a block, or a sentence on why it is none."""
    meta = block.meta or _Meta(0)
    if not block.paragraphs:
        return f"line {meta.number}: authors and date belong to no paper"
    title, *abstract = (paragraph.text for paragraph in block.paragraphs)
    number = block.paragraphs[0].number
    if not block.meta and not any(map(is_prose, abstract)):
        return f"line {number}: no abstract, authors or date belong to {quoted(title)}"
    return flaw(number, title, " ".join(abstract)) or Entry(
        title=title,
        abstract=" ".join(abstract),
        author_count=meta.authors,
        published=plausible_date(_date(meta.stamp, year), today),
        comments=meta.stamp.comments if meta.stamp else None,
        organisation=meta.organisation,
    )


def _year(stamps: Sequence[_Stamp | None]) -> int | None:
    """The page's own year: the one of its day, if it has one, else that after the latest one named."""
    day, *dates = stamps
    if day and day.year:
        return day.year
    latest = max((stamp.year for stamp in dates if stamp and stamp.year), default=None)
    return latest + 1 if latest else None


def _date(stamp: _Stamp | None, year: int | None) -> date | None:
    """The date in its own year, or in the page's; None where both are unknown or there is no such day."""
    if not stamp or not (stamp.year or year):
        return None
    try:
        return date(stamp.year or year or 0, stamp.month, stamp.day)
    except ValueError:
        return None


def _stamp(text: str) -> _Stamp | None:
    found = _STAMP.fullmatch(text)
    if not found:
        return None
    month, day, year, comments = found.groups()
    return _Stamp(
        month=MONTHS.index(month.lower()) + 1,
        day=int(day),
        year=int(year) if year else None,
        comments=int(comments) if comments else None,
    )


def _text(lines: Sequence[Line], at: int) -> str:
    return lines[at].text if at < len(lines) else ""


FORMAT = Format(
    name="daily-papers",
    title="Daily Papers page",
    hint='the lines "Daily Papers" and "byAK and the research community"',
    starts=_starts,
    parse=_parse,
    is_rest=_is_rest,
)
