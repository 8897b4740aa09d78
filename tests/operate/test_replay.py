"""Past days again: the same without a change, other picks with one, and nothing that was not known by then."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from support import digest, outbox, rows

from bot.app import open_app

FIRST = datetime(2026, 6, 8, 6, 5, tzinfo=UTC)  # a Monday, five minutes after the edition is due
OWLS = ("Owls that hunt", "Owls that sing", "Owls that nest", "Owls that fly")
BEES = ("Bees that dance", "Bees that sleep", "Bees that swarm", "Bees that sting")
PROFILE = """title = "Birds"
interests = "{interests}"
[edition]
size = 3
explore = 0
threshold = 0
[schedule]
at = "06:00"
[[readers]]
email = "ada@example.org"
"""


def live(path, paperbot, days):
    """Run a new home for some days, with a digest and a thumb on each; days that it has run change nothing."""
    (path / "profiles" / "birds.toml").write_text(PROFILE.format(interests="owls"))
    for n in range(days):
        now = FIRST + timedelta(days=n)
        titles = [f"{title} on day {n}" for title in (*OWLS, *BEES)]
        (path / "seeds" / f"{n}.txt").write_text(digest(*titles, header=f"BIRDS - {now:%Y-%m-%d}"))
        assert paperbot("run", "--now", now.isoformat()).code == 0
        later = (now + timedelta(hours=1)).isoformat()
        assert paperbot("thumb", "up", "birds", f"Bees that dance on day {n}", "--now", later).code == 0


@pytest.fixture
def home_of_a_week(bare, paperbot, fill_once):
    """A home that has run for five days."""

    def five_days():
        live(bare, paperbot, days=5)

    fill_once(bare, five_days)
    return bare


def replayed(paperbot, first="2026-06-08", last="2026-06-12", *options):
    return paperbot("replay", "birds", "--from", first, "--to", last, *options, "--json").json


def picks(day):
    return [pick["title"] for pick in day["picks"]]


def really_sent(home):
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        return {
            edition.date.isoformat(): [
                (pick.paper.title, pick.probability) for pick in app.store.editions.picks_of(edition.id)
            ]
            for edition in app.store.editions.of_reader(reader.id)
        }


@pytest.mark.slow
def test_an_unchanged_profile_replays_the_editions_that_were_sent(home_of_a_week, paperbot):
    days = replayed(paperbot)["days"]
    again = {day["date"]: [(pick["title"], pick["score"]) for pick in day["picks"]] for day in days}
    real = really_sent(home_of_a_week)
    assert len(real) == 5
    assert {day: [title for title, _ in picked] for day, picked in again.items()} == {
        day: [title for title, _ in picked] for day, picked in real.items()
    }
    for day, picked in real.items():
        assert [score for _, score in again[day]] == pytest.approx([score for _, score in picked])


def test_replay_uses_todays_profile_and_repeats_no_paper(home_of_a_week, paperbot):
    (home_of_a_week / "profiles" / "birds.toml").write_text(PROFILE.format(interests="bees"))
    days = replayed(paperbot)["days"]
    assert all("Bees" in title for title in picks(days[0]))
    titles = [title for day in days for title in picks(day)]
    assert len(titles) == len(set(titles)) == 15


def test_what_was_sent_before_the_range_is_not_repeated_and_what_was_sent_in_it_may_be(home_of_a_week, paperbot):
    before = {title for title, _ in really_sent(home_of_a_week)["2026-06-09"]}
    days = replayed(paperbot, "2026-06-10", "2026-06-11")["days"]
    replayed_titles = {title for day in days for title in picks(day)}
    assert not before & replayed_titles
    assert {pick["sent"] is not None for day in days for pick in day["picks"]} == {True}


@pytest.mark.slow
def test_thumbs_and_papers_of_later_days_change_nothing(bare, paperbot):
    live(bare, paperbot, days=3)
    early = replayed(paperbot, "2026-06-08", "2026-06-10")["days"]
    live(bare, paperbot, days=5)
    for title in ("Owls that hunt on day 0", "Owls that sing on day 1"):
        paperbot("thumb", "down", "birds", title, "--now", (FIRST + timedelta(days=4)).isoformat())
    late = replayed(paperbot, "2026-06-08", "2026-06-10")["days"]
    assert [picks(day) for day in late] == [picks(day) for day in early]
    assert [p["score"] for d in late for p in d["picks"]] == pytest.approx(
        [p["score"] for d in early for p in d["picks"]]
    )


def test_replay_shows_the_vote_and_when_a_pick_was_sent(home_of_a_week, paperbot):
    title = picks(replayed(paperbot, "2026-06-08", "2026-06-08")["days"][0])[0]
    judged = (FIRST + timedelta(hours=2)).isoformat()
    paperbot("thumb", "down", "birds", title, "--now", judged)
    answer = replayed(paperbot, "2026-06-08", "2026-06-08")
    pick = next(p for p in answer["days"][0]["picks"] if p["title"] == title)
    assert pick["thumb"] == {"vote": "down", "at": judged}
    assert pick["sent"] == FIRST.isoformat()
    assert answer["totals"] == {"days": 1, "papers": 3, "sent": 3, "up": 0, "down": 1}
    out = paperbot("replay", "birds", "--from", "2026-06-08", "--to", "2026-06-08").out
    assert "👎 Jun 08, sent Jun 08" in out


def test_only_past_days_of_the_schedule_are_replayed_and_quiet_days_give_the_reason(home_of_a_week, paperbot):
    days = replayed(paperbot, "2026-06-12", "2026-06-20", "--now", "2026-06-18T12:00:00+00:00")["days"]
    assert [date.fromisoformat(day["date"]).strftime("%a") for day in days] == ["Fri", "Mon", "Tue", "Wed", "Thu"]
    assert days[1]["picks"], "papers that had no place on Friday"
    assert days[-1]["quiet"]["words"].startswith(
        "No new paper has come in since your last edition. The last one came on 12"
    )
    out = paperbot("replay", "birds", "--from", "2026-06-17", "--to", "2026-06-18").out
    assert out.count("nothing: No new paper has come in") == 2
    assert "No edition was due" in paperbot("replay", "birds", "--from", "2026-06-13", "--to", "2026-06-14").out


def test_a_quiet_day_before_the_first_edition_names_no_earlier_one(home_of_a_week, paperbot):
    friday, monday = replayed(paperbot, "2026-06-05", "2026-06-08")["days"]
    assert friday["quiet"]["words"] == "No new paper has come in."
    assert monday["picks"]


def test_nothing_is_stored_or_sent(home_of_a_week, paperbot):
    before = {path: path.read_bytes() for path in outbox(home_of_a_week)}, rows(home_of_a_week)
    replayed(paperbot)
    assert ({path: path.read_bytes() for path in outbox(home_of_a_week)}, rows(home_of_a_week)) == before


def test_an_invalid_range_is_refused(home_of_a_week, paperbot):
    for first, last, says in (
        ("2026-06-10", "2026-06-08", "--from 2026-06-10 is after --to 2026-06-08"),
        ("2020-06-10", "2026-06-08", "more than 400 days"),
        ("0001-01-01", "0001-01-02", "'0001-01-01' is not in the years 1990 to 2990"),
        ("May", "2026-06-08", "Invalid value for '--from': 'May' is no day; write it like 2026-11-25 (see"),
    ):
        answer = paperbot("replay", "birds", "--from", first, "--to", last)
        assert (answer.code, answer.out) == (2, "")
        assert says in answer.err


def test_each_day_is_replayed_at_its_own_time(home_of_a_week, paperbot):
    times = [datetime.fromisoformat(day["at"]) for day in replayed(paperbot)["days"]]
    assert all(earlier < later for earlier, later in pairwise(times))
    assert times[0] == FIRST


SAMPLES = [f"{title} in {place}" for title in OWLS for place in ("woods", "barns")]


@pytest.fixture
def home_with_samples(bare):
    """A home with eight papers in its samples and none elsewhere."""
    (bare / "profiles" / "birds.toml").write_text(PROFILE.format(interests="owls"))
    (bare / "samples" / "owls.txt").write_text(digest(*SAMPLES))
    return bare


def run_with(home, paperbot, day, *titles):
    """Run a day on which the home's own source brings these papers."""
    if titles:
        (home / "seeds" / f"{day}.txt").write_text(digest(*titles, header=f"OWN {day} - 2026-06-08"))
    assert paperbot("run", "--now", (FIRST + timedelta(days=day)).isoformat()).code == 0


def assert_replay_gives_what_was_sent(paperbot, considered):
    stored = paperbot("export", "birds").json["editions"]
    sent = sorted((edition["date"], [paper["title"] for paper in edition["papers"]]) for edition in stored)
    days = replayed(paperbot, "2026-06-08", "2026-06-09")["days"]
    assert [(day["date"], picks(day)) for day in days] == sent
    assert [day["considered"] for day in days] == considered


def test_samples_count_until_another_source_brought_papers(home_with_samples, paperbot):
    run_with(home_with_samples, paperbot, 0)
    run_with(home_with_samples, paperbot, 1, "Bees that dance")
    assert_replay_gives_what_was_sent(paperbot, considered=[8, 1])


def test_superseded_samples_are_left_out(home_with_samples, paperbot):
    run_with(home_with_samples, paperbot, -1)  # a Sunday, without an edition
    run_with(home_with_samples, paperbot, 0, "Bees that dance")
    # From now on these papers are not from samples only; on the day before, they were.
    run_with(home_with_samples, paperbot, 1, *SAMPLES)
    assert_replay_gives_what_was_sent(paperbot, considered=[1, 0])
