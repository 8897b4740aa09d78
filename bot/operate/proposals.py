"""Propose sources for a new user's interests, and check whether the samples fit them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from bot.channels.papers import category_in_words
from bot.config.files import shipped
from bot.config.home import mailbox_table
from bot.formats import Parser
from bot.model import RawDigest
from bot.model.addresses import fetch_url
from bot.model.categories import known_category
from bot.model.errors import SourceError
from bot.ranking.matching import nearness
from bot.ranking.meaning import rarity
from bot.sources.openalex import URL as OPENALEX_URL
from bot.sources.pubmed import URL as PUBMED_URL
from bot.text.tokens import is_filler
from bot.text.topics import read_interests

if TYPE_CHECKING:
    from bot.sources.http import Fetcher

_FIELDS = Path(__file__).with_name("fields.toml")
_MOST = {"arxiv": 5, "biorxiv": 3, "medrxiv": 3}
_MOST_TICKED = 3
# Standard deviations above the usual similarity, and shares of the best field's.
_NEAR, _PART = 1.3, 0.45
_TICKED, _TICKED_PART = 2.5, 0.6
_LIFE_PART = 0.75  # of arXiv's best
# Journals are searched below it.
_PREPRINTS_FIT = 6.0
_NO_WORD = re.compile(r"[^\w\s-]+")
_MOST_TOPICS = 6
_MOST_COMMON = 4  # words; a search wants two of them
_MOST_JOINED = 3
# Inverse document frequencies: one abstract in 660, and one in 20. A phrase has the sum of its words.
_RARE, _UNCOMMON, _RARE_PHRASE = 6.5, 3.0, 4.0
# Who writes, and not on what: "I am a child psychiatrist."
_INTRODUCTION = re.compile(r"(?i)\bI(?: am|'m|’m) an? (?:(?!\b(?:about|and|for|in|of|on|who|with)\b)[^.;,])+[.;,]")
# As PubMed's publication types and check tags, which name no subject either.
_STUDY_WORDS = re.compile(
    r"(?i)(?:(?:adolescent|adult|animal|child(?:ren)?|clinical|cohort|control(?:led|s)?|double.blind|drug|effect|effectiveness"
    r"|efficacy|evidence|female|growth|human|infant|lab|long.?term|male|m[ea]n|medication|meta.?analys[ei]s|method|mice|mouse|outcome"
    r"|paper|patient|people|placebo|rat|random(?:i[sz]ed)?|research|result|review|safety|stud(?:y|ies)|systematic|term"
    r"|therap(?:y|ies)|treatment|trial|wom[ea]n|work)s?[\s-]*)+"
)
_COUNT = re.compile(rb'(?:"count"\s*:|<Count>)\s*(\d{1,12})')
_TOUCHES, _LEAST_SAMPLES = 2.5, 3
_SEARCH_KEYS = {"openalex": "search", "pubmed": "query"}
_SERVERS = {"arxiv": "arXiv", "biorxiv": "bioRxiv", "medrxiv": "medRxiv"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """``table`` is a section of the settings, ``about`` describes it."""

    about: str
    table: Mapping[str, Any]
    is_ticked: bool


def proposed_sources(interests: str) -> list[Proposal]:
    """Return the sources that fit interests, the nearest of each server first."""
    fields = [
        (server, name, about)
        for server, names in tomllib.loads(_FIELDS.read_text("utf-8")).items()
        for name, about in names.items()
    ]
    # An arXiv code isn't meaningful.
    texts = [about if server == "arxiv" else f"{name}. {about}" for server, name, about in fields]
    similar = [fit for fit, _ in nearness(interests, texts)]  # empty without words
    best = max(similar, default=0.0)
    least = max(_NEAR, _PART * best)
    near = [(fit, server, name) for fit, (server, name, _) in zip(similar, fields, strict=False) if fit >= least]
    found = sorted(near, reverse=True)
    proposals = []
    for server, most in _MOST.items():
        names = [(fit, name) for fit, kind, name in found if kind == server][:most]
        for place, (fit, name) in enumerate(names):
            is_ticked = place < _MOST_TICKED and fit >= max(_TICKED, best * _TICKED_PART)
            about = f" {name}: {category_in_words(name)}" if server == "arxiv" else f": {name}"
            proposals.append(Proposal(f"{_SERVERS[server]}{about}", source_table(server, name), is_ticked))
    fits = {server: max([fit for fit, kind, _ in found if kind == server], default=0.0) for server in _MOST}
    biology = max([fit for fit, _, name in found if name.startswith("q-bio")], default=0.0)
    life = max(fits["biorxiv"], fits["medrxiv"], biology)
    if life >= fits["arxiv"] * _LIFE_PART and (query := pubmed_query(interests)):
        about = f"PubMed: journals of medicine and biology, searched for {query}"
        proposals.append(Proposal(about, source_table("pubmed", query), life >= fits["arxiv"]))
    if search := openalex_search(interests):
        about = f"OpenAlex: journals of every field that write of {search}"
        proposals.append(Proposal(about, source_table("openalex", search), best < _PREPRINTS_FIT))
    return proposals


def source_table(kind: str, value: str) -> dict[str, Any]:
    """Return the settings of a category, subject, search, feed, folder or mailbox. Raises ValueError.

    A mailbox is ``login@host sender``.
    """
    if kind == "arxiv":
        value = known_category(value)
    name = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")[:40].strip("-")
    if kind == "arxiv":  # a feed has exactly the day's announcements, a query doesn't
        return {"name": f"arxiv-{name}", "kind": "feed", "url": f"https://rss.arxiv.org/rss/{value}"}
    if kind in ("biorxiv", "medrxiv"):
        return {"name": f"{kind}-{name}", "kind": "biorxiv", "server": kind, "category": value.lower()}
    if kind in _SEARCH_KEYS:
        return {"name": kind, "kind": kind, _SEARCH_KEYS[kind]: value}
    if kind == "folder":
        folder = Path(value).expanduser().resolve()
        if not folder.is_dir():
            raise ValueError(f"{value!r} is no folder; create it, or correct its path")
        return {"name": f"folder-{name}", "kind": "folder", "path": str(folder)}
    if kind == "mailbox":
        account, _, sender = value.partition(" ")
        if not sender:
            raise ValueError(
                f"{value!r} is no mailbox; write LOGIN@HOST SENDER: ada@uni.edu@imap.uni.edu news@nature.com"
            )
        return mailbox_table(account, sender)
    return {"name": (urlsplit(fetch_url(value)).hostname or kind).replace(".", "-"), "kind": "feed", "url": value}


def openalex_search(interests: str) -> str:
    """Return a search for any topic.

    >>> openalex_search("Social movements; interviews about barn owls. Rather not robots")
    '"Social movements" OR "barn owls"'
    >>> openalex_search("ADHD medication in children; trials compared with placebo")
    '"ADHD medication"'
    >>> openalex_search("Depression in nurses")
    '("Depression" AND "nurses")'
    """
    groups = [" AND ".join(f'"{word}"' for word in group) for group in searched(interests)]
    return " OR ".join(f"({group})" if " AND " in group else group for group in groups)


def pubmed_query(interests: str) -> str:
    """Return a query for any topic. Words without quotation marks are found by their MeSH terms, too.

    >>> pubmed_query("ADHD medication in children; methylphenidate")
    '(ADHD medication) OR methylphenidate'
    """
    groups = [" AND ".join(group) for group in searched(interests)]
    return " OR ".join(f"({group})" if " " in group else group for group in groups)


def searched(interests: str) -> list[tuple[str, ...]]:
    """Return groups of words to search for: a specific topic alone, common words of one phrase or list together.

    Words that say how something was studied, or on whom, are no topics.
    """
    own: list[tuple[str, ...]] = []
    joined: list[tuple[str, ...]] = []
    common: list[str] = []
    general: list[str] = []
    for paragraph in _INTRODUCTION.sub("", interests).split("\n\n"):
        wanted = [topic for topic in read_interests(paragraph).wanted if not _STUDY_WORDS.fullmatch(topic.text)]
        # "Changing the behaviour of doctors": nobody looks for change.
        named = [topic for topic in wanted if not is_filler(topic.stems)] or wanted
        for _, topics in groupby(named, key=lambda topic: topic.segment):
            rest: list[str] = []
            for topic in topics:
                word = _NO_WORD.sub(" ", topic.text).strip()
                rarities = [rarity(stem) for stem in topic.stems]
                if max(rarities) >= _RARE or (len(rarities) > 1 and sum(rarities) >= _RARE_PHRASE):
                    own.append((word,))
                elif max(rarities) >= _UNCOMMON:
                    rest.append(word)
                else:
                    general.append(word)
            if len(rest) > 1:
                joined.append(tuple(rest[:_MOST_JOINED]))
            else:
                common += rest
    pairs = list(combinations(dict.fromkeys(common[:_MOST_COMMON]), 2))
    # A common word alone finds too much, but is better than nothing.
    found = [*own, *joined, *pairs] or [(word,) for word in common or general]
    return list(dict.fromkeys(found))[:_MOST_TOPICS]


def papers_last_week(table: Mapping[str, Any], fetcher: Fetcher, today: date) -> int | None:
    """Return how many papers a query gave in the last week, or None for another source. Raises SourceError."""
    since = today - timedelta(days=7)
    if table["kind"] == "openalex":
        base = table.get("url", OPENALEX_URL)
        asked = {"search": table["search"], "filter": f"from_publication_date:{since}", "per_page": 1, "select": "id"}
    elif table["kind"] == "pubmed":
        base = f"{table.get('url', PUBMED_URL).rstrip('/')}/esearch.fcgi"
        asked = {"db": "pubmed", "term": table["query"], "datetype": "edat", "reldate": 7, "rettype": "count"}
        asked |= {"tool": "paperbot"}
    else:
        return None
    found = _COUNT.search(fetcher.fetch(f"{base}?{urlencode(asked)}").content or b"")
    if found is None:
        raise SourceError(f"the answer of {urlsplit(base).hostname} has no count")
    return int(found[1])


def samples_fit(interests: str) -> bool:
    """Return whether enough sample papers touch the interests."""
    texts: list[str] = []
    with Parser() as parser:
        for file in sorted(shipped("seeds").iterdir()):
            for digest in parser.parse(RawDigest("samples", file.name, file.read_bytes())):
                texts += (f"{entry.title}. {entry.abstract}" for entry in digest.entries)
    near = nearness(interests, texts)
    return sum(is_named and similar >= _TOUCHES for similar, is_named in near) >= _LEAST_SAMPLES
