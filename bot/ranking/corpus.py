"""The vocabulary that all readers share, learned from the papers at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer

from bot.terms import terms

# A term of a single paper among this many is a name or a misprint; in a handful of papers it may be the topic.
_RARE_TERMS_FROM = 1000
# A vocabulary that no text has a term of.
_NO_TERMS = ("\0",)


class Corpus(TransformerMixin, BaseEstimator):
    """Texts to tf-idf vectors: sublinear term frequency, rows of length 1."""

    def __init__(self, max_terms: int = 100_000) -> None:
        self.max_terms = max_terms

    def fit(self, texts: Sequence[str], y: None = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learns terms and their document frequencies; ``background_`` keeps the fitted texts' vectors."""
        min_df = 1 if len(texts) < _RARE_TERMS_FROM else 2
        self.vectorizer_ = _vectorizer(min_df=min_df, max_features=self.max_terms)
        try:
            self.background_: sp.csr_matrix = self.vectorizer_.fit_transform(texts)
        except ValueError:  # function words or signs only: scikit-learn refuses to learn no terms at all
            self.vectorizer_ = _vectorizer(vocabulary=_NO_TERMS)
            self.background_ = self.vectorizer_.fit_transform(texts)
        self.terms_: np.ndarray = self.vectorizer_.get_feature_names_out()
        return self

    def transform(self, texts: Sequence[str]) -> sp.csr_matrix:
        """(n_texts, n_terms); a text without a known term is a row of zeros."""
        return self.vectorizer_.transform(texts)


def _vectorizer(**options: Any) -> TfidfVectorizer:
    return TfidfVectorizer(analyzer=terms, sublinear_tf=True, **options)
