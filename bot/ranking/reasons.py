"""Why a paper was picked, as a person would say it.

    profile and votes --> Evidence                         once per reader
    title and abstract --> PaperText                       once per paper, for all readers
    Score, PaperText, Evidence --choose--> Reasons         once per pick
    Reasons of an edition's picks --without_repetition-->   once per edition
    Score, PaperText --breakdown--> rows of phrases  for ``why``: their weights sum to the score

Only phrases that the reader wrote, or that papers with votes have, are named; general academic vocabulary never is.
``bot.wording`` words the reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from bot.model import BonusKind, PaperId, Reason, ReasonKind, Score, is_library_paper
from bot.ranking.phrases import PaperText, whole_phrases
from bot.text.tokens import names_topic, stem_terms, topical_terms
from bot.text.topics import Topic

if TYPE_CHECKING:
    from bot.ranking.meaning import Meaning
    from bot.ranking.ranking import VotedTerms

# Of the beginning of a liked paper's title, which is all that the reader sees of it.
_VISIBLE_TITLE = 80  # characters


class Evidence:
    """One reader's topics and votes; computed once for all of the reader's picks."""

    def __init__(
        self,
        topics: Iterable[Topic],
        meaning: Meaning,
        votes: VotedTerms,
        titles: Mapping[PaperId, str] | None = None,
        ignored: Iterable[str] = (),
    ) -> None:
        """``titles`` are those of the liked papers; ``ignored`` are phrases that the reader excluded from ranking."""
        self.meaning = meaning
        self.votes = votes
        self.titles = titles or {}
        self.excluded = frozenset(term for phrase in ignored for term in topical_terms(phrase))
        # "Methods" and "change" are read, and say nothing as a reason.
        self.topics = [
            topic
            for topic in topics
            if names_topic(topic.stems) and not self.excluded.issuperset(topical_terms(topic.text))
        ]

    @cached_property
    def visible_in(self) -> Mapping[str, Sequence[PaperId]]:
        """The liked papers by the stems and bigrams in the part of their title that readers see."""
        papers: defaultdict[str, list[PaperId]] = defaultdict(list)
        for paper, title in self.titles.items():
            for term in _visible_terms(title):
                papers[term].append(paper)
        return papers

    @cached_property
    def is_library_alone(self) -> bool:
        """Whether all liked papers are in the reader's library, and none was voted on."""
        return bool(self.titles) and all(map(is_library_paper, self.titles))


@lru_cache(maxsize=20_000)  # many readers like the same papers
def _visible_terms(title: str) -> frozenset[str]:
    return frozenset(stem_terms(title[:_VISIBLE_TITLE]))


_MAX_TOPICS = 3


def written_topics(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, rules: Collection[str]
) -> tuple[list[Reason], set[str]]:
    """Return the reader's topics that the paper mentions, the heaviest first, and the terms that they cover.

    Topics that ``rules`` name already, in lower case, are omitted, and so is a topic that is part of another. A topic
    that the paper names once in passing is a mention, and only given if it weighs more than what the paper is on.
    """
    mentioned = {}
    central = {}
    covered: set[str] = set()
    for topic in evidence.topics:
        mention = paper.mentions(topic)
        if mention is None or topic.text.casefold() in rules:
            continue
        weight = sum([terms.get(term, 0.0) for term in {*topic.terms, *mention.stems}])
        if weight >= 0:
            mentioned[topic] = weight
            covered |= {*topic.terms, *mention.stems}
            central[topic] = mention.is_central
    spaced = {topic: f" {' '.join(topic.stems)} " for topic in mentioned}
    longest = [
        topic
        for topic in mentioned
        if not any(spaced[topic] in spaced[other] for other in mentioned if other is not topic)
    ]
    longest.sort(key=lambda topic: (-mentioned[topic], -len(topic.stems)))
    on_topics = [topic for topic in longest if central[topic]]
    heaviest = max((mentioned[topic] for topic in on_topics), default=-1.0)
    in_passing = [topic for topic in longest if not central[topic] and mentioned[topic] > heaviest]
    named = [(ReasonKind.WROTE, topic) for topic in on_topics]
    named += [(ReasonKind.MENTIONED, topic) for topic in in_passing]
    return [Reason(kind, paper.named(topic), mentioned[topic]) for kind, topic in named[:_MAX_TOPICS]], covered


# Of all positive weight, for a phrase to be named.
_MIN_SHARE = 0.05


def _least_weight(terms: Mapping[str, float]) -> float:
    return _MIN_SHARE * sum([weight for weight in terms.values() if weight > 0])


# Cosine from which on a phrase of a paper means what a topic does, and how many are named.
_SAME_MEANING = 0.45
_MAX_CLOSE_PHRASES = 2
# A second phrase that weighs less than this share of the first explains nothing.
_SHARE_OF_HEAVIEST = 0.25


def close_topic(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, close: Sequence[Topic], covered: AbstractSet[str]
) -> tuple[list[Reason], set[str]]:
    """Return the phrases of a paper by which it is close to a topic that it doesn't name, and the terms they cover.

    ``close`` are the topics that the paper is close to as a whole, the closest first: the first is given that has
    phrases to show for it, which speak for the paper and repeat nothing ``covered``.
    """
    least = _least_weight(terms)
    for topic in close:
        if topic not in evidence.topics or not covered.isdisjoint(topic.stems):
            continue
        meant = evidence.meaning.phrase(topic.stems)
        similar = {
            phrase: similarity
            for phrase in paper.whole_phrases
            if not phrase.is_adjective
            and phrase.weight(terms) > least
            and not phrase.overlaps(covered)
            and (similarity := float(evidence.meaning.phrase(phrase.stems) @ meant)) >= _SAME_MEANING
        }
        named = whole_phrases(similar, covered, _MAX_CLOSE_PHRASES)
        if named:
            near = paper.named(topic)
            reasons = [Reason(ReasonKind.NEAR, phrase.text, phrase.weight(terms), near) for phrase in named]
            return reasons, {term for phrase in named for term in phrase.covers}
    return [], set()


def heaviest_phrases(paper: PaperText, terms: Mapping[str, float]) -> list[Reason]:
    """Return what of the paper speaks for it most, for a paper of which nothing else can be said."""
    weights = {phrase: phrase.weight(terms) for phrase in paper.whole_phrases if not phrase.is_adjective}
    positive = {phrase: weight for phrase, weight in weights.items() if weight > 0}
    phrases = whole_phrases(positive, (), _MAX_CLOSE_PHRASES)
    least = _SHARE_OF_HEAVIEST * positive[phrases[0]] if phrases else 0.0
    phrases = [phrase for phrase in phrases if positive[phrase] >= least]
    return [Reason(ReasonKind.PHRASES, phrase.text, positive[phrase]) for phrase in phrases]


_MAX_PHRASES = 2
# Least shares for a liked paper to be named. ``_BY_UNCOVERED``: of the weight of the pick's topical terms, what no
# other reason names; papers are compared by these terms alone, as any liked paper has the reader's main topic. Of
# their weight, what the liked paper and its visible title have; with lower shares it is often on something else.
_BY_UNCOVERED = 0.25
_BY_PAPER = 0.4
_BY_TITLE = 0.25
_MIN_COMMON_TERMS = 3


def learned_phrases(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, covered: set[str]
) -> list[Reason]:
    """Return the heaviest phrases that votes support, whole and without ``covered`` terms.

    A phrase that continues with a covered word is left out ("large language" of "large language models").
    """
    if not evidence.votes.liked:
        return []
    least = _least_weight(terms)
    supported = {
        phrase: weight
        for phrase in paper.learnable_phrases
        if (weight := phrase.weight(terms)) > least
        and (phrase.is_whole or covered.isdisjoint(paper.stems_after.get(phrase.stems, ())))
        and evidence.excluded.isdisjoint(phrase.rare_terms)
        and evidence.votes.supports(phrase.rare_terms)
    }
    kind = ReasonKind.LEARNED_FROM_LIBRARY if evidence.is_library_alone else ReasonKind.LEARNED
    return [Reason(kind, phrase.text, supported[phrase]) for phrase in whole_phrases(supported, covered, _MAX_PHRASES)]


def similar_liked_paper(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, covered: set[str]
) -> list[Reason]:
    """Return the liked paper with most of this paper's positive weight beside ``covered``, if its title shows it."""
    if not evidence.votes.liked:
        return []
    speaking = {term: weight for term in paper.topical_terms if (weight := terms.get(term, 0.0)) > 0}
    uncovered = {
        term: weight
        for term, weight in speaking.items()
        if term not in covered and not covered.issuperset(paper.topical_terms[term])
    }
    total = sum(uncovered.values())
    if not total or total < _BY_UNCOVERED * sum(speaking.values()):
        return []
    visible: defaultdict[PaperId, float] = defaultdict(float)
    for term, weight in uncovered.items():
        for liked in evidence.visible_in.get(term, ()):
            visible[liked] += weight
    # Most picks are like no liked paper's title: this saves comparing all terms.
    if max(visible.values(), default=0.0) < _BY_TITLE * total:
        return []
    for liked, common in evidence.votes.most_overlapping(uncovered, _BY_PAPER):
        title = evidence.titles[liked]
        is_itself = title.casefold() == paper.title.casefold()
        if common >= _MIN_COMMON_TERMS and visible[liked] >= _BY_TITLE * total and not is_itself:
            if is_library_paper(liked):
                return [Reason(ReasonKind.OWNED, title)]
            return [Reason(ReasonKind.LIKED, title, paper=liked)]
    return []


# Beside more topics and learned phrases a liked paper's title is too much to read.
_MAX_PHRASES_BESIDE_TITLE = 3


def choose(
    paper: PaperText,
    score: Score,
    evidence: Evidence,
    close: Sequence[Topic] = (),
    alerted_by: Sequence[str] = (),
    *,
    cites: Sequence[Reason] = (),
) -> tuple[Reason, ...]:
    """Return the reasons for one pick, the strongest claim first.

    ``score`` has its terms, ``close`` are the topics that the paper is close to in meaning, the closest first, and
    ``cites`` the reasons for what it cites. In order: the profile's rules that the paper meets, with ``cites``; topics
    that the reader wrote and the paper mentions, unless the model counts them against it; where that is one topic or
    none, one that it is close to; phrases that votes support; the most similar liked paper; else what of the paper
    speaks for it. No two reasons name the same words.
    """
    keywords = [bonus.text for bonus in score.bonuses if bonus.kind is BonusKind.KEYWORD]
    reasons = [Reason(ReasonKind.ALERT, name) for name in alerted_by]
    if score.followed:
        reasons.append(Reason(ReasonKind.AUTHOR, score.followed))
    reasons += cites
    reasons += [Reason(ReasonKind.KEYWORD, keyword) for keyword in keywords if keyword not in alerted_by]

    terms = score.terms
    written, covered = written_topics(paper, terms, evidence, {name.casefold() for name in (*keywords, *alerted_by)})
    reasons += written
    if len(written) < 2:
        near, of_near = close_topic(paper, terms, evidence, close, covered)
        reasons += near
        covered |= of_near
    reasons += learned_phrases(paper, terms, evidence, covered)
    if len(reasons) <= _MAX_PHRASES_BESIDE_TITLE and not cites:
        reasons += similar_liked_paper(paper, terms, evidence, covered)
    reasons += [
        Reason(ReasonKind.TRENDING, bonus.text, bonus.weight)
        for bonus in score.bonuses
        if bonus.kind is BonusKind.TRENDING
    ]
    return tuple(reasons or heaviest_phrases(paper, terms))


# The kinds that name a paper.
_PAPERS = {ReasonKind.LIKED, ReasonKind.OWNED}


def without_repetition(reasons: Sequence[tuple[Reason, ...]]) -> list[tuple[Reason, ...]]:
    """Return the reasons for an edition's picks, each liked paper named at the first of them, or where it is alone."""
    stated: set[Reason] = set()
    result = []
    for pick_reasons in reasons:
        result.append(tuple([reason for reason in pick_reasons if reason not in stated]) or pick_reasons)
        stated |= {reason for reason in pick_reasons if reason.kind in _PAPERS}
    return result


# Of a phrase's weight, what each of its words must have to be named with it.
_LEAST_OF_PHRASE = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """What a phrase adds to the log-odds; ``in_paper`` is False for a term that counts by its absence."""

    text: str
    weight: float
    in_paper: bool = True


def breakdown(paper: PaperText, terms: Mapping[str, float]) -> list[Row]:
    """Return the contributions of ``terms`` by phrase, the heaviest first; their weights have the same sum.

    A term counts in the heaviest phrase that has it, of equals in the longest; a term in no phrase has its own row.
    """
    remaining = dict(terms)
    rows = []
    for phrase in sorted(paper.phrases, key=lambda p: (-abs(p.weight(terms)), -len(p.stems))):
        contributing = [term for term in phrase.terms if term in terms]
        # A phrase that has a term in common with a heavier one is not whole any more; one with a word that adds
        # next to nothing is longer than what counts: "postpone reward hacking".
        least = _LEAST_OF_PHRASE * abs(phrase.weight(terms))
        is_needed = all(abs(terms.get(stem, 0.0)) >= least for stem in phrase.stems)
        if contributing and is_needed and all(term in remaining for term in contributing):
            rows.append(Row(phrase.text, sum([remaining.pop(term) for term in contributing])))
    for term, weight in remaining.items():
        words = [paper.spelled(stem) for stem in term.split()]
        in_paper = None not in words
        rows.append(
            Row(" ".join(word or stem for word, stem in zip(words, term.split(), strict=True)), weight, in_paper)
        )
    return sorted(rows, key=lambda row: -abs(row.weight))
