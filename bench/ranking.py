"""What ranking costs: fits on all papers of the data and on 100,000, and `paperbot rank` for 100 to 4,000 readers.

    python bench/ranking.py arxiv-papers.jsonl.gz

The data is as ``ingest.py`` wants it; what it has too few of is made by drawing words from its papers. Each fit is a
process of its own. Of ``paperbot rank`` the processor time of one reader's run is the fixed cost, and what the others
add, shared out, is a reader's. Nothing is written but in a temporary folder.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ingest import papers

from bot.ranking.corpus import Corpus

FITS = (9_107, 100_000)
HISTORY, NEW, READERS, THUMBS = 8_000, 1_000, (100, 1_000, 4_000), (0, 1, 5, 20)


def texts(data: Path, how_many: int) -> Iterator[str]:
    """The data's own papers, then such as are made of words drawn from two of them."""
    own = [f"{p['title']}\n{p['abstract']}" for p in islice(papers(data), min(how_many, 9_107))]
    yield from own
    rng = random.Random(0)
    for _ in range(how_many - len(own)):
        words = " ".join(rng.sample(own, 2)).split()
        yield " ".join(rng.choices(words, k=len(words) // 2))


def fit(data: Path, how_many: int) -> tuple[float, int, int]:
    """Processor seconds of a fit, the process's highest memory in MB, and how many terms it has."""
    chosen = list(texts(data, how_many))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    corpus = Corpus().fit(chosen)
    spent = time.process_time() - begin
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"  texts alone: {before // 1024} MB", flush=True)
    return spent, highest // 1024, len(corpus.terms_)


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rank_seconds(folder: Path, readers: int, thumbs: int) -> float:
    """Processor seconds of ``paperbot rank`` as a whole."""
    rng = random.Random(readers)
    history = [json.loads(line) for line in (folder / "history").read_text().splitlines()]
    profiles, feedback = [], []
    for number in range(readers):
        near = rng.choice(history)["abstract"].split()
        profiles.append({"profile": f"r{number}", "interests": " ".join(rng.sample(near, min(10, len(near))))})
        for place, paper in enumerate(rng.sample(history, 2 * thumbs)):
            feedback.append({"profile": f"r{number}", "paper": paper["id"], "thumb": 1 if place % 2 else -1})
    files = {
        "--history": folder / "history",
        "--candidates": folder / "candidates",
        "--profiles": write(folder / "profiles", profiles),
        "--feedback": write(folder / "feedback", feedback),
        "--output": folder / "output",
    }
    options = [str(word) for pair in files.items() for word in pair]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "bot", "rank", *options, "--top", "200"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def readers_cost(data: Path) -> None:
    """Prints what a reader costs, by how many there are and how many thumbs they gave."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = [
            {key: paper[key] for key in ("id", "title", "abstract")} for paper in islice(papers(data), HISTORY + NEW)
        ]
        write(folder / "history", chosen[:HISTORY])
        write(folder / "candidates", chosen[HISTORY:])
        for thumbs in THUMBS:
            fixed = min(rank_seconds(folder, 1, thumbs) for _ in range(3))
            each = ", ".join(
                f"{1000 * (rank_seconds(folder, readers, thumbs) - fixed) / (readers - 1):.2f} with {readers:,}"
                for readers in READERS
            )
            print(f"{thumbs}+{thumbs} thumbs: fixed {fixed:.1f} s; ms a reader: {each}", flush=True)


def main() -> None:
    """All measurements, one after the other."""
    data = Path(sys.argv[1])
    processes = multiprocessing.get_context("spawn")
    for how_many in FITS:
        with processes.Pool(1) as pool:
            seconds, megabytes, terms = pool.apply(fit, (data, how_many))
        print(
            f"fit on {how_many:,} papers: {seconds:.1f} s, {megabytes} MB at most, {terms:,} terms",
            flush=True,
        )
    readers_cost(data)


if __name__ == "__main__":
    main()
