"""PubMed's mails: the new articles of a stored search, as HTML.

<a class="docsum-title" href="https://pubmed.ncbi.nlm.nih.gov/12345678/?...">A title.</a>
Lovelace A, Hopper G. J Owls. 2026 Jan 20:12(3):4-5. doi: 10.1234/owls.5. PMID: 12345678
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.formats.format import author_names, build_digest, reject_reason
from bot.formats.html import HtmlLine, HtmlLink, abstract_in, has_class, items_of
from bot.formats.mail import Mail, unwrap
from bot.model import Entry, Fact, FactKind, ParsedDigest
from bot.model.identity import doi

NAME = "pubmed"
TITLE = "PubMed"
_TITLE_CLASS = "docsum-title"
_DOI = re.compile(r"\bdoi:\s*(10\.\S{1,300})", re.IGNORECASE)
# The lookbehind lets the authors begin behind a full stop only: without it, each character of a long line is tried, at
# 2,000 steps each.
_CITATION = re.compile(r"(?<![^.])(?P<authors>[^.]{2,2000})\.\s+(?P<journal>[^.]{2,200})\.\s+\d{4}\b")


def recognises(lines: Sequence[HtmlLine]) -> bool:
    """Return whether a mail has a title of PubMed's."""
    return any(_is_title(link) for line in lines for link in line.links)


def parse(mail: Mail, lines: Sequence[HtmlLine]) -> ParsedDigest:
    """Read one mail."""
    results: list[Entry | str] = []
    alert = mail.alert() or None
    for number, item in enumerate(items_of(lines, _is_title), 1):
        text = item.title.text
        title = text.rstrip(".").rstrip() if text.count(".") == 1 else text
        citation = " ".join(line.text for line in item.lines[:6])
        identifier = _DOI.search(citation)
        parts = _CITATION.search(citation)
        abstract = abstract_in(item.lines)
        if identifier and identifier[0] in abstract:  # a citation of many authors is as long as an abstract
            abstract = ""
        paper = reject_reason(f"item {number}", title, abstract) or Entry(
            title=title,
            abstract=abstract,
            authors=author_names(parts["authors"]) if parts else (),
            doi=doi(identifier[1]) if identifier else None,
            url=unwrap(item.title.url).partition("?")[0] or None,
            alert=alert,
            facts=(Fact(FactKind.VENUE, parts["journal"], TITLE),) if parts else (),
        )
        results.append(paper)
    return build_digest(NAME, TITLE, mail.date, results)


def _is_title(link: HtmlLink) -> bool:
    return has_class(link.css_class, _TITLE_CLASS)
