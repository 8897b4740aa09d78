"""Lists of papers as APIs answer them, in JSON: any value may be of any type, or be missing.

Hugging Face's Daily Papers is an array, one object for each paper:

    [{"paper": {"id": "2606.00467", "title": ..., "summary": ..., "authors": [{"name": ...}],
                "publishedAt": "2026-05-30T00:00:00.000Z", "submittedOnDailyAt": "2026-06-12T00:00:00.000Z",
                "upvotes": 3, "organization": {"fullname": ...},
                "githubRepo": "https://github.com/...", "githubStars": 12, "projectPage": "https://..."},
      "numComments": 2}, ...]

``publishedAt`` is when the paper came out, ``submittedOnDailyAt`` the day of the list.

A page of bioRxiv's and medRxiv's API is an object:

    {"messages": [{"status": "ok", "cursor": 0, "count": 100, "total": "427"}],
     "collection": [{"doi": "10.1101/2026.01.20.700468", "title": ..., "authors": "Lovelace, A.; Hopper, G.",
                     "author_corresponding_institution": ..., "date": "2026-01-22", "version": "1",
                     "category": "bioinformatics", "abstract": ..., "server": "bioRxiv"}, ...]}

``date`` is when a version was posted. Lists of one interval hold dates outside of it, and the DOI's own date may be
years before.

A page of OpenAlex's API is an object, too:

    {"meta": {"count": 12, ...},
     "results": [{"doi": "https://doi.org/10.1000/owls.1", "title": ..., "type": "article", "is_retracted": false,
                  "publication_date": "2026-11-20", "created_date": "2026-11-22T05:10:07",
                  "authorships": [{"author": {"display_name": ...}, ...}],
                  "primary_location": {"landing_page_url": ..., "source": {"display_name": ..., "type": "journal"}},
                  "best_oa_location": {"pdf_url": ..., "landing_page_url": ...},
                  "primary_topic": {"subfield": {"display_name": "Sociology"}},
                  "abstract_inverted_index": {"Owls": [0, 4], "see": [1]}}, ...]}

The inverted index has the positions of each word. A work may be dated months ahead, by the issue of its journal.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from bot.formats.addresses import article_at
from bot.formats.format import Document, build_digest, decode, plausible_date, prose, reject_reason, tidy
from bot.model import Entry, Fact, FactKind, ParsedDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, doi_in

_MAX_PAPERS = 5_000
_MAX_COUNT = 1_000_000_000  # PostgreSQL's integer ends at 2,147,483,647
_WEB_ADDRESS = re.compile(r"https?://[^\s<>\"]{4,300}")
_HUGGING_FACE = "Hugging Face"
_SERVERS = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}
_BIORXIV_BEGAN = date(2013, 11, 1)
_OPENALEX = "OpenAlex"
# Types of works that nobody would read as a paper.
_NOT_PAPERS = {"dataset", "erratum", "grant", "libguides", "paratext", "peer-review", "retraction"}
_VENUES = {"journal", "conference", "book series"}  # and not repositories
_HEADING = re.compile(r"^abstract\s*[:.]?\s+", re.IGNORECASE)


def _parse_daily_papers(content: bytes) -> ParsedDigest:
    """Read one answer of Hugging Face's API; raises DigestError if it is something else."""
    items = _papers(_load(content), "a list of Hugging Face's Daily Papers")
    if not any(_object(item, "paper") for item in items):
        raise DigestError("JSON, but not a list of Hugging Face's Daily Papers")
    # The list has no day of its own: the most common day of its items stands for it.
    submitted = (_date(_object(item, "paper"), "submittedOnDailyAt") for item in items)
    days = Counter(filter(None, submitted))
    day = days.most_common(1)[0][0] if days else None
    papers = (_daily_paper(number, item, day) for number, item in enumerate(items, 1))
    return build_digest("huggingface", "Daily Papers", day, papers)


def _daily_paper(number: int, item: Any, day: date | None) -> Entry | str:
    paper = _object(item, "paper")
    title = _text(paper, "title") or _text(_object(item), "title")
    abstract = _text(paper, "summary")
    if problem := reject_reason(f"item {number}", title, abstract):
        return problem
    authors = paper.get("authors")
    names = (_text(_object(author), "name") for author in (authors if isinstance(authors, list) else ()))
    organisation = _object(paper, "organization")
    addresses = {FactKind.CODE: _text(paper, "githubRepo"), FactKind.PROJECT: _text(paper, "projectPage")}
    facts = [
        Fact(kind, address, _HUGGING_FACE) for kind, address in addresses.items() if _WEB_ADDRESS.fullmatch(address)
    ]
    stars = _count(paper, "githubStars")
    if stars is not None and _WEB_ADDRESS.fullmatch(addresses[FactKind.CODE]):
        facts.append(Fact(FactKind.STARS, str(stars), _HUGGING_FACE))
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, names)),
        published=plausible_date(_date(paper, "publishedAt"), day),
        arxiv_id=arxiv_id_in(_text(paper, "id")),
        upvotes=_count(paper, "upvotes"),
        organisation=_text(organisation, "fullname") or _text(organisation, "name") or None,
        facts=tuple(facts),
    )


def _parse_biorxiv(content: bytes) -> ParsedDigest:
    """Read one page of bioRxiv's API; raises DigestError if it is something else."""
    items = _papers(_object(_load(content)).get("collection"), "a page of bioRxiv's API")
    servers = Counter(_text(item, "server").lower() for item in items if isinstance(item, dict))
    server = servers.most_common(1)[0][0] if servers else ""
    results = [_preprint(number, _object(item)) for number, item in enumerate(items, 1)]
    days = [entry.published for entry in results if isinstance(entry, Entry) and entry.published]
    return build_digest("biorxiv", _SERVERS.get(server, "bioRxiv"), max(days, default=None), results)


def _preprint(number: int, paper: Mapping[str, Any]) -> Entry | str:
    title = _text(paper, "title")
    abstract = _HEADING.sub("", _text(paper, "abstract"))
    if problem := reject_reason(f"item {number}", title, abstract):
        return problem
    version = _text(paper, "version")
    number_of_version = int(version) if re.fullmatch(r"[1-9]\d{0,2}", version, re.ASCII) else None
    posted = _date(paper, "date")
    category = _text(paper, "category")
    # "Lovelace, A. M.; Hopper, G.": family names first.
    listed = _text(paper, "authors")[: limits.BYLINE].split(";", limits.AUTHORS + 1)
    names = (f"{first.strip()} {last.strip()}".strip() for last, _, first in (n.partition(",") for n in listed))
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, names)),
        published=posted if posted and posted >= _BIORXIV_BEGAN else None,
        doi=doi_in(_text(paper, "doi")),
        organisation=_text(paper, "author_corresponding_institution") or None,
        version=number_of_version,
        categories=(category,) if category else (),
        # The list has each version of a paper; a later one is new only to readers who saw the earlier one.
        replacement=bool(number_of_version and number_of_version > 1),
    )


def _parse_openalex(content: bytes) -> ParsedDigest:
    """Read one page of OpenAlex's API; raises DigestError if it is something else."""
    works = list(map(_object, _papers(_object(_load(content)).get("results"), "a page of OpenAlex's API")))
    # The page has no day of its own. When works were added can't be in the future, unlike their publication.
    added = max(filter(None, (_date(work, "created_date") for work in works)), default=None)
    results = [_work(number, work) for number, work in enumerate(works, 1) if not _is_no_paper(work)]
    return build_digest("openalex", _OPENALEX, added, results)


def _is_no_paper(work: Mapping[str, Any]) -> bool:
    return _text(work, "type") in _NOT_PAPERS or work.get("is_retracted") is True


def _work(number: int, work: Mapping[str, Any]) -> Entry | str:
    title = prose(_text(work, "title"), limits.TITLE)
    if problem := reject_reason(f"item {number}", title, ""):
        return problem
    place = _object(work, "primary_location")
    journal = _object(place, "source")
    open_access = _object(work, "best_oa_location")
    doi = _text(work, "doi")[: limits.URL]
    pages = [_text(location, "landing_page_url")[: limits.URL] for location in (place, open_access)]
    articles = filter(None, map(article_at, (doi, *pages)))
    authorships = work.get("authorships")
    authors = (_object(item, "author") for item in (authorships if isinstance(authorships, list) else ()))
    facts = {
        FactKind.VENUE: _text(journal, "display_name") if _text(journal, "type") in _VENUES else "",
        FactKind.PDF: pdf if _WEB_ADDRESS.fullmatch(pdf := _text(open_access, "pdf_url")) else "",
    }
    subfield = _text(_object(_object(work, "primary_topic"), "subfield"), "display_name")
    return Entry(
        title=title,
        abstract=_HEADING.sub("", prose(_rebuilt(_object(work, "abstract_inverted_index")), limits.ABSTRACT)),
        authors=tuple(filter(None, (_text(author, "display_name") for author in authors))),
        published=plausible_date(_date(work, "publication_date"), _date(work, "created_date")),
        arxiv_id=next((article.arxiv_id for article in articles if article.arxiv_id), None),
        doi=doi_in(doi),
        url=next((address for address in pages if not doi and _WEB_ADDRESS.fullmatch(address)), None),
        categories=(subfield,) if subfield else (),
        facts=tuple(Fact(kind, value, _OPENALEX) for kind, value in facts.items() if value),
    )


def _rebuilt(index: Mapping[str, Any]) -> str:
    """Return the abstract of an inverted index; empty if it is longer than an abstract may be, as whole texts are."""
    places = {word: positions for word, positions in index.items() if isinstance(positions, list)}
    # Counted before it is put together: a few bytes may place a long word a million times.
    if sum((len(word) + 1) * len(positions) for word, positions in places.items()) > limits.ABSTRACT:
        return ""
    placed = ((place, word) for word, positions in places.items() for place in positions if isinstance(place, int))
    return " ".join(word for _, word in sorted(placed))


def _load(content: bytes) -> Any:
    try:
        return json.loads(decode(content).lstrip("\ufeff"))
    # RecursionError: "[" a million times. ValueError: also a number of more than 4,300 digits.
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None


def _papers(items: Any, expected: str) -> Sequence[Any]:
    """Return the items; raises DigestError if they are not a list, or too many."""
    if not isinstance(items, list):
        raise DigestError(f"JSON, but not {expected}")
    if len(items) > _MAX_PAPERS:
        raise DigestError(f"{len(items):,} papers, more than the {_MAX_PAPERS:,} that a digest may have")
    return items


def _object(value: Any, key: str | None = None) -> Mapping[str, Any]:
    """Return a value, or what it has under a key, if that is an object; else an empty one."""
    if key is not None:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _text(table: Mapping[str, Any], key: str) -> str:
    """Return the tidy text under a key; empty if there is none."""
    value = table.get(key)
    return tidy(value) if isinstance(value, str) else ""


def _count(table: Mapping[str, Any], key: str) -> int | None:
    """Return the number under a key if it is a count."""
    value = table.get(key)
    # Not isinstance: in Python, True is an int.
    return value if type(value) is int and 0 <= value <= _MAX_COUNT else None


def _date(table: Mapping[str, Any], key: str) -> date | None:
    """Return the date with which the text under a key begins; None if it is not a valid date."""
    value = table.get(key)
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


BIORXIV_LIST = Document("bioRxiv JSON", re.compile(r'\{\s*"(?:messages|collection)"'), _parse_biorxiv)
OPENALEX_LIST = Document("OpenAlex JSON", re.compile(r'\{\s*"meta"\s*:\s*\{'), _parse_openalex)
DAILY_PAPERS_LIST = Document(
    "Daily Papers JSON",
    # All other JSON, so that a message names it as such; RTF begins with a brace, too.
    re.compile(r'\[|\{(?!\\rtf|\s*"(?:messages|collection)"|\s*"meta"\s*:\s*\{)'),
    _parse_daily_papers,
)
