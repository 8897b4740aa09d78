"""The store as it was: papers, thumbs and editions of a time, as if other editions had been sent since another."""

from datetime import timedelta

from bot.domain import Entry, Vote
from bot.feedback.service import record
from bot.store.editions import Shown

from .conftest import NOW, Samples

DAY = timedelta(days=1)


def test_papers_and_thumbs_of_later_are_not_there(store, samples: Samples):
    reader = samples.reader()
    samples.ingest("Owls", now=NOW)
    samples.ingest("Bees", now=NOW + DAY)
    owls, bees = samples.paper("Owls"), samples.paper("Bees")
    record(store, reader, owls, Vote.UP, now=NOW, via="cli")
    record(store, reader, owls, Vote.DOWN, now=NOW + DAY, via="cli")
    past = store.past(NOW + DAY / 2, NOW, [])
    assert [(t.paper, t.vote) for t in past.feedback.votes(reader.id)] == [(owls.id, Vote.UP)]
    assert (past.papers.newest_id(), past.papers.count()) == (owls.id, 1)
    assert past.papers.newest_first_seen() == NOW
    assert [title for _, title, _ in past.papers.recent_texts(10)] == ["Owls"]
    assert past.papers.fresh(reader.id) == []
    assert store.past(NOW - DAY / 2, NOW, []).papers.newest_first_seen() is None
    assert store.papers.fresh(reader.id) == [bees.id]


def test_editions_instead_take_the_place_of_real_ones(store, samples: Samples):
    reader = samples.reader()
    one, two, three = samples.papers(3)
    first = samples.edition(reader, one, at=NOW)
    second = samples.edition(reader, two, at=NOW + DAY)
    for edition, slot in ((first, "1"), (second, "2")):
        assert store.editions.save(edition, slot, []) is not None
    past = store.past(NOW + 2 * DAY, NOW + DAY, [])
    assert past.editions.last_by_reader([reader.id])[reader.id].composed_at == NOW
    assert past.papers.fresh(reader.id) == [two, three]
    instead = samples.edition(reader, three, at=NOW + DAY)
    past = store.past(NOW + 2 * DAY, NOW + DAY, [instead])
    assert past.editions.last_by_reader([reader.id])[reader.id].composed_at == NOW + DAY
    assert past.papers.fresh(reader.id) == [two]


def test_a_later_version_is_news_as_it_was(store, samples: Samples):
    reader = samples.reader()
    samples.ingest(Entry("Owls", arxiv_id="2606.00001", version=1), now=NOW)
    owls = samples.paper("Owls")
    record(store, reader, owls, Vote.UP, now=NOW, via="cli")
    samples.ingest(Entry("Owls", arxiv_id="2606.00001", version=2), now=NOW + DAY)
    store.editions.save(samples.edition(reader, owls.id, at=NOW + 2 * DAY), "1", [])
    assert store.papers.revisions_of({reader.id: NOW}) == {reader.id: []}
    assert store.past(NOW + 3 * DAY, NOW + DAY, []).papers.revisions_of({reader.id: NOW}) == {
        reader.id: [owls.id]
    }
    assert store.past(NOW + DAY / 2, NOW, []).papers.revisions_of({reader.id: NOW}) == {reader.id: []}


def test_arrivals_tell_what_came_in_when_and_shown_what_a_reader_got(store, samples: Samples):
    reader = samples.reader()
    samples.ingest("Owls", now=NOW)
    samples.ingest("Bees", now=NOW + DAY, source="other")
    owls, bees = samples.paper("Owls").id, samples.paper("Bees").id
    assert store.papers.arrivals(NOW, NOW + DAY) == [(owls, NOW), (bees, NOW + DAY)]
    assert store.papers.arrivals(NOW, NOW + DAY, ["other"]) == [(bees, NOW + DAY)]
    assert store.papers.arrivals(NOW + DAY / 2, NOW + 2 * DAY) == [(bees, NOW + DAY)]
    store.editions.save(samples.edition(samples.reader("eve@example.org"), bees), "1", [])
    for days in (2, 3):
        store.editions.save(samples.edition(reader, owls, at=NOW + days * DAY), f"{days}", [])
    assert store.editions.shown(reader.id) == {owls: Shown(edition=2, position=1, at=NOW + 2 * DAY)}
