"""When two entries are one paper, and where a paper links to."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model import Entry, Fact, FactKind, Paper
from bot.model.papers import (
    arxiv_id_in,
    citation,
    cited_paper,
    is_cited,
    is_same_paper,
    keys,
    merge,
    new_paper,
    normalised_title,
    paper_link,
)

NOW = datetime(2025, 5, 6, 8, tzinfo=UTC)


def paper(**values):
    return new_paper(Entry(**{"title": "A Study of Rewards", **values}), 1, NOW)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://arxiv.org/abs/2504.08385v2", "2504.08385"),
        ("arXiv:2504.08385", "2504.08385"),
        ("http://arxiv.org/abs/hep-th/9901001v1", "hep-th/9901001"),
        ("math.GT/0309136", "math.GT/0309136"),
        ("oai:arXiv.org:0704.0001", "0704.0001"),
        ("version 1.2504.083851", None),
        ("no id", None),
    ],
)
def test_an_arxiv_id_is_found_without_its_version(text, expected):
    assert arxiv_id_in(text) == expected


@pytest.mark.parametrize(
    ("title", "variant"),
    [
        ("A Study of Rewards", "a  study of REWARDS."),
        (r"\textbf{SIM-RAG}: Search", "SIM-RAG: search"),
        (r"Pok\'emon Agents", "Pokémon agents"),
        (r"Erd\H{o}s Numbers", "Erdős Numbers"),
        ("Rewards — for RL", "Rewards - for RL"),
    ],
)
def test_titles_that_differ_in_markup_and_punctuation_are_equal(title, variant):
    assert normalised_title(title) == normalised_title(variant)


def test_titles_without_letters_still_differ():
    assert normalised_title("???") != normalised_title("!!!")


def test_the_strongest_key_comes_first():
    entry = Entry("Title", doi="10.1/ABC", arxiv_id="2504.08385")
    assert keys(entry) == ("doi:10.1/abc", "arxiv:2504.08385", "title:title")


def test_the_same_id_is_the_same_paper_under_another_title():
    assert is_same_paper(Entry("New Name", arxiv_id="2504.08385"), paper(arxiv_id="2504.08385"))


def test_different_ids_are_different_papers_under_the_same_title():
    assert not is_same_paper(Entry("A Study of Rewards", arxiv_id="2504.00001"), paper(arxiv_id="2504.08385"))


def test_without_ids_the_title_decides():
    assert is_same_paper(Entry("A study of rewards"), paper(arxiv_id="2504.08385"))
    assert not is_same_paper(Entry("Another study"), paper())


def test_merging_fills_gaps_and_keeps_the_best_of_both():
    seen_again = Entry(
        "A Study of Rewards",
        abstract="Longer than nothing.",
        authors=("Ada", "Grace"),
        published=date(2025, 5, 1),
        arxiv_id="2504.08385",
        upvotes=3,
        organisation="Lab",
    )
    merged = merge(paper(published=date(2025, 5, 3), upvotes=8, author_count=2), seen_again)
    assert merged.abstract == "Longer than nothing."
    assert merged.authors == ("Ada", "Grace")
    assert merged.published == date(2025, 5, 1)
    assert (merged.arxiv_id, merged.upvotes, merged.organisation) == ("2504.08385", 8, "Lab")


COMPLETE = Entry(
    title="A Study of Rewards",
    abstract="Rewards differ.",
    authors=("Ada Lovelace",),
    author_count=1,
    published=date(2025, 5, 1),
    arxiv_id="2504.08385",
    doi="10.1000/x",
    url="https://a.example",
    upvotes=3,
    organisation="Lab",
    version=2,
    categories=("cs.AI",),
    facts=(Fact(FactKind.VENUE, "ICLR", "arXiv"),),
)


@pytest.mark.parametrize("name", sorted(Entry.__dataclass_fields__.keys() & Paper.__dataclass_fields__.keys()))
def test_each_field_of_an_entry_reaches_its_paper(name):
    """A field that this test doesn't know yet fails here: it must be in ``COMPLETE``."""
    assert getattr(COMPLETE, name)
    assert getattr(new_paper(COMPLETE, 1, NOW), name) == getattr(COMPLETE, name)
    assert getattr(merge(paper(), COMPLETE), name) == getattr(COMPLETE, name)


def test_merging_overwrites_no_value():
    stored = paper(authors=("Ada",), arxiv_id="2504.08385", url="https://a.example", abstract="The longer abstract.")
    merged = merge(stored, Entry("a study of rewards", "Short.", ("Someone Else",), url="https://b.example"))
    assert merged == stored


@pytest.mark.parametrize("cut", ["We study how owls \u2026", "We study how owls ...", "We study how owls [...]"])
def test_a_whole_abstract_replaces_a_longer_one_that_is_cut(cut):
    complete = "We study owls."
    assert merge(paper(abstract=cut), Entry("A Study of Rewards", complete)).abstract == complete
    assert merge(paper(abstract=complete), Entry("A Study of Rewards", cut)).abstract == complete
    assert merge(paper(abstract=cut), Entry("A Study of Rewards")).abstract == cut


def test_a_whole_title_replaces_its_cut_beginning_only():
    complete = "Owls that see by night and hear by day, " + "again and " * 10 + "again"
    for cut in (f"{complete[:40]} \u2026", complete[:133]):
        assert merge(paper(title=cut, arxiv_id="2504.08385"), Entry(complete, arxiv_id="2504.08385")).title == complete
        assert merge(paper(title=complete, arxiv_id="2504.08385"), Entry(cut, arxiv_id="2504.08385")).title == complete
    for other in ("Bees \u2026", "Owls"):
        assert merge(paper(title=other, arxiv_id="2504.08385"), Entry(complete, arxiv_id="2504.08385")).title == other


def test_full_names_replace_initials():
    scholar = ("A Lovelace", "GB Hopper")
    complete = ("Ada Lovelace", "Grace B. Hopper", "Rosa Roe")
    assert merge(paper(authors=scholar), Entry("A Study of Rewards", authors=complete)).authors == complete
    assert merge(paper(authors=complete), Entry("A Study of Rewards", authors=scholar)).authors == complete
    assert merge(paper(authors=scholar), Entry("A Study of Rewards", authors=complete[:1])).authors == scholar


def test_a_fact_replaces_an_earlier_one_of_its_kind_and_origin():
    def stars(count, origin):
        return Fact(FactKind.STARS, count, origin)

    merged = merge(
        paper(facts=(stars("3", "Hugging Face"), stars("9", "arXiv"))),
        Entry("A Study of Rewards", facts=(stars("5", "Hugging Face"),)),
    )
    assert merged.facts == (stars("5", "Hugging Face"), stars("9", "arXiv"))


@pytest.mark.parametrize(
    ("values", "url"),
    [
        ({"url": "https://papers.example/1", "arxiv_id": "2504.08385"}, "https://papers.example/1"),
        ({"arxiv_id": "2504.08385"}, "https://arxiv.org/abs/2504.08385"),
        ({"doi": "10.1000/x y"}, "https://doi.org/10.1000/x+y"),
        ({"url": "javascript:alert(1)", "arxiv_id": "2504.08385"}, "https://arxiv.org/abs/2504.08385"),
    ],
)
def test_a_paper_links_to_its_best_address(values, url):
    assert paper_link(paper(**values)).url == url
    assert not paper_link(paper(**values)).is_search


def test_a_paper_without_an_address_links_to_a_title_search():
    title_link = paper_link(paper(title=r"\textbf{SIM-RAG} & $x$: search?"))
    assert title_link.is_search
    assert title_link.url == "https://arxiv.org/search/?query=SIM-RAG+x+search&searchtype=title"
    venues = [
        ("Lancet", "https://scholar.google.com/scholar?q=Owls"),
        ("arXiv", "https://arxiv.org/search/?query=Owls"),
    ]
    for venue, address in venues:
        in_journal = replace(paper(title="Owls"), facts=(Fact(FactKind.VENUE, venue, "feed"),))
        assert paper_link(in_journal).url.startswith(address)


@given(st.text(min_size=1), st.text(min_size=1))
def test_the_same_key_means_the_same_title_paper(title, other_title):
    stored = replace(paper(), title=title)
    shares = set(keys(Entry(other_title))) & set(keys(stored))
    assert bool(shares) == is_same_paper(Entry(other_title), stored)


@pytest.mark.parametrize(
    ("cited", "paper", "same"),
    [
        (Entry("Numbers in nature"), Entry("Numbers in Nature.", doi="10.1000/x"), True),
        (Entry("Numbers in nature"), Entry("Numbers in nature and art"), False),
        (Entry("Numbers in nature …"), Entry("Numbers in nature"), False),
        (Entry("Numbers in nature"), Entry("Numbers in nature …"), False),
        (Entry("Acknowledgements"), Entry("Acknowledgements"), False),
        (Entry("Another title", doi="10.1000/X"), Entry("Numbers in nature", doi="10.1000/x"), True),
        (Entry("Numbers in nature", doi="10.1000/y"), Entry("Numbers in nature", doi="10.1000/x"), False),
        (Entry("", arxiv_id="2601.00001"), Entry("Numbers in nature", arxiv_id="2601.00001"), True),
        (Entry("", arxiv_id="2601.00001"), Entry("Numbers in nature"), False),
    ],
)
def test_a_citation_names_a_paper_by_an_id_or_a_whole_title_that_is_no_common_one(cited, paper, same):
    assert is_cited(cited_paper(citation(cited, "OpenAlex")), paper) is same


def test_citations_are_collected_and_each_is_kept_once():
    numbers, owls = (citation(Entry(title), "Google Scholar") for title in ("Numbers in nature", "Owls by night"))
    merged = merge(merge(paper(), Entry("x", facts=(numbers,))), Entry("x", facts=(owls, numbers)))
    assert merged.facts == (numbers, owls)
