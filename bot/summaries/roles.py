"""Read each sentence of an abstract: its kind, and its shares of the gist, the conclusion and the main finding.

    sentences --features_of--> phrases, place, form, wording
              --kinds_and_eighths--> kind, by a linear-chain CRF (Lafferty et al. 2001) over phrases, form and
                  neighbours; from phrases alone, the eighth of an abstract where it usually stands
              --finding_probabilities--> probability of a finding, by a logistic regression
              --role_features--> shares of each role, by a conditional logit (McFadden 1974) over phrases and form, and
                  over kind, eighth and finding of the sentence and its neighbours, with a softmax over the abstract's
                  sentences

The weights are in ``weights.json``, learned by ``bench/summary_weights.py``. ``docs/decisions/summaries.md`` has the
alternatives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise, repeat
from math import exp, log
from pathlib import Path
from typing import NamedTuple

from bot.summaries.claims import REPORT, describes_sample, says_nothing, wording

_WORD = re.compile(r"https?://\S+|\d[\d.,]*\s?[%×x]?(?!\w)|[A-Za-z0-9]+(?:[-'’][A-Za-z0-9]+)*|[:;()?]")
_NAME = re.compile(r"(?=.*[A-Z].*[A-Z])|[A-Z]+\d|.*[a-z][A-Z]")  # GRPO, R1, WeedNet
_FIGURE = re.compile(r"\d[\d.,]*\s?[%×x]?")
_NAMES = re.compile(r"[A-Za-z0-9-]{2,}")
_PROPOSES = re.compile(r"\b(?:propos|introduc|present|develop)\w*", re.IGNORECASE)
_OWN_VOICE = {"we", "our", "in this", *(f"this {kind}" for kind in "paper work study article report survey".split())}
_FIGURES = ("#", "#%", "#x")
_CODE_IS = {"available", "released", "release"}


class Features(NamedTuple):
    """The names of one sentence's features."""

    phrases: Set[str]
    forms: Sequence[str]  # place and form, and the signals as "says NAME"
    signals: Sequence[str]


def features_of(sentences: Sequence[str]) -> list[Features]:
    """Describe each sentence of an abstract to the models."""
    words = [words_of(sentence) for sentence in sentences]
    phrase_sets = [phrases(own_words) for own_words in words]
    rows = zip(sentences, phrase_sets, forms(sentences, words, phrase_sets), strict=True)
    return [
        Features(own_phrases, [*row, *(f"says {name}" for name in wording(sentence))], wording(sentence))
        for sentence, own_phrases, row in rows
    ]


def words_of(sentence: str) -> list[str]:
    """Return the words of phrases, in lower case. A name, figure or address is a token for its type."""
    return list(map(_word_kind, _WORD.findall(sentence)))


def phrases(words: Sequence[str]) -> set[str]:
    """Return the phrases of up to three words. The first ones come also with a ``^``."""
    pairs = [f"{a} {b}" for a, b in pairwise(words)]
    triples = [f"{a} {b}" for a, b in zip(pairs, words[2:], strict=False)]
    return {*words, *pairs, *triples, *(f"^{first[0]}" for first in (words, pairs, triples) if first)}


def forms(sentences: Sequence[str], words: Sequence[Sequence[str]], phrase_sets: Sequence[Set[str]]) -> list[list[str]]:
    """Return each sentence's features of place and form."""
    count = len(sentences)
    own_voice = [not _OWN_VOICE.isdisjoint(own_phrases) for own_phrases in phrase_sets]
    # Sentences with only the place of code or other material.
    links = ["URL" in own_words or ("code" in own_words and not _CODE_IS.isdisjoint(own_words)) for own_words in words]
    last = max((i for i in range(count) if not links[i]), default=0)
    voice = own_voice.index(True) if True in own_voice else None
    proposal = next((i for i in range(count) if own_voice[i] and _PROPOSES.search(sentences[i])), None)
    earlier_names: set[str] = set()
    own_before = 0
    features = []
    for i, own_words in enumerate(words):
        names = {name for name in _NAMES.findall(sentences[i]) if not name.islower() and _NAME.match(name)}
        features.append(
            [
                f"from start {min(i, 7)}",
                f"from end {min(max(last - i, -1), 6)}",
                f"from end {min(max(last - i, -1), 2)}, {'no' if proposal is None else 'a'} proposal",
                f"eighth {min(8 * i // max(last, 1), 9)}",
                f"from own voice {_distance(i, voice)}",
                f"from proposal {_distance(i, proposal)}",
                f"own voice {min(own_before, 4)} before, {'here' if own_voice[i] else 'not here'}",
                f"link {links[i]}",
                f"words {6 * min(len(own_words) // 6, 8)}",
                f"new names {min(len(names - earlier_names), 2)}",
                f"figures {min(sum(map(own_words.count, _FIGURES)), 3)}",
            ]
        )
        earlier_names |= names
        own_before += own_voice[i]
    return features


@lru_cache(maxsize=50_000)  # abstracts share most of their words
def _word_kind(word: str) -> str:
    if word.islower() and word.isalpha():
        return word
    if word[0].isdigit() and _FIGURE.fullmatch(word):
        return "#%" if word[-1] == "%" else "#x" if word[-1] in "×x" else "#"
    if word.startswith("http"):
        return "URL"
    return "NAME" if len(word) > 1 and _NAME.match(word) else word.lower()


def _distance(place: int, since: int | None) -> str:
    return "none" if since is None else f"{max(-4, min(6, place - since)):+d}"


KINDS = ("background", "objective", "method", "result", "conclusion", "other")
EIGHTHS = 8
EIGHTH_NAMES = [f"eighth {n}" for n in range(EIGHTHS)]


@dataclass(frozen=True, slots=True)
class Weights:
    """Log-odds by feature name.

    ``phrases`` and ``intercepts`` have a weight for each kind, then for each eighth. ``kind_start`` and ``kind_end``
    weigh the kind of the first and the last sentence, ``kind_transitions[a][b]`` kind ``b`` after kind ``a``.
    ``roles`` and ``finding`` are by the names of ``role_features`` and ``finding_features``, ``sets`` by the names of
    ``summary.SET_FEATURES``.
    """

    phrases: dict[str, list[float]]
    intercepts: list[float]
    kind_forms: dict[str, list[float]]
    kind_start: list[float]
    kind_end: list[float]
    kind_transitions: list[list[float]]
    roles: dict[str, list[float]]
    finding: dict[str, float]
    finding_phrases: dict[str, float]
    sets: dict[str, float]


@cache
def shipped_weights() -> Weights:
    """Read ``weights.json``, once."""
    return Weights(**json.loads(Path(__file__).with_name("weights.json").read_text()))


def summed(
    table: Mapping[str, Sequence[float]], features: Set[str] | Iterable[str], start: Sequence[float]
) -> list[float]:
    """Add the rows of the features that the table has to ``start``."""
    rows = [table[feature] for feature in table.keys() & features]
    return [sum(column) for column in zip(start, *rows, strict=True)]


def softmax(logits: Sequence[float]) -> list[float]:
    """Return positive numbers that add up to 1."""
    highest = max(logits)
    odds = [exp(logit - highest) for logit in logits]
    total = sum(odds)
    return [odd / total for odd in odds]


_EVERY_KIND = range(len(KINDS))
# The log-odds of a kind that the heading doesn't allow.
_NOT_ALLOWED = -8.0


def kinds_and_eighths(
    features: Sequence[Features], weights: Weights, allowed: Sequence[Set[str]] = ()
) -> tuple[list[list[float]], list[list[float]]]:
    """Return each sentence's probabilities of ``KINDS``, and of the eighths of an abstract where it would stand.

    ``allowed`` are the kinds by the headings, none where a sentence has no heading. Unlabelled abstracts are enough to
    learn eighths.
    """
    emissions = []
    eighths = []
    for row, own_kinds in zip(features, allowed or repeat(frozenset()), strict=False):
        sums = summed(weights.phrases, row.phrases, weights.intercepts)
        of_kinds = summed(weights.kind_forms, row.forms, sums[: len(KINDS)])
        of_heading = [0.0 if not own_kinds or kind in own_kinds else _NOT_ALLOWED for kind in KINDS]
        emissions.append([a + b for a, b in zip(of_kinds, of_heading, strict=True)])
        eighths.append(softmax(sums[-EIGHTHS:]))
    return marginals(emissions, weights), eighths


def marginals(emissions: Sequence[Sequence[float]], weights: Weights) -> list[list[float]]:
    """Return each sentence's probabilities of all kinds, by forward-backward over the chain.

    ``emissions`` are log-odds, a row for each sentence. Messages are normalised at each step against underflow.
    """
    if not emissions:
        return []
    transitions = [[exp(weight) for weight in row] for row in weights.kind_transitions]
    local = [softmax(row) for row in emissions]
    forward = [_normalised([p * exp(w) for p, w in zip(local[0], weights.kind_start, strict=True)])]
    for odds in local[1:]:
        before = forward[-1]
        forward.append(
            _normalised([odds[b] * sum(before[a] * transitions[a][b] for a in _EVERY_KIND) for b in _EVERY_KIND])
        )
    backward = _normalised([exp(weight) for weight in weights.kind_end])
    probabilities = []
    for place in reversed(range(len(local))):
        probabilities.append(_normalised([f * b for f, b in zip(forward[place], backward, strict=True)]))
        after = [p * b for p, b in zip(local[place], backward, strict=True)]
        backward = _normalised([sum(transitions[a][b] * after[b] for b in _EVERY_KIND) for a in _EVERY_KIND])
    return probabilities[::-1]


def _normalised(odds: Sequence[float]) -> list[float]:
    """Scale to probabilities that add up to 1 and are never 0."""
    total = sum(odds) + len(odds) * 1e-12
    return [(odd + 1e-12) / total for odd in odds]


# Clips probabilities, so log-odds stay finite.
_LEAST_RESULT = 1e-4
# Log-odds of a sure result (a probability of .7). Surer ones are often vague praise.
_SURELY_RESULT = 0.85
# The least probability of a result for "we find that ...". Among methods, it would count as one.
_REPORTED = 0.6
_BACKGROUND, _RESULT, _CONCLUSION = map(KINDS.index, ("background", "result", "conclusion"))
KINDS_OF_ROLES = [kind for kind in KINDS if kind != "conclusion"]
_COUNTED_KINDS = ("background", "objective", "method")


def finding_features(features: Features, kinds: Sequence[float], *, is_last: bool) -> dict[str, float]:
    """Return the features, besides phrases, that separate findings from claims."""
    result = max(kinds[_RESULT] + kinds[_CONCLUSION], _REPORTED if REPORT in features.signals else 0.0)
    result = min(max(result, _LEAST_RESULT), 1 - _LEAST_RESULT)
    log_odds = log(result / (1 - result))
    return {
        "intercept": 1.0,
        "result": log_odds,
        "surely result": min(log_odds, _SURELY_RESULT),
        "last": float(is_last),
        **{f"kind {kind}": kinds[KINDS.index(kind)] for kind in _COUNTED_KINDS},
        **dict.fromkeys(features.signals, 1.0),
    }


def finding_probabilities(
    sentences: Sequence[str], features: Sequence[Features], kinds: Sequence[Sequence[float]], weights: Weights
) -> list[float]:
    """Return the probability that each sentence of an abstract reports a finding.

    It is 0 for a question, a description of the sample, and an empty sentence.
    """
    probabilities = []
    for place, (sentence, own) in enumerate(zip(sentences, features, strict=True)):
        if says_nothing(sentence) or describes_sample(sentence) or sentence.rstrip().endswith("?"):
            probabilities.append(0.0)
            continue
        log_odds = sum(weights.finding_phrases[phrase] for phrase in weights.finding_phrases.keys() & own.phrases)
        is_last = place == len(sentences) - 1
        for name, value in finding_features(own, kinds[place], is_last=is_last).items():
            log_odds += weights.finding[name] * value
        probabilities.append(1 / (1 + exp(-log_odds)))
    return probabilities


_LEAST = 1e-3  # probability in a logarithm


class Shares(NamedTuple):
    """One sentence's share of each role. Over an abstract's sentences, each role adds up to 1.

    ``gist`` is the share of being closest to people's own one-line summaries, ``answer`` of being the overall
    conclusion, ``main`` of being the main finding, and ``chosen`` of standing in a good summary of three sentences.
    """

    gist: float
    answer: float
    main: float
    chosen: float


class Reading(NamedTuple):
    """One sentence's probabilities: of ``KINDS``, and of a ``finding``."""

    kinds: tuple[float, ...]
    shares: Shares
    finding: float

    @property
    def background(self) -> float:
        return self.kinds[_BACKGROUND]

    @property
    def conclusion(self) -> float:
        return self.kinds[_CONCLUSION]


def read(sentences: Sequence[str], weights: Weights, allowed: Sequence[Set[str]] = ()) -> list[Reading]:
    """Read each sentence of an abstract. ``allowed`` is as for ``kinds_and_eighths``."""
    if not sentences:
        return []
    features = features_of(sentences)
    kinds, eighths = kinds_and_eighths(features, weights, allowed)
    findings = finding_probabilities(sentences, features, kinds, weights)
    logits = [
        [
            total + sum(value * weights.roles[name][role] for name, value in row.items())
            for role, total in enumerate(
                summed(weights.roles, {*sentence.phrases, *sentence.forms}, (0.0,) * len(Shares._fields))
            )
        ]
        for sentence, row in zip(features, role_features(kinds, eighths, findings), strict=True)
    ]
    shares = zip(*(softmax(column) for column in zip(*logits, strict=True)), strict=True)
    return [
        Reading(tuple(own_kinds), Shares(*row), probability)
        for own_kinds, row, probability in zip(kinds, shares, findings, strict=True)
    ]


OUTCOMES = ("conclusion", "finding")


def role_features(
    kinds: Sequence[Sequence[float]], eighths: Sequence[Sequence[float]], findings: Sequence[float]
) -> list[dict[str, float]]:
    """Return each sentence's log-probabilities of kind, eighth and outcome by name, and its neighbours' probabilities.

    A conclusion counts as a result: in computer science, few abstracts have both.
    """
    results = [[*row[:_RESULT], row[_RESULT] + row[_CONCLUSION], *row[_CONCLUSION + 1 :]] for row in kinds]
    outcomes = [[row[_CONCLUSION], finding] for row, finding in zip(kinds, findings, strict=True)]
    tables = ((results, KINDS_OF_ROLES), (eighths, EIGHTH_NAMES), (outcomes, OUTCOMES))
    rows = []
    for i in range(len(kinds)):
        row: dict[str, float] = {}
        for table, names in tables:
            for j, name in enumerate(names):
                row[f"log:{name}"] = log(max(table[i][j], _LEAST)) / 2
                row[f"before:{name}"] = table[i - 1][j] if i else 0.0
                row[f"after:{name}"] = table[i + 1][j] if i + 1 < len(table) else 0.0
        rows.append(row)
    return rows
