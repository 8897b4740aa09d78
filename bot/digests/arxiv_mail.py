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
from dataclasses import dataclass
from datetime import date

from bot import limits
from bot.digests.format import Format, collect
from bot.digests.text import Line
from bot.digests.wording import calendar_day, flaw, names, quoted, without_affiliations
from bot.domain import Entry, ParsedDigest
from bot.identity import arxiv_id, arxiv_version

_HEADER = "Submissions to:"
_ID = re.compile(r"arXiv:(\S+)( \(\*cross-listing\*\))?")
_FIELD = re.compile(
    r"(Title|Authors|Categories|Comments|Subj-class|Report-no|Journal-ref|DOI|MSC-class|ACM-class|License|Proxy"
    r"|Date(?: \([^)]{1,20}\))?): ?(.*)"
)
_REPLACED = re.compile(r"replaced with revised version\b.*", re.IGNORECASE)
_CLOSING = re.compile(r"\\\\(?: \(.*)?")
_RULE = re.compile(r"[-%]{20,}")
_RECEIVED = re.compile(r"received from .* to \w{3} (\d{1,2}) (\w{3}) (\d\d)\b.*")
_DAY = re.compile(r"\b(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})\b")


@dataclass(frozen=True, slots=True)
class _Block:
    r"""The lines of one paper between its first ``\\`` and the last, cut in two by the one in the middle."""

    head: Sequence[Line]
    abstract: Sequence[Line]


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    """At each header that papers follow, and at the first paper where no header is above it."""
    header, opened = None, False
    for i, line in enumerate(lines):
        if line.text == _HEADER:
            header = i
        elif _opens(lines, i):
            if header is not None or not opened:
                yield i if header is None else header
            header, opened = None, True


def _opens(lines: Sequence[Line], at: int) -> bool:
    return lines[at].text == "\\\\" and at + 1 < len(lines) and bool(_ID.fullmatch(lines[at + 1].text))


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    opening = next((i for i in range(len(lines)) if _opens(lines, i)), None)
    if opening is None:
        no_papers = f"line {lines[0].number}: no papers follow {quoted(lines[0].text)}; another digest begins below it"
        return collect("arxiv-mail", "arXiv", None, [no_papers])
    above = [line.text for line in lines[:opening]]
    received = next((found for text in above if (found := _RECEIVED.match(text))), None)
    day = calendar_day(received[1], received[2], f"20{received[3]}") if received else None
    blocks = (_paper(block) for block in _blocks(lines[opening:]))
    return collect("arxiv-mail", _topic(above), day, blocks)


def _topic(above: Sequence[str]) -> str:
    """The lists that the mail covers."""
    lists = []
    for text in above[1:]:
        if not text or text.startswith("received from") or _RULE.fullmatch(text):
            break
        lists.append(text[: limits.TOPIC])
    return ", ".join(lists)[: limits.TOPIC] or "arXiv"


def _blocks(lines: Sequence[Line]) -> Iterator[_Block]:
    begins = [i for i in range(len(lines)) if _opens(lines, i)]
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        inside = lines[begin + 1 : end]
        middle = next((i for i, line in enumerate(inside) if _CLOSING.fullmatch(line.text)), len(inside))
        has_abstract = middle < len(inside) and inside[middle].text == "\\\\"
        yield _Block(inside[:middle], inside[middle + 1 :] if has_abstract else ())


def _paper(block: _Block) -> Entry | str:
    number, identifier = block.head[0]
    fields = _fields(block.head[1:])
    abstract = " ".join(_until_closed(block.abstract))
    title = fields.get("Title", "")
    if problem := flaw(number, title, abstract):
        return problem
    return Entry(
        title=title,
        abstract=abstract,
        authors=names(without_affiliations(fields.get("Authors", ""))),
        published=_published(fields.get("Date", "")),
        arxiv_id=arxiv_id(identifier),
        doi=fields.get("DOI", "").partition(" ")[0] or None,
        version=arxiv_version(identifier),
        categories=tuple(fields.get("Categories", "")[: limits.URL].split()),
        replacement=any(_REPLACED.fullmatch(line.text) for line in block.head),
    )


def _fields(lines: Sequence[Line]) -> dict[str, str]:
    """The fields by name, each with the lines it goes on in; ``Date (v2)`` is a ``Date``, the first counts."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if field := _FIELD.fullmatch(line.text):
            name = field[1].partition(" ")[0]
            if name in found:
                name = ""
            else:
                found[name] = [field[2]]
        elif name and line.text:
            found[name].append(line.text)
        else:
            name = ""
    return {name: " ".join(filter(None, texts)) for name, texts in found.items()}


def _until_closed(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        if _CLOSING.fullmatch(line.text) or _RULE.fullmatch(line.text):
            return
        if line.text:
            yield line.text


def _published(text: str) -> date | None:
    found = _DAY.search(text)
    return calendar_day(found[1], found[2], found[3]) if found else None


FORMAT = Format(
    name="arxiv-mail",
    title="arXiv mail",
    hint='a line "\\\\" above one such as "arXiv:2601.15305"',
    starts=_starts,
    parse=_parse,
)
