"""The ranker over the corpus as it was fitted last; a corpus that was fitted again replaces it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.editions.corpus_cache import CorpusCache, Stamp
    from bot.ranking import Ranker


class CurrentRanker:
    """Makes the ranker at its first use, and again after ``refresh`` if the corpus has changed."""

    def __init__(self, corpora: Callable[[], CorpusCache]) -> None:
        """``corpora`` is called only when there is a ranker to make or to check: it opens the store."""
        self._corpora = corpora
        self._ranker: Ranker | None = None
        self._stamp: Stamp | None = None

    def get(self) -> Ranker:
        """Return the ranker, made first if necessary."""
        if self._ranker is None:
            from bot.ranking import Ranker

            self._ranker = Ranker(self._corpora().corpus())
            # The stamp is read after the corpus, as reading may have fitted it.
            self._stamp = self._corpora().stamp
        return self._ranker

    def refresh(self) -> None:
        """Drop the ranker if its corpus was fitted again, by this process or another."""
        if self._ranker and self._stamp != self._corpora().stamp:
            self._ranker = None
