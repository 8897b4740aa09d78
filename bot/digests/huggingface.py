"""Hugging Face's Daily Papers as its API lists them: a JSON array, one object a paper.

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

from bot.digests.format import Document, collect
from bot.digests.text import decode, tidy
from bot.digests.wording import flaw, plausible_date
from bot.domain import Entry, ParsedDigest
from bot.errors import DigestError
from bot.identity import arxiv_id

MAX_PAPERS = 5_000
_MOST = 1_000_000_000  # upvotes or comments; more is no count, and no database takes it


def _parse(content: bytes) -> ParsedDigest:
    items = _items(content)
    listed = Counter(day for item in items if (day := _date(_table(item, "paper").get("submittedOnDailyAt"))))
    day = listed.most_common(1)[0][0] if listed else None
    papers = (_paper(number, item, day) for number, item in enumerate(items, 1))
    return collect("huggingface", "Daily Papers", day, papers)


def _items(content: bytes) -> list[Any]:
    try:
        items = json.loads(decode(content).lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    if not isinstance(items, list) or not any(_table(item, "paper") for item in items):
        raise DigestError("JSON, but not a list of Hugging Face's Daily Papers")
    if len(items) > MAX_PAPERS:
        raise DigestError(f"{len(items):,} papers, more than the {MAX_PAPERS:,} that a digest may have")
    return items


def _paper(number: int, item: Any, day: date | None) -> Entry | str:
    paper = _table(item, "paper")
    title = _text(paper, "title") or (_text(item, "title") if isinstance(item, Mapping) else "")
    abstract = _text(paper, "summary")
    organisation = _table(paper, "organization")
    listed = paper.get("authors")
    authors = (
        [_text(author, "name") for author in listed if isinstance(author, Mapping)]
        if isinstance(listed, list)
        else []
    )
    if problem := flaw(number, title, abstract):
        return problem.replace("line", "item", 1)
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, authors)),
        published=plausible_date(_date(paper.get("publishedAt")), day),
        arxiv_id=arxiv_id(_text(paper, "id")),
        upvotes=_count(paper.get("upvotes")),
        comments=_count(item.get("numComments")),
        organisation=_text(organisation, "fullname") or _text(organisation, "name") or None,
    )


def _table(value: Any, key: str) -> Mapping[str, Any]:
    """The object under a key; an empty one where there is none."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _text(table: Mapping[str, Any], key: str) -> str:
    found = table.get(key)
    return tidy(found) if isinstance(found, str) else ""


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


FORMAT = Document(
    name="huggingface",
    title="Daily Papers JSON",
    recognises=lambda beginning: beginning.startswith(("[", "{")) and not beginning.startswith("{\\rtf"),
    parse=_parse,
)
