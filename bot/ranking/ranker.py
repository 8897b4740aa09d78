"""Ranking for one reader or for thousands: interests and candidates in, scores with reasons out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from threadpoolctl import threadpool_limits

from bot.model import Paper, PaperId, Score, VotedPaper
from bot.ranking.corpus import Corpus
from bot.ranking.experts import SHIPPED, Experts, Mixture
from bot.ranking.learner import BACKGROUND, Learned, TrainingVotes, learn
from bot.ranking.matching import Conjunctions, UserVectors, centroid_weight, centroids, time_decay, topics_row
from bot.ranking.ranking import Model, Pool, Ranking, Rules, VotedTerms
from bot.text.tokens import tokens
from bot.text.vocabulary import topical_terms

# Readers per matrix product. The models are dense: 200 readers by 100,000 terms are 80 MB.
_BATCH = 200


@dataclass(frozen=True, slots=True)
class Interest:
    """What a reader is ranked by: the profile's words, and the papers voted on.

    ``text`` may hold several interests, separated by blank lines. ``ages`` are the days since each vote, 0 by default.
    ``weights`` are factors on the weight of votes, 1 by default: papers of a library count less. ``ignored`` are words
    that are left out of every score. ``learned`` was fitted to the same votes by ``Ranker.learn``; without it, models
    are fitted when the reader is ranked.
    """

    text: str = ""
    rules: Rules = field(default_factory=Rules)
    up: Sequence[Paper | VotedPaper] = ()
    down: Sequence[Paper | VotedPaper] = ()
    ages: Mapping[PaperId, float] = field(default_factory=dict)
    weights: Mapping[PaperId, float] = field(default_factory=dict)
    ignored: Collection[str] = ()
    learned: Learned | None = None
    mixture: Mixture = SHIPPED

    @property
    def paragraphs(self) -> list[str]:
        """The interests as separate texts; the keywords where there are no interests."""
        text = self.text.strip() or " ".join(self.rules.keywords)
        return [part for part in text.split("\n\n") if part.strip()]

    @property
    def model_key(self) -> Hashable:
        """Cache key: readers with equal keys share a model."""
        if self.up or self.down or self.learned:
            return id(self)
        mixture = (self.mixture.weights.tobytes(), self.mixture.offset)
        return self.text, self.rules, tuple(self.ignored), mixture


class Best(NamedTuple):
    """A reader's best candidates: their rows, best first, and their probabilities."""

    rows: np.ndarray
    probabilities: np.ndarray


class Ranker:
    """Ranks for any number of readers over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._pool: Pool | None = None

    def rank(self, interest: Interest, candidates: Sequence[Paper]) -> Ranking:
        """Return every candidate's score for one reader."""
        return next(self.rankings([interest], [candidates]))

    def rankings(self, interests: Sequence[Interest], candidates: Sequence[Sequence[Paper]]) -> Iterator[Ranking]:
        """Yield for each reader a ranking of their own candidates; memory grows with readers times terms.

        Candidates are transformed once for all readers, and all models are trained in a few matrix products. Readers
        of one profile who have not voted share a model, and with equal candidates the ranking.
        """
        papers = {paper.id: paper for reader_papers in candidates for paper in reader_papers}
        ordered = [papers[paper_id] for paper_id in sorted(papers)]
        # The last pool is reused, as most batches of a day rank the same papers.
        pool = self._pool
        if pool is None or pool.papers != ordered:
            pool = Pool(self._corpus, ordered)
            self._pool = pool
        shared: dict[Hashable, int] = {}
        places = [shared.setdefault(interest.model_key, len(shared)) for interest in interests]
        distinct = [interests[places.index(place)] for place in range(len(shared))]
        # BLAS threads that wait for one another cost more than they save on products of this size.
        with threadpool_limits(1):
            batch = _ReaderBatch(self._corpus, distinct)
            experts = batch.experts()
            log_odds = experts.log_odds(pool.seen)
        models: dict[int, Model] = {}
        shared_rankings: dict[tuple[int, tuple[PaperId, ...]], Ranking] = {}
        readers = Counter(places)
        for place, reader_papers in zip(places, candidates, strict=True):
            key = (place, tuple([paper.id for paper in reader_papers]))
            ranking = shared_rankings.get(key)
            if ranking is None:
                model = models.get(place) or models.setdefault(place, batch.model(place, experts))
                mixed = model.mixture.log_odds(log_odds[place])
                scores = _scores(pool, mixed, model, distinct[place].rules, reader_papers)
                ranking = Ranking(tuple(scores), pool, model, log_odds[place])
                # Others are not kept: those of a batch would hold 60,000 scores.
                if readers[place] > 1:
                    shared_rankings[key] = ranking
            yield ranking

    def learn(self, interests: Sequence[Interest]) -> list[Learned | None]:
        """Fit models to each reader's votes, ignoring ``Interest.learned``; None for readers without votes."""
        with threadpool_limits(1):
            return _ReaderBatch(self._corpus, [replace(interest, learned=None) for interest in interests]).learned()

    def distinctive_words(self, text: str, count: int) -> list[str]:
        """Return up to ``count`` words of a text, as spelled there: those of the highest TF-IDF weight first."""
        spelled = {token.stem: token.spelling for token in tokens(text)}
        row = self._corpus.transform([text])
        by_weight = self._corpus.terms_[row.indices[np.argsort(-row.data)]]
        return [spelled[term] for term in by_weight.tolist() if term in spelled][:count]

    def similarities(self, paper: Paper, others: Sequence[Paper]) -> list[float]:
        """Return the similarity of each other paper to this one, 0 to 1; see ``Pool.similarity``."""
        pool = Pool(self._corpus, [paper, *others])
        return [pool.similarity(paper.id, other.id) for other in others]

    @property
    def spellings(self) -> Mapping[str, str]:
        """The usual spelling of each word of the corpus, by the word in lower case."""
        return self._corpus.spellings_.by_word

    @property
    def vocabulary(self) -> int:
        """The hash of the vocabulary: models that were fitted over another are not used."""
        return self._corpus.identity

    def best(self, interests: Sequence[Interest], candidates: Sequence[Paper], top: int) -> Iterator[Best]:
        """Yield for each reader the rows of the ``top`` candidates, best first, and their probabilities.

        Scores are those of ``rank``, without reasons and keywords; papers without a required term are left out.
        """
        pool = Pool(self._corpus, candidates)
        for start in range(0, len(interests), _BATCH):
            batch = interests[start : start + _BATCH]
            with threadpool_limits(1):
                log_odds = _ReaderBatch(self._corpus, batch).experts().log_odds(pool.seen)
            mixed = [interest.mixture.log_odds(row) for interest, row in zip(batch, log_odds, strict=True)]
            best_of_all = _best(np.array(mixed), min(top, len(candidates)))
            for interest, row, best in zip(batch, mixed, best_of_all, strict=True):
                if not interest.rules.require:
                    yield best
                    continue
                complete = [number for number in range(len(row)) if not pool.missing_group(number, interest.rules)]
                rows = np.array(complete, dtype=int)
                (best_of_rows,) = _best(row[None, rows], min(top, len(rows)))
                yield Best(rows[best_of_rows.rows], best_of_rows.probabilities)


def _scores(pool: Pool, log_odds: np.ndarray, model: Model, rules: Rules, candidates: Sequence[Paper]) -> list[Score]:
    """Return the candidates' scores, best first; ``log_odds`` (n_papers,) is of the whole pool."""
    matches = pool.rule_matches(rules)
    rows = np.array([pool.row[paper.id] for paper in candidates], dtype=int)
    rest = log_odds[rows]
    if model.ignored.size:
        rest = rest - model.left_out(pool.terms.entries(rows))
    total = rest + matches.weights[rows]
    # Ties are broken by id, so that a ranking doesn't depend on the order of its candidates.
    order = np.lexsort((pool.ids[rows], -total))
    # Plain numbers, not NumPy scalars, and the constructor of tuples: the score's and ``_make`` are slow.
    ranked: list[int] = rows[order].tolist()
    fields = zip(
        pool.ids[ranked].tolist(),
        expit(total[order]).tolist(),
        total[order].tolist(),
        rest[order].tolist(),
        map(matches.bonuses.__getitem__, ranked),
        repeat(MappingProxyType({})),
        map(matches.followed.__getitem__, ranked),
        map(matches.muted.__getitem__, ranked),
        map(matches.lacks.__getitem__, ranked),
        repeat(()),
        strict=False,
    )
    return list(map(tuple.__new__, repeat(Score), fields))


class _ReaderBatch:
    """A batch's interests and votes as vectors; a paper that many readers judged is transformed once."""

    def __init__(self, corpus: Corpus, interests: Sequence[Interest]) -> None:
        self._interests = interests
        self._corpus = corpus
        texts = [(reader, part) for reader, interest in enumerate(interests) for part in interest.paragraphs]
        self._owners = np.array([reader for reader, _ in texts], dtype=int)
        # vstack raises for an empty list: a batch of readers without interests has none.
        no_rows = sp.csr_matrix((0, len(corpus.terms_)), dtype=np.float32)
        # Readers of one profile have the same text.
        rows = {part: topics_row(corpus, part) for part in dict.fromkeys(part for _, part in texts)}
        self._topics = sp.vstack([no_rows, *(rows[part] for _, part in texts)], format="csr")
        self._topics_of: dict[tuple[str, ...], sp.csr_matrix] = {}  # by paragraphs; filled on use
        self._conjunctions = Conjunctions.from_texts(corpus, [interest.paragraphs for interest in interests])
        papers = {paper.id: paper for interest in interests for paper in (*interest.up, *interest.down)}
        self._papers = list(papers.values())
        self._row = {paper_id: row for row, paper_id in enumerate(papers)}
        self._vectors = corpus.transform([paper.text for paper in self._papers])

    def experts(self) -> Experts:
        """Return the experts fitted to all readers of the batch."""
        readers = len(self._interests)
        up, n_up = self._centroids([interest.up for interest in self._interests])
        down, n_down = self._centroids([interest.down for interest in self._interests])
        topics = centroids(self._topics, self._owners.tolist(), np.ones(len(self._owners)), readers)
        users = UserVectors(topics, up, down, n_up, n_down)
        return Experts(self._corpus).fit(users, self._judged, self._conjunctions, self.learned())

    def learned(self) -> list[Learned | None]:
        """Return the models of each reader's votes, fitted now unless they are given over the same vocabulary."""
        judged = self._judged
        background = self._corpus.background_
        models: list[Learned | None] = []
        for reader, interest in enumerate(self._interests):
            model = interest.learned
            if model and model.vocabulary != self._corpus.identity:
                model = None
            votes = [*((paper.id, True) for paper in interest.up), *((paper.id, False) for paper in interest.down)]
            if votes and not model:
                # Relative to the newest vote: the same votes give the same models on any later day, so that they can
                # be stored.
                ages = np.array([interest.ages.get(paper_id, 0.0) for paper_id, _ in votes])
                unjudged = np.setdiff1d(np.arange(background.shape[0]), judged[reader].indices)
                drawn = unjudged[np.linspace(0, len(unjudged) - 1, min(BACKGROUND, len(unjudged))).astype(int)]
                model = learn(
                    self._corpus,
                    TrainingVotes(
                        rows=self._vectors[[self._row[paper_id] for paper_id, _ in votes]],
                        liked=np.array([liked for _, liked in votes]),
                        weight=np.array(
                            [
                                time_decay(age) * interest.weights.get(paper_id, 1.0)
                                for age, (paper_id, _) in zip((ages - ages.min()).tolist(), votes, strict=True)
                            ]
                        ),
                        interests=sp.csr_matrix(self._topics[self._owners == reader].sum(axis=0)),
                        background=background[drawn],
                    ),
                )
            models.append(model)
        return models

    def model(self, reader: int, experts: Experts) -> Model:
        interest = self._interests[reader]
        ignored, _ = self._corpus.columns(term for phrase in interest.ignored for term in topical_terms(phrase))
        paragraphs = tuple(interest.paragraphs)
        if paragraphs not in self._topics_of:
            first, end = np.searchsorted(self._owners, (reader, reader + 1))
            self._topics_of[paragraphs] = self._topics[first:end]
        liked = list(dict.fromkeys(paper.id for paper in interest.up))
        disliked = list(dict.fromkeys(paper.id for paper in interest.down))
        voted = [self._row[paper_id] for paper_id in (*liked, *disliked)]
        return Model(
            experts=experts,
            reader=reader,
            mixture=interest.mixture,
            ignored=np.sort(ignored),
            interests=self._topics_of[paragraphs],
            votes=VotedTerms(self._corpus, self._vectors, voted, liked),
        )

    @cached_property
    def _judged(self) -> sp.csr_matrix:
        """True where the reader voted on the background paper, (n_readers, n_background)."""
        background_row = self._corpus.in_background([paper.text for paper in self._papers])
        voted = [[*interest.up, *interest.down] for interest in self._interests]
        readers = np.repeat(np.arange(len(voted)), list(map(len, voted)))
        columns = background_row[[self._row[paper.id] for papers in voted for paper in papers]]
        marks = (readers[columns >= 0], columns[columns >= 0])
        shape = (len(voted), self._corpus.background_.shape[0])
        return sp.csr_matrix((np.ones(len(marks[0]), bool), marks), shape=shape)

    def _centroids(self, papers: Sequence[Sequence[Paper | VotedPaper]]) -> tuple[sp.csr_matrix, np.ndarray]:
        """Return the centroid of each reader's papers, and their number of votes after time decay."""
        votes = [(reader, paper.id) for reader, voted in enumerate(papers) for paper in voted]
        readers = [reader for reader, _ in votes]
        decayed = np.array([time_decay(self._interests[reader].ages.get(paper_id, 0.0)) for reader, paper_id in votes])
        weights = [self._interests[reader].weights.get(paper_id, 1.0) for reader, paper_id in votes]
        in_centroid = decayed * np.array([centroid_weight(weight) for weight in weights])
        rows = self._vectors[[self._row[paper_id] for _, paper_id in votes]]
        n_votes = np.bincount(np.array(readers, int), decayed * np.array(weights), len(papers))
        return centroids(rows, readers, in_centroid, len(papers)), n_votes


def _best(log_odds: np.ndarray, top: int) -> Iterator[Best]:
    """Yield for each row the columns of the ``top`` highest, in descending order, and their probabilities."""
    if not top:
        yield from [Best(np.array([], int), np.array([]))] * len(log_odds)
        return
    # argpartition is linear in the candidates; only the top ones are sorted.
    columns = np.argpartition(-log_odds, top - 1, axis=1)[:, :top]
    values = np.take_along_axis(log_odds, columns, axis=1)
    order = np.lexsort((columns, -values))
    probabilities = expit(np.take_along_axis(values, order, axis=1).astype(float))
    yield from map(Best, np.take_along_axis(columns, order, axis=1), probabilities)
