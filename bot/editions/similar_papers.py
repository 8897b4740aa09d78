"""The stored papers most similar to one: full-text search proposes them, the ranking's similarity orders them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.domain import Paper
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking import Ranker

# Papers that share a distinctive word are found in the whole store by its index; comparing all papers would read a
# year of abstracts for each page.
_CANDIDATES = 60
_WORDS = 8
# Below it two papers share words and no topic.
_LOWEST = 0.1


def similar_papers(store: Store, ranker: Ranker, paper: Paper, limit: int) -> list[Paper]:
    """Return up to ``limit`` stored papers, the most similar first."""
    words = ranker.distinctive_words(paper.text, _WORDS)
    others = [other for other in store.search.with_any(words, _CANDIDATES) if other.id != paper.id]
    similarities = ranker.similarities(paper, others)
    ordered = sorted(zip(similarities, others, strict=True), key=lambda pair: -pair[0])
    return [other for similarity, other in ordered[:limit] if similarity >= _LOWEST]
