"""As many papers as are wanted: sentences and titles of real papers, put together at random.

python bench/recombined_papers.py papers.jsonl.gz 260000 > year.jsonl
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

from ingest import authors, papers

from bot.formats.registry import parse
from bot.model import RawDigest

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_SENTENCES = 6  # of an abstract


class RealPaper(NamedTuple):
    """What is recombined of a paper."""

    title: str
    abstract: str
    authors: Sequence[str]


def of_digests(folder: Path) -> list[RealPaper]:
    return [
        RealPaper(entry.title, entry.abstract, entry.authors)
        for path in sorted(folder.glob("*.txt"))
        for digest in parse(RawDigest("seeds", path.name, path.read_bytes()))
        for entry in digest.entries
    ]


def recombined_papers(real: Sequence[RealPaper]) -> Iterator[dict[str, Any]]:
    """Yield papers without end, each with ``id``, ``title``, ``abstract`` and ``authors``; the same in each call."""
    chance = random.Random(7)
    words = [paper.title.split() for paper in real]
    # Of one paper's title and abstract a half each, so that a paper is about something.
    sentences = [_SENTENCE_END.split(paper.abstract) for paper in real]
    for number in count():
        first, second = chance.sample(range(len(real)), 2)
        title = words[first][: len(words[first]) // 2 + 1] + words[second][len(words[second]) // 2 :]
        pool = sentences[first] + sentences[second]
        yield {
            "id": f"{1_000 + number // 99_999:04}.{number % 99_999 + 1:05}",
            "title": " ".join(title),
            "abstract": " ".join(chance.sample(pool, min(_SENTENCES, len(pool)))),
            "authors": ", ".join(real[first].authors[:5]),
        }


def main() -> None:
    data, number = Path(sys.argv[1]), int(sys.argv[2])
    real: dict[str, RealPaper] = {}
    for paper in papers(data):
        if paper["abstract"] in real:  # they come again
            break
        real[paper["abstract"]] = RealPaper(paper["title"], paper["abstract"], authors(paper).split(", "))
    for recombined in islice(recombined_papers(list(real.values())), number):
        print(json.dumps(recombined))


if __name__ == "__main__":
    main()
