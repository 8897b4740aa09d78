"""A library as first feedback, on readers' real libraries: what 50 of its papers are worth beside votes.

    python bench/library.py BENCH [even|odd [LIBRARY_VOTES ...]]

BENCH is a folder with ``ranking.py``, which has the split of readers' libraries into past and new papers, the
look-alikes that they disliked, and the measure; see its docstring. Readers have at least 70 past papers: 20 that they
vote on, and 50 others that are their library, drawn four times. Each line is one input to the ranker: votes up and
down, and papers of the library, with the mean nDCG@20 and recall@100. Further arguments replace the weight of a whole
library; it was chosen on the even readers, and figures are reported of the odd ones.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from bot.model import Paper
from bot.ranking import matching
from bot.ranking.corpus import Corpus
from bot.ranking.matching import library_weights
from bot.ranking.ranker import Interest, Ranker

LIBRARY, VOTES, DRAWS = 50, 20, 4
# Votes on each side, and papers of the library.
INPUTS = ((0, 0), (5, 0), (20, 0), (0, LIBRARY), (5, LIBRARY), (20, LIBRARY))


def load(bench: Path) -> Any:
    spec = importlib.util.spec_from_file_location("bench_ranking", bench / "ranking.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(bench: Path, first: int, weights: Sequence[float]) -> None:
    """Print a table for each weight of a whole library."""
    ranking = load(bench)
    papers, libraries = ranking.load(bench / "citeulike-t" / "readers.dat")
    past, new, readers = ranking.split(papers, libraries, len(libraries), 0)
    readers = [(old, own) for old, own in readers if len(old) >= LIBRARY + VOTES][first::2]
    chance = np.random.default_rng(1)
    readers = [(chance.permutation(old), own) for old, own in readers for _ in range(DRAWS)]
    texts = [" ".join(ranking.text(paper)) for paper in papers]
    vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\S+", max_features=20_000, min_df=5, max_df=0.1)
    vectorizer.fit([texts[i] for i in past])
    vectors = vectorizer.transform(texts).astype(np.float32).tocsr()
    disliked = ranking.dislikes(vectors, past, readers, chance)
    words = vectorizer.get_feature_names_out()
    interests = [" ".join(words[np.argsort(-np.asarray(vectors[old].mean(0)).ravel())[:10]]) for old, _ in readers]
    stored = [paper(i, *ranking.text(own)) for i, own in enumerate(papers)]
    ranker = Ranker(Corpus().fit([stored[i].text for i in past]))
    candidates = [stored[i] for i in new]
    print(f"{len(readers) // DRAWS} readers with {LIBRARY + VOTES} past papers and more, {len(new)} new papers")
    for weight in weights:
        matching.LIBRARY_VOTES = weight
        for votes, own in INPUTS:
            votes_given = [
                Interest(
                    text,
                    up=[stored[i] for i in (*old[:votes], *old[VOTES : VOTES + own])],
                    down=[stored[i] for i in down[:votes]],
                    weights=library_weights(dict.fromkeys(old[VOTES : VOTES + own].tolist(), 0.0)),
                )
                for text, (old, _), down in zip(interests, readers, disliked, strict=True)
            ]
            figures = [
                ranking.measure(new[best.rows], want)
                for best, (_, want) in zip(ranker.best(votes_given, candidates, 200), readers, strict=True)
            ]
            ndcg, recall = np.mean(figures, 0)
            print(
                f"library at most {weight:g} votes: {votes}+{votes} votes, {own} papers: "
                f"nDCG@20 {ndcg:.4f}  recall@100 {recall:.4f}",
                flush=True,
            )


def paper(number: int, title: str, abstract: str) -> Paper:
    return Paper(
        id=number,
        title=title,
        abstract=abstract,
        authors=(),
        author_count=None,
        published=None,
        arxiv_id=None,
        doi=None,
        url=None,
        upvotes=None,
        organisation=None,
        first_seen=datetime.min.replace(tzinfo=UTC),
    )


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        1 if sys.argv[2:3] == ["odd"] else 0,
        [float(weight) for weight in sys.argv[3:]] or [matching.LIBRARY_VOTES],
    )
