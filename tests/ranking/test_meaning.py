"""Vectors of meaning: the shipped table, words that only a home has, and vectors of papers as sums over words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ranking.meaning import DIMENSIONS, TABLE, Meaning, PaperWords, shipped, word_hash
from bot.text.tokens import stem, stem_sequence

TEXTS = [
    "Grasping with a tactile hand\nA robot hand feels by haptic gripper sensors.",
    "Jailbreaks\nAdversarial prompts attack language models, and defenses fail.",
    "The of\nand to",
    "Teaching\nStudents of a course are tutored by a zorblax teacher in class.",
    "Learning at school\nThe zorblax helps each student in the classroom, as a tutor and a teacher do.",
]


def words_of(*texts: str) -> PaperWords:
    return PaperWords.from_sequences([stem_sequence(text) for text in texts])


def hashes(*words: str) -> np.ndarray:
    return np.array([word_hash(stem(word)) for word in words], dtype=np.uint32)


@pytest.fixture(scope="module")
def meaning() -> Meaning:
    return Meaning.learn(words_of(*TEXTS))


def cosine(meaning: Meaning, one: str, other: str) -> float:
    vectors = meaning.papers(words_of(one, other))
    return float(vectors[0] @ vectors[1])


def test_the_table_is_small_and_mapped_into_memory():
    assert TABLE.stat().st_size <= 4_000_000
    assert isinstance(shipped().base, np.memmap)
    assert not shipped().flags.writeable


def test_the_words_of_the_table_are_sorted_unit_vectors(meaning):
    words = shipped()["hash"]
    assert (np.diff(words.astype(np.int64)) > 0).all()
    norms = np.linalg.norm(meaning.vectors(np.array(words[::50])), axis=1)
    assert norms == pytest.approx(1, abs=0.1)  # in 15 steps


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("jailbreak", "adversarial", "galaxy"),
        ("tactile", "haptic", "theorem"),
        ("student", "teacher", "plasma"),
        ("quantization", "int4", "patient"),
        ("tumour", "cancer", "planning"),
    ],
)
def test_words_of_one_meaning_are_closer_than_others(meaning, word, near, far):
    assert cosine(meaning, word, near) > cosine(meaning, word, far) + 0.2


def test_papers_that_share_no_word_are_close_by_meaning(meaning):
    same = cosine(meaning, "Over-reliance on automated advice", "Users trust wrong answers of assistants too much")
    assert same > cosine(meaning, "Over-reliance on automated advice", "Star formation in dusty galaxies") + 0.1


@given(st.lists(st.sampled_from([*TEXTS, "", "!?\n", "zorblax", "unknownword", "a\nb c"]), max_size=5))
def test_papers_have_vectors_of_norm_1_or_0_that_are_the_same_alone_and_among_others(meaning, texts):
    vectors = meaning.papers(words_of(*texts))
    assert vectors.shape == (len(texts), DIMENSIONS)
    norms = np.linalg.norm(vectors, axis=1)
    assert np.where(norms > 0.5, 1 - norms, norms) == pytest.approx(0, abs=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert meaning.papers(words_of(text))[0] == pytest.approx(vector, abs=1e-5)


@pytest.mark.parametrize("text", [*TEXTS, "zorblax", "", "A title alone", "\nAn abstract alone"])
def test_a_papers_vector_is_a_sum_over_its_words(meaning, text):
    composition = meaning.composition(stem_sequence(text))
    vector = meaning.papers(words_of(text))[0]
    assert composition.coefficients @ composition.vectors == pytest.approx(vector, abs=1e-5)
    direction = np.random.default_rng(0).normal(size=DIMENSIONS)
    assert composition.along(direction).sum() == pytest.approx(vector @ direction, abs=1e-4)


def test_a_word_of_the_title_counts_more_than_one_of_the_abstract(meaning):
    towards = meaning.text([stem("student")])
    in_title, in_abstract = meaning.papers(words_of("student\na galaxy", "galaxy\na student"))
    assert in_title @ towards > in_abstract @ towards


def test_a_word_that_the_table_lacks_gets_a_vector_from_the_homes_papers(meaning):
    assert word_hash("zorblax") not in shipped()["hash"]
    assert not Meaning.learn(words_of(*TEXTS[:3])).vectors(hashes("zorblax")).any()
    assert not Meaning.learn(words_of(*TEXTS[:4])).vectors(hashes("zorblax")).any()  # one paper says too little
    assert np.linalg.norm(meaning.vectors(hashes("zorblax"))) == pytest.approx(1, abs=1e-2)
    assert cosine(meaning, "zorblax", "tutor") > cosine(meaning, "zorblax", "jailbreak") + 0.2


def test_words_of_the_table_keep_their_vectors_in_every_home(meaning):
    nothing = Meaning.learn(words_of())
    both = hashes("robot", "student", "zorblax")
    assert np.array_equal(meaning.vectors(both)[:2], nothing.vectors(both)[:2])
    assert not nothing.vectors(both)[2].any()


def test_a_word_weighs_less_the_more_papers_of_the_home_have_it():
    often = Meaning.learn(words_of(*["student robot"] * 500))
    nothing = Meaning.learn(words_of())
    student, unknown = nothing.idf(hashes("student", "zorblax"))
    assert often.idf(hashes("student"))[0] < student < unknown
    assert nothing.text([]) == pytest.approx(0)


def test_papers_words_are_selected_and_joined_in_any_order():
    words = words_of(*TEXTS)
    assert (len(words), words.papers.tolist().count(2)) == (5, 0)
    chosen = words[[4, 2, 0, 0]]
    expected = words_of(TEXTS[4], TEXTS[2], TEXTS[0], TEXTS[0])
    joined = PaperWords.concatenate([words_of(TEXTS[4], TEXTS[2]), words_of(), words_of(TEXTS[0], TEXTS[0])])
    for other in (expected, joined):
        for name in ("words", "positions", "starts", "titles"):
            assert getattr(chosen, name).tolist() == getattr(other, name).tolist()
    assert chosen.in_title.sum() == sum(stem_sequence(text).title for text in (TEXTS[4], TEXTS[0], TEXTS[0]))
    assert len(words[[]]) == 0
