r"""The mails of preprint servers, as text or as the body of a mail.

arXiv's daily mail:

    Submissions to:                                  the lists it covers, one a line
    Artificial Intelligence
    received from  Wed 21 Jan 26 19:00:00 GMT  to  Thu 22 Jan 26 19:00:00 GMT
    ---------------------------------------------
    \\
        arXiv:2601.15305                             or: arXiv:2601.15305 (*cross-listing*)
    Date: Mon, 12 Jan 2026 20:33:39 GMT   (215kb)    or: replaced with revised version Thu, 22 Jan ...

    Title: A title that
    goes on
    Authors: Ada Lovelace, Grace Hopper
    Categories: cs.AI cs.CL
    \\
          The abstract; a replacement has none.
    \\ ( https://arxiv.org/abs/2601.15305 ,  215kb)

The alerts of bioRxiv and medRxiv, of several subjects:

    ---
    Bioinformatics
    ---

    A title

    Ada Lovelace, Grace Hopper, and Rosa Roe

    bioRxiv posted 22 January 2026 doi:10.64898/2026.01.20.700468

    [Abstract] [PDF]
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from bot.formats.format import (
    Format,
    Line,
    build_digest,
    calendar_day,
    digest_without_papers,
    from_arxiv,
    reject_reason,
)
from bot.formats.names import author_names, without_affiliations
from bot.model import Entry, ParsedDigest, limits
from bot.model.papers import arxiv_id_in, arxiv_version_in, doi_in

_HEADER = "Submissions to:"
_ID = re.compile(r"(?:arXiv|Paper(?: \(\*cross-listing\*\))?): ?(\S+)( \(\*cross-listing\*\))?")
_FIELD = re.compile(
    r"(Title|Authors|Categories|Comments|Subj-class|Report-no|Journal-ref|DOI|MSC-class|ACM-class|License|Proxy"
    r"|Date(?: \([^)]{1,20}\))?): ?(.*)"
)
_REPLACED = re.compile(r"replaced with revised version\b.*", re.IGNORECASE)
# Every block has three of these lines, the last one with the paper's address.
_SEPARATOR = re.compile(r"\\\\(?: \(.*)?")
_RULE = re.compile(r"[-%]{20,}")
_RECEIVED = re.compile(r"received from .* to \w{3} (\d{1,2}) (\w{3}) (\d\d)\b.*")
_DAY = re.compile(r"\b(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})\b")
_POSTED = re.compile(
    r"(bioRxiv|medRxiv) (?:first )?posted (\d{1,2}) ([A-Z][a-z]{2,8}) (\d{4}) doi: ?(10\.\d{4,9}/\S{1,300})", re.ASCII
)
_SUBJECT_RULE = "---"


def arxiv_starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield each header with papers below it, and the first paper if it has no header."""
    header: int | None = None
    has_papers = False
    for i, line in enumerate(lines):
        if line.text == _HEADER:
            header = i
        elif _arxiv_begins_paper(lines, i):
            if header is not None:
                yield header
            elif not has_papers:
                yield i
            header = None
            has_papers = True


def arxiv_parse(lines: Sequence[Line]) -> ParsedDigest:
    begins = [i for i in range(len(lines)) if _arxiv_begins_paper(lines, i)]
    if not begins:
        return digest_without_papers("arxiv-mail", "arXiv", lines)
    header = [line.text for line in lines[: begins[0]]]
    covered = takewhile(
        lambda text: text and not text.startswith("received from") and not _RULE.fullmatch(text), header[1:]
    )
    topic = ", ".join(text[: limits.TOPIC] for text in covered) or "arXiv"
    received = next(filter(None, map(_RECEIVED.match, header)), None)
    day = calendar_day(received[1], received[2], f"20{received[3]}") if received else None
    blocks = (lines[begin + 1 : end] for begin, end in pairwise([*begins, len(lines)]))
    return build_digest("arxiv-mail", topic, day, map(_arxiv_paper, blocks))


def _arxiv_begins_paper(lines: Sequence[Line], at: int) -> bool:
    return lines[at].text == "\\\\" and at + 1 < len(lines) and bool(_ID.fullmatch(lines[at + 1].text))


def _arxiv_paper(block: Sequence[Line]) -> Entry | str:
    number, identifier = block[0]
    middle = next((i for i, line in enumerate(block) if _SEPARATOR.fullmatch(line.text)), len(block))
    fields: dict[str, list[str]] = {}
    texts: list[str] = []
    for line in block[1:middle]:
        if field := _FIELD.fullmatch(line.text):
            texts = [field[2]]
            # "Date (v2)" is a Date, and only the first one counts.
            fields.setdefault(field[1].partition(" ")[0], texts)
        elif line.text:
            texts.append(line.text)
        else:  # an empty line ends a field
            texts = []
    values = defaultdict(str, {name: " ".join(filter(None, parts)) for name, parts in fields.items()})
    # A replacement's second separator has an address.
    below = block[middle + 1 :] if middle < len(block) and block[middle].text == "\\\\" else ()
    until_end = takewhile(lambda line: not (_SEPARATOR.fullmatch(line.text) or _RULE.fullmatch(line.text)), below)
    abstract = " ".join(line.text for line in until_end if line.text)
    title = values["Title"]
    entry = Entry(
        title=title,
        abstract=abstract,
        authors=author_names(without_affiliations(values["Authors"])),
        published=calendar_day(*day.groups()) if (day := _DAY.search(values["Date"])) else None,
        arxiv_id=arxiv_id_in(identifier),
        doi=values["DOI"].partition(" ")[0] or None,
        version=arxiv_version_in(identifier),
        categories=tuple(values["Categories"][: limits.URL].split()),
        facts=from_arxiv(values["Comments"], values["Journal-ref"]),
        replacement=any(_REPLACED.fullmatch(line.text) for line in block[:middle]),
    )
    return reject_reason(f"line {number}", title, abstract) or entry


def biorxiv_starts(lines: Sequence[Line]) -> Iterator[int]:
    if any(_POSTED.fullmatch(line.text) for line in lines):
        yield next(i for i, line in enumerate(lines) if line.text)


def biorxiv_parse(lines: Sequence[Line]) -> ParsedDigest:
    # Title and authors are two paragraphs above the line with the DOI.
    results: list[Entry | str] = []
    servers: Counter[str] = Counter()
    subject: str | None = None
    paragraphs: list[list[str]] = []  # since the last paper or rule
    is_open = False  # whether the last paragraph may go on
    for i, line in enumerate(lines):
        posted = _POSTED.fullmatch(line.text)
        if posted:
            title, authors = ([" ".join(rows) for rows in paragraphs[-2:]] + ["", ""])[:2]
            paper = reject_reason(f"line {line.number}", title, "") or Entry(
                title=title.removesuffix(" ."),
                authors=author_names(authors),
                published=calendar_day(posted[2], posted[3], posted[4]),
                doi=doi_in(posted[5]),
                categories=(subject,) if subject else (),
                alert=subject,
            )
            results.append(paper)
            servers[posted[1]] += 1
        elif line.text == _SUBJECT_RULE and len(paragraphs) == 1 and i >= 2 and len(paragraphs[0]) == 1:
            # A subject stands alone between two rules.
            subject = paragraphs[0][0]
        if posted or line.text == _SUBJECT_RULE:
            paragraphs = []
        elif is_open and line.text:
            paragraphs[-1].append(line.text)
        elif line.text:
            paragraphs.append([line.text])
        is_open = bool(line.text and paragraphs)
    days = [paper.published for paper in results if isinstance(paper, Entry) and paper.published]
    server = servers.most_common(1)[0][0] if servers else "bioRxiv"
    return build_digest("biorxiv-alert", server, max(days, default=None), results)


ARXIV = Format("arXiv mail", arxiv_starts, arxiv_parse, specificity=3)
BIORXIV = Format("bioRxiv alert", biorxiv_starts, biorxiv_parse, specificity=4)
