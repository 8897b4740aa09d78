"""Group papers by meaning, and name each group by a phrase of its best paper that sets it apart.

The mean of the vectors is the reader's common topic, so it is subtracted. See ``docs/decisions/editions.md``.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from sklearn.cluster import AgglomerativeClustering

from bot.model import PaperId
from bot.ranking.phrases import PaperText, Phrase
from bot.ranking.scoring import Pool
from bot.text.topics import expanded

# Mean cosine for joining two groups.
_CLOSENESS = 0.1
_FEW_PAPERS = 4
_LEAST_PAPERS = 2
# Two of many papers make no topic.
_MANY_PAPERS, _LEAST_OF_MANY = 20, 3
# A longer phrase replaces its part if nearly as many papers have it.
_NEARLY_ALL = 0.75
# Factors of a phrase's weight: extra count in a title, and a single word.
_IN_TITLE = 1.0
_SINGLE_WORD = 0.6
# Lighter phrases are too general ("reasoning" among papers on language models).
_LEAST_WEIGHT = 1.1
_SYSTEM = re.compile(r"[A-Z]+[a-z]+\w*[A-Z]")
_POSSESSIVE = re.compile(r"['’]s\b")

Stems = tuple[str, ...]


def named_groups(pool: Pool, texts: Mapping[PaperId, PaperText]) -> list[tuple[str, list[PaperId]]]:
    """Return named groups of papers, the largest first. ``texts`` are the best paper's first.

    A group has the papers with its name. Papers without a group, and groups without a common phrase, are left out.
    """
    if len(texts) < _FEW_PAPERS:
        return []
    vectors = pool.seen.meanings[[pool.row[paper] for paper in texts]]
    vectors = vectors - vectors.mean(axis=0)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    clustering = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=1 - _CLOSENESS
    )
    labels = clustering.fit_predict(1 - vectors @ vectors.T)
    by_label: dict[int, list[PaperId]] = defaultdict(list)
    for paper, label in zip(texts, labels.tolist(), strict=True):
        by_label[label].append(paper)
    least = _LEAST_OF_MANY if len(texts) >= _MANY_PAPERS else _LEAST_PAPERS
    groups = sorted((group for group in by_label.values() if len(group) >= least), key=len, reverse=True)
    phrases = {
        paper: {
            expanded(phrase.stems): phrase
            for phrase in text.phrases
            if phrase.is_whole and _can_stand_alone(phrase) and text.own_name.isdisjoint(phrase.stems)
        }
        for paper, text in texts.items()
    }
    names = _Names(pool, phrases)
    return [named for group in groups if (named := names.of(group, least))]


def _can_stand_alone(phrase: Phrase) -> bool:
    """Return False for adjectives, adverbs and possessives ("model's reasoning")."""
    if phrase.is_adjective or phrase.text.endswith(("ly", "ual")) or _POSSESSIVE.search(phrase.text):
        return False
    # A system's name, such as "PubMedQA".
    if " " not in phrase.text and _SYSTEM.match(phrase.text):
        return False
    # "Neuro-symbolic", "question-answer", but not "fact-checking" nor "F1-scores".
    is_compound = " " not in phrase.text and "-" in phrase.text and phrase.text.islower()
    return not (is_compound and not phrase.text.endswith(("ing", "tion", "s")))


class _Names:
    def __init__(self, pool: Pool, phrases: Mapping[PaperId, Mapping[Stems, Phrase]]) -> None:
        self.pool, self.phrases = pool, phrases
        self._named: list[frozenset[str]] = []
        self._mean = pool.seen.meanings[[pool.row[paper] for paper in phrases]].mean(axis=0)
        self._papers_with = Counter(stems for of_paper in phrases.values() for stems in of_paper)
        self._papers_of_column = np.bincount(pool.seen.terms.indices, minlength=pool.seen.terms.shape[1])

    def of(self, group: Sequence[PaperId], least: int) -> tuple[str, list[PaperId]] | None:
        """Return a phrase of the first paper that sets the group apart, and the papers with it, or None."""
        best = self.phrases[group[0]]
        having = {
            stems: {paper: self.phrases[paper][stems] for paper in group if stems in self.phrases[paper]}
            for stems in best
            if not any(named.issubset(stems) or named.issuperset(stems) for named in self._named)
        }
        having = {stems: papers for stems, papers in having.items() if len(papers) >= least}
        weights = self._weights(group, having)
        heaviest = max(weights, key=lambda stems: (weights[stems], len(stems), stems), default=())
        if not heaviest or weights[heaviest] < _LEAST_WEIGHT:
            return None
        spaced = f" {' '.join(heaviest)} "
        least_papers = _NEARLY_ALL * len(having[heaviest])
        longer = [other for other in weights if spaced in f" {' '.join(other)} " and len(having[other]) >= least_papers]
        longest = max(longer, key=lambda other: (len(other), weights[other]))
        self._named.append(frozenset(longest))
        return best[longest].text, list(having[longest])

    def _weights(
        self, group: Sequence[PaperId], having: Mapping[Stems, Mapping[PaperId, Phrase]]
    ) -> dict[Stems, float]:
        """Weigh phrases by their share in the group, their share in other papers, and meaning."""
        centre = self.pool.seen.meanings[[self.pool.row[paper] for paper in group]].mean(axis=0)
        direction = _unit(centre) + _unit(centre - self._mean)
        others = len(self.phrases) - len(group)
        weights = {}
        for stems, papers in having.items():
            phrases = list(papers.values())
            share = (len(papers) + _IN_TITLE * sum(phrase.in_title for phrase in phrases)) / len(group)
            share_of_others = (self._papers_with[stems] - len(papers) + 1) / (others + 2)
            contrast = max(math.log(len(papers) / len(group) / share_of_others), 0.0)
            columns = self.pool.corpus.columns(phrases[0].rare_terms).tolist()
            arrived = min((int(self._papers_of_column[column]) for column in columns), default=0)
            rarity = math.log((len(self.pool.papers) + 1) / (arrived + 1))
            closeness = max(float(self.pool.corpus.meaning_.phrase(stems) @ direction), 0.0)
            weights[stems] = share * contrast * rarity * closeness * (_SINGLE_WORD if len(stems) == 1 else 1.0)
        return weights


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / (np.linalg.norm(vector) or 1.0))
