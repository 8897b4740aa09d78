"""A reader's ranking: scores of all papers at once, the terms behind a score on demand.

A score is the sum of a hundred terms and more, and an edition shows ten papers of hundreds. So scores are computed
without their terms, and ``explained`` adds them; the sum stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from bot.domain import PaperId, Reason, ReasonKind, Score
from bot.ranking.experts import Experts, Papers
from bot.ranking.mixture import Mixture
from bot.ranking.pool import Pool
from bot.terms import is_topical

# A liked paper is a reason from this cosine on: of random pairs of papers, one in a hundred reaches it.
_MIN_COSINE_OF_LIKED = 0.1


@dataclass(frozen=True)
class Model:
    """One reader's model: their row of the batch's experts, the mixture, and the vectors it was fitted to.

    ``ignored`` are columns of terms that are left out of every score, ``judged`` those of terms that a paper with a
    vote has. ``interests`` and ``liked`` have rows of L2 norm 1, the latter in the order of ``liked_ids``.
    """

    experts: Experts
    reader: int
    mixture: Mixture
    ignored: np.ndarray
    judged: np.ndarray
    interests: sp.csr_matrix
    liked: sp.csr_matrix
    liked_ids: Sequence[PaperId]

    def contributions(self, papers: Papers) -> sp.csr_matrix:
        """Return (n_papers, n_terms): what each term adds."""
        terms = self.experts.contributions(self.reader, papers, self.mixture.weights)
        if self.ignored.size:
            terms.data[np.isin(terms.indices, self.ignored)] = 0
        return terms

    @property
    def rest(self) -> float:
        """The log-odds that no term accounts for: the experts' intercepts and the mixture's offset."""
        return self.experts.rest(self.reader, self.mixture.weights) + self.mixture.offset

    def left_out(self, papers: Papers) -> np.ndarray | float:
        """Return (n_papers,): what the ignored terms would add."""
        if not self.ignored.size:
            return 0.0
        terms = self.experts.contributions(self.reader, papers, self.mixture.weights)
        return np.asarray(terms[:, self.ignored].sum(axis=1)).ravel()


@dataclass(frozen=True)
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
        """Return these scores with all of their terms and predictions, and the liked paper that each resembles most."""
        rows = [self.pool.row[score.paper] for score in scores]
        mixed = self.model.mixture.log_odds(self.expert_log_odds[rows])
        contributions = self.model.contributions(self.pool.seen[rows])
        liked = self._most_similar_liked(rows)
        explained = []
        for number, score in enumerate(scores):
            start = contributions.indptr[number]
            end = contributions.indptr[number + 1]
            terms = self._reasons(
                contributions.indices[start:end],
                contributions.data[start:end],
                self.pool.spellings(rows[number]),
            )
            explained.append(
                replace(
                    score,
                    reasons=tuple(sorted((*terms, *score.reasons), key=lambda reason: -abs(reason.weight))),
                    rest=score.rest - sum(reason.weight for reason in terms),
                    because=liked[number],
                    predictions=(
                        *self.expert_log_odds[rows[number]].tolist(),
                        score.log_odds - float(mixed[number]),
                    ),
                )
            )
        return explained

    def mean_contributions(self) -> list[Reason]:
        """Return the mean contribution of each term to the scores of the ranked papers, terms of weight 0 left out."""
        rows = [self.pool.row[score.paper] for score in self.scores]
        mean = sp.csr_matrix(self.model.contributions(self.pool.seen[rows]).mean(axis=0))
        return self._reasons(mean.indices, mean.data, self.pool.common_spellings)

    def unjudged(self, paper: PaperId, most: int) -> list[str]:
        """Return up to ``most`` topical terms of a paper that neither the interests nor any paper with a vote has.

        The heaviest by TF-IDF come first. Empty for a reader without votes, to whom every term would be one.
        """
        if not self.model.judged.size:
            return []
        row = self.pool.row[paper]
        lexical = self.pool.seen.lexical[row]
        names = self.pool.corpus.terms_
        known = set(names[np.union1d(self.model.judged, self.model.interests.indices)].tolist())
        spellings = self.pool.spellings(row)
        terms: list[str] = []
        for place in np.argsort(-lexical.data, kind="stable"):
            term = str(names[lexical.indices[place]])
            # "graph hunting" is not new to who has judged hunting, nor beside "graphs".
            if term in known or not known.isdisjoint(term.split()):
                continue
            known.update(term.split())
            if term in spellings and is_topical(spellings[term]):
                terms.append(spellings[term])
            if len(terms) == most:
                break
        return terms

    def similarity(self, paper: PaperId, other: PaperId) -> float:
        """Return the similarity of two ranked papers in terms and latent vectors, 0 to 1."""
        return self.pool.similarity(self.pool.row[paper], self.pool.row[other])

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

    def _most_similar_liked(self, rows: Sequence[int]) -> list[PaperId | None]:
        if not (rows and self.model.liked_ids):
            return [None] * len(rows)
        nearest, cosines = self.pool.nearest(rows, self.model.liked, self.model.liked_ids)
        return [
            self.model.liked_ids[index] if cosine >= _MIN_COSINE_OF_LIKED else None
            for index, cosine in zip(nearest, cosines, strict=True)
        ]

    def _reasons(
        self, columns: np.ndarray, weights: np.ndarray, spellings: Mapping[str, str]
    ) -> list[Reason]:
        """Return the contributions as reasons; trees also ask for terms that a paper does not have."""
        used = weights != 0
        reasons = []
        for term, weight in zip(
            self.pool.corpus.terms_[columns[used]].tolist(), weights[used].tolist(), strict=True
        ):
            if term in spellings:
                reasons.append(Reason(spellings[term], weight))
            else:
                spelling = self.pool.common_spellings.get(term, term)
                reasons.append(Reason(spelling, weight, ReasonKind.ABSENT))
        return reasons
