"""Exports for reference managers and the feed are well-formed for any title."""

import re
from datetime import date
from xml.etree import ElementTree as ET

from channels.made_editions import make_edition, make_paper, make_pick
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT

from bot.channels.templates import environment
from bot.web.archive import atom, bibtex, ris

TEMPLATES = environment(ROOT / "templates")


def test_a_bibtex_entry_has_the_papers_fields():
    paper = make_paper(
        17,
        "Rewards & risks: 50% of $O(n)$",
        authors=("Renée Müller", "Acme, Inc."),
        arxiv_id="2504.00001",
        doi="10.1/a_b",
    )
    assert bibtex([paper]).splitlines() == [
        "@misc{muller2025p17,",
        "  title = {{Rewards \\& risks: 50\\% of O(n)}},",
        "  author = {Renée Müller and {Acme, Inc.}},",
        "  year = {2025},",
        "  month = {may},",
        "  eprint = {2504.00001},",
        "  archiveprefix = {arXiv},",
        "  doi = {10.1/a\\_b},",
        "  url = {https://example.org/paper},",
        "}",
    ]


def test_a_ris_reference_has_the_papers_fields():
    paper = make_paper(17, "Rewards", abstract="One.\nTwo.", arxiv_id="2504.00001")
    assert ris([paper]).split("\r\n")[:9] == [
        "TY  - UNPB",
        "TI  - Rewards",
        "AU  - Ada Lovelace",
        "PY  - 2025",
        "DA  - 2025/05/05",
        "M1  - arXiv:2504.00001",
        "UR  - https://example.org/paper",
        "AB  - One. Two.",
        "ER  - ",
    ]


def test_a_paper_with_a_title_only():
    paper = make_paper(3, "光", authors=(), published=None, url=None)
    search = "https://arxiv.org/search/?query=%E5%85%89&searchtype=title"
    note = "The address searches arXiv for the title"
    assert bibtex([paper]).splitlines() == [
        "@misc{paperp3,",
        "  title = {{光}},",
        f"  url = {{{search}}},",
        f"  note = {{{note}}},",
        "}",
    ]
    assert ris([paper]).split("\r\n")[:5] == ["TY  - UNPB", "TI  - 光", f"UR  - {search}", f"N1  - {note}", "ER  - "]


def test_a_paper_without_authors_has_a_key_from_its_title():
    """A Daily Papers page names neither authors nor addresses."""
    paper = make_paper(121, "The Éclair of the \\emph{Reward}", authors=(), published=date(2024, 5, 5), url=None)
    assert bibtex([paper]).startswith("@misc{eclair2024p121,\n")


def test_the_url_of_an_arxiv_paper_follows_from_its_id():
    paper = make_paper(5, "Rewards", url=None, arxiv_id="2504.00001")
    assert "  url = {https://arxiv.org/abs/2504.00001},\n" in bibtex([paper])
    assert "note" not in bibtex([paper])


@given(title=st.text(max_size=60), author=st.text(max_size=30), doi=st.text(max_size=20), url=st.text(max_size=30))
def test_no_text_breaks_out_of_its_field(title, author, doi, url):
    paper = make_paper(5, title, authors=(author,), doi=doi, url=f"https://example.org/{url}")
    entry = re.sub(r"\\.", "", bibtex([paper]))
    assert entry.count("{") == entry.count("}")
    assert [line[:2] for line in entry.splitlines()] == ["@m", *["  "] * (len(entry.splitlines()) - 2), "}"]
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in ris([paper]).split("\r\n") if line)


def test_a_feed_is_well_formed_for_a_hostile_title():
    hostile = make_pick(make_paper(1, "<script>&\x00\ufffe\uffff ]]>", authors=()))
    feed = ET.fromstring(atom(TEMPLATES, make_edition(hostile), "https://papers.example.org"))
    entry = feed.find("{http://www.w3.org/2005/Atom}entry")
    assert entry is not None
    assert entry.findtext("{http://www.w3.org/2005/Atom}title") == "<script>& ]]>"
    assert entry.findtext("{http://www.w3.org/2005/Atom}id") == "https://papers.example.org/open/reward-models#p1"
