"""What papers match of a reader's text: whole phrases, topics together, refusals and meaning."""

import numpy as np
import pytest

from bot.ranking.corpus import Corpus
from bot.ranking.experts import TEXT_WEIGHTS
from bot.ranking.matching import FeatureWeights, PhraseIndex, TextModel
from bot.ranking.meaning import PaperWords
from bot.text.tokens import stem_sequence
from bot.text.topics import expanded


def presence(topic: str, *texts: str) -> list[float]:
    index = PhraseIndex(PaperWords.from_sequences([stem_sequence(text) for text in texts]))
    return index.presence(expanded(stem_sequence(topic).stems)).tolist()


@pytest.mark.parametrize(
    ("topic", "text", "is_there"),
    [
        ("reward models", "We train reward models", True),
        ("reward models", "reward modeling", True),
        ("reward models", "models of reward", True),
        ("reward models", "a reward of large neural models", False),
        ("reward models", "a reward. Models of it", False),
        ("reward models", "reward\nmodels", False),
        ("reward models", "a reward", False),
        ("item response theory", "an item theory and long pages on some response", False),
        ("large language models", "LLMs are tested", True),
        ("LLM", "large language models", True),
        ("interfaces", "GUIs are tested", False),
        ("learning", "RL is used", False),
        ("speech recognition", "ASR for accented speech", True),
        ("speech recognition", "Attack success rates (ASR) of prompts", False),
        ("visualization", "visual cortex", False),
        ("robots", "", False),
        ("robots", "the of", False),
    ],
)
def test_a_topic_is_there_if_all_of_its_words_stand_close_together(topic, text, is_there):
    # Beside papers before and after it, whose words don't count for it.
    before, here, after = presence(topic, "A reward", f"Title\n{text}", "Models")
    assert (before, after) == (0, 0)
    assert (here > 0) is is_there


def test_a_title_counts_for_two_occurrences_and_five_are_all():
    texts = [f"T\n{'a robot arm. ' * times}" for times in (1, 2, 5, 10)]
    once, two, five, ten, title = presence("robot arm", *texts, "Robot arm\nOf")
    assert 0 < once < two == title < five == ten == 1


@pytest.fixture(scope="module")
def corpus(sample_papers) -> Corpus:
    return Corpus().fit([paper.text for paper in sample_papers])


def model_of(corpus, *texts: str) -> TextModel:
    return TextModel(texts, corpus.meaning_, corpus.background_.meanings)


def features(corpus, texts, *papers: str):
    return corpus.papers(papers).matches(model_of(corpus, *([texts] if isinstance(texts, str) else texts)))


def log_odds(corpus, text: str, *papers: str) -> np.ndarray:
    return features(corpus, text, *papers).matrix() @ TEXT_WEIGHTS.vector()


@pytest.mark.parametrize(
    ("topic", "other"),
    [
        ("item response theory", "Item pricing\nA theory of markets, where response to prices is known."),
        ("manipulation-resistance axioms", "Robot manipulation\nA manipulation policy for grasping with resistance."),
        ("stock return prediction", "Prediction of rain\nStock images of clouds; the network returns a forecast."),
        ("visualization", "Visual grounding\nA visual encoder."),
        ("accessibility", "Access control\nOpen access."),
        ("computers in class", "Test-time compute\nWe scale compute."),
    ],
)
def test_a_phrase_beats_its_single_words_and_a_word_those_derived_from_it(corpus, topic, other):
    on_topic, on_other = log_odds(corpus, topic, f"On {topic}\nIt works well.", other)
    assert on_topic > on_other + 0.5


def test_a_phrase_of_more_words_says_more(corpus):
    """Its words are as rare on average: they are the same."""
    weights = []
    for topic in ("reward model", "reward model reward", "reward model reward model"):
        (weighted,) = model_of(corpus, topic).wanted
        weights.append(weighted.weight)
    assert weights == sorted(set(weights))


def test_topics_of_one_segment_count_together_more_than_each_alone(corpus):
    papers = (
        "A\nReinforcement learning is used. Protein folding is solved.",
        "A\nReinforcement learning is used. Speech synthesis is solved.",
        "A\nGalaxy spectra are used. Protein folding is solved.",
        "A\nProtein folding is solved. Protein folding is solved.",
    )
    joint = features(corpus, "Reinforcement learning for protein folding", *papers)
    assert joint.together[0] > 0
    assert joint.together[1:].tolist() == [0, 0, 0]
    weighted = joint.matrix() @ TEXT_WEIGHTS.vector()
    assert weighted[0] > weighted[1:].max() + 3
    for divided_by in (", ", " and ", " or ", "; ", "\n"):
        assert not features(corpus, f"Reinforcement learning{divided_by}protein folding", *papers).together.any()


def test_alternatives_count_together_with_what_stands_around_them(corpus):
    text = "Machine learning for segmentation and protein folding in mice or tumours"
    papers = (
        "A\nMachine learning is used. Segmentation is done in tumours.",
        "A\nMachine learning is used. Protein folding is done in mice.",
        "A\nMachine learning is used. Segmentation is done.",
        "A\nProtein folding is done in mice.",
        "A\nSegmentation is done in mice.",
        "A\nMachine learning is used in mice.",
    )
    together = features(corpus, text, *papers).together
    assert (together[:2] > together[2:4]).all()
    assert together[2:4].min() > 0  # each side of "and" may be meant alone, too
    assert together[4:].tolist() == [0, 0]
    apart = features(corpus, text.replace(" and ", "; ").replace(" or ", "; "), *papers).together
    assert (apart[:2] < together[:2]).all()


def test_single_words_of_one_segment_are_no_topics_together(corpus):
    """How interfaces should change: an interface and a change meet in papers of any kind."""
    met, _ = features(corpus, "How interfaces should change", "A\nInterfaces change.", "B\nOf.").together
    assert met == 0
    met, _ = features(corpus, "How user interfaces should change", "A\nUser interfaces change.", "B\nOf.").together
    assert met > 0


SEGMENTATION = "Medical image segmentation\nWe segment organs by networks."
SAME_MEANING = "Contouring tumours in CT scans\nDelineation of lesions in radiology with U-Net."
TRIAGE = "Triage in hospitals\nClinical notes of patients help nurses."


def test_a_refused_topic_lowers_papers_by_word_and_by_meaning_and_others_hardly(corpus):
    text = "Machine learning in medicine"
    papers = (SEGMENTATION, SAME_MEANING, TRIAGE)
    before = features(corpus, text, *papers)
    after = features(corpus, f"{text}. I don't care about medical image segmentation", *papers)
    assert not before.refused.any()
    assert after.refused[0] > 1
    assert after.refused[1:].tolist() == [0, 0]
    lost = before.meaning - after.meaning
    assert lost[:2].min() > 0.3
    assert lost[2] < lost[:2].min() / 2
    weighted = (after.matrix() - before.matrix()) @ TEXT_WEIGHTS.vector()
    assert weighted[0] < weighted[1] - 1 < 0


def test_what_is_wanted_and_refused_by_the_same_words_keeps_its_meaning(corpus):
    wanted = features(corpus, "robot grasping", "Robot grasping\nBy a hand.")
    both = features(corpus, "robot grasping. Never robot grasping", "Robot grasping\nBy a hand.")
    assert both.meaning == pytest.approx(wanted.meaning, abs=0.01)


def test_a_topic_that_many_papers_have_weighs_less_than_a_rare_one(corpus):
    common, rare = features(
        corpus, "language models, tokamak plasma", "Language models\nOf.", "Tokamak plasma\nOf."
    ).phrases
    assert rare > 2 * common > 0


def test_the_nearest_of_several_texts_counts(corpus):
    texts = ("robot grasping", "protein folding")
    papers = ("Grasping by robots\nOf.", "Folding of proteins\nOf.")
    both = features(corpus, texts, *papers)
    assert both.interest.tolist() == [0, 1]
    each = [features(corpus, text, *papers).meaning for text in texts]
    assert both.meaning == pytest.approx(np.maximum(*each), abs=1e-4)


@pytest.mark.parametrize("text", ["", "??", "the of", "never robots"])
def test_a_text_that_wants_nothing_matches_nothing(corpus, text):
    matches = features(corpus, text, SEGMENTATION, "")
    assert not matches.matrix()[:, [0, 1, 3]].any()
    assert model_of(corpus, text).is_empty


@pytest.mark.parametrize("text", ["zymurgyx", "zymurgyx qwertyx; owls"])
def test_unknown_words_are_matched_by_word(corpus, text):
    matches = features(corpus, text, "Zymurgyx qwertyx\nOf.", "Rain\nOf.")
    assert matches.phrases[0] > 0 == matches.phrases[1]


@pytest.mark.parametrize(
    "text",
    [
        "Reinforcement learning for language models, not robots",
        "LLM agents",
        "reward models; grasping",
        "galaxies",
        "Reward models or robots with LLM agents and language models",
    ],
)
def test_what_each_word_adds_sums_to_what_phrases_add(corpus, sample_papers, text):
    texts = [*(paper.text for paper in sample_papers[:30]), "Robots\nLLM agents for robots.", ""]
    papers = corpus.papers(texts)
    model = model_of(corpus, text)
    weights = FeatureWeights(phrases=0.3, together=2.0, refused=-1.5, meaning=0.0)
    expected = papers.matches(model).matrix() @ weights.vector()
    for row, paper in enumerate(texts):
        sequence = stem_sequence(paper)
        added = model.contributions(papers.index, row, sequence, weights)
        assert sum(added.values()) == pytest.approx(expected[row])
        assert added.keys() <= set(sequence.stems)


@pytest.mark.parametrize(
    ("topic", "paper", "is_close"),
    [
        ("automation bias", "Over-reliance on automated advice\nPeople trust biased automation of decisions.", True),
        ("robot grasping", "Dexterous hands\nManipulators grip objects by tactile sensing.", True),
        ("medical records", "Tumours in radiology\nMedical image segmentation of organs in CT scans.", False),
        ("robot manipulation", "Strategic voting\nManipulation of elections by voters; resistance axioms.", False),
        ("education policy", "Policy gradients\nA policy is optimised by reinforcement learning.", False),
        ("protein folding", "Reward hacking\nLanguage models exploit rewards.", False),
    ],
)
def test_a_paper_is_close_to_a_topic_only_if_it_is_to_each_word(corpus, topic, paper, is_close):
    close = model_of(corpus, f"galaxy clusters of dark matter halos; {topic}").close_topics(
        corpus.papers([paper]).meanings[0]
    )
    assert (topic in [each.text for each in close]) is is_close


def test_close_topics_come_closest_first(corpus):
    model = model_of(corpus, "protein folding; robot grasping")
    paper = "Robot grasping with tactile hands\nA robot hand grasps protein; grippers grasp."
    close = model.close_topics(corpus.papers([paper]).meanings[0])
    assert close[0].text == "robot grasping"
