"""Keyword digests as people send them."""

from __future__ import annotations

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


def test_tags_that_a_publisher_left_in_titles_and_abstracts_are_removed() -> None:
    tagged = (
        DIGEST.replace("Owls at Night", "<i>Owls</i> at Night")
        .replace("see well.", "see well.</p> ")
        .replace("Owls see", "<p>Owls see")
    )
    assert read(tagged).entries[0] == OWLS


def test_any_topic_is_accepted() -> None:
    assert changed("LLM-RL", "Owls - and (other) birds").topic == "Owls - and (other) birds"


@pytest.mark.parametrize("header", ["LLM-RL - 2025-05-06", "LLM-RL - 2025-05-06\n\n\n"])
def test_a_header_alone_is_a_digest_without_papers(header: str) -> None:
    assert read(header) == ParsedDigest("keyword", "LLM-RL", date(2025, 5, 6), ())


@pytest.mark.parametrize(
    "line", ["", "Date:", "Date:yesterday", "Date:2025-02-30", "Date:2025-05-09", "Date:9999-12-31"]
)
def test_a_paper_with_an_implausible_date_is_kept_without_it(line: str) -> None:
    digest = changed("Date:2025-05-05 17:39:35", line)
    assert [entry.published for entry in digest.entries] == [None, date(2025, 5, 4)]
    assert [entry.title for entry in digest.entries] == [OWLS.title, BEES.title]
    assert digest.rejected == ()


def test_a_date_two_days_ahead_of_the_digest_is_kept() -> None:
    assert changed("Date:2025-05-05", "Date:2025-05-08").entries[0].published == date(2025, 5, 8)


def test_a_byline_without_authors_separates_papers() -> None:
    digest = changed("Authors:Karl von Frisch\n", "")
    assert digest.entries[1] == Entry(title=BEES.title, abstract=BEES.abstract, published=BEES.published)


def test_a_suffix_belongs_to_the_name_before_it() -> None:
    digest = changed("Karl von Frisch", "Sammy Davis, Jr., Henry Tudor, VIII, John Sr, Louis XIV, Otto, III")
    names = ("Sammy Davis, Jr.", "Henry Tudor", "VIII", "John Sr", "Louis XIV", "Otto, III")
    assert digest.entries[1].authors == names


def test_an_impossible_date_of_a_digest_is_left_out() -> None:
    digest = changed("2025-05-06", "2025-13-06")
    assert digest.date is None
    assert digest.entries == (OWLS, BEES)


def test_a_paper_without_an_abstract_is_kept() -> None:
    digest = changed("Owls see well. They hear better.\n", "")
    assert [entry.title for entry in digest.entries] == [OWLS.title, BEES.title]
    assert [entry.abstract for entry in digest.entries] == ["", BEES.abstract]
    assert changed("Bees count to four.", "").entries[1].abstract == ""


def test_a_title_that_ends_like_a_sentence_is_a_title_below_an_abstract() -> None:
    assert changed("Bees by Day", "Bees by Day.").entries[1].title == "Bees by Day."


def test_a_paper_without_a_title_is_rejected_with_its_line_and_the_others_are_kept() -> None:
    digest = changed("Bees by Day", "")
    assert digest.entries == (OWLS,)
    assert digest.rejected == ("line 12: a paper without a title",)


def test_two_bylines_in_a_row_lack_a_title() -> None:
    digest = changed("Bees by Day\n\n", "").rejected
    assert digest == ("line 10: a paper without a title",)
    digest = changed("Owls see well. They hear better.\n\nBees by Day", "").rejected
    assert digest == ("line 10: a paper without a title",)


def test_a_text_too_long_for_a_title_is_rejected() -> None:
    digest = changed("Owls at Night", "Owls " * 100)
    assert digest.entries == (BEES,)
    assert digest.rejected[-1] == "line 5: a paper without a title"


def test_an_abstract_that_is_too_long_is_rejected() -> None:
    digest = changed("Bees count to four.", "Bees count. " * 10_000)
    assert digest.entries == (OWLS,)
    assert digest.rejected == ('line 12: the abstract of "Bees by Day" has 119,999 characters',)


def test_a_block_without_a_byline_at_the_top_is_rejected() -> None:
    digest = changed("Authors:Ada Lovelace, Charles Babbage\nDate:2025-05-05 17:39:35\n", "")
    assert digest.entries == (BEES,)
    assert digest.rejected == ('line 3: no authors or date belong to "Owls at Night"',)


def test_a_title_at_the_end_does_not_join_the_abstract_above_it() -> None:
    digest = read(DIGEST + "\nA Title That Was Cut\n")
    assert digest.entries == (OWLS, BEES)
    assert digest.rejected == ('line 17: nothing follows "A Title That Was Cut"; is the file cut off?',)


def test_addresses_and_lists_at_the_end_belong_to_the_last_abstract() -> None:
    digest = read(DIGEST + "\n- honey\n\nCode: https://example.org/bees\n")
    assert digest.entries[1].abstract == "Bees count to four. - honey Code: https://example.org/bees"
    assert digest.rejected == ()


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
