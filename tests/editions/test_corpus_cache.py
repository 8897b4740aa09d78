"""The corpus: cached between runs, fitted again when there are enough new papers, shared by machines of one store."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest

from bot.editions import models as corpora
from bot.editions.models import CorpusCache
from bot.model import Entry, ParsedDigest
from bot.ranking.corpus import Corpus
from bot.store import open_store

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)


def add(store, count, now=NOW):
    """Add papers to a store."""
    stored = store.papers.count()
    entries = [Entry(f"paper {stored + i}", f"reward model topic{(stored + i) % 9}") for i in range(count)]
    parsed = ParsedDigest("keyword", "", None, tuple(entries))
    store.papers.add_digests("test", "a.txt", f"{stored}", [parsed], now=now)


class Home:
    """A store to which papers can be added, and its cached corpus."""

    def __init__(self, folder, now=NOW):
        self.store = open_store(f"sqlite:///{folder}/paperbot.db")
        self.cache = CorpusCache(folder / "corpus.npz", self.store.papers)
        self.now = now

    def add(self, count):
        add(self.store, count, self.now)


@pytest.fixture
def open_home() -> Iterator[Callable[..., Home]]:
    """Open homes, whose stores are closed after the test."""
    with ExitStack() as stores:

        def open_one(folder, now=NOW):
            home = Home(folder, now)
            stores.callback(home.store.close)
            return home

        yield open_one


@pytest.fixture
def loads(monkeypatch):
    """The files that are read to the end."""
    files = []
    load = Corpus.load
    monkeypatch.setattr(Corpus, "load", lambda file: files.append(file.name) or load(file))
    return files


@pytest.fixture
def fits(monkeypatch):
    """The number of texts of each fit."""
    sizes = []
    learn = Corpus.learn

    def counted(self, texts):
        texts = list(texts)
        sizes.append(len(texts))
        return learn(self, texts)

    monkeypatch.setattr(Corpus, "learn", counted)
    monkeypatch.setattr(corpora, "_SMALL_STORE", 100)
    return sizes


def test_the_corpus_is_fitted_once_and_again_when_enough_papers_are_new(tmp_path, open_home, fits):
    home = open_home(tmp_path)
    home.add(200)
    home.cache.renew()
    first = home.cache.corpus()
    stamp = home.cache.stamp
    home.add(10)
    home.cache.renew()
    assert (fits, home.cache.stamp) == ([200], stamp)
    assert list(home.cache.corpus().terms_) == list(first.terms_)
    home.add(1)
    home.cache.renew()
    assert fits == [200, 211]
    assert home.cache.stamp != stamp


def test_ranking_uses_the_corpus_however_many_papers_are_new(tmp_path, open_home, fits):
    home = open_home(tmp_path)
    home.add(200)
    home.cache.corpus()
    home.add(500)
    home.cache.corpus()
    assert fits == [200]


def test_a_small_corpus_is_fitted_again_with_each_new_paper(tmp_path, open_home, fits):
    home = open_home(tmp_path)
    for _ in range(3):
        home.add(30)
        home.cache.renew()
        home.cache.renew()
    assert fits == [30, 60, 90]


def test_without_papers_there_is_a_corpus_and_no_file(tmp_path, open_home, fits):
    home = open_home(tmp_path)
    home.cache.renew()
    assert len(home.cache.corpus().terms_) == 0
    assert home.cache.stamp is None


@pytest.mark.parametrize(("size", "earlier"), [(200, timedelta(microseconds=1)), (220, timedelta(0))])
def test_the_corpus_of_another_store_or_of_a_newer_one_is_not_used(tmp_path, open_home, fits, size, earlier):
    other, home = open_home(tmp_path / "other", NOW - earlier), open_home(tmp_path / "home")
    other.add(size)
    home.add(200)
    other.cache.corpus()
    other.cache.path.replace(home.cache.path)
    home.cache.corpus()
    assert fits == [size, 200]


def test_a_broken_file_is_fitted_again(tmp_path, open_home, fits):
    home = open_home(tmp_path)
    home.add(200)
    home.cache.corpus()
    home.cache.path.write_bytes(b"broken")
    home.cache.corpus()
    assert fits == [200, 200]


def test_ranking_works_if_the_corpus_cannot_be_saved(tmp_path, open_home, fits):
    home = open_home(tmp_path)
    home.add(200)
    home.cache.path.mkdir()
    assert len(home.cache.corpus().terms_) > 0


def test_a_process_reads_no_corpus_that_it_has(tmp_path, open_home, fits, loads):
    home = open_home(tmp_path)
    home.add(200)
    home.cache.renew()
    fitted = home.cache.corpus()
    home.cache.renew()
    assert home.cache.corpus() is fitted
    assert loads == []
    other = CorpusCache(home.cache.path, home.store.papers)
    other.renew()
    assert loads == []  # the header is enough
    read = other.corpus()
    assert other.corpus() is read
    assert len(loads) == 1


def test_a_corpus_that_another_process_fitted_replaces_the_kept_one(tmp_path, open_home, fits, loads):
    home = open_home(tmp_path)
    home.add(200)
    first = home.cache.corpus()
    home.add(50)
    CorpusCache(home.cache.path, home.store.papers).renew()
    assert fits == [200, 250]
    assert home.cache.corpus() is not first
    assert len(loads) == 1


@pytest.fixture
def machines(schema_url, tmp_path):
    """The caches of two machines, each with a folder of its own, on one store of three papers."""
    with open_store(schema_url) as first, open_store(schema_url) as second:
        add(first, 3)
        yield tuple(
            CorpusCache(tmp_path / name / "corpus.npz", store.papers, store.corpora)
            for name, store in (("one", first), ("two", second))
        )


def test_one_machine_fits_and_the_other_loads(machines, fits):
    first, second = machines
    first.renew()
    assert second.corpus().identity == first.corpus().identity
    second.renew()
    assert fits == [3]
    assert [path.name for path in second.path.parent.iterdir()] == ["corpus-1.npz"]


def test_a_new_version_replaces_the_file_of_each_machine(machines, fits, schema_url):
    first, second = machines
    first.renew()
    stamp = second.stamp
    with open_store(schema_url) as store:
        add(store, 1)
        second.renew()
        assert fits == [3, 4]
        assert second.stamp != stamp
        assert first.corpus().identity == second.corpus().identity
        assert [path.name for path in first.path.parent.iterdir()] == ["corpus-2.npz"]
        add(store, 1)
        first.renew()
        assert [store.corpora.content(version) is None for version in (1, 2, 3)] == [True, False, False]


def test_while_one_machine_fits_the_other_goes_on_with_what_there_is(machines, fits, schema_url):
    first, second = machines
    first.renew()
    with open_store(schema_url) as store:
        add(store, 1)
        with store.corpora.fitting() as is_ours:
            assert is_ours
            second.renew()
        assert fits == [3]
        second.renew()
        assert fits == [3, 4]


def test_a_file_that_was_deleted_is_copied_from_the_store_again(machines, fits):
    first, second = machines
    first.renew()
    assert second.corpus().identity
    (second.path.parent / "corpus-1.npz").unlink()
    assert second.corpus().identity == first.corpus().identity
    assert fits == [3]
