"""The models that are fitted to votes, a linear model and trees over one vocabulary.

    votes and background --learn--> Learned --dump--> bytes --load--> Learned

A vote has weight 1 with time decay. Earlier papers without a vote are added as disliked ones (background). To the
logistic regression, which learns what each term contributes by itself, the profile's interests are one more liked
paper. Extremely randomised trees (Geurts 2006) on the presence of terms learn conjunctions and exceptions. All trees
grow at the same time, level by level: with binary features, one matrix product gives the child weights of every split
of every node, in a third of scikit-learn's time.

The bytes are arrays, never a pickle, which could run code: a header with vocabulary, intercept and lengths, the linear
model's columns as a bit for each term of the vocabulary, its weights, and the trees, compressed. ``numpy.savez`` takes
four times as long to load.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from bot.ranking.corpus import Corpus

# Inverse strength of the L2 penalty; from 1 to 30 no difference was measured.
_C = 3.0
# A hundred times the default: three steps of Newton's method instead of five, at no measured difference.
_TOLERANCE = 0.01


@dataclass(frozen=True)
class Linear:
    """A linear model over a part of the vocabulary, its ``columns``."""

    columns: np.ndarray
    weights: np.ndarray
    intercept: float

    def dense(self, terms: int) -> np.ndarray:
        """Return the weights over the whole vocabulary, (n_terms,)."""
        weights = np.zeros(terms, dtype=np.float32)
        weights[self.columns] = self.weights
        return weights


def fit_linear(rows: sp.csr_matrix, liked: np.ndarray, weight: np.ndarray) -> Linear:
    """Fit to ``rows`` (n_papers, n_terms) of L2 norm 1; ``liked`` and ``weight`` are (n_papers,).

    Papers of one class only teach nothing: the model is then 0 for every paper.
    """
    if liked.all() or not liked.any():  # a home so new that it has no background papers beside those liked
        return Linear(np.array([], int), np.array([], np.float32), 0.0)
    # Without the columns of zeros, which get a weight of 0 anyway: votes use few of the vocabulary's terms.
    columns = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]))
    place = np.zeros(rows.shape[1], dtype=np.int32)
    place[columns] = np.arange(len(columns))
    compact = sp.csr_matrix((rows.data, place[rows.indices], rows.indptr), (rows.shape[0], len(columns)))
    # liblinear takes a fifth of the time of the default solver here.
    model = LogisticRegression(C=_C, solver="liblinear", tol=_TOLERANCE).fit(compact, liked, weight)
    return Linear(columns, model.coef_.ravel().astype(np.float32), float(model.intercept_[0]))


# Probabilities are clipped to this distance from 0 and 1: a few hundred votes can't estimate more extreme ones.
_MIN_PROBABILITY = 0.003
_LEAF = -1


@dataclass(frozen=True)
class Forest:
    """Fitted trees as arrays; a tree's root is node 0, the children of node n are 2 n + 1 (absent) and 2 n + 2.

    ``columns`` (n_features,) are the features as columns of the vocabulary. ``feature`` (n_trees, n_nodes) is the index
    into ``columns`` that a node is split by, -1 at leaves. ``value`` (n_trees, n_nodes) is the share of liked papers.
    """

    columns: np.ndarray
    feature: np.ndarray
    value: np.ndarray

    def log_odds(self, presence: np.ndarray) -> np.ndarray:
        """Return log-odds (n_papers,) of the mean over trees; ``presence`` is (n_papers, n_features)."""
        leaves = self._paths(presence)[-1]
        return np.asarray(_log_odds(self.value.ravel().take(leaves).mean(axis=0)))

    @cached_property
    def root(self) -> float:
        """The log-odds before any split."""
        return float(_log_odds(self.value[:, 0].mean()))

    def contributions(self, presence: np.ndarray) -> np.ndarray:
        """Return (n_papers, n_features): a row and the root's log-odds sum to the paper's log-odds.

        On a paper's path through a tree the probability changes at each split: the change is attributed to the term
        of the split (Saabas 2014). The changes of probabilities are scaled to those of log-odds.
        """
        paths = np.stack(self._paths(presence))
        nodes = paths[:-1]
        children = paths[1:]
        moved = nodes != children
        rows = np.broadcast_to(np.arange(len(presence)), moved.shape)[moved]
        feature = self.feature.ravel().take(nodes[moved])
        change = self.value.ravel().take(children[moved]) - self.value.ravel().take(nodes[moved])
        # A sum over all levels at once, as floats even without entries: ``np.add.at`` for each level is slower.
        shape = (len(presence), len(self.columns))
        places = rows * shape[1] + feature
        changes = np.bincount(places, change / len(self.feature), shape[0] * shape[1]).astype(float).reshape(shape)
        total = changes.sum(axis=1)
        log_odds = _log_odds(float(self.value[:, 0].mean()) + total) - self.root
        scale = np.divide(log_odds, total, out=np.zeros_like(total), where=np.abs(total) > 1e-9)
        return np.asarray(changes * scale[:, None])

    @cached_property
    def _splits(self) -> tuple[np.ndarray, np.ndarray]:
        """(n_trees * n_nodes,): the child of each node for papers without its feature, and the feature.

        Flat arrays and ``take`` need half of the time of indices by tree and node. Leaves are split by a feature that
        no paper has, and are their own children.
        """
        trees, nodes = self.feature.shape
        is_leaf = self.feature == _LEAF
        place = np.arange(nodes)
        child = np.where(is_leaf, place, 2 * place + 1)
        absent = (np.arange(trees)[:, None] * nodes + child).ravel()
        return absent, np.where(is_leaf, len(self.columns), self.feature).ravel().astype(int)

    def _paths(self, presence: np.ndarray) -> list[np.ndarray]:
        """Return each level's nodes (n_trees, n_papers); a paper stays at its leaf.

        Nodes are numbered over all trees, as in ``feature.ravel()``.
        """
        trees, nodes = self.feature.shape
        absent, split_by = self._splits
        papers = np.arange(len(presence))
        has_row = split_by * len(papers)
        has = np.zeros((len(self.columns) + 1, len(papers)), dtype=np.int8)
        has[:-1] = presence.T
        node = np.broadcast_to(np.arange(trees)[:, None] * nodes, (trees, len(papers)))
        paths = [node]
        for _ in range((nodes + 1).bit_length() - 2):
            node = absent.take(node) + has.ravel().take(has_row.take(node) + papers)
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
    max_features: float,
) -> Forest:
    """Grow ``trees`` to ``depth``; each split is the best of a random share ``max_features`` of the features.

    ``presence`` is (n_papers, n_features) of 0 and 1, ``liked`` and ``weight`` (n_papers,).
    """
    random = np.random.default_rng(0)
    # Everything is computed per class, liked and disliked: for each class the node of each paper in each tree, and the
    # weight of the papers at each node.
    classes = [(presence[mask].astype(np.float32), weight[mask].astype(np.float32)) for mask in (liked, ~liked)]
    nodes = [np.zeros((trees, len(rows)), dtype=np.int64) for rows, _ in classes]
    totals = np.tile(np.array([w.sum() for _, w in classes], np.float32)[:, None, None], (1, trees, 1))
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
        by_class = zip(nodes, classes, strict=True)
        present = np.stack([_feature_weights(slot, node_of, len(tree), *papers) for node_of, papers in by_class])
        node_weights = totals[:, tree, node]
        best, splits = _best_splits(present, node_weights, max_features, random)
        has = np.take_along_axis(present, best[None, :, None], axis=2)[:, :, 0] * splits
        children = np.zeros((2, trees, 2 * width), dtype=np.float32)
        for child, part in enumerate((node_weights * splits - has, has)):
            children[:, tree, 2 * node + child] = np.maximum(part, 0)
            share = part[0] / np.maximum(part.sum(axis=0), 1e-9)
            value[tree, 2 * width - 1 + 2 * node + child] = np.where(splits, share, 0)
        feature[tree, width - 1 + node] = np.where(splits, best, _LEAF)
        # One column more than nodes: papers that are at a leaf already have node -1, which indexes the last.
        split_by = np.full((trees, width + 1), _LEAF)
        split_by[tree, node] = np.where(splits, best, _LEAF)
        for number, (rows, _) in enumerate(classes):
            papers_feature = np.take_along_axis(split_by, nodes[number], axis=1)
            has_feature = rows.T[papers_feature, np.arange(len(rows))] > 0
            nodes[number] = np.where(papers_feature == _LEAF, -1, 2 * nodes[number] + has_feature)
        totals = children
    return Forest(columns, feature, value)


def _feature_weights(
    slot: np.ndarray, node_of: np.ndarray, slots: int, rows: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Return the weight of the papers at each node that have each feature, (slots, n_features)."""
    tree, paper = np.nonzero(node_of >= 0)
    slot_of = slot[tree, node_of[tree, paper]]
    in_slot = slot_of >= 0
    membership = np.zeros((slots, len(rows)), dtype=np.float32)
    membership[slot_of[in_slot], paper[in_slot]] = weight[paper[in_slot]]
    return np.asarray(membership @ rows)


def _best_splits(
    present: np.ndarray, node_weights: np.ndarray, max_features: float, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the feature of the best split of each node by the Gini index, and whether there is any; (n_nodes,)."""
    absent = node_weights[:, :, None] - present
    present_weight = present.sum(axis=0)
    absent_weight = absent.sum(axis=0)
    # Not 0: the difference of two float32 sums is seldom exactly 0 where no paper lacks the feature.
    minimum = 1e-5 * node_weights.sum(axis=0)[:, None]
    valid = (present_weight > minimum) & (absent_weight > minimum)
    gain = present[0] ** 2 / np.maximum(present_weight, 1e-9) + absent[0] ** 2 / np.maximum(absent_weight, 1e-9)
    # A random subset of the valid features for each node: those with the lowest random numbers, 2 marking invalid ones.
    drawn = np.where(valid, random.random(gain.shape, dtype=np.float32), 2)
    count = max(1, int(max_features * gain.shape[1]))
    threshold = np.partition(drawn, count - 1, axis=1)[:, count - 1 : count]
    gain[(drawn > threshold) | ~valid] = -1
    return gain.argmax(axis=1), valid.any(axis=1)


def _log_odds(probability: np.ndarray) -> np.ndarray:
    p = np.clip(probability, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    return np.asarray(np.log(p / (1 - p)))


# ``docs/decisions/ranking-experts.md`` has other values.
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
    """The models of one reader's votes, and the hash of the vocabulary that they were fitted over."""

    linear: Linear
    forest: Forest
    vocabulary: int


def learn(corpus: Corpus, votes: TrainingVotes) -> Learned:
    """Fit both models to at least one vote; papers' rows are those of ``corpus.transform``."""
    rows = sp.vstack([votes.rows, votes.background], format="csr")
    liked = np.concatenate([votes.liked, np.zeros(votes.background.shape[0], bool)])
    background_weight = _BACKGROUND_WEIGHT * votes.weight.sum() / max(votes.background.shape[0], 1)
    weight = np.concatenate([votes.weight, np.full(votes.background.shape[0], background_weight)])
    lexical = sp.vstack([corpus.lexical(rows), corpus.lexical(votes.interests)], format="csr")
    linear = fit_linear(lexical, np.append(liked, True), np.append(weight, _INTERESTS_WEIGHT))
    columns = _select_terms(rows, lexical[:-1], liked, weight, linear)
    presence = np.asarray((rows[:, columns] != 0).toarray(), dtype=np.int8)
    forest = fit_forest(columns, presence, liked, weight, trees=_TREES, depth=_DEPTH, max_features=_MAX_FEATURES)
    return Learned(linear, forest, corpus.identity)


def _select_terms(
    rows: sp.csr_matrix, lexical: sp.csr_matrix, liked: np.ndarray, weight: np.ndarray, linear: Linear
) -> np.ndarray:
    """Return the columns of the terms that the trees may split by."""
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


# Format, vocabulary, intercept of the linear model; bytes of its columns, its terms, those of the trees; trees, and
# the nodes of each.
_HEADER = struct.Struct("<4sqd5I")
_FORMAT = b"PBM2"
_INDEX, _FEATURE, _VALUE = "<i4", "<i2", "<f4"


def dump(learned: Learned) -> bytes:
    """Return the models as some 50 KB; the linear model's columns must be in ascending order."""
    linear, forest = learned.linear, learned.forest
    is_used = np.zeros(int(linear.columns.max(initial=-1)) + 1, dtype=bool)
    is_used[linear.columns] = True
    columns = np.packbits(is_used).tobytes()
    lengths = (len(columns), len(linear.columns), len(forest.columns), *forest.feature.shape)
    trees = [forest.columns.astype(_INDEX), forest.feature.astype(_FEATURE), forest.value.astype(_VALUE)]
    header = _HEADER.pack(_FORMAT, learned.vocabulary, linear.intercept, *lengths)
    weights = linear.weights.astype(_VALUE).tobytes()
    return header + columns + weights + zlib.compress(b"".join(array.tobytes() for array in trees))


def load(archive: bytes) -> Learned:
    """Return the models that ``dump`` wrote; raise ValueError for anything else."""
    try:
        version, vocabulary, intercept, size, terms, features, trees, nodes = _HEADER.unpack_from(archive)
        if version != _FORMAT:
            raise ValueError(f"no stored models: format {version!r}, not {_FORMAT!r}")
        end = _HEADER.size + size + terms * np.dtype(_VALUE).itemsize
        body = archive[_HEADER.size : end] + zlib.decompress(archive[end:])
    except (struct.error, zlib.error) as error:
        raise ValueError(f"no stored models: {error}") from error
    layout = np.dtype(
        [
            ("is_used", "u1", (size,)),
            ("weights", _VALUE, (terms,)),
            ("forest_columns", _INDEX, (features,)),
            ("feature", _FEATURE, (trees, nodes)),
            ("value", _VALUE, (trees, nodes)),
        ]
    )
    if layout.itemsize != len(body):
        raise ValueError(f"no stored models: {len(body)} bytes, not {layout.itemsize}")
    arrays = np.frombuffer(body, layout)[0]
    columns = np.flatnonzero(np.unpackbits(arrays["is_used"]))
    if len(columns) != terms:
        raise ValueError(f"no stored models: {len(columns)} columns, not {terms}")
    forest = Forest(arrays["forest_columns"], arrays["feature"], arrays["value"])
    return Learned(Linear(columns, arrays["weights"], intercept), forest, vocabulary)
