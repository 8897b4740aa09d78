"""Ranking for one reader or for thousands: interests and candidates in, scores with reasons out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from bot.model import Paper, PaperId, RankedText, Score, VotedPaper
from bot.ranking.corpus import Corpus
from bot.ranking.experts import SHIPPED, Examples, Experts, Learned, Mixture, TrainingVotes, learn, time_decay
from bot.ranking.matching import TextModel
from bot.ranking.ranking import Model, Pool, Ranking, Rules, VotedTerms
from bot.text.tokens import tokens, topical_terms

# Readers whose votes are read at once.
_BATCH = 200
# Papers of earlier days that a reader's new ones are ranked with: an edition takes a few of them.
_MOST_EARLIER = 50
# Models of texts that are kept.
_MOST_TEXTS = 2_000


@dataclass(frozen=True, slots=True)
class Interest:
    """What a reader is ranked by: the profile's words, and the papers voted on.

    ``text`` may hold several interests, separated by blank lines. ``ages`` are the days since each vote, 0 by default.
    ``weights`` are those of papers that don't fade: of a library. ``ignored`` are words that are left out of every
    score. ``learned`` was fitted to the same votes by ``Ranker.learn``; without it, models are fitted when the reader
    is ranked.
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

    def weight(self, paper: PaperId, newest: float = 0.0) -> float:
        """Return what a vote counts beside one given ``newest`` days ago."""
        fixed = self.weights.get(paper)
        return time_decay(self.ages.get(paper, 0.0) - newest) if fixed is None else fixed


class Best(NamedTuple):
    """A reader's best candidates: their rows, best first, and their probabilities."""

    rows: np.ndarray
    probabilities: np.ndarray


class Ranker:
    """Ranks for any number of readers over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._pool: Pool | None = None
        # BLAS threads that wait for one another cost more than they save on products of this size.
        self._threads = ThreadpoolController()
        # Readers of one profile share the model of its texts.
        self._text_model = lru_cache(maxsize=_MOST_TEXTS)(
            lambda paragraphs: TextModel(paragraphs, corpus.meaning_, corpus.background_.meanings)
        )

    def rank(self, interest: Interest, candidates: Sequence[Paper]) -> Ranking:
        """Return every candidate's score for one reader."""
        return next(self.rankings([interest], [candidates]))

    def rankings(
        self,
        interests: Sequence[Interest],
        candidates: Sequence[Sequence[Paper]],
        earlier: Sequence[Sequence[Paper]] | None = None,
    ) -> Iterator[Ranking]:
        """Yield for each reader a ranking of their own candidates, and of the best 50 of their ``earlier`` papers.

        Papers are read once for all readers.
        """
        earlier = earlier or [()] * len(interests)
        papers = {paper.id: paper for reader_papers in (*candidates, *earlier) for paper in reader_papers}
        ordered = [papers[paper_id] for paper_id in sorted(papers)]
        # The last pool is reused, as most batches of a day rank the same papers.
        pool = self._pool
        if pool is None or pool.papers != ordered:
            pool = Pool(self._corpus, ordered)
            self._pool = pool
        batch = _ReaderBatch(self, self._corpus, interests)
        for interest, new, old in zip(interests, candidates, earlier, strict=True):
            with self._threads.limit(limits=1):
                model, experts = batch.model(interest)
                matches = pool.seen.matches(model.text)
                log_odds = experts.log_odds(pool.seen, matches)
                mixed = model.mixture.log_odds(log_odds)
                best = _best_rows(pool, mixed, interest.rules, pool.rows(old), _MOST_EARLIER)
                scores = _scores(pool, mixed, model, interest.rules, np.append(pool.rows(new), best))
            yield Ranking(tuple(scores), pool, model, matches, log_odds)

    def learn(self, interests: Sequence[Interest]) -> list[Learned | None]:
        """Fit a model to each reader's votes, ignoring ``Interest.learned``; None for readers without votes."""
        unlearned = [replace(interest, learned=None) for interest in interests]
        batch = _ReaderBatch(self, self._corpus, unlearned)
        with self._threads.limit(limits=1):
            return [batch.learned(interest) for interest in unlearned]

    def text(self, paragraphs: Sequence[str]) -> TextModel:
        """Return the model of a reader's texts."""
        return self._text_model(tuple(paragraphs))

    def distinctive_words(self, text: str, count: int) -> list[str]:
        """Return up to ``count`` words of a text, as spelled there: those of the highest TF-IDF weight first."""
        spelled = {token.stem: token.spelling for token in tokens(text)}
        row = self._corpus.transform([text])
        by_weight = self._corpus.terms_[row.indices[np.argsort(-row.data)]]
        return [spelled[term] for term in by_weight.tolist() if term in spelled][:count]

    def similarities(self, pairs: Sequence[tuple[RankedText, RankedText]]) -> list[float]:
        """Return the similarity of the two papers of each pair, 0 to 1; see ``Pool.similarity``."""
        if not pairs:
            return []
        rows = {text: row for row, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
        papers = self._corpus.papers(list(rows))
        first, second = ([rows[pair[side]] for pair in pairs] for side in (0, 1))
        terms = np.asarray(papers.terms[first].multiply(papers.terms[second]).sum(axis=1)).ravel()
        meanings = np.einsum("ij,ij->i", papers.meanings[first], papers.meanings[second])
        return [float(similarity) for similarity in (terms + np.maximum(meanings, 0)) / 2]

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
            part = interests[start : start + _BATCH]
            batch = _ReaderBatch(self, self._corpus, part)
            for interest in part:
                with self._threads.limit(limits=1):
                    model, _ = batch.model(interest)
                    log_odds = model.form.log_odds(pool.seen, pool.seen.matches(model.text))
                rows = np.arange(len(candidates))
                if interest.rules.require:
                    rows = rows[[not pool.missing_group(row, interest.rules) for row in rows.tolist()]]
                yield _best(log_odds, rows, top)


def _best_rows(pool: Pool, log_odds: np.ndarray, rules: Rules, rows: np.ndarray, most: int) -> np.ndarray:
    """Return up to ``most`` of these rows: those of the highest log-odds, which are of the whole pool."""
    total = log_odds[rows] + pool.rule_matches(rules).weights[rows]
    return np.asarray(rows[np.lexsort((pool.ids[rows], -total))[:most]])


def _scores(pool: Pool, log_odds: np.ndarray, model: Model, rules: Rules, rows: np.ndarray) -> list[Score]:
    """Return the scores of these rows, best first; ``log_odds`` (n_papers,) is of the whole pool."""
    matches = pool.rule_matches(rules)
    rest = log_odds[rows]
    if model.ignored:
        rest = rest - model.left_out(pool, pool.seen.matches(model.text), rows)
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
    """The papers that a batch of readers voted on; one that many voted on is read once."""

    def __init__(self, ranker: Ranker, corpus: Corpus, interests: Sequence[Interest]) -> None:
        self._ranker = ranker
        self._corpus = corpus
        papers = {paper.id: paper for interest in interests for paper in (*interest.up, *interest.down)}
        self._row = {paper_id: row for row, paper_id in enumerate(papers)}
        texts = [paper.text for paper in papers.values()]
        self._papers = corpus.papers(texts)
        self._background_row = corpus.in_background(texts)

    def model(self, interest: Interest) -> tuple[Model, Experts]:
        """Return a reader's model, fitted now unless it is given over the same vocabulary, and its experts."""
        votes = sum(interest.weight(paper.id) for paper in (*interest.up, *interest.down))
        experts = Experts(self.learned(interest), votes, len(self._corpus.terms_))
        liked = list(dict.fromkeys(paper.id for paper in interest.up))
        disliked = list(dict.fromkeys(paper.id for paper in interest.down))
        voted = [self._row[paper_id] for paper_id in (*liked, *disliked)]
        model = Model(
            form=experts.mixed(interest.mixture),
            mixture=interest.mixture,
            text=self._ranker.text(interest.paragraphs),
            ignored=frozenset(term for phrase in interest.ignored for term in topical_terms(phrase)),
            votes=VotedTerms(self._corpus, self._papers.terms, voted, liked),
        )
        return model, experts

    def learned(self, interest: Interest) -> Learned | None:
        """Return the model of a reader's votes; None without votes."""
        if interest.learned and interest.learned.vocabulary == self._corpus.identity:
            return interest.learned
        votes = [*((paper.id, True) for paper in interest.up), *((paper.id, False) for paper in interest.down)]
        if not votes:
            return None
        text = self._ranker.text(interest.paragraphs)
        rows = [self._row[paper_id] for paper_id, _ in votes]
        # Relative to the newest vote: the same votes give the same model on any later day, so that it can be stored.
        newest = min(interest.ages.get(paper_id, 0.0) for paper_id, _ in votes)
        weight = [interest.weight(paper_id, newest) for paper_id, _ in votes]
        background = self._corpus.background_
        unjudged = np.setdiff1d(np.arange(len(background)), self._background_row[rows])
        matches = background.matches(text).matrix()
        voted = self._papers[rows]
        wanted, written = text.written(self._corpus.transform)
        return learn(
            TrainingVotes(
                papers=Examples(voted.terms, voted.meanings, text.features(voted.index, voted.meanings).matrix()),
                liked=np.array([liked for _, liked in votes]),
                weight=np.array(weight),
                written=Examples(*written),
                wanted=wanted,
                background=Examples(background.terms[unjudged], background.meanings[unjudged], matches[unjudged]),
            ),
            self._corpus.identity,
        )


def _best(log_odds: np.ndarray, rows: np.ndarray, top: int) -> Best:
    """Return the ``top`` of these rows with the highest log-odds, in descending order, and their probabilities."""
    if top < len(rows):
        # argpartition is linear in the candidates; only the top ones are sorted.
        rows = rows[np.argpartition(-log_odds[rows], top - 1)[:top]]
    best = rows[np.lexsort((rows, -log_odds[rows]))]
    return Best(best, expit(log_odds[best].astype(float)))
