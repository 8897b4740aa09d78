"""Readers' own libraries: each reader's alone, matched with stored papers by their identity."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bot.model import Entry, LibraryEntry, ParsedDigest
from bot.store.libraries import Additions

OWLS = LibraryEntry(Entry("Owls at Night", "They fly.", ("Ada Lovelace",), doi="10.1000/owls"), date(2020, 3, 4))
BEES = LibraryEntry(Entry("Bees by Day", arxiv_id="2504.00001"))


@pytest.fixture
def ada(samples):
    return samples.reader("ada@example.org", "ada").id


@pytest.fixture
def bob(samples):
    return samples.reader("bob@example.org", "bob").id


def ingest(store, now, *entries):
    """Store a digest of these entries; return the ids of all papers from then on."""
    before = store.papers.newest_id()
    parsed = ParsedDigest("markdown", "owls", date(2026, 4, 18), entries)
    store.papers.add_digests("own", "x.md", str(entries), [parsed], now=now)
    return list(range(before + 1, store.papers.newest_id() + 1))


def test_a_library_is_kept_as_it_was_given_the_last_addition_first(store, ada, now):
    assert store.library.add(ada, [OWLS, BEES], "bibtex", now) == Additions(matched=0, new=2, known=0)
    bees, owls = store.library.of_readers([ada], 10)[ada]
    assert (owls.paper.title, owls.paper.abstract, owls.paper.authors) == (
        "Owls at Night",
        "They fly.",
        ("Ada Lovelace",),
    )
    assert (owls.added, owls.origin) == (datetime(2020, 3, 4, tzinfo=UTC), "bibtex")
    assert (bees.paper.arxiv_id, bees.added) == ("2504.00001", now)
    assert owls.paper.id < 0
    assert [item.paper.title for item in store.library.of_readers([ada], 1)[ada]] == ["Bees by Day"]
    assert store.library.all_of(ada) == [owls, bees]


def test_a_day_to_come_is_none_on_which_a_paper_was_added(store, ada, now):
    store.library.add(ada, [replace(OWLS, added=date(2999, 1, 1))], "bibtex", now)
    assert store.library.all_of(ada)[0].added == now


def test_what_the_library_has_is_not_added_twice(store, ada, now):
    twice = [OWLS, replace(BEES, added=date(2021, 1, 1)), BEES, LibraryEntry(Entry("bees BY day"))]
    assert store.library.add(ada, twice, "bibtex", now) == Additions(matched=0, new=2, known=2)
    assert store.library.of_readers([ada], 10)[ada][0].added == datetime(2021, 1, 1, tzinfo=UTC)
    assert store.library.add(ada, [OWLS, BEES], "ris", now) == Additions(matched=0, new=0, known=2)
    assert store.library.size(ada) == 2


@pytest.mark.parametrize(
    "entry",
    [
        Entry("Another title", doi="10.1000/OWLS"),
        Entry("OWLS at {N}ight"),
        Entry("Owls at Night", arxiv_id="2504.00002"),
    ],
)
def test_an_entry_matches_a_stored_paper_by_doi_or_title(store, ada, now, entry):
    ingest(store, now, Entry("Owls at Night", "As the digest has it.", doi="10.1000/owls"))
    assert store.library.add(ada, [LibraryEntry(entry)], "bibtex", now) == Additions(matched=1, new=0, known=0)
    # It had none of its own.
    assert store.library.all_of(ada)[0].paper.abstract == "As the digest has it."


def test_another_doi_is_another_paper_whatever_the_title(store, ada, now):
    (paper_id,) = ingest(store, now, Entry("Editorial", doi="10.1000/2025"))
    editorial = LibraryEntry(Entry("Editorial", doi="10.1000/2026"))
    assert store.library.add(ada, [editorial], "bibtex", now).matched == 0
    assert store.papers.new_to(ada) == [paper_id]


def test_a_paper_in_the_library_is_no_news_to_its_reader_and_news_to_others(store, ada, bob, now):
    before = ingest(store, now, OWLS.entry)
    store.library.add(ada, [OWLS, BEES], "bibtex", now)
    after = ingest(store, now, BEES.entry, Entry("Cats"))
    assert store.papers.new_to(ada) == after[1:]
    assert store.papers.new_to(bob) == before + after
    assert store.library.held(ada, store.papers.get(before[:1]).values()) == set(before[:1])
    assert not store.library.held(ada, store.papers.get(after[1:2]).values())
    assert not store.library.held(bob, store.papers.get(before[:1]).values())


def test_a_library_is_in_nothing_that_others_can_read(store, ada, bob, now):
    (paper_id,) = ingest(store, now, Entry("Cats", "Owls hunt them."))
    store.library.add(ada, [OWLS, BEES], "bibtex", now)
    assert store.papers.newest_id() == paper_id
    assert store.papers.count() == 1
    assert store.papers.find("Owls") == store.papers.find("Bees") == []
    assert [paper.title for paper in store.search.papers("owls")] == ["Cats"]
    assert store.search.papers("bees") == []
    assert [row[0] for row in store.papers.recent_texts(10)] == [paper_id]
    assert store.papers.without_link(10) == list(store.papers.get([paper_id]).values())
    assert store.library.of_readers([bob], 10) == {}
    # The same paper in a digest is not completed with what the library has.
    (owls,) = ingest(store, now, Entry("Owls at Night"))
    assert store.papers.get([owls])[owls].abstract == ""
    assert store.papers.get([owls])[owls].doi is None


def test_a_library_goes_at_once_or_with_its_reader(samples, store, now):
    ada, bob = samples.reader("ada@example.org", "ada"), samples.reader("bob@example.org", "bob")
    for reader in (ada, bob):
        store.library.add(reader.id, [OWLS, BEES], "bibtex", now)
    assert set(store.library.last_ids([ada.id, bob.id])) == {ada.id, bob.id}
    store.forget(ada, now)
    assert (store.library.size(ada.id), store.library.size(bob.id)) == (0, 2)
    assert store.library.remove(bob.id) == 2
    assert store.library.last_ids([bob.id]) == {}
    # Nothing is left that would make them known.
    assert store.library.add(bob.id, [OWLS, BEES], "bibtex", now).new == 2


def test_a_replay_knows_what_had_been_added_by_then(store, ada, now):
    day = now - timedelta(days=365)
    store.library.add(ada, [OWLS, replace(BEES, added=now.date())], "bibtex", now)
    ids = ingest(store, day, OWLS.entry, BEES.entry)
    past = store.as_of(day, day, [])
    assert [item.paper.title for item in past.library.of_readers([ada], 10)[ada]] == ["Owls at Night"]
    assert past.papers.new_to(ada) == ids[1:]
