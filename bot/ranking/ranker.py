"""Candidates in, scores with reasons out: the one door to ranking, for one reader or for thousands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from threadpoolctl import threadpool_limits

from bot.domain import Paper, PaperId, Score
from bot.ranking.corpus import Corpus
from bot.ranking.experts import Experts
from bot.ranking.learner import BACKGROUND, Learned, Votes, learn
from bot.ranking.mixture import NO_PREDICTIONS, SHIPPED, Mixture, Predictions, reader_mixture
from bot.ranking.pool import Pool, document
from bot.ranking.ranking import Model, Ranking
from bot.ranking.rules import Rules
from bot.ranking.taste import Tastes, faded, pooled
from bot.ranking.vectors import unit
from bot.ranking.words import topics_row
from bot.terms import tokens

# So many readers are ranked in one matrix product: enough to be quick, few enough for any machine's memory.
_BATCH = 200


@dataclass(frozen=True, slots=True)
class Interest:
    """What a reader is ranked by: the profile's words, and the papers thumbed so far.

    ``text`` may hold several interests, with blank lines between them. ``ages`` says how many days ago a
    thumb was given; one that it doesn't name is of today. ``ignored`` are words that shall not count.

    ``learned`` was fitted to the same votes by ``Ranker.learn``; without it, it is fitted when the reader is ranked.
    ``predictions`` are what the experts foretold of papers that were voted on since, oldest first, and ``home`` is the
    mixture of all readers of the home (``home_mixture``).
    """

    text: str = ""
    rules: Rules = field(default_factory=Rules)
    up: Sequence[Paper] = ()
    down: Sequence[Paper] = ()
    ages: Mapping[PaperId, float] = field(default_factory=dict)
    ignored: Collection[str] = ()
    learned: Learned | None = None
    predictions: Predictions = NO_PREDICTIONS
    home: Mixture = SHIPPED

    @property
    def paragraphs(self) -> list[str]:
        """The interests one by one; keywords stand in where there are none."""
        text = self.text.strip() or " ".join(self.rules.keywords)
        return [part for part in text.split("\n\n") if part.strip()]


class Best(NamedTuple):
    """A reader's best candidates: their rows, best first, and their probabilities."""

    rows: np.ndarray
    probabilities: np.ndarray


class Ranker:
    """Ranks for any number of readers over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def rank(self, interest: Interest, candidates: Sequence[Paper]) -> Ranking:
        """Every candidate's score for one reader."""
        return next(self.rankings([interest], [candidates]))

    def rankings(
        self, interests: Sequence[Interest], candidates: Sequence[Sequence[Paper]]
    ) -> Iterator[Ranking]:
        """For each reader a ranking of their own candidates; memory grows with readers times terms.

        What readers share is done once: candidates are made vectors of, and all models are trained, in a few
        matrix products.
        """
        pool = Pool(self._corpus, list({paper.id: paper for some in candidates for paper in some}.values()))
        with threadpool_limits(1):  # threads that wait for one another cost more than they save here
            known = _Thumbed(self._corpus, interests)
            experts = Experts(self._corpus).fit(
                known.tastes(), known.judged(), known.covered(), known.learned()
            )
            said = experts.log_odds(pool.seen)
        for who, some in enumerate(candidates):
            model = known.model(who, experts)
            log_odds = model.mixture.log_odds(said[who])
            rules = interests[who].rules
            scores = _scores(pool, log_odds, model, rules, pool.meeting(rules, some))
            yield Ranking(tuple(scores), pool, model, said[who])

    def learn(self, interests: Sequence[Interest]) -> list[Learned | None]:
        """What is to be learned from each reader's votes, whatever was learned before; None where there are none."""
        with threadpool_limits(1):
            known = _Thumbed(self._corpus, [replace(interest, learned=None) for interest in interests])
            return known.learned()

    def best(self, interests: Sequence[Interest], candidates: Sequence[Paper], top: int) -> Iterator[Best]:
        """For each reader the rows of the ``top`` candidates, best first, and their probabilities.

        The same scores as ``rank`` gives, without reasons and rules; readers are ranked in batches.
        """
        pool = Pool(self._corpus, candidates)
        for start in range(0, len(interests), _BATCH):
            with threadpool_limits(1):
                known = _Thumbed(self._corpus, interests[start : start + _BATCH])
                experts = Experts(self._corpus).fit(
                    known.tastes(), known.judged(), known.covered(), known.learned()
                )
                said = experts.log_odds(pool.seen)
            log_odds = [known.mixture(who).log_odds(each) for who, each in enumerate(said)]
            yield from _best(np.array(log_odds), min(top, len(candidates)))


def _scores(
    pool: Pool, log_odds: np.ndarray, model: Model, rules: Rules, candidates: Sequence[Paper]
) -> list[Score]:
    """The candidates' scores, best first; ``log_odds`` is of the whole pool."""
    verdicts = pool.verdicts(rules)
    rows = np.array([pool.row[paper.id] for paper in candidates], dtype=int)
    rest = log_odds[rows] - model.left_out(pool.seen[rows])
    raised = np.array([sum(reason.weight for reason in verdicts[row].reasons) for row in rows])
    total = rest + raised
    order = np.lexsort((pool.ids[rows], -total))
    return [
        Score(
            paper=candidates[place].id,
            probability=probability,
            log_odds=odds,
            reasons=verdicts[row].reasons,
            rest=left,
            followed=verdicts[row].followed,
            muted=verdicts[row].muted,
        )
        for place, row, probability, odds, left in zip(
            *(each[order].tolist() for each in (np.arange(len(rows)), rows, expit(total), total, rest)),
            strict=True,
        )
    ]


class _Thumbed:
    """A batch's interests and thumbed papers as vectors; a paper that many readers judged is read once."""

    def __init__(self, corpus: Corpus, interests: Sequence[Interest]) -> None:
        self._interests = interests
        self._corpus = corpus
        texts = [(who, part) for who, i in enumerate(interests) for part in i.paragraphs]
        self._owners = np.array([who for who, _ in texts], dtype=int)
        topics = [topics_row(corpus, part) for _, part in texts]
        none = sp.csr_matrix((0, len(corpus.terms_)), dtype=np.float32)
        self._wanted = sp.vstack([none, *(row for row, _ in topics)], format="csr")
        self._covered = sp.vstack([none, *(covered for _, covered in topics)], format="csr")
        self._columns = _columns(corpus, {_stemmed(term) for i in interests for term in i.ignored})
        papers = {paper.id: paper for i in interests for paper in (*i.up, *i.down)}
        self._papers = list(papers.values())
        self._row = {paper_id: row for row, paper_id in enumerate(papers)}
        self._vectors = corpus.transform([document(paper) for paper in self._papers])
        self._unit = unit(self._vectors)

    def learned(self) -> list[Learned | None]:
        """What was learned of each reader, fitted now where it wasn't before, or over another vocabulary."""
        return [
            self._fitted(who)
            if not (i.learned and i.learned.vocabulary == self._corpus.identity)
            else i.learned
            for who, i in enumerate(self._interests)
        ]

    def _fitted(self, who: int) -> Learned | None:
        interest = self._interests[who]
        given = [
            (paper.id, liked) for liked in (True, False) for paper in (interest.down, interest.up)[liked]
        ]
        if not given:
            return None
        rows = self._vectors[[self._row[number] for number, _ in given]]
        judged = self.judged()[who].indices
        background = self._corpus.background_
        apart = np.setdiff1d(np.arange(background.shape[0]), judged)
        drawn = apart[np.linspace(0, len(apart) - 1, min(BACKGROUND, len(apart))).astype(int)]
        votes = Votes(
            rows=rows,
            liked=np.array([liked for _, liked in given]),
            weight=np.array([faded(interest.ages.get(number, 0.0)) for number, _ in given]),
            interests=sp.csr_matrix(self._wanted[self._owners == who].sum(axis=0)),
            background=background[drawn],
        )
        return learn(self._corpus, votes)

    def mixture(self, who: int) -> Mixture:
        """How the experts are mixed for a reader."""
        return reader_mixture(self._interests[who].predictions, self._interests[who].home)

    def model(self, who: int, experts: Experts) -> Model:
        """One reader's part."""
        interest = self._interests[who]
        ignored = map(_stemmed, interest.ignored)
        known = [self._columns[term] for term in ignored if term in self._columns]
        liked = list(dict.fromkeys(paper.id for paper in interest.up))
        return Model(
            experts=experts,
            reader=who,
            mixture=self.mixture(who),
            ignored=np.array(sorted(known), dtype=int),
            interests=self._wanted[self._owners == who],
            liked=self._unit[[self._row[number] for number in liked]],
            liked_ids=liked,
        )

    def tastes(self) -> Tastes:
        up, n_up = self._side([i.up for i in self._interests])
        down, n_down = self._side([i.down for i in self._interests])
        each = np.ones(len(self._owners))
        wanted = pooled(self._wanted, self._owners.tolist(), each, len(self._interests))
        return Tastes(wanted, up, down, n_up, n_down)

    def covered(self) -> sp.csr_matrix:
        """(n_readers, n_terms): what each term adds to the share of a reader's topics that a paper covers."""
        parts = np.bincount(self._owners, minlength=len(self._interests))
        worth = 1 / np.maximum(parts, 1)[self._owners]
        shape = (len(self._interests), len(self._owners))
        return sp.csr_matrix((worth, (self._owners, np.arange(len(self._owners)))), shape) @ self._covered

    def judged(self) -> sp.csr_matrix:
        """(n_readers, n_background), 1 where the reader has a thumb on the paper."""
        place = self._corpus.in_background([document(paper) for paper in self._papers])
        marks = {
            (who, column)
            for who, i in enumerate(self._interests)
            for paper in (*i.up, *i.down)
            if (column := place[self._row[paper.id]]) is not None
        }
        rows, columns = np.array(sorted(marks), dtype=int).reshape(-1, 2).T
        shape = (len(self._interests), self._corpus.background_.shape[0])
        return sp.csr_matrix((np.ones(len(marks), bool), (rows, columns)), shape=shape)

    def _side(self, side: Sequence[Sequence[Paper]]) -> tuple[sp.csr_matrix, np.ndarray]:
        given = [(who, paper.id) for who, papers in enumerate(side) for paper in papers]
        owners = [who for who, _ in given]
        weights = [faded(self._interests[who].ages.get(number, 0.0)) for who, number in given]
        rows = self._vectors[[self._row[number] for _, number in given]]
        counted = np.bincount(np.array(owners, int), np.array(weights), len(side))
        return pooled(rows, owners, weights, len(side)), counted


def _best(log_odds: np.ndarray, top: int) -> Iterator[Best]:
    """For each row the columns of the ``top`` highest, in falling order, and their probabilities."""
    if not top:
        yield from [Best(np.array([], int), np.array([]))] * len(log_odds)
        return
    columns = np.argpartition(-log_odds, top - 1, axis=1)[:, :top]
    values = np.take_along_axis(log_odds, columns, axis=1)
    order = np.lexsort((columns, -values))
    probabilities = expit(np.take_along_axis(values, order, axis=1).astype(float))
    yield from map(Best, np.take_along_axis(columns, order, axis=1), probabilities)


def _stemmed(term: str) -> str:
    """The term of the vocabulary that people spell so: stems side by side."""
    return " ".join(token.stem for token in tokens(term))


def _columns(corpus: Corpus, terms: Collection[str]) -> dict[str, int]:
    """Where these terms stand in the vocabulary; those that it hasn't are left out."""
    if not terms:
        return {}
    found = np.flatnonzero(np.isin(corpus.terms_, sorted(terms)))
    return dict(zip(corpus.terms_[found].tolist(), found.tolist(), strict=True))
