"""Keyword digests: the new papers of one search.

    LLM-RL - 2025-05-06                            topic and date of the digest

    Knowing When to Stop                           title, perhaps on two lines
                                                   any number of empty lines
    Authors:Ada Lovelace, Charles Babbage          the byline: authors and date, in either order,
    Date:2025-05-05 17:39:35                       perhaps only one of them

    The abstract, in one or more paragraphs.

The byline separates the papers: the title is above it, the abstract below it, up to the next title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice, pairwise, takewhile

from bot.formats.format import (
    LONGEST_TITLE,
    Format,
    Line,
    author_names,
    build_digest,
    is_prose,
    is_title,
    plausible_date,
    quoted,
    reject_reason,
)
from bot.formats.markup import plain
from bot.model import Entry, ParsedDigest

# re.ASCII: date.fromisoformat refuses digits of other scripts.
_HEADER = re.compile(r"\S.{0,150}? [-\u2013\u2014] \d{4}-\d{2}-\d{2}", re.ASCII)
_FIELD = re.compile(r"(author|date)s? ?[:\uff1a] ?(.*)", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_NEAR = 8  # lines with text between a header and its byline


@dataclass(frozen=True, slots=True)
class _Byline:
    """Authors and date of a paper, and the indices of their first line and of the line after the last."""

    begin: int
    end: int
    authors: tuple[str, ...]
    published: date | None


def starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield each header with a byline or nothing at all below it: other texts have dated headings, too."""
    for i, line in enumerate(lines):
        if not _HEADER.fullmatch(line.text):
            continue
        texts = filter(None, (lines[k].text for k in range(i + 1, len(lines))))
        near = list(islice(takewhile(lambda text: not _HEADER.fullmatch(text), texts), _NEAR))
        if not near or any(map(_FIELD.fullmatch, near)):
            yield i


def parse(lines: Sequence[Line]) -> ParsedDigest:
    *topic, _, day = lines[0].text.split(" ")
    digest_date = _date(day)
    lines = lines[1:]
    all_bylines = list(_bylines(lines))
    ends = [0, *(byline.end for byline in all_bylines)]
    titles = [_title_begin(lines, end, byline.begin) for end, byline in zip(ends, all_bylines, strict=False)]
    # The last abstract ends before a title whose byline was cut off.
    foot = _title_begin(lines, ends[-1], len(lines))
    has_text_above = any(line.text for line in lines[ends[-1] : foot])
    if not has_text_above or not is_title(_joined(lines[foot:])):
        foot = len(lines)
    edges = [*titles, foot]
    results: list[Entry | str] = []
    for line in islice((line for line in lines[: edges[0]] if line.text), 1):
        results.append(f"line {line.number}: no authors or date belong to {quoted(line.text)}")
    for byline, (begin, end) in zip(all_bylines, pairwise(edges), strict=True):
        title = plain(_joined(lines[begin : byline.begin]))
        abstract = plain(_joined(lines[byline.end : end]))
        paper = reject_reason(f"line {lines[byline.begin].number}", title, abstract) or Entry(
            title=title,
            abstract=abstract,
            authors=byline.authors,
            published=plausible_date(byline.published, digest_date),
        )
        results.append(paper)
    for line in islice((line for line in lines[foot:] if line.text), 1):
        results.append(f"line {line.number}: nothing follows {quoted(line.text)}; is the file cut off?")
    return build_digest("keyword", " ".join(topic), digest_date, results)


def _bylines(lines: Sequence[Line]) -> Iterator[_Byline]:
    """Yield the bylines: authors or a readable date or both. "Date: soon" alone is part of an abstract."""
    begin = 0
    while begin < len(lines):
        fields: dict[str, str] = {}
        at = begin
        end = begin
        while at < len(lines) and (field := _FIELD.fullmatch(lines[at].text)):
            name = field[1].lower()
            if name in fields:
                break
            end = at + 1
            # An author list goes on after a comma at the end of its line.
            while end < len(lines) and lines[end - 1].text.endswith(",") and lines[end].text:
                if _FIELD.fullmatch(lines[end].text):
                    break
                end += 1
            fields[name] = f"{field[2]} {_joined(lines[at + 1 : end])}"
            at = next((i for i in range(end, len(lines)) if lines[i].text), len(lines))
        published = _date(fields.get("date", ""))
        if "author" in fields or published:
            yield _Byline(begin, end, author_names(fields.get("author", "")), published)
            begin = end
        else:
            begin += 1


def _title_begin(lines: Sequence[Line], after: int, end: int) -> int:
    bottom = end
    while bottom > after and not lines[bottom - 1].text:
        bottom -= 1
    begin = bottom
    # The title is the last paragraph without prose directly above it.
    while begin > after and (above := lines[begin - 1].text):
        if begin < bottom and is_prose(above):
            break
        begin -= 1
    title = _joined(lines[begin:bottom])
    # A lone paragraph of prose below another byline is that paper's abstract.
    is_abstract = after > 0 and is_prose(title) and not _joined(lines[after:begin])
    return end if is_abstract or len(title) > LONGEST_TITLE else begin


def _joined(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in lines if line.text)


def _date(text: str) -> date | None:
    match = _DATE.match(text)
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:
        return None


KEYWORD = Format("keyword digest", 'a first line such as "LLM-RL - 2025-05-06"', starts, parse, specificity=1)
