"""``paperbot evaluate``: an answer, the figures behind it, a chart, and JSON; a plain answer for too few votes."""

import json
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from support import digest

START = datetime(2026, 3, 2, 7, tzinfo=UTC)
PROFILE = 'title = "Nature"\ninterests = "notes"\n[edition]\nsize = 4\nexplore = 0\nthreshold = 0\n{readers}'
READER = '[[readers]]\nemail = "{}@example.org"\n'
TITLES = [f"{topic} {kind}" for topic in ("Owls", "Bees", "Whales") for kind in ("asleep", "awake", "at work")]


@pytest.fixture
def home_with_votes(bare, paperbot, fill_once):
    """Eight days of nine papers each; Ada likes owls, Eve has given two thumbs, Bob none."""

    def fill():
        readers = "".join(READER.format(name) for name in ("ada", "eve", "bob"))
        (bare / "profiles" / "nature.toml").write_text(PROFILE.format(readers=readers))
        for n in range(8):
            now = START + timedelta(days=n)
            (bare / "seeds" / f"{n}.txt").write_text(digest(*(f"{title}, part {n}" for title in TITLES)))
            paperbot("ingest", "--now", now.isoformat())
            later = (now + timedelta(hours=1)).isoformat()
            for title, vote in (("Owls asleep", "up"), ("Owls at work", "up"), ("Bees awake", "down")):
                paperbot("thumb", vote, "nature/ada@example.org", f"{title}, part {n}", "--now", later)
        for title in ("Bees awake, part 1", "Owls awake, part 2"):
            paperbot("thumb", "up", "nature/eve@example.org", title)

    fill_once(bare, fill)
    return bare


def evaluate(paperbot, *arguments):
    return paperbot("evaluate", *arguments)


def test_json_is_one_object_with_all_figures(home_with_votes, paperbot):
    result = evaluate(paperbot, "nature/ada@example.org", "--json").json
    assert (result["verdict"], result["likes"], result["rounds"], result["thumbs"]) == ("yes", 14, 7, 24)
    assert result["answer"].startswith("Yes: ")
    assert result["learned"]["auc"] > result["words"]["auc"]
    assert result["learned"]["liked_of_first"] == pytest.approx(4 * result["learned"]["precision"])
    assert result["chance"]["auc"] == 0.5
    assert result["gain"]["low"] > 0
    assert sum(row["papers"] for row in result["calibration"]["table"]) == result["calibration"]["papers"]
    assert sum(point["likes"] for point in result["over_time"]) == 14
    assert "NaN" not in json.dumps(result)


def test_the_output_has_eighty_columns_and_no_colour_codes(home_with_votes, paperbot):
    out = evaluate(paperbot, "nature/ada@example.org").out
    assert out.startswith("Yes: ")
    assert max(map(len, out.split("The chart as a drawing")[0].splitlines())) <= 80
    assert "\x1b" not in out
    for words in ("14 liked papers in 7 folds", "nDCG at 4", "● with thumbs", "Off by"):
        assert words in out


def test_the_chart_is_an_svg_file_in_the_home_or_where_chart_says(home_with_votes, paperbot, tmp_path):
    default = home_with_votes / "state" / "evaluation" / "nature--ada@example.org.svg"
    out = evaluate(paperbot, "nature/ada@example.org").out
    assert str(default.relative_to(home_with_votes)) in out
    drawing = ET.parse(default).getroot()
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    other = tmp_path / "new" / "chart.svg"
    answer = evaluate(paperbot, "nature/ada@example.org", "--chart", other, "--json").json
    assert answer["chart"] == str(other)
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}circle"))) == len(answer["over_time"])
    assert other.read_bytes() == default.read_bytes()


@pytest.mark.parametrize(
    ("file", "remedy"), [("paperbot.toml/chart.svg", "name another with --chart"), ("chart.png", "ends in .svg")]
)
def test_a_chart_file_that_cannot_be_written_is_refused(home_with_votes, paperbot, file, remedy):
    refused = evaluate(paperbot, "nature/ada@example.org", "--chart", home_with_votes / file)
    assert (refused.code, remedy in refused.err) == (2, True)
    assert not (home_with_votes / "chart.png").exists()


def test_too_few_thumbs_get_a_plain_answer(home_with_votes, paperbot):
    out = evaluate(paperbot, "nature/eve@example.org").out
    assert out.startswith("Too early to tell: ")
    assert out.count("\n") <= 3
    result = evaluate(paperbot, "nature/bob@example.org", "--json").json
    assert result["answer"] == "Too early to tell: there are no thumbs yet."
    assert (result["verdict"], result["learned"], result["gain"], result["chart"]) == ("too few", None, None, None)


@pytest.mark.parametrize("page", [1, 1_000])
def test_all_readers_with_thumbs_and_their_mean(home_with_votes, paperbot, monkeypatch, page):
    monkeypatch.setattr("bot.store.readers.PAGE", page)
    result = evaluate(paperbot, "--json").json
    assert [row["reader"] for row in result["readers"]] == ["nature/ada@example.org", "nature/eve@example.org"]
    assert result["mean"]["learned"]["auc"] == result["readers"][0]["learned"]["auc"]
    assert (
        result["answer"] == "It certainly learns the preferences of 1 of 1 reader; 1 other gave too few thumbs to tell."
    )
    out = evaluate(paperbot).out
    assert out.startswith(result["answer"].split(" of 1")[0])
    assert "nature/eve@example.org   too few" in out
    assert (home_with_votes / "state" / "evaluation" / "all-readers.svg").exists()


def test_a_home_without_thumbs_says_so(home, paperbot):
    answer = evaluate(paperbot)
    assert (answer.code, answer.out.split(":")[0]) == (0, "Too early to tell")
    assert evaluate(paperbot, "--json").json["readers"] == []


def test_forgetting_a_reader_removes_the_charts_that_name_them(home_with_votes, paperbot):
    evaluate(paperbot, "nature/ada@example.org")
    evaluate(paperbot)
    assert len(list((home_with_votes / "state" / "evaluation").iterdir())) == 2
    assert paperbot("forget", "nature/ada@example.org", "--yes").code == 0
    assert list((home_with_votes / "state" / "evaluation").iterdir()) == []
