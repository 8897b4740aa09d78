"""The weekly letter: once a week, by the reader's channel, with what their votes did and a paper that they missed."""

import json
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from support import digest, edit, parsed, text_of

from bot import wording
from bot.app import open_app
from bot.editions.due import due_ranges, letter_day
from bot.editions.letters import compose_letter, put_letters
from bot.model import EditionKind, Match, State, StopReason, Vote
from bot.store.readers import EVERYONE

from .conftest import READER, prepare, vote

BEFORE = "2025-05-09T07:59:00+02:00"
FRIDAY = "2025-05-09T08:00:00+02:00"
MONDAY = "2025-05-12T08:00:00+02:00"
NEXT_FRIDAY = "2025-05-16T08:00:00+02:00"


def letter_of(app, reader, profile, now):
    return compose_letter(app.context(app.profiles), reader, profile, letter_day(now, profile), now)


def letters(home):
    """The states of the messages of each stored letter, oldest first."""
    with open_app(home) as app, app.store._database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT id FROM editions WHERE kind = 'letter' ORDER BY id").all()
        states = app.store.outbox.states([row.id for row in rows])
    return [list(states.get(row.id, ())) for row in rows]


def test_a_letter_comes_once_on_friday_at_the_profiles_hour(home, paperbot, by_smtp, store_url, monkeypatch):
    monkeypatch.setenv("PAPERBOT_STORE__URL", store_url)
    prepare(home)
    by_smtp.mails.clear()
    assert paperbot("run", "--now", BEFORE, "--json").json["delivered"] == 0
    assert paperbot("run", "--now", FRIDAY, "--json").json["delivered"] == 1
    assert paperbot("run", "--now", FRIDAY, "--json").json["delivered"] == 0
    assert letters(home) == [[State.SENT]]
    (mail,) = by_smtp.mails
    assert mail.recipients == ["ada@example.org"]
    message = parsed(mail.content)
    assert message["Subject"] == "Your week in Reward models: 6 liked, one you missed"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["List-Unsubscribe"].startswith("<http://localhost:8000/unsubscribe/")
    assert message["Message-ID"].startswith("<letter-2025-05-09.")
    html = message.get_body(("html",)).get_content()
    for phrase in (
        "2 May 2025 to 8 May 2025",
        "You liked 6 papers and disliked 1.",
        "What was learned from your votes Since you liked “",
        "It reached Paperbot this week and was in none of your editions.",
        " match. ",
        "strong or good matches that you voted on in the last 30 days.",
        "More like this: http://localhost:8000/thumb/",
        "Unsubscribe: http://localhost:8000/unsubscribe/",
    ):
        assert phrase in text_of(mail.content)
    assert "Your week in Reward models</h1>" in html
    assert html.count("👍") == 1


def test_the_missed_paper_is_a_good_match_that_was_not_shown_and_counts_as_shown_from_then_on(voted, paperbot):
    now = datetime.fromisoformat(FRIDAY)
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        profile = app.profiles["reward-models"]
        before = set(app.store.editions.shown(reader.id))
        (pick,) = letter_of(app, reader, profile, now).edition.picks
        assert set(app.store.editions.shown(reader.id)) == before, "a preview stores nothing"
        ids = app.store.papers.new_to(reader.id)
        ranked = app.composer.ranked(reader, profile, ids, now)
        best = next(score for score in ranked.scores if not (score.muted or score.missing_terms))
        assert (pick.paper.id, pick.probability) == (best.paper, best.probability)
        assert pick.paper.id not in before
        assert Match.for_probability(pick.probability) is not Match.POSSIBLE
    assert paperbot("run", "--now", FRIDAY).code == 0
    with open_app(voted) as app:
        assert set(app.store.editions.shown(reader.id)) == before | {pick.paper.id}
        # A letter is no edition: neither the day's slot nor what was considered changes.
        assert app.store.editions.last_by_reader([reader.id])[reader.id].kind is EditionKind.EDITION


def test_a_paper_that_the_next_edition_considers_is_not_missed_yet(voted, paperbot):
    (voted / "seeds" / "own.txt").write_text(digest("Reward models, process rewards and reward hacking"))
    assert paperbot("ingest").code == 0
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        now = datetime.now(UTC)
        letter = letter_of(app, reader, app.profiles["reward-models"], now)
        assert "hacking" not in "".join(pick.paper.title for pick in letter.edition.picks)


@pytest.mark.parametrize("change", ["muted", "source"])
def test_where_no_paper_fits_the_letter_speaks_of_none(voted, paperbot, change):
    profile = voted / "profiles" / "reward-models.toml"
    words = ["model", "learning", "language", "reasoning", "reward", "training", "agents", "vision", "data"]
    lines = {"muted": f"mute = {json.dumps(words)}", "source": 'sources = ["seeds"]'}
    text = profile.read_text().replace('mute = ["stock trading"]', "" if change == "muted" else "mute = []")
    profile.write_text(f"{lines[change]}\n{text}")
    out = " ".join(paperbot("preview", "reward-models", "--weekly", "--now", FRIDAY).out.split())
    assert "What you liked" in out
    assert "missed" not in out


@pytest.mark.slow
def test_a_week_without_votes_and_without_a_missed_paper_brings_no_letter(voted, paperbot, by_smtp):
    assert paperbot("run", "--now", FRIDAY, "--json").json["delivered"] == 1
    # A week later: the votes and the papers are old.
    assert paperbot("run", "--now", NEXT_FRIDAY, "--force", "--json").json["delivered"] == 0
    assert letters(voted) == [[State.SENT], []]
    assert "no letter would be sent" in paperbot("preview", READER, "--weekly", "--now", NEXT_FRIDAY).out
    assert len(by_smtp.mails) == 1


def test_without_the_key_or_before_the_subscription_there_is_no_letter(voted, paperbot):
    profile = voted / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text().replace("weekly = true\n", ""))
    assert paperbot("run", "--now", FRIDAY, "--json").json["delivered"] == 0
    text = profile.read_text().replace("ada@", "eve@").replace('"tue", "wed"', '"wed", "fri"')
    profile.write_text(f"weekly = true\n{text}")
    later = "2025-05-09T12:00:00+02:00"
    assert paperbot("run", "--now", later, "--json").json["editions"] == 1  # eve's first, and no letter
    assert letters(voted) == []


@pytest.mark.parametrize(("now", "expected"), [("2025-05-11T21:00:00+02:00", 1), (MONDAY, 0)])
def test_after_downtime_a_letter_comes_until_sunday(voted, paperbot, by_smtp, now, expected):
    paperbot("run", "--now", now)
    assert [len(states) for states in letters(voted)] == [1] * expected


def test_it_comes_on_friday_whatever_the_days_of_the_editions_are(voted, paperbot, by_smtp):
    profile = voted / "profiles" / "reward-models.toml"
    days = 'days = ["tue", "wed"]'
    assert days in profile.read_text()
    profile.write_text(profile.read_text().replace(days, 'days = ["mon"]').replace('"08:00"', '"17:30"'))
    assert paperbot("run", "--now", FRIDAY, "--json").json["delivered"] == 0
    assert paperbot("run", "--now", "2025-05-09T17:30:00+02:00", "--json").json["delivered"] == 1


def test_who_has_stopped_gets_none_even_if_it_waits_in_the_outbox(voted, paperbot, by_smtp):
    by_smtp.replies["RCPT"] = "450 later"
    assert paperbot("run", "--now", FRIDAY, "--json").json["delivered"] == 0
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        app.store.readers.stop(reader.id, StopReason.UNSUBSCRIBED)
    by_smtp.replies.clear()
    paperbot("retry", "--now", "2025-05-09T10:00:00+02:00")
    assert (by_smtp.mails, letters(voted)) == ([], [[State.CANCELLED]])


def test_a_paused_reader_gets_none(voted, paperbot, by_smtp):
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        app.store.readers.stop(reader.id, StopReason.PAUSED)
    paperbot("run", "--now", FRIDAY)
    assert (by_smtp.mails, letters(voted)) == ([], [])


def test_two_processes_send_one_letter(voted, monkeypatch):
    now = datetime.fromisoformat(FRIDAY)
    with open_app(voted) as one, open_app(voted) as other:
        due_in_both = other.context(other.profiles)
        put = type(one.store.editions).save

        def save_after_the_other(editions, *arguments):
            monkeypatch.undo()
            assert put_letters(due_in_both, EVERYONE, now) == []
            return put(editions, *arguments)

        monkeypatch.setattr(type(one.store.editions), "save", save_after_the_other)
        assert put_letters(one.context(one.profiles), EVERYONE, now) == []
    assert letters(voted) == [[State.PENDING]]


def test_what_fails_for_one_reader_is_a_problem_of_that_reader(voted, paperbot):
    (voted / "templates" / "letter").mkdir(parents=True, exist_ok=True)
    (voted / "templates" / "letter" / "mail.html.j2").write_text("{{ letter.oops }}")
    answer = paperbot("run", "--now", FRIDAY, "--json")
    assert answer.code == 1
    (problem,) = answer.json["problems"]
    assert problem["source"] == READER
    assert "weekly letter: " in problem["problem"]
    assert "letter/mail.html.j2:1" in problem["problem"]
    assert "letter/mail.html.j2:1" in paperbot("check").err


@pytest.mark.parametrize(
    ("at", "liked"),
    [
        ("2025-05-01T23:59:00+02:00", [6, 0, 0]),
        pytest.param("2025-05-02T00:00:00+02:00", [0, 6, 0], marks=pytest.mark.slow),
        pytest.param("2025-05-08T23:59:00+02:00", [0, 6, 0], marks=pytest.mark.slow),
        pytest.param("2025-05-09T07:59:00+02:00", [0, 0, 6], marks=pytest.mark.slow),
        ("2025-05-09T08:01:00+02:00", [0, 0, 6]),
    ],
)
@pytest.mark.slow
def test_each_vote_counts_in_the_one_letter_whose_heading_has_its_day(voted, at, liked):
    vote(voted, at=at)
    fridays = [datetime.fromisoformat(moment) for moment in ("2025-05-02T08:00:00+02:00", FRIDAY, NEXT_FRIDAY)]
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        letters = [letter_of(app, reader, app.profiles["reward-models"], friday) for friday in fridays]
    assert [len(letter.liked) for letter in letters] == liked
    assert wording.letter_week(letters[1]) == "2 May 2025 to 8 May 2025"


def test_too_few_votes_give_no_share(voted, paperbot):
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        for recorded in list(app.store.feedback.current(reader.id).values())[4:]:
            app.store.feedback.add(reader.id, recorded.paper, Vote.CLEAR, recorded.at, "cli")
    out = paperbot("preview", "reward-models", "--weekly", "--now", FRIDAY).out
    assert "You liked 4 papers." in out
    assert "How well it predicts" not in out


@pytest.mark.slow
def test_votes_down_alone_are_told_too(voted, paperbot):
    vote(voted, downs=7)
    out = " ".join(paperbot("preview", "reward-models", "--weekly", "--now", FRIDAY).out.split())
    assert "None in these seven days: you disliked 7 papers." in out
    assert "You liked 0 of the" in out


@pytest.mark.slow
def test_in_slack_it_is_one_message_whose_buttons_vote(voted, paperbot, slack_server, monkeypatch):
    with open_app(voted) as app, app.store._database.writing() as connection:
        connection.exec_driver_sql("UPDATE readers SET kind = 'slack', address = 'C0123ABC'")
    edit(voted / "profiles/reward-models.toml", 'email = "ada@example.org"', 'slack = "C0123ABC"')
    monkeypatch.setenv("PAPERBOT_SLACK__TOKEN", "xoxb-test")
    monkeypatch.setenv("PAPERBOT_SLACK__API_URL", slack_server.url)
    monkeypatch.setenv("PAPERBOT_SLACK__SIGNING_SECRET", "0123456789abcdef")
    preview = json.loads(paperbot("preview", "reward-models", "--weekly", "--format", "slack", "--now", FRIDAY).out)
    assert paperbot("run", "--now", FRIDAY, "--json").json["delivered"] == 1
    (post,) = slack_server.posts
    assert "thread_ts" not in post
    assert post["text"].startswith("Your week in Reward models: 6 liked, one you missed. One you missed: ")
    (buttons,) = [block["elements"] for block in post["blocks"] if block["type"] == "actions"]
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        shown = app.store.editions.last_reader_shown([reader.id], int(buttons[0]["value"][1:]))
        assert shown == reader.id, "so that a press counts for the channel"
    texts = [block["text"]["text"] for block in post["blocks"] if block["type"] == "section"]
    assert all(0 < len(text) < 3_000 for text in texts)
    assert texts == [block["text"]["text"] for block in preview["blocks"] if block["type"] == "section"]


def test_with_a_queue_the_readers_of_letters_are_in_the_ranges(voted):
    now = datetime.fromisoformat(FRIDAY)
    with open_app(voted) as app:
        (reader,) = app.store.readers.all()
        profiles = {"reward-models": replace_days(app.profiles["reward-models"])}
        ((slug, ids),) = due_ranges(app.store, profiles, now, 200)
        assert (slug, ids.first, ids.last) == ("reward-models", reader.id, reader.id)
        assert app.daily_job_for(profiles).compose(ids, now) == []
        assert list(due_ranges(app.store, profiles, now, 200)) == []


def replace_days(profile):
    """A profile whose editions are not due on Friday, so that only its letter is."""
    return profile.model_copy(update={"schedule": profile.schedule.model_copy(update={"days": ("wed",)})})


def test_the_letters_of_all_weeks_have_days_that_meet():
    from bot.editions.due import _last_friday

    days = [datetime(2025, 5, day, tzinfo=UTC).date() for day in range(1, 29)]
    fridays = sorted({_last_friday(day) for day in days})
    assert all((later - earlier).days == 7 for earlier, later in pairwise(fridays))
    assert all(0 <= (day - _last_friday(day)).days < 7 for day in days)
