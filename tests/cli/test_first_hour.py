"""The first hour of a new user: the first edition, and what the commands say right after it."""

import pytest

SATURDAY = "2025-05-10T09:00:00+02:00"
LATER = "2025-05-10T09:01:00+02:00"


@pytest.fixture
def noted(home):
    """A home whose reader wants a note on quiet days."""
    profile = home / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text().replace('when_quiet = "skip"', 'when_quiet = "note"'))
    return home


@pytest.mark.parametrize("first", [SATURDAY, "2025-05-09T07:00:00+02:00"])
def test_after_a_forced_edition_no_older_day_is_due(noted, paperbot, first):
    assert paperbot("run", "--force", "--now", first).code == 0
    again = paperbot("run", "--now", first, "--json").json
    assert (again["editions"], again["skipped"], again["delivered"]) == (0, 0, 0)
    (reader,) = paperbot("status", "--now", first, "--json").json["readers"]
    assert reader["last_edition"] == first[:10]
    assert reader["late"] is None
    monday = paperbot("run", "--now", "2025-05-12T08:00:00+02:00", "--json").json
    assert monday["editions"] == 1


def test_a_reader_has_missed_nothing_of_the_days_before_they_came(noted, paperbot):
    early = paperbot("run", "--now", "2025-05-09T07:59:00+02:00", "--json").json
    assert early["editions"] == 0
    (reader,) = paperbot("status", "--now", "2025-05-09T07:59:30+02:00", "--json").json["readers"]
    assert reader["late"] is None
    assert paperbot("run", "--now", "2025-05-09T08:00:00+02:00", "--json").json["editions"] == 1


def test_one_who_subscribed_in_the_afternoon_is_not_late(home, paperbot):
    afternoon = "2025-05-09T15:00:00+02:00"
    paperbot("subscribe", "reward-models", "grace@example.org", "--now", afternoon)
    status = paperbot("status", "--now", "2025-05-09T15:01:00+02:00", "--json").json
    assert [reader["late"] for reader in status["readers"]] == [None, None]
    assert paperbot("run", "--now", "2025-05-09T15:05:00+02:00", "--json").json["editions"] == 2


def test_downtime_before_the_first_edition_is_made_up_for_by_one(home, paperbot):
    paperbot("run", "--now", "2025-05-06T07:00:00+02:00")
    late = paperbot("status", "--now", "2025-05-08T09:00:00+02:00", "--json").json["readers"][0]["late"]
    assert late.startswith("due since Thu 2025-05-08 06:00 UTC")
    run = paperbot("run", "--now", "2025-05-08T09:00:00+02:00", "--json").json
    assert (run["editions"], run["skipped"]) == (1, 0)
