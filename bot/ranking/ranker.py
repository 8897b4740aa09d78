"""Candidates in, scores with reasons out: the one door to ranking, for one reader or for thousands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from threadpoolctl import threadpool_limits

from bot.domain import Paper, PaperId, Reason, Score
from bot.ranking.corpus import Corpus, unit
from bot.ranking.reader_models import ReaderModels
from bot.ranking.rules import Rules
from bot.ranking.taste import Tastes, faded, pooled

# A liked paper is named as a reason only if it shares more than chance words (cosine).
_RESEMBLES_FROM = 0.04
# So many readers are ranked in one matrix product: enough to be quick, few enough for any machine's memory.
_BATCH = 200


@dataclass(frozen=True, slots=True)
class Interest:
    """What a reader is ranked by: the profile's words, and the papers thumbed so far.

    ``text`` may hold several interests, with blank lines between them. ``ages`` says how many days ago a
    thumb was given; one that it doesn't name is of today.
    """

    text: str = ""
    rules: Rules = field(default_factory=Rules)
    up: Sequence[Paper] = ()
    down: Sequence[Paper] = ()
    ages: Mapping[PaperId, float] = field(default_factory=dict)

    @property
    def paragraphs(self) -> list[str]:
        """The interests one by one; keywords stand in where there are none."""
        text = self.text.strip() or " ".join(self.rules.keywords)
        return [part for part in text.split("\n\n") if part.strip()]


class Best(NamedTuple):
    """A reader's best candidates: their rows, best first, and their probabilities."""

    rows: np.ndarray
    probabilities: np.ndarray


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores, best first, and how alike the ranked papers are."""

    scores: tuple[Score, ...]
    _rows: dict[PaperId, int]
    _vectors: sp.csr_matrix
    _interests: sp.csr_matrix

    def similarity(self, one: PaperId, other: PaperId) -> float:
        """Cosine of two ranked papers' vectors, 0 to 1."""
        a, b = self._vectors[self._rows[one]], self._vectors[self._rows[other]]
        return float((a @ b.T).sum())

    def interest(self, paper: PaperId) -> int | None:
        """Which of the reader's several interests a paper is nearest to; None where it is near to none."""
        near = (self._vectors[self._rows[paper]] @ self._interests.T).toarray()[0]
        return int(near.argmax()) if near.size and near.max() > 0 else None


class Ranker:
    """Ranks for any number of readers over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def rank(self, interest: Interest, candidates: Sequence[Paper]) -> Ranking:
        """Every candidate's score for one reader, with reasons."""
        vectors = self._vectors(candidates)
        models = self._models([interest])
        log_odds = models.decision_function(vectors, self._corpus.latent(vectors))[0]
        contributions = models.contributions(0, vectors)
        alike = unit(vectors)
        nearest = self._nearest(alike, interest.up)
        scores = [
            self._score(
                paper, float(log_odds[row]), self._reasons(contributions[row]), nearest[row], interest.rules
            )
            for row, paper in enumerate(candidates)
        ]
        scores.sort(key=lambda score: (-score.log_odds, score.paper))
        rows = {paper.id: row for row, paper in enumerate(candidates)}
        wanted = self._corpus.transform(interest.paragraphs)
        return Ranking(tuple(scores), rows, alike, unit(wanted))

    def best(self, interests: Sequence[Interest], candidates: Sequence[Paper], top: int) -> Iterator[Best]:
        """For each reader the rows of the ``top`` candidates, best first, and their probabilities.

        The same scores as ``rank`` gives, without reasons and rules; readers are ranked in batches.
        """
        vectors = self._vectors(candidates)
        latent = self._corpus.latent(vectors)
        for start in range(0, len(interests), _BATCH):
            with threadpool_limits(1):  # threads that wait for one another cost more than they save here
                models = self._models(interests[start : start + _BATCH])
                log_odds = models.decision_function(vectors, latent)
            yield from _best(log_odds, min(top, len(candidates)))

    def _models(self, interests: Sequence[Interest]) -> ReaderModels:
        known = _Thumbed(self._corpus, interests)
        return ReaderModels(self._corpus).fit(known.tastes(), known.judged())

    def _vectors(self, papers: Sequence[Paper]) -> sp.csr_matrix:
        return self._corpus.transform([_document(paper) for paper in papers])

    def _nearest(self, vectors: sp.csr_matrix, liked: Sequence[Paper]) -> list[PaperId | None]:
        """For each row the most alike liked paper, or None where none is alike."""
        if not liked:
            return [None] * vectors.shape[0]
        alike = (vectors @ unit(self._vectors(liked)).T).toarray()
        best = alike.argmax(axis=1)
        return [liked[b].id if alike[row, b] >= _RESEMBLES_FROM else None for row, b in enumerate(best)]

    def _reasons(self, row: sp.csr_matrix) -> list[Reason]:
        return [
            Reason(str(self._corpus.terms_[term]), float(weight))
            for term, weight in zip(row.indices, row.data, strict=True)
            if weight
        ]

    def _score(
        self, paper: Paper, log_odds: float, words: list[Reason], because: PaperId | None, rules: Rules
    ) -> Score:
        rest = log_odds - sum(reason.weight for reason in words)
        reasons = sorted((*words, *rules.reasons(paper)), key=lambda reason: -abs(reason.weight))
        total = rest + sum(reason.weight for reason in reasons)
        return Score(
            paper=paper.id,
            probability=1 / (1 + math.exp(-total)),
            log_odds=total,
            reasons=tuple(reasons),
            rest=rest,
            because=because,
            followed=rules.followed(paper),
            muted=rules.muted(paper),
        )


class _Thumbed:
    """A batch's interests and thumbed papers as vectors; a paper that many readers judged is read once."""

    def __init__(self, corpus: Corpus, interests: Sequence[Interest]) -> None:
        self._interests = interests
        self._corpus = corpus
        papers = {paper.id: paper for i in interests for paper in (*i.up, *i.down)}
        self._papers = list(papers.values())
        self._row = {paper_id: row for row, paper_id in enumerate(papers)}
        self._vectors = corpus.transform([_document(paper) for paper in self._papers])

    def tastes(self) -> Tastes:
        texts = [(who, part) for who, i in enumerate(self._interests) for part in i.paragraphs]
        wanted = unit(self._corpus.transform([part for _, part in texts]))
        up, n_up = self._side([i.up for i in self._interests])
        down, n_down = self._side([i.down for i in self._interests])
        owners = [who for who, _ in texts]
        return Tastes(
            pooled(wanted, owners, np.ones(len(texts)), len(self._interests)), up, down, n_up, n_down
        )

    def judged(self) -> sp.csr_matrix:
        """(n_readers, n_background), 1 where the reader has a thumb on the paper."""
        place = self._corpus.in_background([_document(paper) for paper in self._papers])
        marks = {
            (who, column)
            for who, i in enumerate(self._interests)
            for paper in (*i.up, *i.down)
            if (column := place[self._row[paper.id]]) is not None
        }
        rows, columns = np.array(sorted(marks), dtype=int).reshape(-1, 2).T
        shape = (len(self._interests), self._corpus.background_.shape[0])
        return sp.csr_matrix((np.ones(len(marks), bool), (rows, columns)), shape=shape)

    def _side(self, side: Sequence[Sequence[Paper]]) -> tuple[sp.csr_matrix, np.ndarray]:
        given = [(who, paper.id) for who, papers in enumerate(side) for paper in papers]
        owners = [who for who, _ in given]
        weights = [faded(self._interests[who].ages.get(number, 0.0)) for who, number in given]
        rows = self._vectors[[self._row[number] for _, number in given]]
        counted = np.bincount(np.array(owners, int), np.array(weights), len(side))
        return pooled(rows, owners, weights, len(side)), counted


def _best(log_odds: np.ndarray, top: int) -> Iterator[Best]:
    """For each row the columns of the ``top`` highest, in falling order, and their probabilities."""
    if not top:
        yield from [Best(np.array([], int), np.array([]))] * len(log_odds)
        return
    columns = np.argpartition(-log_odds, top - 1, axis=1)[:, :top]
    values = np.take_along_axis(log_odds, columns, axis=1)
    order = np.lexsort((columns, -values))
    probabilities = expit(np.take_along_axis(values, order, axis=1).astype(float))
    yield from map(Best, np.take_along_axis(columns, order, axis=1), probabilities)


def _document(paper: Paper) -> str:
    """The text that stands for a paper."""
    return f"{paper.title}\n{paper.abstract}"
