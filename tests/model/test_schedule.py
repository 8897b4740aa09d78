"""Which slot is due: the right one at every odd hour of the clock."""

from datetime import UTC, date, datetime, time, timedelta
from random import Random

import pytest
import schedule_years
from hypothesis import given
from hypothesis import strategies as st

from bot.model.clock import (
    LOOK_BACK,
    days_between,
    due_slots,
    local_date,
    local_time,
    moment,
    next_moment,
    timezone_names,
)

WORKDAYS = ("mon", "tue", "wed", "thu", "fri")
EVERY_DAY = (*WORKDAYS, "sat", "sun")
ZONES = sorted(timezone_names())


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("now", "slot"),
    [
        ("2025-05-06T07:59+02:00", date(2025, 5, 5)),  # not yet: yesterday's, if it was missed
        ("2025-05-06T08:00+02:00", date(2025, 5, 6)),
        ("2025-05-06T23:59+02:00", date(2025, 5, 6)),
        ("2025-05-10T12:00+02:00", date(2025, 5, 9)),  # Saturday: Friday's
        ("2025-05-12T07:00+02:00", date(2025, 5, 9)),  # Monday, too early: still Friday's
    ],
)
def test_the_newest_slot_whose_time_has_come_is_due(now, slot):
    since = at("2025-05-05T07:00+02:00")
    assert due_slots(time(8), WORKDAYS, "Europe/Berlin", at(now), since=since)[0] == slot


@pytest.mark.parametrize(
    ("since", "due"),
    [
        ("2025-05-06T07:00+02:00", [date(2025, 5, 7), date(2025, 5, 6)]),
        ("2025-05-06T23:59+02:00", [date(2025, 5, 7), date(2025, 5, 6)]),  # the day they came counts
        ("2025-05-07T08:30+02:00", [date(2025, 5, 7)]),
        ("2025-05-06T22:00+00:00", [date(2025, 5, 7)]),  # the date on their own calendar
        ("2027-01-01T00:00+00:00", [date(2025, 5, 7)]),  # by a clock that ran ahead
        (None, [date(2025, 5, 7)]),
    ],
)
def test_no_slot_is_due_before_the_reader_subscribed(since, due):
    now = at("2025-05-07T09:00+02:00")
    since_time = at(since) if since else None
    assert due_slots(time(8), WORKDAYS, "Europe/Berlin", now, since=since_time) == due


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2025, 3, 30), "2025-03-30T02:30+01:00"),  # the clock skips the time
        (date(2025, 10, 26), "2025-10-26T02:30+02:00"),  # the clock repeats it: the first
    ],
)
def test_a_time_of_a_day_is_one_moment_in_utc(day, expected):
    result = moment(day, time(2, 30), "Europe/Berlin")
    assert result == at(expected)
    assert result.tzinfo is UTC


def test_the_local_date_is_that_of_the_readers_time_zone():
    assert local_date(at("2025-05-06T22:00+00:00"), "Asia/Tokyo") == date(2025, 5, 7)
    assert local_time(at("2025-05-06T22:00+00:00"), "Asia/Tokyo") == time(7)


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
    seen = [due_slots(clock, EVERY_DAY, zone, now + timedelta(hours=hours), since=now) for hours in range(50)]
    slots = [slot[0] for slot in seen if slot]
    assert slots == sorted(slots)
    days = (now.date() + timedelta(days=n) for n in range(3))
    expected = {day for day in days if now <= moment(day, clock, zone) <= now + timedelta(hours=48)}
    assert expected <= set(slots)


@given(st.datetimes(datetime(2024, 1, 1), datetime(2026, 1, 1), timezones=st.just(UTC)), st.sampled_from(ZONES))
def test_the_next_moment_is_when_the_slot_becomes_due(now, zone):
    coming = next_moment(time(8), WORKDAYS, zone, now)
    (slot,) = due_slots(time(8), WORKDAYS, zone, coming, since=coming)
    assert moment(slot, time(8), zone) == coming
    assert slot not in due_slots(time(8), WORKDAYS, zone, coming - timedelta(seconds=1), since=coming)


THURSDAY, FRIDAY, SATURDAY = (date(2025, 5, day) for day in (8, 9, 10))


@pytest.mark.parametrize(
    ("now", "last", "due"),
    [
        ("2025-05-13T09:00+02:00", THURSDAY, [date(2025, 5, 13), date(2025, 5, 12), FRIDAY]),
        ("2025-05-13T08:00+02:00", FRIDAY, [date(2025, 5, 13), date(2025, 5, 12)]),
        ("2025-05-13T07:00+02:00", FRIDAY, [date(2025, 5, 12)]),
        ("2025-05-11T12:00+02:00", THURSDAY, [FRIDAY]),  # a Sunday: Friday's, late, but not never
        ("2025-05-11T12:00+02:00", FRIDAY, []),
        ("2025-05-10T12:00+02:00", SATURDAY, []),  # forced on a Saturday: Friday's is older, and not due
        ("2025-05-09T07:00+02:00", FRIDAY, []),  # forced before its time: Thursday's is not due either
        ("2025-05-07T12:00+02:00", FRIDAY, [date(2025, 5, 7)]),  # the clock stood on Friday, by mistake
    ],
)
def test_after_downtime_the_newest_slot_is_due_and_the_older_ones_are_missed(now, last, due):
    assert due_slots(time(8), WORKDAYS, "Europe/Berlin", at(now), last=last) == due


def test_a_years_downtime_is_one_edition_and_a_bounded_number_of_missed_days():
    due = due_slots(time(8), EVERY_DAY, "UTC", at("2025-05-06T09:00+00:00"), last=date(2019, 1, 1))
    assert (due[0], len(due)) == (date(2025, 5, 6), LOOK_BACK + 1)


@given(zone=st.sampled_from(ZONES), seed=st.integers(0, 2**32), days=st.sets(st.sampled_from(EVERY_DAY), min_size=1))
def test_over_two_years_with_random_downtime_no_slot_is_missed_and_none_comes_twice(zone, seed, days):
    missed, twice = schedule_years.count_faults(zone, days, Random(seed))
    assert (missed, twice) == (0, 0)


def test_days_between_are_those_of_the_schedule_with_both_ends():
    wednesday, next_monday = date(2025, 5, 7), date(2025, 5, 12)
    assert days_between(wednesday, next_monday, WORKDAYS) == [
        date(2025, 5, 7),
        date(2025, 5, 8),
        date(2025, 5, 9),
        date(2025, 5, 12),
    ]
    assert days_between(wednesday, wednesday, WORKDAYS) == [wednesday]
    assert days_between(date(2025, 5, 10), date(2025, 5, 11), WORKDAYS) == []


@given(
    before=st.integers(0, 23),
    after=st.integers(0, 23),
    change=st.datetimes(datetime(2025, 5, 5), datetime(2025, 5, 16), timezones=st.just(UTC)),
    zone=st.sampled_from(ZONES),
)
def test_a_changed_time_makes_no_earlier_day_due(before, after, change, zone):
    """Looked at each hour, only today is ever due, however the time of day was changed meanwhile."""
    start = at("2025-05-05T00:00+00:00")
    # Some zones are offset by a fraction of an hour; the minutes of their moments come up once an hour as well.
    now = start
    last = None
    while now < start + timedelta(days=14):
        clock = time(before) if now < change else time(after)
        due = due_slots(clock, WORKDAYS, zone, now, last=last, since=start)
        assert due in ([], [local_date(now, zone)])
        last = due[0] if due else last
        now += timedelta(minutes=15)
