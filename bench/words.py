"""What a match without votes means, whatever the size of a home: the constants of ``bot.ranking.matching``.

    python bench/words.py papers.jsonl.gz readers.json

Papers and readers are those of ``learner.py``. For corpora of several sizes, drawn at random, prints the average
precision of ranking 3,000 other papers by the words alone, how many of the papers of each range of match are liked, and
the intercept and weights that a logistic regression on similarity and completeness gives.
"""

from __future__ import annotations

import gzip
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from learner import Reader
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from bot.ranking.corpus import Corpus
from bot.ranking.matching import Conjunctions, ReaderModels, UserVectors, Words, topics_row

SIZES, HELD_OUT = (30, 200, 1_000, 5_000), 3_000
MATCHES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


def main(data: Path, rules: Path) -> None:
    """Print the figures of every size."""
    with gzip.open(data, "rt", encoding="utf-8") as lines:
        papers = [json.loads(line) for line in lines]
    papers = [papers[n] for n in np.random.default_rng(1).permutation(len(papers))]
    texts = [f"{paper['title']}\n{paper['abstract']}" for paper in papers]
    held_out = papers[:HELD_OUT]
    readers = [Reader(name, rule, held_out) for name, rule in json.loads(rules.read_text()).items()]
    likes = np.array([reader.likes for reader in readers])
    interests = [reader.interests for reader in readers]
    for size in SIZES:
        corpus = Corpus().fit(texts[HELD_OUT : HELD_OUT + size])
        vectors = corpus.vectors(texts[:HELD_OUT])
        topics = sp.vstack([topics_row(corpus, text) for text in interests], format="csr")
        conjunctions = Conjunctions.from_texts(corpus, [[text] for text in interests])
        no_papers, no_votes = sp.csr_matrix(topics.shape), np.zeros(len(readers))
        words = Words(corpus).fit(UserVectors(topics, no_papers, no_papers, no_votes, no_votes), conjunctions)
        log_odds = words.decision_function(vectors)
        precisions = [average_precision_score(y, x) for y, x in zip(likes, log_odds, strict=True)]
        print(f"{size} papers: average precision {np.mean(precisions):.3f}")
        match = expit(log_odds)
        for low, high in pairwise(MATCHES):
            inside = (match >= low) & (match < high)
            if inside.any():
                print(f"    {inside.sum():6d} matches of {match[inside].mean():.2f}: liked {likes[inside].mean():.2f}")
        similarity = ReaderModels(corpus).fit_interests(topics, 1.0, 0.0).decision_function(vectors)
        features = np.stack([similarity.ravel(), conjunctions.shares(vectors).ravel()], axis=1)
        model = LogisticRegression(C=1e4).fit(features, likes.ravel())
        print(f"    fitted: intercept {model.intercept_[0]:.2f}, similarity and completeness {model.coef_[0].round(2)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
