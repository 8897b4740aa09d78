"""What is known of sources, and of papers that come again: on each database."""

from __future__ import annotations

from datetime import date, timedelta

from bot.domain import Entry, SourceState, Vote
from bot.store.sources import Arrival, SourceActivity

V1 = Entry("Owls", arxiv_id="2606.00001", version=1)
V2 = Entry("Owls", arxiv_id="2606.00001", version=2, replacement=True)


def revised(store, reader_id, since):
    return store.papers.revisions_of({reader_id: since})[reader_id]


def test_a_state_comes_back_as_it_was_kept_and_takes_the_place_of_the_last(store, now):
    assert store.sources.states() == {}
    first = SourceState("owls", now, now, 0, "", None, "", {"etag": '"1"'})
    second = SourceState("owls", now, now, 2, "down", now + timedelta(hours=1), "stale", {})
    for state in (first, second):
        store.sources.record(state)
        assert store.sources.states() == {"owls": state}


def test_arrivals_tell_what_a_source_had_not_brought_before(samples, store, now):
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


def test_a_later_version_is_news_for_those_who_like_the_paper_until_an_edition_told_of_it(
    samples, store, now
):
    samples.ingest(V1)
    likes, dislikes, says_nothing = (samples.reader(f"{name}@example.org", name) for name in ("a", "b", "c"))
    store.feedback.add(likes.id, 1, Vote.UP, now, "cli")
    store.feedback.add(dislikes.id, 1, Vote.DOWN, now, "cli")
    later = now + timedelta(days=1)
    samples.ingest(V2, now=later)
    samples.ingest(V2, now=later + timedelta(hours=1), source="again")
    assert [revised(store, reader.id, now) for reader in (likes, dislikes, says_nothing)] == [
        [1],
        [],
        [],
    ]
    assert revised(store, likes.id, later + timedelta(hours=2)) == []
    store.editions.save(samples.edition(likes, 1, at=later), "told", [])
    assert revised(store, likes.id, now) == []


def test_the_version_that_was_seen_first_is_no_news(samples, store, now):
    samples.ingest(V1.title)
    samples.ingest(Entry("Owls", arxiv_id="2606.00001", version=3))
    reader = samples.reader()
    store.feedback.add(reader.id, 1, Vote.UP, now, "cli")
    assert revised(store, reader.id, now) == []
    assert samples.paper("Owls").version == 3


def test_a_lookup_is_kept_with_what_it_found(samples, store, now):
    samples.ingest("Owls", "Bees")
    owls, bees = (samples.paper(title) for title in ("Owls", "Bees"))
    assert store.papers.without_link(9) == [bees, owls]
    store.papers.keep_lookup(owls.id, Entry("Owls", arxiv_id="2606.00001", categories=("cs.OW",)), now)
    store.papers.keep_lookup(bees.id, None, now)
    store.papers.keep_lookup(bees.id, None, now)
    assert store.papers.without_link(9) == []
    assert (samples.paper("Owls").arxiv_id, samples.paper("Owls").categories) == ("2606.00001", ("cs.OW",))
    assert samples.ingest(Entry("Owls, Renamed", arxiv_id="2606.00001")) == (0, 1)
