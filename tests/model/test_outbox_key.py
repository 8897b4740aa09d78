"""The key of an outbox message and its text form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model import OutboxKey


def test_text_form_names_slot_reader_kind_and_part():
    assert str(OutboxKey("17", 4, "slack", 2)) == "17:4:slack:2"
    assert str(OutboxKey("confirmation-20250506T080000", 4, "email")) == "confirmation-20250506T080000:4:email:1"


@given(slot=st.text(), reader=st.integers(0), kind=st.from_regex("[a-z]{1,16}", fullmatch=True), part=st.integers(1))
def test_parsing_the_text_form_gives_the_same_key(slot, reader, kind, part):
    key = OutboxKey(slot, reader, kind, part)
    assert OutboxKey.parse(str(key)) == key


@pytest.mark.parametrize("text", ["", "17", "17:4:email", "17:4:Fax?:1", "17:ada:email:1", "17:4:email:x"])
def test_any_other_text_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - int, the kind and the unpacking each have a message of their own
        OutboxKey.parse(text)
