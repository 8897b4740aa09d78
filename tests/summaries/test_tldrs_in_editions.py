"""TL;DRs in editions: requested once per paper, within the budget, and no failure delays an edition."""

import json

import pytest
from support import digest

from .model_server import completion

NOW = "2025-05-07T09:00:00+00:00"


@pytest.fixture
def papers(home, model):
    """Return a home with two papers, one reader and a TL;DR endpoint."""
    for path in (*home.glob("samples/*"), *home.glob("profiles/*")):
        path.unlink()
    (home / "seeds" / "day.txt").write_text(digest("Robot arms", "Audio of whales"))
    (home / "profiles" / "all.toml").write_text(
        'title = "All"\ninterests = "robots"\n[edition]\nthreshold = 0\n[[readers]]\nemail = "ada@example.org"\n'
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


def test_a_tldr_replaces_each_summary_and_is_labelled(papers, paperbot, model):
    assert run(paperbot).code == 0
    (mail,) = mails(papers)
    assert mail.count("TL;DR: In one sentence.") == 2
    assert "It works in 9 of 10 cases" not in mail
    assert len(model.received) == 2


def test_no_data_of_readers_is_sent(papers, paperbot, model):
    run(paperbot)
    sent = json.dumps([body for _, _, body in model.received])
    assert "ada" not in sent.lower().replace("lovelace", "")
    assert "robots" not in sent


def test_each_paper_is_requested_once(papers, paperbot, model):
    (papers / "profiles" / "too.toml").write_text(
        (papers / "profiles" / "all.toml").read_text().replace("ada@", "bob@")
    )
    run(paperbot)
    assert len(mails(papers)) == 2
    assert len(model.received) == 2


def test_the_daily_budget_is_kept_and_renewed_the_next_day(papers, paperbot, model):
    configure(papers, model, "daily_budget = 1\n")
    assert run(paperbot).code == 0
    assert len(model.received) == 1
    (mail,) = mails(papers)
    assert mail.count("TL;DR: In one sentence.") == 1
    assert mail.count("It works in 9 of 10 cases") >= 1
    (papers / "seeds" / "next.txt").write_text(digest("Maps of the sea", "Songs of birds"))
    run(paperbot, "2025-05-08T09:00:00+00:00")
    assert len(model.received) == 2


def test_after_a_failure_summaries_are_extractive_and_no_further_request_is_sent(papers, paperbot, model):
    model.status = 500
    answer = run(paperbot)
    assert answer.code == 1
    (problem,) = answer.json["problems"]
    assert problem["source"] == "TL;DRs"
    assert "answered 500" in problem["problem"]
    assert (answer.json["editions"], answer.json["delivered"]) == (1, 1)
    assert "It works in 9 of 10 cases" in mails(papers)[0]
    assert len(model.received) == 1


@pytest.mark.parametrize("answer", ["x" * 500, "Claim it at https://owls.example/now."])
def test_an_unusable_answer_costs_its_own_paper_only_and_is_not_asked_for_again(papers, paperbot, model, answer):
    model.answers = [completion(answer)]
    report = run(paperbot)
    assert (report.code, report.json["delivered"], len(report.json["problems"])) == (1, 1, 1)
    (mail,) = mails(papers)
    assert mail.count("TL;DR: In one sentence.") == 1
    assert mail.count("It works in 9 of 10 cases") >= 1
    assert "owls.example" not in mail
    (papers / "profiles" / "too.toml").write_text(
        (papers / "profiles" / "all.toml").read_text().replace("ada@", "bob@")
    )
    run(paperbot)
    assert len(model.received) == 2


def test_a_preview_shows_stored_tldrs_and_requests_none(papers, paperbot, model):
    paperbot("ingest")
    assert "It works in 9 of 10 cases" in paperbot("preview", "all", "--now", NOW).out
    assert model.received == []
    run(paperbot)
    (papers / "profiles" / "new.toml").write_text((papers / "profiles" / "all.toml").read_text())
    assert "TL;DR: In one sentence." in paperbot("preview", "new", "--now", NOW).out
    assert len(model.received) == 2


def test_an_edition_of_titles_only_requests_no_tldr(papers, paperbot, model):
    profile = papers / "profiles" / "all.toml"
    profile.write_text(profile.read_text().replace("threshold = 0", "threshold = 0\nsummary_sentences = 0"))
    run(paperbot)
    assert "TL;DR" not in mails(papers)[0]
    assert model.received == []
