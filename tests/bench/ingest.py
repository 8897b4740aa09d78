"""What a day costs: 1,000 papers into an empty store, and into one that has 100,000; and 2,000 odd files.

    python tests/bench/ingest.py arxiv-papers.jsonl.gz
    python tests/bench/ingest.py arxiv-papers.jsonl.gz --parser [FOLDER...]     only what the parser process costs

What the parser process costs is measured alternately with parsing in this process, each turn in a process of its own,
from its start to its end, as `paperbot ingest` is called: a day's papers in one feed, and in 50 small files; and the
files of each FOLDER. The least of the turns counts, because other processes only add to a turn.

The data is JSON Lines (gzipped or not) with ``title``, ``abstract``, ``authors`` and ``id`` of papers; where it has too
few, they come again under other names. Nothing is written but in a temporary folder.
"""

from __future__ import annotations

import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from bot.domain import Problem
from bot.ingestion.service import DigestReport, Ingestion, Parse
from bot.parsing import Parser
from bot.sources.folder import FolderSource
from bot.store import Store, open_store

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
A_DAY, KEPT, ODD_FILES = 1_000, 100_000, 2_000
FILES_A_DAY, TURNS = 50, 7


def papers(data: Path) -> Iterator[dict[str, Any]]:
    """The papers of the data, over and over, each time with other ids and titles."""
    content = data.read_bytes()
    text = (gzip.decompress(content) if data.suffix == ".gz" else content).decode()
    known = [json.loads(line) for line in text.splitlines()]
    for turn in count():
        for number, paper in enumerate(known):
            title = paper["title"] if turn == 0 else f"{paper['title']} ({turn})"
            yield paper | {"title": title, "id": f"{2000 + turn % 1000:04}.{number:05}"}


def feed(chosen: list[dict[str, Any]]) -> bytes:
    """A feed of these papers, as arXiv writes it."""
    items = "".join(
        f"<item><title>{escape(paper['title'])}</title><guid>oai:arXiv.org:{paper['id']}v1</guid>"
        f"<description>arXiv:{paper['id']}v1 Announce Type: new\nAbstract: {escape(paper['abstract'])}</description>"
        f"<dc:creator>{escape(authors(paper))}</dc:creator><category>cs.AI</category></item>"
        for paper in chosen
    )
    xmlns = "xmlns:dc='http://purl.org/dc/elements/1.1/'"
    return f"<rss version='2.0' {xmlns}><channel><title>Bench</title>{items}</channel></rss>".encode()


def authors(paper: dict[str, Any]) -> str:
    """The authors in one line, however the data has them."""
    listed = paper.get("authors", "")
    return listed if isinstance(listed, str) else ", ".join(map(str, listed))


def take_in(
    folder: Path, store: Store, parse: Parse, now: datetime
) -> tuple[float, list[DigestReport | Problem]]:
    """Seconds, and what became of each file."""
    begin = time.perf_counter()
    found = list(Ingestion(store, parse, now).ingest_sources([FolderSource("bench", folder)]))
    return time.perf_counter() - begin, found


def day(source: Iterator[dict[str, Any]], work: Path, store: Store, parse: Parse, number: int) -> float:
    """Seconds for a day's papers, new to the store."""
    folder = work / f"day{number}"
    folder.mkdir()
    (folder / "feed.xml").write_bytes(feed(list(islice(source, A_DAY))))
    seconds, (report,) = take_in(folder, store, parse, NOW + timedelta(days=number))
    assert isinstance(report, DigestReport)
    assert report.new == A_DAY, report
    return seconds


def odd(content: bytes, chance: random.Random) -> bytes:
    """A feed as it may arrive: cut, with other bytes in it, doubled, in another encoding, as something else."""
    at, until = sorted(chance.randrange(len(content)) for _ in range(2))
    return chance.choice(
        [
            content[:at],
            content[:at] + chance.randbytes(until - at) + content[until:],
            content[:at] + content,
            content.replace(b"<", b"&lt;", chance.randrange(100)),
            content.decode().encode("utf-16"),
            content.replace(b"item", chance.choice([b"entry", b"iten", b"html"])),
            content.replace(b"</", b"<"),
            chance.randbytes(at),
            b"<!DOCTYPE r [<!ENTITY a 'b'>]>" + content.replace(b"a", b"&a;", 50),
            content,
        ]
    )


def odd_files(source: Iterator[dict[str, Any]], work: Path, store: Store, parse: Parse) -> None:
    """Every file is accounted for, each in its time."""
    folder = work / "odd"
    folder.mkdir()
    chance = random.Random(7)
    for number in range(ODD_FILES):
        (folder / f"{number:04}.xml").write_bytes(odd(feed(list(islice(source, 5))), chance) or b"\n")
    longest, begin = 0.0, time.perf_counter()
    found = []
    for outcome in Ingestion(store, parse, NOW).ingest_sources([FolderSource("odd", folder)]):
        found.append(outcome)
        longest, begin = max(longest, time.perf_counter() - begin), time.perf_counter()
    refused = [one for one in found if isinstance(one, Problem)]
    problems = {one.source.partition("/")[2] or one.problem.partition(":")[0] for one in refused}
    read = {one.file for one in found if isinstance(one, DigestReport)}
    rejected = sum(len(one.rejected) for one in found if isinstance(one, DigestReport))
    assert problems | read == {path.name for path in folder.iterdir()}
    sys.stdout.write(
        f"{ODD_FILES} odd files: {len(read)} read ({rejected} blocks rejected), {len(problems)} refused, "
        f"all accounted for; the slowest took {longest:.2f} s\n"
    )


def one_ingest(folder: Path, database: Path, is_apart: bool) -> None:
    """One call's worth: reads a folder into a new store, with the parser in a process of its own or here."""
    parser = Parser() if is_apart else None
    with open_store(f"sqlite:///{database}") as store:
        if parser:
            take_in(folder, store, parser.parse, NOW)
            parser.close()
        else:
            from bot.digests import parse

            take_in(folder, store, parse, NOW)


def parser_process(source: Iterator[dict[str, Any]], work: Path, folders: list[Path]) -> None:
    """What the parser process adds to a day's ingest, in processor time of all processes together, and by the clock."""
    days = {str(folder): folder for folder in folders}
    for name, files in (("one feed", 1), (f"{FILES_A_DAY} files", FILES_A_DAY)):
        folder = days[f"{A_DAY} papers in {name}"] = work / f"parser-{files}"
        folder.mkdir()
        for number in range(files):
            (folder / f"{number}.xml").write_bytes(feed(list(islice(source, A_DAY // files))))
    for index, (name, folder) in enumerate(days.items()):
        here, apart = [], []
        for turn in range(TURNS):
            apart.append(a_call(folder, work / f"{index}-{turn}-apart.db", True))
            here.append(a_call(folder, work / f"{index}-{turn}-here.db", False))
        for kind, which in (("of processor time", 0), ("by the clock", 1)):
            in_process, in_child = (min(turn[which] for turn in turns) for turns in (here, apart))
            sys.stdout.write(
                f"{name}: {in_process:.2f} s {kind} parsed in the same process, {in_child:.2f} s in a child, "
                f"{in_child / in_process:.2f} times\n"
            )


def a_call(folder: Path, database: Path, is_apart: bool) -> tuple[float, float]:
    """Seconds of processor time and by the clock for ``one_ingest`` in a process of its own."""
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import ingest; from pathlib import Path\n"
        f"ingest.one_ingest(Path({str(folder)!r}), Path({str(database)!r}), {is_apart})"
    )
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, seconds


def main(data: Path, only_parser: bool, folders: list[Path]) -> None:
    """Measures, and says what it found."""
    source = papers(data)
    with tempfile.TemporaryDirectory() as temporary, Parser() as parser:
        work = Path(temporary)
        parser_process(source, work, folders)
        if only_parser:
            return
        with open_store(f"sqlite:///{work}/paperbot.db") as store:
            first = day(source, work, store, parser.parse, 0)
            sys.stdout.write(f"{A_DAY} papers into an empty store: {first:.2f} s\n")
            with_some = day(source, work, store, parser.parse, 1)
            sys.stdout.write(f"{A_DAY} papers into one of {A_DAY}: {with_some:.2f} s\n")
            for number in range(2, KEPT // A_DAY):
                day(source, work, store, parser.parse, number)
            later = [day(source, work, store, parser.parse, KEPT // A_DAY + n) for n in range(3)]
            times = min(later) / with_some
            sys.stdout.write(f"{A_DAY} papers into one of {KEPT}: {min(later):.2f} s ({times:.2f} times)\n")
        with open_store(f"sqlite:///{work}/odd.db") as store:
            odd_files(source, work, store, parser.parse)


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--parser" in sys.argv, [Path(argument) for argument in sys.argv[3:]])
