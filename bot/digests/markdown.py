"""Digests in Markdown: a heading a paper, and bold names of fields below it.

    # The Title, perhaps a [link](https://arxiv.org/abs/2505.02693)

    **Authors**: Ada Lovelace, Grace Hopper

    **Link**: [PDF](https://arxiv.org/pdf/2505.02693)

    **Abstract**: In one or more paragraphs.

    ---

Fields may stand in any order, in list items, with the colon inside the stars. A heading without fields above
the first paper is the digest's topic, and its date if it names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice, pairwise

from bot import limits
from bot.digests.filename import day_in
from bot.digests.format import Format, collect
from bot.digests.text import Line
from bot.digests.wording import flaw, names, plausible_date, quoted
from bot.domain import Entry, ParsedDigest
from bot.identity import arxiv_id, arxiv_version

_HEADING = re.compile(r"#{1,6} (.*?)(?: #+)?")
_FIELD = re.compile(r"(?:[-*+] )?(?:\*\*|__)([A-Za-z][A-Za-z ]{0,30}?) ?:?(?:\*\*|__) ?[:：]? ?(.*)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^\s)\[]*\)")  # neither part goes beyond where another link may begin
_ADDRESS = re.compile(r"https?://[^\s()<>\"]+")
_MARKS = "-*_"  # what a rule is made of
_KNOWN = {
    "author": "authors",
    "authors": "authors",
    "link": "link",
    "links": "link",
    "url": "link",
    "pdf": "link",
    "arxiv": "link",
    "paper": "link",
    "abstract": "abstract",
    "summary": "abstract",
    "date": "date",
    "published": "date",
    "categories": "categories",
}
_NEAR = 3  # lines with text below a heading, within which a field makes it a paper's


@dataclass(slots=True)
class _Paper:
    """One paper while it is read: its heading, and the lines of its fields."""

    heading: Line
    fields: dict[str, list[str]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        return " ".join(self.fields.get(name, ()))


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    """At the first paper, or at the heading above it; headings of papers further down begin no new digest."""
    first = next((i for i in range(len(lines)) if _is_paper(lines, i)), None)
    if first is None:
        return
    above = next((i for i in range(first - 1, -1, -1) if lines[i].text), first)
    yield above if _HEADING.fullmatch(lines[above].text) else first


def _is_paper(lines: Sequence[Line], at: int) -> bool:
    if not _HEADING.fullmatch(lines[at].text):
        return False
    below = islice((lines[i].text for i in range(at + 1, len(lines)) if lines[i].text), _NEAR)
    for text in below:
        if _HEADING.fullmatch(text):
            return False
        if _known(text):
            return True
    return False


def _is_rule(text: str) -> bool:
    return not text.strip(f"{_MARKS} ") and sum(map(text.count, _MARKS)) >= 3


def _known(text: str) -> tuple[str, str] | None:
    """Name and beginning of the field that a line opens."""
    found = _FIELD.fullmatch(text)
    name = _KNOWN.get(found[1].lower()) if found else None
    return (name, found[2]) if found and name else None


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    begins = [i for i in range(len(lines)) if _is_paper(lines, i)]
    if not begins:
        no_papers = f"line {lines[0].number}: no papers follow {quoted(lines[0].text)}; another digest begins below it"
        return collect("markdown", "", None, [no_papers])
    heading = _HEADING.fullmatch(lines[0].text) if begins[0] > 0 else None
    topic = heading[1][: limits.TOPIC] if heading else ""
    day = day_in(topic)
    papers = (_entry(_read(lines[begin:end]), day) for begin, end in pairwise([*begins, len(lines)]))
    return collect("markdown", topic, day, papers)


def _read(lines: Sequence[Line]) -> _Paper:
    """A paper's fields; a rule ends them, and a heading of another kind."""
    paper = _Paper(lines[0])
    name = ""
    for line in lines[1:]:
        if _is_rule(line.text) or _HEADING.fullmatch(line.text):
            break
        if opened := _known(line.text):
            name, text = opened
            paper.fields.setdefault(name, []).append(text)
        elif line.text and name:
            paper.fields[name].append(line.text)
    return paper


def _entry(paper: _Paper, day: date | None) -> Entry | str:
    heading = _HEADING.fullmatch(paper.heading.text)
    title = _LINK.sub(r"\1", heading[1][: limits.TITLE] if heading else "").strip()
    abstract = paper.text("abstract")
    if problem := flaw(paper.heading.number, title, abstract):
        return problem
    where = f"{paper.text('link')[: 2 * limits.URL]} {paper.heading.text[: 2 * limits.URL]}"
    address = _ADDRESS.search(where)
    is_arxiv = "arxiv.org/" in where.lower()
    return Entry(
        title=title,
        abstract=abstract,
        authors=names(_LINK.sub(r"\1", paper.text("authors")[: limits.BYLINE])),
        published=plausible_date(day_in(paper.text("date")[: limits.TOPIC]), day),
        arxiv_id=arxiv_id(where) if is_arxiv else None,
        url=address[0] if address and not is_arxiv else None,
        version=arxiv_version(where) if is_arxiv else None,
        categories=tuple(filter(None, re.split(r"[,;\s`]+", paper.text("categories")[: limits.URL]))),
    )


FORMAT = Format(
    name="markdown",
    title="Markdown digest",
    hint='a heading such as "# A Title" with "**Authors**: ..." below it',
    starts=_starts,
    parse=_parse,
)
