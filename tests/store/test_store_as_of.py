"""The store as of a time: papers, votes, and editions in place of the real ones."""

from datetime import timedelta

from bot.model import Entry, Vote
from bot.store.editions import Shown

from .conftest import NOW, Samples

DAY = timedelta(days=1)


def test_later_papers_and_votes_are_invisible(store, samples: Samples):
    reader = samples.reader()
    samples.ingest("Owls", now=NOW)
    samples.ingest("Bees", now=NOW + DAY)
    owls = samples.paper("Owls")
    bees = samples.paper("Bees")
    store.feedback.add(reader.id, owls.id, Vote.UP, NOW, "cli")
    store.feedback.add(reader.id, owls.id, Vote.DOWN, NOW + DAY, "cli")
    past = store.as_of(NOW + DAY / 2, NOW, [])
    assert [(vote.paper, vote.vote) for vote in past.feedback.votes(reader.id)] == [(owls.id, Vote.UP)]
    assert (past.papers.newest_id(), past.papers.count()) == (owls.id, 1)
    assert past.papers.newest_first_seen() == NOW
    assert [title for _, title, _ in past.papers.recent_texts(10)] == ["Owls"]
    assert past.papers.new_to(reader.id) == []
    assert store.as_of(NOW - DAY / 2, NOW, []).papers.newest_first_seen() is None
    assert store.papers.new_to(reader.id) == [bees.id]


def test_given_editions_replace_the_real_ones(store, samples: Samples):
    reader = samples.reader()
    paper1, paper2, paper3 = samples.papers(3)
    first = samples.edition(reader, paper1, at=NOW)
    second = samples.edition(reader, paper2, at=NOW + DAY)
    for edition, slot in ((first, "1"), (second, "2")):
        assert store.editions.save(edition, slot, [])
    past = store.as_of(NOW + 2 * DAY, NOW + DAY, [])
    assert past.editions.last_by_reader([reader.id])[reader.id].composed_at == NOW
    assert past.papers.new_to(reader.id) == [paper2, paper3]
    instead = samples.edition(reader, paper3, at=NOW + DAY)
    past = store.as_of(NOW + 2 * DAY, NOW + DAY, [instead])
    assert past.editions.last_by_reader([reader.id])[reader.id].composed_at == NOW + DAY
    assert past.papers.new_to(reader.id) == [paper2]


def test_revisions_are_those_of_the_time(store, samples: Samples):
    samples.ingest(Entry("Owls", arxiv_id="2606.00001", version=1), now=NOW)
    owls = samples.paper("Owls")
    samples.ingest(Entry("Owls", arxiv_id="2606.00001", version=2), now=NOW + DAY)
    for at, changed in ((NOW + 3 * DAY, [owls.id]), (NOW + DAY / 2, [])):
        assert [change.paper for change in store.as_of(at, NOW, []).papers.changes(NOW)] == changed


def test_arrivals_have_times_and_shown_has_the_first_edition_of_a_paper(store, samples: Samples):
    reader = samples.reader()
    samples.ingest("Owls", now=NOW)
    samples.ingest("Bees", now=NOW + DAY, source="other")
    owls = samples.paper("Owls").id
    bees = samples.paper("Bees").id
    assert store.papers.arrivals(NOW, NOW + DAY) == [(owls, NOW), (bees, NOW + DAY)]
    assert store.papers.arrivals(NOW, NOW + DAY, ["other"]) == [(bees, NOW + DAY)]
    assert store.papers.arrivals(NOW + DAY / 2, NOW + 2 * DAY) == [(bees, NOW + DAY)]
    store.editions.save(samples.edition(samples.reader("eve@example.org"), bees), "1", [])
    for days in (2, 3):
        store.editions.save(samples.edition(reader, owls, at=NOW + days * DAY), f"{days}", [])
    assert store.editions.shown(reader.id) == {owls: Shown(edition=2, position=1, at=NOW + 2 * DAY)}
