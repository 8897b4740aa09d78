"""An address says by which channel it is reached: the kinds' patterns have no text in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels import channel_of, reader_channels

KINDS = [pytest.param(kind, id=kind.name) for kind in reader_channels()]


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_is_a_valid_address_of_its_kind(kind):
    assert channel_of(kind.example) is kind
    assert channel_of(kind.check_address(kind.example)) is kind


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_what_is_meant_for_one_kind_is_meant_for_no_other(kind, data):
    text = data.draw(st.from_regex(kind.pattern, fullmatch=True))
    assert [other.name for other in reader_channels() if other.pattern.fullmatch(text)] == [kind.name]
