"""Collections are rare within the block only."""

import gc
from contextlib import suppress

from bot.garbage_collection import rare_collections


def test_the_thresholds_are_restored_even_after_an_error():
    before = gc.get_threshold()
    with suppress(ValueError), rare_collections():
        within = gc.get_threshold()
        raise ValueError
    assert gc.get_threshold() == before
    assert within > before
