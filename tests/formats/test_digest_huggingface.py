"""Hugging Face's Daily Papers as JSON."""

from __future__ import annotations

import contextlib
import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, RawDigest
from bot.model.errors import DigestError

ITEM = {
    "paper": {
        "id": "2606.00467",
        "title": "Owls at\nNight",
        "summary": "Owls see well.",
        "authors": [{"name": "Ada Lovelace"}, {"name": ""}, {"name": "Grace Hopper"}],
        "publishedAt": "2026-05-30T00:00:00.000Z",
        "submittedOnDailyAt": "2026-06-12T00:00:00.000Z",
        "upvotes": 7,
        "organization": {"name": "owl", "fullname": "Owl Lab"},
    },
    "publishedAt": "2026-05-29T20:00:00.000Z",
    "numComments": 2,
}
OWLS = Entry(
    title="Owls at Night",
    abstract="Owls see well.",
    authors=("Ada Lovelace", "Grace Hopper"),
    published=date(2026, 5, 30),
    arxiv_id="2606.00467",
    upvotes=7,
    organisation="Owl Lab",
)


def read(value: Any) -> ParsedDigest:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    (digest,) = parse(RawDigest("test", "x", content))
    return digest


def test_a_list_is_read_with_its_day_and_the_papers_own() -> None:
    assert read([ITEM]) == ParsedDigest("huggingface", "Daily Papers", date(2026, 6, 12), (OWLS,))


def test_what_is_missing_is_left_out_and_a_paper_without_a_title_is_rejected() -> None:
    digest = read([{"paper": {"title": "Bees"}}, {"paper": {"id": "1"}}, "x", {"paper": {"title": "Cats"}}])
    assert digest.entries == (Entry("Bees"), Entry("Cats"))
    assert digest.rejected == ("item 2: a paper without a title", "item 3: a paper without a title")
    assert digest.date is None


@pytest.mark.parametrize("upvotes", [True, -1, 1.5, "7", None, 10**30])
def test_invalid_upvotes_are_left_out(upvotes: Any) -> None:
    assert read([{"paper": {"title": "Bees", "upvotes": upvotes}}]).entries[0].upvotes is None


def test_characters_that_databases_refuse_are_removed() -> None:
    assert read(b'[{"paper": {"title": "A\\u0000\\ud800 B", "authors": 3}}]').entries == (Entry("A B"),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "JSON, but none of the lists that Paperbot reads: Hugging Face, bioRxiv"),
        (b'{"error": "Internal"}', 'JSON, but none of the lists .*; it says "Internal"'),
        (b"[{", "JSON that can't be read"),
        (b"[" * 100_000, "JSON that can't be read"),
        (b"[" + b"1" * 10_000 + b"]", "JSON that can't be read"),
        (json.dumps([ITEM] * 5_001).encode(), "5,001 papers, more than the 5,000"),
    ],
)
def test_other_json_is_refused_by_name(content: bytes, message: str) -> None:
    with pytest.raises(DigestError, match=message):
        read(content)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*ITEM, *ITEM["paper"]]), inner),  # type: ignore[misc]
)


@given(st.lists(JSON, max_size=4))
def test_any_json_is_read_or_refused(items: list[Any]) -> None:
    with contextlib.suppress(DigestError):
        assert len(read([ITEM, *items]).entries) >= 1
