"""A reader's ranking: scores of all papers at once, the terms behind a score on demand.

A score is the sum of a hundred terms and more, and an edition shows ten papers of hundreds. So scores are computed
without their terms, and ``explained`` adds them; the sum stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from bot.domain import PaperId, Score
from bot.ranking.experts import Experts
from bot.ranking.mixture import Mixture
from bot.ranking.paper_terms import TermEntries
from bot.ranking.pool import Pool
from bot.ranking.voted_terms import VotedTerms


# Compared and hashed by identity: readers with equal interests share a model.
@dataclass(frozen=True, eq=False)
class Model:
    """One reader's model: their row of the batch's experts, the mixture, and the vectors it was fitted to.

    ``ignored`` are columns of terms that are left out of every score. ``interests`` has rows of L2 norm 1.
    """

    experts: Experts
    reader: int
    mixture: Mixture
    ignored: np.ndarray
    interests: sp.csr_matrix
    votes: VotedTerms

    def contributions(self, entries: TermEntries) -> sp.csr_matrix:
        """Return (n_papers, n_terms): what each term adds."""
        terms = self.experts.contributions(self.reader, entries, self.mixture.weights)
        if self.ignored.size:
            terms.data[np.isin(terms.indices, self.ignored)] = 0
        return terms

    @property
    def rest(self) -> float:
        """The log-odds that no term accounts for: the experts' intercepts and the mixture's offset."""
        return self.experts.rest(self.reader, self.mixture.weights) + self.mixture.offset

    @property
    def has_several_interests(self) -> bool:
        """Whether a paper may be nearer to one interest than to another."""
        return bool(self.interests.shape[0] > 1)

    def left_out(self, entries: TermEntries) -> np.ndarray:
        """Return (n_papers,): what the ignored terms would add."""
        terms = self.experts.contributions(self.reader, entries, self.mixture.weights)
        return np.asarray(terms[:, self.ignored].sum(axis=1)).ravel()


# Compared and hashed by identity: readers with equal interests and candidates share a ranking.
@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores, best first, and the similarities of the ranked papers.

    The scores have their keywords as reasons, and all terms in their ``rest``. ``expert_log_odds`` is
    (n_papers, n_experts), in the order of the pool's papers.
    """

    scores: tuple[Score, ...]
    pool: Pool
    model: Model
    expert_log_odds: np.ndarray

    def explained(self, scores: Sequence[Score]) -> list[Score]:
        """Return these scores with all of their terms and predictions."""
        rows = [self.pool.row[score.paper] for score in scores]
        mixed = self.model.mixture.log_odds(self.expert_log_odds[rows])
        predictions = np.column_stack([self.expert_log_odds[rows], [s.log_odds for s in scores] - mixed])
        terms_of = self._terms(self.model.contributions(self.pool.terms.entries(rows)))
        return [
            score._replace(terms=terms, rest=score.rest - sum(terms.values()), predictions=tuple(of_score))
            for score, terms, of_score in zip(scores, terms_of, predictions.tolist(), strict=True)
        ]

    def mean_contributions(self) -> dict[str, float]:
        """Return the mean contribution of each term to the scores of the ranked papers."""
        rows = [self.pool.row[score.paper] for score in self.scores]
        mean = sp.csr_matrix(self.model.contributions(self.pool.terms.entries(rows)).mean(axis=0))
        return self._terms(mean)[0]

    def papers_with(self, terms: Sequence[str], each: int = 3) -> list[PaperId]:
        """Return few papers of the ranking, among which ``each`` have each term, or all that have it."""
        presence = self.pool.seen.lexical
        chosen: dict[int, None] = {}
        for term in terms:
            column = self.pool.corpus.column(term)
            rows = [] if column is None else presence[:, column].nonzero()[0].tolist()
            chosen |= dict.fromkeys(rows[: max(each - len(chosen.keys() & rows), 0)])
        return [self.pool.papers[row].id for row in chosen]

    def similarity(self, paper: PaperId, other: PaperId) -> float:
        """Return the similarity of two ranked papers in terms and latent vectors, 0 to 1."""
        return self.pool.similarity(paper, other)

    def interest(self, paper: PaperId) -> int | None:
        """Return the index of the interest that a paper is nearest to; None where it shares no term with any."""
        return self._interests[self.pool.row[paper]]

    @cached_property
    def _interests(self) -> list[int | None]:
        cosines = (self.pool.normalized @ self.model.interests.T).toarray()
        if not cosines.shape[1]:
            return [None] * len(cosines)
        nearest = zip(cosines.argmax(1), cosines.max(1), strict=True)
        return [int(interest) if cosine > 0 else None for interest, cosine in nearest]

    def _terms(self, contributions: sp.csr_matrix) -> list[dict[str, float]]:
        """Return each row's contributions by term, those of weight 0 left out."""
        used = np.flatnonzero(contributions.data)
        ends = np.searchsorted(used, contributions.indptr).tolist()
        names = self.pool.corpus.terms_[contributions.indices[used]].tolist()
        weights = contributions.data[used].tolist()
        return [dict(zip(names[first:end], weights[first:end], strict=True)) for first, end in pairwise(ends)]
