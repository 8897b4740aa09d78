"""A profile that is due on one day of the week has a weekly edition, worded as one."""

from support import digest

FRIDAY = "2025-05-09T12:00:00+00:00"


def test_an_edition_of_one_day_a_week_says_this_week(home, paperbot):
    (home / "seeds" / "own.txt").write_text(digest("Reward models of owls", "Reward models of bees"))
    assert paperbot("ingest").code == 0
    profile = home / "profiles" / "reward-models.toml"
    daily = paperbot("preview", "reward-models", "--now", FRIDAY).out
    assert "2 papers today" in daily
    assert "Today in thirty seconds" in daily
    days = 'days = ["mon", "tue", "wed", "thu", "fri"]'
    assert days in profile.read_text()
    profile.write_text(profile.read_text().replace(days, 'days = ["fri"]'))
    weekly = paperbot("preview", "reward-models", "--now", FRIDAY).out
    assert "2 papers this week" in weekly
    assert "This week in thirty seconds" in weekly
    assert "oday" not in weekly
