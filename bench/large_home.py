"""What a large home costs: its first ingest, its disk, one edition, `serve`, and its pages.

    python bench/large_home.py papers.jsonl.gz [--papers 60739] [--code ANOTHER_CHECKOUT] [--url postgresql://...]
    python bench/large_home.py papers.jsonl.gz --papers 250000 --days 10     a year, then ten days with 50 readers

The papers come in feeds of 300, as arXiv writes them. Each step is a process, so that memory is its own. The database
of ``--url`` must be empty. Nothing else is written but in a temporary folder, which ``--keep`` names and keeps. A
folder that is there already is only served.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from itertools import islice
from pathlib import Path

from daily_run import NOW, fill
from ingest import authors, feed, papers

from bot.app import open_app
from bot.model import Entry, ParsedDigest

A_FILE, REQUESTS, PAGES = 300, 200, 1_000
A_YEAR, PROFILES, READERS = 365, 10, 50
LAUNCHER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""
# Without the limit of views, which a benchmark would meet.
UNLIMITED = """
import sys
from bot.web import site
site.VIEWS_A_MINUTE = 1_000_000
from bot.cli.main import invoke
sys.exit(invoke(sys.argv[1:]))
"""
PROFILE = """title = "Reward models"
interests = "Reward models and reinforcement learning for the reasoning of language models"
open = true
[[readers]]
email = "ada@example.org"
"""
WORDS = ("reward model", "diffusion", "language models", "graph neural network", "the of and", "chen", "galaxy cluster")


def make_home(home: Path, data: Path, number: int, url: str) -> None:
    """Write settings, a profile and the digests."""
    for folder in ("profiles", "digests"):
        (home / folder).mkdir(parents=True)
    source = papers(data)
    for start in range(0, number, A_FILE):
        (home / "digests" / f"{start:06}.xml").write_bytes(feed(list(islice(source, min(A_FILE, number - start)))))
    (home / "profiles" / "p.toml").write_text(PROFILE)
    (home / "paperbot.toml").write_text(
        f"[store]\nurl = {json.dumps(url or f'sqlite:///{home}/state/paperbot.db')}\n"
        "[[sources]]\nname = 'bench'\nkind = 'folder'\npath = 'digests'\n"
    )


def measured(*command: str) -> tuple[float, float]:
    """Return the processor time in seconds of a command and its children, and its highest memory in MB."""
    # A small process starts it, because the kernel counts the memory of whoever forks as the child's.
    answer = subprocess.run([sys.executable, "-c", LAUNCHER, *command], stdout=subprocess.PIPE, check=True)
    seconds, memory = map(float, answer.stdout.split())
    return seconds, memory / 1_024


def show_step(name: str, figures: tuple[float, float]) -> None:
    seconds, memory = figures
    print(f"{name:32}{seconds:8.2f} s of processor time {memory:8.0f} MB at the highest", flush=True)


def show_disk(home: Path, number: int) -> None:
    sizes = {path.name: path.stat().st_size for path in (home / "state").iterdir() if path.is_file()}
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size > 1_000_000:
            print(f"  {name:30}{size / 1e6:8.1f} MB, {size / number:8.0f} bytes a paper", flush=True)


class Server:
    """`paperbot serve`, asked one request after another."""

    def __init__(self, home: Path) -> None:
        command = [sys.executable, "-c", UNLIMITED, "--home", str(home), "serve", "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        self._port = int(re.search(r":(\d+) ", self._process.stdout.readline())[1])  # type: ignore[index]

    def memory(self) -> float:
        """Return the resident memory in MB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1_024  # type: ignore[index]

    def milliseconds(self, path: str) -> float:
        """Return the processor time of a request, as the kernel counts it for all threads."""
        before = self._nanoseconds()
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        connection.close()
        assert response.status == 200, (path, response.status)
        return (self._nanoseconds() - before) / 1e6

    def _nanoseconds(self) -> int:
        return sum(
            int(path.read_text().split()[0]) for path in Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        )

    def wait_until_idle(self) -> None:
        """Wait for the jobs of the start: the processor time stands still for three seconds."""
        last = -1
        while (now := self._nanoseconds()) - last > 50_000_000:
            last = now
            time.sleep(3)

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()


def show_pages(server: Server, number: int, me: str) -> None:
    server.wait_until_idle()
    print(f"serve after its start: {server.memory():.0f} MB", flush=True)
    kinds = {
        "search": [f"/search?q={word.replace(' ', '+')}" for word in WORDS],
        "paper": [f"/paper/{1 + place * 7_919 % number}" for place in range(REQUESTS)],
        "archive": [f"{me}/archive"],
    }
    for kind, paths in kinds.items():
        server.milliseconds(paths[0])  # loads what the first page needs
        times = sorted(server.milliseconds(paths[turn % len(paths)]) for turn in range(REQUESTS))
        print(
            f"{kind:32}{times[len(times) // 2]:8.1f} ms median {times[int(len(times) * 0.95)]:8.1f} ms p95", flush=True
        )
    for turn in range(2):
        print(f"serve after {REQUESTS * len(kinds) + turn * PAGES} pages: {server.memory():.0f} MB", flush=True)
        for place in range(0 if turn else PAGES):
            paths = list(kinds.values())[place % len(kinds)]
            server.milliseconds(paths[place % len(paths)])


def live(home: Path, data: Path, number: int, days: int, command: Sequence[str]) -> None:
    """Store the papers of a year by the store's functions, and let ``days`` days with 50 readers pass."""
    source = papers(data)
    a_day = number // A_YEAR
    for slug in range(PROFILES):
        readers = "".join(f'[[readers]]\nemail = "r{slug}-{n}@example.org"\n' for n in range(READERS // PROFILES))
        profile = f'title = "P{slug}"\ninterests = "{WORDS[slug % len(WORDS)]} and reward models"\n{readers}'
        (home / "profiles" / f"p{slug}.toml").write_text(profile)
    with open_app(home) as app:
        for past in range(A_YEAR):
            entries = tuple(
                Entry(paper["title"], paper["abstract"], tuple(authors(paper).split(", ")), arxiv_id=paper["id"])
                for paper in islice(source, a_day)
            )
            digest = ParsedDigest("feed", "Bench", None, entries)
            at = NOW - timedelta(days=A_YEAR + 1 - past)
            app.store.papers.add_digests("bench", f"{past}", f"{past}", [digest], now=at)
        people = [
            reader
            for slug, profile in app.profiles.items()
            for reader in app.store.readers.sync(slug, profile.addresses, NOW)
        ]
        fill(app, people, random.Random(7), app.store.papers.newest_id())
    show_disk(home, number)
    for day in range(days):
        (home / "digests" / f"{day:06}.xml").write_bytes(feed(list(islice(source, a_day))))
        at = (NOW + timedelta(days=day)).isoformat()
        show_step(f"day {day + 1}: ingest", measured(*command, "ingest", "--now", at))
        show_step(f"day {day + 1}: editions", measured(*command, "run", "--force", "--now", at))
    for name in ("status", "check"):
        show_step(name, measured(*command, name))
    show_disk(home, number)
    begin = time.perf_counter()
    with closing(sqlite3.connect(home / "state/paperbot.db")) as store, closing(sqlite3.connect(home / "copy")) as copy:
        store.backup(copy)
    print(f"a copy of the store, as before an upgrade: {time.perf_counter() - begin:.1f} s by the clock")


def main() -> None:
    arguments = ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--papers", type=int, default=60_739)
    arguments.add_argument("--code", type=Path, default=Path(__file__).parents[1])
    arguments.add_argument("--url", default="")
    arguments.add_argument("--keep", type=Path)
    arguments.add_argument("--days", type=int, default=0)
    options = arguments.parse_args()
    home = options.keep or Path(tempfile.mkdtemp())
    is_new = not (home / "state").exists()
    if is_new:
        make_home(home, options.data, 0 if options.days else options.papers, options.url)
    os.environ |= {"PYTHONPATH": str(options.code), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "bot", "--home", str(home)]
    try:
        if options.days:
            live(home, options.data, options.papers, options.days, command)
            return
        if is_new:
            show_step(f"ingest of {options.papers} papers", measured(*command, "ingest"))
            show_disk(home, options.papers)
            show_step("the first edition", measured(*command, "run", "--force"))
        mail = "".join(path.read_text() for path in home.glob("state/outbox/*/*.eml")).replace("=\n", "")
        me = re.search(r"localhost:8000(/me/[\w.-]+)", mail.replace("=3D", "="))
        server = Server(home)
        try:
            show_pages(server, options.papers, me[1] if me else "")
        finally:
            server.end()
    finally:
        if not options.keep:
            shutil.rmtree(home)


if __name__ == "__main__":
    main()
