"""Papers by their own words and by those of their nearest; and what each word adds to a score, exactly."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bot.ranking.corpus import Corpus, PaperTerms, l2_normalize, nearest, neighbour_weights
from bot.ranking.matching import ReaderModels, UserVectors

TOPICS = ("reward model verifiable", "owl nest song", "graph proof lemma", "robot arm grasp")
TEXTS = [f"{TOPICS[i % 4]} paper{i % 13} result{i % 7} detail{i % 5}" for i in range(240)]
NEW = ["the song of an owl", "a proof of a lemma on robots", "nothing known here zzz", TEXTS[5]]

some_rows = arrays(np.float32, (90, 6), elements=st.sampled_from([0, 0, 0, 0.5, 1, 2]))


@pytest.fixture(scope="module")
def corpus():
    return Corpus().fit(TEXTS)


@pytest.fixture(scope="module")
def models(corpus):
    """Of one who wants owls, and has liked and disliked some papers; and of one who gave only words."""
    rows = corpus.transform(TEXTS)
    none = sp.csr_matrix((1, rows.shape[1]), dtype=np.float32)
    up = sp.vstack([l2_normalize(rows[[1]] + rows[[5]] + rows[[9]]), none], format="csr")
    down = sp.vstack([l2_normalize(rows[[2]]), none], format="csr")
    interests = l2_normalize(corpus.transform(["owl song", "proof"]))
    judged = sp.csr_matrix((2, corpus.background_.shape[0]), dtype=bool)
    users = UserVectors(interests, up, down, np.array([3.0, 0.0]), np.array([1.0, 0.0]))
    return ReaderModels(corpus).fit(users, judged)


@given(some_rows)
def test_the_nearest_are_those_of_highest_cosine_without_a_paper_itself(values):
    rows = sp.csr_matrix(values)
    near = nearest(rows, rows, np.arange(len(values))).toarray()
    cosines = (l2_normalize(rows) @ l2_normalize(rows).T).toarray()
    np.fill_diagonal(cosines, 0)
    for cosines_of_nearest, all_cosines in zip(near, cosines, strict=True):
        assert sorted(cosines_of_nearest) == pytest.approx([*[0] * 88, *sorted(all_cosines)[-2:]], abs=1e-6)
        assert cosines_of_nearest[cosines_of_nearest > 0] == pytest.approx(
            all_cosines[cosines_of_nearest > 0], abs=1e-6
        )


@given(some_rows)
def test_neighbours_have_the_same_total_weight_at_any_distance(values):
    rows = sp.csr_matrix(values)
    near = nearest(rows, rows, np.arange(len(values)))
    total = np.asarray(neighbour_weights(near).sum(axis=1)).ravel()
    assert total[near.getnnz(axis=1) > 0] == pytest.approx(0.6)
    assert not total[near.getnnz(axis=1) == 0].any()


def test_a_known_paper_is_not_its_own_neighbour(corpus):
    vectors = corpus.vectors([TEXTS[7]])
    assert vectors.neighbours.nnz == 5
    assert 7 not in vectors.neighbours.indices


def test_a_paper_is_expanded_by_words_of_its_neighbours(corpus):
    vectors = corpus.vectors(["an owl of song"])
    nest = list(corpus.terms_).index("nest")
    assert vectors.terms[0, nest] == 0
    assert vectors.expanded[0, nest] > 0


@pytest.mark.parametrize("reader", [0, 1])
def test_contributions_sum_to_the_score_and_their_words_are_in_the_paper(corpus, models, reader):
    papers = corpus.vectors([*NEW, *TEXTS[:40]])
    entries = PaperTerms(corpus, papers).entries(range(len(papers)))
    added = entries.matrix(models.contributions(reader, entries))
    expected = models.decision_function(papers)[reader] - models.intercept_[reader]
    assert np.asarray(added.sum(axis=1)).ravel() == pytest.approx(expected, abs=1e-3)
    for row in range(len(papers)):
        assert set(added[row].nonzero()[1]) <= set(papers.terms[row].indices)


def test_the_score_of_a_paper_without_a_known_word_is_the_intercept(corpus, models):
    papers = corpus.vectors(["nothing known here zzz"])
    assert papers.neighbours.nnz == 0
    assert models.decision_function(papers)[:, 0] == pytest.approx(models.intercept_)


def test_the_rarer_of_a_readers_terms_counts_more_than_its_share(corpus):
    wanted = l2_normalize(corpus.transform(["owl owl result3"]))
    none = sp.csr_matrix(wanted.shape, dtype=np.float32)
    users = UserVectors(wanted, none, none, np.zeros(1), np.zeros(1))
    judged = sp.csr_matrix((1, corpus.background_.shape[0]), dtype=bool)
    weights = ReaderModels(corpus).fit(users, judged).terms_[0]
    rare, common = corpus.column("result3"), corpus.column("owl")
    assert corpus.idf_[rare] > corpus.idf_[common]
    assert weights[rare] / weights[common] > wanted[0, rare] / wanted[0, common]


@settings(max_examples=20)
@given(st.lists(st.sampled_from([*NEW, *TEXTS[:9], ""]), max_size=6))
def test_a_paper_has_the_same_vectors_alone_and_among_others(corpus, texts):
    batch = corpus.vectors(texts)
    assert len(batch) == len(texts)
    for row, text in enumerate(texts):
        alone = corpus.vectors([text])
        assert batch[[row]].expanded.toarray() == pytest.approx(alone.expanded.toarray(), abs=1e-6)
        assert batch[[row]].latent == pytest.approx(alone.latent, abs=1e-5)
