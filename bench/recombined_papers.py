"""As many papers as are wanted: sentences and titles of the sample digests, put together at random."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from bot.formats.registry import parse
from bot.model import RawDigest

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_SENTENCES = 6  # of an abstract


def recombined_papers(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield papers without end, each with ``id``, ``title``, ``abstract`` and ``authors``; the same in each call."""
    entries = [
        entry
        for path in sorted(folder.glob("*.txt"))
        for digest in parse(RawDigest("seeds", path.name, path.read_bytes()))
        for entry in digest.entries
    ]
    chance = random.Random(7)
    words = [entry.title.split() for entry in entries]
    # Of one paper's title and abstract a half each, so that a paper is about something.
    sentences = [_SENTENCE_END.split(entry.abstract) for entry in entries]
    for number in count():
        first, second = chance.sample(range(len(entries)), 2)
        title = words[first][: len(words[first]) // 2 + 1] + words[second][len(words[second]) // 2 :]
        pool = sentences[first] + sentences[second]
        yield {
            "id": f"{1_000 + number // 99_999:04}.{number % 99_999 + 1:05}",
            "title": " ".join(title),
            "abstract": " ".join(chance.sample(pool, min(_SENTENCES, len(pool)))),
            "authors": ", ".join(entries[first].authors[:5]),
        }
