"""Votes by command, their effect on the ranking, and the explanation of a score."""

import math
import tomllib
from datetime import datetime

import pytest

from bot.app import open_app
from bot.model import Vote
from bot.readers import stored_reader

NOW = "2025-05-07T09:00:00+02:00"


def test_why_adds_up_to_the_score(ingested, paperbot):
    answer = paperbot("why", "reward-models", "TTRL", "--json").json
    assert answer["title"].startswith("TTRL")
    total = answer["rest"] + sum(reason["weight"] for reason in answer["reasons"])
    assert total == pytest.approx(math.log(answer["score"] / (1 - answer["score"])))
    assert answer["because"] == []


def test_why_by_id_and_by_title_is_the_same(ingested, paperbot):
    by_title = paperbot("why", "reward-models/ada@example.org", "ttrl: test-time", "--json").json
    by_id = paperbot("why", "reward-models", by_title["paper"], "--json").json
    assert by_id == by_title


def test_a_thumb_up_raises_similar_papers_and_is_the_reason(ingested, paperbot):
    before = paperbot("why", "reward-models", "A Summary on GUI Agents", "--json").json
    answer = paperbot("thumb", "up", "reward-models", "LLM-Powered GUI Agents")
    assert answer.code == 0
    assert "more like “LLM-Powered GUI Agents" in answer.out
    after = paperbot("why", "reward-models", "A Summary on GUI Agents", "--json").json
    assert after["score"] > before["score"]
    assert [paper["title"][:22] for paper in after["because"]] == ["LLM-Powered GUI Agents"]
    out = " ".join(paperbot("why", "reward-models", "A Summary on GUI Agents").out.split())
    assert "like “LLM-Powered GUI Agents" in out
    assert "which you liked." in out
    assert after["why"] in out
    liked = paperbot("why", "reward-models", "LLM-Powered GUI Agents", "--json").json
    assert liked["because"] == [], "no paper is its own reason"


def test_why_says_that_a_vote_hides_the_paper_also_in_another_profile(ingested, paperbot):
    profile = ingested / "profiles" / "reward-models.toml"
    (ingested / "profiles" / "owls.toml").write_text(
        'title = "Owls"\ninterests = "owls"\n[[readers]]\nemail = "ada@example.org"\n'
    )
    title = tomllib.loads(profile.read_text())["title"]
    assert "Hidden" not in paperbot("why", "owls", "TTRL").out
    paperbot("thumb", "up", "reward-models", "TTRL", "--now", NOW)
    assert "You gave it a thumb up on 2025-05-07: it isn't sent again." in paperbot("why", "reward-models", "TTRL").out
    assert "Hidden" not in paperbot("why", "owls", "TTRL").out
    paperbot("thumb", "down", "reward-models", "TTRL", "--now", "2025-05-08T23:30+00:00")
    assert "a thumb down on 2025-05-09: it isn't sent again." in paperbot("why", "reward-models", "TTRL").out
    assert f"Hidden: you disliked it in “{title}”." in paperbot("why", "owls", "TTRL").out
    paperbot("thumb", "clear", "reward-models", "TTRL")
    assert "You gave it" not in paperbot("why", "reward-models", "TTRL").out
    assert "Hidden" not in paperbot("why", "owls", "TTRL").out


def test_why_says_that_a_saved_paper_and_one_of_tied_thumbs_are_hidden(ingested, paperbot):
    paperbot("thumb", "save", "reward-models", "TTRL", "--now", NOW)
    assert "You saved it on 2025-05-07: it isn't sent again." in paperbot("why", "reward-models", "TTRL").out
    profile = ingested / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text().replace('email = "ada@example.org"', 'slack = "C0123ABC"'))
    with open_app(ingested) as app:
        channel, _ = stored_reader(app.store, app.profiles, "reward-models/C0123ABC", datetime.fromisoformat(NOW))
        (paper,) = app.store.papers.find("TTRL")
        for vote, voter in ((Vote.UP, "U1"), (Vote.DOWN, "U2")):
            app.store.feedback.add(channel.id, paper.id, vote, datetime.fromisoformat(NOW), "slack", voter=voter)
    hidden = "The channel gave it as many thumbs up as down, the last on 2025-05-07: it isn't sent again."
    assert hidden in paperbot("why", "reward-models/C0123ABC", "TTRL").out


def test_clear_takes_a_thumb_back(ingested, paperbot):
    before = paperbot("why", "reward-models", "TTRL", "--json").json
    paperbot("thumb", "down", "reward-models", "Stop Summation")
    assert paperbot("why", "reward-models", "TTRL", "--json").json != before
    paperbot("thumb", "clear", "reward-models", "Stop Summation")
    assert paperbot("why", "reward-models", "TTRL", "--json").json == before


def test_why_names_mutes_follows_and_keywords(ingested, paperbot):
    assert "Never shown: it mentions “stock trading”" in paperbot("why", "reward-models", "A New DAPO").out
    assert "By Natasha Jaques, whom you follow" in paperbot("why", "reward-models", "Enhancing Personalized").out
    assert "reward hacking (keyword)" in paperbot("why", "reward-models", "Stop Summation").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("thumb", "up", "reward-models/eve@example.org", "TTRL"), "is not a reader; name one of: reward-models/ada@"),
        (("thumb", "up", "reward-models", "No such title"), "no paper 'No such title'; give its id"),
        (("thumb", "up", "reward-models", "Reinforcement Learning"), "papers begin with 'Reinforcement Learning'"),
        (
            ("thumb", "sideways", "reward-models", "TTRL"),
            "'sideways' is none of up, down, clear, save, unsave (see",
        ),
    ],
)
def test_an_unknown_reader_or_paper_is_one_line(ingested, paperbot, arguments, says):
    answer = paperbot(*arguments)
    assert answer.code == 2
    assert says in answer.err
    assert answer.err.count("\n") == 1
    assert answer.out == ""


def test_a_profile_with_several_readers_needs_an_address(ingested, paperbot):
    profile = ingested / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text() + '\n[[readers]]\nemail = "bob@example.org"\n')
    answer = paperbot("thumb", "up", "reward-models", "TTRL")
    assert answer.code == 2
    assert (
        "more than one reader; name one of: reward-models/ada@example.org, reward-models/bob@example.org" in answer.err
    )


def test_the_address_of_one_profile_names_its_reader(ingested, paperbot):
    assert paperbot("thumb", "up", "Ada@example.org", "TTRL").code == 0
    assert paperbot("export", "ada@example.org").json["reader"] == "reward-models/ada@example.org"
    unknown = paperbot("why", "eve@example.org", "TTRL")
    assert (unknown.code, "eve@example.org is no reader's address; known profiles: reward" in unknown.err) == (2, True)
    profile = ingested / "profiles" / "reward-models.toml"
    (ingested / "profiles" / "owls.toml").write_text(profile.read_text())
    answer = paperbot("thumb", "up", "ada@example.org", "TTRL")
    assert answer.code == 2
    both = "name one of: owls/ada@example.org, reward-models/ada@example.org"
    assert f"ada@example.org reads 2 profiles; {both}" in answer.err


def test_a_profile_without_readers_says_so(ingested, paperbot):
    (ingested / "profiles" / "lonely.toml").write_text('title = "x"\ninterests = "y"\n')
    assert "has no readers; add [[readers]] to profiles/lonely.toml" in paperbot("why", "lonely", "TTRL").err


def test_a_complete_title_is_unique_even_if_others_begin_with_it(home, paperbot, tmp_path):
    from support import digest

    path = tmp_path / "d.txt"
    path.write_text(digest("Cats", "Cats and dogs"))
    paperbot("ingest", path)
    assert paperbot("thumb", "up", "reward-models", "cats").code == 0


def test_a_paper_with_a_vote_is_not_sent(ingested, paperbot):
    assert "1. Stop Summation" in paperbot("preview", "reward-models").out
    paperbot("thumb", "up", "reward-models", "Stop Summation")
    assert ". Stop Summation" not in paperbot("preview", "reward-models").out
