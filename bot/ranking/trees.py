"""Extremely randomised trees (Geurts 2006) on the presence of terms: they learn "this and that, but not the other".

All trees grow together, level by level: with features of 0 and 1, one matrix product counts what every split of every
node would part. So a fit takes a third of scikit-learn's time, whose trees each pay a fixed cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

# Probabilities beyond these are more than a few hundred votes can tell.
_SUREST = 0.003
_LEAF = -1


@dataclass(frozen=True)
class Forest:
    """Fitted trees as arrays; a tree's root is node 0, the children of node n are 2 n + 1 (absent) and 2 n + 2.

    ``columns`` (n_features,) are the terms whose presence is asked for, as columns of the vocabulary; ``feature``
    (n_trees, n_nodes) is a node's place in ``columns``, -1 at leaves; ``value`` (n_trees, n_nodes) is the share liked.
    """

    columns: np.ndarray
    feature: np.ndarray
    value: np.ndarray

    def log_odds(self, presence: np.ndarray) -> np.ndarray:
        """(n_papers,) log-odds of the mean over trees; ``presence`` is (n_papers, n_features), of ``columns``."""
        leaves = self._paths(presence)[-1]
        return np.asarray(_log_odds(np.take_along_axis(self.value, leaves, axis=1).mean(axis=0)))

    @property
    def root(self) -> float:
        """The log-odds of papers of which nothing is asked."""
        return float(_log_odds(self.value[:, 0].mean()))

    def contributions(self, presence: np.ndarray) -> np.ndarray:
        """(n_papers, n_features): a row and the root's log-odds add up to the paper's log-odds.

        On its path through a tree a paper's probability changes at each split: the change belongs to the term that
        was asked for (Saabas 2014). What probabilities change by is scaled to what log-odds do.
        """
        root = float(self.value[:, 0].mean())
        changes = np.zeros((len(presence), len(self.columns)))
        paths = self._paths(presence)
        rows = np.broadcast_to(np.arange(len(presence)), paths[0].shape)
        for node, child in pairwise(paths):
            moved = node != child
            feature = np.take_along_axis(self.feature, node, axis=1)[moved]
            change = np.take_along_axis(self.value, child, 1) - np.take_along_axis(self.value, node, 1)
            np.add.at(changes, (rows[moved], feature), change[moved] / len(self.feature))
        total = changes.sum(axis=1)
        log_odds = _log_odds(root + total) - self.root
        scale = np.divide(log_odds, total, out=np.zeros_like(total), where=np.abs(total) > 1e-9)
        return np.asarray(changes * scale[:, None])

    def _paths(self, presence: np.ndarray) -> list[np.ndarray]:
        """For each level the node that each paper is at, (n_trees, n_papers); a leaf stays where it is."""
        has = np.ascontiguousarray(presence.T, dtype=np.int8)
        node = np.zeros((len(self.feature), len(presence)), dtype=np.int64)
        paths = [node]
        papers = np.arange(len(presence))
        for _ in range((self.feature.shape[1] + 1).bit_length() - 2):
            feature = np.take_along_axis(self.feature, node, axis=1)
            if (
                feature == _LEAF
            ).all():  # also where no term was common enough to split by: has is empty then
                break
            node = np.where(feature == _LEAF, node, 2 * node + 1 + has[feature, papers])
            paths.append(node)
        return paths


def fit_forest(
    columns: np.ndarray,
    presence: np.ndarray,
    liked: np.ndarray,
    weight: np.ndarray,
    *,
    trees: int,
    depth: int,
    tried: float,
    seed: int = 0,
) -> Forest:
    """Grows ``trees`` to ``depth``; each split is the best of a random share ``tried`` of the features.

    ``presence`` is (n_papers, n_features) of 0 and 1, ``liked`` and ``weight`` (n_papers,).
    """
    random = np.random.default_rng(seed)
    sides = [(presence[side].astype(np.float32), weight[side].astype(np.float32)) for side in (liked, ~liked)]
    # For liked and other papers the node that each is at in each tree, and for each node their weight.
    nodes = [np.zeros((trees, len(rows)), dtype=np.int64) for rows, _ in sides]
    totals = np.tile(np.array([w.sum() for _, w in sides], np.float32)[:, None, None], (1, trees, 1))
    feature = np.full((trees, 2 ** (depth + 1) - 1), _LEAF, dtype=np.int16)
    value = np.zeros(feature.shape, dtype=np.float32)
    value[:, 0] = totals[0, :, 0] / np.maximum(totals.sum(axis=0)[:, 0], 1e-9)
    for level in range(depth):
        width = 2**level
        tree, node = np.nonzero((totals > 0).all(axis=0))
        if not (len(tree) and len(columns)):
            break
        slot = np.full((trees, width), -1)
        slot[tree, node] = np.arange(len(tree))
        present = np.stack(
            [_counted(slot, at, len(tree), *side) for at, side in zip(nodes, sides, strict=True)]
        )
        own = totals[:, tree, node]
        best, splits = _best_splits(present, own, tried, random)
        has = np.take_along_axis(present, best[None, :, None], axis=2)[:, :, 0] * splits
        children = np.zeros((2, trees, 2 * width), dtype=np.float32)
        for child, part in enumerate((own * splits - has, has)):
            children[:, tree, 2 * node + child] = np.maximum(part, 0)
            share = part[0] / np.maximum(part.sum(axis=0), 1e-9)
            value[tree, 2 * width - 1 + 2 * node + child] = np.where(splits, share, 0)
        feature[tree, width - 1 + node] = np.where(splits, best, _LEAF)
        chosen = np.full((trees, width + 1), _LEAF)  # one more for papers that are at a leaf already: node -1
        chosen[tree, node] = np.where(splits, best, _LEAF)
        nodes = [_moved(at, chosen, rows) for at, (rows, _) in zip(nodes, sides, strict=True)]
        totals = children
    return Forest(columns, feature, value)


def _counted(
    slot: np.ndarray, at: np.ndarray, slots: int, rows: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """(slots, n_features): what the papers at a node that have a feature weigh together."""
    tree, paper = np.nonzero(at >= 0)
    where = slot[tree, at[tree, paper]]
    tree, paper, where = (each[where >= 0] for each in (tree, paper, where))
    belongs = np.zeros((slots, len(rows)), dtype=np.float32)
    belongs[where, paper] = weight[paper]
    return np.asarray(belongs @ rows)


def _best_splits(
    present: np.ndarray, own: np.ndarray, tried: float, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """(n_nodes,) the feature that each node is split by, by the Gini index, and whether any parts it."""
    absent = own[:, :, None] - present
    weights = present.sum(axis=0), absent.sum(axis=0)
    least = 1e-5 * own.sum(axis=0)[:, None]
    parts = (weights[0] > least) & (weights[1] > least)
    gain = present[0] ** 2 / np.maximum(weights[0], 1e-9) + absent[0] ** 2 / np.maximum(weights[1], 1e-9)
    # Of the features that part the papers, each node tries those that got the lowest of random numbers.
    drawn = np.where(parts, random.random(gain.shape, dtype=np.float32), 2)
    count = max(1, int(tried * gain.shape[1]))
    highest = np.partition(drawn, count - 1, axis=1)[:, count - 1 : count]
    gain[(drawn > highest) | ~parts] = -1
    return gain.argmax(axis=1), parts.any(axis=1)


def _moved(at: np.ndarray, chosen: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The nodes of the next level that papers come to; -1 where their node was not split."""
    feature = np.take_along_axis(chosen, at, axis=1)
    has = rows.T[feature, np.arange(len(rows))] > 0
    return np.where(feature == _LEAF, -1, 2 * at + has)


def _log_odds(probability: np.ndarray) -> np.ndarray:
    p = np.clip(probability, _SUREST, 1 - _SUREST)
    return np.asarray(np.log(p / (1 - p)))
