"""The corpus of a home is kept between runs, and fitted again when enough is new or the file is broken."""

import pytest

from bot.pipeline import corpora
from bot.pipeline.corpora import CorpusCache


class Papers:
    """As many papers as asked for; says how often they were read."""

    def __init__(self, count):
        self.size, self.read = count, 0

    def count(self):
        return self.size

    def recent_texts(self, limit):
        self.read += 1
        return [(i, f"paper {i}", f"reward model topic{i % 9}") for i in range(min(self.size, limit))]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(corpora, "_KEPT_FROM", 100)
    return CorpusCache(tmp_path / "state" / "corpus.npz")


def test_it_is_fitted_once_and_again_when_enough_is_new(cache):
    papers = Papers(200)
    first = cache.corpus(papers)
    assert list(cache.corpus(papers).terms_) == list(first.terms_)
    papers.size = 205
    cache.corpus(papers)
    assert papers.read == 1
    papers.size = 220
    cache.corpus(papers)
    assert papers.read == 2


def test_a_broken_file_is_fitted_again(cache):
    papers = Papers(200)
    cache.corpus(papers)
    cache.path.write_bytes(b"broken")
    cache.corpus(papers)
    assert papers.read == 2


def test_few_papers_are_not_kept(cache):
    cache.corpus(Papers(50))
    assert not cache.path.exists()
