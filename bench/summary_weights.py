"""Learns ``bot/summaries/weights.json``, the weights by which summaries are chosen and findings are set in bold.

    python bench/summary_weights.py ../shared/bench

The folder holds ``abstracts/csabstruct.jsonl.gz`` (its part "train" teaches kinds) and ``arxiv-papers.jsonl.gz``
(unlabelled: where in an abstract a sentence stands).
Which sentences are findings is in ``findings_labels.jsonl`` beside this file: labels of our own for sentences of those
papers, of the later ones in ``stream/papers.jsonl.gz``, of those for reviews in ``screening.jsonl.gz``, and of
abstracts with kinds, by place; the part "tune" teaches, "shown" corrects, the others are only counted ("sampled": of
abstracts with kinds that were drawn at random). ``findings_read.jsonl``, by ``findings_teacher.py``, has an encoder's
probabilities for the sentences of further abstracts, also of ``abstracts.jsonl.gz``, and teaches as labels do.
``answers_labels.jsonl`` has the places of the sentences that say what a paper concludes in all, any of which would do,
and of its main finding; its part "compared" teaches nothing, constants were chosen by it. ``chosen_labels.jsonl`` has
the three sentences of 2,800 abstracts that serve a reader best beneath the title, and a set that is nearly as good.
``summary_report.py`` measures the outcome. Needs numpy, scipy and scikit-learn; ten minutes on one core.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from summary_crf import fit

from bot.summaries import roles as weights_module
from bot.summaries.claims import SIGNALS, says_nothing
from bot.summaries.roles import (
    EIGHTH_NAMES,
    EIGHTHS,
    KINDS,
    KINDS_OF_ROLES,
    OUTCOMES,
    Shares,
    Weights,
    features_of,
    finding_features,
    finding_probabilities,
    kinds_and_eighths,
    phrases,
    role_features,
    softmax,
    words_of,
)
from bot.summaries.sentences import sentences, split
from bot.summaries.summary import SET_FEATURES, read_with, set_features

LABELS = Path(__file__).with_name("findings_labels.jsonl")
ANSWERS = Path(__file__).with_name("answers_labels.jsonl")
CHOSEN = Path(__file__).with_name("chosen_labels.jsonl")
READ = Path(__file__).with_name("findings_read.jsonl")
SHIPPED = Path(weights_module.__file__).with_name("weights.json")
ROLES = Shares._fields

HOW_MANY_PHRASES = 4_000
PHRASE_SCALE = 0.4  # a phrase's value beside 1 for a form: phrases are many, and are shrunk more
IN_KINDS, IN_EIGHTHS = 8, 60  # sentences that a phrase must be in to be looked at
EIGHTH_STRENGTH, FINDING_STRENGTH, CORRECTION_STRENGTH = 0.02, 3.0, 0.1  # inverse of the ridge
TOLERANCE = 1e-3  # of the regressions on findings
# Sentences with labels of findings, and read by the encoder, that a phrase must be in to be looked at for findings.
IN_FINDINGS, IN_READ = 6, 8
FINDING_PHRASE_SCALE = 0.4
FINDING_PHRASES = 12_000  # that are kept
# Wording of a sentence that tells what follows from the results, in any field: surely, and perhaps.
CONCLUDES = re.compile(
    r"\bconclu(?:de|des|ded|sions?)\b|\bin (?:summary|short|sum)\b|\btaken together\b|^(?:overall|thus|"
    r"therefore|hence),|"
    r"\b(?:results?|findings?|data|work|study|analys[ie]s|evidence|experiments?|this|these|we|it)\b[^.;,]{0,40}\b"
    r"(?:suggest|impl(?:y|ies|ied)|highlight|underscor|point to|argue)\w*|\bit (?:is|seems) \w+ (?:that|to)\b|"
    r"\b(?:should|implications?|support the (?:hypothesis|idea|view))\b",
    re.IGNORECASE,
)
MAY_CONCLUDE = re.compile(
    r"\b(?:indicat\w+|suggest\w*|thus|therefore|hence|need|must|important|importance|promising|potential|future|"
    r"useful|can be|could|may|might|(?:these|our) (?:results|findings)|this (?:work|study|paper))\b",
    re.IGNORECASE,
)
LEAST_KINDS = 4  # that the headings of a structured abstract name
MOST_SENTENCES = 30  # longer abstracts would take most of the time
ROLE_RIDGE = 5.0
CLOSENESS = 0.05  # of ROUGE-1: what a sentence's share of the gist is by the temperature of a softmax
FORM_SCALE, ROLE_PHRASE_SCALE = 0.5, 0.25
IN_ROLES = 80  # sentences that a phrase must be in to count for roles itself
IN_CHOSEN = 25  # the same, of abstracts with chosen sentences
MOST_COMPARED = 11  # sentences of an abstract, in every set of three
# Beside 1 for the best set of sentences: of the second, and of all that share two sentences with either.
SECOND_WORTH = 0.6
NEAR_WORTH = 0.15
SET_RIDGE = 1.0
# Added to the learned cost of a sentence that needs one left out: our own picks have many that merely look so.
LOOSE_COST = 0.5
FOLDS = 4
WORTH = {"finding": 1.0, "borderline": 0.2, "none": 0.0}  # how much of a finding a label counts as
STRICT_WORTH = {**WORTH, "borderline": 0.0}


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    content = path.read_bytes()
    lines = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in lines.splitlines()]


def structured(bench: Path, part: int) -> list[dict[str, Any]]:
    """The abstracts with headings, one half of them: ``sentences`` without the headings, and the ``kinds`` they allow.

    Only those with a conclusion and two other sections: fewer headings may be none.
    """
    papers = []
    for row in read_jsonl(bench / "screening.jsonl.gz"):
        sections = split(row["abstract"])
        every_kind = {kind for _, kinds in sections for kind in kinds}
        if (
            zlib.crc32(row["id"].encode()) % 2 == part
            and "conclusion" in every_kind
            and len(every_kind) >= LEAST_KINDS
            and len(sections) <= MOST_SENTENCES
        ):
            papers.append(
                {
                    "id": row["id"],
                    "sentences": [text for text, _ in sections],
                    "kinds": [kinds for _, kinds in sections],
                }
            )
    return papers


def kinds_of(paper: dict[str, Any]) -> list[Set[str]]:
    """The kinds that each sentence of an abstract may have, by its label or the heading above it."""
    if "kinds" in paper:
        return [kinds or set(KINDS) for kinds in paper["kinds"]]
    # CSAbstruct has no conclusions: its annotators called them results.
    labels = [{label} for label in paper["labels"]]
    for place, text in enumerate(paper["sentences"]):
        if labels[place] == {"result"} and MAY_CONCLUDE.search(text):
            labels[place] = {"result", "conclusion"}
        if labels[place] & {"result"} and place >= len(labels) - 2 and CONCLUDES.search(text):
            labels[place] = {"conclusion"}
    return labels


def checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def counts(rows: Sequence[Iterable[str]], vocabulary: Sequence[str]) -> sparse.csr_matrix:
    """A row for each sentence, 1 where it has the feature."""
    counter = CountVectorizer(analyzer=list, vocabulary=list(vocabulary), binary=True)
    return counter.transform(rows).tocsr().astype(float)


def learn_sentences(kinds: Sequence[dict[str, Any]], unlabelled: Sequence[dict[str, Any]]) -> Weights:
    """The weights of phrases and of forms for kinds and eighths; those that tell little are dropped."""
    rows = [row for paper in kinds for row in features_of([text.strip() for text in paper["sentences"]])]
    own_phrases = [row.phrases for row in rows]
    allowed = np.array([[kind in own for kind in KINDS] for paper in kinds for own in kinds_of(paper)])
    lengths = [len(paper["sentences"]) for paper in kinds]
    texts = [texts for paper in unlabelled if len(texts := sentences(paper["abstract"])) >= 4]
    other = [phrases(words_of(text)) for abstract in texts for text in abstract]
    eighths = np.array([EIGHTHS * i // len(abstract) for abstract in texts for i in range(len(abstract))])
    form_names = sorted({name for row in rows for name in row.forms})
    forms = counts([row.forms for row in rows], form_names)
    in_kinds, in_eighths = (Counter(p for row in rows for p in row) for rows in (own_phrases, other))
    names = sorted(
        {p for p, n in in_kinds.items() if n >= IN_KINDS} | {p for p, n in in_eighths.items() if n >= IN_EIGHTHS}
    )
    for is_last in (False, True):
        kind_phrases, eighth_phrases = counts(own_phrases, names), counts(other, names)
        chain = fit(sparse.hstack([kind_phrases * PHRASE_SCALE, forms]).tocsr(), allowed, lengths)
        by_eighth = LogisticRegression(C=EIGHTH_STRENGTH, max_iter=60).fit(eighth_phrases * PHRASE_SCALE, eighths)
        of_phrases = chain.emission[: len(names)]
        table = np.hstack([of_phrases, by_eighth.coef_.T]) * PHRASE_SCALE
        if not is_last:  # what a phrase tells: its weights, and how often it is there to tell it
            tells = sum(
                np.sqrt(np.asarray(matrix.mean(axis=0)).ravel()) * np.abs(part).sum(axis=1)
                for matrix, part in ((kind_phrases, of_phrases), (eighth_phrases, by_eighth.coef_.T))
            )
            names = sorted(names[i] for i in np.argsort(-tells)[:HOW_MANY_PHRASES])
    return Weights(
        phrases={name: rounded(row) for name, row in zip(names, table, strict=True)},
        intercepts=rounded([*chain.bias, *by_eighth.intercept_]),
        kind_forms={n: rounded(row) for n, row in zip(form_names, chain.emission[len(names) :], strict=True)},
        kind_start=rounded(chain.start),
        kind_end=rounded(chain.end),
        kind_transitions=[rounded(row) for row in chain.transition],
        roles={},
        finding={},
        finding_phrases={},
        sets=dict.fromkeys(SET_FEATURES, 0.0),
    )


def rounded(row: Iterable[float]) -> list[float]:
    return [round(float(value), 2) + 0.0 for value in row]


def learn_gist(lines: Sequence[dict[str, Any]], weights: Weights) -> Weights:
    """The same weights with those of the gist, from people's one-line summaries (``targets``) of abstracts."""
    papers = []
    for row in lines:
        texts = sentences(" ".join(row["sentences"]))
        closeness = np.array([max(rouge1(text, line) for line in row["targets"]) for text in texts])
        papers.append((texts, [softmax(closeness / CLOSENESS)]))
    return with_roles(weights, ("gist",), papers, ())


def learn_answers(parts: Mapping[str, Sequence[tuple[str, Set[str]]]], weights: Weights) -> Weights:
    """The same weights with those of the answer and of the main finding, from our own labels."""
    papers = []
    for row in read_jsonl(ANSWERS):
        if row["part"] == "tune":
            texts = [text for text, _ in parts[row["id"]]]
            papers.append((texts, [shared(row[role], len(texts)) for role in ("answer", "main")]))
    return with_roles(weights, ("answer", "main"), papers, [*KINDS_OF_ROLES, *EIGHTH_NAMES, *OUTCOMES])


class Chosen(NamedTuple):
    """An abstract whose best sets of sentences we chose: the best one, and perhaps a second."""

    texts: Sequence[str]
    abstract: str
    best: tuple[int, ...]
    second: tuple[int, ...]

    def shares(self) -> np.ndarray:
        """The sentences' shares of being chosen."""
        worth = np.zeros(len(self.texts))
        worth[list(self.second)] = SECOND_WORTH
        worth[list(self.best)] = 1
        return worth / worth.sum()

    def worth(self, places: tuple[int, ...]) -> float:
        """How good a set of sentences is, relative to the best."""
        if places in (self.best, self.second):
            return 1.0 if places == self.best else SECOND_WORTH
        return NEAR_WORTH if max(len({*places} & {*of_set}) for of_set in (self.best, self.second)) > 1 else 0.0


def chosen(papers: Sequence[dict[str, Any]]) -> list[Chosen]:
    """The abstracts with chosen sentences, unless they are split otherwise since."""
    abstracts = {row["id"]: row["abstract"] for row in papers}
    labelled = []
    for row in read_jsonl(CHOSEN):
        texts = [text for text, _ in split(abstracts[row["id"]])]
        if len(texts) == row["sentences"]:
            labelled.append(Chosen(texts, abstracts[row["id"]], tuple(row["chosen"]), tuple(row["second"])))
    return labelled


def learn_chosen(papers: Sequence[Chosen], weights: Weights) -> Weights:
    """The same weights with those of a sentence's share of being chosen."""
    examples = [(paper.texts, [paper.shares()]) for paper in papers]
    return with_roles(weights, ("chosen",), examples, [*KINDS_OF_ROLES, *EIGHTH_NAMES, *OUTCOMES], IN_CHOSEN)


def learn_sets(papers: Sequence[Chosen], weights: Weights) -> Weights:
    """The same weights with those of sets of sentences, by shares that were learned on other abstracts."""
    rows: list[tuple[float, ...]] = []
    worths: list[float] = []
    numbers: list[int] = []
    for fold in range(FOLDS):
        others = learn_chosen([paper for i, paper in enumerate(papers) if i % FOLDS != fold], weights)
        for number in range(fold, len(papers), FOLDS):
            read = read_with(papers[number].abstract, others)
            full = {i for i in range(len(read.sentences)) if not read.empty[i]} | {*papers[number].best}
            likely = sorted(full, key=lambda i: -read.readings[i].shares.chosen)[:MOST_COMPARED]
            for places in combinations(sorted({*likely, *papers[number].best}), 3):
                rows.append(set_features(read, places))
                worths.append(papers[number].worth(places))
                numbers.append(number)
    matrix, group = np.array(rows, float), np.array(numbers)
    # Near sets share their worth.
    near = np.array(worths) == NEAR_WORTH
    target = np.where(near, NEAR_WORTH / np.maximum(np.bincount(group, near)[group], 1), worths)
    target /= np.bincount(group, target)[group]
    scale = matrix.std(axis=0)
    learned = conditional_logit(sparse.csr_matrix(matrix / scale), target, group, SET_RIDGE) / scale
    of_sets = dict(zip(SET_FEATURES, rounded(learned), strict=True))
    return replace(weights, sets=of_sets | {"loose": round(of_sets["loose"] - LOOSE_COST, 2)})


def shared(places: Sequence[int], count: int) -> np.ndarray:
    """The shares of ``count`` sentences of a role that those at these places have; 0 where there are none."""
    has_mark = np.bincount(places, minlength=count) > 0
    return has_mark / max(has_mark.sum(), 1)


def rouge1(text: str, line: str) -> float:
    """ROUGE-1 F of two texts: the words that they share (Lin 2004)."""
    a, b = (Counter(re.findall(r"[a-z0-9]+", each.lower())) for each in (text, line))
    return 2 * (a & b).total() / max(a.total() + b.total(), 1)


def with_roles(
    weights: Weights,
    roles: Sequence[str],
    papers: Sequence[tuple[Sequence[str], Sequence[np.ndarray]]],
    told_by: Sequence[str],
    least: int = IN_ROLES,
) -> Weights:
    """The same weights with those of some roles: a conditional logit for each, with a ridge.

    ``papers`` have sentences, and their shares of each of the roles. Of ``role_features`` only those are features that
    are ``told_by`` these names, beside forms and the phrases of at ``least`` so many sentences.
    """
    names_of: list[set[str]] = []
    rows: list[dict[str, float]] = []
    numbers: list[int] = []
    form_names: set[str] = set()
    for number, (texts, _) in enumerate(papers):
        features = features_of(texts)
        kinds, eighths = kinds_and_eighths(features, weights)
        names_of += [{*row.phrases, *row.forms} for row in features]
        form_names.update(*(row.forms for row in features))
        rows += role_features(kinds, eighths, finding_probabilities(texts, features, kinds, weights))
        numbers += [number] * len(texts)
    forms = sorted(form_names)
    frequent = Counter(name for features in names_of for name in features)
    phrase_names = sorted(n for n, count in frequent.items() if count >= least and n not in form_names)
    columns = sorted(rows[0])
    is_told = [name.partition(":")[2] in told_by for name in columns]
    dense = sparse.csr_matrix(np.array([[row[name] for name in columns] for row in rows]) * is_told)
    matrix = sparse.hstack(
        [counts(names_of, forms) * FORM_SCALE, counts(names_of, phrase_names) * ROLE_PHRASE_SCALE, dense]
    ).tocsr()
    scale = [FORM_SCALE] * len(forms) + [ROLE_PHRASE_SCALE] * len(phrase_names) + [1.0] * len(columns)
    others = {ROLES.index(role) for role in ROLES if role not in roles}
    table = {name: [w if at in others else 0.0 for at, w in enumerate(row)] for name, row in weights.roles.items()}
    for at, role in enumerate(roles):
        target = np.concatenate([shares[at] for _, shares in papers])
        learned = conditional_logit(matrix, target, np.array(numbers)) * np.array(scale)
        for name, weight in zip([*forms, *phrase_names, *columns], rounded(learned), strict=True):
            table.setdefault(name, [0.0] * len(ROLES))[ROLES.index(role)] = weight
    return replace(weights, roles={name: row for name, row in table.items() if any(row) or name in columns})


def conditional_logit(
    matrix: sparse.csr_matrix, target: np.ndarray, group: np.ndarray, ridge: float = ROLE_RIDGE
) -> np.ndarray:
    """Weights by which the softmax within each group comes closest to its target shares, which add up to 1 or 0."""
    sizes = np.bincount(group, target)
    has_target = sizes[group] > 0
    transposed = matrix.T.tocsr()

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        sums = matrix @ weights
        highest = np.full(len(sizes), -np.inf)
        np.maximum.at(highest, group, sums)
        odds = np.exp(sums - highest[group])
        shares = odds / np.bincount(group, odds)[group]
        value = -(target * np.log(shares + 1e-12)).sum() + ridge / 2 * weights @ weights
        return value, transposed @ (has_target * shares - target) + ridge * weights

    return minimize(loss, np.zeros(matrix.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x


class Targets(NamedTuple):
    """An abstract's ``parts``, as ``split`` returns them, and by place how probably some of them are findings."""

    parts: Sequence[tuple[str, Set[str]]]
    findings: Mapping[int, float]


class Examples(NamedTuple):
    """Sentences that teach what a finding is: a row each, and in ``targets`` how probably it is one."""

    rows: list[dict[str, float]]
    phrases: list[Set[str]]
    targets: list[float]


def examples_of(papers: Iterable[Targets], weights: Weights) -> Examples:
    """The sentences that may be findings, unless they say nothing."""
    examples = Examples([], [], [])
    for parts, findings in papers:
        features = features_of([text for text, _ in parts])
        kinds, _ = kinds_and_eighths(features, weights, [allowed for _, allowed in parts])
        for place, target in findings.items():
            if not says_nothing(parts[place][0]):
                is_last = place == len(features) - 1
                examples.rows.append(finding_features(features[place], kinds[place], is_last=is_last))
                examples.phrases.append(features[place].phrases)
                examples.targets.append(target)
    return examples


def with_labels(
    parts: Mapping[str, Sequence[tuple[str, Set[str]]]],
    labels: Sequence[dict[str, Any]],
    worth: Mapping[str, float] = WORTH,
) -> Iterator[Targets]:
    """Yield the abstracts with labels of findings, which count as much of a finding as ``worth`` says."""
    by_paper: dict[str, dict[int, float]] = {}
    for row in labels:
        by_paper.setdefault(row["id"], {})[row["sentence"]] = worth[row["label"]]
    yield from (Targets(parts[id_], own) for id_, own in by_paper.items())


def read_by_encoder(bench: Path) -> Iterator[Targets]:
    """Yield the abstracts that an encoder read, unless they are split otherwise since."""
    percents = {row["abstract"]: row["findings"] for row in read_jsonl(READ)}
    for name in ("arxiv-papers", "stream/papers", "screening", "abstracts"):
        for row in read_jsonl(bench / f"{name}.jsonl.gz"):
            own = percents.pop(checksum(row["abstract"]), None)
            if own and len(own) == len(parts := split(row["abstract"])):
                yield Targets(parts, {place: percent / 100 for place, percent in enumerate(own)})


def learn_findings(labelled: Examples, read: Examples, weights: Weights) -> Weights:
    """The same weights with those of findings: a logistic regression on signals of wording, kinds and phrases."""
    both = Examples(*(a + b for a, b in zip(labelled, read, strict=True)))
    in_labelled, in_read = (Counter(p for row in part.phrases for p in row) for part in (labelled, read))
    vocabulary = sorted(
        {phrase for phrase, count in in_labelled.items() if count >= IN_FINDINGS}
        | {phrase for phrase, count in in_read.items() if count >= IN_READ}
    )
    matrix, names = finding_matrix(both, vocabulary)
    model = fitted(matrix, both.targets, FINDING_STRENGTH, TOLERANCE)
    signals = dict(zip(names, rounded(model.coef_[0][: len(names)]), strict=True))
    signals["intercept"] = round(float(model.intercept_[0]), 2)
    of_phrases = model.coef_[0][len(names) :] * FINDING_PHRASE_SCALE
    # What a phrase tells: its weight, and how often it is there to tell it.
    tells = np.abs(of_phrases) * np.sqrt(np.asarray(matrix[:, len(names) :].mean(axis=0)).ravel())
    kept = sorted(np.argsort(-tells)[:FINDING_PHRASES])
    return replace(
        weights,
        finding=dict.fromkeys(SIGNALS, 0.0) | signals,
        finding_phrases={vocabulary[i]: round(float(of_phrases[i]), 2) + 0.0 for i in kept},
    )


def correct_findings(shown: Examples, weights: Weights) -> Weights:
    """The same weights with those of findings corrected by labels of what summaries show.

    The log-odds so far are one feature more, so that a strong ridge keeps what other examples taught. As they are
    linear in the other features, both add up to one weight each.
    """
    vocabulary = sorted(weights.finding_phrases)
    matrix, names = finding_matrix(shown, vocabulary)
    before = np.array([weights.finding[name] for name in names])
    of_phrases = np.array([weights.finding_phrases[phrase] for phrase in vocabulary])
    log_odds = matrix @ np.concatenate([before, of_phrases / FINDING_PHRASE_SCALE]) + weights.finding["intercept"]
    model = fitted(sparse.hstack([matrix, log_odds[:, None]]).tocsr(), shown.targets, CORRECTION_STRENGTH, TOLERANCE)
    share = model.coef_[0][-1]
    signals = {name: share * weight for name, weight in weights.finding.items()}
    for name, correction in zip(names, model.coef_[0], strict=False):
        signals[name] += correction
    signals["intercept"] += model.intercept_[0]
    corrected = rounded(share * of_phrases + model.coef_[0][len(names) : -1] * FINDING_PHRASE_SCALE)
    return replace(
        weights,
        finding=dict(zip(signals, rounded(signals.values()), strict=True)),
        finding_phrases=dict(zip(vocabulary, corrected, strict=True)),
    )


def finding_matrix(examples: Examples, vocabulary: Sequence[str]) -> tuple[sparse.csr_matrix, list[str]]:
    """A row for each sentence: its features by name, and behind them whether it has each phrase."""
    names = sorted({name for row in examples.rows for name in row} - {"intercept"})
    dense = sparse.csr_matrix([[row.get(name, 0.0) for name in names] for row in examples.rows])
    return sparse.hstack([dense, counts(examples.phrases, vocabulary) * FINDING_PHRASE_SCALE]).tocsr(), names


def fitted(
    matrix: sparse.csr_matrix, targets: Sequence[float], strength: float, tolerance: float = 1e-4
) -> LogisticRegression:
    """A logistic regression to probabilities: each row is an example of both classes, weighted."""
    probabilities = np.array(targets)
    return LogisticRegression(C=strength, max_iter=5000, tol=tolerance).fit(
        sparse.vstack([matrix, matrix]).tocsr(),
        np.repeat([1, 0], len(probabilities)),
        sample_weight=np.concatenate([probabilities, 1 - probabilities]),
    )


def parts_by_id(
    kinds: Sequence[dict[str, Any]], unlabelled: Sequence[dict[str, Any]]
) -> dict[str, list[tuple[str, Set[str]]]]:
    """The sentences of the abstracts that labels of findings name, each with the kinds that its heading allows."""
    named = {row["id"] for path in (LABELS, ANSWERS) for row in read_jsonl(path)}
    parts = {row["id"]: split(row["abstract"]) for row in unlabelled if row["id"] in named}
    return {row["id"]: [(text.strip(), set()) for text in row["sentences"]] for row in kinds} | parts


def later_papers(bench: Path) -> list[dict[str, Any]]:
    """Further papers without labels: findings were labelled in some, and nothing else is learned from them."""
    return [*read_jsonl(bench / "stream" / "papers.jsonl.gz"), *read_jsonl(bench / "screening.jsonl.gz")]


def labels_of(part: str) -> list[dict[str, Any]]:
    return [row for row in read_jsonl(LABELS) if row["part"] == part]


def training_data(bench: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The abstracts with kinds (part "train"), and without labels."""
    kinds = [row for row in read_jsonl(bench / "abstracts/csabstruct.jsonl.gz") if row["id"].startswith("train")]
    return kinds, read_jsonl(bench / "arxiv-papers.jsonl.gz")


def as_json(weights: Weights) -> str:
    """Return the weights as JSON with a line for each feature, so that a change can be read."""
    tables = []
    for name, table in asdict(weights).items():
        if isinstance(table, dict):
            rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in sorted(table.items()))
            tables.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
        else:
            tables.append(f" {json.dumps(name)}: {json.dumps(table)}")
    return "{\n" + ",\n".join(tables) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--output", type=Path, default=SHIPPED)
    args = parser.parse_args()
    kinds, unlabelled = training_data(args.bench)
    weights = learn_sentences([*kinds, *structured(args.bench, 0)], unlabelled)
    parts = parts_by_id(kinds, [*unlabelled, *later_papers(args.bench)])
    examples = examples_of(with_labels(parts, labels_of("tune")), weights)
    weights = learn_findings(examples, examples_of(read_by_encoder(args.bench), weights), weights)
    weights = correct_findings(examples_of(with_labels(parts, labels_of("shown"), STRICT_WORTH), weights), weights)
    weights = learn_gist(read_jsonl(args.bench / "abstracts/scitldr-dev.jsonl"), weights)
    weights = learn_answers(parts, weights)
    picked = chosen(later_papers(args.bench))
    weights = learn_sets(picked, learn_chosen(picked, weights))
    args.output.write_text(as_json(weights))
    print(f"{args.output}: {len(weights.phrases)} phrases, {args.output.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
