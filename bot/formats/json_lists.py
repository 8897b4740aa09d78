"""Lists of papers as APIs answer them, in JSON: any value may be of any type, or be missing.

Each row of ``_APIS`` says by which keys its answers are recognised, and where these have the papers and their fields. A
path such as ``paper.authors`` is looked up step by step; a list on the way stands for each of its items, as in

    [{"paper": {"id": "2606.00467", "title": ..., "summary": ..., "authors": [{"name": ...}, ...]}, ...}, ...]

Of several paths the first that has a value counts. What differs beyond paths:

- Hugging Face's ``publishedAt`` is when the paper came out, ``submittedOnDailyAt`` the day of the list.
- bioRxiv's and medRxiv's ``date`` is when a version was posted. Lists of one interval hold dates outside of it, and the
  DOI's own date may be years before.
- OpenAlex has abstracts as an inverted index, ``{"Owls": [0, 4], "see": [1]}``: the positions of each word. A work may
  be dated months ahead, by the issue of its journal.
- Crossref has days as ``[[2026, 5, 1]]``, often without the day.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import mode
from typing import Any
from urllib.parse import quote

from bot.formats.addresses import article_at
from bot.formats.format import (
    Document,
    author_names,
    build_digest,
    decode,
    plausible_date,
    prose,
    quoted,
    reject_reason,
    tidy,
)
from bot.formats.html import html_lines
from bot.model import Entry, Fact, FactKind, ParsedDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, doi_in

_MAX_PAPERS = 5_000
_MAX_COUNT = 1_000_000_000  # PostgreSQL's integer ends at 2,147,483,647
_WEB_ADDRESS = re.compile(r"https?://[^\s<>\"]{4,300}")
_SERVERS = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}
_BIORXIV_BEGAN = date(2013, 11, 1)
# Types of works that nobody would read as a paper.
_NOT_PAPERS = {
    *("component", "dataset", "erratum", "grant", "journal", "journal-issue", "journal-volume", "libguides"),
    *("paratext", "peer-review", "retraction"),
}
_VENUES = {"journal", "conference", "book series"}  # and not repositories
_PREPRINT_SERVER = re.compile(r"rxiv|ssrn|research square|preprint", re.IGNORECASE)
_HEADING = re.compile(r"^abstract\s*[:.]?\s+", re.IGNORECASE)
# Headings of an abstract's sections, in JATS and HTML.
_SECTION = re.compile(r"<(jats:title|title|h[1-6])>([^<>]{0,100}?)[:.]?\s{0,5}</\1>", re.IGNORECASE)
_PARAGRAPH_END = re.compile(r"(?=</(?:jats:)?p>)", re.IGNORECASE)
_NAME_PARTS = (("given", "family"), ("firstName", "lastName"), ("givenName", "familyName"))
_NAMES = ("name", "display_name", "fullName", "full_name", "family")
_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)", re.ASCII)

_Paths = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Api:
    """Whose answers, and where they have what. ``items``: paths from the answer; all other paths start at a paper."""

    site: str  # for people, and the origin of facts
    name: str  # the digest's format
    marks: _Paths  # one of them is in each answer; "a~b": with the text b in it
    items: _Paths
    topic: str = ""  # a path from the answer
    day: _Paths = ()  # of the list, or when a paper was added to it
    day_of: Callable[[Sequence[date]], date] = max
    title: _Paths = ("title",)
    abstract: _Paths = ("abstract",)
    authors: _Paths = ("authors",)
    is_plain: bool = False  # titles and abstracts are without markup, so that "<" is a sign
    families_first: bool = False  # "Lovelace, A. M.; Hopper, G."
    published: _Paths = ()
    arxiv: _Paths = ()
    doi: _Paths = ("doi",)
    urls: _Paths = ()
    page: str = ""  # the address of a paper without DOI and address
    venue: _Paths = ()
    upvotes: _Paths = ()
    organisation: _Paths = ()
    categories: _Paths = ()
    version: _Paths = ()
    facts: tuple[tuple[FactKind, str], ...] = ()


_APIS: tuple[_Api, ...] = (
    _Api(
        site="Hugging Face",
        name="huggingface",
        marks=("paper.id", "paper.title", "submittedOnDailyAt", "ai_summary"),
        items=("",),
        is_plain=True,
        day=("paper.submittedOnDailyAt", "submittedOnDailyAt"),
        # The list has no day of its own: the most common day of its items stands for it.
        day_of=mode,
        title=("paper.title", "title"),
        abstract=("paper.summary", "summary"),
        authors=("paper.authors", "authors"),
        published=("paper.publishedAt", "publishedAt"),
        arxiv=("paper.id", "id"),
        upvotes=("paper.upvotes", "upvotes"),
        organisation=("paper.organization.fullname", "paper.organization.name", "organization.fullname"),
        facts=(
            (FactKind.CODE, "paper.githubRepo"),
            (FactKind.PROJECT, "paper.projectPage"),
            (FactKind.STARS, "paper.githubStars"),
        ),
    ),
    _Api(
        site="bioRxiv",
        name="biorxiv",
        marks=("collection",),
        items=("collection",),
        topic="collection.server",
        day=("date",),
        families_first=True,
        published=("date",),
        organisation=("author_corresponding_institution",),
        categories=("category",),
        version=("version",),
    ),
    _Api(
        site="OpenAlex",
        name="openalex",
        marks=("meta.count", "authorships", "results.authorships"),
        items=("results", ""),
        day=("created_date",),
        abstract=("abstract_inverted_index",),
        authors=("authorships.author",),
        published=("publication_date",),
        urls=("primary_location.landing_page_url", "best_oa_location.landing_page_url"),
        venue=("primary_location.source.display_name",),
        categories=("primary_topic.subfield.display_name",),
        facts=((FactKind.PDF, "best_oa_location.pdf_url"),),
    ),
    _Api(
        site="JSON Feed",
        name="json-feed",
        marks=("version~jsonfeed.org/version",),
        items=("items",),
        topic="title",
        day=("date_published", "date_modified"),
        abstract=("content_text", "content_html", "summary"),
        authors=("authors", "author"),
        published=("date_published", "date_modified"),
        doi=("url", "external_url", "id"),
        urls=("url", "external_url", "id"),
    ),
    _Api(
        site="Crossref",
        name="crossref",
        marks=("message.items", "message.DOI"),
        items=("message.items", "message"),
        day=("created.date-parts",),
        authors=("author",),
        published=tuple(
            f"{field}.date-parts"
            for field in ("published-online", "posted", "published", "issued", "published-print", "created")
        ),
        doi=("DOI",),
        urls=("resource.primary.URL", "URL"),
        venue=("container-title", "institution.name", "event.name"),
    ),
    _Api(
        site="Europe PMC",
        name="europepmc",
        marks=("resultList.result", "result.authorString"),
        items=("resultList.result", "result"),
        day=("firstIndexDate",),
        abstract=("abstractText",),
        authors=("authorList.author", "authorString"),
        published=("firstPublicationDate", "electronicPublicationDate", "journalInfo.printPublicationDate"),
        page="https://europepmc.org/article/{source}/{id}",
        venue=("journalInfo.journal.title", "journalTitle", "bookOrReportDetails.publisher"),
    ),
    _Api(
        site="Semantic Scholar",
        name="semantic-scholar",
        marks=("data.paperId", "recommendedPapers", "paperId", "data.citingPaper", "data.citedPaper"),
        items=("data.citingPaper", "data.citedPaper", "data", "recommendedPapers", ""),
        abstract=("abstract", "tldr.text"),
        published=("publicationDate",),
        arxiv=("externalIds.ArXiv",),
        doi=("externalIds.DOI",),
        urls=("url",),
        page="https://www.semanticscholar.org/paper/{paperId}",
        venue=("publicationVenue.name", "venue", "journal.name"),
        facts=((FactKind.PDF, "openAccessPdf.url"),),
    ),
    _Api(
        site="DOAJ",
        name="doaj",
        marks=("results.bibjson", "bibjson"),
        items=("results", ""),
        day=("created_date",),
        title=("bibjson.title",),
        abstract=("bibjson.abstract",),
        authors=("bibjson.author",),
        published=("created_date",),
        doi=("bibjson.identifier.id",),
        urls=("bibjson.link.url",),
        venue=("bibjson.journal.title",),
    ),
    _Api(
        site="DataCite",
        name="datacite",
        marks=("data.attributes.titles",),
        items=("data",),
        title=("attributes.titles.title",),
        abstract=("attributes.descriptions.description",),
        authors=("attributes.creators",),
        families_first=True,
        published=("attributes.published", "attributes.created"),
        doi=("attributes.doi",),
        urls=("attributes.url",),
        venue=("attributes.container.title",),
    ),
    _Api(
        site="INSPIRE",
        name="inspire",
        marks=("hits.hits.metadata.titles", "metadata.titles"),
        items=("hits.hits", ""),
        day=("created",),
        title=("metadata.titles.title",),
        abstract=("metadata.abstracts.value",),
        authors=("metadata.authors",),
        families_first=True,
        published=("metadata.preprint_date", "metadata.earliest_date", "created"),
        arxiv=("metadata.arxiv_eprints.value",),
        doi=("metadata.dois.value",),
        page="https://inspirehep.net/literature/{id}",
        venue=("metadata.publication_info.journal_title",),
        categories=("metadata.primary_arxiv_category",),
    ),
)

_LIBRARY = "add it with `paperbot import READER FILE`"
_PROGRAMME = "plan the conference with `paperbot conference FILE READER`"
# Other JSON that people have, and where it belongs.
_OTHERS = (
    (("items.itemType", "data.itemType", "itemType", "items.citationKey"), f"a library in Zotero's JSON; {_LIBRARY}"),
    (("author.family", "issued.date-parts", "items.author.family"), f"a library in CSL-JSON; {_LIBRARY}"),
    (("schedule.conference",), f"a programme in the JSON of pretalx or frab; {_PROGRAMME}"),
    (("results.contributions", "results.startDate", "contributions"), f"a programme in Indico's JSON; {_PROGRAMME}"),
    (("notes.content", "content.title"), f"a programme in OpenReview's JSON; {_PROGRAMME}"),
    (("talks", "sessions", "events", "results.submission_type", "submission_type"), f"a programme; {_PROGRAMME}"),
)


def _parse(content: bytes) -> ParsedDigest:
    """Read one answer of an API; raises DigestError if it is none, or has too many papers."""
    try:
        answer = json.loads(decode(content).lstrip("\ufeff"))
    # RecursionError: "[" a million times. ValueError: also a number of more than 4,300 digits.
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    api = next((api for api in _APIS if _has_any(answer, api.marks)), None)
    if api is None:
        raise DigestError(_explain(answer))
    items = next((list(_values(answer, path)) for path in api.items if _has_any(answer, (path,))), None)
    if items is None or (items and not any(isinstance(item, Mapping) for item in items)):
        raise DigestError(f"JSON of {api.site} without a list of papers")
    if len(items) > _MAX_PAPERS:
        raise DigestError(f"{len(items):,} papers, more than the {_MAX_PAPERS:,} that a digest may have")
    days = [day for item in items if (day := _first_day(item, api.day))]
    if api.name == "biorxiv":
        days = [day for day in days if day >= _BIORXIV_BEGAN]
    day = api.day_of(days) if days else None
    topic = _text(answer, (api.topic,)) if api.topic else ""
    topic = _SERVERS.get(topic.lower(), topic) or ("Daily Papers" if api.name == "huggingface" else api.site)
    papers = (_paper(api, f"item {number}", item, day) for number, item in enumerate(items, 1) if _is_paper(item))
    return build_digest(api.name, topic, day, papers)


def _is_paper(item: Any) -> bool:
    is_retracted = isinstance(item, Mapping) and item.get("is_retracted") is True
    return not is_retracted and _text(item, ("type",)) not in _NOT_PAPERS


def _paper(api: _Api, place: str, item: Any, day: date | None) -> Entry | str:
    title = _text(item, api.title)
    title = title if api.is_plain else prose(title, limits.TITLE)
    if api.name == "europepmc" and title.count(".") == 1:
        title = title.rstrip(".")
    abstract = _abstract(item, api)
    if problem := reject_reason(place, title, abstract):
        return problem
    doi = next(filter(None, (doi_in(text[: limits.URL]) for text in _texts(item, api.doi))), None)
    addresses = [text for text in _texts(item, api.urls) if _WEB_ADDRESS.fullmatch(text)]
    articles = [article for text in (*_texts(item, api.doi), *addresses) if (article := article_at(text[: limits.URL]))]
    identifiers = filter(None, (arxiv_id_in(text[: limits.URL]) for text in _texts(item, api.arxiv)))
    arxiv_id = next(identifiers, None) or next((found.arxiv_id for found in articles if found.arxiv_id), None)
    keys = {key: quote(_text(item, (key,))[: limits.ID], safe="") for key in re.findall(r"\{(\w+)\}", api.page)}
    page = api.page.format_map(keys) if keys and all(keys.values()) else ""
    version = _text(item, api.version)
    number = int(version) if re.fullmatch(r"[1-9]\d{0,2}", version, re.ASCII) else None
    published = plausible_date(_first_day(item, api.published), _first_day(item, api.day) or day)
    if api.name == "biorxiv" and published and published < _BIORXIV_BEGAN:
        published = None
    # OpenAlex also has the repository of a preprint as its source.
    kind = _text(item, ("primary_location.source.type",))
    venue = _text(item, api.venue) if not kind or kind in _VENUES else ""
    values = {kind: _text(item, (path,)) for kind, path in api.facts}
    stars = _count(item, tuple(path for kind, path in api.facts if kind is FactKind.STARS))
    facts = {FactKind.VENUE: "" if _PREPRINT_SERVER.search(venue) else prose(venue, limits.FACT)}
    facts |= {kind: address for kind, address in values.items() if _WEB_ADDRESS.fullmatch(address)}
    if stars is not None and FactKind.CODE in facts:
        facts[FactKind.STARS] = str(stars)
    categories = (_text(item, (path,)) for path in api.categories)
    return Entry(
        title=title,
        abstract=abstract,
        authors=_authors(item, api),
        published=published,
        arxiv_id=arxiv_id,
        doi=doi,
        url=None if doi else next(iter(addresses), None) or (None if arxiv_id else page or None),
        upvotes=_count(item, api.upvotes),
        organisation=_text(item, api.organisation) or None,
        version=number,
        # The list has each version of a paper; a later one is new only to readers who saw the earlier one.
        replacement=bool(number and number > 1),
        categories=tuple(filter(None, categories)),
        facts=tuple(Fact(kind, value, api.site) for kind, value in facts.items() if value),
    )


def _abstract(item: Any, api: _Api) -> str:
    for path in api.abstract:
        for value in _values(item, path):
            if path.endswith("_index"):
                return _HEADING.sub("", prose(_rebuilt(value), limits.ABSTRACT)) if isinstance(value, Mapping) else ""
            if not isinstance(value, str) or not value.strip():
                continue
            if api.is_plain:
                return tidy(value)
            if path.endswith("_html"):
                return tidy(" ".join(line.text for line in html_lines(value[: limits.MARKUP])))
            text = _PARAGRAPH_END.sub(" ", _SECTION.sub(r" \2: ", value[: limits.MARKUP]))
            return _HEADING.sub("", prose(text, limits.MARKUP))
    return ""


def _rebuilt(index: Mapping[str, Any]) -> str:
    """Return the abstract of an inverted index; empty if it is longer than an abstract may be, as whole texts are."""
    places = {word: positions for word, positions in index.items() if isinstance(positions, list)}
    # Counted before it is put together: a few bytes may place a long word a million times.
    if sum((len(word) + 1) * len(positions) for word, positions in places.items()) > limits.ABSTRACT:
        return ""
    placed = ((place, word) for word, positions in places.items() for place in positions if isinstance(place, int))
    return " ".join(word for _, word in sorted(placed))


def _authors(item: Any, api: _Api) -> tuple[str, ...]:
    """Return the authors, which are objects, names, or one text that lists them."""
    path = next((path for path in api.authors if _has_any(item, (path,))), "")
    names: list[str] = []
    for value in _values(item, path):
        if isinstance(value, Mapping):
            parts = next((pair for pair in _NAME_PARTS if all(_text(value, (key,)) for key in pair)), ())
            names.append(" ".join(_text(value, (key,)) for key in parts) or _text(value, _NAMES))
        elif isinstance(value, str) and (api.families_first or ";" in value):
            names += tidy(value[: limits.BYLINE]).split(";", limits.AUTHORS + 1)
        elif isinstance(value, str):
            names += author_names(tidy(value[: limits.BYLINE]).rstrip("."))
    if len(names) == 1 and not api.families_first:  # feeds made from RSS have all of them in one name
        listed = author_names(names[0])
        names = list(listed) if all(" " in name for name in listed) else names
    if api.families_first:
        names = [f"{first.strip()} {last.strip()}" for last, _, first in (name.partition(",") for name in names)]
    return tuple(filter(None, (name.strip() for name in names)))


def _explain(answer: Any) -> str:
    """Return what other JSON is, and where it belongs."""
    if other := next((words for marks, words in _OTHERS if _has_any(answer, marks)), None):
        return other
    known = f"JSON, but none of the lists that Paperbot reads: {', '.join(api.site for api in _APIS)}"
    message = _text(answer, ("error.message", "error", "message", "detail"))
    return f"{known}; it says {quoted(message)}" if message else known


def _values(value: Any, path: str) -> Iterator[Any]:
    """Yield what is at a path; a list on the way or at its end stands for each of its items."""
    values = value if isinstance(value, list) else [value]
    for key in filter(None, path.split(".")):
        inner = [item[key] for item in values if isinstance(item, Mapping) and item.get(key) is not None]
        values = [item for value in inner for item in (value if isinstance(value, list) else [value])]
    yield from values


def _has_any(value: Any, marks: _Paths) -> bool:
    """Whether a value has something at one of the paths, be it an empty list."""
    for mark in marks:
        path, _, part = mark.partition("~")
        above, _, key = path.rpartition(".")
        values = (item if not key else item.get(key) for item in _values(value, above) if isinstance(item, Mapping))
        if any(part in item if part and isinstance(item, str) else item is not None and not part for item in values):
            return True
    return False


def _texts(value: Any, paths: _Paths) -> Iterator[str]:
    """Yield the tidy texts at the paths."""
    return (text for path in paths for item in _values(value, path) if isinstance(item, str) and (text := tidy(item)))


def _text(value: Any, paths: _Paths) -> str:
    """Return the first text at the paths; empty if there is none."""
    return next(_texts(value, paths), "")


def _count(value: Any, paths: _Paths) -> int | None:
    """Return the first number at the paths that is a count."""
    numbers = (item for path in paths for item in _values(value, path))
    # Not isinstance: in Python, True is an int.
    return next((item for item in numbers if type(item) is int and 0 <= item <= _MAX_COUNT), None)


def _first_day(value: Any, paths: _Paths) -> date | None:
    """Return the first whole day at the paths: "2026-05-01", with or without a time, or [2026, 5, 1]."""
    for item in (item for path in paths for item in _values(value, path)):
        match = _DAY.match(item) if isinstance(item, str) else None
        numbers = match.groups() if match else item if isinstance(item, list) and len(item) == 3 else ()
        try:
            return date(*(int(number) for number in numbers))
        except (TypeError, ValueError, OverflowError):  # only a year and a month, or no such day
            continue
    return None


JSON_LIST = Document(
    f"JSON of {', '.join(api.site for api in _APIS)}",
    # RTF begins with a brace; Markdown with "[![badge]", "[text](address)" or "[1]".
    re.compile(r"\{(?!\\rtf)|\[(?!\[?(?:[^\W\d]|[!#]|\d{1,4}\])|\]\()"),
    _parse,
)
