"""``paperbot catch-up``: one edition of a longer span, which counts as sent."""

from datetime import UTC, datetime, timedelta

import pytest
from support import digest, edit

from bot.app import open_app
from bot.editions.catch_up import CatchUpRequest, compose_catch_up
from bot.wording import word_count

MONDAY = datetime(2026, 6, 1, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
BACK = MONDAY + 14 * DAY
ADA = "owls/ada@example.org"
BEES = [
    "Pollen foraging of honey bees in alpine meadows",
    "Waggle dances tell honey bees where to go",
    "Pesticides and the memory of honey bees",
]
CHESS = [
    "Endgame tablebases for chess engines",
    "Opening theory of strong chess engines",
    "Chess engines that explain their moves to children",
]
BRIDGES = [
    "Cracks of concrete bridges after frost",
    "Load tests of long concrete bridges",
    "Sensors that watch concrete bridges for decades",
]
PASTA = "Cooking pasta"
ONE_A_DAY = (
    "Owls, Chess engines, Concrete bridges, Sourdough bread, Violin varnish, Glacier melt, Tax law, Beetle wings, "
    "Medieval maps, Wind turbines, Knee surgery, Sign languages, Coral reefs, Railway timetables, Volcanic ash, "
    "Wool dyes, Tidal power, Honey badgers"
).split(", ")


@pytest.fixture
def away(owls_home, paperbot, fill_once):
    """A home whose reader had an edition on 1 June 2026, and none since, while ten papers arrived."""

    def fill():
        drop(owls_home, paperbot, 0, "Owls at night", "Owls in barns")
        assert paperbot("run", "--now", MONDAY.isoformat()).code == 0
        drop(owls_home, paperbot, 3, *BEES, PASTA)
        drop(owls_home, paperbot, 9, *CHESS, *BRIDGES)

    fill_once(owls_home, fill)
    return owls_home


def drop(home, paperbot, day, *titles):
    now = MONDAY + day * DAY
    (home / "drop" / f"{day}.txt").write_text(digest(*titles, header=f"OWLS - {now:%Y-%m-%d}", date=f"{now:%Y-%m-%d}"))
    assert paperbot("ingest", "--now", now.isoformat()).code == 0


def catch_up(paperbot, *arguments, now=BACK):
    answer = paperbot("catch-up", "owls", "--now", now.isoformat(), "--json", *arguments)
    assert answer.code == 0, answer.err
    return answer.json


def titles(answer):
    return [pick["title"] for topic in answer["topics"] for pick in topic["picks"]]


def exported(paperbot):
    return paperbot("export", ADA).json["editions"]


def test_the_best_of_the_span_come_by_topic_and_the_names_are_phrases_of_the_papers(away, paperbot):
    answer = catch_up(paperbot, "--since", "2026-06-02")
    assert (answer["papers"], answer["good"], answer["until"]) == (10, 10, "2026-06-15")
    assert sorted(titles(answer)) == sorted([*BEES, *CHESS, *BRIDGES, PASTA])
    by_topic = {topic["topic"]: {pick["title"] for pick in topic["picks"]} for topic in answer["topics"]}
    of_bees = next(name for name, papers in by_topic.items() if set(BEES) <= papers)
    assert "bees" in of_bees or "foraging" in of_bees
    assert set(CHESS) in by_topic.values()
    # What shares no phrase stands last.
    assert PASTA in list(by_topic.items())[-1][1]
    assert list(by_topic)[-1] == ""


def test_it_counts_as_sent_and_what_it_skipped_does_not_wait(away, paperbot):
    shown = titles(catch_up(paperbot, "--since", "2026-06-02", "--minutes", "1"))
    assert 1 <= len(shown) < 10
    (mail,) = away.glob("state/outbox/2026-06-15/*.eml")
    assert shown[0].encode() in mail.read_bytes().replace(b"=\n", b"")
    drop(away, paperbot, 15, "Foxes in cities")
    assert paperbot("run", "--now", (MONDAY + 15 * DAY).isoformat()).code == 0
    assert [paper["title"] for paper in exported(paperbot)[-1]["papers"]] == ["Foxes in cities"]


def test_a_second_one_has_what_the_first_skipped(away, paperbot):
    first = titles(catch_up(paperbot, "--since", "2026-06-02", "--minutes", "1"))
    second = titles(catch_up(paperbot, "--since", "2026-06-02", now=BACK + DAY))
    assert sorted([*first, *second]) == sorted([*BEES, *CHESS, *BRIDGES, PASTA])


def test_picks_of_unread_editions_are_in_it_until_a_vote(away, paperbot):
    since = ("--since", "2026-06-01", "--preview")
    assert {"Owls at night", "Owls in barns"} <= set(titles(catch_up(paperbot, *since)))
    assert paperbot("thumb", "up", ADA, "Owls at night", "--now", BACK.isoformat()).code == 0
    assert not {"Owls at night", "Owls in barns"} & set(titles(catch_up(paperbot, *since)))


@pytest.mark.parametrize(("minutes", "sentences"), [(1, 1), (2, 1), (3, 1), (10, 2)])
def test_the_edition_is_read_in_the_minutes_and_fills_them_with_sentences(away, minutes, sentences):
    with open_app(away) as app:
        (reader,) = app.store.readers.all()
        request = CatchUpRequest(reader, app.profiles["owls"], (MONDAY + DAY).date(), minutes=minutes)
        edition = compose_catch_up(app.composer, request, BACK)
    assert word_count(edition) <= 200 * minutes
    assert max(len(pick.summary) for pick in edition.picks) == sentences


def test_what_is_skipped_is_listed_before_and_after_sending_and_nothing_is_sent(away, paperbot):
    listing = ("catch-up", "owls", "--since", "2026-06-02", "--minutes", "1", "--list", "--now", BACK.isoformat())
    before = paperbot(*listing, "--json").json["skipped"]
    assert len(exported(paperbot)) == 1
    shown = titles(catch_up(paperbot, "--since", "2026-06-02", "--minutes", "1"))
    assert paperbot(*listing, "--json").json["skipped"] == before
    assert sorted([*shown, *(row["title"] for row in before)]) == sorted([*BEES, *CHESS, *BRIDGES, PASTA])
    assert before[0]["probability"] >= before[-1]["probability"]
    listed = paperbot(*listing).out
    assert before[0]["title"] in listed
    assert "Unlikely match" in {row["match"] for row in before}
    assert "Unlikely match" not in listed


def test_a_preview_prints_the_mail_and_stores_nothing(away, paperbot):
    out = paperbot("catch-up", "owls", "--since", "2026-06-02", "--preview", "--now", BACK.isoformat()).out
    assert "10 papers, 2 Jun 2026 to 15 Jun 2026: these 10; " in " ".join(out.split())
    assert len(exported(paperbot)) == 1


def test_by_default_it_begins_with_the_last_vote_or_the_gap(away, paperbot):
    assert catch_up(paperbot, "--preview")["since"] == "2026-06-02"
    paperbot("thumb", "up", ADA, "Owls at night", "--now", (MONDAY + 5 * DAY).isoformat())
    assert catch_up(paperbot, "--preview")["since"] == "2026-06-06"


def test_without_a_paper_nothing_is_stored_and_the_reader_is_told(away, paperbot):
    answer = paperbot("catch-up", "owls", "--since", "2026-06-14", "--now", BACK.isoformat())
    assert answer.code == 0
    assert "nothing was sent" in answer.out
    assert len(exported(paperbot)) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--since", "2026-06-16"), "after today"),
        (("--since", "2025-06-01"), "more than a year ago"),
        (("--since", "June"), "June"),
        (("--since", "2026-06-02", "--minutes", "0"), "from 1 to 120"),
    ],
)
def test_wrong_usage_is_exit_code_2(away, paperbot, arguments, reason):
    answer = paperbot("catch-up", "owls", *arguments, "--now", BACK.isoformat())
    assert answer.code == 2
    assert reason in answer.err


def test_a_reader_who_stopped_gets_none(away, paperbot):
    assert paperbot("unsubscribe", ADA).code == 0
    assert paperbot("catch-up", "owls", "--since", "2026-06-02", "--now", BACK.isoformat()).code == 2


@pytest.fixture
def days(owls_home, paperbot):
    """Return a function that runs the days from one to another, a Monday being 0, each with a new paper."""
    profile = owls_home / "profiles" / "owls.toml"
    profile.write_text(f"catch_up = true\n{profile.read_text()}")

    def run(first, last):
        for day in range(first, last + 1):
            now = MONDAY + day * DAY
            text = digest(ONE_A_DAY[day], header=f"OWLS - {now:%Y-%m-%d}", date=f"{now:%Y-%m-%d}")
            (owls_home / "drop" / f"{day}.txt").write_text(text)
            assert paperbot("run", "--now", now.isoformat()).code == 0
        return [
            (
                int((datetime.fromisoformat(edition["date"]).date() - MONDAY.date()).days),
                bool(edition["catch_up"]),
                len(edition["papers"]),
            )
            for edition in exported(paperbot)
        ]

    return run


@pytest.mark.slow
def test_after_a_week_away_one_edition_a_week_replaces_the_daily_ones_until_a_vote(days, owls_home, paperbot):
    daily = [(0, False, 1), (1, False, 1), (2, False, 1), (3, False, 1), (4, False, 1)]
    # On the seventh day all of the week, which nobody read; then nothing for a week.
    week = (7, True, 8)
    assert days(0, 11) == [*daily, week]
    second = (14, True, 7)
    assert days(12, 15) == [*daily, week, second]
    mail = max(owls_home.glob("state/outbox/*/*.eml")).read_text()
    assert "once a week in place of your editions" in " ".join(mail.split())
    now = (MONDAY + 15 * DAY + timedelta(hours=1)).isoformat()
    assert paperbot("thumb", "up", ADA, ONE_A_DAY[14], "--now", now).code == 0
    # The days without an edition are made up for by the next one.
    assert days(16, 17) == [*daily, week, second, (16, False, 2), (17, False, 1)]


def test_an_opened_link_brings_the_daily_editions_back(days, owls_home):
    days(0, 0)
    assert days(7, 7)[-1] == (7, True, 2)
    with open_app(owls_home) as app:
        (reader,) = app.store.readers.all()
        app.store.visits.note(reader.id, (MONDAY + 8 * DAY).date())
    assert days(8, 9)[-2:] == [(8, False, 1), (9, False, 1)]


def test_without_the_key_nothing_changes(days, owls_home):
    edit(owls_home / "profiles/owls.toml", "catch_up = true", "catch_up = false")
    assert not any(is_catch_up for _, is_catch_up, _ in (*days(0, 0), *days(7, 7)))
