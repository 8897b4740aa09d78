"""Keyword digests as people send them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, RawDigest

DIGEST = Path(__file__).with_name("made").joinpath("keyword.txt").read_text()
OWLS, BEES = parse(RawDigest("test", "digest.txt", DIGEST.encode()))[0].entries


def read(text: str) -> ParsedDigest:
    (digest,) = parse(RawDigest("test", "digest.txt", text.encode()))
    return digest


def changed(old: str, new: str) -> ParsedDigest:
    assert old in DIGEST
    return read(DIGEST.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Authors:", "Authors: "),
        ("Authors:", "Authors :"),
        ("Authors:", "  AUTHORS : "),
        ("Authors:Karl", "Author:Karl"),
        ("Date:", "Date : "),
        ("Date:2025-05-04 01:02:03", "Date:2025-05-04"),
        ("\n", "\n\n"),
        ("\n", "\n\n\n\n"),
        ("\n", "  \n"),
        ("\n\nAuthors", "\nAuthors"),
        ("\n\nBees by Day", "\nBees by Day"),
        ("\n\n", "\n"),
        ("Owls at Night", "Owls\nat Night"),
        ("Owls see well. They", "Owls see well.\n\nThey"),
        ("Owls see well. They", "Owls see\nwell. They"),
        ("Ada Lovelace, Charles Babbage", "Ada Lovelace,\nCharles Babbage"),
        ("Ada Lovelace, Charles Babbage", "Ada Lovelace and Charles Babbage"),
        ("Ada Lovelace, Charles Babbage", "Ada Lovelace; Charles Babbage,"),
        ("four.\n", "four."),
        ("LLM-RL", "Hello everyone,\n\nhere is the latest:\n\nLLM-RL"),
        ("LLM-RL - 2025", "LLM-RL \u2013 2025"),
    ],
)
def test_variants_of_writing_give_the_same_papers(old: str, new: str) -> None:
    assert changed(old, new) == read(DIGEST)


def test_date_and_authors_are_read_in_either_order() -> None:
    text = DIGEST.replace(
        "Authors:Karl von Frisch\nDate:2025-05-04 01:02:03", "Date:2025-05-04\n\nAuthors:Karl von Frisch"
    )
    assert read(text) == read(DIGEST)


@pytest.mark.parametrize("header", ["LLM-RL - 2025-05-06", "LLM-RL - 2025-05-06\n\n\n"])
def test_a_header_alone_is_a_digest_without_papers(header: str) -> None:
    assert read(header) == ParsedDigest("keyword", "LLM-RL", date(2025, 5, 6), ())


def test_any_topic_is_accepted_and_an_impossible_day_left_out() -> None:
    assert changed("LLM-RL", "Owls - and (other) birds").topic == "Owls - and (other) birds"
    digest = changed("2025-05-06", "2025-13-06")
    assert (digest.date, digest.entries) == (None, (OWLS, BEES))


NAMES = ("Sammy Davis, Jr.", "Henry Tudor", "VIII", "John Sr", "Louis XIV", "Otto, III")


@pytest.mark.parametrize(
    ("old", "new", "entries"),
    [
        # Tags that a publisher left.
        ("Owls at Night", "<i>Owls</i> at Night", (OWLS, BEES)),
        ("Owls see well.", "<p>Owls see well.</p>", (OWLS, BEES)),
        *(
            ("Date:2025-05-05 17:39:35", line, (replace(OWLS, published=None), BEES))
            for line in ("", "Date:", "Date:yesterday", "Date:2025-02-30", "Date:2025-05-09", "Date:9999-12-31")
        ),
        ("Date:2025-05-05", "Date:2025-05-08", (replace(OWLS, published=date(2025, 5, 8)), BEES)),  # two days ahead
        ("Authors:Karl von Frisch\n", "", (OWLS, replace(BEES, authors=()))),
        ("Karl von Frisch", ", ".join(NAMES), (OWLS, replace(BEES, authors=NAMES))),
        ("Owls see well. They hear better.\n", "", (replace(OWLS, abstract=""), BEES)),
        ("Bees count to four.", "", (OWLS, replace(BEES, abstract=""))),
        ("Bees by Day", "Bees by Day.", (OWLS, BEES)),
        ("Bees by Day", "Strix apis sp. nov.", (OWLS, replace(BEES, title="Strix apis sp. nov."))),
        (
            "to four.\n",
            "to four.\n\n- honey\n\nCode: https://example.org/bees\n",
            (OWLS, replace(BEES, abstract="Bees count to four. - honey Code: https://example.org/bees")),
        ),
    ],
)
def test_what_a_paper_lacks_or_has_changes_nothing_else(old: str, new: str, entries: tuple[Entry, ...]) -> None:
    digest = changed(old, new)
    assert digest.entries == entries
    assert digest.rejected == ()


@pytest.mark.parametrize(
    ("old", "new", "entries", "problem"),
    [
        ("Bees by Day", "", (OWLS,), "line 12: a paper without a title"),
        ("Owls at Night", "Owls " * 100, (BEES,), "line 5: a paper without a title"),
        (
            "Bees count to four.",
            "Bees count. " * 10_000,
            (OWLS,),
            'line 12: the abstract of "Bees by Day" has 119,999 characters',
        ),
        (
            "Authors:Ada Lovelace, Charles Babbage\nDate:2025-05-05 17:39:35\n",
            "",
            (BEES,),
            'line 3: no authors or date belong to "Owls at Night"',
        ),
        (
            "to four.\n",
            "to four.\n\nA Title That Was Cut\n",
            (OWLS, BEES),
            'line 17: nothing follows "A Title That Was Cut"; is the file cut off?',
        ),
    ],
)
def test_what_belongs_to_no_paper_is_rejected_alone(
    old: str, new: str, entries: tuple[Entry, ...], problem: str
) -> None:
    digest = changed(old, new)
    assert digest.entries == entries
    assert digest.rejected[-1] == problem


@pytest.mark.parametrize("lost", ["Bees by Day\n\n", "Owls see well. They hear better.\n\nBees by Day"])
def test_two_bylines_in_a_row_lack_a_title(lost: str) -> None:
    assert changed(lost, "").rejected == ("line 10: a paper without a title",)


def test_two_digests_in_one_file_are_two() -> None:
    later = DIGEST.replace("LLM-RL - 2025-05-06", "Birds - 2025-05-07")
    digests = parse(RawDigest("test", "two.txt", f"{DIGEST}\n{later}".encode()))
    assert [(digest.topic, digest.date) for digest in digests] == [
        ("LLM-RL", date(2025, 5, 6)),
        ("Birds", date(2025, 5, 7)),
    ]
    assert [digest.entries for digest in digests] == [(OWLS, BEES), (OWLS, BEES)]


def test_an_empty_digest_before_a_full_one_is_kept() -> None:
    digests = parse(RawDigest("test", "two.txt", f"Birds - 2025-05-05\n\n{DIGEST}".encode()))
    assert [len(digest.entries) for digest in digests] == [0, 2]


def test_line_numbers_are_those_of_the_file() -> None:
    broken = DIGEST.replace("Bees by Day", "")
    _, second = parse(RawDigest("test", "two.txt", f"{DIGEST}\n{broken}".encode()))
    assert second.rejected == ("line 28: a paper without a title",)
