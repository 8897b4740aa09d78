"""Digests in plain text: keyword digests, and Hugging Face's Daily Papers page, copied as text.

    LLM-RL - 2025-05-06                         topic and date of the digest

    Knowing When to Stop                        title, perhaps on two lines

    Authors:Ada Lovelace, Charles Babbage       the byline: authors and date, in either order, perhaps only one of them
    Date:2025-05-05 17:39:35

    The abstract, in one or more paragraphs.    up to the next title

The page, where a paper without metadata is a short paragraph that ends unlike a sentence, with prose below it:

    Daily Papers                                above it: new, Get trending papers ..., Subscribe
    byAK and the research community
    Apr 17                                      the day of the page

    Thinking in Small Steps                     title

    The abstract, in one or more paragraphs.

      • 8 authors                               the metadata; or an organisation: its slug, then its name
    ·
    May 30, 2025 4                              date, and the number of comments

Only dates of earlier years have a year, so the page is of the year after the latest year on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice, pairwise, takewhile
from typing import NamedTuple

from bot.formats.format import (
    LONGEST_TITLE,
    MONTHS,
    Format,
    Line,
    build_digest,
    calendar_day,
    date_in,
    is_prose,
    is_title,
    plausible_date,
    quoted,
    reject_reason,
)
from bot.formats.markup import plain
from bot.formats.names import author_names
from bot.model import Entry, ParsedDigest

_HEADER = re.compile(r"\S.{0,150}? [-\u2013\u2014] \d{4}-\d{2}-\d{2}", re.ASCII)
_FIELD = re.compile(r"(author|date)s? ?[:\uff1a] ?(.*)", re.IGNORECASE)
_NEAR = 8  # lines with text between a header and its byline


class _Byline(NamedTuple):
    """Authors and date of a paper, and the indices of their lines."""

    begin: int
    end: int
    authors: tuple[str, ...]
    published: date | None


def keyword_starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield each header with a byline or nothing below it: other texts have dated headings, too."""
    for i, line in enumerate(lines):
        if not _HEADER.fullmatch(line.text):
            continue
        texts = filter(None, (lines[k].text for k in range(i + 1, len(lines))))
        near = list(islice(takewhile(lambda text: not _HEADER.fullmatch(text), texts), _NEAR))
        if not near or any(map(_FIELD.fullmatch, near)):
            yield i


def keyword_parse(lines: Sequence[Line]) -> ParsedDigest:
    *topic, _, header_day = lines[0].text.split(" ")
    digest_date = date_in(header_day)
    lines = lines[1:]
    all_bylines = list(_bylines(lines))
    ends = [0, *(byline.end for byline in all_bylines)]
    titles = [_title_begin(lines, end, byline.begin) for end, byline in zip(ends, all_bylines, strict=False)]
    # The last abstract ends before a title whose byline was cut off.
    foot = _title_begin(lines, ends[-1], len(lines))
    if not _joined(lines[ends[-1] : foot]) or not is_title(_joined(lines[foot:])):
        foot = len(lines)
    edges = [*titles, foot]
    results: list[Entry | str] = []
    if above := [line for line in lines[: edges[0]] if line.text]:
        results.append(f"line {above[0].number}: no authors or date belong to {quoted(above[0].text)}")
    for byline, (begin, end) in zip(all_bylines, pairwise(edges), strict=True):
        title = plain(_joined(lines[begin : byline.begin]))
        abstract = plain(_joined(lines[byline.end : end]))
        day = plausible_date(byline.published, digest_date)
        paper = Entry(title=title, abstract=abstract, authors=byline.authors, published=day)
        results.append(reject_reason(f"line {lines[byline.begin].number}", title, abstract) or paper)
    if below := [line for line in lines[foot:] if line.text]:
        results.append(f"line {below[0].number}: nothing follows {quoted(below[0].text)}; is the file cut off?")
    return build_digest("keyword", " ".join(topic), digest_date, results)


def _bylines(lines: Sequence[Line]) -> Iterator[_Byline]:
    """Yield the bylines: authors or a readable date or both. "Date: soon" alone is part of an abstract."""
    begin = 0
    while begin < len(lines):
        fields: dict[str, str] = {}
        at = end = begin
        while (field := _FIELD.fullmatch(_text_at(lines, at))) and field[1].lower() not in fields:
            end = at + 1
            # An author list goes on after a comma at the end of its line.
            while lines[end - 1].text.endswith(",") and (more := _text_at(lines, end)) and not _FIELD.fullmatch(more):
                end += 1
            fields[field[1].lower()] = f"{field[2]} {_joined(lines[at + 1 : end])}"
            at = next((i for i in range(end, len(lines)) if lines[i].text), len(lines))
        published = date_in(fields.get("date", "")[:10])
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


def _text_at(lines: Sequence[Line], at: int) -> str:
    return lines[at].text if at < len(lines) else ""


KEYWORD = Format("keyword digest", keyword_starts, keyword_parse, specificity=1)

_NAME = "daily papers"
# Copies have "byAK" as often as "by AK".
_EDITOR = re.compile(r"by ?.{1,60} and the research community", re.IGNORECASE)
_STAMP = re.compile(
    rf"({'|'.join(MONTHS)})[a-z]{{0,6}}\.? (\d{{1,2}})(?:, ((?:19|20)\d\d))?(?: \d{{1,6}})?", re.IGNORECASE | re.ASCII
)
_AUTHOR_COUNT = re.compile(r"[•·*-]? ?(\d{1,5}) authors?", re.IGNORECASE | re.ASCII)
_DOTS = {"·", "•", "∙"}
_LONGEST_WRAPPED = 120  # characters; a longer line is a whole paragraph, as editors wrap at 72 to 100


class _Metadata(NamedTuple):
    """The lines below an abstract: the first one's number, the index behind the last, and their facts."""

    number: int = 0
    end: int = 0  # if there are none
    authors: int | None = None
    organisation: str | None = None
    stamp: re.Match[str] | None = None


def page_starts(lines: Sequence[Line]) -> Iterator[int]:
    menu: int | None = None
    for i, line in enumerate(lines):
        text = line.text.lower()
        if text == _NAME:
            # Any text may have "Daily Papers". The editor's line or a date must follow.
            below = next((lines[k].text for k in range(i + 1, len(lines)) if lines[k].text), "")
            if _EDITOR.fullmatch(below) or _STAMP.fullmatch(below):
                yield i if menu is None else menu
        if text in {"new", "get trending papers in your email inbox!", "subscribe"}:
            menu = i if menu is None else menu
        elif text:
            menu = None


def page_is_rest(lines: Sequence[Line]) -> bool:
    """Return whether some paper has all three lines of metadata."""
    texts = [line.text for line in lines if line.text]
    triples = zip(texts, texts[1:], texts[2:], strict=False)
    return any(_AUTHOR_COUNT.fullmatch(a) and b in _DOTS and _STAMP.fullmatch(c) for a, b, c in triples)


def page_parse(lines: Sequence[Line]) -> ParsedDigest:
    lines = [line for line in lines if line.text]
    # Each line of the header may be missing from the copy.
    at = next((i + 1 for i, line in enumerate(lines) if line.text.lower() == _NAME), 0)
    if _EDITOR.fullmatch(_text_at(lines, at)):
        at += 1
    stamp = _STAMP.fullmatch(_text_at(lines, at))
    blocks = list(_blocks(lines[at + 1 if stamp else at :]))
    year = stamp[3] if stamp else None
    if not year:
        years = [int(metadata.stamp[3] or 0) for _, metadata in blocks if metadata.stamp]
        year = str(max(years) + 1) if any(years) else None
    day = _date(stamp, year)
    papers: list[Entry | str] = []
    for paragraphs, metadata in blocks:
        if not paragraphs:
            papers.append(f"line {metadata.number}: authors and date belong to no paper")
            continue
        number, title = paragraphs[0]
        abstract = " ".join(paragraph.text for paragraph in paragraphs[1:])
        if not metadata.end and not any(is_prose(paragraph.text) for paragraph in paragraphs[1:]):
            papers.append(f"line {number}: no abstract, authors or date belong to {quoted(title)}")
            continue
        title = title if len(title) <= LONGEST_TITLE else ""  # an abstract
        paper = Entry(
            title=title,
            abstract=abstract,
            author_count=metadata.authors,
            published=plausible_date(_date(metadata.stamp, year), day),
            organisation=metadata.organisation,
        )
        papers.append(reject_reason(f"line {number}", title, abstract) or paper)
    return build_digest("daily-papers", "Daily Papers", day, papers)


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[Sequence[Line], _Metadata]]:
    """Yield paragraphs and metadata of each paper."""
    pending: list[Line] = []
    at = 0
    while at < len(lines):
        if metadata := _metadata(lines, at, in_paper=bool(pending)):
            *complete, last = _split(pending, ends_in_metadata=True)
            yield from ((paragraphs, _Metadata()) for paragraphs in complete)
            yield last, metadata
            pending = []
            at = metadata.end
            continue
        # An editor may have wrapped a paragraph into short lines.
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
        yield from ((paragraphs, _Metadata()) for paragraphs in _split(pending, ends_in_metadata=False))


def _metadata(lines: Sequence[Line], at: int, *, in_paper: bool) -> _Metadata | None:
    number, text = lines[at]
    count = _AUTHOR_COUNT.fullmatch(text)
    has_dot = _text_at(lines, at + 1) in _DOTS
    organisation = None
    # Any short line may be an organisation, so the dot below it must confirm it.
    if in_paper and has_dot and not count and len(text) <= 100 and not is_prose(text):
        organisation = text.partition(" ")[2] or text  # the slug goes: "qualcomm Qualcomm"
    if not (count or organisation or text in _DOTS):
        return None
    end = at + 1 if text in _DOTS else at + 1 + has_dot
    stamp = _STAMP.fullmatch(_text_at(lines, end))
    return _Metadata(number, end + bool(stamp), int(count[1]) if count else None, organisation, stamp)


def _split(paragraphs: Sequence[Line], *, ends_in_metadata: bool) -> list[Sequence[Line]]:
    prose = [i for i, paragraph in enumerate(paragraphs) if is_prose(paragraph.text)]
    cuts = {i - 1 for i in prose}
    # Without metadata, short paragraphs after the last prose are the page's foot or a title.
    if prose and not ends_in_metadata:
        cuts.add(prose[-1] + 1)
    titles = [i for i in range(1, len(paragraphs)) if i in cuts and is_title(paragraphs[i].text)]
    return [paragraphs[begin:end] for begin, end in pairwise([0, *titles, len(paragraphs)])]


def _date(stamp: re.Match[str] | None, page_year: str | None) -> date | None:
    return calendar_day(stamp[2], stamp[1], stamp[3] or page_year or "0") if stamp else None


DAILY_PAPERS_PAGE = Format(
    "Daily Papers page",
    page_starts,
    page_parse,
    specificity=2,
    is_rest=page_is_rest,
)
