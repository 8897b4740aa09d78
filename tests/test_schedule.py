"""Which slot is due: the right one at every odd hour of the clock."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.schedule import due_slot, local_date, moment, next_moment

WORKDAYS = ("mon", "tue", "wed", "thu", "fri")
EVERY_DAY = (*WORKDAYS, "sat", "sun")
ZONES = sorted(available_timezones())


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("now", "slot"),
    [
        ("2025-05-06T07:59+02:00", date(2025, 5, 5)),  # not yet: yesterday's, in case it was missed
        ("2025-05-06T08:00+02:00", date(2025, 5, 6)),
        ("2025-05-06T23:59+02:00", date(2025, 5, 6)),
        ("2025-05-10T12:00+02:00", date(2025, 5, 9)),  # Saturday: Friday's
        ("2025-05-11T12:00+02:00", None),  # Sunday: neither today nor yesterday
        ("2025-05-12T07:00+02:00", None),  # Monday, too early
    ],
)
def test_the_newest_slot_whose_time_has_come_is_due(now, slot):
    assert due_slot(time(8), WORKDAYS, "Europe/Berlin", at(now)) == slot


def test_a_time_that_the_clock_skips_has_one_moment_all_the_same():
    assert moment(date(2025, 3, 30), time(2, 30), "Europe/Berlin") == at("2025-03-30T02:30+01:00")


def test_a_time_that_the_clock_repeats_is_its_first():
    assert moment(date(2025, 10, 26), time(2, 30), "Europe/Berlin") == at("2025-10-26T02:30+02:00")


def test_the_local_date_is_the_readers_own():
    assert local_date(at("2025-05-06T22:00+00:00"), "Asia/Tokyo") == date(2025, 5, 7)


def test_the_next_moment_skips_the_weekend():
    friday = at("2025-05-09T08:00+02:00")
    assert next_moment(time(8), WORKDAYS, "Europe/Berlin", friday) == at("2025-05-12T08:00+02:00")


@given(
    st.datetimes(datetime(2024, 1, 1), datetime(2026, 1, 1), timezones=st.just(UTC)),
    st.times().map(lambda t: t.replace(second=0, microsecond=0)),
    st.sampled_from(ZONES),
)
def test_every_day_is_due_exactly_once_whatever_the_zone(now, clock, zone):
    """Looked at each hour, two days after a moment have seen its slot and no slot came back later."""
    seen = [due_slot(clock, EVERY_DAY, zone, now + timedelta(hours=hours)) for hours in range(50)]
    slots = [slot for slot in seen if slot]
    assert slots == sorted(slots)
    days = (now.date() + timedelta(days=n) for n in range(3))
    wanted = {day for day in days if now <= moment(day, clock, zone) <= now + timedelta(hours=48)}
    assert wanted <= set(slots)


@given(
    st.datetimes(datetime(2024, 1, 1), datetime(2026, 1, 1), timezones=st.just(UTC)), st.sampled_from(ZONES)
)
def test_what_is_next_becomes_due_then_and_not_before(now, zone):
    coming = next_moment(time(8), WORKDAYS, zone, now)
    slot = due_slot(time(8), WORKDAYS, zone, coming)
    assert slot is not None
    assert moment(slot, time(8), zone) == coming
    assert due_slot(time(8), WORKDAYS, zone, coming - timedelta(seconds=1)) != slot
