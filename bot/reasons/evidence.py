"""What a reader wrote and voted, as far as reasons refer to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

from bot.domain import PaperId, is_library_paper
from bot.terms import Topic, stem_terms, topical_terms

# From this many liked papers on, one of them that has a term may be chance.
_MANY_LIKED = 5
# For two topics to be named together: liked papers on both, disliked ones on the first alone, and how many times as
# often liked papers on the first are on both as on it alone.
_TOGETHER = 3
_TIMES_AS_OFTEN = 3
# Of the beginning of a liked paper's title, which is all that the reader sees of it.
_VISIBLE_TITLE = 80  # characters


class VotedPapers(Protocol):
    """The terms of the papers that a reader voted on; ``bot.ranking`` has them as a matrix."""

    @property
    def liked(self) -> int:
        """The number of liked papers."""
        ...

    @property
    def disliked(self) -> int:
        """The number of disliked papers."""
        ...

    def papers_with(self, *terms: str) -> tuple[int, int]:
        """Return how many liked and how many disliked papers have all of these stems and bigrams."""
        ...

    def most_overlapping(
        self, weights: Mapping[str, float], least: float
    ) -> Sequence[tuple[PaperId, float, int]]:
        """Return liked papers with a share of ``least`` of these weights, which are positive; best first.

        Each comes with its share, and how many of the terms it has.
        """
        ...


class Evidence:
    """One reader's topics and votes; computed once for all of the reader's picks."""

    def __init__(
        self,
        topics: Iterable[Topic],
        votes: VotedPapers,
        titles: Mapping[PaperId, str] | None = None,
        ignored: Iterable[str] = (),
    ) -> None:
        """``titles`` are those of the liked papers; ``ignored`` are phrases that the reader excluded from ranking."""
        self.votes = votes
        self.titles = titles or {}
        # Asked for each pick, and the same for all of them.
        self._together: dict[tuple[Topic, Topic], bool] = {}
        self.excluded = frozenset(term for phrase in ignored for term in topical_terms(phrase))
        self.topics = [topic for topic in topics if not self.excluded.issuperset(topical_terms(topic.text))]

    @cached_property
    def visible_in(self) -> Mapping[str, Sequence[PaperId]]:
        """By each stem and bigram, the liked papers with it in the part of their title that readers see."""
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
        """Return whether a paper with a vote has one of these terms."""
        return any(any(self.votes.papers_with(term)) for term in terms)


# Many readers like the same papers.
@lru_cache(maxsize=20_000)
def _visible_terms(title: str) -> frozenset[str]:
    """Return the terms in the part of a title that readers see."""
    return frozenset(stem_terms(title[:_VISIBLE_TITLE]))
