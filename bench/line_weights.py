"""Learns ``bot/summaries/line_weights.json``: how probably a line says what a paper found or made.

    python bench/line_weights.py ../shared/bench

``line_labels.jsonl`` beside this file has grades of our own for lines of papers of ``stream/papers.jsonl.gz`` and
``screening.jsonl.gz``, which were read beside their abstracts, as by a reader who doesn't see the title: 3 says an
important thing that was found or made, whole, true and understandable by itself; 2 does so of a side result, or with a
topic before it that doesn't fit; 1 leaves open of what, in whom or than what; 0 says nothing that was found or made,
is cut off, thin or misleading. Lines are named by a checksum; those that the code no longer makes teach nothing. All
papers have an even checksum: the others are to report on. Ten-fold, by papers: the share of papers whose chosen line
has a 3, says what was found or made at all (1 to 3), is the title's, and has a topic before it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.model_selection import GroupKFold
from summary_weights import checksum, fitted, read_jsonl

from bot.summaries import line
from bot.summaries.worth import Features

FILES = ("stream/papers.jsonl.gz", "screening.jsonl.gz")
WORTH = (0.0, 0.4, 0.5, 1.0)  # of each grade
STRENGTH = 1.0  # inverse of the ridge
IN_LINES = 100  # that a feature must be in to count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    args = parser.parse_args()
    labels = {
        (row["id"], row["line"]): row["grade"] for row in read_jsonl(Path(__file__).with_name("line_labels.jsonl"))
    }
    wanted = {paper for paper, _ in labels}
    rows, graded, papers = [], [], []
    for paper in (paper for file in FILES for paper in read_jsonl(args.bench / file) if paper["id"] in wanted):
        for candidate in line.candidates(paper["title"], paper["abstract"]):
            grade = labels.get((paper["id"], checksum(candidate.line)))
            if grade is not None:
                rows.append(candidate.features)
                graded.append(grade)
                papers.append(paper["id"])
    frequent = Counter(name for row in rows for name, value in row.items() if value)
    names = sorted(name for name, count in frequent.items() if count >= IN_LINES)
    values = sparse.csr_matrix([[row.get(name, 0.0) for name in names] for row in rows])
    grades = np.array(graded)
    print(f"{len(grades)} of {len(labels)} graded lines are made, of {len(wanted)} papers")
    targets = np.array([WORTH[grade] for grade in graded])
    ten_fold(values, targets, grades, np.array(papers), rows)
    model = fitted(values, targets, STRENGTH)
    weights = {"bias": model.intercept_[0], **dict(zip(names, model.coef_[0], strict=True))}
    path = Path(line.__file__).with_name("line_weights.json")
    path.write_text(json.dumps({name: round(float(weight), 2) for name, weight in weights.items()}, indent=1) + "\n")


def ten_fold(
    values: sparse.csr_matrix, targets: np.ndarray, grades: np.ndarray, papers: np.ndarray, rows: Sequence[Features]
) -> None:
    """Print how good the chosen lines of arXiv's and of the reviews' papers are."""
    worths = np.zeros(len(grades))
    for train, test in GroupKFold(10).split(values, grades, papers):
        worths[test] = fitted(values[train], targets[train], STRENGTH).predict_proba(values[test])[:, 1]
    worths = np.array([line.worth_of(worth, row) for worth, row in zip(worths, rows, strict=True)])
    of_title, has_topic = (np.array([name in row for row in rows]) for name in ("title", "topic"))
    chosen = {name: [] for name in ("arXiv", "reviews")}
    for paper in sorted(set(papers)):
        of_paper = np.flatnonzero(papers == paper)
        chosen["arXiv" if paper[0].isdigit() else "reviews"].append(of_paper[worths[of_paper].argmax()])
    for name, lines in chosen.items():
        shares = (grades[lines] == 3, grades[lines] >= 1, of_title[lines], has_topic[lines])
        figures = [np.mean(share) for share in shares]
        print(f"{name}: {len(lines)} papers;", *(f"{share:.3f}" for share in figures))


if __name__ == "__main__":
    main()
