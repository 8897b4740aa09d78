"""Ranking: interests first, then thumbs too; rules; and reasons that add up exactly."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit

from bot.model import GOOD, Entry, Paper
from bot.model.papers import new_paper
from bot.ranking.corpus import Corpus
from bot.ranking.experts import Mixture
from bot.ranking.ranker import Interest, Ranker
from bot.ranking.scoring import Rules

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
    texts = [(f"{word} for {topic}", f"{TOPICS[topic]}. We study {word} here.") for topic in TOPICS for word in WORDS]
    return [paper(number, *text) for number, text in enumerate(texts, 1)]


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
    assert {title.split()[-1] for title in best(ranking, papers, 20)} == {"reward", "robot"}


def test_votes_up_raise_papers_like_the_liked_ones(ranker, papers):
    liked = [p for p in papers if p.title.endswith("speech")][:3]
    ranking = ranker.rank(Interest("verifiable rewards", up=liked), papers)
    before = ranker.rank(Interest("verifiable rewards"), papers)
    of_speech = [sum("speech" in title for title in best(each, papers, 20)) for each in (before, ranking)]
    assert of_speech[0] < 5 < of_speech[1]


def of(papers, topic: str) -> list[Paper]:
    return [paper for paper in papers if paper.title.endswith(topic)]


def mean_log_odds(ranker, interest, papers) -> float:
    return float(np.mean([score.log_odds for score in ranker.rank(interest, papers).scores]))


@pytest.mark.parametrize(
    ("text", "up", "down"),
    [("robot grasping", "speech", "robot"), ("Video and speech. I don't care about robot grasping", "robot", "vision")],
)
def test_six_votes_against_what_was_written_beat_a_wish_and_a_refusal(sample_ranker, papers, text, up, down):
    liked, disliked = of(papers, up), of(papers, down)

    def mean(voted: bool, new: list[Paper]) -> float:
        interest = Interest(text, up=liked[:6], down=disliked[:6]) if voted else Interest(text)
        return mean_log_odds(sample_ranker, interest, new)

    assert mean(False, liked[6:]) < mean(False, disliked[6:])
    assert mean(True, liked[6:]) > logit(GOOD) > mean(True, disliked[6:])


def test_a_refused_topic_is_ranked_last_until_votes_say_otherwise(ranker, papers):
    for wish in ("verifiable rewards", "verifiable rewards; video; phoneme"):
        ranking = ranker.rank(Interest(f"{wish}. No robots"), papers)
        lowest = {score.paper for score in ranking.scores[-10:]}
        assert lowest == {paper.id for paper in of(papers, "robot")}


def test_a_paper_that_shares_no_word_with_the_text_is_found_by_meaning(sample_ranker):
    interest = Interest("Over-reliance on automation")
    people = paper(901, "Too much trust", "Users accept wrong advice of assistants, and skills of clinicians decline.")
    stars = paper(902, "Dusty skies", "Spectra of galaxies show how stars are born, as telescopes measure in surveys.")
    ranking = sample_ranker.rank(interest, [stars, people])
    assert [score.paper for score in ranking.scores] == [901, 902]
    assert ranking.scores[0].log_odds > ranking.scores[1].log_odds + 1
    assert not ranking.matches.phrases.any()


def test_papers_that_name_a_topic_or_are_near_in_meaning_touch_a_text_and_others_do_not(sample_ranker):
    by_word = paper(901, "Seeds", "We grow tomatoes. One robot watches.")
    by_meaning = paper(902, "Dexterous hands", "Manipulators grip objects with tactile sensors, and walk on legs.")
    neither = paper(903, "Dusty skies", "Spectra of galaxies show how stars are born, as telescopes measure.")

    def touching(text):
        ranking = sample_ranker.rank(Interest(text), [by_word, by_meaning, neither])
        return [number for number in (901, 902, 903) if ranking.touches(number)]

    assert touching("robots") == [901, 902]
    assert touching("") == touching("never robots") == [901, 902, 903]  # nothing that is wanted could be read


def test_where_no_paper_has_most_of_the_topics_only_papers_that_name_one_touch_a_text():
    fields = (
        "We translate sentences of languages",
        "We detect objects in images",
        "Robots grasp cups",
        "Proteins fold",
        "Weather is forecast from satellites",
        "Prices of stocks move",
    )
    texts = [f"{field}, run {n}\n{field} and gain {n}%." for n in range(100) for field in fields]
    near = paper(901, "Dialects", "Sentences of languages with few speakers are translated by models.")
    named = paper(902, "Children learn words", "We study how children learn languages.")
    aside = paper(903, "Weather satellites", "Weather satellites see storms.")

    def touching(ranker, text):
        ranking = ranker.rank(Interest(text), [near, named, aside])
        return [number for number in (901, 902, 903) if ranking.touches(number)]

    home = Ranker(Corpus().fit(texts))
    text = "Speech recognition for children. Spoken languages"
    assert touching(home, text) == [902]
    uncovered = [topic.text for topic in home.text([text]).uncovered]
    assert uncovered == ["Speech recognition", "children", "Spoken languages"]
    # A topic is a wish of its own, but not beside a missing one.
    assert touching(home, f"{text}\n\nWeather satellites") == [902, 903]
    assert touching(home, f"{text}\n\nWeather satellites that see migraines") == [902]
    assert touching(home, "Weather satellites") == [903]
    assert touching(home, "Translation of languages") == [901]
    # In a small home, all topics have to be missing, and a very small one is no sample of its sources.
    small = Ranker(Corpus().fit(texts[:300]))
    assert touching(small, text) == [902]
    assert 901 in touching(small, f"{text}. Satellites")
    assert 901 in touching(Ranker(Corpus().fit(texts[:90])), text)


def test_votes_alone_rank(ranker, papers):
    ranking = ranker.rank(Interest(up=papers[:4]), papers)
    assert all(title.endswith("reward") for title in best(ranking, papers))


@pytest.mark.parametrize("text", ["", "zymurgy", "the of"])
def test_without_votes_and_with_a_text_that_no_paper_contains_all_scores_are_equal(ranker, papers, text):
    assert len({score.probability for score in ranker.rank(Interest(text), papers).scores}) == 1


def test_the_terms_of_voted_papers_are_counted_and_compared(ranker, papers):
    interest = Interest(up=[papers[10], papers[0]], down=[papers[1]])
    votes = ranker.rank(interest, papers[11:15]).model.votes
    assert (votes.liked, votes.disliked) == (2, 1)
    assert votes.papers_with("robot") == (1, 0)
    assert votes.papers_with("reward") == (1, 1)
    assert votes.papers_with("zymurgi") == votes.papers_with("zymurgi", "reward") == (0, 0)
    assert votes.papers_with("robot", "reward") == (0, 0)
    assert votes.papers_with("reward", "reward") == (1, 1)
    weights = {"robot": 3.0, "reward": 1.0, "zymurgi": 4.0}
    assert votes.most_overlapping(weights) == [(papers[10].id, 1), (papers[0].id, 1)]
    assert votes.most_overlapping(weights, least=2 / 8) == [(papers[10].id, 1)]
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


@pytest.mark.parametrize("part", ["", "?", "robot ", "zymurgy ", "no robots, ", "(RL) ", "a\n"])
def test_any_paper_and_text_is_ranked_in_time_that_grows_with_their_length(ranker, papers, part):
    text = part * 5_000
    hostile = paper(900, part, text)
    interest = Interest(text[:20_000], up=[hostile, papers[0]], down=[papers[1]])
    scores = (ranking := ranker.rank(interest, [hostile])).explained(ranking.scores)
    assert np.isfinite(scores[0].log_odds)
    assert scores[0].rest + sum(scores[0].terms.values()) == pytest.approx(scores[0].log_odds, abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(
    up=st.sets(st.integers(0, 39), max_size=5),
    down=st.sets(st.integers(0, 39), max_size=5),
    words=st.lists(st.sampled_from([*" ".join(TOPICS.values()).split(), "not", ";", "for"]), max_size=6),
    keywords=st.lists(st.sampled_from(["robot", "video", "absent"]), max_size=2, unique=True),
)
def test_terms_bonuses_and_the_rest_add_up_to_the_log_odds(ranker, papers, up, down, words, keywords):
    interest = Interest(
        " ".join(words), Rules(keywords), [papers[i] for i in up - down], [papers[i] for i in down - up]
    )
    ranking = ranker.rank(interest, papers)
    assert ranking.explained([]) == []
    form, paragraphs = ranking.model.form, ranking.model.text.paragraphs
    intercept = form.intercept - sum(form.matches.meaning * paragraph.offset for paragraph in paragraphs)
    for plain, score in zip(ranking.scores, ranking.explained(ranking.scores), strict=True):
        assert (plain.log_odds, plain.paper) == (score.log_odds, score.paper)
        bonuses = sum(bonus.weight for bonus in plain.bonuses)
        assert plain.rest + bonuses == pytest.approx(plain.log_odds)
        assert score.bonuses == plain.bonuses
        assert score.rest + bonuses + sum(score.terms.values()) == pytest.approx(score.log_odds)
        if ranking.matches.meaning[ranking.pool.row[score.paper]] < 5.9:  # of a closer paper a part counts
            assert score.rest == pytest.approx(intercept, abs=1e-4)
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


def test_of_papers_of_earlier_days_the_best_are_ranked_with_the_new_ones(papers):
    many = [replace(papers[n % len(papers)], id=n + 1) for n in range(120)]
    ranker = Ranker(Corpus().fit([paper.text for paper in papers]))
    interest = Interest("robot grasping", Rules(["reward"]))
    all_scores = ranker.rank(interest, many[20:]).scores
    (ranking,) = ranker.rankings([interest], [many[:20]], [many[20:]])
    ranked = [score.paper for score in ranking.scores]
    assert sorted(ranked) == sorted([*range(1, 21), *(score.paper for score in all_scores[:50])])
    assert ranked == [score.paper for score in ranker.rank(interest, many).scores if score.paper in set(ranked)]


def test_readers_are_ranked_together_as_each_alone(ranker, papers):
    interests = [
        Interest("robot grasping", Rules(["robot"])),
        Interest("robot grasping", Rules(["phoneme"])),
        Interest("robot grasping", Rules(["robot"]), ignored=["robot"]),
        Interest("robot grasping", Rules(["robot"]), mixture=Mixture(np.array([0.5, 1.0]), 1.0)),
        *(Interest("robot grasping", Rules(["robot"]), up=papers[:2]) for _ in range(2)),
        Interest("robot grasping", Rules(["robot"])),
    ]
    candidates = [papers, *[papers[10:]] * (len(interests) - 2), papers[5:20]]
    rankings = ranker.rankings(interests, candidates)
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


def _terms(ranking):
    return {term for score in ranking.explained(ranking.scores) for term in score.terms}


def test_ignored_words_count_neither_in_the_score_nor_among_its_reasons(ranker, papers):
    plain = ranker.rank(Interest("robot grasping"), papers[10:12])
    (before,) = plain.explained(plain.scores[:1])
    ranking = ranker.rank(Interest("robot grasping", ignored=["robot"]), papers[10:12])
    after = next(s for s in ranking.explained(ranking.scores) if s.paper == before.paper)
    others = {term: weight for term, weight in before.terms.items() if term != "robot"}
    assert after.terms == pytest.approx(others, abs=1e-5)
    assert after.log_odds == pytest.approx(before.log_odds - before.terms["robot"], abs=1e-5)
    assert after.rest == pytest.approx(before.rest, abs=1e-5)
    assert "robot" not in _terms(ranking)


def test_an_ignored_phrase_is_ignored_with_its_topical_words(ranker, papers):
    plain = ranker.rank(Interest("verifiable rewards"), papers[:2])
    ranking = ranker.rank(Interest("verifiable rewards", ignored=["Verifiable reward"]), papers[:2])
    assert _terms(plain) - _terms(ranking) == {"reward"}  # "verifiable" names no topic by itself


@pytest.mark.parametrize(
    ("require", "text", "missing"),
    [
        ([["reward models"]], "Reward modeling", ()),
        ([["reward models"]], "A reward. Models of it", ("reward models",)),
        ([["RLHF", "GRPO"], ["language model"]], "GRPO for LLMs", ()),
        ([["RLHF", "GRPO"], ["language model", "VLM"]], "GRPO for robots", ("language model", "VLM")),
        ([["LLM"]], "Large language models", ()),
        ([["the"]], "Anything", ()),
        ([], "Anything", ()),
    ],
)
def test_a_paper_needs_a_word_of_each_required_group(ranker, require, text, missing):
    interest, candidate = Interest("reward", Rules(require=require)), paper(900, "Title", text)
    (score,) = ranker.rank(interest, [candidate]).scores
    assert score.missing_terms == missing
    (best,) = ranker.best([interest], [candidate], 10)
    assert len(best.rows) == (not missing)


def test_the_best_with_all_required_terms_are_those_of_the_ranking(ranker, papers):
    interest = Interest("reward models and images", Rules(require=[["kitchen", "reward"], ["alpha", "beta"]]))
    ranked = [score.paper for score in ranker.rank(interest, papers).scores if not score.missing_terms]
    (best,) = ranker.best([interest], papers, 7)
    assert [papers[row].id for row in best.rows] == ranked[:7]
    assert len(best.probabilities) == len(ranked) == 4
