"""Rank for any number of readers: interests and candidates in, scores out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from bot.model import Paper, PaperId, RankedText, Score, VotedPaper
from bot.ranking.corpus import Corpus, Papers
from bot.ranking.experts import SHIPPED, Examples, Experts, Learned, Mixture, TrainingVotes, learn, time_decay
from bot.ranking.matching import PhraseIndex, TextModel
from bot.ranking.refusals import Refusals
from bot.ranking.scoring import Model, Pool, Ranking, Rules, VotedTerms
from bot.text.tokens import tokens, topical_terms

_BATCH = 200
# Earlier papers ranked beside new ones. An edition uses a few.
_MOST_EARLIER = 50
_MOST_TEXTS = 2_000
_OF_SAVED = 0.5  # the weight of a paper saved for later, relative to a liked one


@dataclass(frozen=True, slots=True)
class Interest:
    """The profile's words, and the papers voted on.

    Blank lines in ``text`` separate interests. ``ages`` are days since each vote. ``weights`` are of library papers,
    which don't fade. ``saved`` are the papers of ``up`` that weigh half. ``ignored`` words count in no score. Without
    ``learned``, the model is fitted during ranking.
    """

    text: str = ""
    rules: Rules = field(default_factory=Rules)
    up: Sequence[Paper | VotedPaper] = ()
    down: Sequence[Paper | VotedPaper] = ()
    ages: Mapping[PaperId, float] = field(default_factory=dict)
    weights: Mapping[PaperId, float] = field(default_factory=dict)
    saved: Collection[PaperId] = ()
    ignored: Collection[str] = ()
    learned: Learned | None = None
    mixture: Mixture = SHIPPED

    @property
    def paragraphs(self) -> list[str]:
        """The interests as separate texts, or the keywords."""
        text = self.text.strip() or " ".join(self.rules.keywords)
        return [part for part in text.split("\n\n") if part.strip()]

    def weight(self, paper: PaperId, newest: float = 0.0) -> float:
        """Return a vote's weight relative to one given ``newest`` days ago."""
        fixed = self.weights.get(paper)
        if fixed is not None:
            return fixed
        return time_decay(self.ages.get(paper, 0.0) - newest) * (_OF_SAVED if paper in self.saved else 1.0)


class Best(NamedTuple):
    """Rows, best first, and their probabilities."""

    rows: np.ndarray
    probabilities: np.ndarray


class Ranker:
    """Ranks for any number of readers over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._pool: Pool | None = None
        # Products of this size gain nothing from BLAS threads.
        self._threads = ThreadpoolController()
        self._text_model = lru_cache(maxsize=_MOST_TEXTS)(
            lambda paragraphs: TextModel(paragraphs, corpus.meaning_, corpus.background_.meanings)
        )

    def rank(self, interest: Interest, candidates: Sequence[Paper]) -> Ranking:
        return next(self.rankings([interest], [candidates]))

    def rankings(
        self,
        interests: Sequence[Interest],
        candidates: Sequence[Sequence[Paper]],
        earlier: Sequence[Sequence[Paper]] | None = None,
    ) -> Iterator[Ranking]:
        """Yield each reader's ranking of their candidates and of their best 50 ``earlier`` papers."""
        earlier = earlier or [()] * len(interests)
        papers = {paper.id: paper for reader_papers in (*candidates, *earlier) for paper in reader_papers}
        ordered = [papers[paper_id] for paper_id in sorted(papers)]
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
                rows = pool.rows(old)
                total = mixed[rows] + pool.rule_matches(interest.rules).weights[rows]
                best = rows[np.lexsort((pool.ids[rows], -total))[:_MOST_EARLIER]]
                scores = _scores(pool, mixed, model, interest.rules, np.append(pool.rows(new), best))
            yield Ranking(tuple(scores), pool, model, matches, log_odds)

    def learn(self, interests: Sequence[Interest]) -> list[Learned | None]:
        """Fit a model to each reader's votes, None without votes."""
        unlearned = [replace(interest, learned=None) for interest in interests]
        batch = _ReaderBatch(self, self._corpus, unlearned)
        with self._threads.limit(limits=1):
            return [batch.learned(interest) for interest in unlearned]

    def text(self, paragraphs: Sequence[str]) -> TextModel:
        return self._text_model(tuple(paragraphs))

    def distinctive_words(self, text: str, count: int) -> list[str]:
        """Return words as spelled in the text, by descending TF-IDF weight."""
        spelled = {token.stem: token.spelling for token in tokens(text)}
        row = self._corpus.transform([text])
        by_weight = self._corpus.terms_[row.indices[np.argsort(-row.data)]]
        return [spelled[term] for term in by_weight.tolist() if term in spelled][:count]

    def similarities(self, pairs: Sequence[tuple[RankedText, RankedText]]) -> list[float]:
        """Return the similarity of each pair, as ``Pool.similarity``."""
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
        """The usual spelling of each word, by its lower case."""
        return self._corpus.spellings_.by_word

    @property
    def vocabulary(self) -> int:
        """The hash of the vocabulary, which models must match."""
        return self._corpus.identity

    def best(self, interests: Sequence[Interest], candidates: Sequence[Paper], top: int) -> Iterator[Best]:
        """Yield each reader's ``top`` candidates, without keywords.

        Papers without a required term are left out.
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
                    for row, loss in model.refusals.losses(pool.papers, pool.seen.index, rows, log_odds).items():
                        log_odds[row] += loss.weight
                if interest.rules.require:
                    rows = rows[[not pool.missing_group(row, interest.rules) for row in rows.tolist()]]
                if top < len(rows):
                    rows = rows[np.argpartition(-log_odds[rows], top - 1)[:top]]
                best = rows[np.lexsort((rows, -log_odds[rows]))]
                yield Best(best, expit(log_odds[best].astype(float)))


def _scores(pool: Pool, log_odds: np.ndarray, model: Model, rules: Rules, rows: np.ndarray) -> list[Score]:
    """Return scores, best first. ``log_odds`` is (n_papers,)."""
    matches = pool.rule_matches(rules)
    rest = log_odds[rows]
    if model.ignored:
        rest = rest - model.left_out(pool, pool.seen.matches(model.text), rows)
    total = rest + matches.weights[rows]
    bonuses = list(map(matches.bonuses.__getitem__, rows.tolist()))
    if model.refusals.in_titles:
        for place, loss in model.refusals.losses(pool.papers, pool.seen.index, rows, total).items():
            total[place] += loss.weight
            bonuses[place] += (loss,)
    # Break ties by id.
    order = np.lexsort((pool.ids[rows], -total))
    # Much faster than NumPy scalars and ``Score``.
    ranked: list[int] = rows[order].tolist()
    fields = zip(
        pool.ids[ranked].tolist(),
        expit(total[order]).tolist(),
        total[order].tolist(),
        rest[order].tolist(),
        map(bonuses.__getitem__, order.tolist()),
        repeat(MappingProxyType({})),
        map(matches.followed.__getitem__, ranked),
        map(matches.muted.__getitem__, ranked),
        map(matches.lacks.__getitem__, ranked),
        repeat(()),
        strict=False,
    )
    return list(map(tuple.__new__, repeat(Score), fields))


class _ReaderBatch:
    """The papers of a batch's votes, each read once."""

    def __init__(self, ranker: Ranker, corpus: Corpus, interests: Sequence[Interest]) -> None:
        self._ranker = ranker
        self._corpus = corpus
        self._texts = {tuple(interest.paragraphs) for interest in interests}
        papers = {paper.id: paper for interest in interests for paper in (*interest.up, *interest.down)}
        self._row = {paper_id: row for row, paper_id in enumerate(papers)}
        texts = [paper.text for paper in papers.values()]
        self._papers = corpus.papers(texts)
        self._background_row = corpus.in_background(texts)

    @cached_property
    def _refused_words(self) -> PhraseIndex | None:
        """Where the voted papers have words that a reader refuses, if any does."""
        refusals = [refusal for paragraphs in self._texts for refusal in self._ranker.text(paragraphs).refusals]
        if not refusals:
            return None
        # By their last 16 bits, in a fifth of the time. Other words do no harm.
        is_refused = np.zeros(2**16, dtype=bool)
        is_refused[[word % 2**16 for refusal in refusals for word in refusal.hashes]] = True
        words = self._papers.words
        return PhraseIndex(words.only(is_refused[words.words % 2**16]))

    def model(self, interest: Interest) -> tuple[Model, Experts]:
        votes = sum(interest.weight(paper.id) for paper in (*interest.up, *interest.down))
        experts = Experts(self.learned(interest), votes, len(self._corpus.terms_))
        liked = list(dict.fromkeys(paper.id for paper in interest.up))
        disliked = list(dict.fromkeys(paper.id for paper in interest.down))
        voted = [self._row[paper_id] for paper_id in (*liked, *disliked)]
        text = self._ranker.text(interest.paragraphs)
        model = Model(
            form=experts.mixed(interest.mixture),
            mixture=interest.mixture,
            text=text,
            ignored=frozenset(term for phrase in interest.ignored for term in topical_terms(phrase)),
            votes=VotedTerms(self._corpus, self._papers.terms, voted, liked),
            refusals=Refusals(text, {self._row[paper.id]: paper for paper in interest.up}, self._refused_words),
        )
        return model, experts

    def learned(self, interest: Interest) -> Learned | None:
        if interest.learned and interest.learned.vocabulary == self._corpus.identity:
            return interest.learned
        votes = [*((paper.id, True) for paper in interest.up), *((paper.id, False) for paper in interest.down)]
        if not votes:
            return None
        text = self._ranker.text(interest.paragraphs)
        rows = [self._row[paper_id] for paper_id, _ in votes]
        # Relative to the newest vote, so a stored model stays valid on later days.
        newest = min(interest.ages.get(paper_id, 0.0) for paper_id, _ in votes)
        weight = [interest.weight(paper_id, newest) for paper_id, _ in votes]
        judged = self._background_row[rows]
        unjudged = np.ones(len(self._corpus.background_), dtype=bool)
        unjudged[judged[judged >= 0]] = False

        def examples(papers: Papers) -> Examples:
            return Examples(papers.terms, papers.meanings, papers.matches(text).matrix())

        voted = self._papers[rows]
        is_title = voted.words.are_titles
        wanted, written = text.written(self._corpus.transform)
        return learn(
            TrainingVotes(
                papers=Examples(voted.terms, voted.meanings, text.features(voted.index, voted.meanings).matrix()),
                liked=np.array([liked for _, liked in votes]),
                weight=np.array(weight),
                written=Examples(*written),
                wanted=wanted,
                background=examples(self._corpus.background_),
                unjudged=unjudged,
                is_title=is_title,
                titles=examples(self._corpus.background_titles_) if is_title.any() else None,
            ),
            self._corpus.identity,
        )
