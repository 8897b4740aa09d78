"""What queries and addresses ask for that doesn't exist: the server answers with an empty list, and nothing comes.

``paperbot check`` reports these. They stop nothing, as a server may have learned what is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import parse_qs, unquote, urlsplit

from bot.model.categories import arxiv_archives, arxiv_categories, known_category, known_subject

_CATEGORY = re.compile(r"\bcat:\s*\"?([\w.*-]+)")
_PREPRINT_SERVER = re.compile(r"(?:^|\.)(biorxiv|medrxiv)\.org$")


def in_search(text: str) -> Iterator[str]:
    """Yield the first quotation mark or parenthesis that has no partner, and what to do."""
    opened: list[int] = []
    quoted_from = 0
    for place, character in enumerate(text, 1):
        if character == '"':
            quoted_from = 0 if quoted_from else place
        elif quoted_from:
            continue
        elif character == "(":
            opened.append(place)
        elif character == ")":
            if not opened:
                yield f'the ")" at character {place} has no "(" before it; remove it, or add the other'
                return
            opened.pop()
    if quoted_from:
        yield f"the quotation mark at character {quoted_from} is not closed; add one behind the phrase"
    elif opened:
        yield f'the "(" at character {opened[-1]} is not closed; add a ")"'


def in_arxiv_query(query: str) -> Iterator[str]:
    """Yield what is wrong with a query to arXiv, and what to do."""
    yield from in_search(query)
    for category in dict.fromkeys(_CATEGORY.findall(query)):
        beginning, star, _ = category.partition("*")
        if not (star and any(code.casefold().startswith(beginning.casefold()) for code in arxiv_categories())):
            yield from _refusal(known_category, category)


def in_subject(server: str, subject: str) -> Iterator[str]:
    """Yield what is wrong with a subject of bioRxiv or medRxiv, and what to do."""
    yield from _refusal(partial(known_subject, server), subject)


def in_address(url: str) -> Iterator[str]:
    """Yield what is wrong with the address of a feed of arXiv, bioRxiv or medRxiv, and what to do."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removesuffix(".")
    if f".{host}".endswith(".arxiv.org"):
        for query in parse_qs(parts.query).get("search_query", ()):
            yield from in_arxiv_query(query)
        if feed := re.fullmatch(r"/(?:rss|atom)/([^/]+)/?", parts.path):
            # "cs.AI+cs.LG" are two categories, and "cs" an archive with all its categories.
            for category in re.split(r"[+ ]", unquote(feed[1])):
                if category not in arxiv_archives():
                    yield from _refusal(known_category, category)
    elif server := _PREPRINT_SERVER.search(host):
        # Not parse_qs: a "+" stands between two subjects, and within one is a "_" or a blank ("%20").
        for parameter in parts.query.split("&"):
            name, _, subjects = parameter.partition("=")
            for subject in re.split(r"[+,]", subjects) if name == "subject" and subjects != "all" else ():
                yield from in_subject(server[1], unquote(subject))


def _refusal(known: Callable[[str], str], name: str) -> Iterator[str]:
    try:
        known(name)
    except ValueError as error:
        yield str(error)
