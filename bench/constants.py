"""What each constant of the ranking, the selection and the summaries is worth: one at a time, at other values.

    python bench/constants.py libraries ../shared/bench [CONSTANT=VALUE ...]
    python bench/constants.py editions ../shared/bench [CONSTANT=VALUE ...]
    python bench/constants.py summaries ../shared/bench [CONSTANT=VALUE ...]

A constant is written as ``ranking.vectors._NEIGHBOURS=15``; without any, those of the section's table are measured.

    libraries  nDCG@20 of the expert Rocchio on readers' libraries (citeulike-t) by interest words alone, and after 5
               and 20 votes each way, where a fifth of the papers is new and disliked ones resemble the library
    editions   editions on the later half of the days of a stream, after 20 votes each way on the earlier half: of full
               ones (ten papers, no threshold) the liked picks and how similar picks of a day are; of those with a
               threshold of .2 the liked picks, the precision, and the exploratory picks
    summaries  five-fold coverage of marked roles by 2 and 3 sentences; for 200 abstracts dangling openers, background
               first, and bold sentences; findings among the bold sentences of part "report" of the labels

Each row is the difference to the shipped constants, with the standard error of paired differences where a figure is a
mean over readers. ``learner.py`` measures the constants of the learned experts and their mixture, ``words.py`` those of
the expert of words.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from learner import Reader
from summary_report import STRICT, WIDE, coverage, dangling, labelled_findings, out_of_fold
from summary_weights import training_data

from bot.model import Paper, PickKind
from bot.ranking.corpus import Corpus, PaperVectors
from bot.ranking.matching import ReaderModels, UserVectors, centroids, topics_row
from bot.ranking.prequential import ndcg_at
from bot.ranking.ranker import Interest, Ranker
from bot.ranking.ranking import Ranking
from bot.ranking.selection import Choice, SelectionLimits, select
from bot.summaries.roles import shipped_weights

# The values that each constant is measured at: about half and twice the shipped one where it isn't a share.
LIBRARY_CONSTANTS = {
    "ranking.matching._INTERESTS_WEIGHT": (1.75, 7),
    "ranking.matching._INTERESTS_DECAY_FROM": (1, 4),
    "ranking.matching._INTERESTS_DECAY": (0.4, 1.6),
    "ranking.matching._RARITY_EXPONENT": (0, 0.25, 1),
    "ranking.matching._DISLIKES_WEIGHT": (0, 0.15, 0.6),
    "ranking.matching._DISLIKES_HALF_AT": (2.5, 10),
    "ranking.matching._LATENT_WEIGHT": (0.5, 2),
    "ranking.matching._HARD_NEGATIVE_ONE_IN": (50, 200),
    "ranking.matching._HARD_NEGATIVES_WEIGHT": (0, 0.1, 0.4),
    "ranking.corpus._NEIGHBOURS": (2, 10),
    "ranking.corpus._NEIGHBOUR_WEIGHT": (0, 0.3, 1.2),
    "ranking.corpus._PAIR_WEIGHT": (0.125, 0.5),
    "ranking.corpus._IDF_EXPONENT": (0.75, 1.25),
    "ranking.corpus._LENGTH_SLOPE": (0.5, 1),
    "ranking.corpus._COMPONENTS": (64, 256),
    "ranking.corpus._MIN_PAPERS_OF_WORD": (1, 4),
}
EDITION_CONSTANTS = {
    "ranking.selection._NEAR_DUPLICATE": (0.6, 0.7, 0.8, 2),
    "ranking.selection._REDUNDANCY_WEIGHT": (0, 0.35, 1),
    "ranking.selection._CANDIDATES_PER_PLACE": (2, 10),
    "ranking.selection._PICKS_PER_EXPLORATION": (0, 2, 8),
}
SUMMARY_CONSTANTS = {
    "summaries.summary._DOUBT": (0.2, 0.8),
    "summaries.summary._TASK_WORTH_OF_FEW": (0.1, 0.5, 1),
    "summaries.summary._DANGLING_COST": (0, 0.1, 0.4),
    "summaries.summary._BACKGROUND_FROM": (0.3, 0.7),
    "summaries.summary._FINDING_BOOST": (0, 0.5, 1, 1.6),
    "summaries.summary._FINDING_WORTH": (0, 0.05, 0.3),
    "summaries.summary._FINDING_WORTH_FROM": (0.4, 0.5),
    "summaries.summary._FINDING_FROM": (0.3, 0.5),
    "summaries.summary._COMPARED": (5, 20),
    "summaries.roles._RESULT_FROM": (0.05, 0.2),
    "summaries.roles._IN_WORDS_FROM": (0, 0.2, 0.4),
    "summaries.claims._LINK_LENGTH": (110, 440),
    "summaries.claims._PRAISE_WORDS": (12, 50),
}
READERS, VOTES, BEST = 200, (0, 5, 20), 20
SIZE, EXPLORE, VOTES_EACH_WAY = 10, 1, 20
NEAR = (0.6, 0.65, 0.7, 0.75, 0.8)
SURE = SelectionLimits(SIZE, EXPLORE, threshold=0.2, lowest=0.1)
ABSTRACTS = 200

# Figures of one setting, by name: a number, or one number a reader.
Figures = dict[str, Any]


class Libraries:
    """Readers' libraries; the corpus is fitted again only where a constant has an effect on it."""

    def __init__(self, bench: Path) -> None:
        folder = bench / "citeulike-t"
        words = (folder / "vocabulary.dat").read_text().split()
        self.texts = [_text(line, words) for line in (folder / "mult.dat").read_text().splitlines()]
        chance = np.random.default_rng(0)
        order = chance.permutation(len(self.texts))
        is_new = np.zeros(len(self.texts), bool)
        is_new[order[: len(order) // 5]] = True
        self.past = np.flatnonzero(~is_new)
        self.new = np.flatnonzero(is_new)
        libraries = [np.array(line.split()[1:], int) for line in (folder / "readers.dat").read_text().splitlines()]
        halves = [(library[~is_new[library]], library[is_new[library]]) for library in libraries]
        eligible = [(old, new) for old, new in halves if len(old) >= VOTES[-1] and len(new) >= 5]
        chosen = [(chance.permutation(old), new) for old, new in eligible][:READERS]
        self.old = [old for old, _ in chosen]
        self.relevant = np.array([np.isin(self.new, new) for _, new in chosen])
        self.shipped = self._fit()
        self.corpus, self.rows, self.candidates = self.shipped
        self.disliked = [self._lookalikes(old, chance) for old in self.old]
        self.interests = [self._interest_words(old) for old in self.old]

    def figures(self, constant: str) -> Figures:
        """Return nDCG@20 (n_readers,) by the number of votes each way."""
        of_corpus = constant.startswith(("ranking.corpus", "ranking.corpus"))
        self.corpus, self.rows, self.candidates = self._fit() if of_corpus else self.shipped
        return {f"{votes}+{votes}": self._ndcg(votes) for votes in VOTES}

    def _fit(self) -> tuple[Corpus, sp.csr_matrix, PaperVectors]:
        corpus = Corpus().fit([self.texts[paper] for paper in self.past.tolist()])
        candidates = corpus.vectors([self.texts[paper] for paper in self.new.tolist()])
        return corpus, corpus.transform(self.texts), candidates

    def _lookalikes(self, old: np.ndarray, chance: np.random.Generator) -> np.ndarray:
        """Return papers outside the library that resemble it, past the closest 200, which the reader may not know."""
        centroid = sp.csr_matrix(self.rows[old].mean(axis=0))
        near = np.asarray((self.rows[self.past] @ centroid.T).toarray()).ravel()
        ranked = self.past[np.argsort(-near)]
        return np.asarray(chance.permutation(ranked[~np.isin(ranked, old)][200:1000])[: VOTES[-1]])

    def _interest_words(self, old: np.ndarray) -> str:
        """Return the ten words that stand out in the library, as a profile's text."""
        mean = np.asarray(self.rows[old].mean(axis=0)).ravel()
        terms = (self.corpus.terms_[column] for column in np.argsort(-mean).tolist())
        return " ".join([term for term in terms if " " not in term][:10])

    def _ndcg(self, votes: int) -> np.ndarray:
        readers = len(self.old)
        owners = np.repeat(np.arange(readers), votes).tolist()
        weights = np.ones(len(owners))
        up = self.rows[[paper for old in self.old for paper in old[:votes].tolist()]]
        down = self.rows[[paper for disliked in self.disliked for paper in disliked[:votes].tolist()]]
        users = UserVectors(
            sp.vstack([topics_row(self.corpus, text) for text in self.interests], format="csr"),
            centroids(up, owners, weights, readers),
            centroids(down, owners, weights, readers),
            np.full(readers, float(votes)),
            np.full(readers, float(votes)),
        )
        log_odds = ReaderModels(self.corpus).fit(users, self._judged(votes)).decision_function(self.candidates)
        return np.array([ndcg_at(*each, BEST) for each in zip(self.relevant, log_odds, strict=True)])

    def _judged(self, votes: int) -> sp.csr_matrix:
        judged = sp.lil_matrix((len(self.old), self.corpus.background_.shape[0]), dtype=bool)
        for reader, voted in enumerate(zip(self.old, self.disliked, strict=True)):
            texts = [self.texts[paper] for papers in voted for paper in papers[:votes].tolist()]
            judged[reader, [row for row in self.corpus.in_background(texts) if row is not None]] = True
        return judged.tocsr()


def _text(line: str, words: Sequence[str]) -> str:
    """Return a paper's words, each as often as it was counted; the first line is the title."""
    counts = [entry.split(":") for entry in line.split()[1:]]
    title = " ".join(words[int(word)] for word, _ in sorted(counts, key=lambda entry: -int(entry[1]))[:6])
    return f"{title}\n{' '.join(words[int(word)] for word, count in counts for _ in range(int(count)))}"


class Editions:
    """Editions of a stream's later half; rankings are the same for all constants of the selection."""

    def __init__(self, bench: Path) -> None:
        with gzip.open(bench / "stream" / "papers.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = sorted(map(json.loads, lines), key=lambda row: row["day"])
        papers = [_paper(number, row) for number, row in enumerate(rows)]
        days = [[number for number, _ in day] for _, day in groupby(enumerate(rows), key=lambda each: each[1]["day"])]
        middle = days[len(days) // 2][0]
        rules = json.loads(Path(__file__).with_name("readers.json").read_text())
        self.readers = [Reader(name, rule, rows) for name, rule in rules.items()]
        ranker = Ranker(Corpus().fit([paper.text for paper in papers[:middle]]))
        interests = [_interest(reader, papers[:middle]) for reader in self.readers]
        learned = ranker.learn(interests)
        self.rankings = [
            list(
                ranker.rankings(
                    [_with_models(*each) for each in zip(interests, learned, strict=True)],
                    [[papers[number] for number in day]] * len(interests),
                )
            )
            for day in days
            if day[0] >= middle
        ]

    def figures(self, _: str) -> Figures:
        """Return figures of the editions, one number a reader."""
        by_reader = [self._reader(number) for number in range(len(self.readers))]
        return {name: np.array([figures[name] for figures in by_reader]) for name in by_reader[0]}

    def _reader(self, number: int) -> dict[str, float]:
        full = [self._edition(day[number], SelectionLimits(SIZE, EXPLORE)) for day in self.rankings]
        pairs = [
            day[number].similarity(*pair)
            for day, choices in zip(self.rankings, full, strict=True)
            for pair in combinations([choice.score.paper for choice in choices], 2)
        ]
        sure = [choice for day in self.rankings for choice in self._edition(day[number], SURE)]
        explored = [choice for choice in sure if choice.kind is PickKind.EXPLORE]
        likes = self.readers[number].likes
        return {
            "liked, full": float(sum(likes[choice.score.paper] for choices in full for choice in choices)),
            "similarity": float(np.mean(pairs)),
            "pairs from .6 on": float(sum(similarity >= 0.6 for similarity in pairs)),
            "liked from .2 on": float(sum(likes[choice.score.paper] for choice in sure)),
            "precision": float(np.mean([likes[choice.score.paper] for choice in sure] or [0])),
            "exploratory": float(len(explored)),
            "of these liked": float(sum(likes[choice.score.paper] for choice in explored)),
        }

    def near_pairs(self) -> str:
        """Return how many pairs of papers of one day have each similarity or more."""
        pairs = [
            day[0].pool.similarity(paper.id, other.id)
            for day in self.rankings
            for paper, other in combinations(day[0].pool.papers, 2)
        ]
        counts = ", ".join(f"{sum(value >= least for value in pairs)} from {least}" for least in NEAR)
        return f"pairs of papers of one day: {counts} on, of {len(pairs):,}"

    def _edition(self, ranking: Ranking, limits: SelectionLimits) -> list[Choice]:
        return select(ranking.scores, ranking, limits)


def _paper(number: int, row: dict[str, Any]) -> Paper:
    return Paper(
        id=number,
        title=row["title"],
        abstract=row["abstract"],
        authors=(),
        author_count=None,
        published=None,
        arxiv_id=row["id"],
        doi=None,
        url=None,
        upvotes=None,
        organisation=None,
        first_seen=datetime.min.replace(tzinfo=UTC),
    )


def _interest(reader: Reader, papers: Sequence[Paper]) -> Interest:
    """Return the reader after votes on papers drawn from those they like and from all others."""
    chance = random.Random(0)
    liked = [paper for paper in papers if reader.likes[paper.id]]
    others = [paper for paper in papers if not reader.likes[paper.id]]
    up = chance.sample(liked, min(VOTES_EACH_WAY, len(liked)))
    return Interest(reader.interests, up=up, down=chance.sample(others, VOTES_EACH_WAY))


def _with_models(interest: Interest, learned: Any) -> Interest:
    return Interest(interest.text, up=interest.up, down=interest.down, learned=learned)


class Summaries:
    """Abstracts and labels, and what each abstract says by weights that were learned without it."""

    def __init__(self, bench: Path) -> None:
        _, self.marked, self.unlabelled = training_data(bench)
        self.weights = shipped_weights()
        self.abstracts = [paper["abstract"] for paper in random.Random(1).sample(self.unlabelled, ABSTRACTS)]
        self.reads = out_of_fold(self.marked, self.weights)

    def figures(self, constant: str) -> Figures:
        """Return figures over all abstracts."""
        of_choice = not constant or constant.startswith("summaries.summary")
        reads = self.reads if of_choice else out_of_fold(self.marked, self.weights)
        loose, background, bold = dangling(self.abstracts, self.weights)
        outcomes = labelled_findings(self.unlabelled, self.weights, "report")
        shown = outcomes.total() - outcomes["no finding shown"]
        return {
            "cover 2": coverage(self.marked, reads, 2),
            "cover 3": coverage(self.marked, reads, 3),
            "dangling": loose / ABSTRACTS,
            "background first": background / ABSTRACTS,
            "bold": bold / ABSTRACTS,
            "findings": sum(outcomes[name] for name in STRICT) / max(shown, 1),
            "or borderline": sum(outcomes[name] for name in WIDE) / max(shown, 1),
        }


@contextmanager
def constant_set(name: str, value: float) -> Iterator[None]:
    """Set a constant of ``bot`` for a time; whole numbers stay whole."""
    path, attribute = name.rsplit(".", 1)
    module = importlib.import_module(f"bot.{path}")
    shipped = getattr(module, attribute)
    setattr(module, attribute, type(shipped)(value))
    try:
        yield
    finally:
        setattr(module, attribute, shipped)


def row(name: str, figures: Figures, shipped: Figures | None = None) -> str:
    """Return a line of figures, or of their differences to the shipped ones."""
    cells = []
    for figure, values in figures.items():
        if shipped is None:
            cells.append(f"{figure} {np.mean(values):.4g}")
            continue
        difference = np.atleast_1d(values) - np.atleast_1d(shipped[figure])
        error = f" ({difference.std(ddof=1) / len(difference) ** 0.5:.4f})" if len(difference) > 1 else ""
        cells.append(f"{figure} {difference.mean():+.4f}{error}")
    return f"{name:52} {'   '.join(cells)}"


SECTIONS: dict[str, tuple[Callable[[Path], Libraries | Editions | Summaries], Mapping[str, Sequence[float]]]] = {
    "libraries": (Libraries, LIBRARY_CONSTANTS),
    "editions": (Editions, EDITION_CONSTANTS),
    "summaries": (Summaries, SUMMARY_CONSTANTS),
}


def main() -> None:
    """Print the figures of the shipped constants, and a row for each other value."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=SECTIONS)
    parser.add_argument("bench", type=Path)
    parser.add_argument("constants", nargs="*", metavar="CONSTANT=VALUE")
    args = parser.parse_args()
    read, table = SECTIONS[args.section]
    settings = [(name, float(value)) for name, value in (each.split("=") for each in args.constants)]
    every = [(name, float(value)) for name, values in table.items() for value in values]
    data = read(args.bench)
    shipped = data.figures("")
    print(row("shipped", shipped), flush=True)
    if isinstance(data, Editions):
        print(data.near_pairs(), flush=True)
    for name, value in settings or every:
        with constant_set(name, value):
            print(row(f"{name}={value:g}", data.figures(name), shipped), flush=True)


if __name__ == "__main__":
    main()
