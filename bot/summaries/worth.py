"""How probably a line says what a paper found or made, whole and by itself: its features, and their weights.

The weights are learned by ``bench/line_weights.py`` from lines that were graded beside their abstracts;
``docs/decisions/summaries.md`` has what was measured.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bot.summaries.roles import Reading
from bot.text.tokens import is_general, stem_terms

MAX_WORDS = 12
_FEW_WORDS = 5
_OFTEN = 4  # times that an abstract has a word of its topic

Features = Mapping[str, float]  # by name; those that are missing are 0


@cache
def _weights() -> dict[str, float]:
    weights: dict[str, float] = json.loads(Path(__file__).with_name("line_weights.json").read_text())
    return weights


def probability(features: Features) -> float:
    """Return how probably a line says what was found or made; what leaves something open counts in part."""
    weights = _weights()
    log_odds = weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-log_odds))


class Topic(NamedTuple):
    """What a paper is about: the stems and bigrams of its title, and how often its abstract has each."""

    title: frozenset[str]
    counts: Mapping[str, int]


def topic_of(title: str, sentences: Iterable[str]) -> Topic:
    """Return the topic of a paper with this title and these sentences of the abstract."""
    return Topic(frozenset(stem_terms(title)), Counter(stem_terms(" ".join(sentences))))


def of_sentence(reading: Reading, place: float) -> Features:
    """Return the features of the sentence that a line is of; ``place`` is from 0 to 1."""
    return {"finding": reading.finding, "gist": reading.shares.gist, "place": place}


def of_line(line: str, topic: Topic) -> Features:
    """Return the features of a line's words."""
    words = line.split()
    terms = dict.fromkeys(stem_terms(line))
    stems = [term for term in terms if " " not in term]
    content = [stem for stem in stems if not is_general(stem)]
    often = sum(min(topic.counts.get(stem, 0), _OFTEN) for stem in content)
    return {
        "words": len(words) / MAX_WORDS,
        "short": float(len(words) <= _FEW_WORDS),
        "content": len(content) / MAX_WORDS,
        "general": (len(stems) - len(content)) / MAX_WORDS,
        "of title": len(topic.title.intersection(terms)) / max(len(topic.title), 1),
        "repeated": often / (_OFTEN * max(len(content), 1)),
        "commas": line.count(","),
        **{name: 1.0 for name, pattern in _SIGNS.items() if pattern.search(line)},
    }


def kept(statement: str, sentence: str) -> float:
    """Return how much of a sentence is in a statement, as a share of its words."""
    return min(len(statement.split()) / len(sentence.split()), 1.0)


# What is done to see what comes out.
STUDIED = (
    "administered|analy[sz]ed|assessed|calculated|collected|compared|divided|enrolled|evaluated|examined|given|included|"
    "injected|introduced|investigated|monitored|performed|presented|randomi[sz]ed|recruited|repeated|reviewed|screened|"
    "selected|studied|tested|treated"
)
# Samples, praise, what was done or has to be done: in a line without saying what came out.
NO_OUTCOME = re.compile(
    r"\bat baseline\b|\bmean baseline\b|\b(?:mean|median|average|total) (?:\w+ )?(?:age|dose|duration|follow|period)|"
    r"\bcoefficients? of variation\b|"
    r"\bend ?points?\b|\bpatients (?:were|received)\b|\b(?:provid|offer)\w* (?:an?|opportunit\w+)\b|\badvantages?\b|"
    r"\bneed(?:s|ed)? to\b|\bneeded$|\bdeserves?\b|\bmore must\b|"
    r"\bcan be (?:applied|used|extended|integrated)\b|\bdeferred\b|"
    r"\bremains? to be\b|\bcould be \w+ed\b|"
    r"\b(?:more|less) time$|\binsights\b|\bfoundations? (?:for|of|to)\b|"
    r"\b(?:reveal|identif|show)\w* (?:\w+ )?(?:trends|patterns|challenges|gaps|limitations)$|"
    r"\b(?:is|are) (?:also )?(?:needed|warranted)\b|\bare required\b|"
    r"^(?:experiment\w*|evaluations?)(?: results)? (?:show|demonstrat|reveal|indicat)\w* (?!.*\d)|"
    r"\bfindings? (?:was|were|are)\b|^challenges remain|"
    r"\b(?:remarkable|notable|excellent|impressive|considerable) (?:[\w-]+ )?\w+$|"
    r"^(?:findings|results) (?:provid|establish|offer|support|highlight|contribut)|"
    rf"\b(?:was|were|is|are|been|being) (?:\w+ly )?(?:{STUDIED}|conducted|confirmed|considered|demonstrated|described|"
    r"discussed|employed|explored|followed|highlighted|hypothesi[sz]ed|issued|proposed|recorded|stressed|underscored|used|"
    r"validated|verified)\b|"
    r"\b(?:promise|potential|effectiveness|importance|feasibility|superiority) of\b|"
    r"\b(?:high|strong|superior|competitive|promising|robust|improved|consistent|top|state-of-the-art|the) "
    r"(?:[\w-]+ ){0,2}(?:performance|results|robustness)$",
    re.IGNORECASE,
)
_SIGNS = {
    "no outcome": NO_OUTCOME,
    "passive": re.compile(r"\b(?:was|were|is|are|been) (?:\w+ly )?\w+(?:ed|en)\b"),
    "compares": re.compile(
        r"\b(?:than|outperform|surpass|exceed|better|worse|higher|lower|fewer|less|reduc|increas|improv|decreas)",
        re.IGNORECASE,
    ),
    "starts with the": re.compile(r"^the ", re.IGNORECASE),
    # What was done, and not what came out of it.
    "study of": re.compile(
        r"\b(?:evaluation|comparison|overview|analysis|stud(?:y|ies)|review|survey|discussion|perspective|investigation|"
        r"exploration|examination|experiments|needs?|shift|calls?|way) (?:of|on|for|in|between|towards?|to|"
        r"that (?:evaluat|examin|explor|investigat)\w+|evaluating|examining|exploring|investigating)\b",
        re.IGNORECASE,
    ),
}
