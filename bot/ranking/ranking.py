"""A profile's rules, the papers that a batch of readers is ranked over, and one reader's ranking of them.

papers --Pool--> vectors, similarities and rule matches, once for all readers
Pool, Model --Ranking--> scores of all papers; ``explained`` adds the terms of the few that an edition shows
votes --VotedTerms--> which terms the liked and disliked papers have, for the reasons
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from bot.model import Bonus, Paper, PaperId, Score, is_library_paper
from bot.ranking.corpus import Corpus, PaperTerms, TermEntries, l2_normalize, latent_vectors, row_elements
from bot.ranking.experts import Experts, Mixture, Papers
from bot.text.tokens import phrases
from bot.text.topics import expanded

# What a keyword adds to a paper's log-odds, chosen for its effect: a probability of 1/12 becomes 1/4, 1/2 becomes 4/5.
KEYWORD_WEIGHT = 1.4


@dataclass(frozen=True, slots=True)
class RuleMatches:
    """What one paper matches: a bonus for each keyword, the first followed author, the first muted word."""

    bonuses: tuple[Bonus, ...]
    followed: str | None
    muted: str | None


@dataclass(frozen=True)
class Rules:
    """Terms match whole words, in any case: "R1" is not in "R1-Zero2" but in "R1-Zero".

    ``require`` holds groups of terms; a paper needs a term of each group to be ranked at all. These match by stem, and
    abbreviations match what they stand for: "reward models" is in "reward modeling", "language model" in "LLMs".
    """

    keywords: Sequence[str] = ()
    authors: Sequence[str] = ()
    mute: Sequence[str] = ()
    require: Sequence[Sequence[str]] = ()

    def __hash__(self) -> int:
        return hash((*self.keywords, *self.authors, *self.mute, *map(tuple, self.require)))

    def missing_group(self, stemmed: str) -> tuple[str, ...]:
        """Return the first required group of which a text from ``stemmed_phrases`` has no term; empty if none."""
        for group, terms in self._required:
            if not any(term in stemmed for term in terms):
                return tuple(group)
        return ()

    @cached_property
    def _required(self) -> list[tuple[Sequence[str], list[str]]]:
        """Each group and its stemmed terms; a group of function words alone requires nothing."""
        stemmed = [
            (group, [stems for term in group if (stems := stemmed_phrases(term)).strip()]) for group in self.require
        ]
        return [(group, terms) for group, terms in stemmed if terms]

    def matches(self, paper: Paper) -> RuleMatches:
        """Apply keywords, followed authors and mutes to a paper."""
        text = paper.text.casefold()
        keywords = (word for word in self.keywords if self._patterns[word].matches(text))
        names = {_normalized_name(author) for author in paper.authors} if self.authors else set()
        return RuleMatches(
            bonuses=tuple(Bonus(word, KEYWORD_WEIGHT) for word in keywords),
            followed=next((author for author in self.authors if _normalized_name(author) in names), None),
            muted=next((word for word in self.mute if self._patterns[word].matches(text)), None),
        )

    @cached_property
    def _patterns(self) -> dict[str, _Pattern]:
        return {word: _Pattern(word) for word in (*self.keywords, *self.mute)}


class _Pattern:
    """A term as whole words, with any white space between them."""

    def __init__(self, term: str) -> None:
        words = term.casefold().split()
        self._first = words[0] if words else ""
        spaced = r"\s+".join(map(re.escape, words))
        self._pattern = re.compile(rf"(?<!\w){spaced}(?!\w)")

    def matches(self, text: str) -> bool:
        """Return whether a case-folded text has the term."""
        # Most texts don't have even the first word, and a substring search is much faster than the pattern.
        return self._first in text and self._pattern.search(text) is not None


def stemmed_phrases(text: str) -> str:
    """Return a text's stems between spaces, abbreviations expanded, phrases separated by semicolons."""
    stems = (" ".join(expanded(token.stem for token in phrase)) for phrase in phrases(text))
    return f" {' ; '.join(stems)} "


def _normalized_name(author: str) -> str:
    return " ".join(author.casefold().split())


class PoolMatches(NamedTuple):
    """What each paper of a pool matches of a profile's rules, by row; ``weights`` (n_papers,) sum the bonuses."""

    weights: np.ndarray
    bonuses: Sequence[tuple[Bonus, ...]]
    followed: Sequence[str | None]
    muted: Sequence[str | None]
    lacks: Sequence[tuple[str, ...]]


class Pool:
    """Papers by row. Similarities, and what matches each set of rules, are computed once, on first use."""

    def __init__(self, corpus: Corpus, papers: Sequence[Paper]) -> None:
        self.papers = papers
        self.ids = np.array([paper.id for paper in papers], dtype=np.int64)
        self.row = {paper.id: row for row, paper in enumerate(papers)}
        self.seen = Papers.from_texts(corpus, [paper.text for paper in papers])
        self.vectors = self.seen.vectors
        self.corpus = corpus
        self._similarities: dict[PaperId, array[float]] = {}  # to all papers, by row
        self._rule_matches: dict[Rules, PoolMatches] = {}
        self._stemmed: dict[int, str] = {}  # by row

    @cached_property
    def normalized(self) -> sp.csr_matrix:
        """The papers' own terms (n_papers, n_terms), rows of L2 norm 1."""
        return l2_normalize(self.vectors.terms)

    @cached_property
    def terms(self) -> PaperTerms:
        """The papers term by term."""
        return PaperTerms(self.corpus, self.vectors)

    @cached_property
    def _latent(self) -> np.ndarray:
        return latent_vectors(self.vectors.terms, self.corpus.components_)

    def similarity(self, paper: PaperId, other: PaperId) -> float:
        """Return the similarity of two papers, 0 to 1: the mean cosine of their terms and of their latent vectors."""
        # By terms alone, two papers on one topic are hardly similar; by latent vectors alone, they are near-duplicates.
        # Selection asks for hundreds of similarities a reader: one look-up finds those to an earlier pick.
        if (known := self._similarities.get(other)) is not None:
            return known[self.row[paper]]
        if paper not in self._similarities:
            row = self.row[paper]
            similarities = (self.normalized @ self.normalized[row].T).toarray().ravel().astype(np.float32)
            if self._latent.any():  # a corpus of a few papers has no components
                latent = np.maximum(self._latent @ self._latent[row], 0).astype(np.float32)
                similarities = (similarities + latent) / 2
            # Selection reads single values: from an array they are plain floats, without a NumPy scalar for each.
            self._similarities[paper] = array("f", similarities.tobytes())
        return self._similarities[paper][self.row[other]]

    def rule_matches(self, rules: Rules) -> PoolMatches:
        """Return what each paper matches of the rules."""
        if rules not in self._rule_matches:
            matches = [rules.matches(paper) for paper in self.papers]
            self._rule_matches[rules] = PoolMatches(
                weights=np.array([sum(bonus.weight for bonus in matched.bonuses) for matched in matches]),
                bonuses=[matched.bonuses for matched in matches],
                followed=[matched.followed for matched in matches],
                muted=[matched.muted for matched in matches],
                lacks=[self.missing_group(row, rules) for row in range(len(matches))],
            )
        return self._rule_matches[rules]

    def missing_group(self, row: int, rules: Rules) -> tuple[str, ...]:
        """Return the first required group of which a paper has no term; empty if none."""
        if not rules.require:
            return ()
        if row not in self._stemmed:
            self._stemmed[row] = stemmed_phrases(self.papers[row].text)
        return rules.missing_group(self._stemmed[row])


class Overlap(NamedTuple):
    """A liked paper, its share of some terms' weight, and how many of these terms it has."""

    paper: PaperId
    share: float
    terms: int


class VotedTerms:
    """The terms of one reader's liked and disliked papers, over a corpus's vocabulary.

    ``rows`` are the papers' rows of ``vectors`` (n, n_terms), which ``Corpus.transform`` gave: the liked ones first, in
    the order of ``liked``.
    """

    def __init__(self, corpus: Corpus, vectors: sp.csr_matrix, rows: Sequence[int], liked: Sequence[PaperId]) -> None:
        self.liked = len(liked)
        self.disliked = len(rows) - len(liked)
        self._corpus = corpus
        self._liked_ids = np.array(liked, dtype=np.int64)
        # The columns of each paper's terms, paper after paper: faster than rows of a sparse matrix.
        elements, counts = row_elements(vectors.indptr, np.array(rows, dtype=int))
        self._columns = vectors.indices[elements]
        self._papers = np.repeat(np.arange(len(rows)), counts)
        self._liked_entries = int(counts[: self.liked].sum())

    @property
    def own(self) -> int:
        """How many papers the reader voted on; the others are in their library."""
        return self.disliked + sum(not is_library_paper(paper_id) for paper_id in self._liked_ids.tolist())

    def papers_with(self, *terms: str) -> tuple[int, int]:
        """Return how many liked and how many disliked papers have all of these stems and bigrams of stems."""
        distinct = {*terms}
        columns = [column for term in distinct if (column := self._corpus.column(term)) is not None]
        if len(columns) < len(distinct):
            return 0, 0
        if len(columns) == 1:
            liked, disliked = self._papers_by_column
            return liked.item(columns[0]), disliked.item(columns[0])
        # A paper has one entry for each of its terms.
        papers = self._papers[np.isin(self._columns, columns)]
        has_all = np.bincount(papers, minlength=self.liked + self.disliked) == len(columns)
        return int(np.count_nonzero(has_all[: self.liked])), int(np.count_nonzero(has_all[self.liked :]))

    def most_overlapping(self, weights: Mapping[str, float], least: float = 0.0, count: int = 5) -> list[Overlap]:
        """Return the liked papers with the largest shares of these weights, which are positive, the largest first.

        At most ``count``, with a share of ``least`` or more.
        """
        if not (self.liked and weights):
            return []
        values = list(weights.values())
        by_column = np.zeros(len(self._corpus.terms_) + 1, dtype=np.float32)
        # Terms outside the vocabulary, which are in no paper, have the last place.
        by_column[[-1 if column is None else column for column in map(self._corpus.column, weights)]] = values
        by_column[-1] = 0
        # A dense vector: reading it at the papers' terms is faster than selecting columns.
        of_entries = by_column[self._columns[: self._liked_entries]]
        papers = self._papers[: self._liked_entries]
        shares = np.bincount(papers, of_entries, self.liked) / sum(values)
        best = np.argsort(-shares, kind="stable")[:count].tolist()
        return [
            Overlap(int(self._liked_ids[row]), float(shares[row]), int(np.count_nonzero(of_entries[papers == row])))
            for row in best
            if shares[row] >= least
        ]

    @cached_property
    def _papers_by_column(self) -> tuple[np.ndarray, np.ndarray]:
        """How many liked and how many disliked papers have each term, (n_terms,); reasons ask for many terms."""
        terms = len(self._corpus.terms_)
        liked, disliked = self._columns[: self._liked_entries], self._columns[self._liked_entries :]
        return np.bincount(liked, minlength=terms), np.bincount(disliked, minlength=terms)


# Compared and hashed by identity: readers with equal interests share a model.
@dataclass(frozen=True, eq=False)
class Model:
    """One reader's row of the batch's experts, their mixture, and the vectors it was fitted to.

    ``ignored`` are columns of terms that are left out of every score. ``interests`` has rows of L2 norm 1.
    """

    experts: Experts
    reader: int
    mixture: Mixture
    ignored: np.ndarray
    interests: sp.csr_matrix
    votes: VotedTerms

    def contributions(self, entries: TermEntries) -> sp.csr_matrix:
        """Return what each term adds, (n_papers, n_terms)."""
        terms = self.experts.contributions(self.reader, entries, self.mixture.weights)
        if self.ignored.size:
            terms.data[np.isin(terms.indices, self.ignored)] = 0
        return terms

    @property
    def rest(self) -> float:
        """The log-odds that no term accounts for: the experts' intercepts and the mixture's offset."""
        return self.experts.rest(self.reader, self.mixture.weights) + self.mixture.offset

    @property
    def has_several_interests(self) -> bool:
        """Whether a paper may be nearer to one interest than to another."""
        return bool(self.interests.shape[0] > 1)

    def left_out(self, entries: TermEntries) -> np.ndarray:
        """Return what the ignored terms would add, (n_papers,)."""
        terms = self.experts.contributions(self.reader, entries, self.mixture.weights)
        return np.asarray(terms[:, self.ignored].sum(axis=1)).ravel()


# Compared and hashed by identity: readers with equal interests and candidates share a ranking.
@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores, best first, and the similarities of the ranked papers.

    The scores have their keywords as reasons, and all terms in their ``rest``. ``expert_log_odds`` is
    (n_papers, n_experts), in the order of the pool's papers.
    """

    scores: tuple[Score, ...]
    pool: Pool
    model: Model
    expert_log_odds: np.ndarray

    def explained(self, scores: Sequence[Score]) -> list[Score]:
        """Return these scores with all of their terms and predictions."""
        rows = [self.pool.row[score.paper] for score in scores]
        mixed = self.model.mixture.log_odds(self.expert_log_odds[rows])
        predictions = np.column_stack([self.expert_log_odds[rows], [s.log_odds for s in scores] - mixed])
        terms_of = self._terms(self.model.contributions(self.pool.terms.entries(rows)))
        return [
            score._replace(terms=terms, rest=score.rest - sum(terms.values()), predictions=tuple(of_score))
            for score, terms, of_score in zip(scores, terms_of, predictions.tolist(), strict=True)
        ]

    def mean_contributions(self) -> dict[str, float]:
        """Return the mean contribution of each term to the scores of the ranked papers."""
        rows = [self.pool.row[score.paper] for score in self.scores]
        mean = sp.csr_matrix(self.model.contributions(self.pool.terms.entries(rows)).mean(axis=0))
        return self._terms(mean)[0]

    def papers_with(self, terms: Sequence[str], each: int = 3) -> list[PaperId]:
        """Return few papers, among which ``each`` have each term, or all that have it."""
        presence = self.pool.seen.lexical
        chosen: dict[int, None] = {}
        for term in terms:
            column = self.pool.corpus.column(term)
            rows = [] if column is None else presence[:, column].nonzero()[0].tolist()
            chosen |= dict.fromkeys(rows[: max(each - len(chosen.keys() & rows), 0)])
        return [self.pool.papers[row].id for row in chosen]

    def similarity(self, paper: PaperId, other: PaperId) -> float:
        """Return the similarity of two ranked papers in terms and latent vectors, 0 to 1."""
        return self.pool.similarity(paper, other)

    def interest(self, paper: PaperId) -> int | None:
        """Return the index of the interest nearest to a paper; None where it shares no term with any."""
        return self._interests[self.pool.row[paper]]

    @cached_property
    def _interests(self) -> list[int | None]:
        cosines = (self.pool.normalized @ self.model.interests.T).toarray()
        if not cosines.shape[1]:
            return [None] * len(cosines)
        nearest = zip(cosines.argmax(1), cosines.max(1), strict=True)
        return [int(interest) if cosine > 0 else None for interest, cosine in nearest]

    def _terms(self, contributions: sp.csr_matrix) -> list[dict[str, float]]:
        """Return each row's contributions by term, without those of 0."""
        used = np.flatnonzero(contributions.data)
        ends = np.searchsorted(used, contributions.indptr).tolist()
        names = self.pool.corpus.terms_[contributions.indices[used]].tolist()
        weights = contributions.data[used].tolist()
        return [dict(zip(names[first:end], weights[first:end], strict=True)) for first, end in pairwise(ends)]
