"""The command ``inspect``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any

import click

from bot.cli.options import json_option, valid
from bot.cli.output import console, echo, print_json, table
from bot.cli.time_zones import time_zone
from bot.formats import Parser
from bot.formats.library import MAX_BYTES
from bot.model import Entry, FactKind, ParsedDigest, ParsedLibrary, RawDigest
from bot.model.clock import zone_named
from bot.model.errors import DigestError
from bot.model.papers import Contribution, Inspection, ParsedFeeds, ParsedProgramme
from bot.model.wording import plural
from bot.text.latex import readable

_ABSTRACT = 100  # characters in a table
_NO_ZONE = "the file names no time zone; its times are shown as those of {}, and --timezone names another"


@dataclass(frozen=True, slots=True)
class InspectedPaper:
    """A paper as readers would see it. None is unknown."""

    title: str
    authors: Sequence[str] = ()
    abstract: str | None = None
    date: dt.date | None = None
    arxiv: str | None = None
    doi: str | None = None
    url: str | None = None
    venue: str | None = None
    added: dt.date | None = None
    start: datetime | None = None
    end: datetime | None = None
    room: str | None = None


@dataclass(frozen=True, slots=True)
class InspectedFile:
    """A file's content, or the ``problem`` of reading it."""

    file: str
    kind: str | None = None
    format: str | None = None
    date: dt.date | None = None
    papers: Sequence[InspectedPaper] = ()
    rejected: Sequence[dict[str, str | None]] = field(default_factory=list)
    problem: str | None = None


@click.command("inspect")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--timezone",
    default="UTC",
    show_default=True,
    callback=valid(time_zone),
    help="The time zone of a programme that names none.",
)
@json_option
def inspect(*, files: Sequence[str], timezone: str, as_json: bool) -> int:
    """Show the content of FILE, and store nothing. The file - is standard input.

    FILE is a digest, a feed, a mail or mbox, a library, a conference's programme or a list of feeds. You see every
    paper as readers would, and what can't be read, with the reason.

    \b
    Example:
      paperbot inspect library.bib alert.eml programme.ics
    """
    with Parser() as parser:
        inspected = [inspected_file(file, parser, zone_named(timezone)) for file in files]
    if as_json:
        print_json({"files": [asdict(file) for file in inspected]})
    else:
        for file in inspected:
            print_file(file, names_file=len(inspected) > 1)
    return 1 if any(file.problem for file in inspected) else 0


def inspected_file(path: str, parser: Parser, zone: tzinfo) -> InspectedFile:
    name = "standard input" if path == "-" else path
    try:
        with click.open_file(path, "rb") as file:
            # One byte over the limit, so a larger file is refused.
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        return InspectedFile(name, problem=f"it can't be opened ({error.strerror}); check its path")
    try:
        return as_file(name, parser.inspect(RawDigest("inspect", name, content)), zone)
    except DigestError as error:
        return InspectedFile(name, problem=str(error))


def as_file(name: str, inspection: Inspection, zone: tzinfo) -> InspectedFile:
    papers: list[InspectedPaper] = []
    rejected: list[str] = []
    days = []
    for result in inspection.results:
        match result:
            case ParsedDigest():
                papers += map(_paper, result.entries)
                rejected += result.rejected
                days += [result.date] if result.date else []
            case ParsedLibrary():
                papers += (_paper(item.entry, added=item.added) for item in result.entries)
                rejected += result.problems
                rejected += (f"{plural(count, 'item')}: {why}" for why, count in result.skipped.items())
            case ParsedProgramme():
                papers += (talk_of(contribution, zone) for contribution in result.contributions)
                rejected += result.problems
                if result.withdrawn:
                    rejected.append(f"{plural(result.withdrawn, 'talk')}: rejected, withdrawn or cancelled")
                if any(talk.start and not talk.start.tzinfo for talk in result.contributions):
                    rejected.append(f"times: {_NO_ZONE.format(zone)}")
            case ParsedFeeds():
                papers += (InspectedPaper(feed.title, url=feed.url) for feed in result.feeds)
                rejected += result.problems
    return InspectedFile(
        name,
        inspection.kind,
        ", ".join(dict.fromkeys(result.format for result in inspection.results)),
        max(days, default=None),
        papers,
        [
            {"entry": entry, "problem": problem} if colon else {"entry": None, "problem": entry}
            for entry, colon, problem in (sentence.partition(": ") for sentence in rejected)
        ],
    )


def _paper(entry: Entry, **more: Any) -> InspectedPaper:
    venues = (fact.value for fact in entry.facts if fact.kind is FactKind.VENUE)
    return InspectedPaper(
        title=readable(entry.title),
        authors=tuple(map(readable, entry.authors)),
        abstract=readable(entry.abstract) or None,
        date=entry.published,
        arxiv=entry.arxiv_id,
        doi=entry.doi,
        url=entry.url,
        venue=next(venues, None),
        **more,
    )


def talk_of(talk: Contribution, zone: tzinfo) -> InspectedPaper:
    start, end = (
        moment.replace(tzinfo=zone) if moment and not moment.tzinfo else moment for moment in (talk.start, talk.end)
    )
    paper = _paper(talk.entry, start=start, end=end, room=talk.room or None)
    return paper if start else replace(paper, date=talk.day or paper.date)


def print_file(file: InspectedFile, *, names_file: bool) -> None:
    """Print a file's papers, and its problems, which several files need told apart."""
    if file.problem:
        echo(f"! {file.file}: {file.problem}", fg="red", err=True)
        return
    of_day = f", {file.date}" if file.date else ""
    is_list = file.kind == "feeds"
    noun = "feed" if is_list else "paper"
    echo(f"{file.file}: {file.kind} ({file.format}{of_day}), {plural(len(file.papers), noun)}", bold=True)
    if is_list:
        rows = table("feed", "address", unbroken=("address",))
        for feed in file.papers:
            rows.add_row(feed.title, feed.url or "")
    else:
        rows = table(">", "title", "authors and abstract", "where and when")
        for number, paper in enumerate(file.papers, 1):
            more = f" and {len(paper.authors) - 3} more" if len(paper.authors) > 3 else ""
            names = ", ".join(paper.authors[:3]) + more or "no authors"
            abstract = paper.abstract or "no abstract"
            beginning = abstract if len(abstract) <= _ABSTRACT else f"{abstract[:_ABSTRACT].rstrip()} …"
            place = "\n".join(place_of(paper))
            rows.add_row(str(number), paper.title, f"{names}\n{beginning}", place)
    if file.papers:
        console().print(rows)
    for reason in file.rejected:
        parts = filter(None, (file.file if names_file else "", reason["entry"], reason["problem"]))
        echo(f"! {': '.join(parts)}", fg="red", err=True)


def place_of(paper: InspectedPaper) -> Iterator[str]:
    if paper.start:
        yield f"{paper.start:%Y-%m-%d %H:%M}" + (f"–{paper.end:%H:%M}" if paper.end else "") + f" {paper.start:%z}"
    elif paper.date:
        yield str(paper.date)
    yield from filter(None, (paper.room, paper.venue))
    identifier = paper.doi or (f"arXiv:{paper.arxiv}" if paper.arxiv else paper.url)
    if identifier:
        yield identifier
    if paper.added:
        yield f"added {paper.added}"
