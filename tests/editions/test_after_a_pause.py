"""A reader pauses on Thursday, while the edition of the day waits for the mail server, and resumes on Sunday."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from support import digest, parsed, text_of

from bot.app import open_app
from bot.model import StopReason

WEDNESDAY = datetime(2026, 6, 10, 8, 0, tzinfo=UTC)
THURSDAY, FRIDAY, SUNDAY, MONDAY = (WEDNESDAY + timedelta(days=n) for n in (1, 2, 4, 5))


@pytest.fixture
def paused(owls_home, paperbot, by_smtp):
    """Send Wednesday's edition, compose Thursday's, pause, and return a function that runs and counts messages."""

    def run(now, *titles, **expected):
        if titles:
            (owls_home / "drop" / f"{now.day}.txt").write_text(digest(*titles, header=f"OWLS - {now:%Y-%m-%d}"))
        report = paperbot("run", "--now", now.isoformat(), "--json").json
        assert {key: report[key] for key in expected} == expected

    run(WEDNESDAY, "Reward models of cats", editions=1, delivered=1)
    by_smtp.replies["RCPT"] = "450 later"
    run(THURSDAY, "Reward models of owls", editions=1, delivered=0)
    by_smtp.replies.clear()
    by_smtp.mails.clear()
    with open_app(owls_home) as app:
        (reader,) = app.store.readers.all()
        app.store.readers.leave(reader.id, StopReason.PAUSED)
    run(FRIDAY, "Reward models of bees", editions=0, delivered=0)
    return run


def resume(home, now):
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        app.subscriptions.resume([reader], now)


def test_sunday_brings_nothing_and_monday_the_papers_of_all_days(paused, owls_home, by_smtp):
    resume(owls_home, SUNDAY)
    paused(SUNDAY, editions=0, delivered=0)
    paused(MONDAY, "Reward models of ants", editions=1, delivered=1)
    (mail,) = by_smtp.mails
    assert parsed(mail.content)["Date"].datetime == MONDAY
    names = re.findall("Reward models of (cats|owls|bees|ants)", text_of(mail.content))
    assert set(names) == {"owls", "bees", "ants"}


def test_who_resumes_on_a_day_of_the_schedule_gets_its_edition(paused, owls_home, by_smtp):
    resume(owls_home, FRIDAY + timedelta(hours=3))
    paused(FRIDAY + timedelta(hours=4), editions=1, delivered=1)


def test_an_absent_reader_who_resumes_may_catch_up(paused, owls_home, by_smtp):
    profile = owls_home / "profiles" / "owls.toml"
    profile.write_text(f"catch_up = true\n{profile.read_text()}")
    later = MONDAY + timedelta(days=14)
    resume(owls_home, later)
    paused(later, "Reward models of ants", editions=1, delivered=1)


def test_a_pause_until_a_day_ends_by_itself_and_makes_up_for_nothing(paused, owls_home, by_smtp):
    with open_app(owls_home) as app:
        app.store.readers.resubscribe(app.store.readers.all()[0].id, FRIDAY)
        app.subscriptions.pause(app.store.readers.all(), FRIDAY, MONDAY.date())
    paused(SUNDAY, editions=0, delivered=0)
    paused(MONDAY, "Reward models of ants", editions=1, delivered=1)
    assert len(by_smtp.mails) == 1
