"""The Daily Papers page as people copy it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, RawDigest
from bot.model.errors import DigestError

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


MORE = "Three things:\n\n- Cats sleep\n\n- They dream.\n\nSee https://example.org/cats\n\nCode is there"


@pytest.mark.parametrize(
    ("old", "new", "entries"),
    [
        ("  • 8 authors", "  • 1 author", (replace(OWLS, author_count=1), CATS, BEES)),
        ("  • 8 authors", "3 Authors", (replace(OWLS, author_count=3), CATS, BEES)),
        ("  • 8 authors\n·", "·", (replace(OWLS, author_count=None), CATS, BEES)),
        ("honeyworks Honey Works", "honeyworks", (OWLS, CATS, replace(BEES, organisation="honeyworks"))),
        # No year, no dates.
        ("·\nMay 30, 2025 4", "·", (replace(OWLS, published=None), CATS, replace(BEES, published=None))),
        ("·\nMay 30, 2025 4", "", (replace(OWLS, published=None), CATS, replace(BEES, published=None))),
        # Days that are impossible, or later than the page.
        *(("Mar 17", day, (OWLS, CATS, replace(BEES, published=None))) for day in ("Feb 30", "Feb 29", "May 1")),
        (f"\n\n{OWLS.abstract}\n\n", "\n", (replace(OWLS, abstract=""), CATS, BEES)),
        (f"\n\n{OWLS.abstract}\n\n", "\n\n", (replace(OWLS, abstract=""), CATS, BEES)),
        # Short paragraphs within an abstract are no titles.
        (
            CATS.abstract,
            f"{CATS.abstract}\n\n{MORE}",
            (OWLS, replace(CATS, abstract=f"{CATS.abstract} {MORE}".replace("\n\n", " ")), BEES),
        ),
    ],
)
def test_what_a_paper_lacks_or_has_changes_nothing_else(old: str, new: str, entries: tuple[Entry, ...]) -> None:
    digest = changed(old, new)
    assert digest.entries == entries
    assert digest.rejected == ()


@pytest.mark.parametrize(
    ("old", "new", "day", "published"),
    [
        ("May 30, 2025", "May 30, 2023", date(2024, 4, 17), [date(2023, 5, 30), None, date(2024, 3, 17)]),
        ("May 30, 2025", "Apr 2", None, [None, None, None]),
        ("Apr 17\n\n", "", None, [date(2025, 5, 30), None, date(2026, 3, 17)]),
    ],
)
def test_the_year_of_the_page_follows_the_latest_year_in_it(
    old: str, new: str, day: date | None, published: list[date | None]
) -> None:
    digest = changed(old, new)
    assert (digest.date, [entry.published for entry in digest.entries]) == (day, published)


@pytest.mark.parametrize("end", ["", "Apr 17\n"])
def test_a_header_alone_is_a_page_without_papers(end: str) -> None:
    digest = read(PAGE.partition("Apr 17")[0] + end)
    assert digest == ParsedDigest("daily-papers", "Daily Papers", None, ())


FOOT = "\nSystem theme\n\nCompany\n\nTOS\n\nPrivacy\n"


@pytest.mark.parametrize(
    ("text", "entries", "problem"),
    [
        (PAGE + FOOT, (OWLS, CATS, BEES), 'line 33: no abstract, authors or date belong to "System theme"'),
        (
            PAGE.partition(BEES.abstract)[0],
            (OWLS, CATS),
            'line 25: no abstract, authors or date belong to "Bees by Day"',
        ),
        (
            PAGE.replace(f"{OWLS.title}\n\n{OWLS.abstract}", CATS.abstract),
            (CATS, BEES),
            "line 13: a paper without a title",
        ),
        (
            PAGE.replace("May 30, 2025 4", "May 30, 2025 4\n\n  • 3 authors\n·\nMay 1, 2025"),
            (OWLS, CATS, BEES),
            "line 21: authors and date belong to no paper",
        ),
    ],
)
def test_what_belongs_to_no_paper_is_rejected_alone(text: str, entries: tuple[Entry, ...], problem: str) -> None:
    digest = read(text)
    assert digest.entries == entries
    assert digest.rejected == (problem,)


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
