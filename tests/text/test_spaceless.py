"""Tokens of scripts without spaces, and that text without them is read as before."""

import hashlib

import pytest

from bot.config.files import shipped
from bot.text.spaceless import is_spaceless
from bot.text.tokens import phrases, stem_sequence, stem_terms, tokens
from bot.text.topics import read_interests


def spelled(text):
    return ["/".join(token.spelling for token in phrase) for phrase in phrases(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("强化学习的理论", ["强化/化学/学习", "理论"]),
        ("我们研究大语言模型与推理", ["大语/语言/言模/模型", "推理"]),
        ("強化學習，及圖神經網絡", ["強化/化學/學習", "圖神/神經/經網/網絡"]),
        ("機械学習を用いた創薬", ["機械/械学/学習", "創薬"]),
        ("ロボットの制御", ["ロボ/ボッ/ット", "制御"]),
        ("データベースとひきこもり", ["デー/ータ/タベ/ベー/ース", "とひ/ひき/きこ/こも/もり"]),
        ("강화학습에 대한 데이터의 분석", ["강화/화학/학습", "대한/데이/이터", "분석"]),
        ("BERT模型 and GPT-4的评估", ["BERT", "模型", "GPT-4", "评估"]),
        ("脳 和", []),
    ],
)
def test_neighbouring_characters_are_tokens_and_particles_end_phrases(text, expected):
    assert spelled(text) == expected
    assert [token.spelling for token in tokens(text)] == [text[token.start : token.end] for token in tokens(text)]
    assert list(stem_sequence(text).stems) == [token.stem for token in tokens(text)]


def test_voicing_marks_of_japanese_stay():
    assert stem_terms("ガラス") == ["ガラ", "ラス", "ガラ ラス"]
    assert stem_terms("カラス")[0] != stem_terms("ガラス")[0]


def test_words_of_a_title_are_counted():
    sequence = stem_sequence("强化学习\n蛋白质")
    assert (sequence.title, list(sequence.stems)) == (3, ["强化", "化学", "学习", "蛋白", "白质"])


@pytest.mark.parametrize(
    ("text", "wanted", "refused"),
    [
        ("我对蛋白质结构预测，以及药物发现感兴趣。不要机器人", ["蛋白质结构预测", "药物发现"], ["机器人"]),
        ("强化学习、推荐系统；图神经网络", ["强化学习", "推荐系统", "图神经网络"], []),
        ("不要机器人，但无人机", ["无人机"], ["机器人"]),
        ("ロボットは不要です。創薬", ["創薬"], ["ロボット"]),
        ("reward models, 强化学习", ["reward models", "强化学习"], []),
    ],
)
def test_interests_are_taken_apart_by_east_asian_punctuation(text, wanted, refused):
    interests = read_interests(text)
    assert [topic.text for topic in interests.wanted] == wanted
    assert [topic.text for topic in interests.refused] == refused


def test_topics_of_one_sentence_are_alternatives_where_the_reader_lists_them():
    assert [topic.segment for topic in read_interests("强化学习和推理").wanted] == [0, 1]


def test_the_terms_of_text_without_these_scripts_are_as_ever():
    """The hash is that of tokens read without knowing these scripts."""
    text = "\n".join(path.read_text() for path in sorted(shipped("seeds").glob("*.txt")))
    assert not any(map(is_spaceless, text))
    digest = hashlib.sha256("\n".join(stem_terms(text)).encode()).hexdigest()
    assert digest == "43b4ebbbd5aa4a44a6e8ea62373bef638415d09d5880ea6d9ddaaa7cd455647e"


def test_a_long_run_is_read_in_one_pass():
    """In proportion to its length: twice as many characters are twice as many tokens."""
    for character in "学의กひ":
        short, long = (len(tokens(character * count)) for count in (5_000, 10_000))
        assert long - short == 5_000
