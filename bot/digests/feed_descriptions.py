"""What publishers write around the abstract in an item's description: journal, issue, authors, identifiers.

PubMed        J Owls. 2026 Jan 20;12(3):4-5. doi: 10.1234/owls.5. ABSTRACT ... PMID: 41000001 | DOI: 10.1234/owls.5
Nature        Nature Owls, Published online: 20 January 2026; doi:10.1038/s49999-026-00001-2 ...
Science, ACM  ACM Transactions on Owls, Volume 12, Issue 3, Page 4-5, March 2026. ...
Elsevier      Publication date: March 2026 Source: Artificial Owls, Volume 12 Author(s): Ada Lovelace, Grace Hopper
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from bot.digests.fields import author_names, calendar_day

# Repetitions are bounded: a description may have megabytes.
_MAX_CITATION = 600  # characters
_PUBMED_IDS = re.compile(r"\s?\d{1,9}(?:\s?\|\s?PMC:\s?\w{1,15})?(?:\s?\|\s?DOI:\s?\S{1,300})?\s*")
_NATURE = re.compile(r"(?P<venue>[^;]{2,200}?), Published online: [^;]{4,30}; doi:\s?10\.\S{1,300}\s*")
# A year alone does not show an issue: "We read the papers of ACL, 2023. ..."
_ISSUE = re.compile(
    r"(?P<venue>[^;]{2,200}?), (?:Ahead of Print|Volume [^.;]{1,80}?, (?:[A-Z][a-z/]{2,20} )?(?:19|20)\d\d)\.\s*"
)
_ELSEVIER = re.compile(
    r"Publication date: (?:Available online )?(?P<date>.{4,40}?)\s*Source:\s*(?P<venue>.{2,250}?)"
    r"\s*Author\(s\):\s*(?P<authors>.*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Description:
    """A description in its parts; a part that it doesn't have is empty."""

    abstract: str
    venue: str = ""
    authors: tuple[str, ...] = ()
    published: date | None = None


def read_description(text: str) -> Description:
    """Return the parts of a description without markup; all of it is the abstract if it has none of these forms.

    >>> read_description("Owl Letters, Volume 12, Issue 3, Page 4-5, March 2026. Owls see by night.")
    Description(abstract='Owls see by night.', venue='Owl Letters', authors=(), published=None)
    """
    if match := _ELSEVIER.fullmatch(text):
        day, _, month_and_year = match["date"].partition(" ")
        return Description(
            "",
            venue=match["venue"],
            authors=author_names(match["authors"]),
            published=calendar_day(day, *month_and_year.split()) if month_and_year.count(" ") == 1 else None,
        )
    citation, heading, rest = text.partition("ABSTRACT")
    abstract, _, ids = rest.rpartition("PMID:")
    if heading and len(citation) <= _MAX_CITATION and _PUBMED_IDS.fullmatch(ids):
        return Description(abstract.strip())
    if match := _NATURE.match(text) or _ISSUE.match(text):
        return Description(text[match.end() :], venue=match["venue"])
    return Description(text)
