"""RSS and Atom feeds of blogs, journals, rss.arxiv.org and arXiv's API, and lists of feeds.

    bytes --bot.formats.feed_xml--> items --description: journal, authors, abstract--> papers

Lists of feeds are plain addresses, one a line, or OPML, the export of feed readers:

    <opml><body><outline text="Birds"><outline text="Owls" xmlUrl="https://..." htmlUrl="..."/></outline></body></opml>
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime
from itertools import chain
from operator import ne
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

from bot.formats.addresses import article_at, destination
from bot.formats.feed_xml import read_feed
from bot.formats.format import (
    Document,
    build_digest,
    date_in,
    decode,
    facts_of,
    from_arxiv,
    plausible_date,
    prose,
    quoted,
    read_xml,
    reject_reason,
    tidy,
)
from bot.formats.markup import blocks, plain
from bot.formats.names import (
    BETWEEN_GLUED,
    author_names,
    first_name_first,
    initials_first,
    separated_names,
    without_affiliations,
)
from bot.formats.publishers import (
    Description,
    begin_with_names,
    is_no_paper,
    journal_of,
    plain_doi,
    read_description,
    read_title,
)
from bot.formats.tables import pattern
from bot.model import Entry, FactKind, ParsedDigest, RawDigest, limits
from bot.model.addresses import fetch_url
from bot.model.errors import DigestError
from bot.model.papers import ListedFeed, ParsedFeeds, arxiv_id_in, arxiv_version_in, doi_in

_MAX_CONTENTS = 10  # of one item: the same text in several forms
_LAST_YEAR = 2100  # later ones are mistakes, and arithmetic on the year 9999 overflows
_LONGEST_HISTORY = timedelta(days=3_650)  # of one feed, from its median day to its newest
_LONGEST_VOLUME = timedelta(days=366)  # a channel's pubDate may be that of the issue, and articles come later
_XML = re.compile(
    r"(?!(?:<[?!][^<>]{0,500}>\s*){0,3}<PubmedArticleSet\b)"
    r"(?:<(?:\?xml|!doctype (?!html)|!--|rss|feed|rdf:rdf|opml|channel)\b|<!--)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(r"arXiv:(\S+) Announce Type: (\S+)\s*(?:Abstract: )?")
_HOSTS_WITH_ARXIV_IDS = re.compile(
    r"(?:arxiv\.org(?:/abs/|/pdf/|:)|huggingface\.co/papers/|10\.48550/arxiv\.)", re.IGNORECASE
)
# Of Google's alerts, and of a library's proxy.
_LINK_AROUND = re.compile(r"https?://(?:(?:www\.)?google\.[a-z.]{2,6}/url|[\w.-]{4,100}/login)\?", re.IGNORECASE)
_MAX_SAMPLE = 100  # items that show the habit of a feed
_LONGEST_LINE = 9_000  # characters of a list of authors
_QUERY = re.compile(r"arxiv query: search_query=([^&]*)&id_list=([^&]*)", re.IGNORECASE)
_YEAR_AND_MONTH = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])")
_AFTER_VENUE = re.compile(r"(?:, Published online|, Vol(?:umes?|\.) |; ).*")
_TAG = re.compile(r"\[[^\[\]<>]{2,60}\]\s")  # the name of a search before the titles that it found
_MIN_TAGGED = 3  # titles; one alone may begin with "[Au25]"
_OJS = re.compile(r"OJS\b|Open Journal Systems", re.IGNORECASE)  # the feed of a journal has its name
_NOTE = re.compile(r"<sup>[^<>]{0,80}</sup>", re.IGNORECASE)  # the number of an author's institution
_INSTITUTION = re.compile(
    r"\b(?:Universi|Depart[ae]ment|Dept\b|Institut|School of|Faculty of|Laborator|Hospital|College"
    r"|Cent(?:er|re) (?:for|of))"
)
# "Ada LovelaceGrace Hoppera Department of Owls, ..." or "Ada Lovelace Grace Hopper a Department of Owls, ...":
# the letter refers to the institution. Biographies may follow.
_GLUED_INSTITUTION = re.compile(
    r"(?:^[a-h\d]|(?<=[a-z])(?: ?[a-h1])?) ?(?:Department|School|Institute|Faculty|University|College|Division|Academy)"
    r" (?:of|for)\b.*| a (?=(?:The )?[A-Z][^,]{0,200},).*"
)
# "王小明,李伟" are two authors, "王, 小明" is one.
_TWO_OF_CHINA = re.compile(
    "[\u4e00-\u9fff]{2,4}[,\uff0c;\u3001][\u4e00-\u9fff]{2,4}|[\u4e00-\u9fff]{3,4}, [\u4e00-\u9fff]{3,4}"
)


def parse(content: bytes) -> ParsedDigest:
    return digest_of("feed", *read_feed(content))


class _Head(NamedTuple):
    """Facts of all items of a feed. ``built``: the day of the file. ``tags``: beginnings of its titles."""

    day: date | None
    built: date | None
    journal: str
    tags: frozenset[str]
    has_names_first: bool


def digest_of(name: str, head: Any, items: Sequence[Any], problems: Sequence[str] = ()) -> ParsedDigest:
    """Return the digest of a feed's head and items, mappings with feedparser's names."""
    days = [
        _date(item, "published", "updated", "created", "prism_publicationdate", "prism_coverdate") for item in items
    ]
    built = _date(head, "updated")
    day = built or _date(head, "published")
    if known := sorted(filter(None, days)):
        median = known[(len(known) - 1) // 2]
        newest = max(item_day for item_day in known if item_day - median < _LONGEST_HISTORY)
        is_of_issue = day is not None and not built and timedelta() < newest - day < _LONGEST_VOLUME
        # The newest item dates a feed without a day or with an old one. A single wrong date must not move it.
        if day is None or is_of_issue or plausible_date(median, day) is None:
            day = newest
    topic = _text(_value(head, "title")[: limits.URL])
    journal = _text(_prism(head, "publicationname")) or journal_of(topic)
    if not journal and _OJS.match(_value(head, "generator")):
        journal = topic
    tagged = Counter(tag[0] for item in items if (tag := _TAG.match(_value(item, "title"))))
    tags = frozenset(tag for tag, number in tagged.items() if number >= _MIN_TAGGED)
    texts = [_first_line(item) for item in items[:_MAX_SAMPLE]] if not any(map(_byline, items)) else []
    has_names_first = begin_with_names(texts)
    if query := _QUERY.match(topic):  # the title of an answer of arXiv's API
        topic = f"arXiv {unquote_plus(query[1] or query[2])}".strip()
    results: list[Entry | str] = [*problems]
    for number, (item, item_day) in enumerate(zip(items, days, strict=True), 1):
        results.extend(_papers(number, item, item_day, _Head(day, built, journal, tags, has_names_first)))
    if items and not results:
        results = ["the feed: none of its items is a paper; corrections, covers and news are left out"]
    if day is None:
        day = max((entry.published for entry in results if isinstance(entry, Entry) and entry.published), default=None)
    return build_digest(name, topic, day, results)


def _papers(number: int, item: Any, stated_day: date | None, head: _Head) -> Iterator[Entry | str]:
    """Yield an item's paper, and sentences on its unreadable parts."""
    identifier = _value(item, "id")
    # arXiv reports an error as a feed with one entry.
    if "arxiv.org/api/errors" in identifier:
        yield f"arXiv answers: {_text(_value(item, 'summary'))[: limits.TITLE]}"
        return
    written = _value(item, "title")
    tag = _TAG.match(written)
    title, authors_in_title = read_title(_text(written[tag.end() :] if tag and tag[0] in head.tags else written))
    if is_no_paper(title, identifier + _value(item, "link")):
        return
    if len(title) > limits.TITLE:
        title = f"{title[: limits.TITLE - 1].rstrip()}…"
    description, announced = _described(item, title, has_names_first=head.has_names_first)
    announcement = announced[2] if announced else _value(item, "arxiv_announce_type")
    abstract = description.abstract
    # Publishers of many journals confuse their fields.
    sources = (_prism(item, "publicationname"), description.venue, _value(item, "dc_source"), head.journal)
    venues = (_AFTER_VENUE.sub("", _text(source[: limits.URL])) for source in sources)
    venue = next((name for name in venues if name and name != title and "://" not in name), "")
    # Some programs write the journal as the author.
    authors = tuple(name for name in _authors(item) if name != venue) or authors_in_title
    # PLOS has only the first author in an element. Zotero's groups have the author and day of the entry.
    is_zotero = "zapi_key" in item
    if is_zotero or authors == description.authors[: len(authors)]:
        authors = tuple(dict.fromkeys(description.authors))
    if problem := reject_reason(f"item {number}", title, abstract):
        yield problem
        return
    day = None if is_zotero else plausible_date(stated_day, head.day)
    if stated_day and not day and not is_zotero:
        yield f"item {number}: {quoted(title)} is dated {stated_day}, after its feed; the date is left out"
    described_day = plausible_date(description.published, head.day)
    link = _link(item)
    # 2504.08385 is an arXiv id only in some addresses.
    hosts = ((address, _HOSTS_WITH_ARXIV_IDS.search(address[: limits.URL])) for address in (identifier, link))
    reference = next((text[host.end() : host.end() + limits.ID] for text, host in hosts if host), "")
    yield Entry(
        title=title,
        abstract=abstract,
        authors=authors,
        # An item may have the day of its file instead of its paper's.
        published=(described_day or day) if day == head.built else (day or described_day),
        arxiv_id=arxiv_id_in(reference),
        doi=_doi(item, description, link),
        url=None if "arxiv.org/" in link else link or None,
        version=arxiv_version_in(reference) or arxiv_version_in(announced[1] if announced else ""),
        categories=_categories(item),
        replacement=announcement.startswith("replace"),
        facts=from_arxiv(_text(_value(item, "arxiv_comment")), _text(_value(item, "arxiv_journal_ref")))
        or facts_of("feed", {FactKind.VENUE: venue}),
    )


def _link(item: Any) -> str:
    link = tidy(_value(item, "link"))
    if _LINK_AROUND.match(link):
        link = destination(link).address
    return link if link.lower().startswith(("https://", "http://")) and " " not in link else ""


def _doi(item: Any, description: Description, link: str) -> str | None:
    places = (_value(item, "arxiv_doi"), _prism(item, "doi"), _value(item, "identifiers"), description.doi)
    dois = (doi_in(unquote_plus(place[: limits.URL])) for place in (*places, _value(item, "id")))
    article = article_at(link[: limits.URL]) if "arxiv.org/" not in link else None
    return plain_doi(next(filter(None, dois), None) or (article and article.doi) or "") or None


def _categories(item: Any) -> tuple[str, ...]:
    # arXiv's primary category is the first. Without attributes the element is text.
    primary = dict.get(item, "arxiv_primary_category")
    tags = (tag.get("term") for tag in dict.get(item, "tags") or () if isinstance(tag, dict))
    terms = (primary.get("term") if isinstance(primary, dict) else primary, *tags)
    return tuple(dict.fromkeys(filter(None, (tidy(str(term)) for term in terms if term))))


def _described(item: Any, title: str, *, has_names_first: bool) -> tuple[Description, re.Match[str] | None]:
    """Return the parts of an item's texts, and arXiv's announcement above its abstract."""
    # Feeds have a teaser and the full text, or a citation and the abstract.
    contents = [_value(content, "value") for content in dict.get(item, "content", ())[:_MAX_CONTENTS]]
    description = Description("")
    byline = _byline(item)
    for markup in sorted(dict.fromkeys([_value(item, "summary"), *contents]), key=len, reverse=True):
        if description.abstract and len(markup) > limits.TITLE:
            continue
        text = "\n".join(line if line.isascii() and line.isprintable() else tidy(line) for line in blocks(markup))
        # rss.arxiv.org has the version and the type of the announcement.
        if announced := _ANNOUNCED.match(text):
            return Description(" ".join(text[announced.end() :].split())), announced
        parts = zip(description, read_description(text, title, byline, has_names_first=has_names_first), strict=True)
        description = Description._make(first or second for first, second in parts)
    return description, None


def _byline(item: Any) -> str:
    people = dict.get(item, "authors", ())
    named = [people] if isinstance(people, str) else [str(person.get("name") or "") for person in people]
    return ", ".join(named[: limits.AUTHORS])[: limits.BYLINE]


def _first_line(item: Any) -> str:
    return next(iter(blocks(_value(item, "summary")[:_LONGEST_LINE])), "")


def _authors(item: Any) -> tuple[str, ...]:
    authors = dict.get(item, "authors", ())
    if isinstance(authors, str):  # an element of IEEE's: "Ada Lovelace;Grace Hopper;"
        authors = [{"name": authors}]
    authors = authors[: limits.AUTHORS + 1]
    # 5,000 long names must cost no more than one author list.
    longest = limits.BYLINE // max(len(authors), 1)
    names = [str(author.get("name") or "")[:longest].strip() for author in authors]
    are_inverted = len(names) > 1 and all("," in name and not _INSTITUTION.search(name) for name in names)
    # "Lovelace A" beside "Hopper G" has initials, "HAO XU" beside "PHILLIP CRIBB" a surname.
    have_initials_last = len(names) == 1 or 2 * sum(map(ne, names, map(initials_first, names))) > len(names)
    people: dict[str, None] = {}
    for stated in names:
        name, is_glued = _GLUED_INSTITUTION.subn("", _text(_NOTE.sub("", stated)))
        if is_glued:
            name = ", ".join(chain.from_iterable(map(separated_names, BETWEEN_GLUED.split(name))))
        listed = author_names(without_affiliations(name), have_initials_last=have_initials_last)
        # "Lovelace, Ada" is one author, "Ada Lovelace, Grace Hopper" are two.
        is_inverted = are_inverted or name[:1].islower() or not all(" " in part for part in listed)
        if len(listed) == 2 and is_inverted and not _TWO_OF_CHINA.fullmatch(name):
            listed = (first_name_first(name),)
        is_place = False
        for part in listed:
            # A city and a country may follow an institution.
            is_place = (is_place and " " not in part) or bool(
                _INSTITUTION.search(part) and not pattern("group").search(part)
            )
            if not is_place or len(listed) == 1:
                people[part.strip(" *†‡§¶#")] = None
    return tuple(name for name in people if any(map(str.isalpha, name)))


def _prism(element: Any, name: str) -> str:
    """Return a field of PRISM. feedparser's name for it has the feed's own prefix."""
    return (
        _value(element, f"prism_{name}")
        or _value(element, name)
        or next((_value(element, key) for key in element if key.endswith(f"_{name}")), "")
    )


def _value(element: Any, field: str) -> str:
    # feedparser has None for empty fields, and its get() returns "published" for "updated".
    return str(dict.get(element, field) or "")[: limits.MARKUP]


def _text(markup: str) -> str:
    return tidy(plain(markup))


def _date(element: Any, *fields: str) -> date | None:
    """Return the first day in a field, in ISO 8601, RFC 5322 or words."""
    for value in (_value(element, field).strip()[:60] for field in fields):
        text = (f"{value}-01" if _YEAR_AND_MONTH.fullmatch(value) else value).replace("/", "-")
        day: date | None = None
        for read in (datetime.fromisoformat, parsedate_to_datetime, date_in):
            with suppress(ValueError, OverflowError):
                day = read(text)
                break
        if day is None or day.year > _LAST_YEAR:
            continue
        # Midnight stands for a day, in whatever time zone.
        if isinstance(day, datetime) and day.tzinfo and day.time() != time():
            with suppress(OverflowError):
                day = day.astimezone(UTC)
        return day.date() if isinstance(day, datetime) else day
    return None


FEED = Document("RSS or Atom feed", _XML, parse)


MAX_FEEDS = 500
_MAX_LIST_BYTES = 10_000_000
_OPML = re.compile(r"\s{0,20}(?:<\?[^>]{0,500}>\s{0,20}|<!--[^>]{0,2000}-->\s{0,20}){0,20}<opml[\s>/]", re.IGNORECASE)
# Papers' addresses are no feeds.
_LINE = re.compile(r"(?!\S{0,20}(?:arxiv\.org/(?:abs|pdf|html)|doi\.org)/)(?:https?|feed):[^\s\"<>|,]{4,2000}")


def is_feed_list(text: str) -> bool:
    """Return whether a text begins like a list of feeds."""
    beginning = text.lstrip("\ufeff \t\r\n")[:20_000]
    listed = [address for _, address in _addresses("\n".join(beginning.split("\n")[:20]))]
    return bool(_OPML.match(beginning)) or (bool(listed) and all(map(_LINE.fullmatch, listed)))


def parse_list(raw: RawDigest) -> ParsedFeeds:
    """Return the feeds of a list, each address once. Raises DigestError for long lists."""
    text = decode(raw.content, _MAX_LIST_BYTES, "list of feeds").removeprefix("\ufeff")
    problems: list[str] = []
    outlines: list[tuple[int, str, str, str]] = []  # line, address, title, and the page of the site
    if is_opml := text.lstrip().startswith("<"):
        root, problems = read_xml(text, "opml", "not OPML: it does not begin with <opml>")
        for element in root.iter("outline"):
            # Exports have xmlurl and xmlURL, too.
            values = {str(name).lower(): value for name, value in element.attrib.items()}
            url = values.get("url", "")
            address = values.get("xmlurl") or ("" if values.get("type", "").lower() in ("link", "include") else url)
            page = values.get("htmlurl") or url
            if address or page:
                title = tidy(values.get("title") or values.get("text") or "")
                outlines.append((element.sourceline, address, title, page))
    elif is_feed_list(text):
        outlines = [(number, address, "", "") for number, address in _addresses(text)]
    else:
        raise DigestError("not OPML; export the list of feeds as OPML, or write one address a line")
    feeds: dict[str, str] = {}
    for line, address, title, page in outlines:
        # "feed:" precedes an address or replaces its scheme.
        url = re.sub(r"\Afeed:(?://(?=https?:))?", "", address.strip(), count=1, flags=re.IGNORECASE)
        url = f"https:{url}" if url.startswith("//") else url
        try:
            if not url:
                raise ValueError("a page and no feed; look on it for its feed's address")
            if len(url) > limits.URL:
                raise ValueError(f"an address of more than {limits.URL:,} characters")
            feeds.setdefault(fetch_url(url), prose(title, limits.TITLE))
        except ValueError as error:
            name = title or page
            problems.append(f"line {line:,}: {quoted(name) + ': ' if name else ''}{error}")
    if len(feeds) > MAX_FEEDS or (not feeds and not problems):
        raise DigestError(f"{len(feeds):,} feeds in it; there should be 1 to {MAX_FEEDS}")
    listed = tuple(ListedFeed(title, url) for url, title in feeds.items())
    return ParsedFeeds("opml" if is_opml else "addresses", listed, tuple(problems[: limits.REJECTED]))


def _addresses(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()
