"""Answers of APIs in JSON, and JSON Feed; those of sources have tests of their own."""

from __future__ import annotations

import contextlib
import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.json_lists import JSON_LIST
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
FEED = {"version": "https://jsonfeed.org/version/1.1", "title": "Owls"}


def read(answer: Any) -> ParsedDigest:
    content = answer if isinstance(answer, bytes) else json.dumps(answer, indent=1).encode()
    (digest,) = parse(RawDigest("test", "x", content))
    return digest


def test_a_list_is_read_with_its_day_and_the_papers_own() -> None:
    owls = Entry(
        title="Owls at Night",
        abstract="Owls see well.",
        authors=("Ada Lovelace", "Grace Hopper"),
        published=date(2026, 5, 30),
        arxiv_id="2606.00467",
        upvotes=7,
        organisation="Owl Lab",
    )
    assert read([ITEM]) == ParsedDigest("huggingface", "Daily Papers", date(2026, 6, 12), (owls,))


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


def test_a_json_feed_within_an_array_is_read() -> None:
    digest = read([7, {**FEED, "items": [{"title": "Owls at Night"}]}])
    assert (digest.topic, digest.entries) == ("Owls", (Entry("Owls at Night"),))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([{"type": "book", "author": [{"family": "Lovelace"}]}], "a library in CSL-JSON; add it with `paperbot import"),
        ([{"data": {"itemType": "book"}}], "a library in Zotero's JSON; add it with `paperbot import READER FILE`"),
        (
            {"CodeSets": [], "References": [{"ItemId": 1, "Title": "Owls"}]},
            "EPPI-Reviewer's JSON; export its references as RIS",
        ),
        ({"notes": [{"content": {"title": {"value": "Owls"}}}]}, "a programme in OpenReview's JSON; .* conference"),
        ({"count": 1, "results": [{"contributions": []}]}, "a programme in Indico's JSON; .*`paperbot conference FILE"),
        ({"schedule": {"conference": {}}}, "a programme in the JSON of pretalx or frab"),
        (
            {"message": "Too Many Requests", "code": "429"},
            'JSON, but none of the lists .*; it says "Too Many Requests"',
        ),
        ({"error": {"message": "no"}}, 'it says "no"'),
        ({**FEED}, "JSON of JSON Feed without a list of papers"),
        ({**FEED, "items": 7}, "JSON of JSON Feed without a list of papers"),
        (7, "no papers in a format that Paperbot reads"),
        ({"title": "A profile", "description": "A schema."}, "JSON, but none of the lists"),
        ([], "JSON, but none of the lists that Paperbot reads: Hugging Face, bioRxiv"),
        (b"[{", "JSON that can't be read"),
        (b"[" * 100_000, "JSON that can't be read"),
        (b"[" + b"1" * 10_000 + b"]", "JSON that can't be read"),
        ([ITEM] * 5_001, "5,001 papers, more than the 5,000"),
    ],
)
def test_other_json_is_refused_by_what_it_is(answer: Any, message: str) -> None:
    with pytest.raises(DigestError, match=message):
        read(answer)


KEYS = (
    "DOI URL abstract author authors collection container-title count created data externalIds family given indexed items"
    " issued message meta name paperId publicationDate published-online result resultList results title tldr type venue"
    " version"
).split()
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.sampled_from(["2026-05-11", "a, b; c"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*KEYS, *ITEM, *ITEM["paper"]]), inner),
)


@given(JSON | st.builds(lambda items: {**FEED, "items": items}, st.lists(JSON)))
def test_any_json_is_read_or_refused(answer: Any) -> None:
    with contextlib.suppress(DigestError):
        JSON_LIST.parse(json.dumps(answer).encode())


@given(st.lists(JSON, max_size=4))
def test_papers_among_any_json_are_read(items: list[Any]) -> None:
    assert read([ITEM, *items]).entries
