"""The corpus: bounded, kept as arrays, and one reader alone ranked as among others."""

import io

import numpy as np
import pytest

from bot.ranking.corpus import Corpus
from bot.ranking.meaning import PaperWords
from bot.ranking.ranker import Interest, Ranker
from bot.text.tokens import stem_sequence
from tests.ranking.test_ranker import paper

TEXTS = [f"reward model number{i} verifiable topic{i % 7} answer{i % 11}" for i in range(1200)]
# Of more places than 16 bits can number, as every phrase takes ten.
LONG = "long\n" + "ow," * 6_600


@pytest.fixture(scope="module")
def corpus():
    return Corpus().fit([*TEXTS, LONG, "next"])


@pytest.fixture(scope="module")
def saved(corpus) -> bytes:
    file = io.BytesIO()
    corpus.save(file, (1200, 7))
    return file.getvalue()


def test_a_saved_corpus_gives_the_same_rows_and_scores(corpus, saved, papers):
    again, fitted_on = Corpus.load(io.BytesIO(saved))
    assert fitted_on == Corpus.load_fitted_on(io.BytesIO(saved)) == (1200, 7)
    texts = [TEXTS[3], "a new text of a reward model zorblax", "", LONG]
    assert np.array_equal(again.transform(texts).toarray(), corpus.transform(texts).toarray())
    assert np.array_equal(again.papers(texts).meanings, corpus.papers(texts).meanings)
    assert (again.identity, again.spellings_.text) == (corpus.identity, corpus.spellings_.text)
    interest = Interest("topic3 for reward models, not answer4; ow", up=papers[:3], down=papers[3:5])
    papers = [paper(-1, *LONG.split("\n")), *papers]
    before, after = (Ranker(each).rank(interest, papers) for each in (corpus, again))
    assert before.scores == after.scores
    assert before.explained(before.scores[:5]) == after.explained(after.scores[:5])


def _of_version(number: int) -> bytes:
    file = io.BytesIO()
    np.savez(file, about=np.array([number, 1, 2]))
    return file.getvalue()


@pytest.mark.parametrize("content", [b"", b"no arrays", b"PK\x03\x04broken", _of_version(4), _of_version(5)])
def test_a_file_that_is_not_a_corpus_is_refused(content):
    with pytest.raises(ValueError, match=r"no corpus|pickle|array|format"):
        Corpus.load(io.BytesIO(content))


@pytest.mark.parametrize("share", [0.01, 0.3, 0.7, 0.99])
def test_a_corpus_that_is_cut_off_is_refused(saved, share):
    for load in (Corpus.load, Corpus.load_fitted_on):
        with pytest.raises(ValueError, match=r"corpus|array|pickle"):
            load(io.BytesIO(saved[: int(len(saved) * share)]))


@pytest.mark.parametrize("texts", [[], [""], ["", "the of", "?"]])
def test_a_home_without_any_word_can_be_saved_and_ranked(texts, papers):
    file = io.BytesIO()
    Corpus().fit(texts).save(file, (0, 0))
    file.seek(0)
    empty, _ = Corpus.load(file)
    ranker, strange = Ranker(empty), [paper(2, "The", "Of and to"), paper(1, "?", "")]
    assert [score.paper for score in ranker.rank(Interest("reward"), strange).scores] == [1, 2]
    assert len(ranker.rank(Interest("reward", up=papers[:1], down=papers[1:2]), papers[:4]).scores) == 4


def test_a_word_of_a_single_paper_among_many_is_not_a_term(corpus):
    assert "number5" not in corpus.terms_
    assert "reward model" in corpus.terms_


def test_a_corpus_has_at_most_its_limits_of_papers(monkeypatch):
    monkeypatch.setattr("bot.ranking.corpus._MAX_PAPERS", 50)
    monkeypatch.setattr("bot.ranking.corpus._BACKGROUND", 20)
    corpus = Corpus().fit(TEXTS)
    assert (corpus.rows_.shape[0], len(corpus.words_), len(corpus.background_)) == (50, 50, 20)


def test_a_known_text_has_the_row_that_a_new_corpus_member_would_have(corpus):
    known = corpus.papers([TEXTS[7], "a new text"])
    assert np.allclose(known.terms[0].toarray(), corpus.transform([TEXTS[7]]).toarray())
    assert known.words[[0]].words.tolist() == PaperWords.from_sequences([stem_sequence(TEXTS[7])]).words.tolist()


@pytest.fixture(scope="module")
def papers():
    return [paper(i, text.split()[2], text) for i, text in enumerate(TEXTS[:60])]


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
    def log_odds(age: float) -> float:
        interest = Interest(up=papers[1:3], ages={papers[1].id: age})
        return Ranker(corpus).rank(interest, papers[8:9]).scores[0].log_odds

    assert log_odds(1000.0) < log_odds(0.0) - 0.05


def test_the_nearest_interest_of_a_paper(corpus):
    papers = [paper(n, field, f"We study {field}.") for n, field in enumerate(("robot grasping", "protein folding"))]
    ranking = Ranker(corpus).rank(Interest("robot grasping\n\nprotein folding"), papers)
    assert [ranking.interest(n) for n in (0, 1)] == [0, 1]
