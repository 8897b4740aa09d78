"""Facts that arXiv's comments and journal references state: venue, pages, addresses of code and project."""

from __future__ import annotations

import re

from bot import limits
from bot.domain import Fact, FactKind

ARXIV = "arXiv"
_PAGES = re.compile(r"\b(\d{1,4})\s*(?:pages|pp\b)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s,;()<>\"']{4,300}", re.IGNORECASE)
_CODE_HOSTS = re.compile(
    r"(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/[\w.-]+/[\w.-]", re.IGNORECASE
)
_PROJECT = re.compile(r"(?:project|web|home)\s*-?\s*(?:page|site)|website", re.IGNORECASE)
_ACCEPTED = re.compile(
    r"\b(?:accepted (?:at|to|by|for|in)|(?:to appear|published|appeared|presented) (?:at|in)"
    r"|camera[- ]ready (?:for|of))"
    r"\s*:?\s*(?:publication (?:in|at)\s+)?(?:the\s+)?([^,;()]{2,120}?)(?=[,;()]|\.(?:\s|$)|\s+as\s|$)",
    re.IGNORECASE,
)


def from_arxiv(comment: str, journal_ref: str) -> tuple[Fact, ...]:
    """Return the facts in arXiv's fields, and the comment itself; a journal reference is the venue.

    >>> [fact.value for fact in from_arxiv("Accepted at ICLR 2026. 12 pages. Code: https://github.com/ada/owls.", "")]
    ['ICLR 2026', '12', 'https://github.com/ada/owls', 'Accepted at ICLR 2026. 12 pages. Code: https://github.com/ada/owls.']
    """
    comment = comment[: limits.FACT]
    journal_ref = journal_ref[: limits.FACT]
    accepted = _ACCEPTED.search(comment)
    pages = _PAGES.search(comment)
    addresses = [address.rstrip(".") for address in _ADDRESS.findall(comment)]
    code = next((address for address in addresses if _CODE_HOSTS.search(address)), "")
    others = [address for address in addresses if address != code]
    is_project = _PROJECT.search(comment) or any(".github.io" in address for address in others)
    values = {
        FactKind.VENUE: journal_ref or (accepted[1].strip() if accepted else ""),
        FactKind.PAGES: pages[1] if pages else "",
        FactKind.CODE: code,
        FactKind.PROJECT: others[0] if others and is_project else "",
        FactKind.COMMENT: comment,
    }
    return tuple(Fact(kind, value, ARXIV) for kind, value in values.items() if value)
