"""Feeds of PubMed and of journals, as samples of our own making in ``feeds/``, each in its publisher's form."""

from datetime import date
from pathlib import Path

import pytest

from bot.formats.publishers import Description, read_description
from bot.formats.registry import parse
from bot.model import Entry, Fact, FactKind, ParsedDigest, RawDigest

FEEDS = Path(__file__).parent / "feeds"
ABSTRACT = "We measured the eyes of 40 owls. Large corneas explain most of it."
DAY = date(2026, 1, 20)


def read(name: str) -> ParsedDigest:
    (digest,) = parse(RawDigest("feed", "x", (FEEDS / name).read_bytes()))
    assert digest.rejected == ()
    return digest


def owls(
    venue: str = "", abstract: str = "", published: date | None = DAY, doi: str | None = None, url: str = ""
) -> Entry:
    return Entry(
        title="How owls see by night",
        abstract=abstract,
        authors=("Ada Lovelace", "Grace Hopper"),
        published=published,
        doi=doi,
        url=url,
        facts=(Fact(FactKind.VENUE, venue, "feed"),) if venue else (),
    )


@pytest.mark.parametrize(
    ("name", "topic", "day", "paper"),
    [
        (
            "pubmed.xml",
            "owls vision",
            date(2026, 1, 21),
            owls(
                "J Owls",
                "BACKGROUND: Owls see by night, and few have asked how. METHODS: We measured the eyes of 40 owls. "
                "CONCLUSION: Large corneas explain most of it.",
                doi="10.1234/owls.5",
                url="https://pubmed.ncbi.nlm.nih.gov/41000001/?utm_source=Paperbot&utm_medium=rss",
            ),
        ),
        (
            "nature.xml",
            "Nature Owls",
            DAY,
            owls(
                "Nature Owls",
                "Large corneas let owls see by night.",
                doi="10.1038/s49999-026-00001-2",
                url="https://www.nature.com/articles/s49999-026-00001-2",
            ),
        ),
        (
            "science.xml",
            "AAAS: Science of Owls: Table of Contents",
            DAY,
            owls(
                "Science of Owls",
                doi="10.1126/science.owl0001",
                url="https://www.science.org/doi/abs/10.1126/science.owl0001?af=R",
            ),
        ),
        (
            "acm.xml",
            "Association for Computing Machinery: ACM Transactions on Owls: Table of Contents",
            DAY,
            owls(
                "ACM Transactions on Owls",
                ABSTRACT,
                doi="10.1145/3999999.3999998",
                url="https://dl.acm.org/doi/abs/10.1145/3999999.3999998?af=R",
            ),
        ),
        (
            "ieee.xml",
            "IEEE Transactions on Owls - new TOC",
            DAY,
            owls("IEEE Transactions on Owls", ABSTRACT, url="http://ieeexplore.ieee.org/document/19999991"),
        ),
        (
            "sciencedirect.xml",
            "ScienceDirect Publication: Artificial Owls",
            DAY,
            owls(
                "Artificial Owls",
                published=None,
                url="https://www.sciencedirect.com/science/article/pii/S0004999926000012?dgcid=rss_sd_all",
            ),
        ),
    ],
)
def test_a_publishers_feed_gives_whole_papers(name: str, topic: str, day: date, paper: Entry) -> None:
    digest = read(name)
    assert (digest.topic, digest.date) == (topic, day)
    assert digest.entries[0] == paper


def test_an_article_without_abstract_has_none() -> None:
    _, comment = read("pubmed.xml").entries
    assert (comment.title, comment.abstract, comment.doi) == (
        "Bees that count to four: a comment",
        "",
        "10.1234/bees.6",
    )


@pytest.mark.parametrize("name", ["ieee.xml", "sciencedirect.xml"])
def test_front_matter_is_not_a_paper(name: str) -> None:
    assert "<item>" in (FEEDS / name).read_text().partition("</item>")[2]
    assert [entry.title for entry in read(name).entries] == ["How owls see by night"]


def test_the_date_of_an_article_in_press_is_read() -> None:
    description = read_description(
        "Publication date: Available online 20 May 2026 Source: Artificial Owls Author(s): Ada Lovelace, Grace Hopper"
    )
    assert description == Description("", "Artificial Owls", ("Ada Lovelace", "Grace Hopper"), date(2026, 5, 20))


@pytest.mark.parametrize(
    "abstract",
    [
        "We read the papers of ACL, 2023. Owls are in none.",
        "ABSTRACT art by owls. We show ten paintings.",
        "In the archive, volume 3, we look for owls.",
        "Publication date: a feature that owls lack.",
        "",
    ],
)
def test_an_abstract_without_such_parts_stays_whole(abstract: str) -> None:
    assert read_description(abstract) == Description(abstract)
