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

from bot.digests.fields import author_names, calendar_day, reject_reason
from bot.digests.format import Format, build_digest
from bot.digests.text import Line
from bot.domain import Entry, ParsedDigest
from bot.identity import doi

_POSTED = re.compile(
    r"(bioRxiv|medRxiv) (?:first )?posted (\d{1,2}) ([A-Z][a-z]{2,8}) (\d{4}) doi: ?(10\.\d{4,9}/\S{1,300})",
    re.ASCII,
)
_RULE = "---"


def starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the first line with text if the lines have a paper: what is above the first one is a header."""
    if any(_POSTED.fullmatch(line.text) for line in lines):
        yield next(i for i, line in enumerate(lines) if line.text)


def parse(lines: Sequence[Line]) -> ParsedDigest:
    """Read one mail."""
    results = list(_papers(lines))
    entries = [result for result in results if isinstance(result, Entry)]
    servers = Counter(match[1] for line in lines if (match := _POSTED.fullmatch(line.text)))
    day = max((entry.published for entry in entries if entry.published), default=None)
    return build_digest("biorxiv-alert", servers.most_common(1)[0][0] if servers else "bioRxiv", day, results)


def _papers(lines: Sequence[Line]) -> Iterator[Entry | str]:
    """Yield every paper: two paragraphs, title and authors, above the line with its DOI."""
    subject: str | None = None
    paragraphs: list[list[str]] = []  # since the last paper or rule
    is_open = False  # whether the last paragraph may go on
    for i, line in enumerate(lines):
        if not line.text:
            is_open = False
        elif line.text == _RULE:
            # A subject stands alone between two rules.
            if len(paragraphs) == 1 and i >= 2 and len(paragraphs[0]) == 1:
                subject = paragraphs[0][0]
            paragraphs = []
            is_open = False
        elif posted := _POSTED.fullmatch(line.text):
            title, authors = ([" ".join(rows) for rows in paragraphs[-2:]] + ["", ""])[:2]
            yield reject_reason(f"line {line.number}", title, "") or Entry(
                title=title.removesuffix(" ."),
                authors=author_names(authors),
                published=calendar_day(posted[2], posted[3], posted[4]),
                doi=doi(posted[5]),
                categories=(subject,) if subject else (),
                alert=subject,
            )
            paragraphs = []
            is_open = False
        elif is_open:
            paragraphs[-1].append(line.text)
        else:
            paragraphs.append([line.text])
            is_open = True


FORMAT = Format(
    name="biorxiv-alert",
    title="bioRxiv alert",
    hint='a line such as "bioRxiv posted 22 January 2026 doi:10.64898/2026.01.20.700468" below each title',
    starts=starts,
    parse=parse,
)
