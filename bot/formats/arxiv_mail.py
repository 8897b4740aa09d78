r"""arXiv's daily mail, as text or as the body of a mail.

Submissions to:                                  the lists it covers, one a line
Artificial Intelligence
received from  Wed 21 Jan 26 19:00:00 GMT  to  Thu 22 Jan 26 19:00:00 GMT
---------------------------------------------
\\
    arXiv:2601.15305                                 or: arXiv:2601.15305 (*cross-listing*)
Date: Mon, 12 Jan 2026 20:33:39 GMT   (215kb)    or: replaced with revised version Thu, 22 Jan ...

Title: A title that
goes on
Authors: Ada Lovelace, Grace Hopper
Categories: cs.AI cs.CL
\\
      The abstract; a replacement has none.
\\ ( https://arxiv.org/abs/2601.15305 ,  215kb)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from bot.formats.format import (
    Format,
    Line,
    author_names,
    build_digest,
    calendar_day,
    from_arxiv,
    quoted,
    reject_reason,
    without_affiliations,
)
from bot.model import Entry, ParsedDigest, limits
from bot.model.identity import arxiv_id, arxiv_version

_HEADER = "Submissions to:"
_ID = re.compile(r"arXiv:(\S+)( \(\*cross-listing\*\))?")
_FIELD = re.compile(
    r"(Title|Authors|Categories|Comments|Subj-class|Report-no|Journal-ref|DOI|MSC-class|ACM-class|License|Proxy"
    r"|Date(?: \([^)]{1,20}\))?): ?(.*)"
)
_REPLACED = re.compile(r"replaced with revised version\b.*", re.IGNORECASE)
# Every block has three of these lines; the last one carries the paper's address.
_SEPARATOR = re.compile(r"\\\\(?: \(.*)?")
_RULE = re.compile(r"[-%]{20,}")
_RECEIVED = re.compile(r"received from .* to \w{3} (\d{1,2}) (\w{3}) (\d\d)\b.*")
_DAY = re.compile(r"\b(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})\b")


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield each header that papers follow, and the first paper if no header is above it."""
    header: int | None = None
    has_papers = False
    for i, line in enumerate(lines):
        if line.text == _HEADER:
            header = i
        elif _begins_paper(lines, i):
            if header is not None:
                yield header
            elif not has_papers:
                yield i
            header = None
            has_papers = True


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    begins = [i for i in range(len(lines)) if _begins_paper(lines, i)]
    if not begins:
        no_papers = f"line {lines[0].number}: no papers follow {quoted(lines[0].text)}; another digest begins below it"
        return build_digest("arxiv-mail", "arXiv", None, [no_papers])
    header = [line.text for line in lines[: begins[0]]]
    covered = takewhile(
        lambda text: text and not text.startswith("received from") and not _RULE.fullmatch(text), header[1:]
    )
    topic = ", ".join(text[: limits.TOPIC] for text in covered) or "arXiv"
    received = next(filter(None, map(_RECEIVED.match, header)), None)
    day = calendar_day(received[1], received[2], f"20{received[3]}") if received else None
    blocks = (lines[begin + 1 : end] for begin, end in pairwise([*begins, len(lines)]))
    return build_digest("arxiv-mail", topic, day, map(_paper, blocks))


def _begins_paper(lines: Sequence[Line], at: int) -> bool:
    return lines[at].text == "\\\\" and at + 1 < len(lines) and bool(_ID.fullmatch(lines[at + 1].text))


def _paper(block: Sequence[Line]) -> Entry | str:
    r"""Return the paper in a block, or why it can't be read; the block begins below its first ``\\``."""
    number, identifier = block[0]
    middle = next((i for i, line in enumerate(block) if _SEPARATOR.fullmatch(line.text)), len(block))
    fields: dict[str, list[str]] = {}
    texts: list[str] = []
    for line in block[1:middle]:
        if field := _FIELD.fullmatch(line.text):
            texts = [field[2]]
            # "Date (v2)" is a Date, and the first of several counts; lines that continue another one are dropped.
            fields.setdefault(field[1].partition(" ")[0], texts)
        elif line.text:
            texts.append(line.text)
        else:  # an empty line ends a field
            texts = []
    values = {name: " ".join(filter(None, parts)) for name, parts in fields.items()}
    # A replacement has no abstract: its second separator is the last one, which carries an address.
    below = block[middle + 1 :] if middle < len(block) and block[middle].text == "\\\\" else ()
    until_end = takewhile(lambda line: not (_SEPARATOR.fullmatch(line.text) or _RULE.fullmatch(line.text)), below)
    abstract = " ".join(line.text for line in until_end if line.text)
    title = values.get("Title", "")
    entry = Entry(
        title=title,
        abstract=abstract,
        authors=author_names(without_affiliations(values.get("Authors", ""))),
        published=calendar_day(*day.groups()) if (day := _DAY.search(values.get("Date", ""))) else None,
        arxiv_id=arxiv_id(identifier),
        doi=values.get("DOI", "").partition(" ")[0] or None,
        version=arxiv_version(identifier),
        categories=tuple(values.get("Categories", "")[: limits.URL].split()),
        facts=from_arxiv(values.get("Comments", ""), values.get("Journal-ref", "")),
        replacement=any(_REPLACED.fullmatch(line.text) for line in block[:middle]),
    )
    return reject_reason(f"line {number}", title, abstract) or entry


FORMAT = Format(
    name="arxiv-mail",
    title="arXiv mail",
    hint='a line "\\\\" above one such as "arXiv:2601.15305"',
    starts=_starts,
    parse=_parse,
)
