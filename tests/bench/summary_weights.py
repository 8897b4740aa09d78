"""Learns ``bot/summaries/weights.json``, the weights by which summaries are chosen and findings are set in bold.

    python tests/bench/summary_weights.py ../shared/bench

The folder holds ``abstracts/csabstruct.jsonl.gz`` (its part "train" teaches kinds), ``abstracts/labelled.jsonl`` (spans
that readers marked teach roles) and ``arxiv-papers.jsonl.gz`` (unlabelled: where in an abstract a sentence stands).
Which sentences are findings is in ``findings_labels.jsonl`` beside this file: labels of our own for sentences of those
papers by place; the part "tune" teaches, the part "report" is only counted. ``summary_report.py`` measures the outcome.
Needs numpy, scipy and scikit-learn; a minute on one core.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from bot.summaries import roles
from bot.summaries.claims import SIGNALS, says_nothing, signals
from bot.summaries.features import phrases, words_of
from bot.summaries.roles import EIGHTHS, KINDS, Shares, Weights, role_features
from bot.summaries.sentences import sentences

LABELS = Path(__file__).with_name("findings_labels.jsonl")
SHIPPED = Path(roles.__file__).with_name("weights.json")
ROLES = Shares._fields

HOW_MANY_PHRASES = 3_000
PHRASE_SCALE = 0.5  # a phrase's value beside 1 for a form: phrases are many, and are shrunk more
IN_KINDS, IN_EIGHTHS = 8, 60  # sentences that a phrase must be in to be looked at
KIND_STRENGTH, EIGHTH_STRENGTH, FINDING_STRENGTH = 0.1, 0.02, 0.3  # inverse of the ridge
ROLE_RIDGE = 3.0
FORM_SCALE, ROLE_PHRASE_SCALE = 0.5, 0.25
IN_ROLES = 40  # marked abstracts' sentences that a phrase must be in to count for roles itself
WORTH = {"finding": 1.0, "borderline": 0.7, "none": 0.0}  # how much of a finding a label counts as


class Marked(NamedTuple):
    """An abstract in which readers marked spans: ``targets`` are for each role the sentences with a mark's middle."""

    id: str
    abstract: str
    spans: Sequence[Sequence[Any]]
    sentences: list[str]
    targets: dict[str, list[int]]


class Sentences(NamedTuple):
    """Features of many sentences, and which abstract each is of."""

    phrases: list[list[str]]
    forms: list[list[str]]
    abstract: np.ndarray


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    content = path.read_bytes()
    lines = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in lines.splitlines()]


def features_of(abstracts: Iterable[Sequence[str]]) -> Sentences:
    """The features of each sentence of abstracts that are lists of sentences."""
    all_phrases, all_forms, numbers = [], [], []
    for number, texts in enumerate(abstracts):
        words = [words_of(text) for text in texts]
        sets = [phrases(own) for own in words]
        all_phrases += [sorted(own) for own in sets]
        all_forms += roles.form_features(texts, words, sets)
        numbers += [number] * len(texts)
    return Sentences(all_phrases, all_forms, np.array(numbers))


def marked(rows: Iterable[dict[str, Any]]) -> list[Marked]:
    papers = []
    for row in rows:
        texts = sentences(row["abstract"])
        targets: dict[str, list[int]] = {role: [] for role in ROLES}
        end = 0
        for place, text in enumerate(texts):
            start = row["abstract"].find(text, end)
            end = start + len(text)
            for first, last, role in row["spans"]:
                if role in targets and start <= (first + last) / 2 <= end:
                    targets[role].append(place)
        papers.append(Marked(row["id"], row["abstract"], row["spans"], texts, targets))
    return papers


def counts(rows: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> sparse.csr_matrix:
    """A row for each sentence, 1 where it has the feature."""
    counter = CountVectorizer(analyzer=list, vocabulary=list(vocabulary), binary=True)
    return counter.transform(rows).tocsr().astype(float)


def learn_sentences(kinds: Sequence[dict[str, Any]], unlabelled: Sequence[dict[str, Any]]) -> Weights:
    """The weights of phrases and of forms for kinds and eighths; those that tell little are dropped."""
    own = features_of(paper["sentences"] for paper in kinds)
    labels = np.array([KINDS.index(label) for paper in kinds for label in paper["labels"]])
    sure = np.array([share for paper in kinds for share in paper["confs"]])
    texts = [texts for paper in unlabelled if len(texts := sentences(paper["abstract"])) >= 4]
    other = [sorted(phrases(words_of(text))) for abstract in texts for text in abstract]
    eighths = np.array([EIGHTHS * i // len(abstract) for abstract in texts for i in range(len(abstract))])
    form_names = sorted({name for row in own.forms for name in row})
    in_kinds, in_eighths = (Counter(p for row in rows for p in row) for rows in (own.phrases, other))
    names = sorted(p for p, n in in_kinds.items() if n >= IN_KINDS or in_eighths[p] >= IN_EIGHTHS)
    names = sorted({*names, *(p for p, n in in_eighths.items() if n >= IN_EIGHTHS)})
    for last in (False, True):
        kind_phrases, eighth_phrases = counts(own.phrases, names), counts(other, names)
        by_kind = LogisticRegression(C=KIND_STRENGTH, max_iter=300).fit(
            sparse.hstack([kind_phrases * PHRASE_SCALE, counts(own.forms, form_names)]).tocsr(),
            labels,
            sample_weight=sure,
        )
        by_eighth = LogisticRegression(C=EIGHTH_STRENGTH, max_iter=60).fit(
            eighth_phrases * PHRASE_SCALE, eighths
        )
        size = len(names)
        table = np.vstack([by_kind.coef_[:, :size], by_eighth.coef_]).T * PHRASE_SCALE
        if not last:  # what a phrase tells: its weights, and how often it is there to tell it
            shares = [np.asarray(m.mean(axis=0)).ravel() for m in (kind_phrases, eighth_phrases)]
            tells = sum(
                np.sqrt(share) * np.abs(part).sum(axis=1)
                for share, part in zip(shares, (table[:, : len(KINDS)], table[:, len(KINDS) :]), strict=True)
            )
            names = sorted(names[i] for i in np.argsort(-tells)[:HOW_MANY_PHRASES])
    return Weights(
        phrases={name: rounded(row) for name, row in zip(names, table, strict=True)},
        intercepts=rounded([*by_kind.intercept_, *by_eighth.intercept_]),
        kind_forms={n: rounded(row) for n, row in zip(form_names, by_kind.coef_[:, size:].T, strict=True)},
        roles={},
        finding={},
    )


def rounded(row: Iterable[float]) -> list[float]:
    return [round(float(value), 2) + 0.0 for value in row]


def learn_roles(papers: Sequence[Marked], weights: Weights) -> Weights:
    """The same weights with those of roles: a conditional logit for each, with a ridge."""
    own, rows, numbers = [], [], []
    for number, paper in enumerate(papers):
        features, kinds, eighths = roles.kinds_and_eighths(paper.sentences, weights)
        own += features
        rows += role_features(kinds, eighths)
        numbers += [number] * len(paper.sentences)
    form_names = sorted(set().union(*features_of(p.sentences for p in papers).forms))
    frequent = Counter(name for features in own for name in features)
    phrase_names = sorted(n for n, count in frequent.items() if count >= IN_ROLES and n not in form_names)
    columns = sorted(rows[0])
    dense = sparse.csr_matrix([[row[name] for name in columns] for row in rows])
    matrix = sparse.hstack(
        [counts(own, form_names) * FORM_SCALE, counts(own, phrase_names) * ROLE_PHRASE_SCALE, dense]
    ).tocsr()
    fitted = []
    for role in ROLES:
        target = np.concatenate(
            [np.bincount(p.targets[role], minlength=len(p.sentences)) > 0 for p in papers]
        )
        fitted.append(conditional_logit(matrix, target.astype(float), np.array(numbers)))
    scale = [FORM_SCALE] * len(form_names) + [ROLE_PHRASE_SCALE] * len(phrase_names) + [1.0] * len(columns)
    table = np.array(fitted).T * np.array(scale)[:, None]
    named = zip([*form_names, *phrase_names, *columns], table, strict=True)
    return replace(weights, roles={name: rounded(row) for name, row in named})


def conditional_logit(matrix: sparse.csr_matrix, target: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Weights by which the softmax within each group comes closest to its targets, shared equally."""
    sizes = np.bincount(group, target)
    has_target = sizes[group] > 0
    wanted = np.where(has_target, target / np.maximum(sizes[group], 1), 0.0)
    transposed = matrix.T.tocsr()

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        sums = matrix @ weights
        highest = np.full(len(sizes), -np.inf)
        np.maximum.at(highest, group, sums)
        odds = np.exp(sums - highest[group])
        shares = odds / np.bincount(group, odds)[group]
        value = -(wanted * np.log(shares + 1e-12)).sum() + ROLE_RIDGE / 2 * weights @ weights
        return value, transposed @ (has_target * shares - wanted) + ROLE_RIDGE * weights

    return minimize(loss, np.zeros(matrix.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x


def learn_findings(papers: Sequence[dict[str, Any]], weights: Weights, part: str = "tune") -> Weights:
    """The same weights with those of findings: a logistic regression on ``claims.signals``."""
    abstracts = {paper["id"]: paper["abstract"] for paper in papers}
    by_paper: dict[str, dict[int, str]] = {}
    for row in read_jsonl(LABELS):
        if row["part"] == part:
            by_paper.setdefault(row["id"], {})[row["sentence"]] = row["label"]
    rows, target = [], []
    for id_, labels in by_paper.items():
        texts = sentences(abstracts[id_])
        readings = roles.read(texts, weights)
        for place, text in enumerate(texts):  # those without a label were no candidates
            if not says_nothing(text):
                rows.append(signals(text, readings[place].result))
                target.append(WORTH[labels.get(place, "none")])
    names = sorted({name for row in rows for name in row} - {"intercept"})
    dense = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    shares = np.array(target)
    model = LogisticRegression(C=FINDING_STRENGTH, max_iter=1000).fit(
        np.vstack([dense, dense]),
        np.repeat([1, 0], len(rows)),
        sample_weight=np.concatenate([shares, 1 - shares]),
    )
    table = dict(zip(names, rounded(model.coef_[0]), strict=True))
    unseen = dict.fromkeys(SIGNALS, 0.0)
    return replace(weights, finding=unseen | table | {"intercept": round(float(model.intercept_[0]), 2)})


def training_data(bench: Path) -> tuple[list[dict[str, Any]], list[Marked], list[dict[str, Any]]]:
    """The abstracts with kinds (part "train"), with marked spans, and without labels."""
    kinds = [
        row for row in read_jsonl(bench / "abstracts/csabstruct.jsonl.gz") if row["id"].startswith("train")
    ]
    return (
        kinds,
        marked(read_jsonl(bench / "abstracts/labelled.jsonl")),
        read_jsonl(bench / "arxiv-papers.jsonl.gz"),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bench", type=Path)
    parser.add_argument("--output", type=Path, default=SHIPPED)
    args = parser.parse_args()
    kinds, papers, unlabelled = training_data(args.bench)
    weights = learn_roles(papers, learn_sentences(kinds, unlabelled))
    weights = learn_findings(unlabelled, weights)
    args.output.write_text(weights.to_json())
    print(f"{args.output}: {len(weights.phrases)} phrases, {args.output.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
