"""The feedback loop of a home in process: what the learner's constants were chosen by, and what a fit costs.

    python bench/learner.py papers.jsonl.gz bench/readers.json [CONSTANT=VALUE ...]

Papers are JSON Lines of ``day`` (or ``announced``), ``id``, ``title`` and ``abstract``; readers are
``{name: {"interests", "need": [pattern, ...], "refuse": pattern}}``: a reader likes papers that match every ``need``
and no ``refuse``, and one vote of twenty is the wrong way round. Each day every reader is shown ten papers, votes on
them, and the models are fitted anew. Constants are those of ``bot.ranking``'s modules, such as
``learner._TREES=100``; they are chosen on readers and days that no figure is reported of.

``readers.json`` beside this script has 18 readers. Constants were chosen on graph-ml, robot-llm, code-llm, safety, mt,
agents, edu, bandits and vlm-reason, and confirmed on the nine others.

Prints the mean average precision of the profile's words alone over all days. For the second half of the days and some
thresholds it prints precision, the share of what could be liked that was shown, the expected calibration error, and how
many of the matches of 0.5 and more were liked; and the milliseconds of processor time of a fit, by the number of votes.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import itertools
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.metrics import average_precision_score

from bot.ranking import learner
from bot.ranking.corpus import Corpus
from bot.ranking.experts import EXPERTS, Experts, Papers, Predictions, home_mixture, reader_mixture
from bot.ranking.matching import Conjunctions, UserVectors, centroids, time_decay, topics_row

SIZE, NOISE, THRESHOLDS = 10, 0.05, (0.0, 0.1, 0.2, 0.3)


class Reader:
    """A rule that votes, and all that came of it: papers' rows, votes, days, and what experts said before each vote."""

    def __init__(self, name: str, rule: dict[str, Any], papers: Sequence[dict[str, Any]]) -> None:
        need, refuse = [re.compile(pattern) for pattern in rule["need"]], re.compile(rule["refuse"])
        texts = [f"{paper['title']}\n{paper['abstract']}".lower() for paper in papers]
        likes = [all(n.search(text) for n in need) and not refuse.search(text) for text in texts]
        self.name, self.interests, self.likes = name, rule["interests"], np.array(likes)
        self.votes = self.likes != np.array([_noise(name, paper["id"]) < NOISE for paper in papers])
        self.rows: list[int] = []
        self.days: list[int] = []
        self.said: list[np.ndarray] = []
        self.learned: learner.Learned | None = None
        self.shown: list[tuple[np.ndarray, np.ndarray]] = []

    @property
    def predictions(self) -> Predictions:
        return Predictions(np.array(self.said).reshape(-1, len(EXPERTS)), self.votes[self.rows])


def _noise(reader: str, paper: str) -> float:
    digest = hashlib.sha256(f"{reader} {paper} noise".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


class Home:
    """All papers as vectors once; a day's models know no paper of a later day but for the vocabulary."""

    def __init__(self, papers: Sequence[dict[str, Any]], readers: Sequence[Reader]) -> None:
        texts = [f"{paper['title']}\n{paper['abstract']}" for paper in papers]
        self.readers = readers
        self.corpus = Corpus().fit(texts)
        self.papers = Papers.from_texts(self.corpus, texts)
        interests = [reader.interests for reader in readers]
        self.interests = sp.vstack([topics_row(self.corpus, text) for text in interests], format="csr")
        self.conjunctions = Conjunctions.from_texts(self.corpus, [[text] for text in interests])
        self.background = self.corpus.in_background(texts)
        self.fits: list[tuple[int, float]] = []

    def words_alone(self) -> float:
        """Return the readers' mean average precision over all papers, before any vote."""
        log_odds = self._experts(0, 0).log_odds(self.papers)[:, :, EXPERTS.index("words")]
        ranked = zip(self.readers, log_odds, strict=True)
        return float(np.mean([average_precision_score(reader.likes, row) for reader, row in ranked]))

    def live(self, days: Sequence[np.ndarray]) -> None:
        for day, rows in enumerate(days):
            papers = Papers(self.papers.vectors[rows], self.papers.lexical[rows])
            log_odds = self._experts(day, int(rows[0])).log_odds(papers)
            home = home_mixture([reader.predictions for reader in self.readers])
            for number, reader in enumerate(self.readers):
                mixture = reader_mixture(reader.predictions, home)
                match = expit(mixture.log_odds(log_odds[number]))
                best = np.argsort(-match, kind="stable")[:SIZE]
                reader.shown.append((rows[best], match[best]))
                reader.rows += rows[best].tolist()
                reader.days += [day] * len(best)
                reader.said += list(log_odds[number][best])
                begin = time.process_time()
                reader.learned = learner.learn(self.corpus, self._votes(number, day, int(rows[-1])))
                self.fits.append((len(reader.rows), time.process_time() - begin))

    def _experts(self, day: int, first_new: int) -> Experts:
        """The day's; background papers that are judged or yet to come don't count as unjudged."""
        shape = (len(self.readers), self.corpus.background_.shape[0])
        judged = np.zeros(shape, dtype=bool)
        later = [place for place in self.background[first_new:] if place is not None]
        if first_new:
            judged[:, later] = True
        for number, reader in enumerate(self.readers):
            places = [self.background[row] for row in reader.rows]
            judged[number, [place for place in places if place is not None]] = True
        up, n_up = self._side(day, liked=True)
        down, n_down = self._side(day, liked=False)
        users = UserVectors(self.interests, up, down, n_up, n_down)
        learned = [reader.learned for reader in self.readers]
        return Experts(self.corpus).fit(users, sp.csr_matrix(judged), self.conjunctions, learned)

    def _side(self, day: int, *, liked: bool) -> tuple[sp.csr_matrix, np.ndarray]:
        votes = [
            (number, row, time_decay(day - when))
            for number, reader in enumerate(self.readers)
            for row, when in zip(reader.rows, reader.days, strict=True)
            if reader.votes[row] == liked
        ]
        owners, rows, weights = zip(*votes, strict=True) if votes else ((), (), ())
        counted = np.bincount(np.array(owners, int), np.array(weights), len(self.readers))
        own = self.papers.vectors.terms[list(rows)]
        return centroids(own, owners, weights, len(self.readers)), counted

    def _votes(self, number: int, day: int, last: int) -> learner.TrainingVotes:
        reader = self.readers[number]
        unjudged = np.setdiff1d(np.arange(last + 1), reader.rows)
        count = min(learner.BACKGROUND, len(unjudged))
        drawn = unjudged[np.linspace(0, len(unjudged) - 1, count).astype(int)]
        return learner.TrainingVotes(
            rows=self.papers.vectors.terms[reader.rows],
            liked=reader.votes[reader.rows],
            weight=np.array([time_decay(day - when) for when in reader.days]),
            interests=self.interests[number],
            background=self.papers.vectors.terms[drawn],
        )


def report(readers: Sequence[Reader], days: Sequence[np.ndarray], threshold: float) -> str:
    """One line of figures for the second half of the days."""
    since = len(days) // 2
    pairs: list[tuple[float, bool]] = []
    precisions, shares = [], []
    for reader in readers:
        rows, match = (np.concatenate(column) for column in zip(*reader.shown[since:], strict=True))
        liked = reader.likes[rows[match >= threshold]]
        could = sum(min(SIZE, int(reader.likes[day].sum())) for day in days[since:])
        precisions.append(liked.mean() if len(liked) else 0.0)
        shares.append(liked.sum() / max(could, 1))
        pairs += zip(match[match >= threshold].tolist(), liked.tolist(), strict=True)
    bins = np.array_split(np.array(sorted(pairs), float), 10)
    error = sum(len(each) * abs(each[:, 0].mean() - each[:, 1].mean()) for each in bins) / max(len(pairs), 1)
    sure = [liked for match, liked in pairs if match >= 0.5]
    each = "  ".join(f"{reader.name} {share:.2f}" for reader, share in zip(readers, shares, strict=True))
    return (
        f"threshold {threshold:.2f}: precision {np.mean(precisions):.3f}  share {np.mean(shares):.3f}  "
        f"ECE {error:.3f}  {len(sure)} matches >= 0.5 liked {np.mean(sure):.2f}\n    {each}"
    )


def main(data: Path, rules: Path, constants: Sequence[str]) -> None:
    """One loop, and its figures."""
    for constant in constants:
        name, value = constant.split("=")
        module, attribute = name.split(".")
        owner = importlib.import_module(f"bot.ranking.{module}")
        setattr(owner, attribute, type(getattr(owner, attribute))(float(value)))
    with gzip.open(data, "rt", encoding="utf-8") as lines:
        papers = [json.loads(line) for line in lines]
    day_of = [paper.get("day") or paper["announced"] for paper in papers]
    papers = [papers[n] for n in np.argsort(day_of, kind="stable")]
    days = [np.array(list(rows)) for _, rows in itertools.groupby(range(len(papers)), sorted(day_of).__getitem__)]
    readers = [Reader(name, rule, papers) for name, rule in json.loads(rules.read_text()).items()]
    home = Home(papers, readers)
    print(f"by the words alone: mean average precision {home.words_alone():.3f}", flush=True)
    home.live(days)
    for threshold in THRESHOLDS:
        print(report(readers, days, threshold), flush=True)
    for votes in (20, 100, 200, 400):
        seconds = [spent for n, spent in home.fits if n == votes]
        print(f"a fit after {votes} votes: {1000 * np.mean(seconds or [np.nan]):.0f} ms", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
