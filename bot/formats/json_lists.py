"""Lists of papers in the JSON answers of APIs, where any value may be missing or of any type.

Each table of ``json_lists.toml`` has an API's marks, and the paths of papers and their fields. ``paper.authors.name``
finds each name in this list, because a list on the way stands for its items. The first path with a value counts:

    [{"paper": {"id": "2606.00467", "title": ..., "authors": [{"name": ...}, ...]}, ...}, ...]

OpenAlex has abstracts as an inverted index, ``{"Owls": [0, 4], "see": [1]}``, and dates months ahead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from typing import Any
from urllib.parse import quote

from bot.formats.addresses import article_at
from bot.formats.feed import digest_of
from bot.formats.format import (
    Document,
    build_digest,
    date_in,
    decode,
    facts_of,
    plausible_date,
    prose,
    quoted,
    reject_reason,
    split_lines,
    tidy,
)
from bot.formats.libraries.reference import HOMONYM
from bot.formats.markdown import MARKDOWN
from bot.formats.names import author_names, first_name_first, initials_first, spoken_name
from bot.formats.publishers import is_no_paper, read_title
from bot.formats.tables import pattern, table, words
from bot.model import Entry, FactKind, ParsedDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, doi_in

_MAX_PAPERS = 5_000
_MARKED = 100  # items of an array that may have an API's marks
_MAX_COUNT = 1_000_000_000  # PostgreSQL's integer ends at 2,147,483,647
_WEB_ADDRESS = re.compile(r"https?://[^\s<>\"]{4,300}")
_ARXIV_DOI = re.compile(r"10\.48550/arxiv", re.IGNORECASE)
_VENUES = {"journal", "conference", "book series"}  # and not repositories
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")  # of camelCase
_INITIALS_LAST = re.compile(r"[^\W\d_][\w'’ -]{1,40} [A-Z]{1,3}|et al\.?")
_INVERTED = re.compile(r"[^\W\d_]{2,30}, [^\W\d_]{2,30}(?: [A-Z]\.?)?")
_INITIAL_END = re.compile(r"\b[A-Z]\.$")
_HEADING = re.compile(r"^(?i:abstract)(?:\s*[:.]\s*|\s+(?=[A-Z][a-z]{0,12} [a-z]))")
_NO_ABSTRACT = re.compile(r"(?:no )?(?:abstract|summary) (?:is )?(?:not |un)?available\.?|n/?a|none|-", re.IGNORECASE)
_NAME_PARTS = (("given", "family"), ("firstName", "lastName"), ("givenName", "familyName"), ("given-name", "surname"))
_NAMES = ("name", "display_name", "fullName", "full_name", "collectiveName", "family", "text")
_MARKDOWN = re.compile(r"(?:\||[-*] ).{0,2000}?\bhttps?://")  # rows and items of cv-arxiv-daily's forks
_TABLE = "|Publish Date|Title|Authors|PDF|Code|{}|\n|---|---|---|---|---|---|\n"
_REMARK = 200  # of the last cell at most, which is an abstract otherwise
_DEEPEST = 8  # objects around a paper
_DATES = 3  # of each of them
_LINES = re.compile(r"\{[^\n]{1,1000000}\}\r?\n\{")

_Paths = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Api:
    """An API, with the paths of its fields, which start at a paper unless a comment says otherwise."""

    site: str  # for people, and the origin of facts
    name: str  # the digest's format
    marks: _Paths  # from the answer; each answer has one of them, "a~b" with the text b in it
    items: _Paths  # from the answer
    topic: _Paths = ()  # from the answer
    topics: Mapping[str, str] = field(default_factory=dict)  # by the answer's; "" has the one for all others
    day: _Paths = ()  # of the list or of the addition to it
    begins: date = date.min  # earlier days are mistakes
    title: _Paths = ("title",)
    abstract: _Paths = ("abstract",)
    authors: _Paths = ("authors",)
    is_plain: bool = False  # no markup in titles and abstracts: "<" is a sign
    families_first: bool = False  # "Lovelace, A. M.; Hopper, G."
    initials_last: bool = False  # "Lovelace AM"
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
    facts: Mapping[str, str] = field(default_factory=dict)  # a path for each kind


_APIS = [_Api(**row) for row in table("json_lists")["api"]]
_BOTS = _Api(**table("json_lists")["bots"])


def parse(content: bytes) -> ParsedDigest:
    try:
        text = decode(content).lstrip("\ufeff")
        lines = text.splitlines() if _LINES.match(text) else ()
        answer = [json.loads(line) for line in lines if line.strip()] if lines else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    beginning = answer[:_MARKED] if isinstance(answer, list) else answer
    api = next((api for api in _APIS if _has_any(beginning, api.marks)), None)
    items: list[Any] | None
    if api is None:
        for other in () if _has_any(beginning, _BOTS.marks) else table("json_lists")["other"]:
            if _has_any(beginning, other["marks"]):
                raise DigestError(other["words"])
        items, markdown = _papers_in(answer)
        if markdown and not items:
            lasts = [row.rstrip("| \n").rpartition("|")[2] for row in markdown if row.startswith("|")]
            table_head = _TABLE.format("Abstract" if any(len(last) > _REMARK for last in lasts) else "Comments")
            return MARKDOWN.parse(split_lines(table_head + "".join(markdown)))
        api = _BOTS if items else None
    else:
        items = next((list(_values(answer, path)) for path in api.items if _has_any(answer, (path,))), None)
    if api is None:
        known = f"JSON, but none of the lists that Paperbot reads: {', '.join(api.site for api in _APIS)}"
        message = _text(beginning, ("error.message", "error", "message", "detail"))
        raise DigestError(f"{known}; it says {quoted(message)}" if message else known)
    if items is None or (items and not any(isinstance(item, Mapping) for item in items)):
        raise DigestError(f"JSON of {api.site} without a list of papers")
    if len(items) > _MAX_PAPERS:
        raise DigestError(f"{len(items):,} papers, more than the {_MAX_PAPERS:,} that a digest may have")
    if api.name == "json-feed":
        head = next(item for item in _values(answer, "") if isinstance(item, Mapping))
        return digest_of(api.name, head, [_feed_item(item) for item in items if isinstance(item, Mapping)])
    days = [day for item in items if (day := _first_day(item, api.day)) and day >= api.begins]
    day = max(days, default=None)
    topic = _text(answer, api.topic)
    topic = api.topics.get(topic.lower(), topic) or api.site
    papers: list[Entry | str] = []
    for number, item in enumerate(items, 1):
        is_retracted = isinstance(item, Mapping) and item.get("is_retracted") is True
        is_other = _text(item, ("type",)) in words("not_papers", "json_lists") or is_no_paper(
            prose(_text(item, api.title), limits.TITLE)
        )
        if not (is_retracted or is_other):
            papers.append(_paper(api, f"item {number}", item, day))
    return build_digest(api.name, topic, day, papers)


def _papers_in(answer: Any) -> tuple[list[Any], list[str]]:
    """Return the papers with the keys and dates around them, and texts in Markdown."""
    papers: list[Any] = []
    markdown: list[str] = []
    pending: list[tuple[Any, tuple[str, ...]]] = [(answer, ())]
    while pending:
        value, above = pending.pop()
        if isinstance(value, str) and _MARKDOWN.match(value):
            markdown.append(f"{value.strip()}\n")
        elif isinstance(value, list):
            pending += [(inner, above) for inner in reversed(value)]
        elif isinstance(value, Mapping):
            small = {key.lower().replace(" ", "_"): inner for key, inner in value.items()}
            snake = {_HUMP.sub("_", key[: limits.ID]).lower(): inner for key, inner in value.items()}  # publishedAt
            paper = {**snake, **small, **value, "_above": list(above)}
            # Schemas have titles and descriptions, too.
            is_described = _has_any(paper, _BOTS.authors) and _has_any(paper, (*_BOTS.abstract, *_BOTS.urls))
            is_cited = _has_any(paper, ("year", "paper_url")) and _has_any(paper, _BOTS.venue)
            has_id = any(map(doi_in, _texts(paper, _BOTS.doi))) or _arxiv_id(paper, _BOTS)
            is_certain = is_described or is_cited or has_id or _has_any(paper, _BOTS.marks)
            if is_certain and _text(paper, _BOTS.title):
                papers.append(paper)
            elif len(above) < _DEEPEST:
                texts = (text[: limits.ID] for key, text in value.items() if "date" in key and isinstance(text, str))
                around = (*islice(texts, _DATES), *above)
                pending += [(inner, (key[: limits.ID], *around)) for key, inner in reversed([*value.items()])]
    return papers, markdown


def _feed_item(item: Any) -> dict[str, Any]:
    """Return a paper of JSON Feed with feedparser's names."""
    return {
        "id": _text(item, ("id",)),
        "title": _text(item, ("title",)),
        "summary": _text(item, ("summary",)),
        "published": _text(item, ("date_published",)),
        "updated": _text(item, ("date_modified",)),
        "link": _text(item, ("url", "external_url", "id")),
        "content": [{"value": text} for text in _texts(item, ("content_html", "content_text"))],
        "authors": [{"name": name} for name in _texts(item, ("authors.name", "author.name"))],
        "tags": [{"term": tag} for tag in _texts(item, ("tags",))],
    }


def _paper(api: _Api, place: str, item: Any, day: date | None) -> Entry | str:
    title = _text(item, api.title)
    title = title if api.is_plain else read_title(prose(title, limits.TITLE))[0]
    abstract = _abstract(item, api)
    if problem := reject_reason(place, title, abstract):
        return problem
    doi = next(filter(None, (doi_in(text[: limits.URL]) for text in _texts(item, api.doi))), None)
    addresses = [text for text in _texts(item, api.urls) if _WEB_ADDRESS.fullmatch(text)]
    articles = [article for text in (*_texts(item, api.doi), *addresses) if (article := article_at(text[: limits.URL]))]
    doi = doi or next((found.doi for found in articles if found.doi and api is _BOTS), None)
    arxiv_id = _arxiv_id(item, api) or next((found.arxiv_id for found in articles if found.arxiv_id), None)
    addresses = [text for text in addresses if api is not _BOTS or not _ARXIV_DOI.search(text)]
    keys = {key: quote(_text(item, (key,))[: limits.ID], safe="") for key in re.findall(r"\{(\w+)\}", api.page)}
    page = api.page.format_map(keys) if keys and all(keys.values()) and not arxiv_id else ""
    version = _text(item, api.version)
    number = int(version) if re.fullmatch(r"[1-9]\d{0,2}", version, re.ASCII) else None
    published = plausible_date(_first_day(item, api.published), _first_day(item, api.day) or day)
    if published and published < api.begins:
        published = None
    # OpenAlex names the repository of a preprint as its source.
    kind = _text(item, ("primary_location.source.type",))
    venue = _text(item, api.venue) if not kind or kind in _VENUES else ""
    values = {FactKind(kind): _text(item, (path,)) for kind, path in api.facts.items()}
    stars = _count(item, (api.facts.get("stars", "stars"),))
    facts = {FactKind.VENUE: "" if pattern("no_journal", "publishers").search(venue) else prose(venue, limits.FACT)}
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
        url=None if doi else next((text for text in (*addresses, page) if text and "arxiv.org/" not in text), None),
        upvotes=_count(item, api.upvotes),
        organisation=_text(item, api.organisation) or None,
        version=number,
        replacement=bool(number and number > 1),
        categories=tuple(filter(None, categories)),
        facts=facts_of(api.site, facts),
    )


def _arxiv_id(item: Any, api: _Api) -> str | None:
    texts = (text[: limits.URL] for text in _texts(item, api.arxiv))
    # Wiley's DOIs contain what looks like an arXiv id: "10.1111/1467-9892.70012".
    return next(filter(None, (arxiv_id_in(text) for text in texts if not doi_in(text))), None)


def _abstract(item: Any, api: _Api) -> str:
    for name, value in ((path, value) for path in api.abstract for value in _values(item, path)):
        if isinstance(value, str) and value.strip() and not name.endswith("_index"):
            whole = tidy(value) if api.is_plain else _HEADING.sub("", prose(value, limits.MARKUP))
            return "" if _NO_ABSTRACT.fullmatch(whole) else whole
        if isinstance(value, Mapping):
            places = {word: positions for word, positions in value.items() if isinstance(positions, list)}
            # A few bytes may place a long word a million times.
            if sum((len(word) + 1) * len(positions) for word, positions in places.items()) > limits.ABSTRACT:
                return ""
            placed = ((at, word) for word, positions in places.items() for at in positions if isinstance(at, int))
            return _HEADING.sub("", prose(" ".join(word for _, word in sorted(placed)), limits.ABSTRACT))
    return ""


def _authors(item: Any, api: _Api) -> tuple[str, ...]:
    path = next((path for path in api.authors if _has_any(item, (path,))), None)
    names: list[str] = []
    values = [] if path is None else list(_values(item, path))
    are_texts = all(isinstance(value, str) for value in values)
    are_inverted = len(values) > 1 and are_texts and all(value.count(",") == 1 for value in values)
    if len(values) == 1 and are_texts and isinstance(item, Mapping) and isinstance(item.get(path), list):
        are_inverted = bool(_INVERTED.fullmatch(values[0]))
    if len(values) > 1 and are_texts and all(_INITIALS_LAST.fullmatch(value[: limits.ID]) for value in values):
        values = [initials_first(value) for value in values]  # ["Lovelace AM", "Hopper G", "et al."]
    for value in values:
        if isinstance(value, Mapping):
            parts = next((pair for pair in _NAME_PARTS if all(_text(value, (key,)) for key in pair)), ())
            names.append(spoken_name(*(_text(value, (key,)) for key in parts)) if parts else _text(value, _NAMES))
        elif are_inverted:  # ["Lovelace, Ada", "Hopper, Grace"]
            names.append(first_name_first(tidy(value[: limits.BYLINE])))
        elif isinstance(value, str) and api.families_first:
            names += tidy(value[: limits.BYLINE]).split(";", limits.AUTHORS + 1)
        elif isinstance(value, str):
            text = tidy(value[: limits.BYLINE])
            names += author_names(text if _INITIAL_END.search(text) else text.rstrip("."))
    if api.families_first:
        names = [spoken_name(first.strip(), last.strip()) for last, _, first in (name.partition(",") for name in names)]
    names = list(map(initials_first, names)) if api.initials_last else names
    return tuple(filter(None, (HOMONYM.sub("", name.strip()) for name in names)))


def _values(value: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path. A list stands for its items, and "*" for the objects under any key."""
    values = value if isinstance(value, list) else [value]
    for key in filter(None, path.split(".")):
        maps = [item for item in values if isinstance(item, Mapping)]
        inner = [item[key] for item in maps if item.get(key) is not None]
        if key == "*":
            inner = [each for item in maps for each in item.values() if isinstance(each, Mapping)]
        values = [item for value in inner for item in (value if isinstance(value, list) else [value])]
    yield from values


def _has_any(value: Any, marks: _Paths) -> bool:
    for mark in marks:
        path, _, part = mark.partition("~")
        above, _, key = path.rpartition(".")
        values = (
            item if key in ("", "*") else item.get(key) for item in _values(value, above) if isinstance(item, Mapping)
        )
        if any(part in item if part and isinstance(item, str) else item is not None and not part for item in values):
            return True
    return False


def _texts(value: Any, paths: _Paths) -> Iterator[str]:
    return (text for path in paths for item in _values(value, path) if isinstance(item, str) and (text := tidy(item)))


def _text(value: Any, paths: _Paths) -> str:
    return next(_texts(value, paths), "")


def _count(value: Any, paths: _Paths) -> int | None:
    numbers = (item for path in paths for item in _values(value, path))
    # For isinstance, True is an int.
    return next((item for item in numbers if type(item) is int and 0 <= item <= _MAX_COUNT), None)


def _first_day(value: Any, paths: _Paths) -> date | None:
    """Return the first whole day at the paths: "2026-05-01", with or without a time, or [2026, 5, 1]."""
    for item in (item for path in paths for item in _values(value, path)):
        if isinstance(item, str) and (day := date_in(item[: limits.ID])):
            return day
        if isinstance(item, list) and len(item) == 3:
            with suppress(TypeError, ValueError, OverflowError):
                return date(*map(int, item))
    return None


JSON_LIST = Document(
    "JSON of an API, or JSON Feed",
    # RTF begins with a brace, Markdown with "[![badge]", "[text](address)" or "[1]".
    re.compile(r"\{(?!\\rtf)|\[(?!\[?(?:[^\W\d]|[!#]|\d{1,4}\])|\]\()"),
    parse,
)
