"""Choose the few sentences of an abstract that are worth most to one reader, word for word.

abstract --read_abstract--> Read        once for all readers
Read, weights --choose--> places        the set of sentences worth most to this reader
places --_shown--> Sentences            in order, with roles and marks, without heads that only link
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise, repeat
from math import inf, log
from operator import mul
from typing import NamedTuple

from bot.model import Role, Sentence
from bot.summaries.abbreviations import expansions, spelled_out
from bot.summaries.claims import claims_win, counts_sample, on_safety, says_nothing, scope
from bot.summaries.references import adds, antecedents, continues, without_head
from bot.summaries.roles import Reading, Weights, read, shipped_weights
from bot.summaries.sentences import CUT, shortened, split
from bot.text.tokens import stem_terms, tokens
from bot.text.topics import common_expansions

# Presented, but not made: "present the results of two trials", "propose future directions".
_NOT_MADE = (
    r"(?! (?:(?:an?|our|some|the|here|new|promising) )*(?:case|data|directions?|evidence|findings|future|open|"
    r"overview|patients?|results?|review|study|survey)\b)"
)
# "We discard the usual prior and introduce a tokenizer": "we" may stand far before the verb.
_INTRODUCES = re.compile(
    rf"\bwe\b(?! (?:also|further|then|additionally))[^.;]{{0,90}}\b(?:propose|introduce|present)\b{_NOT_MADE}|"
    rf"\b(?:paper|work|study|article)\b[^.;,]{{0,30}}\b(?:propos|introduc|present)\w*{_NOT_MADE}",
    re.IGNORECASE,
)
_DEVELOPS = re.compile(
    r"\bwe\b[^.;]{0,90}\bdevelop\b|\b(?:paper|work|study|article)\b[^.;,]{0,30}\bdevelop\w*", re.IGNORECASE
)
_STUDIES = re.compile(
    r"\bwe\b(?! (?:also|further|then))[^.;]{0,40}\b(?:(?:design|develop|propos|introduc|present)(?:e?d)?|"
    r"address|analy[sz]e|argue|ask|benchmark|build(?! (?:up)?on)|compare|conduct|consider|create|describe|devise|"
    r"evaluate|examine|explore|formulate|investigate|provide|release|revisit|study|tackle)\b|"
    r"\b(?:this|our|the present) (?:paper|work|study|article|survey|report|research|thesis|review|tutorial|chapter|"
    r"contribution)\b[^.;,]{0,60}\b(?:address|aim|analy|argu|ask|benchmark|compar|demonstrat|describ|evaluat|examin|"
    r"explor|focus|investigat|offer|provid|report|review|revisit|show|stud|survey)\w*|"
    r"\bis (?:proposed|introduced|presented|developed)\b|"
    r"\b(?:aims?|objectives?|purpose|goal) (?:of [^.;]{0,60})?(?:was|is|were|are)\b|"
    r"\b(?:was|were|is|are) (?:\w+ly )?(?:assessed|compared|described|determined|evaluated|examined|investigated|"
    r"reviewed|studied|tested)\b|"
    r"^to (?:assess|analy[sz]e|compare|describe|determine|estimate|evaluate|examine|explore|find|identify|investigate|"
    r"measure|review|study|test)\b",
    re.IGNORECASE,
)


def find_proposals(sentences: Sequence[str], empty: Sequence[bool]) -> list[int]:
    """Return the places of the sentences that propose something.

    Without one, the first that is not ``empty`` and names the subject of the study stands for it.

    >>> find_proposals(["Robots fall.", "We study why.", "We find that ice is slippery."], [False, False, False])
    [1]
    """
    places = range(len(sentences))
    for pattern in (_INTRODUCES, _DEVELOPS):
        if proposing := [place for place in places if pattern.search(sentences[place])]:
            return proposing
    return [place for place in places if not empty[place] and _STUDIES.search(sentences[place])][:1]


# A sentence is background from this probability. .3 and .7 change one summary of 200.
_BACKGROUND_FROM = 0.5
# The wording of new sentences.
_OWN_VOICE = re.compile(
    r"\b(?:we|our(?! (?:understanding|daily|everyday|lives|society|world|planet)\b)|"
    r"(?:this|the present) (?:[\w-]+ )?(?:paper|work|study|article|survey|report|review|investigation|trial|"
    r"experiment)|"
    r"the (?:paper|study|article)(?! of)|"
    r"is (?:presented|proposed|introduced))\b",
    re.IGNORECASE,
)


def are_background(sentences: Sequence[str], readings: Sequence[Reading], proposals: Sequence[int]) -> list[bool]:
    """Return for each sentence if it is background. ``proposals`` are from ``find_proposals``.

    After the first words on the paper itself, most sentences describe the paper ("The model integrates ...").
    """
    is_own = [bool(_OWN_VOICE.search(text) or _STUDIES.search(text)) for text in sentences]
    is_known = [reading.background >= _BACKGROUND_FROM for reading in readings]
    # "In recent years we have seen" is not news despite its "we".
    places = range(len(sentences))
    is_new = [is_own[i] and bool(i in proposals or not is_known[i] or _STUDIES.search(sentences[i])) for i in places]
    # An abstract without words on itself begins its news at its first finding.
    starts = is_new if True in is_new else [reading.finding >= _FINDING_FROM for reading in readings]
    first_new = starts.index(True) if True in starts else len(sentences)
    return [is_known[i] and not is_own[i] and i < first_new for i in places]


_PUNCTUATION = re.compile(r"[.,;:!?()\[\]{}\"“”]\s")


# Many readers get the same sentences and phrases on the same day.
@lru_cache(maxsize=20_000)
def occurrence(sentence: str, phrase: str) -> str | None:
    """Return the first occurrence of a phrase in a sentence, as spelled there, abbreviated or not.

    >>> occurrence("Two Reward  Modelings agree", "reward models")
    'Reward  Modelings'
    """
    target = [stem for stem, _, _ in _words(phrase)]
    words = _words(sentence)
    stems = [stem for stem, _, _ in words]
    for start in range(len(words) - len(target) + 1):
        if target and stems[start : start + len(target)] == target:
            match = sentence[words[start][1] : words[start + len(target) - 1][2]]
            # Punctuation before white space separates two phrases.
            if not _PUNCTUATION.search(match):
                return match
    return None


def marked(sentences: Sequence[str], phrases: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the words to mark in each sentence: each phrase at its first occurrence, as spelled there."""
    remaining = list(phrases)
    marks = []
    for sentence in sentences:
        places = {phrase: place for phrase in remaining if (place := occurrence(sentence, phrase))}
        remaining = [phrase for phrase in remaining if phrase not in places]
        marks.append(tuple(dict.fromkeys(places.values())))
    return marks


@lru_cache(maxsize=5_000)
def _words(text: str) -> list[tuple[str, int, int]]:
    """Return each stem, with abbreviations expanded, and the start and end of its word."""
    expansions = common_expansions()
    return [
        (stem, token.start, token.end) for token in tokens(text) for stem in expansions.get(token.stem, (token.stem,))
    ]


# Worths are log-odds. A reader's interests decide between sets of equal use.
_INTEREST_WORTH = 0.4
# A single sentence is the gist, or the conclusion of a study without a proposal.
_CONCLUSION_WORTH = 0.8
_LOOSE_COST, _ABRUPT_COST = 0.5, 0.25
_LEAST_CHOSEN = 1e-3  # probability in a logarithm
_OTHER = {"other"}  # a sentence under a heading such as "Trial registration" says nothing
# Added to a finding's probability for being the main one, and for its scope.
_HEADLINE_WORTH = 0.3
_CONCLUDED_WORTH = 0.4  # in a study
_SCOPE_WORTH = 0.15
# The least probabilities of a conclusion's label, and of bold.
_CONCLUSION_FROM = 0.5
_FINDING_FROM = 0.6
_OUTCOME_FROM = 0.2  # of a win without a figure, the share of the answer or the main finding
_PLAIN_FROM = 0.35  # of a study's conclusion without a more probable finding
_COMPARED = 10  # sentences in every combination, which bounds the time for long abstracts: 10 choose 3 are 120


class Worth(NamedTuple):
    """The worth of a set of sentences to any reader."""

    worth: float
    places: tuple[int, ...]


class Read(NamedTuple):
    """An abstract's sentences, and the contents of each for any reader."""

    sentences: Sequence[str]
    readings: Sequence[Reading]
    terms: Sequence[str]  # the stems and bigrams of all sentences, each once
    sentence_terms: Sequence[Sequence[int]]  # the places of each sentence's in ``terms``
    leads: Sequence[float]  # the probability that each reports a finding, less for one that only adds to another
    empty: Sequence[bool]
    expansions: Mapping[str, str]
    sample: int | None  # the place of the first sentence on the size of the study
    antecedents: Sequence[int | None]  # the place of the sentence that each one needs
    continues: Sequence[bool]  # can't come first
    background: Sequence[bool]
    introduces: bool  # proposes something, beside a study
    proposals: Sequence[int]  # places
    set_weights: Sequence[float]  # of SET_FEATURES
    options: dict[int, Options]  # by number of sentences, filled on use


class Options(NamedTuple):
    """The choices for ``how_many`` sentences, the same for all readers of an abstract."""

    fill: tuple[int, ...]  # places of empty sentences, added where the others are too few
    worths: Sequence[Worth]  # of each set of the sentences with contents, best first


def summarise(
    abstract: str,
    how_many: int,
    weights: Mapping[str, float],
    phrases: Sequence[str] = (),
    *,
    is_verbatim: bool = False,
) -> tuple[Sentence, ...]:
    """Return at most ``how_many`` sentences in the abstract's order, with ``phrases`` marked.

    ``weights`` are the reader's, by stem and bigram. If it ``is_verbatim``, each text is a part of the abstract.
    Otherwise an ellipsis marks a cut, and a first abbreviation has its expansion in brackets.
    """
    places = choose(read_abstract(abstract), how_many, weights)
    return _shown(abstract, places, tuple(phrases), is_verbatim)


@lru_cache(maxsize=5_000)
def _shown(abstract: str, places: tuple[int, ...], phrases: tuple[str, ...], is_verbatim: bool) -> tuple[Sentence, ...]:
    paper = read_abstract(abstract)
    own: dict[int | None, Role] = dict.fromkeys((i for i in places if paper.background[i]), Role.BACKGROUND)
    own |= dict.fromkeys(paper.proposals[:1], Role.IDEA)
    concluding = max(places, key=lambda i: paper.readings[i].conclusion, default=None)
    if concluding is not None and paper.readings[concluding].conclusion >= _CONCLUSION_FROM:
        own[concluding] = Role.CONCLUSION
    own[finding_place(paper, places)] = Role.RESULT
    roles = [own.get(place) for place in places]
    texts: list[str] = []
    gaps: list[bool] = []
    for before, place in pairwise((-1, *places)):
        text = paper.sentences[place] if place == before + 1 else without_head(paper.sentences[place])
        texts.append(text)
        gaps.append((place != before + 1 and before >= 0) or text != paper.sentences[place])
    texts = list(map(shortened, texts))
    # One ellipsis stands for both: "a robot … We find".
    gaps = [gap and not before.endswith(CUT) for gap, before in zip(gaps, ("", *texts), strict=False)]
    texts = [text.removesuffix(CUT) for text in texts] if is_verbatim else spelled_out(texts, paper.expansions)
    return tuple(map(Sentence, texts, roles, marked(texts, phrases), gaps))


def finding(summary: Sequence[Sentence]) -> str | None:
    """Return the sentence of a summary that is set in bold, None without a probable finding."""
    return next((sentence.text.removesuffix(CUT) for sentence in summary if sentence.role is Role.RESULT), None)


@lru_cache(maxsize=5_000)
def answer(abstract: str) -> str | None:
    """Return the main probable finding of a whole abstract, None without one. The summary may have another."""
    paper = read_abstract(abstract)
    place = finding_place(paper, range(len(paper.sentences)))
    return None if place is None else paper.sentences[place]


@lru_cache(maxsize=1_000)
def read_abstract(abstract: str) -> Read:
    return read_with(abstract, shipped_weights())


def read_with(abstract: str, weights: Weights) -> Read:
    parts = split(abstract)
    texts = [text for text, _ in parts]
    readings = read(texts, weights, [kinds for _, kinds in parts])
    place_of: dict[str, int] = {}
    sentence_terms = [
        [place_of.setdefault(term, len(place_of)) for term in dict.fromkeys(stem_terms(text))] for text in texts
    ]
    empty = [says_nothing(text) or kinds == _OTHER for text, kinds in parts]
    proposals = find_proposals(texts, empty)
    background = are_background(texts, readings, proposals)
    is_told = [a or reading.finding >= _PLAIN_FROM for a, reading in zip(background, readings, strict=True)]
    # "We introduce X, which opens new avenues" says more than an outlook.
    if proposals:
        empty[proposals[0]] = False
    return Read(
        sentences=texts,
        readings=readings,
        terms=list(place_of),
        sentence_terms=sentence_terms,
        leads=[reading.finding * (0.5 if adds(a) else 1) for a, reading in zip(texts, readings, strict=True)],
        empty=empty,
        expansions=expansions(texts),
        sample=next((i for i, text in enumerate(texts) if counts_sample(text) and not is_told[i]), None),
        antecedents=antecedents(texts, proposals),
        continues=[place > 0 and continues(text) for place, text in enumerate(texts)],
        background=background,
        introduces=any(pattern.search(text) for text in texts for pattern in (_INTRODUCES, _DEVELOPS)),
        proposals=proposals,
        set_weights=[weights.sets[name] for name in SET_FEATURES],
        options={},
    )


def choose(paper: Read, how_many: int, weights: Mapping[str, float]) -> tuple[int, ...]:
    """Return the places of the set of ``how_many`` sentences of highest worth, in order."""
    if how_many not in paper.options:
        paper.options[how_many] = _options(paper, how_many)
    options = paper.options[how_many]
    if not options.worths:
        return options.fill
    # Each sentence's share, 0 to 1, of the reader's positive weights of the abstract's terms.
    liked = [weight if weight > 0 else 0.0 for weight in map(weights.get, paper.terms, repeat(0.0))]
    total = sum(liked) or 1.0
    extras = [_INTEREST_WORTH * (sum(map(liked.__getitem__, terms)) / total) for terms in paper.sentence_terms]
    return tuple(sorted((*best_set(options.worths, extras), *options.fill)))


def _options(paper: Read, how_many: int) -> Options:
    """Return the choices. Empty sentences take only the places that the others leave."""
    likely = sorted(range(len(paper.sentences)), key=lambda i: -paper.readings[i].shares.chosen)
    full = [i for i in likely if not paper.empty[i]]
    fill = [i for i in likely if paper.empty[i]][: max(0, how_many - len(full))]
    how_many = min(how_many, len(full))
    worths = []
    for places in combinations(sorted(full[: max(_COMPARED, how_many)]), how_many) if how_many > 0 else ():
        features = set_features(paper, places)
        if len(places) > 1:
            worth = sum(map(mul, features, paper.set_weights))
        else:
            reading = paper.readings[places[0]]
            worth = reading.shares.gist + (0.0 if paper.introduces else _CONCLUSION_WORTH * reading.conclusion)
            worth -= _LOOSE_COST * features[LOOSE] + _ABRUPT_COST * features[ABRUPT]
        worths.append(Worth(worth, places))
    return Options(tuple(sorted(fill)), sorted(worths, key=lambda of_set: -of_set.worth))


SET_FEATURES = ("chosen", "loose", "abrupt", "proposal", "finding", "sample", "answer", "main")
LOOSE, ABRUPT = map(SET_FEATURES.index, ("loose", "abrupt"))


def set_features(paper: Read, places: tuple[int, ...]) -> tuple[float, ...]:
    """Return the values of ``SET_FEATURES`` for a set of sentences.

    From "sample" on, they are of studies without a proposal.
    """
    readings = [paper.readings[i] for i in places]
    loose = [i for i in places if paper.antecedents[i] not in (None, *places)]
    leads = [paper.leads[i] for i in places if paper.readings[i].conclusion < _CONCLUSION_FROM]
    return (
        sum([log(max(reading.shares.chosen, _LEAST_CHOSEN)) for reading in readings]),
        len(loose),
        places[0] in loose or paper.continues[places[0]],
        # The sample implies the task.
        not {*paper.proposals, paper.sample}.isdisjoint(places),
        max(leads, default=0.0),
        not paper.introduces and paper.sample in places,
        0.0 if paper.introduces else sum([reading.shares.answer for reading in readings]),
        0.0 if paper.introduces else sum([reading.shares.main for reading in readings]),
    )


def best_set(worths: Sequence[Worth], extras: Sequence[float]) -> tuple[int, ...]:
    """Return the set of highest worth with a reader's extras. ``worths`` are sorted, best first."""
    # A little more, because the extras of a set are summed in another order.
    most = sum(sorted(extras, reverse=True)[: len(worths[0].places)]) + 1e-9
    best, best_places = -inf, worths[0].places
    for worth, places in worths:
        if worth + most < best:
            break
        total = worth + sum([extras[i] for i in places])
        if total > best:
            best, best_places = total, places
    return best_places


def finding_place(paper: Read, places: Sequence[int]) -> int | None:
    """Return the place of the sentence to set in bold: the main probable finding.

    Without one, it is a win without a figure, or in a study a clear conclusion. Background is never bold.
    """
    new = [place for place in places if not (paper.background[place] or paper.empty[place])]
    sure = [place for place in new if paper.readings[place].finding >= _FINDING_FROM]
    probable = sure
    for place in new if not sure else ():
        reading = paper.readings[place]
        is_conclusion = not paper.introduces and max(reading.conclusion, reading.shares.answer) >= _CONCLUSION_FROM
        is_outcome = max(reading.shares.answer, reading.shares.main) >= _OUTCOME_FROM
        is_win = is_outcome and place not in paper.proposals and claims_win(paper.sentences[place])
        if is_win or (is_conclusion and reading.finding >= _PLAIN_FROM):
            probable.append(place)
    # Harm is the main finding only where a paper is about it.
    if not any(on_safety(paper.sentences[place]) for place in paper.proposals):
        probable = [place for place in probable if not on_safety(paper.sentences[place])]
    worths = {}
    for place in probable:
        reading = paper.readings[place]
        worths[place] = reading.finding + _HEADLINE_WORTH * reading.shares.main
        worths[place] += _SCOPE_WORTH * scope(paper.sentences[place]) - adds(paper.sentences[place])
        if not paper.introduces:
            worths[place] += reading.shares.answer + _CONCLUDED_WORTH * (reading.conclusion + reading.shares.main)
    return max(probable, key=worths.__getitem__, default=None)
