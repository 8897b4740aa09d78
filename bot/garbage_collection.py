"""Fewer collections of cyclic garbage while much is allocated that is freed without them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Allocations between two collections of the youngest generation; Python's default is 700. Hardly any of what
# composing allocates is cyclic, and collections of the oldest generation walk the corpus.
_ALLOCATIONS = 50_000


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect rarely within; a decorator as well."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_ALLOCATIONS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
