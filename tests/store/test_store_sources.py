"""The states and volumes of sources, later versions of papers, and the quarantine of digests that kill the parser."""

from datetime import timedelta

from bot.model import Entry, SourceState
from bot.store.papers import PaperChange
from bot.store.sources import Arrival

V1 = Entry("Owls", "We count all owls at night.", arxiv_id="2606.00001", version=1)
V2 = Entry("Owls", "We count owls.", arxiv_id="2606.00001", version=2, replacement=True)


def test_a_state_is_read_as_recorded_and_replaces_the_last(store, now):
    assert store.sources.states() == {}
    first = SourceState("owls", now, now, 0, "", None, "", {"etag": '"1"'})
    second = SourceState("owls", now, now, 2, "down", now + timedelta(hours=1), "stale", {})
    for state in (first, second):
        store.sources.record(state)
        assert store.sources.states() == {"owls": state}


def test_arrivals_count_papers_that_are_new_to_their_source(samples, store, now):
    samples.ingest("A", "B", source="one")
    samples.ingest("B", "C", source="one", now=now + timedelta(hours=1))
    samples.ingest("A", source="two", now=now + timedelta(hours=1))
    assert store.sources.arrivals("one", now - timedelta(hours=1)) == [
        Arrival(now, 2, 2),
        Arrival(now + timedelta(hours=1), 2, 1),
    ]
    assert store.sources.arrivals("two", now) == [Arrival(now + timedelta(hours=1), 1, 1)]


def test_a_later_version_is_recorded_once_with_the_abstract_before(samples, store, now):
    samples.ingest(V1)
    later = now + timedelta(days=1)
    samples.ingest(V2, now=later)
    samples.ingest(V2, now=later + timedelta(hours=1), source="again")
    assert store.papers.changes(now) == [PaperChange(1, later, 2, V1.abstract)]
    assert samples.paper("Owls").abstract == V2.abstract
    assert store.papers.changes(later + timedelta(hours=2)) == []


def test_the_version_seen_first_is_not_a_revision(samples, store, now):
    samples.ingest(V1.title)
    samples.ingest(Entry("Owls", arxiv_id="2606.00001", version=3))
    assert store.papers.changes(now - timedelta(days=1)) == []
    assert samples.paper("Owls").version == 3


def test_papers_are_found_by_the_full_names_of_their_first_and_last_authors(samples, store):
    samples.ingest(Entry("Owls", authors=("Ada Lovelace", "Mary Somerville", "Émilie du Châtelet")))
    samples.ingest(Entry("Bees", authors=("A Lovelace",)), Entry("Cats", authors=("Emilie du Chatelet",)))
    # PubMed's names: many people are called so.
    samples.ingest(Entry("Ants", authors=("Wang Y", "van der Berg JK")), Entry("Bats", authors=("Wang, Y.",)))
    names = ["adalovelace", "alovelace", "marysomerville", "emilieduchatelet", "wangy", "vanderbergjk"]
    assert store.papers.by_leading_authors(names) == {"adalovelace": [1], "emilieduchatelet": [1, 3]}


def test_a_lookup_is_recorded_with_its_result(samples, store, now):
    samples.ingest("Owls", "Bees")
    owls = samples.paper("Owls")
    bees = samples.paper("Bees")
    assert store.papers.without_link(9) == [bees, owls]
    store.papers.record_lookup(owls.id, Entry("Owls", arxiv_id="2606.00001", categories=("cs.OW",)), now)
    store.papers.record_lookup(bees.id, None, now)
    store.papers.record_lookup(bees.id, None, now)
    assert store.papers.without_link(9) == []
    assert (samples.paper("Owls").arxiv_id, samples.paper("Owls").categories) == ("2606.00001", ("cs.OW",))
    assert samples.ingest(Entry("Owls, Renamed", arxiv_id="2606.00001")) == (0, 1)


def test_a_digest_without_an_end_is_tried_twice(store, now):
    attempts = store.parse_attempts
    assert attempts.begin("a", now) is None
    assert attempts.begin("a", now) is None
    assert attempts.begin("a", now) == "Paperbot was killed 2 times while it was parsed"
    assert attempts.begin("b", now) is None
    assert attempts.begin("a", now, again=True) is None
    attempts.end("a")
    assert [attempts.begin("a", now) for _ in range(3)][:2] == [None, None]


def test_a_refused_digest_stays_refused_with_its_reason(store, now):
    attempts = store.parse_attempts
    attempts.begin("a", now)
    attempts.refuse("a", "too slow")
    assert [attempts.begin("a", now) for _ in range(3)] == ["too slow"] * 3
    assert attempts.begin("a", now, again=True) is None
    attempts.end("a")
    assert attempts.begin("a", now) is None


def test_a_wait_begins_once_for_each_slot_and_is_deleted_with_its_reader(samples, store, now):
    reader = samples.reader()
    waits = store.edition_waits
    later = now + timedelta(minutes=5)
    assert waits.since({}, now) == {}
    assert waits.since({reader.id: "2025-05-06"}, now) == {reader.id: now}
    assert waits.since({reader.id: "2025-05-06"}, later) == {reader.id: now}
    assert waits.since({reader.id: "2025-05-07"}, later) == {reader.id: later}
    store.forget(reader, now)
    assert store.readers.all() == []
