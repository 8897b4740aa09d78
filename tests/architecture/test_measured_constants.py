"""``tests/bench/constants.py`` measures constants that exist, at values that are not the shipped ones."""

from importlib import import_module

import pytest
from constants import EDITION_CONSTANTS, LIBRARY_CONSTANTS, SUMMARY_CONSTANTS

MEASURED = {**LIBRARY_CONSTANTS, **EDITION_CONSTANTS, **SUMMARY_CONSTANTS}


@pytest.mark.parametrize("name", MEASURED)
def test_a_measured_constant_exists_and_is_compared_with_other_values(name):
    path, attribute = name.rsplit(".", 1)
    shipped = getattr(import_module(f"bot.{path}"), attribute)
    assert MEASURED[name]
    assert shipped not in MEASURED[name]
