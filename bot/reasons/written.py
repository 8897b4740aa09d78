"""Reasons from the profile: topics that the reader wrote, or what lies next to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet

from bot.domain import Reason, ReasonKind
from bot.reasons.evidence import Evidence
from bot.reasons.paper_text import PaperText
from bot.terms import expanded, is_general

_MAX_TOPICS = 3
_MAX_WORDS_BESIDE_ONE = 2  # of a topic to which a single word may be close


def written_topics(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, rules: Collection[str]
) -> tuple[list[Reason], set[str]]:
    """Return the reader's topics that the paper mentions, the heaviest first, and the terms that they cover.

    Topics that ``rules`` name already, in lower case, are omitted, and so is a topic that is part of another. What the
    paper names once in passing is said to be mentioned, and only where it weighs more than what the paper is on.
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
    return [
        Reason(kind, paper.named(topic), mentioned[topic]) for kind, topic in named[:_MAX_TOPICS]
    ], covered


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
