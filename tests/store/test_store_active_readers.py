"""Pages of active readers, in order of id."""

from datetime import date, time, timedelta

import pytest

from bot.model import Override
from bot.store import editions
from bot.store.readers import IdRange

TODAY = date(2026, 4, 18)
FRIDAY = date(2026, 4, 17)


@pytest.fixture
def seven(store, now, monkeypatch):
    """Seven readers of one profile, the third of whom has stopped, beside one of another; pages of two."""
    monkeypatch.setattr(editions, "_WINDOW", 2)
    readers = store.readers.sync("rewards", [("email", f"r{n}@x.org") for n in range(7)], now)
    store.readers.sync("agents", [("email", "ada@x.org")], now)
    store.readers.stop(readers[2].id)
    return readers


def numbers(seven, pages):
    return [[seven.index(reader) for reader in page] for page in pages]


def test_each_active_reader_is_in_one_page(store, seven):
    assert numbers(seven, store.active_readers.all("rewards")) == [[0, 1], [3, 4], [5, 6]]
    ids = IdRange(seven[1].id, seven[4].id)
    assert numbers(seven, store.active_readers.all("rewards", ids)) == [[1, 3], [4]]
    assert list(store.active_readers.all("nothing")) == []


def test_readers_whose_slot_is_taken_are_left_out_and_empty_pages_passed_over(store, samples, seven, now):
    for reader in (seven[0], seven[1], seven[4]):
        edition = samples.edition(reader, at=now - timedelta(days=1))
        assert store.editions.save(edition, FRIDAY.isoformat(), [])
    pages = store.active_readers.without_edition("rewards", FRIDAY, TODAY, now)
    assert numbers(seven, pages) == [[3], [5, 6]]


def test_readers_with_a_schedule_of_their_own_are_looked_at_until_today_is_taken(store, samples, seven, now):
    for reader in seven:
        store.editions.save(samples.edition(reader, at=now - timedelta(days=1)), FRIDAY.isoformat(), [])
    store.overrides.set(seven[0].id, Override(at=time(18, 0)))
    store.overrides.set(seven[1].id, Override(days=("sat",)))
    store.overrides.set(seven[3].id, Override(size=5))
    pages = store.active_readers.without_edition("rewards", FRIDAY, TODAY, now)
    assert numbers(seven, pages) == [[0, 1]]
    store.editions.save(samples.edition(seven[1]), TODAY.isoformat(), [])
    assert numbers(seven, store.active_readers.without_edition("rewards", FRIDAY, TODAY, now)) == [[0]]


def test_readers_with_a_time_zone_of_their_own_are_always_looked_at(store, samples, seven, now):
    for reader in seven:
        store.editions.save(samples.edition(reader), TODAY.isoformat(), [])
    store.overrides.set(seven[4].id, Override(timezone="Pacific/Auckland"))
    for day in (FRIDAY, TODAY):
        pages = list(store.active_readers.without_edition("rewards", day, TODAY, now))
        assert seven[4] in [reader for page in pages for reader in page]
    assert numbers(seven, store.active_readers.without_edition("rewards", TODAY, TODAY, now)) == [[4]]


def test_a_day_that_a_clock_ahead_recorded_as_missed_is_not_taken(store, samples, seven, now):
    ahead = now + timedelta(days=3)
    assert store.editions.save(samples.edition(seven[0], at=ahead), "2026-04-21", [], [FRIDAY])
    assert numbers(seven, store.active_readers.without_edition("rewards", FRIDAY, TODAY, now))[0] == [0, 1]
    pages = store.active_readers.without_edition("rewards", FRIDAY, TODAY, ahead)
    assert numbers(seven, pages)[0] == [1]


def test_readers_whose_alerts_were_checked_up_to_the_newest_paper_are_left_out(store, seven):
    store.alert_marks.move(seven[0].id, 9)
    store.alert_marks.move(seven[1].id, 8)
    store.alert_marks.move(seven[3].id, 10)  # of a restored backup that has fewer papers
    assert numbers(seven, store.active_readers.with_unchecked_papers("rewards", 9)) == [[1], [3, 4], [5, 6]]
