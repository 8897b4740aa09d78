"""What a conference costs: `paperbot conference` on a programme of 5,000 papers with abstracts, in a new home.

    .venv/bin/python bench/conference.py [PAPERS]

Titles and abstracts are put together from the sentences of the sample digests. The figures are the seconds of the whole
command, on one core: its own processor time with that of the parser's process, and what a clock shows.
"""

from __future__ import annotations

import csv
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bot.config.files import shipped
from bot.formats.registry import parse
from bot.model import RawDigest

_SENTENCES = 8  # of an abstract: some 1,200 characters, as on arXiv


def write_programme(path: Path, papers: int) -> None:
    """Write a programme of so many papers as CSV, over four days of twenty slots and ten rooms."""
    shuffle = random.Random(1)
    entries = [
        entry
        for file in sorted(shipped("seeds").glob("*.txt"))
        for digest in parse(RawDigest("samples", file.name, file.read_bytes()))
        for entry in digest.entries
    ]
    sentences = [sentence for entry in entries for sentence in entry.abstract.split(". ") if sentence]
    words = [word for entry in entries for word in entry.title.split()]
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["title", "abstract", "authors", "date", "start", "room", "type"])
        for number in range(papers):
            title = f"{' '.join(shuffle.choices(words, k=9))} {number}"
            abstract = ". ".join(shuffle.choices(sentences, k=_SENTENCES))
            clock = f"{9 + number % 20 // 3:02d}:{number % 3 * 20:02d}"
            day = f"2026-12-{1 + number % 4:02d}"
            rows.writerow([title, abstract, "Ada Lovelace, Grace Hopper", day, clock, f"Room {number % 10}", "Oral"])


def main(papers: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    paperbot = [sys.executable, "-m", "bot"]
    with tempfile.TemporaryDirectory() as folder:
        home, programme = Path(folder) / "home", Path(folder) / "programme.csv"
        interests = "Reward models and reinforcement learning from human feedback"
        init = [*paperbot, "init", str(home), "--yes", "--interests", interests, "--email", "ada@example.org"]
        subprocess.run(init, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*paperbot, "--home", str(home), "ingest"], check=True, stdout=subprocess.DEVNULL)
        write_programme(programme, papers)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        plan = [*paperbot, "--home", str(home), "conference", str(programme), "my-papers"]
        subprocess.run([*plan, "--output", str(home / "plan.html")], check=True)
        seconds = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = after.ru_maxrss / 1_000
    print(f"{papers:,} papers: {seconds:.1f} s, {cpu:.1f} s of processor time, {size:.0f} MB at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
