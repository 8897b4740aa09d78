"""What was learned about a reader, as phrases: what raises a paper, and what lowers it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.config.profiles import Profile
from bot.domain import Reader
from bot.editions.composer import EditionComposer
from bot.editions.ranked import Ranked
from bot.reasons import Phrase, whole_phrases
from bot.store import Store
from bot.terms import names_topic

# The mean contribution of a term is taken over this many of the newest papers: over the reader's own papers it would
# show what they voted on, not what moves their next editions.
_REFERENCE_PAPERS = 300
# The most phrases that raise a paper, and the most that lower it; a convention.
_MAX_PHRASES = 12
# Of the heaviest term's weight; lighter terms are noise: in the sample home the heaviest term against a paper has .0007
# of it without votes, and after twelve votes down "agent" .011, the next one .002.
_MIN_SHARE = 0.01
# Terms for which the papers are searched for phrases: more than are shown, as several may be of one phrase.
_TERMS_PER_PHRASE = 4


@dataclass(frozen=True, slots=True)
class LearnedPhrase:
    """A phrase's weight in what was learned; ``share`` is its size relative to the heaviest phrase's, 0 to 1."""

    text: str
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class LearnedPhrases:
    """The phrases that raise a paper and those that lower it, the heaviest first."""

    likes: Sequence[LearnedPhrase]
    dislikes: Sequence[LearnedPhrase]


def learned(
    store: Store,
    composer: EditionComposer,
    reader: Reader,
    profile: Profile,
    *,
    now: datetime,
) -> LearnedPhrases:
    """Return the phrases with the largest mean contribution to the scores of recent papers, a few a side."""
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_REFERENCE_PAPERS)]
    ranked = composer.ranked(reader, profile, recent, now)
    if ranked is None:
        return LearnedPhrases([], [])
    means = ranked.ranking.mean_contributions()
    topical = {term: weight for term, weight in means.items() if names_topic(term.split())}
    least = _MIN_SHARE * max(map(abs, topical.values()), default=0.0)
    likes = {term: weight for term, weight in topical.items() if weight > least}
    dislikes = {term: -weight for term, weight in topical.items() if -weight > least}
    liked = _phrases(ranked, likes)
    disliked = _phrases(ranked, dislikes)
    heaviest = max([*liked.values(), *disliked.values()], default=1.0)
    return LearnedPhrases(
        likes=[LearnedPhrase(text, weight, weight / heaviest) for text, weight in liked.items()],
        dislikes=[LearnedPhrase(text, -weight, weight / heaviest) for text, weight in disliked.items()],
    )


def _phrases(ranked: Ranked, weights: Mapping[str, float]) -> dict[str, float]:
    """Return whole phrases of the ranked papers that consist of these terms, with the sum of their terms' weights.

    All weights are positive. For each of the heaviest terms a few papers that have it are searched for phrases.
    """
    heaviest = sorted(weights, key=lambda term: -weights[term])[: _MAX_PHRASES * _TERMS_PER_PHRASE]
    texts = [
        ranked.explainer.text(ranked.papers[paper_id]) for paper_id in ranked.ranking.papers_with(heaviest)
    ]
    phrases = {phrase.stems: phrase for text in texts for phrase in text.phrases if phrase.bigrams}
    for term in heaviest:
        words = Counter(word for text in texts if (word := text.spelled(term)))
        if words:
            # In lower case if a paper has that: "mathematics" rather than "MATH".
            commonest = max(words, key=lambda word: (word.islower(), words[word]))
            phrases[term,] = Phrase(commonest, (term,))
    candidates = {
        phrase: phrase.weight(weights)
        for phrase in phrases.values()
        if phrase.is_whole
        and not phrase.is_adjective
        and all(term in weights for term in phrase.bigrams or phrase.stems)
    }
    return {phrase.text: candidates[phrase] for phrase in whole_phrases(candidates, (), _MAX_PHRASES)}
