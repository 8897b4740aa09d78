"""Trees, linear model and mixture: what they learn from votes, that terms add up, and that they are kept as arrays."""

import numpy as np
import pytest

from bot.ranking import experts
from bot.ranking.corpus import Corpus
from bot.ranking.experts import SHIPPED, Mixture, Predictions, home_mixture, reader_mixture
from bot.ranking.learner import dump, fit_forest, load
from bot.ranking.ranker import Interest, Ranker
from bot.ranking.ranking import Rules
from tests.ranking.test_ranker import paper

FIELDS = ["reward model", "language model", "image", "robot"]


def presence_of(papers: int, seed: int) -> np.ndarray:
    return (np.random.default_rng(seed).random((papers, len(FIELDS) + 20)) < 0.4).astype(np.int8)


def wanted(presence: np.ndarray) -> np.ndarray:
    """Reward and language models, but no images: no sum of terms says that."""
    return (presence[:, 0] == 1) & (presence[:, 1] == 1) & (presence[:, 2] == 0)


def forest_of(papers: int = 400):
    has = presence_of(papers, 0)
    return fit_forest(np.arange(has.shape[1]), has, wanted(has), np.ones(papers), trees=40, depth=6, max_features=0.3)


def test_trees_learn_a_conjunction_with_an_exception():
    has = presence_of(1_000, 1)
    log_odds = forest_of().log_odds(has)
    best = np.argsort(-log_odds)[: wanted(has).sum()]
    assert wanted(has)[best].mean() > 0.95


def test_a_tree_ensembles_log_odds_are_the_root_plus_each_terms_contribution():
    has = presence_of(200, 2)
    forest = forest_of()
    assert forest.contributions(has).sum(axis=1) + forest.root == pytest.approx(forest.log_odds(has), abs=1e-5)
    assert forest.contributions(has)[wanted(has)][:, :3].min(axis=1).mean() > 0


def test_trees_of_identical_papers_predict_the_share_liked():
    has = np.zeros((10, 3), np.int8)
    liked = np.arange(10) < 4
    forest = fit_forest(np.arange(3), has, liked, np.ones(10), trees=3, depth=4, max_features=0.5)
    assert forest.log_odds(has) == pytest.approx(np.log(0.4 / 0.6), abs=1e-4)
    assert not forest.contributions(has).any()


def foretold(right: int, n: int = 300) -> Predictions:
    """Votes that the expert ``right`` foretells, the others by chance."""
    random = np.random.default_rng(3)
    liked = random.random(n) < 0.5
    log_odds = random.normal(size=(n, 4))
    log_odds[:, right] = np.where(liked, 2.0, -2.0) + random.normal(size=n)
    return Predictions(log_odds, liked)


@pytest.mark.parametrize("right", range(4))
def test_an_expert_that_predicted_votes_gains_weight_and_the_others_lose_theirs(right):
    mixture = reader_mixture(foretold(right))
    others = np.arange(4) != right
    assert mixture.weights[right] > SHIPPED.weights[right] * 0.8
    assert (mixture.weights[others] < SHIPPED.weights[others]).all()
    assert (mixture.weights >= 0).all()


def test_without_predictions_a_reader_has_the_homes_mixture_and_the_home_the_shipped_one():
    home = Mixture(np.array([1.0, 2, 3, 4]), 5.0)
    none = Predictions(np.zeros((0, 4)), np.zeros(0, bool))
    assert reader_mixture(none, home) is home
    assert home_mixture([]) is SHIPPED
    assert home_mixture([none]) is SHIPPED


def test_the_mixture_is_fitted_to_as_many_predictions_as_the_constant_says(monkeypatch):
    """Of two experts the one that foretold the older votes counts only where these are still used."""
    first, last = foretold(0), foretold(1)
    both = Predictions(np.vstack([first.log_odds, last.log_odds]), np.concatenate([first.liked, last.liked]))
    few = reader_mixture(both)
    monkeypatch.setattr(experts, "RECENT", 600)
    all_votes = reader_mixture(both)
    assert few.weights == pytest.approx(reader_mixture(Predictions(last.log_odds[-120:], last.liked[-120:])).weights)
    assert all_votes.weights[0] > few.weights[0] + 0.1


def test_ten_dislikes_lower_matches_a_little_and_trust_no_expert_more():
    """The experts' log-odds are far below zero, where a higher weight would lower every match."""
    log_odds = np.array([[-9.0, -2.0, -1.0, 0.0]] * 10) + np.random.default_rng(6).normal(size=(10, 4)) / 2
    disliked = reader_mixture(Predictions(log_odds, np.zeros(10, bool)))
    assert disliked.weights == pytest.approx(SHIPPED.weights, abs=0.1)
    lower = SHIPPED.log_odds(log_odds) - disliked.log_odds(log_odds)
    assert 0 < lower.mean() < 0.2


def test_matches_are_calibrated_to_votes():
    """Experts that are too sure, and of readers who like a tenth only."""
    random = np.random.default_rng(4)
    truth = random.normal(-2, 1, 3_000)
    liked = random.random(3_000) < 1 / (1 + np.exp(-truth))
    predictions = Predictions(np.column_stack([np.zeros((3_000, 3)), 4 * truth + 3]), liked)
    probability = 1 / (1 + np.exp(-home_mixture([predictions]).log_odds(predictions.log_odds)))
    assert abs(probability[-300:].mean() - liked[-300:].mean()) < 0.03


@pytest.fixture(scope="module")
def papers():
    """Each of sixty papers names each field or doesn't, as the bits of its number say."""
    texts = [" ".join(f"{field}." for bit, field in enumerate(FIELDS) if number >> bit & 1) for number in range(16)]
    return [
        paper(n + 1, f"Paper {chr(97 + n % 26)}", f"{texts[n % 16]} Of word{n % 7}, word{n % 5}.") for n in range(160)
    ]


@pytest.fixture(scope="module")
def ranker(papers):
    return Ranker(Corpus().fit([f"{p.title}\n{p.abstract}" for p in papers]))


def likes(paper) -> bool:
    text = paper.abstract
    return "reward model" in text and "language model" in text and "image" not in text


def voted(papers, **more) -> Interest:
    return Interest(
        "reward models and images",
        up=[p for p in papers[:96] if likes(p)],
        down=[p for p in papers[:96] if not likes(p)],
        **more,
    )


def test_votes_teach_a_conjunction_with_an_exception(ranker, papers):
    new = papers[96:]
    best = [score.paper for score in ranker.rank(voted(papers), new).scores[: sum(map(likes, new))]]
    assert sum(likes(papers[number - 1]) for number in best) >= 0.9 * len(best)


def test_a_stored_model_ranks_as_before(ranker, papers):
    interest = voted(papers)
    (learned,) = ranker.learn([interest])
    restored = ranker.rank(voted(papers, learned=load(dump(learned))), papers[96:])
    fresh = ranker.rank(interest, papers[96:])
    assert [(s.paper, s.log_odds) for s in restored.scores] == [(s.paper, s.log_odds) for s in fresh.scores]


@pytest.mark.parametrize(
    "damage", [lambda a: b"", lambda a: a[:20], lambda a: b"PBM0" + a[4:], lambda a: a[:-9], lambda a: a[:40]]
)
def test_a_damaged_stored_model_is_refused(ranker, papers, damage):
    (learned,) = ranker.learn([voted(papers)])
    with pytest.raises(ValueError, match="no stored models"):
        load(damage(dump(learned)))


@pytest.mark.parametrize("length", [7, 2**31])
def test_lengths_that_a_stored_model_does_not_have_are_refused(ranker, papers, length):
    (learned,) = ranker.learn([voted(papers)])
    archive = bytearray(dump(learned))
    archive[20:24] = length.to_bytes(4, "little")
    with pytest.raises(ValueError, match=r"no stored models|dimension"):
        load(bytes(archive))


def test_a_model_of_another_vocabulary_is_fitted_again(ranker, papers):
    other = Ranker(Corpus().fit(["other words", "than those"]))
    (void,) = other.learn([voted(papers)])
    ranking = ranker.rank(voted(papers, learned=void), papers[96:])
    fresh = ranker.rank(voted(papers), papers[96:])
    assert [s.log_odds for s in ranking.scores] == [s.log_odds for s in fresh.scores]


def test_a_reader_without_votes_has_no_learned_model(ranker):
    assert ranker.learn([Interest("reward models")]) == [None]


def test_the_mixture_of_a_scores_predictions_and_its_adjustment_are_the_score(ranker, papers):
    plain = ranker.rank(voted(papers), papers[96:])
    raised = ranker.rank(voted(papers, rules=Rules(["robot"]), ignored=["image"]), papers[96:])
    for ranking in (plain, raised):
        scores = ranking.explained(ranking.scores)
        predictions = np.array([score.predictions for score in scores])
        mixed = ranking.model.mixture.log_odds(predictions[:, :-1])
        assert mixed + predictions[:, -1] == pytest.approx([score.log_odds for score in scores])
    assert not any(score.predictions[-1] for score in plain.explained(plain.scores))


def test_what_a_keyword_adds_is_not_learned_as_a_better_expert():
    """Papers that a keyword raised are liked by just what it added: the mixture has nothing to correct."""
    random = np.random.default_rng(5)
    log_odds = random.normal(-1, 1, size=(3_000, 4))
    adjustments = np.where(random.random(3_000) < 0.5, 1.4, 0.0)
    truth = SHIPPED.log_odds(log_odds) + adjustments
    liked = random.random(3_000) < 1 / (1 + np.exp(-truth))
    stored = np.column_stack([log_odds, adjustments])
    readers = [slice(start, start + 100) for start in range(0, 3_000, 100)]
    aware = home_mixture([Predictions.from_stored(stored[rows].tolist(), liked[rows].tolist()) for rows in readers])
    unaware = home_mixture([Predictions(log_odds[rows], liked[rows]) for rows in readers])
    assert abs(aware.offset - SHIPPED.offset) < 0.2
    assert unaware.offset > 0.4


@pytest.mark.parametrize(
    ("require", "text", "ranked"),
    [
        ([["reward models"]], "Reward modeling", True),
        ([["reward models"]], "A reward. Models of it", False),
        ([["RLHF", "GRPO"], ["language model"]], "GRPO for LLMs", True),
        ([["RLHF", "GRPO"], ["language model"]], "GRPO for robots", False),
        ([["LLM"]], "Large language models", True),
        ([["the"]], "Anything", True),
        ([], "Anything", True),
    ],
)
def test_a_paper_needs_a_word_of_each_required_group(ranker, require, text, ranked):
    interest = Interest("reward", Rules(require=require))
    candidate = paper(900, "Title", text)
    (score,) = ranker.rank(interest, [candidate]).scores
    assert bool(score.missing_terms) is not ranked
    (best,) = ranker.best([interest], [candidate], 10)
    assert len(best.rows) == ranked


def test_a_score_names_the_required_terms_that_its_paper_lacks(ranker):
    interest = Interest("reward", Rules(require=[["RLHF", "GRPO"], ["language model", "LLM"]]))
    (score,) = ranker.rank(interest, [paper(900, "GRPO for robots", "")]).scores
    assert score.missing_terms == ("language model", "LLM")


def test_the_best_with_all_required_terms_are_those_of_the_ranking(ranker, papers):
    interest = Interest("reward models and images", Rules(require=[["robot"], ["reward model"]]))
    ranked = [score.paper for score in ranker.rank(interest, papers).scores if not score.missing_terms]
    (best,) = ranker.best([interest], papers, 7)
    assert [papers[row].id for row in best.rows] == ranked[:7]
    assert len(best.probabilities) == 7
