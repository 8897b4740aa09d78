"""bioRxiv's and medRxiv's preprints as their API lists them: a JSON object.

    {"messages": [{"status": "ok", "cursor": 0, "count": 100, "total": "427"}],
     "collection": [{"doi": "10.1101/2026.01.20.700468", "title": ..., "authors": "Lovelace, A.; Hopper, G.",
                     "author_corresponding_institution": ..., "date": "2026-01-22", "version": "1",
                     "category": "bioinformatics", "abstract": ..., "server": "bioRxiv"}, ...]}

``date`` is when a version was posted. Lists of one interval hold dates outside of it, and the DOI's own date may be
years before.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from typing import Any

from bot.formats.format import Document, build_digest, date_at, json_object, reject_reason, text_in
from bot.model import Entry, ParsedDigest, limits
from bot.model.errors import DigestError
from bot.model.identity import doi
from bot.text.decoding import decode, tidy

MAX_PAPERS = 5_000
_NAMES = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}
_EARLIEST = date(2013, 11, 1)  # bioRxiv began then


def parse(content: bytes) -> ParsedDigest:
    """Read one page of the API; raises DigestError if it is not JSON, or other JSON."""
    try:
        page = json.loads(decode(content).lstrip("\ufeff"))
    # RecursionError: "[" a million times. ValueError: also a number of more than 4,300 digits.
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    items = page.get("collection") if isinstance(page, dict) else None
    if not isinstance(items, list):
        raise DigestError("JSON, but not a page of bioRxiv's API")
    if len(items) > MAX_PAPERS:
        raise DigestError(f"{len(items):,} papers, more than the {MAX_PAPERS:,} that a digest may have")
    servers = Counter(text_in(item, "server").lower() for item in items if isinstance(item, dict))
    server = servers.most_common(1)[0][0] if servers else ""
    results = [parse_paper(number, item) for number, item in enumerate(items, 1)]
    days = [entry.published for entry in results if isinstance(entry, Entry) and entry.published]
    return build_digest("biorxiv", _NAMES.get(server, "bioRxiv"), max(days, default=None), results)


def parse_paper(number: int, item: Any) -> Entry | str:
    """Return the paper of an item, or why it can't be read; any value may be of any JSON type."""
    paper = json_object(item)
    title = text_in(paper, "title")
    abstract = re.sub(r"^abstract\s*[:.]?\s+", "", text_in(paper, "abstract"), flags=re.IGNORECASE)
    if problem := reject_reason(f"item {number}", title, abstract):
        return problem
    version = text_in(paper, "version")
    number_of_version = int(version) if re.fullmatch(r"[1-9]\d{0,2}", version, re.ASCII) else None
    posted = date_at(paper, "date")
    category = text_in(paper, "category")
    # "Lovelace, A. M.; Hopper, G.": family names first.
    listed = text_in(paper, "authors")[: limits.BYLINE].split(";", limits.AUTHORS + 1)
    names = (f"{first.strip()} {last.strip()}".strip() for last, _, first in (n.partition(",") for n in listed))
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, names)),
        published=posted if posted and posted >= _EARLIEST else None,
        doi=doi(text_in(paper, "doi")),
        organisation=text_in(paper, "author_corresponding_institution") or None,
        version=number_of_version,
        categories=(category,) if category else (),
        # The list has each version of a paper; a later one is new only to readers who saw the earlier one.
        replacement=bool(number_of_version and number_of_version > 1),
    )


FORMAT = Document(
    name="biorxiv",
    title="bioRxiv JSON",
    recognises=lambda beginning: bool(re.match(r'\{\s*"(?:messages|collection)"', beginning)),
    parse=parse,
)
