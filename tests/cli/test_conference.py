"""``paperbot conference``: plans of a programme, votes on them, and nobody's edition changed."""

import json
import re
from datetime import datetime

import pytest
from support import digest, edit

NOW = "2025-05-06T18:00:00+00:00"
NEXT = "2025-05-07T18:00:00+00:00"
ADA = "reward-models/ada@example.org"
LINES = [
    "title,abstract,authors,date,start,end,room,type",
    '"Reward models, for bees",We study reward models with care.,Ada Lovelace,2026-12-02,09:00,10:00,Hall A,Oral',
    "Reward models for cats,Reward models are studied with care.,Grace Hopper,2026-12-02,09:30,10:30,Hall B,Oral",
    "Reward models for dogs,We study reward models for dogs with care.,Ada Lovelace,2026-12-03,14:00,16:00,Hall,Poster",
    "Concrete under load,Bridges of concrete bend.,A Mason,2026-12-03,14:00,16:00,Hall,Poster",
    "Reward models without a day,We study reward models with care.,Ada Lovelace,,,,,",
]


@pytest.fixture
def sent(few_papers, home, paperbot, fill_once):
    """A home whose reader was sent two papers on 6 May 2025; the programme has one of them."""

    def fill():
        assert paperbot("run", "--now", NOW).code == 0

    fill_once(home, fill)
    (home / "OwlConf_2026.csv").write_text("\n".join(LINES) + "\n")
    return home


def plan(paperbot, *arguments):
    answer = paperbot("conference", "OwlConf_2026.csv", "reward-models", "--now", NEXT, "--json", *arguments)
    assert answer.code == 0, answer.err
    return answer.json


def titles(answer):
    return [item["title"] for item in answer["plan"]]


def test_the_plan_is_by_day_and_slot_with_reasons(sent, paperbot):
    answer = plan(paperbot)
    assert answer["programme"] == "OwlConf 2026"
    assert plan(paperbot, "--title", "Owls of Vienna")["programme"] == "Owls of Vienna"
    assert titles(answer) == [
        "Reward models, for bees",
        "Reward models for cats",
        "Reward models for dogs",
        "Reward models without a day",
    ]
    assert (answer["papers"], answer["planned"]) == (5, 4)
    bees = answer["plan"][0]
    # The prepared profile's time zone, as the file names none.
    assert (bees["start"], bees["room"], bees["kind"]) == ("2026-12-02T09:00:00+01:00", "Hall A", "Oral")
    assert "reward models" in bees["why"].lower()
    assert answer["plan"][3]["day"] is None


def test_of_two_at_the_same_time_in_different_rooms_the_worse_match_is_marked(sent, paperbot):
    bees, cats, *others = plan(paperbot)["plan"]
    better, worse = sorted((bees, cats), key=lambda item: -item["probability"])
    assert (better["instead_of"], worse["instead_of"]) == ("", better["title"])
    assert not any(item["instead_of"] for item in others)


def test_what_was_sent_or_liked_is_marked_and_what_was_disliked_is_left_out(sent, paperbot):
    assert [item["read"] for item in plan(paperbot)["plan"]] == ["", "", "sent on 6 May 2025", ""]
    paperbot("thumb", "up", ADA, "Reward models for dogs", "--now", NEXT)
    assert plan(paperbot)["plan"][2]["read"] == "you liked it, sent on 6 May 2025"
    (sent / "own.bib").write_text("@article{a, title = {Reward models for cats}}\n")
    paperbot("import", ADA, "own.bib", "--now", NEXT)
    assert plan(paperbot)["plan"][1]["read"] == "in your library"
    paperbot("thumb", "down", ADA, "Reward models for dogs", "--now", NEXT)
    answer = plan(paperbot)
    assert (len(answer["plan"]), answer["disliked"]) == (3, 1)


def test_planned_papers_can_be_voted_on_and_the_vote_counts(sent, paperbot):
    before = plan(paperbot)
    assert paperbot("thumb", "up", ADA, before["plan"][0]["paper"], "--now", NEXT).code == 0
    after = plan(paperbot)
    assert after["plan"][0]["read"] == "you liked it"
    assert after["plan"][1]["probability"] > before["plan"][1]["probability"]
    # What is not planned is not stored.
    assert paperbot("thumb", "up", ADA, "Concrete under load").code == 2


def test_the_edition_of_the_next_day_is_the_same_with_and_without_a_plan(sent, paperbot):
    (sent / "seeds" / "next.txt").write_text(
        digest("Reward models for eels", "Reward models for newts", date=NEXT[:10])
    )

    def preview():
        answer = paperbot("preview", ADA, "--now", "2025-05-07T19:00:00+00:00", "--format", "text")
        assert answer.code == 0
        # Signed links have the second at which they were made.
        return re.sub(r"http://localhost\S+", "", answer.out)

    paperbot("ingest", "--now", NEXT)
    without, editions = preview(), paperbot("export", ADA).json["editions"]
    assert "eels" in without
    plan(paperbot)
    assert preview() == without
    assert paperbot("export", ADA).json["editions"] == editions
    assert paperbot("status", "--json").code == 0


def test_a_planned_paper_that_a_source_brings_later_is_news_all_the_same(sent, paperbot):
    plan(paperbot)
    # An edition whose watermark is beyond the papers of the plan.
    assert paperbot("run", "--force", "--now", NEXT).code == 0
    (sent / "seeds" / "later.txt").write_text(digest("Reward models for cats", date="2025-05-07 10:00:00"))
    paperbot("run", "--force", "--now", "2025-05-08T18:00:00+00:00")
    out = paperbot("export", ADA).out
    assert out.count("Reward models for cats") == 1
    assert "bees" not in out


def test_a_first_run_with_nothing_but_a_programme(home, paperbot):
    (home / "OwlConf_2026.csv").write_text("\n".join(LINES) + "\n")
    assert len(plan(paperbot)["plan"]) >= 3
    assert len(plan(paperbot)["plan"]) >= 3


def test_the_best_of_each_slot_is_planned_beyond_the_limit(sent, paperbot):
    # One of the best, and one for each of the two other slots; without a day there is no slot.
    assert len({(item["day"], item["start"]) for item in plan(paperbot, "--top", "1")["plan"]} - {(None, None)}) == 3


def test_a_muted_paper_is_hidden_and_counted(sent, paperbot):
    profile = sent / "profiles" / "reward-models.toml"
    rest = re.sub(r"(?m)^mute = .*$", "", profile.read_text())
    profile.write_text(f'mute = ["cats"]\n{rest}')
    answer = plan(paperbot)
    assert "Reward models for cats" not in titles(answer)
    assert answer["hidden"] == 1


def unfolded(text):
    return text.replace("\r\n ", "").split("\r\n")


def test_the_calendar_is_valid_keeps_its_events_ids_and_is_read_as_a_programme(sent, paperbot):
    arguments = ("conference", "OwlConf_2026.csv", ADA, "--title", "Owls, bees; 2026", "--output", "plan.ics", "--now")
    assert paperbot(*arguments, NEXT).code == 0
    raw = (sent / "plan.ics").read_bytes()
    assert raw.endswith(b"END:VCALENDAR\r\n")
    assert all(len(line) <= 75 for line in raw.split(b"\r\n"))
    assert b"\n" not in raw.replace(b"\r\n", b"")
    lines = unfolded(raw.decode())
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 3
    assert "SUMMARY:Reward models\\, for bees" in lines
    assert "DTSTART:20261202T080000Z" in lines
    assert "DTEND:20261202T090000Z" in lines
    uids = [line for line in lines if line.startswith("UID:")]
    assert len(set(uids)) == 3
    assert "X-WR-CALNAME:Owls\\, bees\\; 2026" in lines
    assert paperbot(*arguments, "2025-05-08T18:00:00+00:00").code == 0
    lines = unfolded((sent / "plan.ics").read_bytes().decode())
    assert [line for line in lines if line.startswith("UID:")] == uids
    again = paperbot("conference", "plan.ics", ADA, "--now", NEXT, "--json").json
    assert [(item["title"], item["start"]) for item in again["plan"]] == [
        (item["title"], item["start"]) for item in plan(paperbot)["plan"] if item["day"]
    ]


def test_markdown_and_page_have_links_for_votes_where_there_are_pages(sent, paperbot, monkeypatch):
    hostile = LINES[1].replace("for bees", "<b>*for*</b> [bees](x)")
    (sent / "OwlConf_2026.csv").write_text("\n".join([LINES[0], hostile, *LINES[2:]]) + "\n")
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", "https://papers.example.org")
    for form in ("markdown", "html"):
        out = paperbot("conference", "OwlConf_2026.csv", ADA, "--now", NEXT, "--format", form).out
        assert len(re.findall(r"https://papers\.example\.org/thumb/[^\"> ]+vote=up", out)) == 4
        assert "Sent on 6 May 2025" in out
        assert "<b>" not in out
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", "")
    assert "/thumb/" not in paperbot("conference", "OwlConf_2026.csv", ADA, "--now", NEXT, "--format", "html").out


def test_text_is_the_default_and_the_zone_can_be_named(sent, paperbot):
    answer = paperbot("conference", "OwlConf_2026.csv", ADA, "--now", NEXT)
    assert answer.code == 0
    assert "Wednesday, 2 Dec 2026" in answer.out
    assert "09:00–10:00" in answer.out
    assert "No time given" in answer.out
    start = plan(paperbot, "--timezone", "Asia/Tokyo")["plan"][0]["start"]
    assert datetime.fromisoformat(start).utcoffset().total_seconds() == 9 * 3600


@pytest.mark.parametrize("form", ["text", "markdown", "html", "ics"])
def test_a_match_that_all_papers_share_stands_once(sent, paperbot, form):
    arguments = ("conference", "OwlConf_2026.csv", ADA, "--now", NEXT, "--format", form)
    spread = paperbot(*arguments).out
    assert "Strong match" in spread
    assert " matches" not in spread
    (sent / "OwlConf_2026.csv").write_text("\n".join([*LINES[:2], LINES[1].replace("bees", "ants")]))
    assert {item["match"] for item in plan(paperbot)["plan"]} == {"good"}
    alike = paperbot(*arguments).out
    assert "Good match" not in alike
    assert ("2 of 2 papers, all good matches" in alike) is (form != "ics")


def test_a_wrong_row_is_a_problem_and_the_rest_is_planned(sent, paperbot):
    (sent / "OwlConf_2026.csv").write_text("\n".join([*LINES, ",no title,,,,,,"]) + "\n")
    answer = paperbot("conference", "OwlConf_2026.csv", ADA, "--now", NEXT)
    assert answer.code == 1
    assert "line 7: has no title" in answer.err
    assert "Reward models, for bees" in answer.out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("nothing.csv", ADA), "nothing.csv"),
        (("OwlConf_2026.csv", "nobody"), "no profile"),
        (("OwlConf_2026.csv", ADA, "--output", "plan.doc"), "suffixes"),
        (("OwlConf_2026.csv", ADA, "--output", "no/plan.ics"), "cannot be written"),
        (("OwlConf_2026.csv", ADA, "--timezone", "Middle Earth"), "unknown time zone"),
        (("profiles/reward-models.toml", ADA), "title,abstract"),
    ],
)
def test_wrong_usage_is_exit_code_2(sent, paperbot, arguments, reason):
    answer = paperbot("conference", *arguments)
    assert answer.code == 2
    assert reason in answer.err


def test_one_paper_at_two_places_is_one_paper_of_the_plan(sent, paperbot):
    poster = LINES[1].replace("09:00,10:00,Hall A,Oral", "14:00,16:00,Hall,Poster")
    (sent / "OwlConf_2026.csv").write_text("\n".join([*LINES, poster]) + "\n")
    answer = plan(paperbot)
    assert (answer["papers"], answer["planned"], len(answer["plan"])) == (5, 4, 5)
    assert len({item["paper"] for item in answer["plan"] if "bees" in item["title"]}) == 1


def test_json_of_openreview_without_times(sent, paperbot):
    notes = [{"forum": "abcd1", "content": {"title": {"value": "Reward models at rest"}}}]
    (sent / "iclr.json").write_text(json.dumps({"notes": notes}))
    (item,) = paperbot("conference", "iclr.json", ADA, "--now", NEXT, "--json").json["plan"]
    assert (item["day"], item["url"]) == (None, "https://openreview.net/forum?id=abcd1")


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window(sent, paperbot, browser, width, scheme):
    edit(sent / "OwlConf_2026.csv", "Hall A", "Hall" * 40)
    assert paperbot("conference", "OwlConf_2026.csv", ADA, "--now", NEXT, "--output", "plan.html").code == 0
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:
        page = context.new_page()
        page.goto((sent / "plan.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("article").count() == 4
