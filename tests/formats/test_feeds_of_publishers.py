"""Feeds of PubMed and of journals, as samples of our own making in ``feeds/``, each in its publisher's form."""

from datetime import date

import pytest

from bot.formats.publishers import Description, is_no_paper, journal_of, plain_doi, read_description, read_title


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


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (
            "Publication date: Available online 20 May 2026 Source: Owls of Art Author(s): Ada Lovelace, Grace Hopper",
            Description("", "Owls of Art", ("Ada Lovelace", "Grace Hopper"), date(2026, 5, 20)),
        ),
        ("How owls fly.", Description("")),
        ("Owl Chemie, EarlyView.", Description("", "Owl Chemie")),
        ("Owl Chemie, Volume 65, Issue 3, January 14, 2026.", Description("", "Owl Chemie")),
        ("Volume 56, Issue 3-4, May-June 2026, Page 163-175\n.", Description("")),
        ("Owls fly. Combs do it.\nAbstract\nWe measured noise.", Description("We measured noise.")),
        (
            "Author(s): Ada Lovelace et al.\nOwls fly.\n[Phys. Rev. Owls 7, 020330] Published Fri May 15, 2026",
            Description("Owls fly.", "Phys. Rev. Owls", ("Ada Lovelace",), date(2026, 5, 15)),
        ),
        (
            "Owl Chem., 2026, Advance Article\nDOI: 10.1039/D6OC00001A, Paper\nOpen Access\n"
            "Ada Lovelace, Grace Hopper\nOwls fly.\nThe content of this RSS Feed (c) The Royal Society of Chemistry",
            Description("Owls fly.", "Owl Chem.", ("Ada Lovelace", "Grace Hopper"), doi="10.1039/D6OC00001A"),
        ),
        (
            "Ada Lovelace and Grace Hopper\nEGUsphere, https://doi.org/10.5194/egusphere-2026-1, 2026\n"
            "Preprint under review for ACP (discussion: open, 0 comments)\nOwls fly.",
            Description("Owls fly.", "EGUsphere", ("Ada Lovelace", "Grace Hopper"), doi="10.5194/egusphere-2026-1"),
        ),
        (
            "OwlKeys 1078: 135-188\nDOI: 10.3897/owlkeys.1\nAuthors: Ada Lovelace\nAbstract: Owls fly.\nHTML\nPDF",
            Description("Owls fly.", "OwlKeys", ("Ada Lovelace",), doi="10.3897/owlkeys.1"),
        ),
        (
            "Article Owls fly was published on May 1, 2026 in the journal Owl Journal (volume 12, issue 3).",
            Description("", "Owl Journal", published=date(2026, 5, 1)),
        ),
        ("by Ada Lovelace, Grace Hopper\nOwls fly.", Description("Owls fly.", "", ("Ada Lovelace", "Grace Hopper"))),
        ("by measuring owls we see\nhow they fly.", Description("by measuring owls we see how they fly.")),
        ("Owls fly by night. [Opt. Express 34, 1-20 (2026)]", Description("Owls fly by night.", "Opt. Express")),
        ("J. Owls 12 (2026), pp. 4-5", Description("")),
        (
            "我们用2026年的数据研究了四十只猫头鹰的眼睛，第3卷。",
            Description("我们用2026年的数据研究了四十只猫头鹰的眼睛，第3卷。"),
        ),
    ],
)
def test_what_a_publisher_writes_around_an_abstract_is_cut(text: str, description: Description) -> None:
    assert read_description(text, "How owls fly") == description


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("[ASAP] Owls fly", "Owls fly"),
        ("Owls, Vol. 9, Pages 120: Night: A Review", "Night: A Review"),
        ("[Articles] Owls fly", "Owls fly"),
        ("Owls fly. (arXiv:2301.00001v2 [cs.OW] UPDATED)", "Owls fly"),
        ("[Au25] clusters of owls", "[Au25] clusters of owls"),
        ("Night: Pages of an owl", "Night: Pages of an owl"),
    ],
)
def test_a_title_is_without_what_its_publisher_adds(written: str, title: str) -> None:
    assert read_title(written) == (title, ())


NO_PAPERS = """\
Cover and Front matter
Author Correction: Owls fly
Correction to “Owls fly”
Erratum
Issue Information
Correction for Lovelace et al., Owls fly
Retraction Note: Owls
Department of Error
Inside Cover: Owls
RETRACTED ARTICLE: Owls fly
Masthead
Corrigendum to “Owls”
Publisher's Note: Owls [Phys. Rev. Owls 1]"""
PAPERS = """\
Correction of motion in images of owls
Correction for refraction
Retraction of wings
Cover, food and owls
Correction to the Newtonian potential
Information theory of owls
Errors in the songs of owls
Markets with journal information"""


@pytest.mark.parametrize(("titles", "expected"), [(NO_PAPERS, True), (PAPERS, False)])
def test_covers_and_corrections_are_no_papers(titles: str, expected: bool) -> None:
    assert [title for title in titles.split("\n") if is_no_paper(title) is not expected] == []


@pytest.mark.parametrize(
    ("feed", "journal"),
    [
        ("tandf: Owl Studies: Table of Contents", "Owl Studies"),
        ("Owl Letters: Latest Articles (ACS Publications)", "Owl Letters"),
        ("IEEE Transactions on Owls - new TOC", "IEEE Transactions on Owls"),
        ("Owls, IEEE Transactions on - new TOC", "IEEE Transactions on Owls"),
        ("Frontiers in Owls | New and Recent Articles", "Frontiers in Owls"),
        ("Latest Results for Owl Journal", "Owl Journal"),
        ("Ada's blog", ""),
    ],
)
def test_the_title_of_a_publishers_feed_names_the_journal(feed: str, journal: str) -> None:
    assert journal_of(feed) == journal


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("10.1099/ijo.0.005019?TRACK=RSS", "10.1099/ijo.0.005019"),
        ("10.26434/chemrxiv-2025-ab123-v3", "10.26434/chemrxiv-2025-ab123"),
        ("10.64898/2026.05.19.700001v1?rss=1", "10.64898/2026.05.19.700001"),
        ("10.1002/owl.12/full#section", "10.1002/owl.12"),
        # Registered with its version.
        ("10.21203/rs.3.rs-123456/v1", "10.21203/rs.3.rs-123456/v1"),
        (
            "10.1002/(SICI)1097(19980815)17:15<1661::AID-OWL968>3.0.CO;2-#",
            "10.1002/(SICI)1097(19980815)17:15<1661::AID-OWL968>3.0.CO;2-#",
        ),
    ],
)
def test_a_doi_is_without_query_and_version(written: str, doi: str) -> None:
    assert plain_doi(written) == doi
