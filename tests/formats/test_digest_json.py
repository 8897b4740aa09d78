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
from bot.model import Entry, Fact, FactKind, ParsedDigest, RawDigest
from bot.model.errors import DigestError

CROSSREF = {
    "indexed": {"date-parts": [[2026, 5, 12]]},
    "DOI": "10.1000/owl.1",
    "type": "journal-article",
    "created": {"date-parts": [[2026, 5, 11]]},
    "title": ["Owls &amp; bees: CO<sub>2</sub> at night"],
    "author": [
        {"given": "Ada", "family": "Lovelace", "affiliation": [{"name": "Owl Institute"}]},
        {"name": "Owl Collaboration"},
    ],
    "container-title": ["Journal of Owls"],
    "abstract": "<jats:title>Abstract</jats:title>\n <jats:sec><jats:title>Background</jats:title><jats:p>Owls "
    "<jats:italic>see</jats:italic>.</jats:p></jats:sec><jats:sec><jats:title>Methods:</jats:title>"
    "<jats:p>We count.</jats:p></jats:sec>",
    # Issues often have no day.
    "issued": {"date-parts": [[2026, 6]]},
    "published-online": {"date-parts": [[2026, 5, 11]]},
    "URL": "https://doi.org/10.1000/owl.1",
}
CROSSREF_ENTRY = Entry(
    "Owls & bees: CO2 at night",
    "Background: Owls see. Methods: We count.",
    authors=("Ada Lovelace", "Owl Collaboration"),
    published=date(2026, 5, 11),
    doi="10.1000/owl.1",
    facts=(Fact(FactKind.VENUE, "Journal of Owls", "Crossref"),),
)
FEED = {"version": "https://jsonfeed.org/version/1.1", "title": "Owls"}
S2 = {
    "paperId": "a1",
    "externalIds": {"ArXiv": "2605.00001", "DOI": "10.48550/arXiv.2605.00001"},
    "title": "Owls",
    "abstract": None,
    "tldr": {"model": "x", "text": "Owls see."},
    "venue": "arXiv.org",
    "publicationDate": "2026-05-01",
    "authors": [{"authorId": "1", "name": "Ada Lovelace"}],
}
S2_ENTRY = Entry("Owls", "Owls see.", authors=("Ada Lovelace",), published=date(2026, 5, 1), arxiv_id="2605.00001")


def read(answer: Any) -> ParsedDigest:
    (digest,) = parse(RawDigest("test", "x", json.dumps(answer, indent=1).encode()))
    return digest


@pytest.mark.parametrize(
    ("answer", "name", "day", "entries"),
    [
        (
            {
                **FEED,
                "items": [
                    {
                        "id": "https://doi.org/10.1000/owl.9",
                        "title": "Owls &amp; <i>bees</i>",
                        "content_html": "<p>Owls see.</p><p>They hear.</p>",
                        # Feeds made from RSS have all authors in one name.
                        "author": {"name": "Ada Lovelace, Grace Hopper"},
                        "date_published": "2026-05-11T10:00:00-04:00",
                    }
                ],
            },
            "json-feed",
            date(2026, 5, 11),
            [
                Entry(
                    "Owls & bees",
                    "Owls see. They hear.",
                    authors=("Ada Lovelace", "Grace Hopper"),
                    published=date(2026, 5, 11),
                    doi="10.1000/owl.9",
                    url="https://doi.org/10.1000/owl.9",
                )
            ],
        ),
        ({**FEED, "items": []}, "json-feed", None, []),
        (
            {"status": "ok", "message-type": "work-list", "message": {"items": [CROSSREF, {"type": "journal-issue"}]}},
            "crossref",
            date(2026, 5, 11),
            [CROSSREF_ENTRY],
        ),
        ({"status": "ok", "message": CROSSREF}, "crossref", date(2026, 5, 11), [CROSSREF_ENTRY]),
        (
            {
                "version": "6.9",
                "resultList": {
                    "result": [
                        {
                            "id": "4",
                            "source": "MED",
                            "title": "Owls in Europe.",
                            "authorString": "Lovelace A, Hopper GM.",
                            "abstractText": "<h4>Background</h4>Owls see.",
                            "journalTitle": "J Owls",
                            "firstPublicationDate": "2026-05-10",
                        },
                        {
                            "id": "PPR9",
                            "source": "PPR",
                            "title": "Bees",
                            "authorString": "Turing A.",
                            "authorList": {
                                "author": [{"fullName": "Turing A", "firstName": "Alan", "lastName": "Turing"}]
                            },
                            "bookOrReportDetails": {"publisher": "bioRxiv"},
                        },
                    ]
                },
            },
            "europepmc",
            None,
            [
                Entry(
                    "Owls in Europe",
                    "Background: Owls see.",
                    authors=("A Lovelace", "GM Hopper"),
                    published=date(2026, 5, 10),
                    url="https://europepmc.org/article/MED/4",
                    facts=(Fact(FactKind.VENUE, "J Owls", "Europe PMC"),),
                ),
                Entry("Bees", authors=("Alan Turing",), url="https://europepmc.org/article/PPR/PPR9"),
            ],
        ),
        ({"total": 1, "offset": 0, "data": [S2]}, "semantic-scholar", None, [S2_ENTRY]),
        ({"offset": 0, "data": [{"isInfluential": False, "citingPaper": S2}]}, "semantic-scholar", None, [S2_ENTRY]),
        ({"recommendedPapers": [S2]}, "semantic-scholar", None, [S2_ENTRY]),
        ([S2], "semantic-scholar", None, [S2_ENTRY]),
        (S2, "semantic-scholar", None, [S2_ENTRY]),
        (
            {
                "total": 1,
                "results": [
                    {
                        "created_date": "2026-05-11T00:00:00Z",
                        "bibjson": {
                            "title": "Owls",
                            "author": [{"name": "Ada Lovelace"}],
                            "identifier": [
                                {"type": "eissn", "id": "1234-5678"},
                                {"type": "doi", "id": "10.1000/owl.5"},
                            ],
                            "journal": {"title": "Owls Open"},
                        },
                    }
                ],
            },
            "doaj",
            date(2026, 5, 11),
            [
                Entry(
                    "Owls",
                    authors=("Ada Lovelace",),
                    published=date(2026, 5, 11),
                    doi="10.1000/owl.5",
                    facts=(Fact(FactKind.VENUE, "Owls Open", "DOAJ"),),
                )
            ],
        ),
        (
            {
                "data": [
                    {
                        "attributes": {
                            "doi": "10.1000/data",
                            "titles": [{"title": "Owls"}],
                            "creators": [
                                {"name": "Lovelace, Ada", "givenName": "Ada", "familyName": "Lovelace"},
                                {"name": "Hopper, Grace"},
                            ],
                        }
                    }
                ]
            },
            "datacite",
            None,
            [Entry("Owls", authors=("Ada Lovelace", "Grace Hopper"), doi="10.1000/data")],
        ),
        (
            {
                "hits": {
                    "hits": [
                        {
                            "id": "7",
                            "metadata": {
                                "titles": [{"title": "Owls"}],
                                "authors": [{"full_name": "Lovelace, Ada"}],
                                "arxiv_eprints": [{"value": "2605.00001", "categories": ["hep-th"]}],
                                "preprint_date": "2026-05-01",
                            },
                        }
                    ]
                }
            },
            "inspire",
            None,
            [Entry("Owls", authors=("Ada Lovelace",), published=date(2026, 5, 1), arxiv_id="2605.00001")],
        ),
        (
            {
                "id": "https://openalex.org/W1",
                "doi": "https://doi.org/10.1000/owl.6",
                "title": "Owls",
                "authorships": [{"author": {"display_name": "Ada Lovelace"}}],
                "abstract_inverted_index": {"see.": [1], "Owls": [0]},
            },
            "openalex",
            None,
            [Entry("Owls", "Owls see.", authors=("Ada Lovelace",), doi="10.1000/owl.6")],
        ),
    ],
)
def test_an_answer_is_read(answer: Any, name: str, day: date | None, entries: list[Entry]) -> None:
    digest = read(answer)
    assert (digest.format, digest.date, list(digest.entries), digest.rejected) == (name, day, entries, ())


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
        (7, "no digest that Paperbot knows"),
    ],
)
def test_other_json_is_refused_by_what_it_is(answer: Any, message: str) -> None:
    with pytest.raises(DigestError, match=message):
        read(answer)


KEYS = [
    *CROSSREF,
    *S2,
    *FEED,
    "items",
    "message",
    "data",
    "results",
    "meta",
    "count",
    "collection",
    "resultList",
    "result",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.sampled_from(["2026-05-11", "a, b; c"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner),
)


@given(JSON | st.builds(lambda items: {**FEED, "items": items}, st.lists(JSON)))
def test_any_json_is_read_or_refused(answer: Any) -> None:
    with contextlib.suppress(DigestError):
        JSON_LIST.parse(json.dumps(answer).encode())
