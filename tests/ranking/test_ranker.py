"""Ranking: interests first, then thumbs too; rules; and reasons that add up exactly."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model import Entry, Paper
from bot.model.identity import new_paper
from bot.ranking.corpus import Corpus
from bot.ranking.experts import Mixture
from bot.ranking.matching import library_weights
from bot.ranking.ranker import Interest, Ranker
from bot.ranking.ranking import Rules

NOW = datetime(2025, 5, 6, 8, tzinfo=UTC)
TOPICS = {
    "reward": "Reward models score answers; verifiable rewards train reasoning with reward signals",
    "robot": "A robot arm learns grasping and locomotion from tactile sensing in the kitchen",
    "vision": "Images and video are grounded in text by a vision encoder with pixel attention",
    "speech": "Speech and audio are transcribed with phoneme features of noisy voices",
}
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()


def paper(number: int, title: str, abstract: str, authors: tuple[str, ...] = ()) -> Paper:
    return new_paper(Entry(title, abstract, authors), number, NOW)


@pytest.fixture(scope="module")
def papers() -> list[Paper]:
    """Ten papers a topic; each has a word of its own that no other of the topic has."""
    result = []
    for topic, text in TOPICS.items():
        for word in WORDS:
            result.append(paper(len(result) + 1, f"{word} for {topic}", f"{text}. We study {word} here."))
    return result


@pytest.fixture(scope="module")
def ranker(papers) -> Ranker:
    return ranker_of(papers)


def ranker_of(papers) -> Ranker:
    return Ranker(Corpus().fit([f"{p.title}\n{p.abstract}" for p in papers]))


def best(ranking, papers, how_many=10):
    titles = {p.id: p.title for p in papers}
    return [titles[score.paper] for score in ranking.scores[:how_many]]


def test_interests_rank_before_any_vote(ranker, papers):
    ranking = ranker.rank(Interest("reward models and verifiable rewards"), papers)
    assert all(title.endswith("reward") for title in best(ranking, papers))
    assert ranking.scores[9].probability > 3 * ranking.scores[10].probability


def test_each_paragraph_of_the_interests_ranks_its_own_papers_high(ranker, papers):
    ranking = ranker.rank(Interest("verifiable rewards\n\nrobot grasping"), papers)
    topics = {title.split()[-1] for title in best(ranking, papers, 20)}
    assert topics == {"reward", "robot"}


def test_votes_up_raise_papers_like_the_liked_ones(ranker, papers):
    liked = [p for p in papers if p.title.endswith("speech")][:3]
    ranking = ranker.rank(Interest("verifiable rewards", up=liked), papers)
    before = ranker.rank(Interest("verifiable rewards"), papers)
    assert sum("speech" in title for title in best(ranking, papers, 20)) == 10
    assert sum("speech" in title for title in best(before, papers, 20)) < 10


def test_votes_down_lower_papers_like_the_disliked_ones(ranker, papers):
    by_title = {p.title: p for p in papers}
    disliked = [by_title[f"{word} for robot"] for word in WORDS[:4]]
    before = ranker.rank(Interest("reward robot"), [by_title["kappa for robot"]])
    after = ranker.rank(Interest("reward robot", down=disliked), [by_title["kappa for robot"]])
    assert after.scores[0].probability < before.scores[0].probability * 0.9


def test_interests_still_count_beside_votes(ranker, papers):
    liked = [p for p in papers if p.title.endswith("speech")][:3]
    ranking = ranker.rank(Interest("verifiable rewards", up=liked), papers)
    top = " ".join(best(ranking, papers, 20))
    assert "reward" in top


def test_liked_papers_take_the_place_of_the_profiles_words_sooner_than_disliked_ones(ranker, papers):
    words_alone = Mixture.from_stored([1, 0, 0, 0], 0)

    def spread(**votes) -> float:
        ranking = ranker.rank(Interest("verifiable rewards", mixture=words_alone, **votes), papers)
        return float(np.ptp([score.log_odds for score in ranking.scores]))

    assert spread(up=papers[:20]) < spread() / 10
    assert spread(down=papers[:20]) > spread() / 3


def test_a_librarys_papers_weigh_as_much_as_votes_in_the_centroid(ranker, papers):
    rocchio_alone = Mixture.from_stored([0, 1, 0, 0], 0)
    library = {paper.id: 0.0 for paper in papers[8:40]}
    as_votes = Interest(up=[*papers[:3], *papers[8:]], mixture=rocchio_alone)
    beside = replace(as_votes, weights=library_weights(library))
    assert best(ranker.rank(beside, papers), papers, 40) == best(ranker.rank(as_votes, papers), papers, 40)


def test_votes_alone_rank(ranker, papers):
    ranking = ranker.rank(Interest(up=papers[:4]), papers)
    assert all(title.endswith("reward") for title in best(ranking, papers))


def test_without_interests_and_votes_all_scores_are_equal(ranker, papers):
    ranking = ranker.rank(Interest(), papers)
    assert len({score.probability for score in ranking.scores}) == 1


def test_interests_that_no_paper_contains_give_equal_scores(ranker, papers):
    ranking = ranker.rank(Interest("zymurgy"), papers)
    assert len({score.probability for score in ranking.scores}) == 1


def test_the_terms_of_voted_papers_are_counted_and_compared(ranker, papers):
    interest = Interest(up=[papers[10], papers[0]], down=[papers[1]])
    votes = ranker.rank(interest, papers[11:15]).model.votes
    assert (votes.liked, votes.disliked) == (2, 1)
    assert votes.papers_with("robot") == (1, 0)
    assert votes.papers_with("reward") == (1, 1)
    assert votes.papers_with("zymurgi") == votes.papers_with("zymurgi", "reward") == (0, 0)
    assert votes.papers_with("robot", "reward") == (0, 0)
    assert votes.papers_with("reward", "reward") == (1, 1)
    best, other = votes.most_overlapping({"robot": 3.0, "reward": 1.0, "zymurgi": 4.0})
    assert best == (papers[10].id, pytest.approx(3 / 8), 1)
    assert other == (papers[0].id, pytest.approx(1 / 8), 1)
    assert votes.most_overlapping({}) == []
    assert ranker.rank(Interest("robot"), papers[:1]).model.votes.most_overlapping({"robot": 1.0}) == []


def test_a_keyword_raises_a_paper_by_a_bonus(ranker, papers):
    plain = ranker.rank(Interest("robot"), papers[:1]).scores[0]
    rules = Rules(keywords=["verifiable rewards", "absent"])
    raised = ranker.rank(Interest("robot", rules), papers[:1]).scores[0]
    assert raised.probability > plain.probability
    assert [bonus.text for bonus in raised.bonuses] == ["verifiable rewards"]


@pytest.mark.parametrize(
    ("term", "text", "matches"),
    [
        ("R1", "Like DeepSeek-R1, it thinks", True),
        ("R1", "R10 is larger", False),
        ("stock trading", "Stock\ntrading with agents", True),
        ("C++", "Written in C++ and Rust", True),
        ("art", "State of the art", True),
        ("art", "Starting", False),
    ],
)
def test_rules_match_whole_words_in_any_case(term, text, matches):
    candidate = paper(1, "Title", text)
    rules = Rules(keywords=[term], mute=[term])
    assert bool(rules.matches(candidate).bonuses) is matches
    assert rules.matches(candidate).muted == (term if matches else None)


def test_a_followed_author_is_known_by_name_whatever_the_case():
    rules = Rules(authors=["Natasha Jaques"])
    assert rules.matches(paper(1, "T", "", ("Ada", "natasha  jaques"))).followed == "Natasha Jaques"
    assert rules.matches(paper(1, "T", "", ("Natasha Jaquesson",))).followed is None


def test_similarity_is_one_with_itself_and_small_across_topics(ranker, papers):
    ranking = ranker.rank(Interest("reward"), papers)
    assert ranking.similarity(papers[0].id, papers[0].id) == pytest.approx(1)
    assert ranking.similarity(papers[0].id, papers[1].id) > ranking.similarity(papers[0].id, papers[11].id)


def test_papers_that_share_no_known_word_can_be_ranked():
    """A first digest in another script, or of stop words only, leaves an empty vocabulary."""
    strange = [paper(1, "?", ""), paper(2, "The", "Of and to")]
    ranking = ranker_of(strange).rank(Interest("reward"), strange)
    assert [score.paper for score in ranking.scores] == [1, 2]


@settings(max_examples=30, deadline=None)
@given(
    up=st.sets(st.integers(0, 39), max_size=5),
    down=st.sets(st.integers(0, 39), max_size=5),
    interests=st.lists(st.sampled_from(" ".join(TOPICS.values()).split()), max_size=6).map(" ".join),
    keywords=st.lists(st.sampled_from(["robot", "video", "absent"]), max_size=2, unique=True),
)
def test_terms_bonuses_and_the_rest_add_up_to_the_log_odds(ranker, papers, up, down, interests, keywords):
    interest = Interest(interests, Rules(keywords), [papers[i] for i in up - down], [papers[i] for i in down - up])
    ranking = ranker.rank(interest, papers)
    assert ranking.explained([]) == []
    for plain, score in zip(ranking.scores, ranking.explained(ranking.scores), strict=True):
        assert (plain.log_odds, plain.paper) == (score.log_odds, score.paper)
        bonuses = sum(bonus.weight for bonus in plain.bonuses)
        assert plain.rest + bonuses == pytest.approx(plain.log_odds)
        assert score.bonuses == plain.bonuses
        assert score.rest == pytest.approx(ranking.model.rest, abs=1e-4)
        assert score.rest + bonuses + sum(score.terms.values()) == pytest.approx(score.log_odds)
        assert math.log(score.probability / (1 - score.probability)) == pytest.approx(score.log_odds, abs=1e-6)


def test_a_batch_gives_each_reader_the_ranking_they_get_alone(ranker, papers):
    """The candidates, rules, votes and ignored words of other readers change nothing."""
    interests = [
        Interest("verifiable rewards", Rules(["robot"], mute=["video"]), papers[:3], papers[30:32]),
        Interest("robot grasping\n\nphoneme", Rules(authors=["Ada"]), ignored=["robot", "no such word"]),
        Interest(up=papers[12:15], ages={papers[12].id: 400.0}),
        Interest(),
    ]
    candidates = [papers[5:25], papers[::2], papers[15:], []]
    rankings = ranker.rankings(interests, candidates)
    for interest, reader_papers, ranking in zip(interests, candidates, rankings, strict=True):
        alone = ranker.rank(interest, reader_papers)
        assert_alike(ranking.scores, alone.scores)
        assert_alike(ranking.explained(ranking.scores), alone.explained(alone.scores))
        ids = [score.paper for score in alone.scores]
        assert [ranking.interest(i) for i in ids] == [alone.interest(i) for i in ids]
        similarities = [ranking.similarity(ids[0], i) for i in ids]
        assert similarities == pytest.approx([alone.similarity(i, ids[0]) for i in ids])


def test_readers_of_equal_interests_without_votes_share_a_model_and_nobody_else_does(ranker, papers):
    same = [Interest("robot grasping", Rules(["robot"])) for _ in range(2)]
    others = [
        Interest("robot grasping", Rules(["phoneme"])),
        Interest("robot grasping", Rules(["robot"]), ignored=["robot"]),
        Interest("robot grasping", Rules(["robot"]), mixture=Mixture(np.array([0.1, 1.0, 0.5, 1.1]), 1.0)),
        *(Interest("robot grasping", Rules(["robot"]), up=papers[:2]) for _ in range(2)),
    ]
    # In between, and with other candidates: a reader has seen other papers.
    interests = [same[0], *others, same[1]]
    candidates = [papers, *[papers[10:]] * len(others), papers[5:20]]
    rankings = list(ranker.rankings(interests, candidates))
    assert rankings[0].model is rankings[-1].model
    assert len({id(ranking.model) for ranking in rankings}) == 1 + len(others)
    for interest, reader_papers, ranking in zip(interests, candidates, rankings, strict=True):
        alone = ranker.rank(interest, reader_papers)
        assert_alike(ranking.scores, alone.scores)
        assert_alike(ranking.explained(ranking.scores), alone.explained(alone.scores))


def assert_alike(scores, others):
    """The same scores; scores that are equal but for rounding may be in another order."""
    assert [s.log_odds for s in scores] == pytest.approx([s.log_odds for s in others], abs=1e-4)
    by_paper = {score.paper: score for score in others}
    for score in scores:
        other = by_paper[score.paper]
        assert (score.bonuses, score.followed, score.muted) == (other.bonuses, other.followed, other.muted)
        assert (score.log_odds, score.rest) == pytest.approx((other.log_odds, other.rest), abs=1e-4)
        assert score.terms == pytest.approx(other.terms, abs=1e-4)


def test_ignored_words_count_neither_in_the_score_nor_among_its_reasons(ranker, papers):
    plain = ranker.rank(Interest("robot grasping"), papers[10:12])
    (before,) = plain.explained(plain.scores[:1])
    ranking = ranker.rank(Interest("robot grasping", ignored=["robot"]), papers[10:12])
    after = next(s for s in ranking.explained(ranking.scores) if s.paper == before.paper)
    assert after.terms == pytest.approx(
        {term: weight for term, weight in before.terms.items() if term != "robot"}, abs=1e-5
    )
    assert after.log_odds == pytest.approx(before.log_odds - before.terms["robot"], abs=1e-5)
    assert after.rest == pytest.approx(before.rest, abs=1e-5)
    assert "robot" not in ranking.mean_contributions()


def test_an_ignored_phrase_is_ignored_with_its_topical_words(ranker, papers):
    plain = ranker.rank(Interest("verifiable rewards"), papers[:2])
    ranking = ranker.rank(Interest("verifiable rewards", ignored=["Verifiable reward"]), papers[:2])
    gone = plain.mean_contributions().keys() - ranking.mean_contributions().keys()
    assert gone == {"reward", "verifi reward"}  # "verifiable" names no topic by itself


def test_mean_contributions_are_the_mean_over_papers(ranker, papers):
    ranking = ranker.rank(Interest("robot grasping", up=papers[:2]), papers[5:15])
    each = [score.terms for score in ranking.explained(ranking.scores)]
    mean = {term: sum(terms.get(term, 0) for terms in each) / 10 for terms in each for term in terms}
    assert ranking.mean_contributions() == pytest.approx(mean, abs=1e-5)


def test_few_papers_have_each_term_as_often_as_is_wanted(ranker, papers):
    ranking = ranker.rank(Interest("robot"), papers)
    chosen = ranking.papers_with(["reward", "robot", "zymurgi", "verifi"], each=2)
    texts = [paper.text.lower() for paper in papers if paper.id in chosen]
    assert len(texts) <= 6
    assert all(sum(term in text for text in texts) >= 2 for term in ("reward", "robot", "verifi"))
