"""A reader's ranking: scores at once, reasons for those papers that somebody looks at.

A score's words are a hundred and more; an edition shows ten papers of hundreds. So a score comes without them,
and ``explained`` adds them: the sum stays what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from bot.domain import PaperId, Reason, Score
from bot.ranking.pool import Pool
from bot.ranking.reader_models import ReaderModels
from bot.ranking.vectors import PaperVectors

# A liked paper is named as a reason from this cosine on: of pairs of papers by chance one in a hundred comes near.
_RESEMBLES_FROM = 0.1


@dataclass(frozen=True)
class Model:
    """One reader's part of a batch: the model's row, and what it was made of.

    ``ignored`` are columns of terms that shall not count; ``interests`` and ``liked`` hold unit rows, the latter
    in the order of ``liked_ids``.
    """

    models: ReaderModels
    reader: int
    ignored: np.ndarray
    interests: sp.csr_matrix
    liked: sp.csr_matrix
    liked_ids: Sequence[PaperId]

    def contributions(self, papers: PaperVectors) -> sp.csr_matrix:
        """(n_papers, n_terms): what each word adds."""
        found = self.models.contributions(self.reader, papers)
        if self.ignored.size:
            found.data[np.isin(found.indices, self.ignored)] = 0
        return found

    def left_out(self, papers: PaperVectors) -> np.ndarray | float:
        """(n_papers,): what the ignored words would add."""
        if not self.ignored.size:
            return 0.0
        found = self.models.contributions(self.reader, papers)
        found.data[~np.isin(found.indices, self.ignored)] = 0
        return np.asarray(found.sum(axis=1)).ravel()


@dataclass(frozen=True)
class Ranking:
    """Scores, best first, and how alike the ranked papers are.

    The scores have their keywords for reasons, and all words in their ``rest``.
    """

    scores: tuple[Score, ...]
    pool: Pool
    model: Model

    def explained(self, scores: Sequence[Score]) -> list[Score]:
        """These scores with all of their words, and the liked paper that each resembles most."""
        rows = [self.pool.row[score.paper] for score in scores]
        words = self.model.contributions(self.pool.vectors[rows])
        return [
            _explained(score, self._words(words.indices[begin:end], words.data[begin:end]), because)
            for score, begin, end, because in zip(
                scores, words.indptr, words.indptr[1:], self._because(rows), strict=False
            )
        ]

    def usual_words(self) -> list[Reason]:
        """What each word adds to a score of the ranked papers, in the mean; words of no weight are left out."""
        rows = [self.pool.row[score.paper] for score in self.scores]
        mean = sp.csr_matrix(self.model.contributions(self.pool.vectors[rows]).mean(axis=0))
        return self._words(mean.indices, mean.data)

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

    def _words(self, columns: np.ndarray, weights: np.ndarray) -> list[Reason]:
        terms = self.model.models.corpus.terms_
        used = weights != 0
        pairs = zip(terms[columns[used]].tolist(), weights[used].tolist(), strict=True)
        return [Reason(term, weight) for term, weight in pairs]


def _explained(score: Score, words: Sequence[Reason], because: PaperId | None) -> Score:
    return replace(
        score,
        reasons=tuple(sorted((*words, *score.reasons), key=lambda reason: -abs(reason.weight))),
        rest=score.rest - sum(reason.weight for reason in words),
        because=because,
    )
