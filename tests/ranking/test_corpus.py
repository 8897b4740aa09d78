"""The corpus: bounded, kept as arrays, and one reader alone ranked as among others."""

import io

import numpy as np
import pytest

from bot.model import Entry
from bot.model.identity import new_paper
from bot.ranking.corpus import Corpus
from bot.ranking.ranker import Interest, Ranker

TEXTS = [f"reward model number{i} verifiable topic{i % 7} answer{i % 11}" for i in range(1200)]


@pytest.fixture(scope="module")
def corpus():
    return Corpus().fit(TEXTS)


def test_a_saved_corpus_gives_the_same_rows(corpus):
    file = io.BytesIO()
    corpus.save(file, (1200, 7))
    file.seek(0)
    again, fitted_on = Corpus.load(file)
    texts = [TEXTS[3], "a new text of a reward model", ""]
    assert fitted_on == (1200, 7)
    assert np.array_equal(again.transform(texts).toarray(), corpus.transform(texts).toarray())
    assert np.array_equal(again.vectors(texts).expanded.toarray(), corpus.vectors(texts).expanded.toarray())
    assert np.array_equal(again.reference_.latent, corpus.reference_.latent)


@pytest.mark.parametrize("content", [b"", b"no arrays", b"PK\x03\x04broken"])
def test_a_file_that_is_not_a_corpus_is_refused(content):
    with pytest.raises(ValueError, match=r"no corpus|pickle|array"):
        Corpus.load(io.BytesIO(content))


def test_a_word_of_a_single_paper_among_many_is_not_a_term(corpus):
    assert "number5" not in corpus.terms_
    assert "reward model" in corpus.terms_


def test_a_corpus_has_at_most_its_limits_of_papers():
    corpus = Corpus(max_papers=50, background=20).fit(TEXTS)
    assert (corpus.rows_.shape[0], corpus.background_.shape[0], len(corpus.reference_)) == (50, 20, 20)


def test_a_known_text_has_the_row_that_a_new_corpus_member_would_have(corpus):
    alone = corpus._weighted(corpus._vectorizer.transform([TEXTS[7]]))
    assert np.allclose(corpus.transform([TEXTS[7]]).toarray(), alone.toarray())


@pytest.fixture(scope="module")
def now():
    from datetime import UTC, datetime

    return datetime(2025, 5, 6, tzinfo=UTC)


@pytest.fixture(scope="module")
def papers(now):
    return [new_paper(Entry(text.split()[2], text), i, now) for i, text in enumerate(TEXTS[:60])]


def test_many_readers_at_once_score_as_each_alone(corpus, papers):
    ranker = Ranker(corpus)
    interests = [
        Interest("topic3 answer4", up=papers[:3], down=papers[3:5]),
        Interest(up=papers[9:10]),
        Interest(),
    ]
    for interest, best in zip(interests, ranker.best(interests, papers, 5), strict=True):
        alone = ranker.rank(interest, papers).scores
        by_id = {score.paper: score.probability for score in alone}
        assert best.probabilities == pytest.approx([by_id[papers[row].id] for row in best.rows], rel=1e-3)
        assert best.probabilities == pytest.approx([score.probability for score in alone[:5]], rel=1e-3)


def test_an_old_vote_counts_less_than_a_vote_of_today(corpus, papers):
    ranker = Ranker(corpus)
    liked = [papers[1], papers[2]]

    def score(**ages):
        interest = Interest(up=liked, ages={papers[1].id: ages.get("first", 0.0)})
        return {s.paper: s.log_odds for s in ranker.rank(interest, papers).scores}[papers[8].id]

    assert score(first=1000.0) < score()


def test_the_nearest_interest_of_a_paper(corpus, papers):
    ranking = Ranker(corpus).rank(Interest("topic3\n\ntopic5"), papers)
    assert (ranking.interest(papers[3].id), ranking.interest(papers[5].id)) == (0, 1)
    assert ranking.interest(papers[4].id) is None
