"""What a reader wrote and voted, as far as reasons may name it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from bot.terms import Expansions, Topic, common_expansions, profile_topics, stem_terms


@dataclass(frozen=True, slots=True)
class JudgedPaper:
    """A paper with a vote: its readable title, and its stems and bigrams as ``stem_terms`` gives them."""

    title: str
    terms: frozenset[str]
    liked: bool

    @classmethod
    def read(cls, title: str, abstract: str, *, liked: bool) -> JudgedPaper:
        """The paper with its terms taken from its text; a ranker that has them already gives them itself."""
        return cls(title, frozenset(stem_terms(f"{title}\n{abstract}")), liked)


class Evidence:
    """One reader's topics and votes. Made once for all of the reader's picks."""

    def __init__(
        self,
        profile: str = "",
        judged: Sequence[JudgedPaper] = (),
        *,
        expansions: Expansions | None = None,
        ignored: Iterable[str] = (),
    ) -> None:
        """``judged`` in the order of the votes; ``ignored`` are words that the reader took out of what was learned."""
        self.expansions = common_expansions() if expansions is None else expansions
        removed = {term for word in ignored for term in stem_terms(word)}
        self.topics: tuple[Topic, ...] = tuple(
            topic for topic in profile_topics(profile, self.expansions) if not removed & set(topic.terms)
        )
        self.liked: list[JudgedPaper] = [paper for paper in reversed(judged) if paper.liked]  # newest first
        self.ignored = removed
        self.judged_with: Counter[str] = Counter(term for paper in judged for term in paper.terms)
        self._liked_with: Counter[str] = Counter(term for paper in self.liked for term in paper.terms)
        self._disliked = [paper for paper in judged if not paper.liked]

    def speaks_for(self, terms: Iterable[str]) -> bool:
        """Whether votes bear a phrase out: each of its terms is in two liked papers, and in relatively fewer disliked.

        With fewer than five liked papers one is enough.
        """
        return all(
            self._bear_out(self._liked_with[term], self.judged_with[term] - self._liked_with[term])
            for term in terms
        )

    def speaks_for_all(self, terms: Collection[str]) -> bool:
        """The same of terms that stand in a paper together."""
        liked, disliked = (
            sum(all(term in paper.terms for term in terms) for paper in papers)
            for papers in (self.liked, self._disliked)
        )
        return self._bear_out(liked, disliked)

    def _bear_out(self, liked: int, disliked: int) -> bool:
        least = 1 if len(self.liked) < 5 else 2
        return liked >= least and liked * max(len(self._disliked), 1) > disliked * len(self.liked)
