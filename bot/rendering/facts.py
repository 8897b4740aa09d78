"""The line of facts on a pick: where a paper is from, what others do with it, and where its parts are."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from bot.domain import FactKind, Paper
from bot.rendering.categories import category_in_words
from bot.rendering.latex import readable
from bot.rendering.paper_links import web_address
from bot.rendering.text import shorten
from bot.wording import plural

_VENUE_WIDTH = 80


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact in words. ``url`` is empty for one without a link; ``origin`` names who states it, empty if any digest."""

    text: str
    url: str = ""
    origin: str = ""


def facts(paper: Paper, *, with_pdf: bool = True) -> list[ShownFact]:
    """Return what is stated of a paper, in the order of the line; what is not stated is left out.

    ``with_pdf`` is false where the PDF is linked beside the title.
    """
    # Of several origins the first counts: the one that was merged first.
    stated = {fact.kind: fact for fact in reversed(paper.facts)}
    line: list[ShownFact] = []
    if paper.organisation:
        line.append(ShownFact(shorten(readable(paper.organisation), _VENUE_WIDTH)))
    if venue := stated.get(FactKind.VENUE):
        line.append(ShownFact(shorten(readable(venue.value), _VENUE_WIDTH), origin=venue.origin))
    if paper.upvotes:
        line.append(ShownFact(plural(paper.upvotes, "upvote")))
    if (code := stated.get(FactKind.CODE)) and (url := web_address(code.value)):
        stars = stated.get(FactKind.STARS)
        count = int(stars.value) if stars and stars.value.isdecimal() else 0
        line.append(ShownFact(f"Code ({plural(count, 'star')})" if count else "Code", url, code.origin))
    if (project := stated.get(FactKind.PROJECT)) and (url := web_address(project.value)):
        line.append(ShownFact("Project page", url, project.origin))
    if with_pdf and (url := pdf(paper)):
        line.append(ShownFact("PDF", url))
    if paper.categories:
        line.append(ShownFact(shorten(category_in_words(paper.categories[0]), _VENUE_WIDTH)))
    return line


def pdf(paper: Paper) -> str:
    """Return the address of a paper's PDF, derived from what digests name; empty where that is not possible."""
    if paper.arxiv_id:
        return f"https://arxiv.org/pdf/{quote(paper.arxiv_id)}"
    url = web_address(paper.url or "")
    return url if url.lower().partition("?")[0].endswith(".pdf") else ""


def facts_text(paper: Paper) -> str:
    """Return the facts on one line, addresses left out: ``ICLR 2026 · 12 upvotes · Code (34 stars)``."""
    return " · ".join(fact.text for fact in facts(paper))
