"""Interests in Chinese, Japanese, Korean and Thai match papers in the same language, through the real ranker."""

import io

import pytest

from bot.ranking.corpus import Corpus
from bot.ranking.phrases import PaperText
from bot.ranking.ranker import Interest, Ranker
from bot.ranking.scoring import Rules
from bot.text.tokens import Spellings
from tests.ranking.test_ranker import paper

# For each language what papers say of each topic, in a general frame; and what their reader wants.
FRAMES = {
    "zh": ("{}的新方法", "本文研究{}的问题。我们提出一种新的框架，并在第{}组数据上验证{}，结果表明该方法有效。"),
    "ja": ("{}に関する新しい手法", "本論文では{}を扱う。データセット第{}組での実験により、{}に有効であることを示す。"),
    "ko": ("{}에 대한 새로운 방법", "본 논문은 {}을 다룬다. 데이터 {}에서 실험하여 {}의 효과를 보인다."),
    "th": ("วิธีใหม่สำหรับ{}", "บทความนี้ศึกษา{}ด้วยข้อมูลชุดที่ {} และแสดงผลของ{}"),
}
TOPICS = {
    "zh": ["强化学习", "蛋白质结构预测", "机器人抓取", "气候变化", "城市交通流量"],
    "ja": ["強化学習", "タンパク質構造予測", "ロボットの把持", "気候変動", "交通流の予測"],
    "ko": ["강화학습", "단백질 구조 예측", "로봇 파지", "기후 변화", "교통 흐름"],
    "th": ["การเรียนรู้แบบเสริมกำลัง", "โครงสร้างโปรตีน", "หุ่นยนต์หยิบจับ", "การเปลี่ยนแปลงภูมิอากาศ", "การจราจรในเมือง"],
}
INTERESTS = {
    "zh": "我研究强化学习和推理",
    "ja": "強化学習について研究しています",
    "ko": "강화학습에 관심이 있습니다",
    "th": "การเรียนรู้แบบเสริมกำลัง",
}
WORDS = "owls night forest sleep prey wings nests eggs".split()


def papers_of(language, first):
    title, abstract = FRAMES[language]
    return [
        paper(first + 10 * n + m, title.format(topic), abstract.format(topic, n, topic))
        for n, topic in enumerate(TOPICS[language])
        for m in range(8)
    ]


@pytest.fixture(scope="module")
def papers():
    """Papers in all four languages, and more in English."""
    english = [
        paper(n + 1, f"On {WORDS[n % 8]} and {WORDS[n // 8]}", f"We study {WORDS[n % 8]} of owls with {WORDS[n // 8]}.")
        for n in range(64)
    ]
    return english + [item for n, language in enumerate(FRAMES, 1) for item in papers_of(language, 1_000 * n)]


@pytest.fixture(scope="module")
def ranker(papers):
    return Ranker(Corpus().fit([item.text for item in papers]))


def matches(ranker, papers, interest):
    return {score.paper: score.probability for score in ranker.rank(interest, papers).scores}


@pytest.mark.parametrize(("number", "language"), list(enumerate(FRAMES, 1)))
def test_interests_match_papers_on_them_and_no_others_of_their_language(ranker, papers, number, language):
    probabilities = matches(ranker, papers, Interest(INTERESTS[language]))
    fitting = [probabilities[item.id] for item in papers if 1_000 * number <= item.id < 1_000 * number + 8]
    unrelated = [probabilities[item.id] for item in papers if 1_000 * number + 10 <= item.id < 1_000 * (number + 1)]
    english = [probabilities[item.id] for item in papers if item.id < 1_000]
    assert min(fitting) > 0.5
    assert max(unrelated) < 0.1
    # Other scripts are as near as chance has it.
    assert max(english) < 0.25


def test_a_saved_corpus_ranks_as_before(ranker, papers):
    file = io.BytesIO()
    Corpus().fit([item.text for item in papers]).save(file, (1, 2))
    file.seek(0)
    restored, _ = Corpus.load(file)
    interest = Interest(INTERESTS["zh"])
    assert matches(Ranker(restored), papers, interest) == matches(ranker, papers, interest)


# Texts that share no frame, and single pairs by chance: 电化学 and 强化学习 have 化学.
VARIED = [
    ("面向推理的强化学习方法", "强化学习是提升推理能力的重要手段。本文回顾主要算法，并讨论奖励模型的设计。"),
    ("锂离子电池正极材料", "综述正极材料的结构、合成与电化学性能，并展望其发展方向。"),
    ("黄河流域降水变化特征", "利用六十年气象站资料分析降水的时空变化，发现夏季降水显著减少。"),
    ("中药治疗失眠的观察", "选取失眠患者，随机分为两组。结果显示治疗组的睡眠质量明显改善。"),
]


@pytest.mark.parametrize(("interests", "place"), [("强化学习", 0), ("电池材料", 1), ("降水变化", 2), ("失眠", 3)])
def test_a_paper_that_shares_a_pair_by_chance_is_no_match(papers, interests, place):
    chinese = [paper(9_000 + number, *texts) for number, texts in enumerate(VARIED)]
    home = [*papers[:64], *chinese]
    probabilities = matches(Ranker(Corpus().fit([item.text for item in home])), home, Interest(interests))
    fitting = probabilities.pop(9_000 + place)
    assert fitting > 0.4
    assert max(probabilities.values()) < 0.2


def test_papers_that_the_home_has_not_learned_from_match_as_well(ranker, papers):
    learned, new = papers[:64], papers[64:]
    known = matches(ranker, papers, Interest(INTERESTS["zh"]))
    unlearned = matches(Ranker(Corpus().fit([item.text for item in learned])), new, Interest(INTERESTS["zh"]))
    assert unlearned[1_000] > 0.9 * known[1_000]
    assert max(unlearned[item.id] for item in new if item.id >= 1_010) < 0.25


def test_what_is_not_wanted_matches_less(ranker, papers):
    wanted, refused = (matches(ranker, papers, Interest(text)) for text in ("机器人抓取", "强化学习。不要机器人抓取"))
    robots = 1_020
    assert wanted[robots] > 0.5
    assert refused[robots] < matches(ranker, papers, Interest("强化学习"))[robots]


def test_votes_on_papers_of_a_language_raise_others_like_them(ranker, papers):
    by_id = {item.id: item for item in papers}
    liked, disliked = [by_id[1_030 + n] for n in range(4)], [by_id[1_040 + n] for n in range(4)]
    probabilities = matches(ranker, papers, Interest("", Rules(authors=["Ada Lovelace"]), up=liked, down=disliked))
    assert probabilities[1_036] > 2 * probabilities[1_046]
    assert probabilities[1_036] > 2 * probabilities[1_016]


@pytest.mark.parametrize(("number", "language"), list(enumerate(FRAMES, 1)))
def test_keywords_mutes_and_required_terms_are_found_within_sentences(ranker, papers, number, language):
    first, second = TOPICS[language][:2]
    rules = Rules(keywords=[first], mute=[second], require=[[first, second]])
    scores = {score.paper: score for score in ranker.rank(Interest("", rules), papers).scores}
    on_first, on_second, other = (scores[1_000 * number + 10 * place] for place in range(3))
    assert [bonus.text for bonus in on_first.bonuses] == [first]
    assert (on_first.muted, on_second.muted) == (None, second)
    assert (on_first.missing_terms, on_second.missing_terms) == ((), ())
    assert other.missing_terms == (first, second)


def test_words_with_spaces_are_matched_whole_beside_others(ranker, papers):
    mixed = paper(9_000, "BERT模型与RoBERTa", "用GPT评估模型。")
    rules = Rules(keywords=["BERT模型", "BERTa", "GPT", "模型"])
    (score,) = ranker.rank(Interest("", rules), [mixed]).scores
    assert [bonus.text for bonus in score.bonuses] == ["BERT模型", "GPT", "模型"]


def test_reasons_name_the_readers_topic(ranker, papers):

    (topic,) = ranker.text(["强化学习"]).topics
    item = next(item for item in papers if item.id == 1_000)
    text = PaperText(item.title, item.abstract, Spellings())
    assert text.mentions(topic).is_central
    assert text.named(topic) == "强化学习"
    assert text.mentions(ranker.text(["机器人抓取"]).topics[0]) is None
    assert text.phrases == []
