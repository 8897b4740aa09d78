"""The papers that a batch of readers is ranked over, transformed to vectors once for all of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from bot.domain import Bonus, Paper, PaperId
from bot.ranking.corpus import Corpus
from bot.ranking.experts import Papers
from bot.ranking.paper_terms import PaperTerms
from bot.ranking.rules import Rules, stemmed_phrases
from bot.ranking.vectors import l2_normalize, latent_vectors


class PoolMatches(NamedTuple):
    """What each paper of a pool matches of a profile's rules, by row; ``weights`` (n_papers,) sum the bonuses."""

    weights: np.ndarray
    bonuses: Sequence[tuple[Bonus, ...]]
    followed: Sequence[str | None]
    muted: Sequence[str | None]
    lacks: Sequence[tuple[str, ...]]


class Pool:
    """Papers by row. Similarities, and what matches each set of rules, are computed once, on first use."""

    def __init__(self, corpus: Corpus, papers: Sequence[Paper]) -> None:
        self.papers = papers
        self.ids = np.array([paper.id for paper in papers], dtype=np.int64)
        self.row = {paper.id: row for row, paper in enumerate(papers)}
        self.seen = Papers.of(corpus, [paper.text for paper in papers])
        self.vectors = self.seen.vectors
        self.corpus = corpus
        self._similarities: dict[PaperId, array[float]] = {}  # to all papers, by row
        self._rule_matches: dict[Rules, PoolMatches] = {}
        self._stemmed: dict[int, str] = {}  # by row

    @cached_property
    def normalized(self) -> sp.csr_matrix:
        """(n_papers, n_terms): the papers' own terms, rows of L2 norm 1."""
        return l2_normalize(self.vectors.terms)

    @cached_property
    def terms(self) -> PaperTerms:
        """The papers term by term."""
        return PaperTerms(self.corpus, self.vectors)

    @cached_property
    def _latent(self) -> np.ndarray:
        return latent_vectors(self.vectors.terms, self.corpus.components_)

    def similarity(self, paper: PaperId, other: PaperId) -> float:
        """Return the similarity of two papers, 0 to 1: the mean cosine of their terms and of their latent vectors."""
        # By terms alone, two papers on one topic are hardly similar; by latent vectors alone, all papers on one topic
        # are near-duplicates. The mean spreads ten picks over a sixth more topics at no loss of hits.
        # Selection asks for hundreds of similarities a reader: one look-up finds those to an earlier pick.
        if (known := self._similarities.get(other)) is not None:
            return known[self.row[paper]]
        if paper not in self._similarities:
            row = self.row[paper]
            similarities = (self.normalized @ self.normalized[row].T).toarray().ravel().astype(np.float32)
            # A corpus of a few papers has no latent components.
            if self._latent.any():
                latent = np.maximum(self._latent @ self._latent[row], 0).astype(np.float32)
                similarities = (similarities + latent) / 2
            # Re-ranking reads single values: from an array they are plain floats, without a NumPy scalar for each.
            self._similarities[paper] = array("f", similarities.tobytes())
        return self._similarities[paper][self.row[other]]

    def rule_matches(self, rules: Rules) -> PoolMatches:
        """Return what each paper matches of the rules."""
        if rules not in self._rule_matches:
            matches = [rules.matches(paper) for paper in self.papers]
            self._rule_matches[rules] = PoolMatches(
                weights=np.array([sum(bonus.weight for bonus in matched.bonuses) for matched in matches]),
                bonuses=[matched.bonuses for matched in matches],
                followed=[matched.followed for matched in matches],
                muted=[matched.muted for matched in matches],
                lacks=[self.lacks(row, rules) for row in range(len(matches))],
            )
        return self._rule_matches[rules]

    def lacks(self, row: int, rules: Rules) -> tuple[str, ...]:
        """Return the required group that a paper has no term of; empty if it has a term of each."""
        if not rules.require:
            return ()
        if row not in self._stemmed:
            self._stemmed[row] = stemmed_phrases(self.papers[row].text)
        return rules.lacks(self._stemmed[row])
