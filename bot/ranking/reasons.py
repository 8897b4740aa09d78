"""Why a paper was picked, as a person would say it.

    profile and votes --> Evidence                         once per reader
    title and abstract --> PaperText                       once per paper, for all readers
    Score, PaperText, Evidence --choose--> Reasons         once per pick
    Reasons of an edition's picks --without_repetition-->   once per edition
    Score, PaperText --breakdown--> rows of phrases  for ``why``: their weights sum to the score

Only phrases that the reader wrote, or that papers with votes have, are named; general academic vocabulary never is.
``bot.channels.phrases`` words the reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

from bot.model import BonusKind, PaperId, PickKind, Reason, ReasonKind, Score, is_library_paper
from bot.ranking.phrases import PaperText, whole_phrases
from bot.text.tokens import stem_terms
from bot.text.topics import Topic, expanded
from bot.text.vocabulary import is_general, topical_terms

if TYPE_CHECKING:
    from bot.ranking.ranking import VotedTerms

# From this many liked papers on, one of them that has a term may be chance.
_MANY_LIKED = 5
# For two topics to be named together: the fewest liked papers on both, and disliked ones on the first alone; the ratio
# of liked papers on both to those on the first alone.
_TOGETHER = 3
_TIMES_AS_OFTEN = 3
# Of the beginning of a liked paper's title, which is all that the reader sees of it.
_VISIBLE_TITLE = 80  # characters


class Evidence:
    """One reader's topics and votes; computed once for all of the reader's picks."""

    def __init__(
        self,
        topics: Iterable[Topic],
        votes: VotedTerms,
        titles: Mapping[PaperId, str] | None = None,
        ignored: Iterable[str] = (),
    ) -> None:
        """``titles`` are those of the liked papers; ``ignored`` are phrases that the reader excluded from ranking."""
        self.votes = votes
        self.titles = titles or {}
        # A cache for all picks.
        self._together: dict[tuple[Topic, Topic], bool] = {}
        self.excluded = frozenset(term for phrase in ignored for term in topical_terms(phrase))
        self.topics = [topic for topic in topics if not self.excluded.issuperset(topical_terms(topic.text))]

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

    def supports(self, terms: Iterable[str]) -> bool:
        """Return whether votes support each term: it is in two liked papers, and in relatively fewer disliked ones.

        With fewer than five liked papers one is enough.
        """
        votes = self.votes
        required = 1 if votes.liked < _MANY_LIKED else 2
        for term in terms:
            liked, disliked = votes.papers_with(term)
            if liked < required or liked * max(votes.disliked, 1) <= disliked * votes.liked:
                return False
        return True

    def supports_together(self, topic: Topic, beside: Topic) -> bool:
        """Return whether the reader likes papers on both topics, and rarely those on ``topic`` alone.

        "Reinforcement learning" with "language models": what a linear model can't say, and trees do.
        """
        if (topic, beside) not in self._together:
            liked, disliked = self.votes.papers_with(*topic.terms)
            liked_both, disliked_both = self.votes.papers_with(*topic.terms, *beside.terms)
            liked_alone = liked - liked_both
            disliked_alone = disliked - disliked_both
            self._together[topic, beside] = (
                min(liked_both, disliked_alone) >= _TOGETHER
                and liked_both > max(disliked_both, _TIMES_AS_OFTEN * liked_alone)
                and disliked_alone > liked_alone
            )
        return self._together[topic, beside]

    def is_judged(self, terms: Iterable[str]) -> bool:
        """Return whether a paper that was voted on has one of these terms."""
        return any(any(self.votes.papers_with(term)) for term in terms)


@lru_cache(maxsize=20_000)  # many readers like the same papers
def _visible_terms(title: str) -> frozenset[str]:
    return frozenset(stem_terms(title[:_VISIBLE_TITLE]))


_MAX_TOPICS = 3
_MAX_WORDS_BESIDE_ONE = 2  # of a topic to which a single word may be close


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


def nearest_topic(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, covered: AbstractSet[str] = frozenset()
) -> tuple[list[Reason], set[str]]:
    """Return the heaviest phrase that has a word in common with a topic of the reader, and the terms it covers.

    Beside ``covered`` terms only a phrase of the title will do, one that repeats none of them.
    """
    near = [
        (phrase.weight(terms), phrase, topic)
        for topic in evidence.topics
        if (topical := {stem for stem in topic.stems if not is_general(stem)} & paper.counts.keys())
        for phrase in paper.whole_phrases
        if not phrase.is_adjective
        and not topical.isdisjoint(phrase.topical_stems)
        # Not mentioned, as the paper does without it.
        and expanded(phrase.stems) != topic.stems
        # "Vision" is not close to "vision-language-action models", nor "a reason" to "reasoning".
        and (phrase.bigrams or 1 < len(topic.stems) <= _MAX_WORDS_BESIDE_ONE)
        and not (covered and (not phrase.in_title or phrase.overlaps(covered)))
    ]
    weight, phrase, topic = max(near, key=lambda candidate: candidate[0], default=(-1.0, None, None))
    if phrase is None or topic is None or weight < 0:
        return [], set()
    kind = ReasonKind.NEAR if paper.is_on(phrase) else ReasonKind.NEAR_MENTIONED
    return [Reason(kind, phrase.text, weight, paper.named(topic))], {*phrase.topical_stems, *phrase.terms}


_MAX_PHRASES = 2
# Of all positive weight, for a phrase to be named.
_MIN_SHARE = 0.05
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
    least = _MIN_SHARE * sum([weight for weight in terms.values() if weight > 0])
    supported = {
        phrase: weight
        for phrase in paper.learnable_phrases
        if (weight := phrase.weight(terms)) > least
        and (phrase.is_whole or covered.isdisjoint(paper.stems_after.get(phrase.stems, ())))
        and evidence.excluded.isdisjoint(phrase.rare_terms)
        and evidence.supports(phrase.rare_terms)
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
    for liked, _, common in evidence.votes.most_overlapping(uncovered, _BY_PAPER):
        title = evidence.titles[liked]
        is_itself = title.casefold() == paper.title.casefold()
        if common >= _MIN_COMMON_TERMS and visible[liked] >= _BY_TITLE * total and not is_itself:
            if is_library_paper(liked):
                return [Reason(ReasonKind.OWNED, title)]
            return [Reason(ReasonKind.LIKED, title, paper=liked)]
    return []


def liked_together(paper: PaperText, written: Collection[Reason], evidence: Evidence) -> list[Reason]:
    """Return one pair of the topics in ``written``, where votes support the second beside the first."""
    names = {reason.text for reason in written if reason.kind is ReasonKind.WROTE}
    if len(names) < 2:
        return []
    mentioned = [topic for topic in evidence.topics if paper.named(topic) in names]
    for topic, beside in permutations(mentioned, 2):
        # "Models" of "reward models" is part of it and not beside it.
        if set(topic.stems).isdisjoint(beside.stems) and evidence.supports_together(topic, beside):
            return [Reason(ReasonKind.TOGETHER, paper.named(topic), near=paper.named(beside))]
    return []


# Whole fields, which say nothing new about a paper: "artificial intelligence", "machine learning", "deep learning".
_FIELDS = {("artifici", "intellig"), ("machin", "learn"), ("deep", "learn")}


def unjudged_phrase(paper: PaperText, written: Sequence[Reason], evidence: Evidence) -> list[Reason]:
    """Return the most repeated phrase of the paper that no judged paper has, one of the title if possible.

    ``written`` are the reasons from the profile: the phrase is said to be close to the first of them.
    """
    # Of the end of a familiar phrase ("model agents" of "language model agents"), the stems before it are familiar.
    familiar = {stem for topic in evidence.topics for stem in topic.stems} | paper.own_name
    repeated = {
        phrase: times
        for phrase, times in paper.explorable_phrases.items()
        if times > 1
        and phrase.stems not in _FIELDS
        and familiar.isdisjoint(phrase.topical_stems)
        and familiar.isdisjoint(paper.stems_before.get(phrase.stems, ()))
        and not evidence.is_judged(phrase.rare_terms)
    }
    if not repeated:
        return []
    phrase = max(repeated, key=lambda p: (p.in_title, len(p.stems) > 1, repeated[p]))
    close_to = (written[0].near or written[0].text) if written else ""
    return [Reason(ReasonKind.EXPLORATION, phrase.text, near=close_to)]


# Beside more topics and learned phrases a liked paper's title is too much to read.
_MAX_PHRASES_BESIDE_TITLE = 3
# A topic with a smaller share of all positive weight is not the whole reason.
_WHOLE_REASON = 0.5
_WRITTEN = (ReasonKind.WROTE, ReasonKind.MENTIONED)


def choose(
    paper: PaperText, score: Score, evidence: Evidence, kind: PickKind = PickKind.MATCH, alerted_by: Sequence[str] = ()
) -> tuple[Reason, ...]:
    """Return the reasons for one pick, the strongest claim first; never empty.

    ``score`` has its terms. In order: the profile's rules that the paper meets; topics that the reader wrote and the
    paper mentions, unless the model counts them against it; two of them that votes support together; phrases that
    votes support; where that is one topic, what the title has of another; the most similar liked paper. No two reasons
    name the same words.
    """
    keywords = [bonus.text for bonus in score.bonuses if bonus.kind is BonusKind.KEYWORD]
    rules = [Reason(ReasonKind.ALERT, name) for name in alerted_by]
    if score.followed:
        rules.append(Reason(ReasonKind.AUTHOR, score.followed))
    rules += [Reason(ReasonKind.KEYWORD, keyword) for keyword in keywords if keyword not in alerted_by]

    terms = score.terms
    written, covered = written_topics(paper, terms, evidence, {name.casefold() for name in (*keywords, *alerted_by)})
    if not written:
        written, covered = nearest_topic(paper, terms, evidence)
    if kind is PickKind.EXPLORE:
        return (*rules, *(unjudged_phrase(paper, written, evidence) or written or [_overall(evidence)]))
    pairs = liked_together(paper, written, evidence)
    paired = {name for reason in pairs for name in (reason.text, reason.near)}
    written = [reason for reason in written if reason.text not in paired]
    reasons = [*rules, *written, *pairs, *learned_phrases(paper, terms, evidence, covered)]
    if len(reasons) == 1 and reasons[0].kind in _WRITTEN:
        # "Language models" alone is true of half the papers: what the title has of another topic says more.
        reasons += nearest_topic(paper, terms, evidence, covered)[0]
    if len(reasons) <= _MAX_PHRASES_BESIDE_TITLE:
        reasons += similar_liked_paper(paper, terms, evidence, covered)
    if len(reasons) == 1 and reasons[0].kind in _WRITTEN and evidence.votes.liked:
        # Most of what speaks for the paper was learned from votes.
        positive = sum([weight for weight in terms.values() if weight > 0])
        reasons += [_overall(evidence)] if reasons[0].weight < _WHOLE_REASON * positive else []
    reasons += [
        Reason(ReasonKind.TRENDING, bonus.text, bonus.weight)
        for bonus in score.bonuses
        if bonus.kind is BonusKind.TRENDING
    ]
    return tuple(reasons or [_overall(evidence)])


def _overall(evidence: Evidence) -> Reason:
    """Return the reason for a paper of which no phrase can be named."""
    if evidence.is_library_alone:
        return Reason(ReasonKind.LIBRARY_OVERALL)
    return Reason(ReasonKind.VOTES_OVERALL if evidence.votes.liked else ReasonKind.PROFILE_OVERALL)


# The kinds that name a paper, and what replaces them where they are the only reason.
_OVERALL = {ReasonKind.LIKED: ReasonKind.VOTES_OVERALL, ReasonKind.OWNED: ReasonKind.LIBRARY_OVERALL}


def without_repetition(reasons: Sequence[tuple[Reason, ...]]) -> list[tuple[Reason, ...]]:
    """Return the reasons for an edition's picks, each liked paper and each pair of topics named at the first of them.

    Later picks keep their other reasons, or get an overall one; a pair becomes its two topics.
    """
    stated: set[Reason] = set()
    result = []
    for pick_reasons in reasons:
        unrepeated: list[Reason] = []
        for reason in pick_reasons:
            if reason not in stated:
                unrepeated.append(reason)
            elif reason.kind is ReasonKind.TOGETHER:
                unrepeated += [Reason(ReasonKind.WROTE, text) for text in (reason.text, reason.near)]
            elif len(pick_reasons) == 1:
                unrepeated.append(Reason(_OVERALL[reason.kind]))
        stated |= {r for r in pick_reasons if r.kind in _OVERALL or r.kind is ReasonKind.TOGETHER}
        result.append(tuple(unrepeated))
    return result


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
        # A phrase that has a term in common with a heavier one is not whole any more.
        if contributing and all(term in remaining for term in contributing):
            rows.append(Row(phrase.text, sum([remaining.pop(term) for term in contributing])))
    for term, weight in remaining.items():
        words = [paper.spelled(stem) for stem in term.split()]
        in_paper = None not in words
        rows.append(
            Row(" ".join(word or stem for word, stem in zip(words, term.split(), strict=True)), weight, in_paper)
        )
    return sorted(rows, key=lambda row: -abs(row.weight))
