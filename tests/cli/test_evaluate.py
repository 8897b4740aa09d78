"""``paperbot evaluate``: an answer, numbers behind it, a picture, and JSON; a plain word where nothing is known."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from support import digest

START = datetime(2026, 3, 2, 7, tzinfo=UTC)
PROFILE = 'title = "Nature"\ninterests = "notes"\n[edition]\nsize = 4\nexplore = 0\n{readers}'
READER = '[[readers]]\nemail = "{}@example.org"\n'
TITLES = [
    f"{topic} {kind}" for topic in ("Owls", "Bees", "Whales") for kind in ("asleep", "awake", "at work")
]


@pytest.fixture
def lived(home, paperbot):
    """Eight days of nine papers each; Ada likes owls, Eve has pressed two thumbs, Bob none."""
    for path in (*home.glob("samples/*"), *home.glob("profiles/*")):
        path.unlink()
    readers = "".join(READER.format(name) for name in ("ada", "eve", "bob"))
    (home / "profiles" / "nature.toml").write_text(PROFILE.format(readers=readers))
    for n in range(8):
        now = START + timedelta(days=n)
        (home / "seeds" / f"{n}.txt").write_text(digest(*(f"{title}, part {n}" for title in TITLES)))
        assert paperbot("ingest", "--now", now.isoformat()).code == 0
        later = (now + timedelta(hours=1)).isoformat()
        for title, vote in (("Owls asleep", "up"), ("Owls at work", "up"), ("Bees awake", "down")):
            paperbot("thumb", vote, "nature/ada@example.org", f"{title}, part {n}", "--now", later)
    for title in ("Bees awake, part 1", "Owls awake, part 2"):
        paperbot("thumb", "up", "nature/eve@example.org", title)
    return home


def evaluate(paperbot, *arguments):
    return paperbot("evaluate", *arguments)


def test_json_is_one_object_with_all_there_is_to_know(lived, paperbot):
    found = evaluate(paperbot, "nature/ada@example.org", "--json").json
    assert (found["verdict"], found["likes"], found["rounds"], found["thumbs"]) == ("yes", 14, 7, 24)
    assert found["answer"].startswith("Yes: of the 4 papers it puts first, you liked 2.0;")
    assert found["learned"]["auc"] > found["words"]["auc"]
    assert found["learned"]["liked_of_first"] == pytest.approx(4 * found["learned"]["precision"])
    assert found["chance"]["auc"] == 0.5
    assert found["gain"]["low"] > 0
    assert sum(row["papers"] for row in found["calibration"]["table"]) == found["calibration"]["papers"]
    assert sum(point["likes"] for point in found["over_time"]) == 14
    assert "NaN" not in json.dumps(found)


def test_the_terminal_is_answered_in_eighty_columns_without_colour(lived, paperbot):
    out = evaluate(paperbot, "nature/ada@example.org").out
    assert out.startswith("Yes: of the 4 papers it puts first, you liked 2.0;")
    assert max(map(len, out.split("The chart as a picture")[0].splitlines())) <= 80
    assert "\x1b" not in out
    for words in ("14 liked papers in 7 rounds", "nDCG at 4", "● with thumbs", "Off by"):
        assert words in out


def test_the_picture_is_a_png_where_it_was_wanted(lived, paperbot, tmp_path):
    kept = lived / "state" / "evaluation" / "nature--ada@example.org.png"
    assert str(kept.relative_to(lived)) in evaluate(paperbot, "nature/ada@example.org").out
    assert kept.read_bytes().startswith(b"\x89PNG")
    other = tmp_path / "new" / "chart.png"
    answer = evaluate(paperbot, "nature/ada@example.org", "--chart", other, "--json").json
    assert answer["chart"] == str(other)
    assert other.stat().st_size > 10_000
    refused = evaluate(paperbot, "nature/ada@example.org", "--chart", lived / "paperbot.toml" / "chart.png")
    assert (refused.code, "name another with --chart" in refused.err) == (2, True)


def test_too_few_thumbs_get_a_plain_answer(lived, paperbot):
    said = evaluate(paperbot, "nature/eve@example.org").out
    assert said.startswith("Too early to tell: ")
    assert said.count("\n") <= 3
    found = evaluate(paperbot, "nature/bob@example.org", "--json").json
    assert found["answer"] == "Too early to tell: there is no thumb yet."
    assert (found["verdict"], found["learned"], found["gain"], found["chart"]) == (
        "too few",
        None,
        None,
        None,
    )


def test_all_readers_with_thumbs_and_their_mean(lived, paperbot):
    found = evaluate(paperbot, "--json").json
    assert [one["reader"] for one in found["readers"]] == ["nature/ada@example.org", "nature/eve@example.org"]
    assert found["mean"]["learned"]["auc"] == found["readers"][0]["learned"]["auc"]
    assert found["answer"] == "It learns 1 of 1 reader for certain; 1 other pressed too few thumbs to tell."
    out = evaluate(paperbot).out
    assert out.startswith(found["answer"].split(" for")[0])
    assert "nature/eve@example.org   too few" in out
    assert (lived / "state" / "evaluation" / "all-readers.png").exists()


def test_a_home_without_thumbs_says_so(home, paperbot):
    answer = evaluate(paperbot)
    assert (answer.code, answer.out.split(":")[0]) == (0, "Too early to tell")
    assert evaluate(paperbot, "--json").json["readers"] == []


def test_the_pictures_that_name_a_forgotten_reader_go_too(lived, paperbot):
    evaluate(paperbot, "nature/ada@example.org")
    evaluate(paperbot)
    assert len(list((lived / "state" / "evaluation").iterdir())) == 2
    assert paperbot("forget", "nature/ada@example.org").code == 0
    assert list((lived / "state" / "evaluation").iterdir()) == []
