"""Alerts: at once, once a paper and reader, never at night, a few a day; the rest comes in the next edition."""

from datetime import time

import pytest
from support import digest, edit, outbox, parsed, text_of

from bot.channels import address_checks
from bot.config.profiles import load_profiles
from bot.model import Score
from bot.ranking.selection import is_quiet, urgent

PROFILE = """title = "Rewards"
interests = "reward models"
{extra}
[edition]
explore = 0
threshold = 0
[schedule]
timezone = "Europe/Berlin"
[alerts]
{alerts}
[[readers]]
email = "ada@example.org"
"""


@pytest.fixture
def alerting(bare, paperbot):
    """Set the profile's alert rule, bring a digest and run; returns the run's JSON."""

    def run(now, *titles, alerts='keywords = ["violins"]', extra=""):
        (bare / "profiles" / "rewards.toml").write_text(PROFILE.format(alerts=alerts, extra=extra))
        if titles:
            (bare / "seeds" / f"{now.replace(':', '-')}.txt").write_text(digest(*titles))
        return paperbot("run", "--now", f"{now}+02:00", "--json").json

    return run


@pytest.fixture
def subjects(home):
    """The subjects of all messages so far, in order of their names."""
    return lambda: [parsed(path)["Subject"] for path in outbox(home)]


def test_a_matching_paper_is_sent_at_once_and_only_once(home, alerting, subjects):
    alerting("2025-05-07T09:00", "Reward models for cats")
    report = alerting("2025-05-07T15:00", "Repairing violins", "Baking bread")
    assert (report["alerts"], report["editions"], report["delivered"]) == (1, 0, 1)
    assert subjects() == ["Alert: Repairing violins", "Reward models for cats"]
    (path, _) = outbox(home)
    assert "an alert, ahead of your next edition" in text_of(path)
    assert "On your alert list (violins)" in text_of(path)
    assert "*violins*" in text_of(path)
    assert alerting("2025-05-07T15:01")["alerts"] == 0
    tomorrow = alerting("2025-05-08T09:00", "Reward models for owls")
    assert (tomorrow["alerts"], tomorrow["editions"]) == (0, 1)
    assert "violins" not in text_of(outbox(home)[-1])


def test_an_author_or_a_score_triggers_an_alert_unless_the_paper_is_muted(alerting):
    rule = 'authors = ["grace hopper"]'
    assert alerting("2025-05-07T07:00", "Baking bread", alerts=rule)["alerts"] == 1
    assert alerting("2025-05-07T07:01", "Reward models rewarded", alerts="min_score = 0.0")["alerts"] == 1
    assert alerting("2025-05-07T07:02", "More bread", alerts="min_score = 1.0")["alerts"] == 0
    muted = alerting("2025-05-07T07:03", "Old violins", extra='mute = ["old"]')
    assert muted["alerts"] == 0


def test_the_author_who_triggered_an_alert_is_named_in_a_long_author_list(home, alerting, paperbot):
    many = ["Ada Lovelace", *(f"Author {n}" for n in range(9)), "Grace Hopper", "Last Author"]
    text = digest("Baking bread").replace("Ada Lovelace, Grace Hopper", ", ".join(many))
    alerting("2025-05-07T06:00", alerts='authors = ["grace hopper"]\nkeywords = ["bread", "violins"]')
    (home / "seeds" / "many.txt").write_text(text)
    assert paperbot("run", "--now", "2025-05-07T07:00+02:00", "--json").json["alerts"] == 1
    (path,) = outbox(home)
    assert "On your alert list (bread, grace hopper): " in text_of(path)
    assert "Ada Lovelace, Author 0, Author 1, Grace Hopper and 8 more" in text_of(path)


def test_alerts_of_quiet_hours_are_sent_after_them(alerting):
    rule = 'keywords = ["violins"]\nquiet = ["22:00", "07:00"]'
    alerting("2025-05-07T09:00", "Reward models for cats", alerts=rule)
    assert alerting("2025-05-07T23:30", "Repairing violins", alerts=rule)["alerts"] == 0
    assert alerting("2025-05-08T06:59", alerts=rule)["alerts"] == 0
    assert alerting("2025-05-08T07:00", alerts=rule)["alerts"] == 1


def test_alerts_above_the_daily_limit_are_first_in_the_next_edition(home, alerting, subjects):
    rule = 'keywords = ["violins"]\nper_day = 1'
    alerting("2025-05-07T09:00", "Reward models for cats", alerts=rule)
    day = alerting("2025-05-07T12:00", "Violins of old", "Varnish of violins", "Reward models", alerts=rule)
    assert day["alerts"] == 1
    alerting("2025-05-08T09:00", alerts=rule)
    last = outbox(home)[-1]
    text = text_of(last)
    assert "iolins" in parsed(last)["Subject"]
    assert text.index("iolins") < text.index("Reward models")
    assert text.count("On your alert list") == 1


def test_without_a_rule_there_are_no_alerts(home, alerting, paperbot):
    alerting("2025-05-07T09:00", "Reward models for cats")
    edit(home / "profiles/rewards.toml", '[alerts]\nkeywords = ["violins"]\n', "")
    (home / "seeds" / "more.txt").write_text(digest("Repairing violins"))
    assert paperbot("run", "--now", "2025-05-07T15:00+02:00", "--json").json["alerts"] == 0
    assert not list((home / "state" / "outbox").rglob("*--2.eml"))


def test_the_output_for_people_shows_alerts(home, alerting, paperbot):
    alerting("2025-05-07T09:00", "Reward models for cats")
    (home / "seeds" / "more.txt").write_text(digest("Repairing violins"))
    out = paperbot("run", "--now", "2025-05-07T15:00+02:00").out
    assert "Repairing violins" in out
    assert "1 alert, 1 message delivered" in out


@pytest.mark.parametrize(
    ("alerts", "says"),
    [
        ('quiet = ["22:00"]\nkeywords = ["x"]', "quiet hours have a beginning and an end"),
        ('quiet = ["22:00", "7 am"]\nkeywords = ["x"]', "is not a time of day"),
        ("per_day = 2", "matches no paper; add keywords, authors, cites or min_score"),
    ],
)
def test_a_mistake_in_the_rule_is_reported_with_its_remedy(tmp_path, alerts, says):
    (tmp_path / "rewards.toml").write_text(PROFILE.format(alerts=alerts, extra=""))
    profiles, (problem,) = load_profiles(tmp_path, "UTC", address_checks())
    assert profiles == {}
    assert says in problem.problem


@pytest.mark.parametrize(
    ("clock", "hours", "quiet"),
    [
        (time(22), (time(22), time(7)), True),
        (time(6, 59), (time(22), time(7)), True),
        (time(7), (time(22), time(7)), False),
        (time(12), (time(22), time(7)), False),
        (time(13), (time(13), time(14)), True),
        (time(14), (time(13), time(14)), False),
        (time(3), None, False),
        (time(8), (time(7), time(7)), False),
    ],
)
def test_quiet_hours_may_span_midnight(clock, hours, quiet):
    assert is_quiet(clock, hours) is quiet


def test_urgent_papers_keep_their_order():
    scores = [Score(n, p, 0.0, (), 0.0, muted=m) for n, p, m in ((1, 0.9, None), (2, 0.8, "x"), (3, 0.1, None))]
    assert [score.paper for score in urgent(scores, {2, 3}, 0.9)] == [1, 3]
    assert [score.paper for score in urgent(scores, {2, 3}, None)] == [3]
