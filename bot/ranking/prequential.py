"""Prequential evaluation (Dawid 1984): metrics of each fold under the model trained on the votes before it.

Two baselines rank the same papers: the same model without any vote (interest words and keywords), and chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.special import expit, logit

from bot.domain import Paper, PaperId
from bot.ranking.metrics import auc, hits_at, ndcg_at
from bot.ranking.ranker import Interest, Ranker

# Folds whose papers are scored in one matrix. All at once would be up to 100 folds by 100,000 papers, 80 MB of floats;
# one at a time would transform the papers that neighbouring folds share once for each.
_BATCH = 20
# Probabilities of exactly 0 or 1 have no finite log-odds.
_FINITE_LOG_ODDS = (1e-12, 1 - 1e-12)


@dataclass(frozen=True, slots=True)
class PredictionTask:
    """One fold as the ranker gets it: the interest as trained before the fold, and the papers to rank.

    ``liked`` are the relevant papers; ``seen`` are the papers that the reader had a chance to judge.
    """

    interest: Interest
    papers: Sequence[Paper]
    liked: frozenset[PaperId]
    seen: frozenset[PaperId]


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Metrics of one ranking: hits and nDCG among the first places, AUC among the papers seen."""

    hits: float
    ndcg: float | None
    auc: float | None


@dataclass(frozen=True, slots=True)
class FoldMetrics:
    """The metrics of one fold by model and baselines, and the calibration data of the papers seen.

    ``places`` is the maximum of ``hits``. ``probabilities`` and ``liked`` are (n_seen,) each.
    """

    places: int
    learned: RankingMetrics
    words: RankingMetrics
    chance: RankingMetrics
    probabilities: Sequence[float]
    liked: Sequence[bool]


def measure_folds(
    ranker: Ranker, tasks: Iterable[PredictionTask], words: Interest, size: int
) -> Iterator[FoldMetrics]:
    """Yield the metrics of each task over its first ``size`` places; ``words`` is the interest without votes.

    Tasks are consumed in batches; to the ranker each is one more reader. Scores are those of the daily run with
    keywords, without upvotes.
    """
    remaining = iter(tasks)
    while batch := list(islice(remaining, _BATCH)):
        papers = {paper.id: paper for task in batch for paper in task.papers}
        column_of = {paper_id: column for column, paper_id in enumerate(papers)}
        interests = [*(task.interest for task in batch), words]
        log_odds = _log_odds(ranker, interests, list(papers.values()))
        words_alone = log_odds[-1]
        for task, learned in zip(batch, log_odds[:-1], strict=True):
            columns = [column_of[paper.id] for paper in task.papers]
            liked = np.array([paper.id in task.liked for paper in task.papers])
            seen = np.array([paper.id in task.seen for paper in task.papers])
            # All scores equal: the metrics average over all orders of ties, so this is chance without random numbers.
            chance = np.zeros(len(liked))
            by_model, by_words, by_chance = (
                RankingMetrics(
                    hits_at(liked, scores, size), ndcg_at(liked, scores, size), auc(liked[seen], scores[seen])
                )
                for scores in (learned[columns], words_alone[columns], chance)
            )
            yield FoldMetrics(
                places=min(size, len(liked)),
                learned=by_model,
                words=by_words,
                chance=by_chance,
                probabilities=expit(learned[columns][seen]).tolist(),
                liked=liked[seen].tolist(),
            )


def _log_odds(ranker: Ranker, interests: Sequence[Interest], papers: Sequence[Paper]) -> np.ndarray:
    """Return (n_interests, n_papers)."""
    rules = interests[-1].rules
    weights = [sum(bonus.weight for bonus in rules.bonuses(paper)) for paper in papers]
    log_odds = np.tile(np.array(weights, float), (len(interests), 1))
    for row, best in zip(log_odds, ranker.best(interests, papers, len(papers)), strict=True):
        # Papers without a required term would not be sent: they come last.
        row[np.setdiff1d(np.arange(len(papers)), best.rows)] = logit(_FINITE_LOG_ODDS[0])
        row[best.rows] += logit(np.clip(best.probabilities, *_FINITE_LOG_ODDS))
    return log_odds
