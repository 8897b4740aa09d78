"""Who is due: what the store finds page by page is what the schedule says of each reader."""

import shutil
from datetime import UTC, date, datetime, time, timedelta
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.profiles import DAYS, Profile, ScheduleSection
from bot.editions.due import active_readers, due_editions, last_edition_days
from bot.model import Edition, Override
from bot.model.clock import due_slots
from bot.store import editions as pages
from bot.store import open_store

NOW = datetime(2026, 4, 18, 6, 0, tzinfo=UTC)
SINCE = NOW - timedelta(days=5)

times = st.times(time(0, 0), time(23, 0))
days = st.lists(st.sampled_from(DAYS), min_size=1, unique=True).map(tuple)
schedules = st.builds(ScheduleSection, at=times, days=days, timezone=st.sampled_from(["UTC", "Pacific/Kiritimati"]))
overrides = st.builds(Override, at=st.none() | times, days=st.none() | days, size=st.none() | st.just(5))
# Of the last edition: days before today (negative: by a clock that ran ahead), and how many days it missed.
histories = st.none() | st.tuples(st.integers(-2, 9), st.integers(0, 2))


@pytest.mark.slow
@given(schedules, st.lists(st.tuples(histories, overrides), min_size=1, max_size=7))
def test_the_store_finds_exactly_the_readers_who_are_due(empty_store, schedule, people):
    profiles = {"rewards": Profile(title="Rewards", interests="rewards", schedule=schedule)}
    with TemporaryDirectory() as folder, open_store(f"sqlite:///{shutil.copy(empty_store, folder)}") as store:
        addresses = [("email", f"r{n}@x.org") for n in range(len(people))]
        for reader, (history, override) in zip(store.readers.sync("rewards", addresses, SINCE), people, strict=True):
            store.overrides.set(reader.id, override)
            if history:
                at = NOW - timedelta(days=history[0])
                missed = [at.date() - timedelta(days=n) for n in range(1, history[1] + 1)]
                edition = Edition(reader, "Rewards", at.date(), at, (), 0, 0, None)
                assert store.editions.save(edition, at.date().isoformat(), [], missed)

        readers = list(active_readers(store, profiles))
        last_days = last_edition_days(store, readers, NOW)
        expected: dict[int, list[date]] = {}
        for reader, profile in readers:
            own = profile.schedule
            last = last_days.get(reader.id)
            if slots := due_slots(own.at, own.days, own.timezone, NOW, last=last, since=SINCE):
                expected[reader.id] = slots

        page, pages._WINDOW = pages._WINDOW, 2
        try:
            due = list(due_editions(store, profiles, NOW))
        finally:
            pages._WINDOW = page
    assert {edition.reader.id: [edition.day, *edition.missed] for edition in due} == expected
    assert len(due) == len(expected)
