"""Candidates in, scores with reasons out: the one door to ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from bot.domain import Paper, PaperId, Reason, Score
from bot.ranking.corpus import Corpus
from bot.ranking.examples import examples
from bot.ranking.reader_model import ReaderModel
from bot.ranking.rules import Rules

# A liked paper is named as a reason only if it shares more than chance words (cosine of the tf-idf vectors).
_RESEMBLES_FROM = 0.1


@dataclass(frozen=True, slots=True)
class Interest:
    """What a reader is ranked by: the profile's words, and the papers thumbed so far."""

    text: str = ""
    rules: Rules = field(default_factory=Rules)
    up: Sequence[Paper] = ()
    down: Sequence[Paper] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores, best first, and how alike the ranked papers are."""

    scores: tuple[Score, ...]
    _rows: dict[PaperId, int]
    _vectors: sp.csr_matrix

    def similarity(self, one: PaperId, other: PaperId) -> float:
        """Cosine of two ranked papers' tf-idf vectors, 0 to 1."""
        a, b = self._vectors[self._rows[one]], self._vectors[self._rows[other]]
        return float((a @ b.T).sum())


class Ranker:
    """Ranks for any number of readers over one corpus."""

    def __init__(self, background: Sequence[tuple[PaperId, str, str]]) -> None:
        """``background``: id, title and abstract of papers as they usually come; the candidates may be among them."""
        texts = [_document(title, abstract) for _, title, abstract in background]
        self._ids = np.array([paper_id for paper_id, _, _ in background], dtype=np.int64)
        self._corpus = Corpus().fit(texts)

    def rank(self, interest: Interest, candidates: Sequence[Paper]) -> Ranking:
        """Every candidate's score for one reader."""
        vectors = self._vectors(candidates)
        up = self._vectors(interest.up)
        model = self._model(interest, up)
        log_odds = model.decision_function(vectors)
        contributions = model.contributions(vectors)
        nearest = [None if row is None else interest.up[row].id for row in _nearest(vectors, up)]
        scores = [
            self._score(
                paper,
                float(log_odds[row]),
                self._reasons(contributions[row]),
                nearest[row],
                interest.rules,
            )
            for row, paper in enumerate(candidates)
        ]
        scores.sort(key=lambda score: (-score.log_odds, score.paper))
        rows = {paper.id: row for row, paper in enumerate(candidates)}
        return Ranking(tuple(scores), rows, vectors)

    def _model(self, interest: Interest, up: sp.csr_matrix) -> ReaderModel:
        # A profile of keywords alone means what they say; beside interests they only raise what mentions them.
        text = interest.text.strip() or " ".join(interest.rules.keywords)
        wanted = self._corpus.transform([part for part in text.split("\n\n") if part.strip()] or [""])
        background = self._untouched([paper.id for paper in (*interest.up, *interest.down)])
        data = examples(wanted, up, self._vectors(interest.down), background)
        return ReaderModel().fit(*data, background=background)

    def _untouched(self, thumbed: Sequence[PaperId]) -> sp.csr_matrix:
        """The background without the reader's own papers, unless that is all there is."""
        untouched = ~np.isin(self._ids, thumbed)
        return self._corpus.background_[untouched if untouched.any() else slice(None)]

    def _vectors(self, papers: Sequence[Paper]) -> sp.csr_matrix:
        texts = [_document(paper.title, paper.abstract) for paper in papers]
        return self._corpus.transform(texts) if texts else self._nothing()

    def _nothing(self) -> sp.csr_matrix:
        return sp.csr_matrix((0, len(self._corpus.terms_)))

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


def _document(title: str, abstract: str) -> str:
    """The text that stands for a paper; its title counts twice."""
    return f"{title}\n{title}\n{abstract}"


def _nearest(vectors: sp.csr_matrix, liked: sp.csr_matrix) -> list[int | None]:
    """For each row the most alike liked row, or None where none is alike."""
    if not liked.shape[0]:
        return [None] * vectors.shape[0]
    alike = (vectors @ liked.T).toarray()
    best = alike.argmax(axis=1)
    return [int(b) if alike[row, b] >= _RESEMBLES_FROM else None for row, b in enumerate(best)]
