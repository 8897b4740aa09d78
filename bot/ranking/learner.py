"""The models that are fitted to votes, a linear model and trees over one vocabulary.

A vote has weight 1 with time decay. Random earlier papers without a vote are added as disliked ones (background), with
four tenths of the votes' weight in sum. To the linear model the profile's interests are one more liked paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from bot.ranking.corpus import Corpus
from bot.ranking.linear import Linear, fit_linear
from bot.ranking.trees import Forest, fit_forest

# The constants of this module were chosen by ``bench/learner.py``; CONTRIBUTING.md has the alternatives.
#
# The weight of all background papers in sum, as a share of the weight of the votes.
_BACKGROUND_WEIGHT = 0.4
BACKGROUND = 1_000
# The weight of the interests, in liked papers.
_INTERESTS_WEIGHT = 3.0
_TREES = 50
_DEPTH = 6
# The share of features that each split of a tree chooses from.
_MAX_FEATURES = 0.2
# Features of the trees: half are the terms of the highest chi-squared statistic, half those of the highest weight in
# the linear model.
_TERMS = 200
# Terms of fewer papers don't generalise: no tree splits by them.
_MIN_PAPERS = 3


@dataclass(frozen=True)
class TrainingVotes:
    """One reader's votes: ``rows`` (n, n_terms) of the papers, ``liked`` (n,), ``weight`` (n,) after time decay.

    ``interests`` (1, n_terms) is the row of the profile's text, zeros without a text; ``background`` (n_background,
    n_terms) are papers without a vote of the reader.
    """

    rows: sp.csr_matrix
    liked: np.ndarray
    weight: np.ndarray
    interests: sp.csr_matrix
    background: sp.csr_matrix


@dataclass(frozen=True)
class Learned:
    """The models of one reader's votes; ``vocabulary`` is the hash of the vocabulary they were fitted over."""

    linear: Linear
    forest: Forest
    vocabulary: int


def learn(corpus: Corpus, votes: TrainingVotes, seed: int = 0) -> Learned:
    """Fit both models to at least one vote; papers' rows are those of ``corpus.transform``."""
    rows = sp.vstack([votes.rows, votes.background], format="csr")
    liked = np.concatenate([votes.liked, np.zeros(votes.background.shape[0], bool)])
    background_weight = _BACKGROUND_WEIGHT * votes.weight.sum() / max(votes.background.shape[0], 1)
    weight = np.concatenate([votes.weight, np.full(votes.background.shape[0], background_weight)])
    lexical = sp.vstack([corpus.lexical(rows), corpus.lexical(votes.interests)], format="csr")
    linear = fit_linear(lexical, np.append(liked, True), np.append(weight, _INTERESTS_WEIGHT))
    columns = _select_terms(rows, lexical[:-1], liked, weight, linear)
    presence = np.asarray((rows[:, columns] != 0).toarray(), dtype=np.int8)
    forest = fit_forest(
        columns, presence, liked, weight, trees=_TREES, depth=_DEPTH, max_features=_MAX_FEATURES, seed=seed
    )
    return Learned(linear, forest, corpus.identity)


def _select_terms(
    rows: sp.csr_matrix, lexical: sp.csr_matrix, liked: np.ndarray, weight: np.ndarray, linear: Linear
) -> np.ndarray:
    """Return the columns of the terms by whose presence the trees may split."""
    terms = rows.shape[1]
    frequent = np.flatnonzero(np.bincount(rows.indices, minlength=terms) >= _MIN_PAPERS)
    paper = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    with_term = np.bincount(rows.indices, weight[paper], terms)[frequent]
    liked_with = np.bincount(rows.indices, (weight * liked)[paper], terms)[frequent]
    # The chi-squared statistic of a term's presence and the vote (Pearson 1900).
    total = weight.sum()
    share = (weight * liked).sum() / total
    variance = with_term * (total - with_term) / total * share * (1 - share)
    deviation = (liked_with - with_term * share) ** 2
    statistic = np.divide(deviation, variance, out=np.zeros_like(deviation), where=variance > 1e-12)
    importance = np.zeros(terms)
    importance[linear.columns] = np.abs(linear.weights)
    importance *= np.bincount(lexical.indices, weight[paper] * lexical.data, terms)
    selected = _highest(statistic, _TERMS // 2)
    importance[frequent[selected]] = 0
    others = _highest(importance[frequent], _TERMS - _TERMS // 2)
    return np.asarray(frequent[np.concatenate([selected, others])])


def _highest(values: np.ndarray, count: int) -> np.ndarray:
    """Return the indices of the highest values above zero, in descending order."""
    order = np.argsort(-values, kind="stable")[:count]
    return np.asarray(order[values[order] > 0])
