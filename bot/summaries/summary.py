"""The few sentences of an abstract that say most to one reader, word for word.

abstract --read_abstract--> Read        once for all readers: roles, findings, proposals, background
Read, weights --choose--> places        of all sets of sentences the one worth most to this reader
places --_shown--> Sentences            in order, with roles, linking heads left out, phrases marked
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, repeat
from typing import NamedTuple

from bot.model import Role, Sentence
from bot.summaries.claims import FIGURE, refers_back, says_nothing, without_head, wording
from bot.summaries.roles import Reading, Weights, read, shipped_weights
from bot.text.tokens import stem_terms, tokens
from bot.text.topics import common_expansions

# "We discard the usual prior and introduce a tokenizer": "we" may stand far before the verb.
_PROPOSES = re.compile(
    r"\bwe\b[^.;]{0,90}\b(?:propose|introduce|present|develop)\b|"
    r"\b(?:paper|work|study|article)\b[^.;,]{0,30}\b(?:propos|introduc|present|develop)\w*",
    re.IGNORECASE,
)
_STUDIES = re.compile(
    r"\bwe\b(?! (?:also|further|then))[^.;]{0,40}\b(?:(?:design|develop|propos|introduc|present)(?:e?d)?|"
    r"address|analy[sz]e|argue|ask|benchmark|build(?! (?:up)?on)|compare|conduct|consider|create|describe|devise|"
    r"evaluate|examine|explore|formulate|investigate|provide|release|revisit|study|tackle)\b|"
    r"\b(?:this|our|the present) (?:paper|work|study|article|survey|report|research|thesis|review|tutorial|chapter|"
    r"contribution)\b[^.;,]{0,60}\b(?:address|aim|analy|argu|ask|benchmark|compar|demonstrat|describ|evaluat|examin|"
    r"explor|focus|investigat|offer|provid|report|review|revisit|show|stud|survey)\w*|"
    r"\bis (?:proposed|introduced|presented|developed)\b",
    re.IGNORECASE,
)


def find_proposals(sentences: Sequence[str], empty: Sequence[bool]) -> list[int]:
    """Return the places of the sentences of an abstract that say what the paper proposes.

    Where none does, the first that is not ``empty`` and says what is studied stands for it.

    >>> find_proposals(["Robots fall.", "We study why.", "We find that ice is slippery."], [False, False, False])
    [1]
    """
    places = range(len(sentences))
    proposing = [place for place in places if _PROPOSES.search(sentences[place])]
    if proposing:
        return proposing
    return [place for place in places if not empty[place] and _STUDIES.search(sentences[place])][:1]


# From this probability on, a sentence tells what was known before, and comes after the others; .3 and .7 change one
# summary of 200.
_BACKGROUND_FROM = 0.5
# The wording of sentences that tell what is new.
_OWN_VOICE = re.compile(
    r"\b(?:we|our(?! (?:understanding|daily|everyday|lives|society|world|planet)\b)|"
    r"this (?:[\w-]+ )?(?:paper|work|study|article|survey|report|review)|the (?:paper|study|article)(?! of)|"
    r"is (?:presented|proposed|introduced))\b",
    re.IGNORECASE,
)


def tells_known(sentences: Sequence[str], readings: Sequence[Reading], proposals: Sequence[int]) -> list[bool]:
    """Return for each sentence whether it tells what was known before; ``proposals`` as from ``find_proposals``.

    What comes after the first words on the paper itself counts as new, however it is worded: most such sentences tell
    of the paper ("The model integrates ...").
    """
    is_own = [_OWN_VOICE.search(text) is not None for text in sentences]
    is_known = [reading.background >= _BACKGROUND_FROM for reading in readings]
    # "In recent years we have seen" tells nothing new despite its "we", and neither may what follows it.
    places = range(len(sentences))
    is_new = [is_own[i] and (i in proposals or not is_known[i]) for i in places]
    first_new = is_new.index(True) if True in is_new else len(sentences)
    return [is_known[i] and not is_own[i] and i < first_new for i in places]


_PUNCTUATION = re.compile(r"[.,;:!?()\[\]{}\"“”]\s")


# Many readers get the same sentences with the same phrases on the same day.
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
            # Punctuation before white space separates two phrases, though their words are neighbours.
            if not _PUNCTUATION.search(match):
                return match
    return None


def marked(sentences: Sequence[str], phrases: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the words to mark in each sentence: each phrase once, at its first occurrence, as spelled there."""
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


_ORDER = (Role.TASK, Role.IDEA, Role.RESULT)  # as in Shares
# Worths are relative to a role held for certain, which is worth 1; ``docs/decisions/summaries.md`` has other values.
# A sentence that holds everything in the abstract that the reader cares about: enough to decide between sentences of
# equal use, not to lose a role.
_INTEREST_WORTH = 0.1
# A sentence that says what the paper proposes, of two that hold as much of the idea: a reader wants "we propose SEM"
# rather than a part of it. Where there are fewer sentences than roles, one of them should say it.
_PROPOSAL_WORTH = 0.1
_PROPOSAL_WORTH_OF_FEW = 0.3
# How much less a second half of a role adds than the first: with 0 every share is believed, with 1 none.
_DOUBT = 0.4
# The title names the task already: where there are fewer sentences than roles, the others come first.
_TASK_WORTH_OF_FEW = 0.2
# A sentence that holds a smaller share of a role than this is not labelled with it.
_ROLE_FROM = 0.4
# The cost of a sentence that refers to one that is left out.
_DANGLING_COST = 0.25
# How much more of the result a finding counts as holding, at most.
_FINDING_BOOST = 0.7
# A set with a finding of this probability, where an abstract divides its result among several sentences.
_FINDING_WORTH = 0.15
_FINDING_WORTH_FROM = 0.6
# A sentence is a finding from this probability on.
_FINDING_FROM = 0.4
# Sentences that are compared in every combination, which bounds the time for long abstracts: 10 choose 3 are 120.
_COMPARED = 10


class Worth(NamedTuple):
    """The worth of a set of sentences to any reader; ``number`` is its place among the sets that are compared."""

    worth: float
    number: int
    places: tuple[int, ...]


class Read(NamedTuple):
    """What an abstract says to any reader: its sentences and what is in each."""

    sentences: Sequence[str]
    readings: Sequence[Reading]
    terms: Sequence[str]  # the stems and bigrams of all sentences, each once
    sentence_terms: Sequence[Sequence[int]]  # the places of each sentence's in ``terms``
    findings: Sequence[float]  # the probability that each reports a finding
    empty: Sequence[bool]  # says nothing to a reader
    dangling: Sequence[bool]  # refers to the sentence before
    background: Sequence[bool]  # tells what was known before
    proposals: Sequence[int]  # the places of those that say what the paper proposes
    options: dict[int, Options]  # by how many sentences are to be chosen; filled on use


class Options(NamedTuple):
    """What to choose ``how_many`` sentences from, the same for all readers of an abstract; see ``_options``."""

    how_many: int
    full: tuple[int, ...]  # the places of the sentences that say something
    fill: tuple[int, ...]  # of those that say nothing, to be added where the others are too few
    values: Sequence[Sequence[float]]  # what each sentence holds of each role
    totals: Sequence[float]
    # The worth of each set of sentences, best first, by the sentences that are compared.
    worths: dict[tuple[int, ...], Sequence[Worth]]


def summarise(
    abstract: str, how_many: int, weights: Mapping[str, float], phrases: Sequence[str] = ()
) -> tuple[Sentence, ...]:
    """Return at most ``how_many`` sentences, what is new before what was known; a short abstract is shown whole.

    Each role (task, idea, result) is told by one sentence, and a set of sentences is expected to cover as many roles as
    the shares that its sentences hold add up to. The set that holds most is chosen; more of one role adds less and
    less, as shares are estimates, and two results in place of an idea tell little. A finding counts more, a sentence
    that refers to one that is left out counts less, and one that says nothing is chosen only where no other is left.
    Only a probable finding has the role of the result, and only the first sentence of background that follows what is
    new has that role. ``weights`` are the reader's, by stem and bigram; ``phrases`` are to be marked.
    """
    places = choose(read_abstract(abstract), how_many, weights)
    return _shown(abstract, places, tuple(phrases))


# Many readers get the same papers on the same day, with the same few phrases.
@lru_cache(maxsize=5_000)
def _shown(abstract: str, places: tuple[int, ...], phrases: tuple[str, ...]) -> tuple[Sentence, ...]:
    """Return these sentences in the order in which they are shown, each with its role and marks."""
    paper = read_abstract(abstract)
    shown = in_order(paper, places)
    roles = _roles([paper.readings[place].shares for place in shown])
    bold = finding_place(paper, shown)
    known = known_place(paper, shown)
    for at, place in enumerate(shown):
        if place == bold:
            roles[at] = Role.RESULT
        elif place == known:
            roles[at] = Role.BACKGROUND
    texts: list[str] = []
    gaps: list[bool] = []
    for before, place, role in zip((-1, *shown), shown, roles, strict=False):
        text = paper.sentences[place]
        texts.append(text if place == before + 1 else without_head(text))
        # The label of what was known shows that it stood elsewhere.
        is_moved = place != before + 1 and before >= 0 and role is not Role.BACKGROUND
        gaps.append(is_moved or texts[-1] != text)
    return tuple(map(Sentence, texts, roles, marked(texts, phrases), gaps))


def finding(summary: Sequence[Sentence]) -> str | None:
    """Return the sentence of a summary that is set in bold, None without a probable finding."""
    return next((sentence.text for sentence in summary if sentence.role is Role.RESULT), None)


@lru_cache(maxsize=1_000)  # many readers get the same papers on the same day
def read_abstract(abstract: str) -> Read:
    """Read an abstract with the shipped weights."""
    return read_with(abstract, shipped_weights())


def read_with(abstract: str, weights: Weights) -> Read:
    """Read an abstract with these weights."""
    texts = sentences(abstract)
    readings = read(texts, weights)
    place_of: dict[str, int] = {}
    sentence_terms = [
        [place_of.setdefault(term, len(place_of)) for term in dict.fromkeys(stem_terms(text))] for text in texts
    ]
    empty = list(map(says_nothing, texts))
    proposals = find_proposals(texts, empty)
    return Read(
        sentences=texts,
        readings=readings,
        terms=list(place_of),
        sentence_terms=sentence_terms,
        findings=[reading.finding for reading in readings],
        empty=empty,
        dangling=[place > 0 and refers_back(text) for place, text in enumerate(texts)],
        background=tells_known(texts, readings, proposals),
        proposals=proposals,
        options={},
    )


def choose(paper: Read, how_many: int, weights: Mapping[str, float]) -> tuple[int, ...]:
    """Return the places of the sentences to show, in order: of all sets of ``how_many`` the one of highest worth."""
    if how_many not in paper.options:
        paper.options[how_many] = _options(paper, how_many)
    options = paper.options[how_many]
    if options.how_many <= 0:
        return options.fill
    extras = _extras(paper, options.how_many, weights)
    compared = options.full
    if len(compared) > (most := max(_COMPARED, options.how_many)):
        compared = tuple(sorted(sorted(compared, key=lambda i: -options.totals[i] - extras[i])[:most]))
    if compared not in options.worths:
        options.worths[compared] = _worths(paper, options, compared)
    return tuple(sorted((*best_set(options.worths[compared], extras), *options.fill)))


def _extras(paper: Read, how_many: int, weights: Mapping[str, float]) -> list[float]:
    """Return the worth of each sentence beside its roles: for this reader's interests, and as a proposal."""
    extras = [_INTEREST_WORTH * touched for touched in _touches(paper, weights)]
    has_all_roles = how_many >= len(_ORDER)
    # Of few sentences the first proposal alone: with all of them, a part of the idea may stand for the whole.
    for place in paper.proposals if has_all_roles else paper.proposals[:1]:
        extras[place] += _PROPOSAL_WORTH if has_all_roles else _PROPOSAL_WORTH_OF_FEW
    return extras


def _options(paper: Read, how_many: int) -> Options:
    """Return what to choose from; sentences that say nothing take only the places that the others leave."""
    every = range(len(paper.sentences))
    full = tuple([place for place in every if not paper.empty[place]])
    spare = sorted((place for place in every if paper.empty[place]), key=lambda i: -sum(paper.readings[i].shares))
    fill = spare[: max(0, how_many - len(full))]
    how_many = min(how_many, len(full))
    worth_of_task = 1.0 if how_many >= len(_ORDER) else _TASK_WORTH_OF_FEW
    surely = [finding if finding >= _FINDING_FROM else 0.0 for finding in paper.findings]
    values = [
        [
            share * worth
            for share, worth in zip(reading.shares, (worth_of_task, 1.0, 1 + _FINDING_BOOST * sure), strict=True)
        ]
        for reading, sure in zip(paper.readings, surely, strict=True)
    ]
    return Options(how_many, full, tuple(sorted(fill)), values, list(map(sum, values)), {})


def _worths(paper: Read, options: Options, compared: tuple[int, ...]) -> list[Worth]:
    """Return the worth to any reader of each set of the compared sentences, best first."""
    worths = []
    for number, places in enumerate(combinations(compared, options.how_many)):
        has_finding = any(paper.findings[i] >= _FINDING_WORTH_FROM for i in places)
        worth = _worth_of_roles(places, options.values, paper.dangling) + _FINDING_WORTH * has_finding
        worths.append(Worth(worth, number, places))
    return sorted(worths, key=lambda of_set: -of_set.worth)


def best_set(worths: Sequence[Worth], extras: Sequence[float]) -> tuple[int, ...]:
    """Return the set of highest worth with a reader's extras, of equals the first that was compared.

    ``worths`` are sorted: the search ends where no extras make up for the rest.
    """
    # A little more than the extras of any set, which are summed in another order.
    most = sum(sorted(extras, reverse=True)[: len(worths[0].places)]) + 1e-9
    best, best_number, best_places = -math.inf, 0, worths[0].places
    for worth, number, places in worths:
        if worth + most < best:
            break
        total = worth + sum([extras[i] for i in places])
        if total > best or (total == best and number < best_number):
            best, best_number, best_places = total, number, places
    return best_places


def _worth_of_roles(places: tuple[int, ...], values: Sequence[Sequence[float]], dangling: Sequence[bool]) -> float:
    """Return the worth of a set of sentences by its roles, less the cost of those that refer to one left out."""
    total = 0.0
    for column in range(len(_ORDER)):
        held = sum(values[i][column] for i in places)
        total += held - _DOUBT * held * held
    return total - _DANGLING_COST * sum(dangling[i] and i - 1 not in places for i in places)


def in_order(paper: Read, places: Sequence[int]) -> list[int]:
    """Return the chosen sentences as they are shown: in the abstract's order, but background comes last.

    A sentence that refers to the one before stays after it. An abstract that is shown whole stays as it is.
    """
    if len(places) == len(paper.sentences):
        return list(places)
    groups: list[list[int]] = []
    for place in places:
        if groups and paper.dangling[place] and groups[-1][-1] == place - 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    groups.sort(key=lambda group: paper.background[group[0]])
    return [place for group in groups for place in group]


def finding_place(paper: Read, places: Sequence[int]) -> int | None:
    """Return the sentence to set in bold: the most probable finding, one with a figure before one in words."""
    sure = [place for place in places if paper.findings[place] >= _FINDING_FROM]
    return max(sure, key=lambda place: (FIGURE in wording(paper.sentences[place]), paper.findings[place]), default=None)


def known_place(paper: Read, places: Sequence[int]) -> int | None:
    """Return the sentence to label as background: of those shown the first, unless it comes first or says so itself."""
    known = next((place for place in places if paper.background[place]), None)
    if known is None or known == places[0] or paper.sentences[known].lower().startswith("background"):
        return None
    return known


def _touches(paper: Read, weights: Mapping[str, float]) -> list[float]:
    """Return each sentence's share, 0 to 1, of the reader's positive weights of the abstract's terms."""
    if not weights:
        return [0.0] * len(paper.sentences)
    liked = [weight if weight > 0 else 0.0 for weight in map(weights.get, paper.terms, repeat(0.0))]
    total = sum(liked) or 1.0
    return [sum(map(liked.__getitem__, places)) / total for places in paper.sentence_terms]


def _roles(shares: Sequence[Sequence[float]]) -> list[Role | None]:
    """Label one sentence each as task and as idea, by the largest shares; None for the others."""
    roles: list[Role | None] = [None] * len(shares)
    claims = [
        (share, place, role)
        for place, row in enumerate(shares)
        for share, role in zip(row, _ORDER, strict=True)
        if role is not Role.RESULT
    ]
    for share, place, role in sorted(claims, reverse=True):
        if share >= _ROLE_FROM and roles[place] is None and role not in roles:
            roles[place] = role
    return roles


# Sentence segmentation. Every sentence is quoted verbatim.

# Abbreviations: a full stop after them never ends a sentence.
_NEVER_LAST = frozenset("e.g i.e eg ie et.al al cf vs viz resp approx ca esp incl dr prof mr ms mrs st".split())
# After these a full stop doesn't end a sentence if a number follows ("Fig. 2").
_BEFORE_NUMBERS = frozenset(
    "alg app appx art ch chap def eq eqn eqs fig figs lem no nos nr pp prop ref refs sec sect secs tab thm vol".split()
)
# Words that begin sentences, and hardly ever follow an initial or an abbreviation.
_OPENER = (
    r"(?:We|Our|This|These|The|It|Its|In|To|For|From|On|At|As|By|An?|However|Moreover|Furthermore|Additionally|Finally|"
    r"Here|Specifically|Experiments?|Extensive|Results?|Code|While|Although|With|Using|Through|Thus|Therefore)"
)
# An end mark with closing brackets, quotes or LaTeX; then white space and what may begin a sentence, or an opener
# stuck to the word before. A blank line ends a sentence too.
_END = re.compile(
    r"[.!?][)\]}\"'”’$]*(?=\s+(?:[^\sa-z]|[a-z]+[A-Z]))"
    rf"|[.!?](?<=[a-z]{{3}}.)(?={_OPENER}\s)"
    r"|\n(?=[^\S\n]*\n)"
)
_LOOK_BACK = 40  # characters; no abbreviation is longer
_OPENS = re.compile(rf"\s*{_OPENER}\b")
_NUMBER_FOLLOWS = re.compile(r"\s*\d")
_LAST_WORD = re.compile(r"[\w.]+$")
_DOTTED = re.compile(r"(?:[a-z]\.)*[a-z]")
_LIST_MARK = re.compile(r"(?:^|[:;,])\s*(?:\d{1,2}|[ivx]{1,4})$")


def sentences(text: str) -> list[str]:
    """Split a text into sentences, in order; each is a part of ``text`` without the white space around it.

    >>> sentences("We gain 3.5 points, e.g. on MATH. See Fig. 2 there! Done")
    ['We gain 3.5 points, e.g. on MATH.', 'See Fig. 2 there!', 'Done']
    """
    parts = []
    start = 0
    for end in _END.finditer(text):
        before = text[max(start, end.start() - _LOOK_BACK) : end.start()]
        if _ends_here(before, end.group(), text, end.end()):
            parts.append(text[start : end.end()].strip())
            start = end.end()
    parts.append(text[start:].strip())
    return [sentence for sentence in parts if sentence]


def _ends_here(before: str, mark: str, text: str, after: int) -> bool:
    """Whether the mark after ``before`` ends a sentence, not an abbreviation, an initial or a list number."""
    if mark[:1] != "." or not (word := _LAST_WORD.search(before)):
        return True
    if _LIST_MARK.search(before):
        return False
    last = word.group().lower()
    if last in _NEVER_LAST:
        return False
    if last in _BEFORE_NUMBERS:
        return not _NUMBER_FOLLOWS.match(text, after)
    stands_alone = not before[: word.start()].strip() or before[word.start() - 1].isspace()
    if stands_alone and _DOTTED.fullmatch(last):  # J. Doe, U.S. Government
        return bool(_OPENS.match(text, after))
    return True
