"""Which reasons are given, and in which order."""

import math

import pytest
from reasons.papers_and_readers import evidence, read, reasons_for

from bot.channels.phrases import sentence
from bot.model import Bonus, BonusKind, Reason, ReasonKind
from bot.ranking.reasons import breakdown
from bot.text.tokens import stem_terms


def test_beside_a_topic_that_explains_little_the_whole_wording_is_named():
    paper = read("Robots at home", "Robots walk, and robots sing by night.")
    reader = evidence("robots", [("Night songs", "Owls sing by night.")])
    light = reasons_for(paper, {"robot": 1.0, "walk": 1.5}, reader)
    assert sentence(light) == "You wrote “robots”; its wording as a whole resembles papers you liked."
    heavy = reasons_for(paper, {"robot": 1.0, "walk": 0.5}, reader)
    assert sentence(heavy) == "You wrote “robots”."


def test_rules_come_first_and_are_not_repeated():
    bonuses = (Bonus("GRPO", 1.4), Bonus("120 upvotes", 0.5, BonusKind.TRENDING))
    reasons = reasons_for(
        read("GRPO for graphs", "A text."),
        {},
        evidence("GRPO, graphs"),
        bonuses=bonuses,
        followed="Ada Byron",
    )
    assert sentence(reasons) == (
        "By Ada Byron, whom you follow; it has your keyword “GRPO”; you wrote “graphs”; trending: 120 upvotes."
    )


def test_what_triggered_an_alert_is_named_once():
    reasons = reasons_for(
        read("GRPO for graphs", ""),
        {},
        evidence("GRPO, graphs"),
        bonuses=(Bonus("GRPO", 1.4),),
        alerted_by=["GRPO"],
    )
    assert [(reason.kind, reason.text) for reason in reasons] == [
        (ReasonKind.ALERT, "GRPO"),
        (ReasonKind.WROTE, "graphs"),
    ]


@pytest.mark.parametrize(("liked", "ending"), [([], "your profile."), ([("Graphs", "")], "papers you liked.")])
def test_where_no_phrase_can_be_named_the_reason_says_so(liked, ending):
    reasons = reasons_for(read("On the method", "We show results."), {"show": 1.0}, evidence("", liked))
    assert sentence(reasons).startswith("It names none of your topics")
    assert sentence(reasons).endswith(ending)


def test_every_kind_of_reason_has_words():
    for kind in set(ReasonKind) - {ReasonKind.ALERT}:
        words = sentence([Reason(kind, "this", 1.0, "that")])
        assert words[0].isupper()
        assert words.endswith(".")
    assert sentence([]) == sentence([Reason(ReasonKind.ALERT, "this")]) == ""


def test_a_breakdown_names_whole_phrases_and_keeps_the_sum():
    title, abstract = (
        "Electronic Health Records",
        "We use electronic health records, and more records of health.",
    )
    contributions = {term: 0.1 * i - 0.3 for i, term in enumerate(stem_terms(f"{title}\n{abstract}"))}
    rows = breakdown(read(title, abstract), {**contributions, "unseen term": -0.2})
    assert math.isclose(sum(row.weight for row in rows), sum(contributions.values()) - 0.2)
    assert {row.text: row.in_paper for row in rows}["electronic health records"]
    assert [row.text for row in rows if not row.in_paper] == ["unseen term"]
