"""Makes ``bot/ranking/vectors.npy``, vectors of meaning, and ``bot/text/apart.json``, words that stems keep apart.

    python bench/vectors.py ABSTRACTS.jsonl.gz... [--stems]

Positive pointwise mutual information of stems within windows, factorised by a truncated SVD (Levy and Goldberg 2014);
mean and first principal components are taken out (all-but-the-top, Mu and Viswanath 2018). With ``--stems`` first the
words that Snowball gives one stem although they mean different things: of the inflections of a stem ("access",
"accessible", "accessibility") those whose vectors are far from the most frequent one's get a stem of their own.
``docs/decisions/ranking.md`` has what else was tried.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd

from bot.ranking.meaning import DIMENSIONS, REFERENCES, STEPS, TABLE, shipped, word_hash
from bot.text import tokens

ROOT = Path(__file__).resolve().parents[1]
APART = ROOT / "bot" / "text" / "apart.json"
# Words around a word, the nearest with the most weight; how often two must meet.
WINDOW, LEAST_PAIRS = 30, 0.3
# The exponent of contexts' frequencies, of singular values, and the principal components taken out.
CONTEXTS, SINGULAR_VALUES, COMPONENTS = 0.75, 0.25, 4
WORDS, LEAST_PAPERS = 16_000, 4
# Inflections are kept apart below this cosine if they occur so often.
APART_BELOW, LEAST_OCCURRENCES = 0.4, 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", nargs="+", type=Path, help="JSON Lines with title and abstract, gzipped")
    parser.add_argument("--stems", action="store_true", help="write the words that stems keep apart, too")
    arguments = parser.parse_args()
    papers = [paper for path in arguments.abstracts for paper in _read(path)]
    texts = [f"{paper['title']}\n{paper['abstract']}" for paper in papers]
    if arguments.stems:
        apart = words_apart(texts)
        APART.write_text(json.dumps(apart, indent=0, sort_keys=True) + "\n")
        print(f"{APART.name}: {sum(map(len, apart.values()))} words in {len(apart)} groups")
        tokens.words_apart.cache_clear()
        tokens.stem.cache_clear()
    documents = [tokens.stem_sequence(text).stems for text in texts]
    words, vectors = train(documents, DIMENSIONS, WORDS)
    write(words, vectors, documents)


def _read(path: Path) -> Iterable[dict[str, str]]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


def train(documents: Sequence[Sequence[str]], dimensions: int, most: int) -> tuple[list[str], np.ndarray]:
    """Return the most frequent words and their vectors (n_words, dimensions) of norm 1."""
    papers = Counter(word for document in documents for word in set(document))
    words = [word for word, count in papers.most_common(most) if count >= LEAST_PAPERS]
    pairs = _pairs(documents, {word: number for number, word in enumerate(words)})
    totals = np.asarray(pairs.sum(axis=1)).ravel()
    contexts = totals**CONTEXTS
    pairs = pairs.tocoo()
    information = np.log(pairs.data * contexts.sum() / (totals[pairs.row] * contexts[pairs.col]))
    kept = (information > 0) & (pairs.data > LEAST_PAIRS)
    matrix = sp.csr_matrix((information[kept], (pairs.row[kept], pairs.col[kept])), shape=pairs.shape)
    left, values, _ = randomized_svd(matrix, n_components=dimensions, n_iter=3, random_state=0)
    vectors = normalize(left * values**SINGULAR_VALUES)
    vectors -= vectors.mean(axis=0)
    top = np.linalg.svd(vectors[:6_000], full_matrices=False)[2][:COMPONENTS]
    return words, normalize(vectors - (vectors @ top.T) @ top).astype(np.float32)


def _pairs(documents: Sequence[Sequence[str]], number: dict[str, int]) -> sp.csr_matrix:
    """Return how often two words meet, (n_words, n_words), weighted by their distance within the window."""
    pairs = sp.csr_matrix((len(number), len(number)), dtype=np.float32)
    gap = [-1] * WINDOW
    for start in range(0, len(documents), 4_000):
        part = documents[start : start + 4_000]
        row = np.array([n for document in part for n in (*(number.get(word, -1) for word in document), *gap)], np.int32)
        rows, columns, weights = [], [], []
        for distance in range(1, WINDOW + 1):
            first, second = row[:-distance], row[distance:]
            kept = (first >= 0) & (second >= 0) & (first != second)
            rows.append(first[kept])
            columns.append(second[kept])
            weights.append(np.full(kept.sum(), (WINDOW - distance + 1) / WINDOW / 3, np.float32))
        entries = (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns)))
        met = sp.coo_matrix(entries, shape=pairs.shape).tocsr()
        pairs = pairs + met + met.T
    return pairs


def write(words: Sequence[str], vectors: np.ndarray, documents: Sequence[Sequence[str]]) -> None:
    """Write the table: words by hash, the map from contexts to vectors, and reference papers."""
    number = {word: n for n, word in enumerate(words)}
    papers = Counter(word for document in documents for word in set(document) if word in number)
    idf = np.log(len(documents) / np.array([papers[word] for word in words]))
    rows = sp.lil_matrix((len(documents), len(words)), dtype=np.float32)
    for row, document in enumerate(documents):
        for word, count in Counter(word for word in document if word in number).items():
            rows[row, number[word]] = 1 + np.log(count)
    weights = rows.tocsr()
    meanings = normalize(weights.multiply(idf).tocsr() @ vectors)
    # À la carte (Khodak 2018): the linear map from the mean of the papers that have a word to the word's vector.
    presence = (weights > 0).astype(np.float32).T.tocsr()
    counts = np.asarray(presence.sum(axis=1))
    mean = meanings.mean(axis=0)
    contexts = presence @ meanings / counts - mean
    importance = np.minimum(counts, 200) ** 0.5
    left = (contexts * importance).T @ (contexts * importance)
    ridge = 1e-4 * float(importance.sum()) * np.eye(DIMENSIONS)
    linear_map = np.linalg.solve(left + ridge, (contexts * importance).T @ (vectors * importance))
    references = meanings[np.linspace(0, len(meanings) - 1, REFERENCES).astype(int)]
    hashes = np.array([word_hash(word) for word in words])
    np.save(TABLE, pack(hashes, vectors, idf, mean, linear_map, references))
    print(f"{TABLE.name}: {len(words)} words, {TABLE.stat().st_size / 1e6:.2f} MB")
    shipped.cache_clear()


def pack(  # noqa: PLR0917 - the arrays of one table
    hashes: np.ndarray,
    vectors: np.ndarray,
    idf: np.ndarray,
    mean: np.ndarray,
    linear_map: np.ndarray,
    references: np.ndarray,
) -> np.ndarray:
    """Return the record of a table: words by hash, their vectors two dimensions a byte, and what ``learn`` needs.

    ``mean`` (DIMENSIONS,) is that of the papers' vectors, ``references`` (REFERENCES, DIMENSIONS) some of them.
    """
    hashes, first = np.unique(hashes, return_index=True)
    vectors = vectors[first]
    step = np.abs(vectors).max(axis=1) / STEPS
    steps = (np.round(vectors / step[:, None]) + STEPS).astype(np.uint8)
    layout = [
        ("hash", "<u4", (len(hashes),)),
        ("idf", "<f2", (len(hashes),)),
        ("step", "<f4", (len(hashes),)),
        ("codes", "u1", (len(hashes), DIMENSIONS // 2)),
        ("mean", "<f4", (DIMENSIONS,)),
        ("map", "<f2", (DIMENSIONS, DIMENSIONS)),
        ("references", "<f2", (REFERENCES, DIMENSIONS)),
    ]
    record = np.zeros((), dtype=layout)
    record["hash"], record["idf"], record["step"] = hashes, idf[first], step
    record["codes"] = steps[:, ::2] << 4 | steps[:, 1::2]
    record["mean"], record["map"], record["references"] = mean, linear_map, references
    return record


def words_apart(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return groups of words that get a stem of their own, by that stem."""
    documents = [[tokens.american(token.spelling.lower()) for token in tokens.tokens(text)] for text in texts]
    words, vectors = train(documents, 200, 20_000)
    counts = Counter(word for document in documents for word in document)
    classes: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, word in enumerate(words):
        if word.isalpha():
            classes[tokens.snowball_stem(word)][_lemma(word)].append(number)
    apart = {}
    for lemmas in classes.values():
        if len(lemmas) < 2:
            continue
        occurrences = {lemma: sum(counts[words[n]] for n in numbers) for lemma, numbers in lemmas.items()}
        mean = {lemma: sum(counts[words[n]] * vectors[n] for n in numbers) for lemma, numbers in lemmas.items()}
        unit = {lemma: vector / np.linalg.norm(vector) for lemma, vector in mean.items()}
        main = max(occurrences, key=occurrences.__getitem__)
        for lemma, numbers in lemmas.items():
            if occurrences[lemma] >= LEAST_OCCURRENCES and unit[lemma] @ unit[main] < APART_BELOW:
                name = max((words[n] for n in numbers), key=lambda word: counts[word])
                apart[name] = sorted(words[n] for n in numbers)
    return apart


def _lemma(word: str) -> str:
    """Strip plural, -ed, -ing and -ly, roughly: only words of one Snowball stem are compared."""
    for suffix, ending in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(suffix) and len(word) > len(suffix) + 2:
            return _lemma(word[: -len(suffix)] + ending)
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for suffix in ("ing", "ed", "ly"):
        if word.endswith(suffix) and len(word) > len(suffix) + 2 and re.search("[aeiouy]", word[: -len(suffix)]):
            word = word[: -len(suffix)]
            if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word.removesuffix("e")


if __name__ == "__main__":
    main()
