"""Hugging Face's Daily Papers as its API lists them: a JSON array, one object for each paper.

    [{"paper": {"id": "2606.00467", "title": ..., "summary": ..., "authors": [{"name": ...}],
                "publishedAt": "2026-05-30T00:00:00.000Z", "submittedOnDailyAt": "2026-06-12T00:00:00.000Z",
                "upvotes": 3, "organization": {"fullname": ...}},
      "numComments": 2}, ...]

``publishedAt`` is when the paper came out, ``submittedOnDailyAt`` the day of the list.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

from bot.digests.fields import plausible_date, reject_reason
from bot.digests.format import Document, build_digest
from bot.digests.text import decode, tidy
from bot.domain import Entry, ParsedDigest
from bot.errors import DigestError
from bot.identity import arxiv_id

MAX_PAPERS = 5_000
_MAX_COUNT = 1_000_000_000  # upvotes; PostgreSQL's integer ends at 2,147,483,647


def parse(content: bytes) -> ParsedDigest:
    """Read one answer of the API; raises DigestError if it is other JSON, or none."""
    try:
        items = json.loads(decode(content).lstrip("\ufeff"))
    # RecursionError: "[" a million times. ValueError: also a number of more than 4,300 digits.
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    if not isinstance(items, list) or not any(_object(item, "paper") for item in items):
        raise DigestError("JSON, but not a list of Hugging Face's Daily Papers")
    if len(items) > MAX_PAPERS:
        raise DigestError(f"{len(items):,} papers, more than the {MAX_PAPERS:,} that a digest may have")
    # The list has no day of its own: the most common day of its items stands for it.
    submitted = (_date(_object(item, "paper").get("submittedOnDailyAt")) for item in items)
    days = Counter(filter(None, submitted))
    day = days.most_common(1)[0][0] if days else None
    papers = (parse_paper(number, item, day) for number, item in enumerate(items, 1))
    return build_digest("huggingface", "Daily Papers", day, papers)


def parse_paper(number: int, item: Any, day: date | None) -> Entry | str:
    """Return the paper of an item, or why it can't be read; any value may be of any JSON type."""
    paper = _object(item, "paper")
    title = _text(paper, "title") or (_text(item, "title") if isinstance(item, Mapping) else "")
    abstract = _text(paper, "summary")
    if problem := reject_reason(f"item {number}", title, abstract):
        return problem
    authors = paper.get("authors")
    names = (
        [_text(author, "name") for author in authors if isinstance(author, Mapping)]
        if isinstance(authors, list)
        else []
    )
    organisation = _object(paper, "organization")
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, names)),
        published=plausible_date(_date(paper.get("publishedAt")), day),
        arxiv_id=arxiv_id(_text(paper, "id")),
        upvotes=_count(paper.get("upvotes")),
        organisation=_text(organisation, "fullname") or _text(organisation, "name") or None,
    )


def _object(value: Any, key: str) -> Mapping[str, Any]:
    """Return the object under a key; an empty one if there is no object."""
    member = value.get(key) if isinstance(value, Mapping) else None
    return member if isinstance(member, Mapping) else {}


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    return tidy(value) if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    # In Python, True is an int.
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_COUNT
    return value if is_count else None


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


FORMAT = Document(
    name="huggingface",
    title="Daily Papers JSON",
    # RTF begins with a brace, too.
    recognises=lambda beginning: beginning.startswith(("[", "{")) and not beginning.startswith("{\\rtf"),
    parse=parse,
)
