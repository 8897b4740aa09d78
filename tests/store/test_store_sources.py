"""The states and volumes of sources, and later versions of papers."""

from __future__ import annotations

from datetime import date, timedelta

from bot.model import Entry, SourceState, Vote
from bot.store.sources import Arrival, SourceActivity

V1 = Entry("Owls", arxiv_id="2606.00001", version=1)
V2 = Entry("Owls", arxiv_id="2606.00001", version=2, replacement=True)


def revised(store, reader_id, since):
    return store.papers.revisions_of({reader_id: since})[reader_id]


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
    assert store.sources.activity()["one"] == SourceActivity(
        now + timedelta(hours=1), date(2026, 4, 17), digests=2, papers=3
    )


def test_a_later_version_counts_for_readers_who_like_the_paper_until_an_edition_shows_it(samples, store, now):
    samples.ingest(V1)
    likes, dislikes, no_vote = (samples.reader(f"{name}@example.org", name) for name in ("a", "b", "c"))
    store.feedback.add(likes.id, 1, Vote.UP, now, "cli")
    store.feedback.add(dislikes.id, 1, Vote.DOWN, now, "cli")
    later = now + timedelta(days=1)
    samples.ingest(V2, now=later)
    samples.ingest(V2, now=later + timedelta(hours=1), source="again")
    assert [revised(store, reader.id, now) for reader in (likes, dislikes, no_vote)] == [
        [1],
        [],
        [],
    ]
    assert revised(store, likes.id, later + timedelta(hours=2)) == []
    store.editions.save(samples.edition(likes, 1, at=later), "slot", [])
    assert revised(store, likes.id, now) == []


def test_the_version_seen_first_is_not_a_revision(samples, store, now):
    samples.ingest(V1.title)
    samples.ingest(Entry("Owls", arxiv_id="2606.00001", version=3))
    reader = samples.reader()
    store.feedback.add(reader.id, 1, Vote.UP, now, "cli")
    assert revised(store, reader.id, now) == []
    assert samples.paper("Owls").version == 3


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
