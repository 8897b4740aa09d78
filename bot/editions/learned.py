"""What votes have taught: phrases of liked papers that raise a paper, and of disliked ones that lower it.

    voted papers --phrases--> supported by the votes, not the reader's own words
    recent and voted papers --explain--> contributions --> each phrase's mean weight, if its sign is the same in all

The letter, the preferences page and ``why`` therefore say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.model import LearnedPhrase, Paper, Reader, VotedPaper, is_library_paper
from bot.ranking.phrases import Phrase, whole_phrases
from bot.store import Store
from bot.text.tokens import tokens
from bot.text.topics import expanded

if TYPE_CHECKING:  # they take a tenth of the time of a run in which nothing is due
    from bot.editions.composer import EditionComposer
    from bot.editions.ranked import Ranked

# The mean contribution of a term is taken over this many of the newest papers: over the reader's own papers alone it
# would show what they voted on, not what moves their next editions.
_REFERENCE_PAPERS = 300
# Of the votes of each kind, the newest: their papers' phrases are read.
_VOTED_PAPERS = 100
# The most phrases that raise a paper, and the most that lower it; a convention.
_MAX_LEARNED = 12
# Of the heaviest phrase's weight; lighter ones are noise.
_MIN_SHARE_OF_HEAVIEST = 0.01
_MAX_EXAMPLES = 2


@dataclass(frozen=True, slots=True)
class LearnedPhrases:
    """The phrases that raise a paper and those that lower it, the heaviest first."""

    likes: Sequence[LearnedPhrase] = ()
    dislikes: Sequence[LearnedPhrase] = ()


def learned(
    store: Store, composer: EditionComposer, reader: Reader, profile: Profile, *, now: datetime
) -> LearnedPhrases:
    """Return the phrases of voted papers with the largest mean contribution to the scores of recent papers."""
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_REFERENCE_PAPERS)]
    voted = [*store.feedback.current(reader.id)][-_VOTED_PAPERS:]
    ranked = composer.ranked(reader, profile, list(dict.fromkeys([*recent, *voted])), now)
    if ranked is None:
        return LearnedPhrases()
    contributions = [score.terms for score in ranked.ranking.explained(ranked.scores)]
    written = frozenset(_stems(" . ".join([profile.interests, *profile.keywords])))
    sides = [_Side(ranked, contributions, written, sign) for sign in (1, -1)]
    heaviest = max((weight for side in sides for weight in side.weights.values()), default=1.0)
    likes, dislikes = (tuple(side.phrases(heaviest)) for side in sides)
    return LearnedPhrases(likes, dislikes)


def _stems(text: str) -> Iterator[str]:
    stems = [token.stem for token in tokens(text)]
    yield from stems
    yield from expanded(stems)


class _Side:
    """The phrases of liked papers (``sign`` 1) or disliked ones (-1), with the size of each one's mean contribution."""

    def __init__(
        self, ranked: Ranked, contributions: Sequence[Mapping[str, float]], written: frozenset[str], sign: int
    ) -> None:
        self._sign = sign
        papers = ranked.reader.up if sign > 0 else ranked.reader.down
        # The newest vote first; papers of a library come after those that were voted on.
        self._papers: list[Paper | VotedPaper] = sorted(
            list(papers)[-_VOTED_PAPERS:],
            key=lambda paper: (is_library_paper(paper.id), ranked.reader.ages.get(paper.id, 0.0)),
        )
        texts = [ranked.text(paper) for paper in self._papers]
        self._stems = [{phrase.stems for phrase in text.phrases} for text in texts]
        times = Counter(stems for of_paper in self._stems for stems in of_paper)
        # What one abstract has in passing is no topic of its paper.
        phrases = {
            phrase.stems: phrase
            for text in texts
            for phrase in text.learnable_phrases
            if phrase.is_whole and (phrase.in_title or times[phrase.stems] > 1)
        }
        means: Counter[str] = Counter()
        for terms in contributions:
            means.update(terms)
        excluded = ranked.evidence.excluded
        self.weights = {
            phrase: sign * phrase.weight(means) / len(contributions)
            for phrase in phrases.values()
            if 2 * len(phrase.topical_stems & written) <= len(phrase.topical_stems)
            and excluded.isdisjoint(phrase.rare_terms)
            and ranked.evidence.votes.supports(phrase.rare_terms, liked=sign > 0)
            and self._has_one_sign(phrase, contributions)
        }

    def _has_one_sign(self, phrase: Phrase, contributions: Sequence[Mapping[str, float]]) -> bool:
        weights = [phrase.weight(terms) for terms in contributions if all(stem in terms for stem in phrase.stems)]
        return bool(weights) and all(self._sign * weight > 0 for weight in weights)

    def phrases(self, heaviest: float) -> Iterator[LearnedPhrase]:
        """Yield the heaviest phrases, none of which repeats another, each with papers that taught it."""
        candidates = {
            phrase: weight for phrase, weight in self.weights.items() if weight > heaviest * _MIN_SHARE_OF_HEAVIEST
        }
        for phrase in whole_phrases(candidates, (), _MAX_LEARNED):
            weight = candidates[phrase]
            taught_by = [p for p, stems in zip(self._papers, self._stems, strict=True) if phrase.stems in stems]
            own = [paper for paper in taught_by if not is_library_paper(paper.id)]
            titles = tuple(paper.title for paper in (own or taught_by)[:_MAX_EXAMPLES])
            yield LearnedPhrase(phrase.text, self._sign * weight, weight / heaviest, titles, is_from_library=not own)
