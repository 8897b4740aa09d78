"""Votes never hurt: whatever their number, other papers are ranked at least as well as by words alone."""

import re

import numpy as np
import pytest

from bot.ranking.prequential import auc
from bot.ranking.ranker import Interest

# What the reader wrote, what each liked paper mentions, and what none does.
READERS = {
    "text": ("Reinforcement learning for language models", r"language model|\bllms?\b", r"vision|image|video|visual"),
    "vision": ("Vision-language models", r"vision|visual|video|image|multimodal", r"survey|medical"),
    "reasoning": ("How do models reason? Rewards for reasoning", r"reason", r"vision|visual|agent|tool"),
    "agents": ("Language model agents", r"agent|tool|search", r"vision|visual|robot"),
}
VOTES = (1, 2, 3, 5, 8, 16, 32, 64)
ORDERS = 8


@pytest.mark.parametrize("name", ["text", *(pytest.param(name, marks=pytest.mark.slow) for name in list(READERS)[1:])])
def test_votes_never_hurt(sample_ranker, sample_papers, name):
    text, need, refuse = READERS[name]

    def likes(each) -> bool:
        content = f"{each.title}\n{each.abstract}".lower()
        return bool(re.search(need, content)) and not re.search(refuse, content)

    def quality(votes: int) -> float:
        """AUC among papers without a vote, the mean of some orders in which votes were given."""
        measured = []
        for seed in range(ORDERS):
            ordered = [sample_papers[n] for n in np.random.default_rng(seed).permutation(len(sample_papers))]
            up, down = ([p for p in ordered[:votes] if likes(p) is liked] for liked in (True, False))
            others = ordered[max(VOTES) :]
            scores = sample_ranker.rank(Interest(text, up=up, down=down), others).scores
            log_odds = {score.paper: score.log_odds for score in scores}
            measured.append(auc(np.array([likes(p) for p in others]), np.array([log_odds[p.id] for p in others])))
        return float(np.mean(measured))

    alone, *voted = (quality(votes) for votes in (0, *VOTES))
    # Eight orders of one to five votes leave a standard error of .005 to .015, of eight votes and more .005.
    assert min(voted[:4]) >= alone - 0.015, (alone, voted)
    assert min(voted[4:]) >= alone - 0.005, (alone, voted)
    assert voted[-1] >= alone + 0.01, (alone, voted)


def test_a_single_vote_changes_the_first_ten_papers(sample_ranker, sample_papers):
    text, *_ = READERS["text"]
    alone = sample_ranker.rank(Interest(text), sample_papers).scores
    changed = 0
    for liked in alone[:5]:
        up = next(each for each in sample_papers if each.id == liked.paper)
        others = [each for each in sample_papers if each is not up]
        before = [score.paper for score in alone if score.paper != up.id][:10]
        after = [score.paper for score in sample_ranker.rank(Interest(text, up=[up]), others).scores[:10]]
        changed += before != after
    assert changed >= 3
