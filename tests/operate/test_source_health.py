"""The watchdog over weeks, and arXiv's calendar."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.editions.health import LOOK_BACK, Health, assess
from bot.model import SourceState
from bot.model.clock import HOLIDAYS, Rest, announced_between, announces, next_visible, rest_between
from bot.store.sources import Arrival

FRIDAY = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
STATE = SourceState("owls")


def weeks(usual: int, *, now: datetime = FRIDAY, days: int = 28, weekend: int = 0) -> list[Arrival]:
    """``usual`` new papers every working morning until the day before."""
    times = [now - n * DAY for n in range(days, 0, -1)]
    return [Arrival(time, 50, weekend if time.weekday() >= 5 else usual) for time in times]


def health(*today: Arrival, before: list[Arrival], now: datetime = FRIDAY, follows_arxiv_calendar: bool = False) -> str:
    return str(assess(STATE, [*before, *today], now, follows_arxiv_calendar=follows_arxiv_calendar))


def arrival(papers: int, fresh: int, now: datetime = FRIDAY) -> Arrival:
    return Arrival(now, papers, fresh)


def test_the_usual_volume_is_ok() -> None:
    assert health(arrival(50, 18), before=weeks(20)) == "ok"
    assert assess(STATE, [*weeks(20), arrival(50, 18)], FRIDAY, follows_arxiv_calendar=False).usual == 20


def test_far_less_than_usual_is_short() -> None:
    assert health(arrival(50, 5), before=weeks(20)) == "short: 5 new papers in a day, 20 are usual"
    assert health(arrival(50, 6), before=weeks(20)) == "ok"


def test_a_digest_of_yesterdays_papers_is_stale() -> None:
    report = "stale: the same 50 papers again; nothing new since 2026-06-11, 20 papers a day are usual"
    assert health(arrival(50, 0), before=weeks(20)) == report


def test_no_digest_at_all_is_stale() -> None:
    assert health(before=weeks(20)) == "stale: nothing new since 2026-06-11, 20 papers a day are usual"


def test_digests_without_papers_are_empty() -> None:
    assert health(arrival(0, 0), before=weeks(20)).startswith("empty: its digests have no papers; nothing new since")


def test_weekends_are_compared_with_weekends() -> None:
    sunday = FRIDAY + 2 * DAY
    assert health(before=weeks(20, now=sunday), now=sunday) == "ok"
    assert health(before=weeks(20, now=sunday, weekend=9), now=sunday).startswith("stale")
    assert health(before=weeks(20, now=sunday, weekend=9, days=20), now=sunday) == "new"  # too few Sundays


def test_the_same_weekday_goes_before_other_days() -> None:
    fridays_rest = [Arrival(a.at, a.papers, 0 if a.at.weekday() == 4 else a.fresh) for a in weeks(20, days=35)]
    assert health(before=fridays_rest) == "ok"


def test_a_new_source_is_not_assessed() -> None:
    assert health(before=[]) == "new"
    assert health(before=weeks(20, days=2)) == "new"


def test_a_failure_goes_before_everything_else() -> None:
    failed = SourceState("owls", failures=1, problem="404", succeeded_at=FRIDAY - DAY)
    report = str(assess(failed, weeks(20), FRIDAY, follows_arxiv_calendar=True))
    assert report == "failing: 404; it last succeeded on 2026-06-11 08:00 UTC"


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (datetime(2026, 6, 13, 8, tzinfo=UTC), "resting"),  # Saturday: nothing on Friday evening
        (datetime(2026, 6, 14, 8, tzinfo=UTC), "resting"),
        (datetime(2026, 6, 15, 8, tzinfo=UTC), "stale"),  # Monday: Sunday's announcement should be there
        (datetime(2026, 6, 19, 8, tzinfo=UTC), "stale"),  # Juneteenth: Thursday's is there
        (datetime(2026, 6, 22, 8, tzinfo=UTC), "resting"),  # the Monday after: Friday's submissions were not closed
    ],
)
def test_on_arxivs_weekends_and_holidays_a_source_rests(now: datetime, expected: str) -> None:
    assert health(before=weeks(20, now=now, days=35), now=now, follows_arxiv_calendar=True).startswith(expected)


@pytest.mark.parametrize(
    ("day", "announced"),
    [
        ("2026-11-25", True),
        ("2026-11-26", False),  # Thanksgiving
        ("2026-11-27", False),  # a Friday
        ("2026-11-28", False),
        ("2026-11-29", True),
        ("2026-12-27", False),  # the Sunday after a Friday that is a holiday
        ("2031-12-25", True),  # beyond the table
    ],
)
def test_arxivs_calendar(day: str, announced: bool) -> None:
    assert announces(date.fromisoformat(day)) is announced


def test_no_holiday_is_a_saturday() -> None:
    assert all(day.weekday() != 5 for day in HOLIDAYS)


def test_an_announcement_counts_from_an_hour_after_midnight_in_new_york() -> None:
    visible_at = datetime(2026, 6, 12, 5, 0, tzinfo=UTC)  # Thursday's, in summer time
    assert announced_between(visible_at - timedelta(seconds=1), visible_at)
    assert not announced_between(visible_at, visible_at + timedelta(hours=20))


@pytest.mark.parametrize(
    ("begin", "end", "rest", "resumes"),
    [
        ("2026-06-11 06:00", "2026-06-12 06:00", None, "2026-06-15 05:00"),  # Thursday's announcement
        ("2026-06-12 06:00", "2026-06-13 06:00", Rest.WEEKEND, "2026-06-15 05:00"),
        ("2026-06-12 06:00", "2026-06-15 04:59", Rest.WEEKEND, "2026-06-15 05:00"),
        ("2026-06-12 06:00", "2026-06-15 05:00", None, "2026-06-16 05:00"),
        ("2026-11-26 08:00", "2026-11-27 08:00", Rest.HOLIDAY, "2026-11-30 06:00"),  # Thanksgiving
        ("2026-11-28 08:00", "2026-11-29 08:00", Rest.WEEKEND, "2026-11-30 06:00"),
        ("2026-07-03 08:00", "2026-07-06 08:00", Rest.HOLIDAY, "2026-07-07 05:00"),  # a Friday's submissions
    ],
)
def test_a_rest_is_a_weekend_or_a_holiday_and_ends_with_the_next_announcement(
    begin: str, end: str, rest: Rest | None, resumes: str
) -> None:
    times = (datetime.fromisoformat(time).replace(tzinfo=UTC) for time in (begin, end, resumes))
    since, now, next_time = times
    assert rest_between(since, now) is rest
    assert next_visible(now) == next_time


@given(st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)))
def test_no_announcement_comes_before_the_next_one(now: datetime) -> None:
    next_time = next_visible(now)
    assert announced_between(now, next_time)
    assert not announced_between(now, next_time - timedelta(seconds=1))


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 50), st.integers(0, 50)), max_size=60), st.booleans())
def test_any_arrivals_have_a_health(arrived: list[tuple[int, int, int]], follows_arxiv_calendar: bool) -> None:
    arrivals = [
        Arrival(FRIDAY - timedelta(hours=ago), papers, fresh) for ago, papers, fresh in sorted(arrived, reverse=True)
    ]
    recent = [a for a in arrivals if a.at > FRIDAY - LOOK_BACK]
    assert assess(STATE, recent, FRIDAY, follows_arxiv_calendar=follows_arxiv_calendar).health in Health
