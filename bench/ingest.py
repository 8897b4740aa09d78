"""What a day costs: 1,000 papers into an empty store, and into one that has 100,000; and 2,000 odd files.

    python bench/ingest.py arxiv-papers.jsonl.gz
    python bench/ingest.py arxiv-papers.jsonl.gz --parser [--pairs N] [FOLDER...]     only what the parser costs

What the parser process costs is measured on the whole of `paperbot ingest` into a new home, in pairs, one of which
parses in the command's own process: the files of each FOLDER, and a day's papers in one feed and in 50 small files. The
figure is the processor time of all processes, as a busy machine changes it least; of all ratios the median.

The data is JSON Lines (gzipped or not) with ``title``, ``abstract``, ``authors`` and ``id`` of papers; where it has too
few, they come again under other names. Nothing is written but in a temporary folder.
"""

from __future__ import annotations

import gzip
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice, pairwise
from pathlib import Path
from statistics import median
from typing import Any
from xml.sax.saxutils import escape

from bot import formats
from bot.cli.main import invoke
from bot.formats import Parser
from bot.model import ParsedDigest, RawDigest
from bot.operate.ingest import DigestReport, Ingestion
from bot.sources.folder import FolderOptions, FolderSource
from bot.store import Store, open_store

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
A_DAY, KEPT, ODD_FILES = 1_000, 100_000, 2_000
FILES_A_DAY, PAIRS = 50, 7


def papers(data: Path) -> Iterator[dict[str, Any]]:
    """The papers of the data, over and over, each time with other ids and titles."""
    content = data.read_bytes()
    text = (gzip.decompress(content) if data.suffix == ".gz" else content).decode()
    papers = [json.loads(line) for line in text.splitlines()]
    for turn in count():
        for number, paper in enumerate(papers):
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


def take_in(folder: Path, store: Store, parser: Parser, now: datetime) -> tuple[float, list[DigestReport]]:
    """Seconds, and the digests."""
    source = FolderSource(FolderOptions(name="bench", kind="folder", path="."), folder)
    begin = time.perf_counter()
    report = Ingestion(store, parser).ingest([source], now)
    return time.perf_counter() - begin, report.digests


def day(source: Iterator[dict[str, Any]], work: Path, store: Store, parser: Parser, number: int) -> float:
    """Seconds for a day's papers, new to the store."""
    folder = work / f"day{number}"
    folder.mkdir()
    (folder / "feed.xml").write_bytes(feed(list(islice(source, A_DAY))))
    seconds, (report,) = take_in(folder, store, parser, NOW + timedelta(days=number))
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


def odd_files(source: Iterator[dict[str, Any]], work: Path, store: Store, parser: Parser) -> None:
    """Every file is accounted for, each in its time."""
    folder = work / "odd"
    folder.mkdir()
    chance = random.Random(7)
    for number in range(ODD_FILES):
        (folder / f"{number:04}.xml").write_bytes(odd(feed(list(islice(source, 5))), chance) or b"\n")
    drop = FolderSource(FolderOptions(name="odd", kind="folder", path="."), folder)
    times = [time.perf_counter()]
    report = Ingestion(store, parser).ingest([drop], NOW, progress=lambda *_: times.append(time.perf_counter()))
    longest = max(after - before for before, after in pairwise(times))
    problems = {one.source.partition("/")[2] or one.problem.partition(":")[0] for one in report.problems}
    read = {one.file for one in report.digests}
    rejected = sum(len(one.rejected) for one in report.digests)
    assert problems | read == {path.name for path in folder.iterdir()}
    sys.stdout.write(
        f"{ODD_FILES} odd files: {len(read)} read ({rejected} blocks rejected), {len(problems)} refused, "
        f"all accounted for; the slowest took {longest:.2f} s\n"
    )


class InProcess(Parser):
    """What the parser process is compared with: the same parsing, in the process that asks for it."""

    def parse(self, raw: RawDigest) -> tuple[ParsedDigest, ...]:
        """Parse without limits."""
        from bot.formats.registry import parse  # in the child only, where there is one

        return parse(raw)


def one_ingest(home: Path, is_apart: bool) -> None:
    """``paperbot ingest``, whole, with the parser in a process of its own or in this one."""
    if not is_apart:
        formats.Parser = InProcess
    sys.exit(invoke(["--home", str(home), "ingest"]))


def parser_process(source: Iterator[dict[str, Any]], work: Path, folders: list[Path], turns: int) -> None:
    """What the parser process adds to ``paperbot ingest``, in processor time of all its processes together."""
    days = {str(folder): folder.resolve() for folder in folders}
    for name, files in (("one feed", 1), (f"{FILES_A_DAY} files", FILES_A_DAY)):
        folder = days[f"{A_DAY} papers in {name}"] = work / f"parser-{files}"
        folder.mkdir()
        for number in range(files):
            (folder / f"{number}.xml").write_bytes(feed(list(islice(source, A_DAY // files))))
    for name, folder in days.items():
        pairs = []
        for turn in range(turns):
            # By turns first and second, as the second finds more in the caches.
            order = (True, False) if turn % 2 else (False, True)
            seconds = {is_apart: a_call(folder, work / f"home-{is_apart}", is_apart) for is_apart in order}
            pairs.append((seconds[False], seconds[True]))
        ratios = sorted(in_child / in_process for in_process, in_child in pairs)
        in_process, in_child = (median(pair[which] for pair in pairs) for which in (0, 1))
        sys.stdout.write(
            f"{name}: {in_process:.2f} s of processor time parsed in the same process, {in_child:.2f} s in a child, "
            f"{median(ratios):.3f} times (median of {turns} pairs, {ratios[0]:.2f} to {ratios[-1]:.2f})\n"
        )
        sys.stdout.flush()


def a_call(folder: Path, home: Path, is_apart: bool) -> float:
    """Seconds of processor time for ``one_ingest`` of a folder into a new home, in a process of its own."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    (home / "paperbot.toml").write_text(
        f"[[sources]]\nname = 'bench'\nkind = 'folder'\npath = {json.dumps(str(folder))}\n"
    )
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import ingest; from pathlib import Path\n"
        f"ingest.one_ingest(Path({str(home)!r}), {is_apart})"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(data: Path, only_parser: bool, pairs: int, folders: list[Path]) -> None:
    """Measures, and says what it found."""
    source = papers(data)
    with tempfile.TemporaryDirectory() as temporary, Parser() as parser:
        work = Path(temporary)
        parser_process(source, work, folders, pairs)
        if only_parser:
            return
        with open_store(f"sqlite:///{work}/paperbot.db") as store:
            first = day(source, work, store, parser, 0)
            sys.stdout.write(f"{A_DAY} papers into an empty store: {first:.2f} s\n")
            with_some = day(source, work, store, parser, 1)
            sys.stdout.write(f"{A_DAY} papers into one of {A_DAY}: {with_some:.2f} s\n")
            for number in range(2, KEPT // A_DAY):
                day(source, work, store, parser, number)
            later = [day(source, work, store, parser, KEPT // A_DAY + n) for n in range(3)]
            times = min(later) / with_some
            sys.stdout.write(f"{A_DAY} papers into one of {KEPT}: {min(later):.2f} s ({times:.2f} times)\n")
        with open_store(f"sqlite:///{work}/odd.db") as store:
            odd_files(source, work, store, parser)


if __name__ == "__main__":
    arguments = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    arguments.add_argument("--parser", action="store_true")
    arguments.add_argument("--pairs", type=int, default=PAIRS)
    chosen = arguments.parse_intermixed_args()
    main(chosen.data, chosen.parser, chosen.pairs, chosen.folders)
