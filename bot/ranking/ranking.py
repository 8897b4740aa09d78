"""A reader's ranking: scores at once, reasons for those papers that somebody looks at.

A score's words are a hundred and more; an edition shows ten papers of hundreds. So a score comes without them,
and ``explained`` adds them: the sum stays what it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from bot.domain import PaperId, Reason, Score
from bot.ranking.experts import Experts, Papers
from bot.ranking.mixture import Mixture
from bot.ranking.pool import Pool

# A liked paper is named as a reason from this cosine on: of pairs of papers by chance one in a hundred comes near.
_RESEMBLES_FROM = 0.1


@dataclass(frozen=True)
class Model:
    """One reader's part of a batch: the experts' row, how they are mixed, and what they were made of.

    ``ignored`` are columns of terms that shall not count; ``interests`` and ``liked`` hold unit rows, the latter
    in the order of ``liked_ids``.
    """

    experts: Experts
    reader: int
    mixture: Mixture
    ignored: np.ndarray
    interests: sp.csr_matrix
    liked: sp.csr_matrix
    liked_ids: Sequence[PaperId]

    def contributions(self, papers: Papers) -> sp.csr_matrix:
        """(n_papers, n_terms): what each term adds."""
        terms = self.experts.contributions(self.reader, papers, self.mixture.weights)
        if self.ignored.size:
            terms.data[np.isin(terms.indices, self.ignored)] = 0
        return terms

    @property
    def rest(self) -> float:
        """What no term of any paper answers for: the experts' intercepts, and the mixture's offset."""
        return self.experts.rest(self.reader, self.mixture.weights) + self.mixture.offset

    def left_out(self, papers: Papers) -> np.ndarray | float:
        """(n_papers,): what the ignored words would add."""
        if not self.ignored.size:
            return 0.0
        terms = self.experts.contributions(self.reader, papers, self.mixture.weights)
        return np.asarray(terms[:, self.ignored].sum(axis=1)).ravel()


@dataclass(frozen=True)
class Ranking:
    """Scores, best first, and how alike the ranked papers are.

    The scores have their keywords for reasons, and all words in their ``rest``. ``said`` (n_papers, n_experts) are
    the experts' log-odds of the pool's papers.
    """

    scores: tuple[Score, ...]
    pool: Pool
    model: Model
    said: np.ndarray

    def predictions(self, papers: Sequence[PaperId]) -> np.ndarray:
        """(n, n_experts): what each expert says of these papers, to be stored with them until they are voted on."""
        return self.said[[self.pool.row[paper] for paper in papers]]

    def explained(self, scores: Sequence[Score]) -> list[Score]:
        """These scores with all of their words, and the liked paper that each resembles most."""
        rows = [self.pool.row[score.paper] for score in scores]
        words = self.model.contributions(self.pool.seen[rows])
        return [
            _explained(
                score,
                self._words(words.indices[begin:end], words.data[begin:end], self.pool.spellings(row)),
                because,
            )
            for score, row, begin, end, because in zip(
                scores, rows, words.indptr, words.indptr[1:], self._because(rows), strict=False
            )
        ]

    def usual_words(self) -> list[Reason]:
        """What each word adds to a score of the ranked papers, in the mean; words of no weight are left out."""
        rows = [self.pool.row[score.paper] for score in self.scores]
        mean = sp.csr_matrix(self.model.contributions(self.pool.seen[rows]).mean(axis=0))
        return self._words(mean.indices, mean.data, self.pool.spellings())

    def similarity(self, one: PaperId, other: PaperId) -> float:
        """How alike two ranked papers are in words and topics, 0 to 1."""
        return self.pool.likeness(self.pool.row[one], self.pool.row[other])

    def interest(self, paper: PaperId) -> int | None:
        """Which of the reader's several interests a paper is nearest to; None where it is near to none."""
        return self._interests[self.pool.row[paper]]

    @cached_property
    def _interests(self) -> list[int | None]:
        near = (self.pool.unit @ self.model.interests.T).toarray()
        if not near.shape[1]:
            return [None] * len(near)
        return [
            int(best) if high > 0 else None for best, high in zip(near.argmax(1), near.max(1), strict=True)
        ]

    def _because(self, rows: Sequence[int]) -> list[PaperId | None]:
        if not (rows and self.model.liked_ids):
            return [None] * len(rows)
        nearest, cosines = self.pool.nearest(rows, self.model.liked, self.model.liked_ids)
        return [
            self.model.liked_ids[which] if cosine >= _RESEMBLES_FROM else None
            for which, cosine in zip(nearest, cosines, strict=True)
        ]

    def _words(self, columns: np.ndarray, weights: np.ndarray, spellings: Mapping[str, str]) -> list[Reason]:
        terms = self.pool.corpus.terms_
        used = weights != 0
        pairs = zip(terms[columns[used]].tolist(), weights[used].tolist(), strict=True)
        return [Reason(spellings.get(term, term), weight) for term, weight in pairs]


def _explained(score: Score, words: Sequence[Reason], because: PaperId | None) -> Score:
    return replace(
        score,
        reasons=tuple(sorted((*words, *score.reasons), key=lambda reason: -abs(reason.weight))),
        rest=score.rest - sum(reason.weight for reason in words),
        because=because,
    )
