"""Fits the linear-chain CRF of ``bot/summaries/roles.py``: maximum likelihood with a ridge, by L-BFGS.

Gradients are expected minus observed counts (Lafferty et al. 2001); all sequences run through forward-backward at once.
Labels may be partial: of a sentence with several possible kinds, the observed counts are those expected among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp

RIDGE = 7.0  # 1 / C of a logistic regression
CHAIN_RIDGE = 0.7  # start, end and transitions: few, and seen often
ITERATIONS = 100
NOT_ALLOWED = -1e3


class Chain(NamedTuple):
    """``emission``: features x kinds; ``bias``, ``start`` and ``end``: kinds; ``transition``: from x to."""

    emission: np.ndarray
    bias: np.ndarray
    start: np.ndarray
    end: np.ndarray
    transition: np.ndarray


class Expected(NamedTuple):
    """``log_likelihood`` of the normaliser; expected counts: a row of kinds for each sentence, and of pairs."""

    normaliser: float
    kinds: np.ndarray
    pairs: np.ndarray


def fit(features: sparse.csr_matrix, allowed: np.ndarray, lengths: Sequence[int]) -> Chain:
    """Weights for sentences in rows, of sequences of these lengths, behind one another.

    ``allowed`` has a column for each kind, true where the sentence may have it.
    """
    places = padded(lengths)
    how_many = allowed.shape[1]
    barred = np.where(allowed, 0.0, NOT_ALLOWED)
    last = places.max(axis=1)
    transposed = features.T.tocsr()
    width = features.shape[1]
    shapes = [(width, how_many), (how_many,), (how_many,), (how_many,), (how_many, how_many)]
    ends = np.cumsum([np.prod(shape) for shape in shapes])

    def unpack(flat: np.ndarray) -> Chain:
        parts = np.split(flat, ends[:-1])
        return Chain(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        chain = unpack(flat)
        emissions = features @ chain.emission + chain.bias
        expected = forward_backward(emissions, chain, places)
        observed = forward_backward(emissions + barred, chain, places)
        likelihood = observed.normaliser - expected.normaliser
        surplus = expected.kinds - observed.kinds
        gradient = Chain(
            transposed @ surplus + RIDGE * chain.emission,
            surplus.sum(axis=0),
            surplus[places[:, 0]].sum(axis=0) + CHAIN_RIDGE * chain.start,
            surplus[last].sum(axis=0) + CHAIN_RIDGE * chain.end,
            expected.pairs - observed.pairs + CHAIN_RIDGE * chain.transition,
        )
        of_chain = sum((part**2).sum() for part in (chain.start, chain.end, chain.transition))
        penalty = (RIDGE * (chain.emission**2).sum() + CHAIN_RIDGE * of_chain) / 2
        return penalty - likelihood, np.concatenate([part.ravel() for part in gradient])

    start = np.zeros(ends[-1])
    return unpack(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS}).x)


def padded(lengths: Sequence[int]) -> np.ndarray:
    """A row for each sequence with the numbers of its sentences, then -1."""
    places = np.full((len(lengths), max(lengths)), -1)
    first = 0
    for row, length in zip(places, lengths, strict=True):
        row[:length] = np.arange(first, first + length)
        first += length
    return places


def forward_backward(emissions: np.ndarray, chain: Chain, places: np.ndarray) -> Expected:
    """Expected counts under the model, in log space."""
    inside = (places >= 0)[:, :, None]
    local = np.where(inside, emissions[places], 0.0)
    forward = np.zeros_like(local)
    backward = np.zeros_like(local)
    forward[:, 0] = local[:, 0] + chain.start
    steps = places.shape[1]
    for t in range(1, steps):
        ahead = logsumexp(forward[:, t - 1, :, None] + chain.transition, axis=1) + local[:, t]
        forward[:, t] = np.where(inside[:, t], ahead, forward[:, t - 1])
    backward[:, -1] = chain.end
    for t in range(steps - 2, -1, -1):
        behind = logsumexp(chain.transition + (local[:, t + 1] + backward[:, t + 1])[:, None, :], axis=2)
        backward[:, t] = np.where(inside[:, t + 1], behind, chain.end)
    normalisers = logsumexp(forward[:, -1] + chain.end, axis=1)
    kinds = np.zeros_like(emissions)
    kinds[places[places >= 0]] = np.exp(forward + backward - normalisers[:, None, None])[places >= 0]
    pairs = np.zeros_like(chain.transition)
    for t in range(1, steps):
        ahead = (local[:, t] + backward[:, t])[:, None, :] - normalisers[:, None, None]
        joint = np.exp(forward[:, t - 1, :, None] + chain.transition + ahead)
        pairs += (joint * inside[:, t, :, None]).sum(axis=0)
    return Expected(float(normalisers.sum()), kinds, pairs)
