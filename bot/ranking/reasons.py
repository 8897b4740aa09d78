"""Why a paper was picked, in a reader's words.

    profile and votes --> Evidence                         once per reader
    title and abstract --> PaperText                       once per paper, for all readers
    Score, PaperText, Evidence --choose--> Reasons         once per pick
    Score, PaperText --breakdown--> rows of phrases, whose weights sum to the score

Reasons name phrases from the reader's text or from papers with votes. ``bot.wording`` words them.
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
    from bot.ranking.scoring import VotedTerms

# Readers see this much of a liked paper's title.
_VISIBLE_TITLE = 80  # characters


class Evidence:
    """One reader's topics and votes, computed once for all picks."""

    def __init__(
        self,
        topics: Iterable[Topic],
        meaning: Meaning,
        votes: VotedTerms,
        titles: Mapping[PaperId, str] | None = None,
        ignored: Iterable[str] = (),
    ) -> None:
        """``titles`` are of liked papers, ``ignored`` are phrases that the reader excluded."""
        self.meaning = meaning
        self.votes = votes
        self.titles = titles or {}
        self.excluded = frozenset(term for phrase in ignored for term in topical_terms(phrase))
        # "Methods" and "change" explain nothing.
        self.topics = [
            topic
            for topic in topics
            if names_topic(topic.stems) and not self.excluded.issuperset(topical_terms(topic.text))
        ]

    @cached_property
    def visible_in(self) -> Mapping[str, Sequence[PaperId]]:
        """Liked papers by the terms of their visible title."""
        papers: defaultdict[str, list[PaperId]] = defaultdict(list)
        for paper, title in self.titles.items():
            for term in _visible_terms(title):
                papers[term].append(paper)
        return papers


@lru_cache(maxsize=20_000)  # many readers like the same papers
def _visible_terms(title: str) -> frozenset[str]:
    return frozenset(stem_terms(title[:_VISIBLE_TITLE]))


_MAX_TOPICS = 3


def written_topics(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, rules: Collection[str], *, is_near: bool
) -> tuple[list[Reason], set[str]]:
    """Return the reader's topics in the paper, the heaviest first, and the terms that they cover.

    Topics in ``rules`` (lower case) and parts of other topics are left out, and single words unless the paper
    ``is_near`` the text: they may have another sense. Mentions in passing must weigh more than the central topics.
    """
    mentioned = {}
    central = {}
    covered: set[str] = set()
    for topic in evidence.topics:
        mention = paper.mentions(topic)
        if mention is None or topic.text.casefold() in rules or not (is_near or len(topic.stems) > 1):
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


# Of all positive weight.
_MIN_SHARE = 0.05


def _least_weight(terms: Mapping[str, float]) -> float:
    return _MIN_SHARE * sum([weight for weight in terms.values() if weight > 0])


# Least cosine.
_SAME_MEANING = 0.45
_MAX_CLOSE_PHRASES = 2
# A lighter second phrase explains nothing.
_SHARE_OF_HEAVIEST = 0.25


def close_topic(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, close: Sequence[Topic], covered: AbstractSet[str]
) -> tuple[list[Reason], set[str]]:
    """Return phrases that show why a paper is close to a topic it doesn't name, and their terms.

    ``close`` has the closest topic first. The first topic with positive phrases outside ``covered`` wins.
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
    # Phrases of a title are nouns more often than those of an abstract ("nanobodies bind").
    nouns = (phrase for phrase in paper.whole_phrases if phrase.in_title and not phrase.is_adjective)
    positive = {phrase: weight for phrase in nouns if (weight := phrase.weight(terms)) > 0}
    phrases = whole_phrases(positive, (), _MAX_CLOSE_PHRASES)
    least = _SHARE_OF_HEAVIEST * positive[phrases[0]] if phrases else 0.0
    phrases = [phrase for phrase in phrases if positive[phrase] >= least]
    return [Reason(ReasonKind.PHRASES, phrase.text, positive[phrase]) for phrase in phrases]


def close_to_liked(evidence: Evidence) -> list[Reason]:
    if not evidence.titles:
        return []
    return [Reason(ReasonKind.LIBRARY if all(map(is_library_paper, evidence.titles)) else ReasonKind.LIKES)]


_MAX_PHRASES = 2
# Shares for a similar liked paper: the weight outside other reasons, and the part in the paper and in its visible
# title. Lower shares often show papers on something else.
_BY_UNCOVERED = 0.25
_BY_PAPER = 0.4
_BY_TITLE = 0.25
_MIN_COMMON_TERMS = 3


def learned_phrases(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, covered: set[str]
) -> list[Reason]:
    """Return the heaviest whole phrases that votes support, without ``covered`` terms.

    Phrases that continue with a covered word are left out ("large language" of "large language models").
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
    kinds = {True: ReasonKind.LEARNED_FROM_LIBRARY, False: ReasonKind.LEARNED}
    return [
        Reason(kinds[evidence.votes.are_of_library(phrase.rare_terms)], phrase.text, supported[phrase])
        for phrase in whole_phrases(supported, covered, _MAX_PHRASES)
    ]


def similar_liked_paper(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, covered: set[str]
) -> list[Reason]:
    """Return the liked paper with most of the uncovered weight, if its title shows it."""
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
    # Most picks end here.
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


_MAX_PHRASES_BESIDE_TITLE = 3


def choose(
    paper: PaperText,
    score: Score,
    evidence: Evidence,
    close: Sequence[Topic] = (),
    alerted_by: Sequence[str] = (),
    *,
    cites: Sequence[Reason] = (),
    is_near: bool = True,
) -> tuple[Reason, ...]:
    """Return the reasons for one pick, the strongest first. No two name the same words.

    ``score`` has its terms, ``close`` are topics close in meaning. The order is: rules and ``cites``, written topics, a
    close topic, phrases that votes support, the most similar liked paper. Without any, the title's heaviest phrases.
    """
    keywords = [bonus.text for bonus in score.bonuses if bonus.kind is BonusKind.KEYWORD]
    reasons = [Reason(ReasonKind.ALERT, name) for name in alerted_by]
    if score.followed:
        reasons.append(Reason(ReasonKind.AUTHOR, score.followed))
    reasons += cites
    reasons += [Reason(ReasonKind.KEYWORD, keyword) for keyword in keywords if keyword not in alerted_by]

    terms = score.terms
    written, covered = written_topics(
        paper, terms, evidence, {name.casefold() for name in (*keywords, *alerted_by)}, is_near=is_near
    )
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
    return tuple(reasons or heaviest_phrases(paper, terms) or close_to_liked(evidence))


_PAPERS = {ReasonKind.LIKED, ReasonKind.OWNED}


def without_repetition(reasons: Sequence[tuple[Reason, ...]]) -> list[tuple[Reason, ...]]:
    """Return the reasons with each liked paper named once, unless it is the only reason."""
    stated: set[Reason] = set()
    result = []
    for pick_reasons in reasons:
        result.append(tuple([reason for reason in pick_reasons if reason not in stated]) or pick_reasons)
        stated |= {reason for reason in pick_reasons if reason.kind in _PAPERS}
    return result


# Of a phrase's weight, for each of its words.
_LEAST_OF_PHRASE = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """A phrase's contribution to the log-odds. Some terms count by absence."""

    text: str
    weight: float
    in_paper: bool = True


def breakdown(paper: PaperText, terms: Mapping[str, float]) -> list[Row]:
    """Return the contributions of ``terms`` by phrase, the heaviest first, with the same sum.

    A term counts in its heaviest phrase, or in a row of its own.
    """
    remaining = dict(terms)
    rows = []
    for phrase in sorted(paper.phrases, key=lambda p: (-abs(p.weight(terms)), -len(p.stems))):
        contributing = [term for term in phrase.terms if term in terms]
        # A phrase that shares a term with a heavier one isn't whole. "Postpone reward hacking" has a word that adds
        # nothing.
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
