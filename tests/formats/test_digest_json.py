"""Answers of APIs in JSON, and JSON Feed; those of sources have tests of their own."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.json_lists import JSON_LIST
from bot.formats.registry import parse
from bot.model import ParsedDigest, RawDigest
from bot.model.errors import DigestError

FEED = {"version": "https://jsonfeed.org/version/1.1", "title": "Owls"}


def read(answer: Any) -> ParsedDigest:
    (digest,) = parse(RawDigest("test", "x", json.dumps(answer, indent=1).encode()))
    return digest


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([{"type": "book", "author": [{"family": "Lovelace"}]}], "a library in CSL-JSON; add it with `paperbot import"),
        ([{"data": {"itemType": "book"}}], "a library in Zotero's JSON; add it with `paperbot import READER FILE`"),
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
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner),
)


@given(JSON | st.builds(lambda items: {**FEED, "items": items}, st.lists(JSON)))
def test_any_json_is_read_or_refused(answer: Any) -> None:
    with contextlib.suppress(DigestError):
        JSON_LIST.parse(json.dumps(answer).encode())
