"""Keyword digests: what is new for one search.

    LLM-RL - 2025-05-06                            topic and date of the digest

    Knowing When to Stop                           title, perhaps on two lines
                                                   any number of empty lines
    Authors:Ada Lovelace, Charles Babbage          the byline: authors and date, in either order, either
    Date:2025-05-05 17:39:35                       of them optional

    The abstract, in one or more paragraphs.

The byline is what tells one paper from the next: above it stands a title, below it everything up to the next
title is abstract. Unreadable dates, and those after the digest's own, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice, pairwise, takewhile

from bot.digests.format import Format, collect
from bot.digests.text import Line
from bot.digests.wording import LONGEST_TITLE, flaw, is_prose, is_title, names, plausible_date, quoted
from bot.domain import Entry, ParsedDigest

_HEADER = re.compile(r"\S.{0,150}? [-\u2013\u2014] \d{4}-\d{2}-\d{2}", re.ASCII)
_FIELD = re.compile(r"(author|date)s? ?[:\uff1a] ?(.*)", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_NEAR = 8  # lines with text within which a header is followed by a byline


@dataclass(frozen=True, slots=True)
class _Byline:
    """Authors and date of one paper: where they begin and end among the lines, and what they say."""

    begin: int
    end: int
    authors: tuple[str, ...]
    published: date | None


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    return (i for i, line in enumerate(lines) if _HEADER.fullmatch(line.text) and _is_followed_up(lines, i))


def _is_followed_up(lines: Sequence[Line], header: int) -> bool:
    """Whether papers follow, or nothing at all: other texts are headed by a date, too."""
    texts = (lines[i].text for i in range(header + 1, len(lines)))
    own = takewhile(lambda text: not _HEADER.fullmatch(text), filter(None, texts))
    near = list(islice(own, _NEAR))
    return not near or any(map(_FIELD.fullmatch, near))


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    *topic, _, day = lines[0].text.split(" ")
    dated = _date(day)
    return collect("keyword", " ".join(topic), dated, _papers(lines[1:], dated))


def _papers(lines: Sequence[Line], day: date | None) -> Iterator[Entry | str]:
    """Every paper, or a sentence on what can't be read as one."""
    bylines = list(_bylines(lines))
    ends = [0, *(byline.end for byline in bylines)]
    edges = [_title_begin(lines, end, byline.begin) for end, byline in zip(ends, bylines, strict=False)]
    edges.append(_abstract_end(lines, ends[-1]))
    for line in _first_text(lines[: edges[0]]):
        yield f"line {line.number}: no authors or date belong to {quoted(line.text)}"
    for byline, (begin, end) in zip(bylines, pairwise(edges), strict=True):
        title, abstract = _joined(lines[begin : byline.begin]), _joined(lines[byline.end : end])
        published = plausible_date(byline.published, day)
        yield flaw(lines[byline.begin].number, title, abstract) or Entry(
            title=title, abstract=abstract, authors=byline.authors, published=published
        )
    for line in _first_text(lines[edges[-1] :]):
        yield f"line {line.number}: nothing follows {quoted(line.text)}; is the file cut off?"


def _bylines(lines: Sequence[Line]) -> Iterator[_Byline]:
    at = 0
    while at < len(lines):
        byline = _byline(lines, at)
        if byline:
            yield byline
        at = byline.end if byline else at + 1


def _byline(lines: Sequence[Line], begin: int) -> _Byline | None:
    """The byline that begins at this line, if one does: authors, or a date that can be read, or both."""
    fields: dict[str, str] = {}
    at = end = begin
    while at < len(lines) and (field := _FIELD.fullmatch(lines[at].text)) and field[1].lower() not in fields:
        end = _field_end(lines, at)
        fields[field[1].lower()] = f"{field[2]} {_joined(lines[at + 1 : end])}"
        at = next((i for i in range(end, len(lines)) if lines[i].text), len(lines))
    published = _date(fields.get("date", ""))
    if "author" not in fields and not published:
        return None
    return _Byline(begin, end, names(fields.get("author", "")), published)


def _field_end(lines: Sequence[Line], begin: int) -> int:
    """Where a field ends: a list of authors goes on after a comma at the end of its line."""
    end = begin + 1
    while end < len(lines) and lines[end - 1].text.endswith(",") and lines[end].text:
        if _FIELD.fullmatch(lines[end].text):
            break
        end += 1
    return end


def _title_begin(lines: Sequence[Line], after: int, end: int) -> int:
    """Where the title above line ``end`` begins; ``end`` itself where there is none.

    It is the last paragraph there, less the prose that opens it where an empty line is missing. What is too
    long for a title, or all there is after another paper's byline and prose, is that paper's abstract.
    """
    bottom = end
    while bottom > after and not lines[bottom - 1].text:
        bottom -= 1
    begin = bottom
    while begin > after and (above := lines[begin - 1].text):
        if begin < bottom and is_prose(above):
            break
        begin -= 1
    title = _joined(lines[begin:bottom])
    is_abstract = after > 0 and is_prose(title) and not _joined(lines[after:begin])
    return end if is_abstract or len(title) > LONGEST_TITLE else begin


def _abstract_end(lines: Sequence[Line], after: int) -> int:
    """Where the last abstract ends: before what reads like a title, left by a broken copy."""
    begin = _title_begin(lines, after, len(lines))
    has_more_above = any(line.text for line in lines[after:begin])
    return begin if has_more_above and is_title(_joined(lines[begin:])) else len(lines)


def _first_text(lines: Sequence[Line]) -> Sequence[Line]:
    """The first line that isn't empty, if there is one."""
    return [line for line in lines if line.text][:1]


def _joined(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in lines if line.text)


def _date(text: str) -> date | None:
    found = _DATE.match(text)
    try:
        return date.fromisoformat(found[0]) if found else None
    except ValueError:
        return None


FORMAT = Format(
    name="keyword",
    title="keyword digest",
    hint='a first line such as "LLM-RL - 2025-05-06"',
    starts=_starts,
    parse=_parse,
)
