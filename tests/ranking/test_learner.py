"""The model of votes: what it learns, and that it is kept as arrays."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bot.ranking import experts
from bot.ranking.corpus import Corpus
from bot.ranking.experts import dump, load
from bot.ranking.ranker import Interest, Ranker
from bot.ranking.scoring import Rules
from tests.ranking.test_ranker import paper

FIELDS = ["reward model", "language model", "image", "robot"]


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
    return "reward model. language model" in paper.abstract and "image" not in paper.abstract


def voted(papers, **more) -> Interest:
    up, down = ([p for p in papers[:96] if likes(p) is liked] for liked in (True, False))
    return Interest("reward models and images", up=up, down=down, **more)


def test_votes_teach_what_the_text_does_not_say(ranker, papers):
    new = papers[96:]
    best = [score.paper for score in ranker.rank(voted(papers), new).scores[: sum(map(likes, new))]]
    assert sum(likes(papers[number - 1]) for number in best) >= 0.9 * len(best)


def test_the_model_has_the_least_loss(ranker, papers, monkeypatch):
    fits = []

    def recorded(features, liked, weight):
        weights = fit(features, liked, weight)
        fits.append((features, liked, weight, weights))
        return weights

    fit = experts._logistic_regression
    monkeypatch.setattr(experts, "_logistic_regression", recorded)
    ranker.learn([voted(papers)])
    ((features, liked, weight, weights),) = fits
    matrix = np.stack([features @ unit for unit in np.eye(len(weights), dtype=np.float32)], axis=1)
    peer = LogisticRegression(C=1, fit_intercept=False, tol=1e-8).fit(matrix, liked, weight)
    assert matrix @ weights == pytest.approx(matrix @ peer.coef_[0], abs=0.001)


def test_a_stored_model_ranks_as_before(ranker, papers):
    interest = voted(papers)
    (learned,) = ranker.learn([interest])
    restored = ranker.rank(voted(papers, learned=load(dump(learned))), papers[96:])
    fresh = ranker.rank(interest, papers[96:])
    assert [(s.paper, s.log_odds) for s in restored.scores] == [(s.paper, s.log_odds) for s in fresh.scores]


DAMAGES = {
    "nothing": lambda _: b"",
    "part of the header": lambda archive: archive[:20],
    "the header": lambda archive: archive[:60],
    "an earlier format": lambda archive: b"PBM2" + archive[4:],
    "cut off": lambda archive: archive[:-9],
    "another length": lambda archive: archive[:52] + (7).to_bytes(4, "little") + archive[56:],
    "a huge length": lambda archive: archive[:52] + (2**31).to_bytes(4, "little") + archive[56:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_stored_model_is_refused(ranker, papers, damage):
    (learned,) = ranker.learn([voted(papers)])
    with pytest.raises(ValueError, match="no stored model"):
        load(DAMAGES[damage](dump(learned)))


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


def test_votes_of_one_kind_without_any_other_paper_teach_nothing():
    liked = paper(1, "Robots", "Robots walk.")
    home = Ranker(Corpus().fit([liked.text]))
    (learned,) = home.learn([Interest(up=[liked])])
    assert not learned.direction.any()
    assert (len(learned.columns), learned.intercept) == (0, 0)
    assert load(dump(learned)).vocabulary == home.vocabulary
