"""The alerts of bioRxiv and medRxiv: plain text, the papers of several subjects.

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
from collections import Counter
from collections.abc import Iterator, Sequence

from bot.formats.format import Format, Line, author_names, build_digest, calendar_day, reject_reason
from bot.model import Entry, ParsedDigest
from bot.model.identity import doi

_POSTED = re.compile(
    r"(bioRxiv|medRxiv) (?:first )?posted (\d{1,2}) ([A-Z][a-z]{2,8}) (\d{4}) doi: ?(10\.\d{4,9}/\S{1,300})", re.ASCII
)
_RULE = "---"


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the first line with text if the lines have a paper: what is above the first one is a header."""
    if any(_POSTED.fullmatch(line.text) for line in lines):
        yield next(i for i, line in enumerate(lines) if line.text)


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    # Each paper is two paragraphs, title and authors, above the line with its DOI.
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
                doi=doi(posted[5]),
                categories=(subject,) if subject else (),
                alert=subject,
            )
            results.append(paper)
            servers[posted[1]] += 1
        elif line.text == _RULE and len(paragraphs) == 1 and i >= 2 and len(paragraphs[0]) == 1:
            # A subject stands alone between two rules.
            subject = paragraphs[0][0]
        if posted or line.text == _RULE:
            paragraphs = []
        elif is_open and line.text:
            paragraphs[-1].append(line.text)
        elif line.text:
            paragraphs.append([line.text])
        is_open = bool(line.text and paragraphs)
    days = [paper.published for paper in results if isinstance(paper, Entry) and paper.published]
    server = servers.most_common(1)[0][0] if servers else "bioRxiv"
    return build_digest("biorxiv-alert", server, max(days, default=None), results)


FORMAT = Format(
    name="biorxiv-alert",
    title="bioRxiv alert",
    hint='a line such as "bioRxiv posted 22 January 2026 doi:10.64898/2026.01.20.700468" below each title',
    starts=_starts,
    parse=_parse,
)
