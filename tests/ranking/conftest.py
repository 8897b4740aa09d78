"""The papers of the sample digests, and a ranker over them."""

import re

import pytest

from bot.config.files import shipped
from bot.model import Paper
from bot.ranking.corpus import Corpus
from bot.ranking.ranker import Ranker
from tests.ranking.test_ranker import paper


@pytest.fixture(scope="session")
def sample_papers() -> list[Paper]:
    """Some 120 papers, of which most are about reinforcement learning for language models."""
    texts = [path.read_text() for path in sorted(shipped("seeds").glob("llm-rl-*.txt"))]
    pattern = re.compile(r"\n([^\n]+)\n\nAuthors:.*\nDate:.*\n\n([^\n]+)")
    by_title = dict(block for text in texts for block in pattern.findall(text))
    return [paper(number, *block) for number, block in enumerate(by_title.items(), 1)]


@pytest.fixture(scope="session")
def sample_ranker(sample_papers) -> Ranker:
    return Ranker(Corpus().fit([f"{p.title}\n{p.abstract}" for p in sample_papers]))
