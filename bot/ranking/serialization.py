"""The models fitted to a reader's votes as bytes: arrays, never a pickle, which could run code.

A header has the vocabulary, the intercept and the lengths of the arrays; then come the arrays, compressed in one piece.
``numpy.savez`` writes a header in Python syntax for each array: parsing them took three quarters of the time of loading
a model.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from bot.ranking.learner import Learned
from bot.ranking.linear import Linear
from bot.ranking.trees import Forest

# Format, vocabulary, intercept of the linear model; terms of the linear model, of the trees; trees, nodes of each.
_HEADER = struct.Struct("<4sqd4I")
_FORMAT = b"PBM1"
_INDEX, _FEATURE, _VALUE = "<i4", "<i2", "<f4"


def dump(learned: Learned) -> bytes:
    """Return the models as a compressed archive, some 60 KB."""
    linear, forest = learned.linear, learned.forest
    lengths = (len(linear.columns), len(forest.columns), *forest.feature.shape)
    arrays = [
        linear.columns.astype(_INDEX),
        linear.weights.astype(_VALUE),
        forest.columns.astype(_INDEX),
        forest.feature.astype(_FEATURE),
        forest.value.astype(_VALUE),
    ]
    header = _HEADER.pack(_FORMAT, learned.vocabulary, linear.intercept, *lengths)
    return header + zlib.compress(b"".join(array.tobytes() for array in arrays))


def load(archive: bytes) -> Learned:
    """Return the models that ``dump`` wrote; raise ValueError for anything else."""
    try:
        version, vocabulary, intercept, terms, features, trees, nodes = _HEADER.unpack_from(archive)
        if version != _FORMAT:
            raise ValueError(f"no stored models: format {version!r}, not {_FORMAT!r}")
        body = zlib.decompress(archive[_HEADER.size :])
    except (struct.error, zlib.error) as error:
        raise ValueError(f"no stored models: {error}") from error
    layout = np.dtype(
        [
            ("columns", _INDEX, (terms,)),
            ("weights", _VALUE, (terms,)),
            ("forest_columns", _INDEX, (features,)),
            ("feature", _FEATURE, (trees, nodes)),
            ("value", _VALUE, (trees, nodes)),
        ]
    )
    if layout.itemsize != len(body):
        raise ValueError(f"no stored models: {len(body)} bytes, not {layout.itemsize}")
    arrays = np.frombuffer(body, layout)[0]
    forest = Forest(arrays["forest_columns"], arrays["feature"], arrays["value"])
    return Learned(Linear(arrays["columns"], arrays["weights"], intercept), forest, vocabulary)
