"""What grew in a field in a month: which papers are compared, and when nothing is said."""

import email
import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime
from email import policy

import pytest

from bot.app import open_app
from bot.editions.composer import compose_letter
from bot.editions.due import publish
from bot.editions.letters import FieldMonths, sample_evenly
from bot.model import Entry, ParsedDigest

OCTOBER = date(2026, 10, 1)
NOW = datetime(2026, 11, 6, 9, tzinfo=UTC)
TOPIC = "We study sparse reward models."


def bring(app, month, number, grown=0, source="a", day=10, hour=9, name=""):
    """Store so many papers of a month of 2026, of which the first are on the topic."""
    entries = tuple(
        Entry(f"{name or source}{month}x{day}n{n} paper", TOPIC if n < grown else f"Number {n}.") for n in range(number)
    )
    at = datetime(2026, month, day, hour, tzinfo=UTC)
    digest = [ParsedDigest("keyword", "", None, entries)]
    app.store.papers.add_digests(source, "x", f"{source}{at}{name}", digest, now=at)


@pytest.fixture
def app(owls_home):
    with open_app(owls_home) as app:
        for month in (7, 8, 9):
            bring(app, month, 110, grown=1)
        yield app


@pytest.fixture
def on_each_database(store_url, monkeypatch):
    """Let ``app`` have its store on SQLite, and then on PostgreSQL."""
    monkeypatch.setenv("PAPERBOT_STORE__URL", store_url)


def month_of(app, now=NOW, **changes):
    profile = app.profiles["owls"]
    schedule = profile.schedule.model_copy(update={"timezone": changes.pop("timezone", "UTC")})
    return FieldMonths(app.store).of(profile.model_copy(update={"schedule": schedule, **changes}), OCTOBER, now)


def test_a_topic_has_its_counts_and_two_papers_of_the_month(app):
    bring(app, 10, 210, grown=20)
    bring(app, 11, 50, grown=50)  # after the month
    bring(app, 6, 50, grown=50)  # before the three
    month = month_of(app)
    assert (month.first, month.papers, month.before, month.came) == (OCTOBER, 210, 330, 0)
    (topic,) = month.topics
    assert (topic.text, topic.papers, topic.before) == ("sparse reward models", 20, 3)
    assert [paper.abstract for paper in topic.examples] == [TOPIC] * 2
    assert all(paper.title.startswith("a10") for paper in topic.examples)


def test_a_new_source_is_no_growth(app):
    bring(app, 10, 210)
    bring(app, 10, 60, grown=60, source="b")
    assert (month_of(app).papers, month_of(app).topics) == (210, ())
    # One that brought a few papers in each month has more of them now: that is no growth of its topics either.
    for month in (7, 8, 9):
        bring(app, month, 1, grown=1, source="b", day=11)
    assert (month_of(app).papers, month_of(app).before, month_of(app).topics) == (270, 333, ())


@pytest.mark.usefixtures("on_each_database")
def test_papers_that_came_earlier_are_not_new_again(app):
    bring(app, 6, 30, grown=30, name="old")
    bring(app, 10, 210)
    at = datetime(2026, 10, 20, tzinfo=UTC)
    again = tuple(Entry(f"old6x10n{n} paper", TOPIC) for n in range(30))
    app.store.papers.add_digests("a", "x", "again", [ParsedDigest("keyword", "", None, again)], now=at)
    assert (month_of(app).papers, month_of(app).topics) == (210, ())


@pytest.mark.parametrize(("number", "is_enough"), [(199, False), (200, True)])
def test_of_few_papers_nothing_is_said(app, number, is_enough):
    bring(app, 10, number, grown=30)
    month = month_of(app)
    assert (month.is_enough, bool(month.topics), month.papers) == (is_enough, is_enough, number)


def test_only_the_profiles_sources_count_and_a_month_is_of_its_time_zone(app):
    bring(app, 10, 210, grown=20)
    assert not month_of(app, sources=("b",)).is_enough
    bring(app, 9, 7, day=30, hour=23, name="late")
    assert [month_of(app, timezone=zone).papers for zone in ("UTC", "Europe/Berlin")] == [210, 217]


def test_a_month_is_compared_once_it_has_ended_and_then_kept(app):
    bring(app, 10, 210, grown=20)
    assert month_of(app, now=datetime(2026, 11, 1, tzinfo=UTC)) is None
    months = FieldMonths(app.store)
    first = months.of(app.profiles["owls"], OCTOBER, NOW)
    assert months.of(app.profiles["owls"], OCTOBER, NOW) is first


def letter_of(app, day, kind="email"):
    context = app.context(app.profiles)
    (reader,) = app.store.readers.all()
    letter = compose_letter(context, replace(reader, kind=kind), app.profiles["owls"], day, NOW)
    messages = [] if letter.is_empty else context.renderer.messages(letter, "letter-x")
    return letter, messages


def test_the_first_letter_of_a_month_says_what_grew_in_mail_and_slack(app):
    publish(app.store, app.profiles, NOW)
    bring(app, 10, 210, grown=20)
    letter, (mail,) = letter_of(app, date(2026, 11, 6))
    assert letter.edition.picks == ()
    message = email.message_from_bytes(mail.body, policy=policy.default)
    assert message["Subject"] == "Your week in Owls: what grew in your field"
    lines = [
        "Your field in October 2026",
        "Compared: 210 papers of October 2026, and 330 papers of the three months before.",
        "in 20 of 210 papers, and in 3 of 330 in the three months before:",
        "████████████████ 9.5% in October 2026 ░░ 0.9% before",
        "a10x10n",
    ]
    for kind in ("plain", "html"):
        content = message.get_body((kind,)).get_content()
        text = " ".join(re.sub("<style.*?</style>|<[^>]*>", " ", content, flags=re.DOTALL).replace("\xa0", " ").split())
        assert [line for line in lines if line not in text.replace(" ,", ",")] == []
    _, (slack,) = letter_of(app, date(2026, 11, 6), kind="slack")
    blocks = json.loads(slack.body)["blocks"]
    text = " ".join(" ".join(block["text"]["text"] for block in blocks if block["type"] == "section").split())
    lines = [line.replace("in 20 of", "*Sparse reward models* In 20 of") for line in lines]
    assert [line for line in lines if line not in text] == []


@pytest.mark.parametrize(("day", "grown"), [(13, 20), (6, 4)])
def test_later_letters_and_those_after_a_month_without_growth_say_nothing_of_it(app, day, grown):
    publish(app.store, app.profiles, NOW)
    bring(app, 10, 210, grown=grown)
    letter, messages = letter_of(app, date(2026, 11, day))
    assert (letter.month, messages) == (None, [])


def test_of_very_many_papers_some_are_read_evenly_over_the_time():
    assert sample_evenly(range(10), 10) == range(10)
    assert sample_evenly(range(10), 4) == [0, 2, 5, 7]
    assert sample_evenly([], 4) == []
