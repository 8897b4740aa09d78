"""The models fitted to a reader's votes as bytes: arrays, never a pickle, which could run code.

A header has the vocabulary, the intercept and the lengths of the arrays; then come the linear model's columns as a bit
for each term of the vocabulary, its weights, and the trees, compressed. ``numpy.savez`` writes a header in Python
syntax for each array: parsing them took three quarters of the time of loading a model. Columns as numbers, and all
arrays compressed in one piece, took a tenth more space and four times as long to load: weights hardly compress.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from bot.ranking.learner import Learned
from bot.ranking.linear import Linear
from bot.ranking.trees import Forest

# Format, vocabulary, intercept of the linear model; bytes of its columns, its terms, those of the trees; trees, and
# the nodes of each.
_HEADER = struct.Struct("<4sqd5I")
_FORMAT = b"PBM2"
_INDEX, _FEATURE, _VALUE = "<i4", "<i2", "<f4"


def dump(learned: Learned) -> bytes:
    """Return the models as an archive, some 50 KB; the columns of the linear model are in ascending order."""
    linear, forest = learned.linear, learned.forest
    is_used = np.zeros(int(linear.columns.max(initial=-1)) + 1, dtype=bool)
    is_used[linear.columns] = True
    columns = np.packbits(is_used).tobytes()
    lengths = (len(columns), len(linear.columns), len(forest.columns), *forest.feature.shape)
    trees = [
        forest.columns.astype(_INDEX),
        forest.feature.astype(_FEATURE),
        forest.value.astype(_VALUE),
    ]
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
