"""Makes ``bot/text/vocabulary.json``: which words and phrases name a topic, learned from abstracts.

    python bench/vocabulary.py PAPERS.jsonl.gz... [--output bot/text/vocabulary.json]

A word that names a topic stands in few kinds of papers, more than once in each, and in titles; general academic
vocabulary ("show", "performance", "component") stands everywhere, once, and seldom in a title. Each stem's features:

    kl     Kullback-Leibler divergence of its papers over 80 clusters (k-means on 100 LSA components) from all papers'
    burst  occurrences in a paper that has it
    title  share of its papers that have it in their title
    papers in how many it stands
    verb   share of its occurrences behind "we", "to", "can" ...
    ed     share of its spellings that end in -ed or -ly

A logistic regression on half of the labelled sample (``vocabulary_labels.json``) is judged on the other half, then
fitted to all. For bigrams the same regression is used without verb and ed.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bot.text.tokens import stem_terms, tokens

HERE = Path(__file__).parent
CLUSTERS, COMPONENTS = 80, 100
LEAST_PAPERS, LEAST_PAPERS_OF_PHRASE = 20, 25
GENERAL, FILLER, PHRASE = 0.2, 0.05, 0.5  # probabilities of naming a topic
VERB = 0.15  # of a word's occurrences follow "we", "to", "can" ...
_VERB_CUES = {"we", "to", "can", "which", "will", "may", "not", "also", "they", "it", "further"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="+", type=Path, help="JSON Lines with id, title and abstract, gzipped")
    parser.add_argument("--output", type=Path, help="where to write the vocabulary")
    arguments = parser.parse_args()
    papers = list({paper["id"]: paper for path in arguments.papers for paper in _read(path)}.values())
    names, features = term_features(papers)
    labels = json.loads((HERE / "vocabulary_labels.json").read_text())
    probabilities = learn(names, features, {k: " ".join(v).split() for k, v in labels["sample"].items()})
    corrections = {
        k: set(" ".join(v).split("; " if k == "phrases" else None)) for k, v in labels["corrections"].items()
    }
    vocabulary = shipped(names, features, probabilities, corrections)
    print({kind: len(terms) for kind, terms in vocabulary.items()})
    if arguments.output:
        lines = [f' "{kind}": {json.dumps(" ".join(t) if kind != "phrases" else t)}' for kind, t in vocabulary.items()]
        arguments.output.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def term_features(papers: list[dict[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    """Terms (n,) and their features (n, 6)."""
    vectorizer = CountVectorizer(analyzer=stem_terms, min_df=LEAST_PAPERS)
    counts = vectorizer.fit_transform([f"{p['title']}\n{p['abstract']}" for p in papers])
    names = vectorizer.get_feature_names_out()
    words = np.array([" " not in name for name in names])
    papers_with = np.bincount(counts.indices, minlength=len(names))
    burst = np.asarray(counts.sum(axis=0)).ravel() / papers_with
    in_title = vectorizer.transform([p["title"] for p in papers])
    title = np.bincount(in_title.indices, minlength=len(names)) / papers_with
    divergence = _divergence(counts, _clusters(counts[:, words]))
    verb, ed = _forms(papers, names)
    columns = [divergence, np.log(burst), np.log(title + 0.01), np.log(papers_with), verb, ed]
    return names, np.column_stack(columns)


def learn(names: np.ndarray, features: np.ndarray, sample: dict[str, list[str]]) -> np.ndarray:
    """(n,): how probably each term names a topic."""
    place = {name: row for row, name in enumerate(names)}
    labelled = [(place[w], kind == "topical") for kind in ("topical", "general") for w in sample[kind] if w in place]
    rows, topical = (np.array(column) for column in zip(*labelled, strict=True))
    half = np.arange(len(rows)) % 2 == 0
    model = make_pipeline(StandardScaler(), LogisticRegression())
    held_out = model.fit(features[rows[half]], topical[half]).predict_proba(features[rows[~half]])[:, 1]
    truth = topical[~half]
    print(
        f"held out ({len(truth)} stems): AUC {roc_auc_score(truth, held_out):.3f}; below {GENERAL} are "
        f"{np.mean(held_out[~truth] < GENERAL):.2f} of the general, "
        f"{np.mean(held_out[truth] < GENERAL):.2f} of the topical"
    )
    return np.asarray(model.fit(features[rows], topical).predict_proba(features)[:, 1])


def shipped(
    names: np.ndarray, features: np.ndarray, probabilities: np.ndarray, corrections: dict[str, set[str]]
) -> dict[str, list[str]]:
    """Stems in four lists.

    ``breaking``: verbs and qualifiers, which end a phrase; ``filler``: names no topic but in ``phrases`` and where a
    reader wrote it; ``general``: names one beside other words, never alone.
    """
    papers_with, verb = np.exp(features[:, 3]).round(), features[:, 4]
    words = {n: p for n, p in zip(names.tolist(), probabilities.tolist(), strict=True) if " " not in n}
    breaking = corrections["breaking"] | {
        n for n, v, p in zip(names, verb, probabilities, strict=True) if v > VERB and p < FILLER
    }
    breaking -= corrections["not_breaking"]
    filler = (
        {w for w, p in words.items() if p < FILLER} - corrections["topical"] - corrections["general"]
        | breaking
        | corrections["not_breaking"]
    )
    general = {w for w, p in words.items() if p < GENERAL} | corrections["general"]
    phrases = [
        name
        for name, count, p in zip(names.tolist(), papers_with.tolist(), probabilities.tolist(), strict=True)
        if " " in name and count >= LEAST_PAPERS_OF_PHRASE and p >= PHRASE
    ]
    examples = [
        p for p in phrases if (set(p.split()) & filler or set(p.split()) <= general) and not set(p.split()) & breaking
    ]
    return {
        "breaking": sorted(breaking),
        "filler": sorted(filler - breaking),
        "general": sorted(general - filler - corrections["topical"]),
        "phrases": sorted({*examples, *corrections["phrases"]}),
    }


def _read(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def _clusters(counts: sp.csr_matrix) -> np.ndarray:
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    latent = TruncatedSVD(COMPONENTS, random_state=0).fit_transform(weighted)
    latent /= np.linalg.norm(latent, axis=1, keepdims=True) + 1e-9
    return np.asarray(MiniBatchKMeans(CLUSTERS, random_state=0, n_init=3).fit_predict(latent))


def _divergence(counts: sp.csr_matrix, clusters: np.ndarray) -> np.ndarray:
    """(n_terms,) nats, less what chance gives to a term of so few papers (Miller 1955)."""
    members = sp.csr_matrix((np.ones(len(clusters)), (clusters, np.arange(len(clusters)))))
    papers = np.asarray((members @ (counts > 0).astype(float)).todense())
    prior = np.bincount(clusters) / len(clusters)
    total = papers.sum(axis=0)
    shares = (papers + 2 * prior[:, None]) / (total + 2)
    chance = (len(prior) - 1) / (4 * (total + 2))
    return np.asarray((shares * np.log(shares / prior[:, None])).sum(axis=0) - chance)


def _forms(papers: list[dict[str, str]], names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares (n_terms,) of occurrences behind a word that verbs follow, and of spellings in -ed or -ly."""
    verbs, ed, total = Counter[str](), Counter[str](), Counter[str]()
    for paper in papers:
        text = paper["abstract"]
        for token in tokens(text):
            total[token.stem] += 1
            ed[token.stem] += token.spelling.endswith(("ed", "ly"))
            before = text[max(0, token.start - 8) : token.start].split()
            verbs[token.stem] += bool(before) and before[-1].lower() in _VERB_CUES
    return tuple(np.array([c[n] / max(total[n], 1) for n in names]) for c in (verbs, ed))  # type: ignore[return-value]


if __name__ == "__main__":
    main()
