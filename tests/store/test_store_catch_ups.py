"""What catch-up editions cover, and last visits, on each database."""

from dataclasses import replace
from datetime import date, timedelta

from bot.model import CatchUp, EditionKind, TopicGroup, Vote
from bot.store.editions import NewEdition

DAY = timedelta(days=1)


def caught_up(samples, reader, shown, skipped, at):
    """Return a catch-up edition of these papers."""
    edition = samples.edition(reader, *shown, at=at)
    groups = (TopicGroup("owls and bats", 7, tuple(shown[:1])), TopicGroup("", 2, tuple(shown[1:])))
    listed = tuple((paper_id, 0.25) for paper_id in skipped)
    day = at.date()
    covered = CatchUp(day - 14 * DAY, day, 412, 9, max([*shown, *skipped]), groups, listed, is_automatic=True)
    return replace(edition, kind=EditionKind.CATCH_UP, catch_up=covered)


def test_what_an_edition_covers_is_stored_with_it_and_forgotten_with_its_reader(store, samples, now):
    reader, papers = samples.reader(), samples.papers(4)
    edition = caught_up(samples, reader, papers[:2], papers[2:], now)
    store.editions.save_all([NewEdition(edition, "catch-up-x"), NewEdition(samples.edition(reader), "other")])
    ((edition_id, day, covered),) = store.catch_ups.of_reader(reader.id)
    assert (covered, day) == (edition.catch_up, now.date())
    assert store.catch_ups.get(edition_id) == covered
    assert store.catch_ups.get(edition_id + 1) is None
    assert store.catch_ups.upto([reader.id]) == {reader.id: papers[3]}
    assert store.catch_ups.last_days([reader.id]) == {reader.id: now.date()}
    store.visits.note(reader.id, now.date())
    store.forget(reader, now)
    assert (store.catch_ups.get(edition_id), store.visits.last([reader.id])) == (None, {})


def test_it_is_the_last_edition_and_takes_no_day(store, samples, now):
    reader, papers = samples.reader(), samples.papers(3)
    store.editions.save(samples.edition(reader, papers[0], at=now - 9 * DAY), "first", [])
    store.editions.save(caught_up(samples, reader, papers[1:], (), now), "catch-up-x", [])
    assert store.editions.last_by_reader([reader.id])[reader.id].kind is EditionKind.CATCH_UP
    assert store.editions.last_days([reader.id], now.date(), now) == {reader.id: (now - 9 * DAY).date()}
    assert store.catch_ups.shown_before(reader.id, now - DAY) == set(papers)
    assert store.catch_ups.shown_before(reader.id, now - 10 * DAY) == set(papers[1:])


def test_the_last_visit_is_kept(store, samples, now):
    reader = samples.reader()
    for day in (date(2026, 4, 2), date(2026, 4, 9), date(2026, 4, 9), date(2026, 4, 3)):
        store.visits.note(reader.id, day)
    assert store.visits.last([reader.id, reader.id + 1]) == {reader.id: date(2026, 4, 9)}
    assert store.feedback.last_times([reader.id]) == {}
    (paper,) = samples.papers(1)
    store.feedback.add(reader.id, paper, Vote.UP, now, "cli")
    assert store.feedback.last_times([reader.id]) == {reader.id: now}
