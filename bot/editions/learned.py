"""What votes have taught: phrases of liked papers that raise a paper, and of disliked ones that lower it.

    voted papers --phrases--> supported by the votes, not the reader's own words
    recent and voted papers --explain--> contributions --> each phrase's mean weight, if its sign is the same in all

The letter, the preferences page and ``why`` therefore say the same. ``bot.editions.taste`` compares two periods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.model import LearnedPhrase, Paper, Reader, VotedPaper, is_library_paper
from bot.ranking.phrases import PaperText, Phrase, whole_phrases
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
    lessons = lessons_of(store, composer, reader, profile, now=now)
    if lessons is None:
        return LearnedPhrases()
    sides = [_Side(lessons, sign) for sign in (1, -1)]
    heaviest = max((weight for side in sides for weight in side.weights.values()), default=1.0)
    likes, dislikes = (tuple(side.phrases(heaviest)) for side in sides)
    return LearnedPhrases(likes, dislikes)


def lessons_of(
    store: Store, composer: EditionComposer, reader: Reader, profile: Profile, *, now: datetime
) -> Lessons | None:
    """Return what each term adds to the scores of recent and voted papers; None where nothing is ranked."""
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_REFERENCE_PAPERS)]
    voted = [*store.feedback.current(reader.id)][-_VOTED_PAPERS:]
    ranked = composer.ranked(reader, profile, list(dict.fromkeys([*recent, *voted])), now)
    if ranked is None:
        return None
    written = frozenset(_stems(" . ".join([profile.interests_at(now), *profile.keywords])))
    return Lessons(ranked, [score.terms for score in ranked.ranking.explained(ranked.scores)], written)


def _stems(text: str) -> Iterator[str]:
    stems = [token.stem for token in tokens(text)]
    yield from stems
    yield from expanded(stems)


@dataclass(frozen=True, slots=True)
class Lessons:
    """Recent and voted papers as ranked, each one's contributions by term, and the stems of the reader's own words."""

    ranked: Ranked
    contributions: Sequence[Mapping[str, float]]
    written: frozenset[str]

    def learnable(self, texts: Sequence[PaperText]) -> list[Phrase]:
        """Return the phrases that these texts may teach: topics of theirs, neither the reader's own nor excluded."""
        times = Counter(stems for text in texts for stems in {phrase.stems for phrase in text.phrases})
        # What one abstract has in passing is no topic of its paper.
        phrases = {
            phrase.stems: phrase
            for text in texts
            for phrase in text.learnable_phrases
            if phrase.is_whole and (phrase.in_title or times[phrase.stems] > 1)
        }
        excluded = self.ranked.evidence.excluded
        return [
            phrase
            for phrase in phrases.values()
            if 2 * len(phrase.topical_stems & self.written) <= len(phrase.topical_stems)
            and excluded.isdisjoint(phrase.rare_terms)
        ]

    def weights(self, phrases: Iterable[Phrase], sign: int) -> dict[Phrase, float]:
        """Return those that raise papers (``sign`` 1) or lower them (-1), with the size of the mean contribution."""
        means: Counter[str] = Counter()
        for terms in self.contributions:
            means.update(terms)
        return {
            phrase: sign * phrase.weight(means) / len(self.contributions)
            for phrase in phrases
            if self.ranked.evidence.votes.supports(phrase.rare_terms, liked=sign > 0)
            and self._has_one_sign(phrase, sign)
        }

    def _has_one_sign(self, phrase: Phrase, sign: int) -> bool:
        having = [terms for terms in self.contributions if all(stem in terms for stem in phrase.stems)]
        return bool(having) and all(sign * phrase.weight(terms) > 0 for terms in having)


class _Side:
    """The phrases of liked papers (``sign`` 1) or disliked ones (-1), with the size of each one's mean contribution."""

    def __init__(self, lessons: Lessons, sign: int) -> None:
        self._sign = sign
        ranked = lessons.ranked
        papers = ranked.reader.up if sign > 0 else ranked.reader.down
        # The newest vote first; papers of a library come after those that were voted on.
        self._papers: list[Paper | VotedPaper] = sorted(
            list(papers)[-_VOTED_PAPERS:],
            key=lambda paper: (is_library_paper(paper.id), ranked.reader.ages.get(paper.id, 0.0)),
        )
        texts = [ranked.text(paper) for paper in self._papers]
        self._stems = [{phrase.stems for phrase in text.phrases} for text in texts]
        self.weights = lessons.weights(lessons.learnable(texts), sign)

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
