"""TL;DRs in editions: asked for once, within the budget, never in the way of an edition."""

import json

import pytest
from support import digest

NOW = "2025-05-07T09:00:00+00:00"


@pytest.fixture
def papers(home, model):
    """A home with two papers, one reader, and a model that writes TL;DRs."""
    for path in (*home.glob("samples/*"), *home.glob("profiles/*")):
        path.unlink()
    (home / "seeds" / "day.txt").write_text(digest("Robot arms", "Audio of whales"))
    (home / "profiles" / "all.toml").write_text(
        'title = "All"\ninterests = "robots"\n[[readers]]\nemail = "ada@example.org"\n'
    )
    configure(home, model)
    return home


def configure(home, model, more=""):
    (home / "paperbot.toml").write_text(
        '[[sources]]\nname = "seeds"\nkind = "folder"\npath = "seeds"\n'
        f'[summaries]\nendpoint = "{model.url}"\nmodel = "small-1"\n{more}'
    )


def run(paperbot, now=NOW):
    return paperbot("run", "--force", "--json", "--now", now)


def mails(home):
    return [path.read_text() for path in sorted((home / "state" / "outbox").rglob("*.eml"))]


def test_a_tldr_takes_the_place_of_each_summary_and_is_called_one(papers, paperbot, model):
    assert run(paperbot).code == 0
    (mail,) = mails(papers)
    assert mail.count("TL;DR: In one sentence.") == 2
    assert "Little is known" not in mail
    assert len(model.asked) == 2


def test_readers_data_is_not_sent(papers, paperbot, model):
    run(paperbot)
    sent = json.dumps([body for _, _, body in model.asked])
    assert "ada" not in sent.lower().replace("lovelace", "")
    assert "robots" not in sent


def test_no_paper_is_asked_for_twice(papers, paperbot, model):
    (papers / "profiles" / "too.toml").write_text((papers / "profiles" / "all.toml").read_text())
    run(paperbot)
    assert len(mails(papers)) == 2
    assert len(model.asked) == 2


def test_the_budget_of_a_day_is_kept_and_the_next_day_has_its_own(papers, paperbot, model):
    configure(papers, model, "daily_budget = 1\n")
    assert run(paperbot).code == 0
    assert len(model.asked) == 1
    (mail,) = mails(papers)
    assert mail.count("TL;DR: In one sentence.") == 1
    assert mail.count("Little is known") >= 1
    (papers / "seeds" / "next.txt").write_text(digest("Maps of the sea", "Songs of birds"))
    run(paperbot, "2025-05-08T09:00:00+00:00")
    assert len(model.asked) == 2


def test_after_a_failure_summaries_are_the_abstracts_own_and_nobody_waits_again(papers, paperbot, model):
    model.status = 500
    answer = run(paperbot)
    assert answer.code == 1
    (problem,) = answer.json["problems"]
    assert problem["source"] == "TL;DRs"
    assert "answered 500" in problem["problem"]
    assert (answer.json["editions"], answer.json["delivered"]) == (1, 1)
    assert "Little is known" in mails(papers)[0]
    assert len(model.asked) == 1


def test_a_preview_shows_what_is_known_and_asks_nobody(papers, paperbot, model):
    paperbot("ingest")
    assert "Little is known" in paperbot("preview", "all", "--now", NOW).out
    assert model.asked == []
    run(paperbot)
    (papers / "profiles" / "new.toml").write_text((papers / "profiles" / "all.toml").read_text())
    assert "TL;DR: In one sentence." in paperbot("preview", "new", "--now", NOW).out
    assert len(model.asked) == 2


def test_who_wants_titles_only_gets_titles_only(papers, paperbot, model):
    with (papers / "profiles" / "all.toml").open("a") as file:
        file.write("[edition]\nsummary_sentences = 0\n")
    run(paperbot)
    assert "TL;DR" not in mails(papers)[0]
    assert model.asked == []
