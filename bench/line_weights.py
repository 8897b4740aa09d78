"""Learns ``bot/summaries/line_weights.json``: how probably a line says what a paper found or made.

    python bench/line_weights.py ../shared/bench

``line_labels.jsonl`` beside this file has labels of our own for lines of papers of ``stream/papers.jsonl.gz`` and
``screening.jsonl.gz``, which were read beside their titles: 1 says what was found or made, whole, true as far as the
abstract tells and by itself; 0 is cut off, thin, known before, or on how something was studied. Lines are named by a
checksum; those that the code no longer makes teach nothing. All papers have an even checksum: the others are to report
on. Ten-fold, by papers: how often the line of highest probability is one labelled 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from summary_weights import read_jsonl

from bot.summaries import line

FILES = ("stream/papers.jsonl.gz", "screening.jsonl.gz")
# Of .05, .2, 1 and 5 the best, ten-fold.
INVERSE_RIDGE = 1.0


def checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    args = parser.parse_args()
    labels = {
        (row["id"], row["line"]): row["good"] for row in read_jsonl(Path(__file__).with_name("line_labels.jsonl"))
    }
    wanted = {paper for paper, _ in labels}
    rows, good, papers = [], [], []
    for paper in (paper for file in FILES for paper in read_jsonl(args.bench / file) if paper["id"] in wanted):
        for candidate in line.candidates(paper["title"], paper["abstract"]):
            label = labels.get((paper["id"], checksum(candidate.line)))
            if label is not None:
                rows.append(candidate.features)
                good.append(label)
                papers.append(paper["id"])
    names = sorted({name for row in rows for name in row} - UNUSED)
    values = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    taken, of = ten_fold(values, np.array(good), np.array(papers))
    print(f"{len(good)} of {len(labels)} labelled lines are made; ten-fold {taken} of {of} papers have a good line")
    model = LogisticRegression(C=INVERSE_RIDGE, max_iter=5000).fit(values, good)
    weights = {"bias": model.intercept_[0], **dict(zip(names, model.coef_[0], strict=True))}
    path = Path(line.__file__).with_name("line_weights.json")
    path.write_text(json.dumps({name: round(float(weight), 2) for name, weight in weights.items()}, indent=1) + "\n")


# What was left out by steps that cost nothing.
UNUSED = {"article", "modifier", "adverb", "insert", "brief", "clause", "middle"}


def ten_fold(values: np.ndarray, good: np.ndarray, papers: np.ndarray) -> tuple[int, int]:
    """Return of how many papers the line of highest probability is good, and how many papers there are."""
    taken = 0
    for train, test in GroupKFold(10).split(values, good, papers):
        model = LogisticRegression(C=INVERSE_RIDGE, max_iter=5000).fit(values[train], good[train])
        probabilities = model.predict_proba(values[test])[:, 1]
        for paper in set(papers[test]):
            of_paper = papers[test] == paper
            taken += int(good[test][of_paper][probabilities[of_paper].argmax()])
    return taken, len(set(papers))


if __name__ == "__main__":
    main()
