"""The profile's words: topics that are meant together, and what each term adds."""

import re

import numpy as np
import pytest

from bot.config.profiles import EditionSection
from bot.ranking.corpus import Corpus, PaperTerms, PaperVectors
from bot.ranking.matching import Conjunctions
from bot.ranking.ranker import Interest, Ranker
from tests.ranking.test_ranker import paper

TOPICS = ["reinforcement learning", "protein folding", "speech recognition", "graph clustering"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Each topic in half of the papers, in all combinations; each paper has a word of its own."""
    combinations = [". ".join(t for bit, t in enumerate(TOPICS) if number >> bit & 1) for number in range(16)]
    return [f"Paper {n}\n{combinations[n % 16]}. On word{n}." for n in range(64)]


@pytest.fixture(scope="module")
def corpus(texts) -> Corpus:
    return Corpus().fit(texts)


@pytest.fixture(scope="module")
def vectors(corpus) -> PaperVectors:
    return corpus.vectors(
        [
            "reinforcement learning of protein folding",
            "reinforcement learning",
            "protein folding. reinforcement of learning",
            "speech recognition",
        ]
    )


def shares(corpus: Corpus, vectors: PaperVectors, *interests: str) -> np.ndarray:
    return Conjunctions.from_texts(corpus, [interests]).shares(vectors)[0]


def test_topics_of_one_phrase_are_meant_together(corpus, vectors):
    both, first, parts, neither = shares(corpus, vectors, "Reinforcement learning for protein folding")
    assert both == pytest.approx(1)
    assert 0 < parts < 1
    assert first == pytest.approx(0)
    assert neither == pytest.approx(0)


@pytest.mark.parametrize("divided_by", [", ", " and ", " or ", "; ", "\n"])
def test_topics_of_a_list_are_alternatives(corpus, vectors, divided_by):
    both, first, parts, neither = shares(corpus, vectors, f"Reinforcement learning{divided_by}protein folding")
    assert (both, first, parts) == pytest.approx((1, 1, 1))
    assert neither == pytest.approx(0)


def test_the_most_complete_of_several_interests_counts(corpus, vectors):
    text = "Reinforcement learning for protein folding"
    alone = shares(corpus, vectors, text)
    assert shares(corpus, vectors, text, "speech recognition") == pytest.approx([*alone[:3], 1])


def test_contributions_of_terms_sum_to_the_share(corpus, vectors):
    text = "Reinforcement learning for protein folding, graph clustering of speech recognition"
    conjunctions = Conjunctions.from_texts(corpus, [["robots"], [text]])
    entries = PaperTerms(corpus, vectors).entries(range(len(vectors)))
    by_term = conjunctions.contributions(1, entries)
    assert entries.sums(by_term) == pytest.approx(conjunctions.shares(vectors)[1])
    assert not conjunctions.contributions(0, entries).any()


def test_a_paper_with_both_topics_is_ranked_above_one_that_repeats_a_topic(corpus):
    both = paper(1, "Protein folding", "Reinforcement learning. Of a kind.")
    repeated = paper(2, "Protein folding", "Protein folding. Protein folding.")
    ranking = Ranker(corpus).rank(Interest("reinforcement learning for protein folding"), [repeated, both])
    assert [score.paper for score in ranking.scores] == [1, 2]


def test_before_any_vote_a_paper_with_one_topic_of_a_phrase_is_too_unlikely_to_be_shown(sample_ranker, sample_papers):
    """In a home of one field, where every other paper has both topics."""
    learning = re.compile(r"reinforcement learning|\brl\b", re.IGNORECASE)
    models = re.compile(r"language model|\bllms?\b", re.IGNORECASE)
    interest = Interest("Reinforcement learning for language models")
    match = {s.paper: s.probability for s in sample_ranker.rank(interest, sample_papers).scores}
    has = {p.id: (bool(learning.search(p.text)), bool(models.search(p.text))) for p in sample_papers}
    both = [match[number] for number, topics in has.items() if all(topics)]
    one = [match[number] for number, topics in has.items() if any(topics) and not all(topics)]
    assert len(one) > 20
    assert max(one) < EditionSection().lowest
    assert np.median(both) > 2 * max(one)


def test_words_alone_give_way_to_votes(corpus, texts):
    """Who wrote of speech and likes proteins gets proteins."""
    papers = [paper(n + 1, *text.split("\n")) for n, text in enumerate(texts)]
    up = [p for p in papers if "protein" in p.abstract and "speech" not in p.abstract]
    down = [p for p in papers if "speech" in p.abstract and "protein" not in p.abstract]
    new = [paper(101, "Protein folding", "Again."), paper(102, "Speech recognition", "Again.")]
    ranker = Ranker(corpus)
    assert ranker.rank(Interest("speech recognition"), new).scores[0].paper == 102
    assert ranker.rank(Interest("speech recognition", up=up, down=down), new).scores[0].paper == 101
