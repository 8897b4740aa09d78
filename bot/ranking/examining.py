"""Rankings put to the test: what was liked, against how it was ranked by thumbs, by words alone, and by chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.special import expit, logit

from bot.domain import Paper, PaperId
from bot.ranking.metrics import auc, hits_at, ndcg_at
from bot.ranking.ranker import Interest, Ranker

_TOGETHER = 20  # exams whose papers are scored in one matrix
_POSSIBLE = (1e-12, 1 - 1e-12)  # probabilities whose log-odds are numbers


@dataclass(frozen=True, slots=True)
class Exam:
    """What was known of a reader at a time, the papers to rank then, which were liked, and which were seen."""

    interest: Interest
    papers: Sequence[Paper]
    liked: frozenset[PaperId]
    seen: frozenset[PaperId]


@dataclass(frozen=True, slots=True)
class Marks:
    """One ranking's marks: liked papers in the first places; nDCG there; AUC among the papers seen."""

    hits: float
    ndcg: float | None
    auc: float | None


@dataclass(frozen=True, slots=True)
class Graded:
    """One exam's marks, and of each paper seen the probability learned by then and whether it was liked.

    ``places`` is how many papers ``hits`` could be.
    """

    places: int
    learned: Marks
    words: Marks
    chance: Marks
    probabilities: Sequence[float]
    liked: Sequence[bool]


def examine(ranker: Ranker, exams: Iterable[Exam], words: Interest, size: int) -> Iterator[Graded]:
    """Grades the first ``size`` places of each; ``words`` is the interest without any thumb.

    Each exam is one more reader to the ranker, some at a time: no more are asked for at once.
    Scores are the daily run's with keywords, without upvotes.
    """
    coming = iter(exams)
    while batch := list(islice(coming, _TOGETHER)):
        papers = {paper.id: paper for exam in batch for paper in exam.papers}
        column = {paper: n for n, paper in enumerate(papers)}
        scored = _log_odds(ranker, [*(exam.interest for exam in batch), words], list(papers.values()))
        for exam, log_odds in zip(batch, scored, strict=False):  # the last row is that of words alone
            columns = [column[paper.id] for paper in exam.papers]
            yield _graded(exam, log_odds[columns], scored[-1][columns], size)


def _log_odds(ranker: Ranker, interests: Sequence[Interest], papers: Sequence[Paper]) -> np.ndarray:
    """(n_interests, n_papers)."""
    rules = interests[-1].rules
    by_rules = [sum(reason.weight for reason in rules.reasons(paper)) for paper in papers]
    made = np.tile(np.array(by_rules, float), (len(interests), 1))
    for row, best in zip(made, ranker.best(interests, papers, len(papers)), strict=True):
        row[best.rows] += logit(np.clip(best.probabilities, *_POSSIBLE))
    return made


def _graded(exam: Exam, learned: np.ndarray, words: np.ndarray, size: int) -> Graded:
    liked = np.array([paper.id in exam.liked for paper in exam.papers])
    seen = np.array([paper.id in exam.seen for paper in exam.papers])

    def marks(scores: np.ndarray) -> Marks:
        return Marks(
            hits_at(liked, scores, size), ndcg_at(liked, scores, size), auc(liked[seen], scores[seen])
        )

    return Graded(
        places=min(size, len(liked)),
        learned=marks(learned),
        words=marks(words),
        chance=marks(np.zeros(len(liked))),
        probabilities=expit(learned[seen]).tolist(),
        liked=liked[seen].tolist(),
    )
