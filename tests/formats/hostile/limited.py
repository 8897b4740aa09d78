"""Reads hostile digests and makes of them what a run would, within limits of processor time and memory.

    python limited.py SHAPES SHAPE SIZE...

SHAPES is the module of the shape: ``shapes`` for digests, ``library_shapes`` for libraries.

Prints for each size, as a line of JSON, how many papers were read, which problems were named, and the processor time;
what goes beyond the limits ends the process.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from bot.channels import phrases
from bot.formats import library
from bot.formats.recognition import parse
from bot.model import RawDigest
from bot.model.errors import DigestError
from bot.model.papers import keys, new_paper, paper_link
from bot.summaries.sentences import sentences
from bot.text.latex import readable
from bot.text.tokens import stem_terms
from bot.web import exports

SECONDS, MEMORY = (
    20,
    1_000_000_000,
)  # of processor time for each size; bytes of address space, with all libraries
MOST_SHOWN = 10  # papers of an edition


def outcome(content: bytes) -> tuple[int, list[str]]:
    """How many papers are read, and some of the problems that are named."""
    try:
        digests = parse(RawDigest("hostile", "x", content))
    except DigestError as error:
        return 0, [str(error)]
    entries = [entry for digest in digests for entry in digest.entries]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    papers = [new_paper(entry, number, now) for number, entry in enumerate(entries)]
    for paper in papers:
        keys(paper)
        stem_terms(f"{paper.title}. {paper.abstract}")
    for paper in papers[:MOST_SHOWN]:
        phrases.authors(paper)
        phrases.title(paper)
        paper_link(paper)
        for sentence in sentences(paper.abstract):
            readable(sentence)
    exports.ris(papers[:MOST_SHOWN])
    return len(papers), [problem for digest in digests for problem in digest.rejected[:3]]


def library_outcome(content: bytes) -> tuple[int, list[str]]:
    """The same of a library; what was skipped counts as a problem."""
    try:
        parsed = library.parse(RawDigest("hostile", "x", content))
    except DigestError as error:
        return 0, [str(error)]
    for item in parsed.entries:
        keys(item.entry)
    return len(parsed.entries), [*parsed.problems[:3], *parsed.skipped]


OUTCOMES = {"shapes": (outcome, "SHAPES"), "library_shapes": (library_outcome, "LIBRARIES")}


if __name__ == "__main__":
    module, name, *sizes = sys.argv[1:]
    sys.path.insert(0, str(Path(__file__).parent.parent))
    outcome_of, shapes = OUTCOMES[module]
    shape = getattr(importlib.import_module(f"hostile.{module}"), shapes)[name]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for size in map(int, sizes):
        content = shape.content(size)
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + 1 + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        began = time.process_time()
        papers, problems = outcome_of(content)
        seconds = time.process_time() - began
        print(json.dumps({"size": size, "papers": papers, "problems": problems, "seconds": seconds}), flush=True)
