"""The interface between digest formats and their registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice

from bot import limits
from bot.digests.fields import quoted
from bot.digests.text import Line
from bot.domain import Entry, ParsedDigest


@dataclass(frozen=True, slots=True)
class Format:
    """A line-based digest format, recognised by its content alone.

    ``starts(lines)`` yields the indices at which digests of this format begin; a digest reaches to the next start of
    any format. ``parse(lines)`` reads one such digest, its first line included, and reports in ``rejected`` what it
    could not read; it never raises. If another format's start cuts the digest off, it gets less than ``starts`` saw.

    ``is_rest(lines)`` is asked only of text in which no digest of any format begins: whether it is a digest of this
    format whose first lines were not copied.
    """

    name: str  # in JSON and in the store
    title: str  # for people
    hint: str  # how its digests begin, for people
    starts: Callable[[Sequence[Line]], Iterable[int]]
    parse: Callable[[Sequence[Line]], ParsedDigest]
    is_rest: Callable[[Sequence[Line]], bool] = lambda _lines: False


@dataclass(frozen=True, slots=True)
class Document:
    """A digest format that is a whole file, such as XML or JSON, recognised by how the file begins.

    ``recognises(beginning)`` gets the first characters, without byte-order mark and white space.
    ``parse(content)`` reads the bytes; it raises DigestError if they are something else after all.
    """

    name: str
    title: str
    recognises: Callable[[str], bool]
    parse: Callable[[bytes], ParsedDigest]


def build_digest(
    format_name: str, topic: str, day: date | None, results: Iterable[Entry | str]
) -> ParsedDigest:
    """Return the digest of a parser's results: papers, cut to the limits, and sentences on what it could not read."""
    entries: list[Entry] = []
    rejected: list[str] = []
    for result in results:
        limited = within_limits(result) if isinstance(result, Entry) else result
        if isinstance(limited, Entry):
            entries.append(limited)
        else:
            rejected.append(limited)
    # A hostile digest can hold 200,000 lines that are each a rejection; they end up in the report of the run.
    if len(rejected) > limits.REJECTED:
        rejected[limits.REJECTED :] = [f"{len(rejected) - limits.REJECTED:,} more like these"]
    return ParsedDigest(
        format=format_name,
        topic=topic[: limits.TOPIC],
        date=day,
        entries=tuple(entries),
        rejected=tuple(rejected),
    )


def within_limits(entry: Entry) -> Entry | str:
    """Return the paper with its fields cut, or a sentence if it has too many authors."""
    if len(entry.authors) > limits.AUTHORS:
        return f"{quoted(entry.title)} has more than the {limits.AUTHORS:,} authors that a paper may have"
    short = (category for category in entry.categories if len(category) <= limits.CATEGORY)
    return replace(
        entry,
        authors=tuple(author[: limits.AUTHOR] for author in entry.authors),
        # An address or a DOI that is too long is dropped: cut, it would lead elsewhere.
        doi=entry.doi if entry.doi and len(entry.doi) <= limits.DOI else None,
        url=entry.url if entry.url and len(entry.url) <= limits.URL else None,
        organisation=entry.organisation[: limits.ORGANISATION] if entry.organisation else None,
        categories=tuple(islice(short, limits.CATEGORIES)),
        alert=entry.alert[: limits.ALERT] if entry.alert else None,
        facts=tuple(replace(fact, value=fact.value[: limits.FACT]) for fact in entry.facts),
    )
