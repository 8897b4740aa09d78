"""The papers that a batch of readers is ranked over: made vectors of once, whoever asks."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from bot.domain import Paper, PaperId
from bot.ranking.corpus import Corpus
from bot.ranking.experts import Papers
from bot.ranking.rules import Rules, Verdict, stemmed_phrases
from bot.ranking.vectors import directions, unit
from bot.terms import tokens


class Pool:
    """Papers by row. What is asked for twice is kept: likenesses, and what each set of rules says."""

    def __init__(self, corpus: Corpus, papers: Sequence[Paper]) -> None:
        self.papers = papers
        self.ids = np.array([paper.id for paper in papers], dtype=np.int64)
        self.row = {paper.id: row for row, paper in enumerate(papers)}
        self.seen = Papers.of(corpus, [document(paper) for paper in papers])
        self.vectors = self.seen.vectors
        self.corpus = corpus
        self._alike: dict[int, array[float]] = {}  # by a paper's row its cosines with all
        self._verdicts: dict[Rules, list[Verdict]] = {}

    @cached_property
    def unit(self) -> sp.csr_matrix:
        """(n_papers, n_terms): the papers' own words, rows of length 1."""
        return unit(self.vectors.own)

    @cached_property
    def _topics(self) -> np.ndarray:
        return directions(self.vectors.own, self.corpus.components_)

    def spellings(self, row: int | None = None) -> dict[str, str]:
        """Every term of a paper, or of all, as people write it: in lower case unless it is a name or an acronym.

        Of several spellings the shortest common one: "reward model" where "reward models" is more frequent.
        """
        papers = self.papers if row is None else [self.papers[row]]
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for paper in papers:
            previous = None
            for token in tokens(document(paper)):
                # A capital after the first letter marks a name or an acronym (LoRA, KL); one capital may be a title's.
                is_name = any(map(str.isupper, token.spelling[1:]))
                spelling = token.spelling if is_name else token.spelling.lower()
                counts[token.stem][spelling] += 1
                if previous and previous[0].phrase == token.phrase:
                    counts[f"{previous[0].stem} {token.stem}"][f"{previous[1]} {spelling}"] += 1
                previous = token, spelling
        return {
            term: min((s for s, n in forms.items() if 3 * n >= max(forms.values())), key=len)
            for term, forms in counts.items()
        }

    def likeness(self, one: int, other: int) -> float:
        """How alike two papers are, 0 to 1: the mean of the cosines of their words and of their topics.

        By words alone, two papers of one topic are hardly alike; by topics alone, no two are the same news.
        """
        if other in self._alike:
            one, other = other, one
        elif one not in self._alike:
            self._alike[one] = array("f", self._alike_to(one).tobytes())
        return self._alike[one][other]

    def _alike_to(self, row: int) -> np.ndarray:
        words = (self.unit @ self.unit[row].T).toarray().ravel().astype(np.float32)
        if not self._topics.any():  # too few papers for topics
            return np.asarray(words)
        topics = np.maximum(self._topics @ self._topics[row], 0).astype(np.float32)
        return np.asarray((words + topics) / 2)

    def verdicts(self, rules: Rules) -> list[Verdict]:
        """What the rules say of each paper."""
        if rules not in self._verdicts:
            self._verdicts[rules] = [rules.verdict(paper) for paper in self.papers]
        return self._verdicts[rules]

    def meeting(self, rules: Rules, papers: Sequence[Paper]) -> list[Paper]:
        """Those of these papers that the rules allow to be ranked."""
        if not rules.require:
            return list(papers)
        return [paper for paper in papers if rules.meets(self._stemmed[self.row[paper.id]])]

    @cached_property
    def _stemmed(self) -> list[str]:
        return [stemmed_phrases(document(paper)) for paper in self.papers]

    def nearest(
        self, rows: Sequence[int], others: sp.csr_matrix, ids: Sequence[PaperId]
    ) -> tuple[np.ndarray, np.ndarray]:
        """For each of these rows the most alike of ``others`` (unit rows, at least one), and its cosine.

        ``ids`` are the papers of ``others``: no paper is alike to itself, its cosine is 0.
        """
        alike = (self.unit[list(rows)] @ others.T).toarray()
        alike[self.ids[list(rows)][:, None] == np.asarray(ids)] = 0
        best = alike.argmax(axis=1)
        return best, alike[np.arange(len(best)), best]


def document(paper: Paper) -> str:
    """The text that stands for a paper."""
    return f"{paper.title}\n{paper.abstract}"
