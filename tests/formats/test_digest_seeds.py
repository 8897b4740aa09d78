"""The digests in ``seeds/``: all their papers, whole, and some of their facts."""

from __future__ import annotations

from datetime import date

import pytest
from support import ROOT

from bot.formats.registry import parse
from bot.model import ParsedDigest, RawDigest

PAGE = "daily-papers-04-17.txt"


def read(name: str) -> ParsedDigest:
    (digest,) = parse(RawDigest("seeds", name, (ROOT / "seeds" / name).read_bytes()))
    return digest


@pytest.mark.parametrize(
    ("name", "day", "papers", "first", "last"),
    [
        ("llm-rl-2025-05-06.txt", date(2025, 5, 6), 30, "Knowing You Don't Know", "From LLM Reasoning to Autonomous"),
        ("llm-rl-2025-04-12.txt", date(2025, 4, 12), 30, "VLM-R1: A Stable", "Enhancing Personalized Multi-Turn"),
        ("llm-rl-2025-04-23.txt", date(2025, 4, 23), 30, "TTRL: Test-Time Reinforcement", "Energy-Based Reward"),
        (PAGE, date(2026, 4, 17), 57, "ProRL: Prolonged Reinforcement", "On Designing Effective RL Reward"),
        ("llm-rl-2025-05-18.txt", date(2025, 5, 18), 30, "Learning to Think: Information", "A New DAPO Algorithm"),
    ],
)
def test_every_paper_of_a_seed_is_read(name: str, day: date, papers: int, first: str, last: str) -> None:
    digest = read(name)
    topics = ("daily-papers", "Daily Papers") if name == PAGE else ("keyword", "LLM-RL")
    assert (digest.format, digest.topic, digest.date, digest.rejected) == (*topics, day, ())
    assert len(digest.entries) == papers
    assert digest.entries[0].title.startswith(first)
    assert digest.entries[-1].title.startswith(last)
    for entry in digest.entries:
        assert 500 < len(entry.abstract) < 2000
        assert "\n" not in entry.title + entry.abstract
        assert (entry.arxiv_id, entry.doi, entry.url) == (None, None, None)
        if name != PAGE:
            assert entry.authors
            assert entry.published
            assert 0 < (day - entry.published).days < 10


def test_authors_of_a_keyword_seed_keep_their_accents() -> None:
    first, second, *_ = read("llm-rl-2025-05-06.txt").entries
    assert first.authors == ("Diji Yang", "Linda Zeng", "Jinmeng Rao", "Yi Zhang")
    assert len(second.authors) == 19
    assert r"\textbf{SIM-RAG}" in first.abstract
    assert "Jörg Bornschein" in read("llm-rl-2025-04-23.txt").entries[1].authors


def test_metadata_of_the_page() -> None:
    entries = read(PAGE).entries
    assert [entry.author_count for entry in entries[:7]] == [8, None, 6, 5, 8, 4, None]
    assert [entry.published for entry in entries[:3]] == [date(2025, 5, 30), None, date(2025, 4, 10)]
    organisations = [entry.organisation for entry in entries if entry.organisation]
    assert organisations[:4] == ["Qualcomm", "Duke NLP", "Microsoft Research", "LongCat"]
    assert organisations[4:] == ["Amazon", "RLinf", "CLAIN-WHU"]
    assert sum(entry.published is None for entry in entries) == 5
    # Dates without a year are of the page's own.
    prism = next(entry for entry in entries if entry.title.startswith("PRISM: Demystifying"))
    assert (prism.published, prism.author_count) == (date(2026, 3, 17), 4)
