"""The Daily Papers page as people copy it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from bot.formats.registry import parse
from bot.model import ParsedDigest, RawDigest
from bot.model.errors import DigestError

HEADER = """new

Get trending papers in your email inbox!

Subscribe

Daily Papers

byAK and the research community

Apr 17

"""
PAGE = Path(__file__).with_name("made").joinpath("daily-papers.txt").read_text()
OWLS, CATS, BEES = parse(RawDigest("test", "page.txt", PAGE.encode()))[0].entries


def read(text: str) -> ParsedDigest:
    (digest,) = parse(RawDigest("test", "page.txt", text.encode()))
    return digest


def changed(old: str, new: str) -> ParsedDigest:
    assert old in PAGE
    return read(PAGE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\n\n"),
        ("\n", " \t\n"),
        ("\n\n", "\n"),
        ("  • ", "\t•\u00a0"),
        ("  • ", ""),
        ("new\n", "Models\n\nDatasets\n\nnew\n"),
        ("new\n\nGet trending papers in your email inbox!\n\nSubscribe\n\n", ""),
        ("byAK and the", "by AK and the"),
        ("byAK and the research community\n\n", ""),
        ("Apr 17", "April 17"),
        ("Apr 17", "Apr 17, 2026"),
        ("Night: How", "Night:\nHow"),
        ("three barns. Owls", "three barns.\n\nOwls"),
        ("\nMar 17 1\n", "\nMar 17 1"),
        (OWLS.abstract, OWLS.abstract.replace(", ", ",\n")),
    ],
)
def test_variants_of_copying_give_the_same_papers(old: str, new: str) -> None:
    assert changed(old, new) == read(PAGE)


@pytest.mark.parametrize(("line", "count"), [("  • 1 author", 1), ("  • 24 authors", 24), ("3 Authors", 3)])
def test_authors_are_counted(line: str, count: int) -> None:
    assert changed("  • 8 authors", line).entries[0].author_count == count


def test_an_organisation_without_a_name_is_called_by_its_slug() -> None:
    assert changed("honeyworks Honey Works", "honeyworks").entries[2].organisation == "honeyworks"


def test_without_authors_or_organisation_the_date_is_read() -> None:
    digest = changed("  • 8 authors\n·", "·")
    assert digest.entries[0].published == date(2025, 5, 30)
    assert digest.entries[0].author_count is None
    assert digest.entries[0].abstract == OWLS.abstract
    assert digest.entries[0].organisation is None


def test_without_a_date_the_authors_are_counted() -> None:
    for end in ("·", ""):
        digest = changed("·\nMay 30, 2025 4", end)
        assert (digest.entries[0].author_count, digest.entries[0].published) == (8, None)
        assert [entry.title for entry in digest.entries] == [OWLS.title, CATS.title, BEES.title]


def test_the_year_of_the_page_follows_the_latest_year_in_it() -> None:
    digest = changed("May 30, 2025", "May 30, 2023")
    assert digest.date == date(2024, 4, 17)
    assert digest.entries[2].published == date(2024, 3, 17)


def test_dates_are_unknown_if_the_page_names_no_year() -> None:
    digest = changed("May 30, 2025", "Apr 2")
    assert digest.date is None
    assert [entry.published for entry in digest.entries] == [None, None, None]


@pytest.mark.parametrize("day", ["Feb 30", "Feb 29", "May 1", "Mar 0"])
def test_impossible_and_future_dates_are_left_out(day: str) -> None:
    assert changed("Mar 17", day).entries[2].published is None


def test_a_page_without_a_day_has_no_date() -> None:
    digest = changed("Apr 17\n\n", "")
    assert digest.date is None
    assert len(digest.entries) == 3


@pytest.mark.parametrize("end", ["", "Apr 17\n"])
def test_a_header_alone_is_a_page_without_papers(end: str) -> None:
    digest = read(HEADER.removesuffix("Apr 17\n\n") + end)
    assert digest == ParsedDigest("daily-papers", "Daily Papers", None, ())


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_title_with_metadata_is_a_paper_without_abstract(gap: str) -> None:
    digest = changed(f"\n\n{OWLS.abstract}\n\n", gap)
    assert (digest.entries[0].title, digest.entries[0].abstract) == (OWLS.title, "")
    assert digest.entries[0].author_count == 8
    assert digest.entries[1:] == (CATS, BEES)


def test_short_paragraphs_within_an_abstract_are_not_titles() -> None:
    more = "Three things:\n\n- Cats sleep\n\n- They dream.\n\nSee https://example.org/cats\n\nCode is there"
    digest = changed(CATS.abstract, f"{CATS.abstract}\n\n{more}")
    assert [entry.title for entry in digest.entries] == [OWLS.title, CATS.title, BEES.title]
    assert digest.entries[1].abstract == f"{CATS.abstract} {more}".replace("\n\n", " ")


def test_the_foot_of_the_page_is_reported_as_not_a_paper() -> None:
    digest = read(PAGE + "\nSystem theme\n\nCompany\n\nTOS\n\nPrivacy\n")
    assert digest.entries == (OWLS, CATS, BEES)
    assert digest.rejected == ('line 33: no abstract, authors or date belong to "System theme"',)


def test_a_title_at_the_end_does_not_join_the_abstract_above_it() -> None:
    digest = read(PAGE.partition(BEES.abstract)[0])
    assert digest.entries == (OWLS, CATS)
    assert digest.rejected == ('line 25: no abstract, authors or date belong to "Bees by Day"',)


def test_an_abstract_without_a_title_is_rejected() -> None:
    digest = changed(OWLS.title + "\n\n" + OWLS.abstract, CATS.abstract)
    assert digest.entries == (CATS, BEES)
    assert digest.rejected == ("line 13: a paper without a title",)


def test_metadata_without_a_paper_are_rejected() -> None:
    digest = changed("May 30, 2025 4", "May 30, 2025 4\n\n  • 3 authors\n·\nMay 1, 2025")
    assert digest.entries == (OWLS, CATS, BEES)
    assert digest.rejected == ("line 21: authors and date belong to no paper",)


def test_two_pages_in_one_file_are_two() -> None:
    digests = parse(RawDigest("test", "two.txt", (PAGE + PAGE.replace("Apr 17", "Apr 18")).encode()))
    assert [digest.date for digest in digests] == [date(2026, 4, 17), date(2026, 4, 18)]
    assert [digest.entries for digest in digests] == [(OWLS, CATS, BEES)] * 2
    assert [digest.rejected for digest in digests] == [(), ()]


@pytest.mark.parametrize("lines_lost", [7, 9, 11], ids=["above the editor", "above the day", "all"])
def test_a_page_copied_without_its_first_lines_is_read(lines_lost):
    (complete,) = parse(RawDigest("seeds", "whole.txt", PAGE.encode()))
    (rest,) = parse(RawDigest("seeds", "rest.txt", "\n".join(PAGE.splitlines()[lines_lost:]).encode()))
    assert (rest.format, rest.topic) == ("daily-papers", "Daily Papers")
    assert [entry.title for entry in rest.entries] == [entry.title for entry in complete.entries]
    assert rest.entries[0] == OWLS
    assert (rest.date is None) == (lines_lost == 11)


@pytest.mark.parametrize(
    "text",
    [
        f"{OWLS.title}\n\n{OWLS.abstract}\n",
        f"{OWLS.title}\n\n{OWLS.abstract}\n\n8 authors\nMay 30, 2025 4\n",
        f"{OWLS.title}\n\n{OWLS.abstract}\n\n8 authors\n·\nsome day\n",
        f"{OWLS.title}\n\n{OWLS.abstract}\n\nOwl Works\n·\nMay 30, 2025 4\n",
    ],
    ids=["nothing", "no dot", "no date", "no count"],
)
def test_text_without_the_metadata_of_the_page_is_not_recognised_as_one(text):
    with pytest.raises(DigestError):
        parse(RawDigest("seeds", "any.txt", text.encode()))
