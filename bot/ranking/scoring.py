"""A profile's rules, the pool of papers, and one reader's ranking of them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from bot.model import Bonus, Paper, PaperId, Score, is_library_paper
from bot.ranking.corpus import Corpus
from bot.ranking.experts import LinearForm, Mixture
from bot.ranking.matching import MatchFeatures, TextModel
from bot.ranking.meaning import Composition, word_hash
from bot.ranking.refusals import Refusals
from bot.text.spaceless import CHARACTERS, is_spaceless
from bot.text.tokens import StemSequence, phrases, stem_sequence
from bot.text.topics import Topic, expanded

# Log-odds: a probability of 1/12 becomes 1/4, 1/2 becomes 4/5.
KEYWORD_WEIGHT = 1.4


# Standard deviations above the mean: of a paper that touches a text without its words, and with them. Without any
# closeness a word has another sense, as "circuits" in quantum computing.
_TOUCHES_BY_MEANING, _TOUCHES_BY_WORDS = 2.5, 1.0


@dataclass(frozen=True, slots=True)
class RuleMatches:
    """A bonus for each keyword, the first followed author, the first muted word."""

    bonuses: tuple[Bonus, ...]
    followed: str | None
    muted: str | None


@dataclass(frozen=True)
class Rules:
    """Terms match whole words, in any case: "R1" is not in "R1-Zero2" but in "R1-Zero".

    A paper needs a term of each group in ``require``. These match by stem, with abbreviations expanded: "reward models"
    is in "reward modeling", "language model" in "LLMs".
    """

    keywords: Sequence[str] = ()
    authors: Sequence[str] = ()
    mute: Sequence[str] = ()
    require: Sequence[Sequence[str]] = ()

    def __hash__(self) -> int:
        return hash((*self.keywords, *self.authors, *self.mute, *map(tuple, self.require)))

    def missing_group(self, stemmed: str) -> tuple[str, ...]:
        """Return the first required group without a term in ``stemmed_phrases`` output, or empty."""
        for group, terms in self._required:
            if not any(term in stemmed for term in terms):
                return tuple(group)
        return ()

    @cached_property
    def _required(self) -> list[tuple[Sequence[str], list[str]]]:
        """Each group and its stemmed terms, without groups of function words."""
        stemmed = [
            (group, [stems for term in group if (stems := stemmed_phrases(term)).strip()]) for group in self.require
        ]
        return [(group, terms) for group, terms in stemmed if terms]

    def matches(self, paper: Paper) -> RuleMatches:
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


# Where no spaces are written, a word begins and ends anywhere.
_WORD_BEGINS = rf"(?:(?<!\w)|(?<=[{CHARACTERS}]))"
_WORD_ENDS = rf"(?:(?!\w)|(?=[{CHARACTERS}]))"


class _Pattern:
    """A term as whole words, with any white space between them."""

    def __init__(self, term: str) -> None:
        term = term.strip()
        words = term.casefold().split()
        self._first = words[0] if words else ""
        spaced = r"\s+".join(map(re.escape, words))
        begin = "" if is_spaceless(term) else _WORD_BEGINS
        end = "" if is_spaceless(term[-1:]) else _WORD_ENDS
        self._pattern = re.compile(f"{begin}{spaced}{end}")

    def matches(self, text: str) -> bool:
        # Much faster, because most texts lack even the first word.
        return self._first in text and self._pattern.search(text) is not None


def stemmed_phrases(text: str) -> str:
    """Return stems between spaces, abbreviations expanded, with semicolons between phrases."""
    stems = (" ".join(expanded(token.stem for token in phrase)) for phrase in phrases(text))
    return f" {' ; '.join(stems)} "


def _normalized_name(author: str) -> str:
    return " ".join(author.casefold().split())


class PoolMatches(NamedTuple):
    """Matches of a profile's rules by row. ``weights`` (n_papers,) sum the bonuses."""

    weights: np.ndarray
    bonuses: Sequence[tuple[Bonus, ...]]
    followed: Sequence[str | None]
    muted: Sequence[str | None]
    lacks: Sequence[tuple[str, ...]]


class Pool:
    """Papers by row, with similarities and rule matches computed on first use."""

    def __init__(self, corpus: Corpus, papers: Sequence[Paper]) -> None:
        self.papers = papers
        self.ids = np.array([paper.id for paper in papers], dtype=np.int64)
        self.row = {paper.id: row for row, paper in enumerate(papers)}
        self.corpus = corpus
        self.seen = corpus.papers([paper.text for paper in papers])
        self._similarities: dict[PaperId, array[float]] = {}  # to all papers, by row
        self._rule_matches: dict[Rules, PoolMatches] = {}
        self._stemmed: dict[int, str] = {}  # by row
        self._compositions: dict[int, tuple[StemSequence, Composition]] = {}  # by row

    def rows(self, papers: Iterable[Paper]) -> np.ndarray:
        return np.array([self.row[paper.id] for paper in papers], dtype=int)

    def composition(self, row: int) -> tuple[StemSequence, Composition]:
        """Return a paper's stems in order, and its vector as a sum over them."""
        if row not in self._compositions:
            sequence = stem_sequence(self.papers[row].text)
            self._compositions[row] = (sequence, self.corpus.meaning_.composition(sequence))
        return self._compositions[row]

    def similarity(self, paper: PaperId, other: PaperId) -> float:
        """Return the mean cosine of terms and of meanings, 0 to 1."""
        # By terms alone, papers on one topic are hardly similar. By meaning alone, they are near-duplicates.
        if (known := self._similarities.get(other)) is not None:
            return known[self.row[paper]]
        if paper not in self._similarities:
            row = self.row[paper]
            terms = (self.seen.terms @ self.seen.terms[row].T).toarray().ravel()
            meanings = np.maximum(self.seen.meanings @ self.seen.meanings[row], 0)
            # Plain floats, which are faster than NumPy scalars.
            self._similarities[paper] = array("f", ((terms + meanings) / 2).astype(np.float32).tobytes())
        return self._similarities[paper][self.row[other]]

    def rule_matches(self, rules: Rules) -> PoolMatches:
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
        """Return the first required group without a term in the paper, or empty."""
        if not rules.require:
            return ()
        if row not in self._stemmed:
            self._stemmed[row] = stemmed_phrases(self.papers[row].text)
        return rules.missing_group(self._stemmed[row])


# Votes of a kind, with which one paper may be chance.
_MANY_VOTES = 5
_MOST_OVERLAPPING = 5


class VotedTerms:
    """The terms of one reader's liked and disliked papers.

    ``rows`` of ``terms`` (n, n_terms) are the papers, the liked ones first, in the order of ``liked``.
    """

    def __init__(self, corpus: Corpus, terms: sp.csr_matrix, rows: Sequence[int], liked: Sequence[PaperId]) -> None:
        self.liked = len(liked)
        self.disliked = len(rows) - len(liked)
        self._corpus = corpus
        self._liked_ids = np.array(liked, dtype=np.int64)
        # Faster than sparse rows.
        own = terms[np.array(rows, dtype=int)]
        self._columns = own.indices
        self._papers = np.repeat(np.arange(len(rows)), np.diff(own.indptr))
        self._liked_entries = int(own.indptr[self.liked])

    @property
    def own(self) -> int:
        """Papers with a vote, without library papers."""
        return self.disliked + sum(not is_library_paper(paper_id) for paper_id in self._liked_ids.tolist())

    def papers_with(self, *terms: str) -> tuple[int, int]:
        """Count the liked and disliked papers with all of these terms."""
        distinct = {*terms}
        columns = [column for term in distinct if (column := self._corpus.column(term)) is not None]
        if len(columns) < len(distinct):
            return 0, 0
        if len(columns) == 1:
            liked, disliked = self._papers_by_column
            return liked.item(columns[0]), disliked.item(columns[0])
        has_all = self._have_all(columns)
        return int(np.count_nonzero(has_all[: self.liked])), int(np.count_nonzero(has_all[self.liked :]))

    def are_of_library(self, terms: Iterable[str]) -> bool:
        """Return whether all liked papers with all of these known terms are of the library."""
        has_all = self._have_all([column for term in {*terms} if (column := self._corpus.column(term)) is not None])
        return all(map(is_library_paper, self._liked_ids[has_all[: self.liked]].tolist()))

    def _have_all(self, columns: Sequence[int]) -> np.ndarray:
        papers = self._papers[np.isin(self._columns, columns)]
        return np.equal(np.bincount(papers, minlength=self.liked + self.disliked), len(columns))

    def supports(self, terms: Iterable[str], *, liked: bool = True) -> bool:
        """Return whether two liked papers have each term, and relatively fewer disliked ones.

        With fewer than five liked papers, one is enough. ``liked=False`` swaps both, and one disliked paper is enough.
        """
        total, other_total = (self.liked, self.disliked) if liked else (self.disliked, self.liked)
        required = 2 if liked and total >= _MANY_VOTES else 1
        for term in terms:
            with_likes, with_dislikes = self.papers_with(term)
            papers, others = (with_likes, with_dislikes) if liked else (with_dislikes, with_likes)
            if papers < required or papers * max(other_total, 1) <= others * total:
                return False
        return True

    def most_overlapping(self, weights: Mapping[str, float], least: float = 0.0) -> list[tuple[PaperId, int]]:
        """Return up to five liked papers with at least this share of the positive weights.

        The largest share comes first. Each has the number of its weighted terms.
        """
        if not (self.liked and weights):
            return []
        values = list(weights.values())
        by_column = np.zeros(len(self._corpus.terms_) + 1, dtype=np.float32)
        # The last column collects terms outside the vocabulary.
        by_column[[-1 if column is None else column for column in map(self._corpus.column, weights)]] = values
        by_column[-1] = 0
        # Faster than selecting columns.
        of_entries = by_column[self._columns[: self._liked_entries]]
        papers = self._papers[: self._liked_entries]
        shares = np.bincount(papers, of_entries, self.liked) / sum(values)
        best = np.argsort(-shares, kind="stable")[:_MOST_OVERLAPPING].tolist()
        return [
            (int(self._liked_ids[row]), int(np.count_nonzero(of_entries[papers == row])))
            for row in best
            if shares[row] >= least
        ]

    @cached_property
    def _papers_by_column(self) -> tuple[np.ndarray, np.ndarray]:
        terms = len(self._corpus.terms_)
        liked, disliked = self._columns[: self._liked_entries], self._columns[self._liked_entries :]
        return np.bincount(liked, minlength=terms), np.bincount(disliked, minlength=terms)


@dataclass(frozen=True, eq=False)
class Model:
    """One reader's model: the mixed experts as one ``form``, the text and the votes.

    ``ignored`` terms count in no score.
    """

    form: LinearForm
    mixture: Mixture
    text: TextModel
    ignored: frozenset[str]
    votes: VotedTerms
    refusals: Refusals

    def contributions(self, pool: Pool, matches: MatchFeatures, row: int) -> dict[str, float]:
        """Return each term's contribution to a paper's log-odds, with ignored ones."""
        sequence, composition = pool.composition(row)
        added = self.text.contributions(pool.seen.index, row, sequence, self.form.matches)
        direction = self.form.direction if self.form.direction is not None else 0.0
        if self.text.paragraphs:
            nearest = self.text.paragraphs[int(matches.interest[row])]
            direction = direction + self.form.matches.meaning * nearest.counted(pool.seen.meanings[row])
        if isinstance(direction, np.ndarray):
            for stem, value in zip(composition.stems, composition.along(direction).tolist(), strict=True):
                added[stem] = added.get(stem, 0.0) + value
        for term, value in self.learned(pool, row).items():
            added[term] = added.get(term, 0.0) + value
        return {term: value for term, value in added.items() if value}

    def learned(self, pool: Pool, row: int) -> dict[str, float]:
        """Return what each term of a paper adds to its log-odds by the votes on papers with it."""
        if self.form.terms is None:
            return {}
        terms = pool.seen.terms
        entries = slice(terms.indptr[row], terms.indptr[row + 1])
        columns = terms.indices[entries]
        values = terms.data[entries] * self.form.terms[columns]
        return dict(zip(pool.corpus.terms_[columns].tolist(), values.tolist(), strict=True))

    def left_out(self, pool: Pool, matches: MatchFeatures, rows: np.ndarray) -> np.ndarray:
        """Return the ignored terms' contribution, (n_rows,)."""
        hashes = [word_hash(stem) for term in self.ignored for stem in term.split()]
        words = pool.seen.words
        concerned = set(words.papers[np.isin(words.words, np.array(hashes, dtype=np.uint32))].tolist())
        return np.array(
            [
                sum(v for term, v in self.contributions(pool, matches, row).items() if term in self.ignored)
                if row in concerned
                else 0.0
                for row in rows.tolist()
            ]
        )


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores, best first, and the similarities of the ranked papers.

    Scores have keyword bonuses, and all terms in ``rest``. ``expert_log_odds`` is (n_papers, n_experts).
    """

    scores: tuple[Score, ...]
    pool: Pool
    model: Model
    matches: MatchFeatures
    expert_log_odds: np.ndarray

    def explained(self, scores: Sequence[Score]) -> list[Score]:
        rows = [self.pool.row[score.paper] for score in scores]
        mixed = self.model.mixture.log_odds(self.expert_log_odds[rows])
        predictions = np.column_stack([self.expert_log_odds[rows], [s.log_odds for s in scores] - mixed])
        explained = []
        for score, row, of_score in zip(scores, rows, predictions.tolist(), strict=True):
            contributions = self.model.contributions(self.pool, self.matches, row)
            terms = {term: value for term, value in contributions.items() if term not in self.model.ignored}
            explained.append(
                score._replace(terms=terms, rest=score.rest - sum(terms.values()), predictions=tuple(of_score))
            )
        return explained

    def learned(self, paper: PaperId) -> dict[str, float]:
        return self.model.learned(self.pool, self.pool.row[paper])

    def similarity(self, paper: PaperId, other: PaperId) -> float:
        return self.pool.similarity(paper, other)

    def interest(self, paper: PaperId) -> int | None:
        """Return the index of the nearest interest, or None."""
        row = self.pool.row[paper]
        return int(self.matches.interest[row]) if self.matches.meaning[row] > 0 else None

    def close_topics(self, paper: PaperId) -> list[Topic]:
        return self.model.text.close_topics(self.pool.seen.meanings[self.pool.row[paper]])

    def touches(self, paper: PaperId) -> bool:
        """Return whether a paper names a specific topic, or is close to one. True without a text.

        Where the home lacks most of the topics, only papers that name one do.
        """
        row, text = self.pool.row[paper], self.model.text
        if text.is_empty:
            return True
        named = any(self.pool.seen.index.presence(topic.stems)[row] for topic in text.named_for)
        if text.uncovered and not named:
            return False
        least = _TOUCHES_BY_WORDS if named else _TOUCHES_BY_MEANING
        return bool(self.matches.meaning[row] >= least and (named or self.close_topics(paper)))
