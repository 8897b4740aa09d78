"""Match papers to a reader's text without votes: by phrases, by topics together, and by meaning.

    PaperWords --PhraseIndex--> which papers have a topic, all of its words side by side
    text --read_interests--> topics --TextModel--> MatchFeatures of papers

A phrase is more specific than its words: "item response theory" is a strong reason, "item" is none. Topics of one
clause ("reinforcement learning for language models") count more together. Each match is a sum over a paper's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby, islice, product
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from bot.ranking.meaning import DIMENSIONS, Meaning, PaperWords, rarity, shipped, word_hash
from bot.text.spaceless import is_spaceless
from bot.text.tokens import PUNCTUATION, StemSequence, stem_sequence
from bot.text.topics import AMBIGUOUS, Topic, common_expansions, read_interests

# Other words within a topic: "models of language". Papers seldom use a long phrase as a reader does who refuses it.
_MOST_BETWEEN = 1
_MOST_BETWEEN_REFUSED, _LONG = 7, 3
_TITLE_TIMES = 2  # an occurrence in the title counts double
_FULL_AT = 5  # occurrences for a full match


class PhraseIndex:
    """Finds topics in papers: all stems of a topic stand close together, within one phrase."""

    def __init__(self, papers: PaperWords) -> None:
        self._papers = len(papers)
        counts = np.diff(papers.starts)
        lengths = np.full(self._papers, 2 * PUNCTUATION)  # more than any topic's reach
        lengths[counts > 0] += papers.positions[papers.starts[1:][counts > 0] - 1]
        self._starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = papers.positions + np.repeat(self._starts[:-1], counts)
        in_title = papers.in_title
        # The expansions of an abbreviation get its places.
        postings = [(papers.words, places, in_title)]
        by_word = np.argsort(papers.words, kind="stable")
        ordered = papers.words[by_word]
        for short, long in _expansion_hashes().items():
            first, end = np.searchsorted(ordered, [short, short + 1])
            rows = by_word[first:end]
            if (word := _ambiguous_hashes().get(short)) is not None:
                owners = papers.papers
                rows = rows[np.isin(owners[rows], owners[papers.words == word])]
            if len(rows):
                postings += [(np.full(len(rows), word, ordered.dtype), places[rows], in_title[rows]) for word in long]
        words, places, in_title = (np.concatenate(parts) for parts in zip(*postings, strict=True))
        order = np.lexsort((places, words))
        self._words, self._places, self._in_title = words[order], places[order], in_title[order]
        self._is_written = order < len(papers.words)  # false for expansions of abbreviations
        self._found: dict[tuple[tuple[str, ...], int], np.ndarray] = {}
        self._titled: dict[tuple[str, ...], np.ndarray] = {}

    def presence(self, stems: tuple[str, ...], most_between: int = _MOST_BETWEEN) -> np.ndarray:
        """Return how much each paper is on a topic, (n_papers,), 0 to 1 (five occurrences)."""
        if (stems, most_between) not in self._found:
            self._found[stems, most_between] = self._presence(stems, len(stems) + most_between)
        return self._found[stems, most_between]

    def in_title(self, stems: tuple[str, ...]) -> np.ndarray:
        """Return which papers have all of these stems in the title, (n_papers,)."""
        if stems not in self._titled:
            having = np.ones(self._papers, dtype=bool)
            for places, in_title in self._postings(stems):
                papers = np.searchsorted(self._starts, places[in_title], side="right") - 1
                having &= np.bincount(papers, minlength=self._papers) > 0
            self._titled[stems] = having
        return self._titled[stems]

    def _postings(self, stems: Sequence[str]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the places of each distinct stem, and which are in a title."""
        postings = []
        distinct = dict.fromkeys(stems)
        for stem in distinct:
            first, end = np.searchsorted(self._words, [word_hash(stem), word_hash(stem) + 1])
            found = slice(first, end)
            if len(distinct) == 1:  # "GUI" doesn't match "interfaces", nor "RL" "learning"
                found = first + np.flatnonzero(self._is_written[first:end])
            postings.append((self._places[found], self._in_title[found]))
        return postings

    def _presence(self, stems: tuple[str, ...], reach: int) -> np.ndarray:
        postings = self._postings(stems)
        if not all(len(places) for places, _ in postings):
            return np.zeros(self._papers)
        places = np.concatenate([part for part, _ in postings])
        in_title = np.concatenate([part for _, part in postings])
        if len(postings) > 1:
            complete = np.ones(len(places), dtype=bool)
            for part, _ in postings:
                following = np.searchsorted(part, places)
                nearest = part[np.minimum(following, len(part) - 1)]
                complete &= (following < len(part)) & (nearest < places + reach)
            order = np.argsort(places[complete], kind="stable")
            places, in_title = places[complete][order], in_title[complete][order]
            # The first of overlapping windows counts.
            first_of = np.diff(places, prepend=-reach) >= reach
            places, in_title = places[first_of], in_title[first_of]
        papers = np.searchsorted(self._starts, places, side="right") - 1
        times = np.bincount(papers, np.where(in_title, _TITLE_TIMES, 1), self._papers)
        return np.asarray(np.minimum(1, np.log1p(times) / np.log1p(_FULL_AT)))


@cache
def _ambiguous_hashes() -> Mapping[int, int]:
    return {word_hash(short): word_hash(word) for short, word in AMBIGUOUS.items()}


@cache
def _expansion_hashes() -> Mapping[int, Sequence[int]]:
    return {word_hash(short): list(map(word_hash, long)) for short, long in common_expansions().items()}


class MatchFeatures(NamedTuple):
    """How papers match one text, (n_papers,) each.

    ``phrases``, ``together`` and ``refused`` are sums of topic weights. ``meaning`` is in standard deviations above the
    mean of other papers. ``interest`` is the index of the nearest text.
    """

    phrases: np.ndarray
    together: np.ndarray
    refused: np.ndarray
    meaning: np.ndarray
    interest: np.ndarray

    def matrix(self) -> np.ndarray:
        """Return (n_papers, 4), without ``interest``."""
        return np.column_stack([self.phrases, self.together, self.refused, self.meaning])


@dataclass(frozen=True)
class FeatureWeights:
    """Log-odds for a unit of each feature."""

    phrases: float
    together: float
    refused: float
    meaning: float

    def vector(self) -> np.ndarray:
        return np.array([self.phrases, self.together, self.refused, self.meaning])


class _WeightedTopic(NamedTuple):
    stems: tuple[str, ...]
    weight: float


@dataclass(frozen=True, eq=False)
class Refusal:
    """Topics that are refused together: "no chatbots for patients" refuses neither all chatbots nor all patients."""

    topics: Sequence[Topic]
    weight: float

    @cached_property
    def text(self) -> str:
        return ", ".join(topic.text for topic in self.topics)

    @cached_property
    def activities(self) -> frozenset[str]:
        """Stems that are refused as activities: "what drives prices" is not on driving."""
        return frozenset(
            topic.stems[0] for topic in self.topics if len(topic.stems) == 1 and topic.text.lower().endswith("ing")
        )

    @cached_property
    def hashes(self) -> frozenset[int]:
        """The hashes of all stems, and of abbreviations that contain them."""
        stems = {word_hash(stem) for topic in self.topics for stem in topic.stems}
        return frozenset(
            stems.union(short for short, long in _expansion_hashes().items() if not stems.isdisjoint(long))
        )

    def presence(self, index: PhraseIndex) -> np.ndarray:
        """Return how much each paper is on all topics, (n_papers,), 0 to 1. One of several must be in the title."""
        presences = [
            index.presence(topic.stems, _MOST_BETWEEN_REFUSED if len(topic.stems) >= _LONG else _MOST_BETWEEN)
            for topic in self.topics
        ]
        if len(presences) == 1:
            return presences[0]
        in_title = np.any([index.in_title(topic.stems) for topic in self.topics], axis=0)
        return np.asarray(in_title * np.prod(presences, axis=0) ** (1 / len(presences)))

    def in_title(self, index: PhraseIndex) -> np.ndarray:
        """Return which papers have all topics in the title, (n_papers,)."""
        return np.asarray(np.logical_and.reduce([index.in_title(topic.stems) for topic in self.topics]))


class _Paragraph(NamedTuple):
    """One text. A paper's meaning is ``meanings @ direction - offset``."""

    direction: np.ndarray
    offset: float

    def similar(self, meanings: np.ndarray) -> np.ndarray:
        """Return (n,), uncapped."""
        return np.asarray(meanings @ self.direction - self.offset)

    def counted(self, meaning: np.ndarray) -> np.ndarray:
        """Return a direction (DIMENSIONS,) along which a paper's words add up to its capped meaning."""
        similar = float(self.similar(meaning))
        return np.asarray(self.direction * min(1.0, _MOST_MEANING / similar) if similar > 0 else self.direction)


# Very short papers may be all on a topic.
_MOST_MEANING = 6.0
# A rarer word is more specific.
_SINGLE_WORD_FROM = 2.2
_OF_MOST_SPECIFIC = 0.65
_PHRASE_FROM = 0.8
_LEAST_PHRASE = 0.3
# How specific a topic is, its home says: "placebo" is not, where half the papers have one.
_FEW_PAPERS = 100
_EACH_WORD = 0.6
_MOST_IDF = 8.0
_REFUSED_MATCH = np.array([0.0, 0.0, 4.0, 0.0])
_REFUSED_MEANING = 0.2
# Random vectors of other scripts are hardly similar, so chance could exceed the usual deviation.
_LEAST_DEVIATION_OF_PAIRS = 0.07
# Standard deviations above the mean, of a topic and of each of its words.
_CLOSE, _CLOSE_PART = 2.5, 0.6
# Papers that show which topics a home has. Fewer than this share of them may have a word by chance.
_LEAST_SAMPLE, _LARGE_SAMPLE, _CHANCE = 100, 500, 0.0005
_MOST_COVERED = 0.5
_MOST_ALTERNATIVES = 16  # sets of topics that one clause means
# Weight of the shipped papers beside ``background``.
_REFERENCE_PAPERS = 1_000


class TextModel:
    """One reader's texts. ``background`` (n, DIMENSIONS) are vectors of the home's papers."""

    def __init__(self, texts: Sequence[str], meaning: Meaning, background: np.ndarray) -> None:
        self._meaning, self._background = meaning, background
        interests = [read_interests(text) for text in texts]
        self._interests = interests
        self.wanted = [self._weighted(topic) for interest in interests for topic in interest.wanted]
        self.together = [
            [[self._weighted(topic) for topic in topics] for topics in clause]
            for interest in interests
            for clause in _together(interest.wanted)
        ]
        self.refusals = [
            Refusal(topics, sum(self._weighted(topic).weight for topic in topics))
            for interest in interests
            for _, segment in groupby(interest.refused, key=lambda topic: topic.segment)
            if (topics := list(segment))
        ]
        self.paragraphs: list[_Paragraph] = []
        for interest in interests:
            stems = [stem for topic in interest.wanted for stem in topic.stems]
            vector = meaning.text(stems)
            against = meaning.text(stem for topic in interest.refused for stem in topic.stems)
            # Words both wanted and refused stay: "explaining models to end users".
            against -= (against @ vector) * vector
            if vector.any() and (
                paragraph := self._scaled(vector - _REFUSED_MEANING * against, _least_deviation(stems))
            ):
                self.paragraphs.append(paragraph)

    @property
    def topics(self) -> list[Topic]:
        return self._topics(wanted=True)

    @cached_property
    def lasting_refusals(self) -> list[Refusal]:
        """The refusals without those that are wanted in part: "deep learning theory, no deep learning"."""
        wanted = [f" {' '.join(topic.stems)} " for topic in self.topics]
        return [
            refusal
            for refusal in self.refusals
            if not all(any(f" {' '.join(topic.stems)} " in other for other in wanted) for topic in refusal.topics)
        ]

    @cached_property
    def reasons(self) -> list[Topic]:
        """Topics that can be a reason: no lone verb, and no word that many papers of the home have.

        Beside "ADHD", "children" and "placebo" say too little.
        """
        specific = {topic: float(self._meaning.idf(_hashes(topic.stems)).max()) for topic in self.topics}
        least = max(_SINGLE_WORD_FROM, _OF_MOST_SPECIFIC * max(specific.values(), default=0.0))
        return [
            topic for topic, idf in specific.items() if len(topic.stems) > 1 or (idf >= least and not topic.is_verb)
        ]

    @cached_property
    def uncovered(self) -> list[Topic]:
        """The topics that the home's papers don't have, if these are most of the text.

        Meaning is relative, so the best of nothing looks good: without speech in any paper, a text on speech is closest
        to translation. A topic is missing if hardly a paper has its rarest word. In a small home, all have to be.
        """
        if self._meaning.count < _LEAST_SAMPLE:
            return []
        missing, weights = [], []
        for topic in self.reasons:
            rarest = max(topic.stems, key=rarity)
            papers = int(self._meaning.frequencies(_hashes([rarest]))[0])
            missing.append(papers <= _CHANCE * self._meaning.count)
            weights.append(self._weighted(topic).weight)
        lacking = [topic for topic, is_missing in zip(self.reasons, missing, strict=True) if is_missing]
        is_large = self._meaning.count >= _LARGE_SAMPLE
        lacks_most = np.dot(weights, missing) > _MOST_COVERED * sum(weights) if is_large else all(missing)
        return lacking if lacks_most else []

    @cached_property
    def named_for(self) -> list[Topic]:
        """The reasons that papers may name, without those beside a missing topic: "machine learning for seismology"."""
        missing = set(self.uncovered)
        beside = {
            topic
            for interest in self._interests
            for _, segment in groupby(interest.wanted, key=lambda topic: topic.segment)
            if not missing.isdisjoint(topics := set(segment))
            for topic in topics - missing
        }
        return [topic for topic in self.reasons if topic not in beside]

    def close_topics(self, meaning: np.ndarray) -> list[Topic]:
        """Return the reasons close to a paper's vector (DIMENSIONS,), the closest first.

        Each word must be close: "medical records" is not close to a paper on medical images.
        """
        close = [
            (float(whole.similar(meaning)), number)
            for number, (whole, parts) in enumerate(self._closeness)
            if whole.similar(meaning) >= _CLOSE and all(part.similar(meaning) >= _CLOSE_PART for part in parts)
        ]
        return [self.reasons[number] for _, number in sorted(close, reverse=True)]

    @cached_property
    def _closeness(self) -> list[tuple[_Paragraph, list[_Paragraph]]]:
        def scaled(stems: Sequence[str]) -> _Paragraph:
            nothing = _Paragraph(np.zeros(DIMENSIONS, np.float32), 0.0)
            return self._scaled(self._meaning.text(stems), _least_deviation(stems)) or nothing

        return [
            (scaled(topic.stems), [scaled([stem]) for stem in topic.stems] if len(topic.stems) > 1 else [])
            for topic in self.reasons
        ]

    @property
    def is_empty(self) -> bool:
        return not self.wanted

    def written(
        self, transform: Callable[[Sequence[str]], sp.csr_matrix]
    ) -> tuple[np.ndarray, tuple[sp.csr_matrix, np.ndarray, np.ndarray]]:
        """Return topics and refusals as papers: which are wanted, and (terms, meanings, matches)."""
        parts = [(True, self._topics(wanted=True), np.zeros(4)), (False, self._topics(wanted=False), _REFUSED_MATCH)]
        parts = [part for part in parts if part[1]]
        terms = transform(["; ".join(topic.text for topic in topics) for _, topics, _ in parts])
        meanings = [self._meaning.text(stem for topic in topics for stem in topic.stems) for _, topics, _ in parts]
        matches = [matches for _, _, matches in parts]
        wanted = np.array([is_wanted for is_wanted, _, _ in parts], dtype=bool)
        return wanted, (terms, np.array(meanings).reshape(-1, DIMENSIONS), np.array(matches).reshape(-1, 4))

    def features(self, index: PhraseIndex, meanings: np.ndarray) -> MatchFeatures:
        phrases, together = np.zeros(len(meanings)), np.zeros(len(meanings))
        for topic in self.wanted:
            phrases += topic.weight * index.presence(topic.stems)
        for clause in self.together:
            together += np.max([_presence(topics, index) for topics in clause], axis=0)
        refused = np.zeros(len(meanings))
        for refusal in self.refusals:
            refused += refusal.weight * refusal.presence(index)
        if not self.paragraphs:
            return MatchFeatures(phrases, together, refused, np.zeros(len(meanings)), np.zeros(len(meanings), int))
        similar = np.stack([part.similar(meanings) for part in self.paragraphs])
        nearest = np.minimum(similar.max(axis=0), _MOST_MEANING)
        return MatchFeatures(phrases, together, refused, nearest, similar.argmax(axis=0))

    def contributions(
        self, index: PhraseIndex, row: int, sequence: StemSequence, weights: FeatureWeights
    ) -> dict[str, float]:
        added: dict[str, float] = {}

        own = set(sequence.stems)

        def add(stems: Sequence[str], value: float) -> None:
            named = [stem for stem in dict.fromkeys(stems) if stem in own]
            if missing := set(stems) - own:
                named += [short for short, long in common_expansions().items() if short in own and missing & set(long)]
            named = named or list(dict.fromkeys(stems))
            for stem in named:
                added[stem] = added.get(stem, 0.0) + value / len(named)

        for topic in self.wanted:
            if present := float(index.presence(topic.stems)[row]):
                add(topic.stems, weights.phrases * topic.weight * present)
        for clause in self.together:
            values = [float(_presence(topics, index)[row]) for topics in clause]
            most = max(values)
            topics = clause[values.index(most)] if most else ()
            for topic in topics:
                add(topic.stems, weights.together * most / len(topics))
        for refusal in self.refusals:
            if present := float(refusal.presence(index)[row]):
                for refused in refusal.topics:
                    add(refused.stems, weights.refused * refusal.weight * present / len(refusal.topics))
        return added

    def _topics(self, *, wanted: bool) -> list[Topic]:
        return [topic for interest in self._interests for topic in (interest.wanted if wanted else interest.refused)]

    def _weighted(self, topic: Topic) -> _WeightedTopic:
        idf = np.minimum(self._meaning.idf(_hashes(topic.stems), _FEW_PAPERS), _MOST_IDF)
        if len(idf) == 1:
            return _WeightedTopic(topic.stems, max(0.0, float(idf[0]) - _SINGLE_WORD_FROM))
        specific = max(_LEAST_PHRASE, float(idf.mean()) - _PHRASE_FROM)
        return _WeightedTopic(topic.stems, specific + _EACH_WORD * (len(idf) - 1))

    def _scaled(self, vector: np.ndarray, least: float) -> _Paragraph | None:
        """Scale to standard deviations of papers' similarity, or return None for a zero vector."""
        if not vector.any():
            return None
        home = self._background @ vector
        reference = shipped()["references"].astype(np.float32) @ vector
        share = len(home) / (len(home) + _REFERENCE_PAPERS)
        mean = share * float(home.mean() if len(home) else 0) + (1 - share) * float(reference.mean())
        variance = share * float(home.var() if len(home) else 0) + (1 - share) * float(reference.var())
        deviation = max(float(np.sqrt(variance)), least) or 1.0
        return _Paragraph((vector / deviation).astype(np.float32), mean / deviation)


def _hashes(stems: Iterable[str]) -> np.ndarray:
    return np.array(list(map(word_hash, stems)), dtype=np.uint32)


def _least_deviation(stems: Iterable[str]) -> float:
    return _LEAST_DEVIATION_OF_PAIRS if any(map(is_spaceless, stems)) else 0.0


def _together(topics: Sequence[Topic]) -> Iterator[Sequence[Sequence[Topic]]]:
    """Yield the sets of topics that each clause means together, those with alternatives too.

    "Segmentation and detection in CT and MRI" is on segmentation in CT, on detection in MRI, and so on.
    """
    clauses: list[list[Topic]] = []
    for topic in topics:
        if not clauses or (topic.segment != clauses[-1][-1].segment and not topic.is_alternative):
            clauses.append([])
        clauses[-1].append(topic)
    for clause in clauses:
        segments = [tuple(segment) for _, segment in groupby(clause, key=lambda topic: topic.segment)]
        parts: list[list[Topic]] = []
        for topic in clause:
            if topic.is_alternative and parts:
                parts[-1].append(topic)
            else:
                parts.append([topic])
        chosen = dict.fromkeys([*segments, *islice(product(*parts), _MOST_ALTERNATIVES)])
        # Single words meet by chance.
        if together := [each for each in chosen if len(each) > 1 and any(len(topic.stems) > 1 for topic in each)]:
            yield together


def _presence(topics: Sequence[_WeightedTopic], index: PhraseIndex) -> np.ndarray:
    """Return how much each paper is on all topics, (n_papers,), times their weight."""
    presence = np.prod([index.presence(topic.stems) for topic in topics], axis=0)
    return np.asarray(sum(topic.weight for topic in topics) * presence ** (1 / len(topics)))


def nearness(text: str, papers: Sequence[str]) -> list[tuple[float, bool]]:
    """Return each paper's meaning relative to a text, and whether it names one of its topics.

    Meaning is in standard deviations above the mean. The list is empty if the text has no known word.
    """
    words = PaperWords.from_sequences([stem_sequence(paper) for paper in papers])
    meaning = Meaning.learn(words)
    model = TextModel(text.split("\n\n"), meaning, np.zeros((0, DIMENSIONS), np.float32))
    if not model.paragraphs:
        return []
    vectors = meaning.papers(words)
    similar = np.max([paragraph.similar(vectors) for paragraph in model.paragraphs], axis=0)
    named = model.features(PhraseIndex(words), vectors).phrases > 0
    return list(zip(similar.tolist(), named.tolist(), strict=True))
