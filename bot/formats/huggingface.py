"""Hugging Face's Daily Papers as its API lists them: a JSON array, one object for each paper.

    [{"paper": {"id": "2606.00467", "title": ..., "summary": ..., "authors": [{"name": ...}],
                "publishedAt": "2026-05-30T00:00:00.000Z", "submittedOnDailyAt": "2026-06-12T00:00:00.000Z",
                "upvotes": 3, "organization": {"fullname": ...},
                "githubRepo": "https://github.com/...", "githubStars": 12, "projectPage": "https://..."},
      "numComments": 2}, ...]

``publishedAt`` is when the paper came out, ``submittedOnDailyAt`` the day of the list.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

from bot.formats.format import (
    Document,
    build_digest,
    count_in,
    date_at,
    json_object,
    plausible_date,
    reject_reason,
    text_in,
)
from bot.model import Entry, Fact, FactKind, ParsedDigest
from bot.model.errors import DigestError
from bot.model.identity import arxiv_id
from bot.text.decoding import decode, tidy

MAX_PAPERS = 5_000
ORIGIN = "Hugging Face"
_WEB_ADDRESS = re.compile(r"https?://[^\s<>\"]{4,300}")


def parse(content: bytes) -> ParsedDigest:
    """Read one answer of the API; raises DigestError if it is not JSON, or other JSON."""
    try:
        items = json.loads(decode(content).lstrip("\ufeff"))
    # RecursionError: "[" a million times. ValueError: also a number of more than 4,300 digits.
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    if not isinstance(items, list) or not any(json_object(item, "paper") for item in items):
        raise DigestError("JSON, but not a list of Hugging Face's Daily Papers")
    if len(items) > MAX_PAPERS:
        raise DigestError(f"{len(items):,} papers, more than the {MAX_PAPERS:,} that a digest may have")
    # The list has no day of its own: the most common day of its items stands for it.
    submitted = (date_at(json_object(item, "paper"), "submittedOnDailyAt") for item in items)
    days = Counter(filter(None, submitted))
    day = days.most_common(1)[0][0] if days else None
    papers = (parse_paper(number, item, day) for number, item in enumerate(items, 1))
    return build_digest("huggingface", "Daily Papers", day, papers)


def parse_paper(number: int, item: Any, day: date | None) -> Entry | str:
    """Return the paper of an item, or why it can't be read; any value may be of any JSON type."""
    paper = json_object(item, "paper")
    title = text_in(paper, "title") or (text_in(item, "title") if isinstance(item, Mapping) else "")
    abstract = text_in(paper, "summary")
    if problem := reject_reason(f"item {number}", title, abstract):
        return problem
    authors = paper.get("authors")
    listed = authors if isinstance(authors, list) else []
    names = (text_in(author, "name") for author in listed if isinstance(author, Mapping))
    organisation = json_object(paper, "organization")
    addresses = {FactKind.CODE: text_in(paper, "githubRepo"), FactKind.PROJECT: text_in(paper, "projectPage")}
    facts = [Fact(kind, address, ORIGIN) for kind, address in addresses.items() if _WEB_ADDRESS.fullmatch(address)]
    stars = count_in(paper, "githubStars")
    if stars is not None and _WEB_ADDRESS.fullmatch(addresses[FactKind.CODE]):
        facts.append(Fact(FactKind.STARS, str(stars), ORIGIN))
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, names)),
        published=plausible_date(date_at(paper, "publishedAt"), day),
        arxiv_id=arxiv_id(text_in(paper, "id")),
        upvotes=count_in(paper, "upvotes"),
        organisation=text_in(organisation, "fullname") or text_in(organisation, "name") or None,
        facts=tuple(facts),
    )


FORMAT = Document(
    name="huggingface",
    title="Daily Papers JSON",
    # RTF begins with a brace, too.
    recognises=lambda beginning: beginning.startswith(("[", "{")) and not beginning.startswith("{\\rtf"),
    parse=parse,
)
