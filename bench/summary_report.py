"""How many summaries have the conclusion, how sound findings are, how many begin in mid-air, and what a paper costs.

    python bench/summary_report.py ../shared/bench [--seeds ../shared/seeds]

Findings are counted on the part "report" (or "later") of ``findings_labels.jsonl``, and on the kinds' part "dev".
Dangling openers are counted over the seeds and 200 arXiv papers. The data is as ``summary_weights.py`` wants it.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from summary_weights import (
    labels_of,
    later_papers,
    learn_gist,
    read_jsonl,
    rouge1,
    structured,
    training_data,
)

from bot.formats.registry import parse
from bot.model import RawDigest
from bot.summaries.roles import Weights, shipped_weights
from bot.summaries.sentences import sentences
from bot.summaries.summary import choose, finding_place, read_with

PARTS = 5
INTRODUCES = re.compile(r"\bwe (?:\w+ )?(?:introduce|propose|present)\b", re.IGNORECASE)
STRICT, WIDE = ("finding",), ("finding", "borderline")


def dangling(abstracts: Sequence[str], weights: Weights, how_many: int = 3) -> tuple[int, int, int]:
    """Summaries with a sentence that refers to one left out; with a background first; with a finding."""
    loose = 0
    background = 0
    bold = 0
    for abstract in abstracts:
        paper = read_with(abstract, weights)
        places = choose(paper, how_many, {})
        loose += any(paper.antecedents[i] not in (None, *places) for i in places)
        background += bool(places) and paper.background[places[0]]
        bold += finding_place(paper, places) is not None
    return loose, background, bold


def conclusions(papers: Sequence[dict[str, Any]], weights: Weights) -> float:
    """The share of structured abstracts, read without headings, whose summary of three has a part of the conclusion."""
    held = 0
    for row in papers:
        paper = read_with(" ".join(row["sentences"]), weights)
        shown = [paper.sentences[place] for place in choose(paper, 3, {})]
        stated = [text for text, kinds in zip(row["sentences"], row["kinds"], strict=True) if kinds == {"conclusion"}]
        held += any(a in b or b in a for a in shown for b in stated)
    return held / len(papers)


def gist_rouge(lines: Sequence[dict[str, Any]], learned: Weights) -> float:
    """Five-fold: ROUGE-1 of one sentence against the closest of people's own one-line summaries."""
    total = 0.0
    for part in range(PARTS):
        weights = learn_gist([row for i, row in enumerate(lines) if i % PARTS != part], learned)
        for row in lines[part::PARTS]:
            paper = read_with(" ".join(row["sentences"]), weights)
            shown = " ".join(paper.sentences[place] for place in choose(paper, 1, {}))
            total += max(rouge1(shown, line) for line in row["targets"])
    return total / len(lines)


def without_proposal(abstracts: Sequence[str], weights: Weights) -> tuple[int, int]:
    """How many summaries of three have no sentence that says what is proposed, though the abstract has one; of all."""
    lost = every = 0
    for abstract in abstracts:
        paper = read_with(abstract, weights)
        stated = {place for place, text in enumerate(paper.sentences) if INTRODUCES.search(text)}
        every += bool(stated)
        lost += bool(stated) and stated.isdisjoint(choose(paper, 3, {}))
    return lost, every


def labelled_findings(papers: Sequence[dict[str, Any]], weights: Weights, part: str) -> Counter[str]:
    """How many of the part's summaries have a finding, and what label it has."""
    abstracts = {paper["id"]: paper["abstract"] for paper in papers}
    labels = {(row["id"], row["sentence"]): row["label"] for row in labels_of(part) if "alone" not in row}
    outcomes: Counter[str] = Counter()
    for id_ in {id_ for id_, _ in labels}:
        paper = read_with(abstracts[id_], weights)
        place = finding_place(paper, choose(paper, 3, {}))
        outcomes["no finding shown" if place is None else labels.get((id_, place), "none")] += 1
    return outcomes


def kind_findings(papers: Sequence[dict[str, Any]], weights: Weights) -> tuple[int, Counter[str]]:
    """How many abstracts with kinds there are, and the kinds of the sentences that are shown as findings."""
    outcomes: Counter[str] = Counter()
    for row in papers:
        paper = read_with(" ".join(text.strip() for text in row["sentences"]), weights)
        place = finding_place(paper, choose(paper, 3, {}))
        if place is not None:
            finding = paper.sentences[place]
            kinds = [
                k
                for text, k in zip(row["sentences"], row["labels"], strict=True)
                if text.strip() in finding or finding in text
            ]
            outcomes[kinds[0] if len(kinds) == 1 else max(kinds, key=kinds.count, default="none")] += 1
    return len(papers), outcomes


def milliseconds(abstracts: Sequence[str], call: Callable[[str], object]) -> float:
    begin = time.process_time()
    for abstract in abstracts:
        call(abstract)
    return 1000 * (time.process_time() - begin) / len(abstracts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--seeds", type=Path)
    parser.add_argument("--part", default="report", choices=("tune", "report", "later"))
    args = parser.parse_args()
    _, unlabelled = training_data(args.bench)
    weights = shipped_weights()

    held = conclusions(structured(args.bench, 1), weights)
    print(f"conclusion, in three sentences of structured abstracts of the half kept apart: {held:.3f}")
    rouge = gist_rouge(read_jsonl(args.bench / "abstracts/scitldr-dev.jsonl"), weights)
    print(f"one sentence, five-fold: ROUGE-1 {100 * rouge:.1f}")

    outcomes = labelled_findings([*unlabelled, *later_papers(args.bench)], weights, args.part)
    with_finding = outcomes.total() - outcomes["no finding shown"]
    strict, wide = (sum(outcomes[name] for name in names) / with_finding for names in (STRICT, WIDE))
    print(
        f"findings, part {args.part}: in {with_finding / outcomes.total():.2f} of {outcomes.total()}; findings "
        f"{strict:.2f}, with borderline {wide:.2f}"
    )

    kinds = [row for row in read_jsonl(args.bench / "abstracts/csabstruct.jsonl.gz") if row["id"].startswith("dev")]
    count, by_kind = kind_findings(kinds, weights)
    print(
        f"findings, part dev of the kinds: in {by_kind.total() / count:.2f} of {count}; labelled a result "
        f"{by_kind['result'] / by_kind.total():.3f}"
    )

    abstracts = [p["abstract"] for p in random.Random(1).sample(unlabelled, 200)]
    for path in sorted(args.seeds.glob("*.txt")) if args.seeds else ():
        for digest in parse(RawDigest("seeds", path.name, path.read_bytes())):
            abstracts += [entry.abstract for entry in digest.entries if entry.abstract]
    loose, background, bold = dangling(abstracts, weights)
    size = len(abstracts)
    lost, every = without_proposal(abstracts, weights)
    print(f"{every} abstracts that introduce something: {lost / every:.3f} of summaries don't say so")
    print(
        f"{size} summaries: dangling opener {loose / size:.3f}; background first {background / size:.3f}; "
        f"a finding in {bold / size:.2f}"
    )
    print(f"a paper: {milliseconds(abstracts, lambda a: choose(read_with(a, weights), 3, {})):.2f} ms")
    print(f"of these, sentences alone: {milliseconds(abstracts, sentences):.2f} ms")


if __name__ == "__main__":
    main()
