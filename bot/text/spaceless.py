"""Tokens of scripts without spaces: Chinese, Japanese, Thai, and Korean, whose words have endings.

    强化学习的理论 --> 强化, 化学, 学习 | 理论        機械学習による創薬 --> 機械, 械学, 学習 | 創薬

Each two neighbouring characters are a token, as in search engines. Words such as "of" or "I study" end a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_THAI = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf\u1000-\u109f\u1780-\u17d3"  # with Lao, Burmese and Khmer
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"

CHARACTERS = f"{_THAI}{_HIRAGANA}{_KATAKANA}{_HAN}{_HANGUL}"
SPACELESS = re.compile(f"[{CHARACTERS}]+")
# Up to three Hiragana are particles and endings.
_KIND = re.compile(
    f"[{_HAN}{_KATAKANA}]+|(?P<hiragana>[{_HIRAGANA}]+)|(?P<hangul>[{_HANGUL}]+)|[{_THAI}]+",
)
_LEAST_HIRAGANA = 4
# Function words, and words of nearly every abstract.
_BREAK = re.compile(
    "但是|不过|不過|喜欢|喜歡|想看|我对|我們對|我们对|以及|一种|一種|基于|基於|关于|關於|对于|對於|我们|我們|本文|本研究|本論文|感兴趣|感興趣|有兴趣|有興趣|兴趣|興味|研究|论文|論文|相关|相關|関連|"
    "[的但和与與及或了我你您这這等]"
)
_ENDING = re.compile("(?<=..)(?:에서|으로|[에을를은는이가의와과로도])$")


def is_spaceless(text: str) -> bool:
    """Return whether a text begins with a character of these scripts."""
    return not text.isascii() and SPACELESS.match(text) is not None


def pairs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each pair of characters in a run of ``SPACELESS``.

    >>> text = "深度学习和ロボットの制御"
    >>> [text[start:end] for start, end in pairs(text, 0, len(text))]
    ['深度', '度学', '学习', 'ロボ', 'ボッ', 'ット', '制御']
    """
    for kind in _KIND.finditer(text, start, end):
        if kind["hiragana"] and len(kind[0]) < _LEAST_HIRAGANA:
            continue
        ending = _ENDING.search(kind[0]) if kind["hangul"] else None
        last = kind.start() + (ending.start() if ending else len(kind[0]))
        begin = kind.start()
        breaks = [(found.start(), found.end()) for found in _BREAK.finditer(text, begin, last)]
        for break_start, break_end in [*breaks, (last, last)]:
            for place in range(begin, break_start - 1):
                yield place, place + 2
            begin = break_end
