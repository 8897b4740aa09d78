"""The first five digests: as they came, where those lie beside the checkout, and its own ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from bot.formats.registry import parse
from bot.model import ParsedDigest, RawDigest

CHECKOUT = Path(__file__).parents[2]
ORIGINALS = CHECKOUT.parent / "shared" / "seeds"


@dataclass(frozen=True)
class Facts:
    original: str
    own: str
    format: str
    topic: str
    date: date
    papers: int
    first: str
    last: str


ALL = (
    Facts(
        "000_b9a994a1b6a4f785.txt",
        "llm-rl-2025-05-06.txt",
        "keyword",
        "LLM-RL",
        date(2025, 5, 6),
        30,
        "Knowing You Don't Know: Learning When to Continue Search in Multi-round RAG through Self-Practicing",
        "From LLM Reasoning to Autonomous AI Agents: A Comprehensive Review",
    ),
    Facts(
        "001_29afa88e7f3894d0.txt",
        "llm-rl-2025-04-12.txt",
        "keyword",
        "LLM-RL",
        date(2025, 4, 12),
        30,
        "VLM-R1: A Stable and Generalizable R1-style Large Vision-Language Model",
        "Enhancing Personalized Multi-Turn Dialogue with Curiosity Reward",
    ),
    Facts(
        "002_d741129bd96fbe9a.txt",
        "llm-rl-2025-04-23.txt",
        "keyword",
        "LLM-RL",
        date(2025, 4, 23),
        30,
        "TTRL: Test-Time Reinforcement Learning",
        "Energy-Based Reward Models for Robust Language Model Alignment",
    ),
    Facts(
        "003_3cfb3f3cf89bfd02.txt",
        "daily-papers-04-17.txt",
        "daily-papers",
        "Daily Papers",
        date(2026, 4, 17),
        57,
        "ProRL: Prolonged Reinforcement Learning Expands Reasoning Boundaries in Large Language Models",
        "On Designing Effective RL Reward at Training Time for LLM Reasoning",
    ),
    Facts(
        "004_4b460977cde9e5e1.txt",
        "llm-rl-2025-05-18.txt",
        "keyword",
        "LLM-RL",
        date(2025, 5, 18),
        30,
        "Learning to Think: Information-Theoretic Reinforcement Fine-Tuning for LLMs",
        "A New DAPO Algorithm for Stock Trading",
    ),
)
KEYWORD = tuple(facts for facts in ALL if facts.format == "keyword")
PAGE = ALL[3]


@pytest.fixture(params=["originals", "own"])
def folder(request: pytest.FixtureRequest) -> Path:
    if request.param == "own":
        return CHECKOUT / "seeds"
    if not ORIGINALS.is_dir():
        pytest.skip(f"the original digests are not at {ORIGINALS}")
    return ORIGINALS


def read(folder: Path, facts: Facts) -> ParsedDigest:
    name = facts.own if folder.parent == CHECKOUT else facts.original
    (digest,) = parse(RawDigest("seeds", name, (folder / name).read_bytes()))
    return digest


@pytest.mark.parametrize("facts", ALL, ids=lambda facts: facts.own)
def test_every_paper_of_a_seed_is_read(folder: Path, facts: Facts) -> None:
    digest = read(folder, facts)
    assert (digest.format, digest.topic, digest.date) == (facts.format, facts.topic, facts.date)
    assert len(digest.entries) == facts.papers
    assert digest.rejected == ()
    assert digest.entries[0].title == facts.first
    assert digest.entries[-1].title == facts.last
    assert all(500 < len(entry.abstract) < 2000 for entry in digest.entries)
    assert all("\n" not in entry.title + entry.abstract for entry in digest.entries)
    assert {(entry.arxiv_id, entry.doi, entry.url) for entry in digest.entries} == {(None, None, None)}


@pytest.mark.parametrize("facts", KEYWORD, ids=lambda facts: facts.own)
def test_every_paper_of_a_keyword_seed_has_authors_and_a_date_before_the_digest(folder: Path, facts: Facts) -> None:
    for entry in read(folder, facts).entries:
        assert entry.authors
        assert entry.author_count is None
        assert entry.published is not None
        assert 0 < (facts.date - entry.published).days < 10


def test_authors_of_a_keyword_seed(folder: Path) -> None:
    first, second, *_ = read(folder, ALL[0]).entries
    assert first.authors == ("Diji Yang", "Linda Zeng", "Jinmeng Rao", "Yi Zhang")
    assert first.published == date(2025, 5, 5)
    assert len(second.authors) == 19
    assert r"\textbf{SIM-RAG}" in first.abstract


def test_author_names_keep_their_accents(folder: Path) -> None:
    assert "Jörg Bornschein" in read(folder, ALL[2]).entries[1].authors


def test_metadata_of_the_page(folder: Path) -> None:
    entries = read(folder, PAGE).entries
    assert [entry.author_count for entry in entries[:7]] == [8, None, 6, 5, 8, 4, None]
    assert [entry.published for entry in entries[:3]] == [date(2025, 5, 30), None, date(2025, 4, 10)]
    assert [entry.organisation for entry in entries if entry.organisation] == [
        "Qualcomm",
        "Duke NLP",
        "Microsoft Research",
        "LongCat",
        "Amazon",
        "RLinf",
        "CLAIN-WHU",
    ]
    assert sum(entry.published is None for entry in entries) == 5
    assert sum(entry.author_count is None for entry in entries) == 5 + 7


def test_dates_of_the_page_without_a_year_are_of_its_own(folder: Path) -> None:
    by_title = {entry.title: entry for entry in read(folder, PAGE).entries}
    prism = by_title["PRISM: Demystifying Retention and Interaction in Mid-Training"]
    assert (prism.published, prism.author_count) == (date(2026, 3, 17), 4)
    assert r"$V_{0.5}$: Generalist Value Model as a Prior for Sparse RL Rollouts" in by_title
