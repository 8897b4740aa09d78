"""Composing: picks carry their summary and few reasons; a day without picks says why."""

from datetime import UTC, date, datetime

import pytest

from bot.domain import Entry, Kind, PickKind, Reader, Reason, ReasonKind, Score
from bot.edition import Choice, compose
from bot.edition.composing import telling, why_quiet
from bot.identity import first_sight

NOW = datetime(2025, 5, 6, 8, tzinfo=UTC)
READER = Reader(1, "rewards", Kind.EMAIL, "ada@example.org")
PAPER = first_sight(Entry("Rewards", "One here. We show two. Three ends."), 1, NOW)
LIKED = first_sight(Entry("Liked"), 2, NOW)


def score(**values):
    return Score(**{"paper": 1, "probability": 0.75, "log_odds": 1.1, "reasons": (), "rest": 0.0, **values})


def edition(choices, scores, **values):
    return compose(
        reader=READER,
        profile_title="Rewards",
        day=date(2025, 5, 6),
        now=NOW,
        watermark=7,
        scores=scores,
        choices=choices,
        papers={1: PAPER, 2: LIKED},
        summary_sentences=values.get("summary_sentences", 1),
        threshold=0.5,
    )


def test_a_pick_has_its_paper_summary_reasons_and_the_liked_paper():
    found = score(because=2, reasons=(Reason("two", 1.0),), followed="Ada")
    made = edition([Choice(found, PickKind.FOLLOW)], [found])
    pick = made.picks[0]
    assert (pick.paper, pick.kind, pick.probability) == (PAPER, PickKind.FOLLOW, 0.75)
    assert [sentence.text for sentence in pick.summary] == ["We show two."]
    assert pick.summary[0].marks == ("two",)
    assert (pick.reasons, pick.because, pick.followed) == ((Reason("two", 1.0),), "Liked", "Ada")
    assert (made.considered, made.watermark, made.quiet) == (1, 7, None)


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([], "No new paper has come in"),
        ([score(muted="x")], "1 new paper came in, and your mutes hide all of them."),
        ([score(probability=0.31), score(probability=0.2)], "2 new papers came in; the best matches to 31%"),
    ],
)
def test_a_quiet_day_says_why(scores, says):
    assert says in why_quiet(scores, 0.5)
    assert edition([], scores).quiet == why_quiet(scores, 0.5)


def test_reasons_shown_are_few_strong_and_each_says_something_new():
    reasons = [
        Reason("reward models", 2.0),
        Reason("reward", 1.5),
        Reason("rewards", 1.2),
        Reason("verifiable rewards", 1.0),
        Reason("against", -3.0),
        Reason("GRPO", 0.9, ReasonKind.KEYWORD),
        Reason("chance", 0.01),
        Reason("fourth", 0.5),
    ]
    assert [reason.term for reason in telling(reasons)] == ["GRPO", "reward models", "verifiable rewards"]


def test_a_longer_reason_takes_the_place_of_its_part():
    reasons = [
        Reason("vision", 2.0),
        Reason("reward", 1.0),
        Reason("model", 0.7),
        Reason("vision model", 0.5),
    ]
    assert [reason.term for reason in telling(reasons)] == ["vision model", "reward"]
