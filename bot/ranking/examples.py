"""A reader's interests and thumbs as one training set.

Interests are positive examples that count less the more thumbs there are: they speak for the reader until
the reader does. The background is papers nobody voted on; most of them are not wanted, so together they are
one weak negative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

# The interests weigh as much as this many thumbs up, shared among their paragraphs.
_INTERESTS_WORTH = 4.0
# With this many thumbs, the interests' worth has halved.
_INTERESTS_HALVED_AT = 8.0
# All the background together weighs as much as this many thumbs down.
_BACKGROUND_WORTH = 4.0


class Examples(NamedTuple):
    """Rows, labels (1 wanted, 0 not) and weights for a classifier."""

    X: sp.csr_matrix
    y: np.ndarray
    sample_weight: np.ndarray


def examples(
    interests: sp.csr_matrix, up: sp.csr_matrix, down: sp.csr_matrix, background: sp.csr_matrix
) -> Examples:
    """Each argument is (n, n_terms), and may have no rows; positives and negatives weigh the same in the end."""
    thumbs = up.shape[0] + down.shape[0]
    worth = _INTERESTS_WORTH / (1 + thumbs / _INTERESTS_HALVED_AT)
    positive = np.concatenate([_shared(worth, interests.shape[0]), np.ones(up.shape[0])])
    negative = np.concatenate([np.ones(down.shape[0]), _shared(_BACKGROUND_WORTH, background.shape[0])])
    weights = np.concatenate([positive / max(positive.sum(), 1), negative / max(negative.sum(), 1)])
    return Examples(
        X=sp.vstack([interests, up, down, background], format="csr"),
        y=np.repeat([1, 0], [len(positive), len(negative)]),
        sample_weight=weights * len(weights),
    )


def _shared(worth: float, rows: int) -> np.ndarray:
    return np.full(rows, worth / max(rows, 1))
