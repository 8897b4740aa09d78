"""The corpus of a store that several machines use: fitted by one of them, loaded by all."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.editions.models import CorpusCache
from bot.model import Entry, ParsedDigest
from bot.ranking.corpus import Corpus
from bot.store import open_store

NOW = datetime(2026, 4, 18, 6, 0, tzinfo=UTC)


def ingest(store, *titles):
    entries = tuple(Entry(title=title, abstract=f"We study {title}.") for title in titles)
    digest = ParsedDigest("keyword", "Testing", NOW.date(), entries)
    store.papers.add_digests("seeds", "a.txt", titles[0], [digest], now=NOW + timedelta(seconds=store.papers.count()))


@pytest.fixture
def machines(schema_url, tmp_path):
    """The caches of two machines, each with a folder of its own, on one store of three papers."""
    with open_store(schema_url) as first, open_store(schema_url) as second:
        ingest(first, "owls at night", "owls by day", "bees")
        yield tuple(
            CorpusCache(tmp_path / name / "corpus.npz", store.papers, store.corpora)
            for name, store in (("one", first), ("two", second))
        )


@pytest.fixture
def fits(monkeypatch):
    """The number of texts of each fit."""
    calls = []
    learn = Corpus.learn

    def counted(self, texts):
        texts = list(texts)
        calls.append(len(texts))
        return learn(self, texts)

    monkeypatch.setattr(Corpus, "learn", counted)
    return calls


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
        ingest(store, "wasps")
        second.renew()
        assert fits == [3, 4]
        assert second.stamp != stamp
        assert first.corpus().identity == second.corpus().identity
        assert [path.name for path in first.path.parent.iterdir()] == ["corpus-2.npz"]
        ingest(store, "ants")
        first.renew()
        assert [store.corpora.content(version) is None for version in (1, 2, 3)] == [True, False, False]


def test_while_one_machine_fits_the_other_goes_on_with_what_there_is(machines, fits, schema_url):
    first, second = machines
    first.renew()
    with open_store(schema_url) as store:
        ingest(store, "wasps")
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
