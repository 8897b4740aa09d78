"""Reads hostile digests and makes of them what a run would, within limits of processor time and memory.

    python limited.py SIZE...

Each line of the standard input is a shape, as JSON: its module (``shapes`` for digests, ``library_shapes`` for
libraries) and its name. A process of its own, forked from this one so that nothing is imported again, prints for each
size, as a line of JSON, how many papers were read, which problems were named, and the processor time; what goes beyond
the limits ends it. A line with how it ended closes each shape.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from bot import wording
from bot.formats import library
from bot.formats.registry import parse
from bot.model import RawDigest
from bot.model.errors import DigestError
from bot.model.papers import keys, new_paper, paper_link
from bot.summaries.sentences import sentences
from bot.text.latex import readable
from bot.text.tokens import stem_terms
from bot.web.archive import ris

SECONDS = 20  # of processor time for each size
MEMORY = 1_000_000_000  # bytes of address space, with all libraries
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
        wording.authors(paper)
        wording.title(paper)
        paper_link(paper)
        for sentence in sentences(paper.abstract):
            readable(sentence)
    ris(papers[:MOST_SHOWN])
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


def read_within_limits(module: str, name: str, sizes: Iterable[int]) -> None:
    """Read a shape at each size and print its outcomes."""
    outcome_of, shapes = OUTCOMES[module]
    shape = getattr(importlib.import_module(f"hostile.{module}"), shapes)[name]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for size in sizes:
        content = shape.content(size)
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + 1 + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        began = time.process_time()
        papers, problems = outcome_of(content)
        seconds = time.process_time() - began
        print(json.dumps({"size": size, "papers": papers, "problems": problems, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))
    for line in sys.stdin:
        if not (child := os.fork()):
            try:
                read_within_limits(*json.loads(line), map(int, sys.argv[1:]))
            except BaseException:
                print(json.dumps({"error": traceback.format_exc()[-500:]}), flush=True)
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)
