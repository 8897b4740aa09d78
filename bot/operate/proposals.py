"""Propose sources for a new user's interests, and check whether the samples fit them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from urllib.parse import quote_plus, urlsplit

from bot.channels.papers import category_in_words
from bot.config.files import shipped
from bot.formats import Parser
from bot.model import RawDigest
from bot.model.addresses import fetch_url
from bot.model.categories import known_category
from bot.ranking.matching import nearness
from bot.ranking.meaning import rarity
from bot.text.tokens import is_filler
from bot.text.topics import read_interests

_FIELDS = Path(__file__).with_name("fields.toml")
_MOST = {"arxiv": 5, "biorxiv": 3, "medrxiv": 3}
_MOST_TICKED = 3  # of a server
# Standard deviations above the usual similarity, and shares of the best field's.
_NEAR, _PART = 1.3, 0.45
_TICKED, _TICKED_PART = 2.5, 0.6
# Journals are searched below it.
_PREPRINTS_FIT = 6.0
_NO_WORD = re.compile(r"[^\w\s-]+")
_MOST_TOPICS = 6
_MOST_COMMON = 4  # words, of which a search wants two
_RARE = 6.5  # inverse document frequency: one abstract in 660
# As in the ranking.
_TOUCHES, _LEAST_SAMPLES = 2.5, 3
_SERVERS = {"arxiv": "arXiv", "biorxiv": "bioRxiv", "medrxiv": "medRxiv"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """``table`` is a section of the settings, ``about`` describes it."""

    about: str
    table: Mapping[str, str]
    is_ticked: bool


def proposed_sources(interests: str) -> list[Proposal]:
    """Return the sources that fit interests, the nearest of each server first."""
    found = _near_fields(interests)
    best = found[0][0] if found else 0.0
    proposals = []
    for server, most in _MOST.items():
        names = [(fit, name) for fit, kind, name in found if kind == server][:most]
        for place, (fit, name) in enumerate(names):
            is_ticked = place < _MOST_TICKED and fit >= max(_TICKED, best * _TICKED_PART)
            about = f" {name}: {category_in_words(name)}" if server == "arxiv" else f": {name}"
            proposals.append(Proposal(f"{_SERVERS[server]}{about}", source_table(server, name), is_ticked))
    if search := openalex_search(interests):
        about = f"OpenAlex: journals of every field that write of {search}"
        proposals.append(Proposal(about, source_table("openalex", search), best < _PREPRINTS_FIT))
    return proposals


def pubmed_page(interests: str) -> str:
    """Return PubMed's search page, which offers a feed, or an empty string."""
    search = openalex_search(interests)
    return f"https://pubmed.ncbi.nlm.nih.gov/?term={quote_plus(search)}" if search else ""


def source_table(kind: str, value: str) -> dict[str, str]:
    """Return the settings of a category, subject, search, feed or mailbox. Raises ValueError.

    A mailbox is ``login@host sender``, and the login may have an @ of its own.
    """
    if kind == "arxiv":
        value = known_category(value)
    name = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")[:40].strip("-")
    if kind == "arxiv":  # a feed has exactly the day's announcements, a query doesn't
        return {"name": f"arxiv-{name}", "kind": "feed", "url": f"https://rss.arxiv.org/rss/{value}"}
    if kind in ("biorxiv", "medrxiv"):
        return {"name": f"{kind}-{name}", "kind": "biorxiv", "server": kind, "category": value.lower()}
    if kind == "openalex":
        return {"name": "openalex", "kind": "openalex", "search": value}
    if kind == "mailbox":
        account, _, sender = value.partition(" ")
        login, _, host = account.rpartition("@")
        if not (login and host and sender):
            raise ValueError(
                f"{value!r} is no mailbox; write LOGIN@HOST SENDER: ada@uni.edu@imap.uni.edu news@nature.com"
            )
        return {
            "name": f"mail-{sender.partition('@')[0]}",
            "kind": kind,
            "host": host,
            "username": login,
            "sender": sender,
        }
    return {"name": (urlsplit(fetch_url(value)).hostname or kind).replace(".", "-"), "kind": "feed", "url": value}


def openalex_search(interests: str) -> str:
    """Return a search for any topic. Topics of one phrase are joined, common words paired.

    >>> openalex_search("Social movements; interviews about barn owls. Rather not robots")
    '"Social movements" OR ("interviews" AND "barn owls")'
    >>> openalex_search("Depression, stress, students; neuroinflammation")
    '"neuroinflammation" OR ("Depression" AND ("stress" OR "students")) OR ("stress" AND "students")'
    """
    searches, common = [], []
    for paragraph in interests.split("\n\n"):
        wanted = read_interests(paragraph).wanted
        # "Changing the behaviour of doctors": nobody looks for change.
        named = [topic for topic in wanted if not is_filler(topic.stems)] or wanted
        for _, group in groupby(named, key=lambda topic: topic.segment):
            topics = list(group)
            words = [f'"{_NO_WORD.sub(" ", topic.text).strip()}"' for topic in topics]
            if len(topics) > 1:
                searches.append(f"({' AND '.join(words)})")
            elif len(topics[0].stems) == 1 and rarity(topics[0].stems[0]) < _RARE:
                common += words
            else:
                searches += words
    common = list(dict.fromkeys(common))[:_MOST_COMMON]
    pairs = [f"({word} AND {_any_of(common[place:])})" for place, word in enumerate(common[:-1], 1)]
    searches = list(dict.fromkeys(searches))[:_MOST_TOPICS]
    # Finds too much, but is better than nothing.
    return " OR ".join([*searches, *pairs] or common)


def _any_of(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"({' OR '.join(words)})"


def samples_fit(interests: str) -> bool:
    """Return whether enough sample papers touch the interests."""
    texts: list[str] = []
    with Parser() as parser:
        for file in sorted(shipped("seeds").iterdir()):
            for digest in parser.parse(RawDigest("samples", file.name, file.read_bytes())):
                texts += (f"{entry.title}. {entry.abstract}" for entry in digest.entries)
    near = nearness(interests, texts)
    return sum(is_named and similar >= _TOUCHES for similar, is_named in near) >= _LEAST_SAMPLES


def _near_fields(interests: str) -> list[tuple[float, str, str]]:
    """Return nearness, server and name, the nearest first."""
    fields = [
        (server, name, about)
        for server, names in tomllib.loads(_FIELDS.read_text("utf-8")).items()
        for name, about in names.items()
    ]
    # An arXiv code isn't meaningful.
    texts = [about if server == "arxiv" else f"{name}. {about}" for server, name, about in fields]
    near = nearness(interests, texts)
    if not near:
        return []
    least = max(_NEAR, _PART * max(fit for fit, _ in near))
    fits = [(fit, server, name) for (fit, _), (server, name, _) in zip(near, fields, strict=True) if fit >= least]
    return sorted(fits, reverse=True)
