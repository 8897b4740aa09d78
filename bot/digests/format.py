"""What a digest format is to the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice

from bot import limits
from bot.digests.text import Line
from bot.digests.wording import quoted
from bot.domain import Entry, ParsedDigest


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a digest, recognised by its content alone.

    ``starts(lines)`` yields the indices at which digests of this format begin, none if there are none; a
    digest reaches to the next start of any format. ``parse(lines)`` reads one such digest, its first line
    included, and says in ``rejected`` what it could not read; it never raises. Where another format's start cuts the
    digest off, it gets less than ``starts`` saw.

    ``is_rest(lines)`` is asked only of text in which no digest of any format begins: whether it is one of this
    format all the same, of which the first lines were not copied.
    """

    name: str  # in JSON and in the store
    title: str  # for people
    hint: str  # how its digests begin, for people
    starts: Callable[[Sequence[Line]], Iterable[int]]
    parse: Callable[[Sequence[Line]], ParsedDigest]
    is_rest: Callable[[Sequence[Line]], bool] = lambda _lines: False


@dataclass(frozen=True, slots=True)
class Document:
    """One way to write a digest that takes a whole file, such as XML, recognised by how the file begins.

    ``recognises(beginning)`` gets the first characters, without byte-order mark and white space.
    ``parse(content)`` reads the bytes; DigestError where they are something else after all.
    """

    name: str
    title: str
    recognises: Callable[[str], bool]
    parse: Callable[[bytes], ParsedDigest]


def collect(form: str, topic: str, day: date | None, found: Iterable[Entry | str]) -> ParsedDigest:
    """The digest of what a parser found: papers within the limits, and sentences on what it could not read."""
    results = [within_limits(result) if isinstance(result, Entry) else result for result in found]
    rejected = [result for result in results if isinstance(result, str)]
    if len(rejected) > limits.REJECTED:
        rejected[limits.REJECTED :] = [f"{len(rejected) - limits.REJECTED:,} more like these"]
    return ParsedDigest(
        format=form,
        topic=topic[: limits.TOPIC],
        date=day,
        entries=tuple(result for result in results if isinstance(result, Entry)),
        rejected=tuple(rejected),
    )


def within_limits(entry: Entry) -> Entry | str:
    """The paper with its fields cut; a sentence where it has too many authors.

    An address or a DOI that is too long is left out: cut, it would lead elsewhere.
    """
    if len(entry.authors) > limits.AUTHORS:
        return f"{quoted(entry.title)} has more than the {limits.AUTHORS:,} authors that a paper may have"
    short = (category for category in entry.categories if len(category) <= limits.CATEGORY)
    return replace(
        entry,
        authors=tuple(author[: limits.AUTHOR] for author in entry.authors),
        doi=entry.doi if entry.doi and len(entry.doi) <= limits.DOI else None,
        url=entry.url if entry.url and len(entry.url) <= limits.URL else None,
        organisation=entry.organisation[: limits.ORGANISATION] if entry.organisation else None,
        categories=tuple(islice(short, limits.CATEGORIES)),
    )
