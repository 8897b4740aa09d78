"""Composing: picks carry their summary and few reasons; a day without picks says why."""

from datetime import UTC, date, datetime

import pytest

from bot.config.profiles import EditionSection, Profile
from bot.editions.choices import new_pick
from bot.editions.composer import compose
from bot.editions.due import EditionRequest
from bot.editions.health import SourceActivitySince, quiet_reason
from bot.model import Entry, PickKind, Quiet, QuietReason, Reader, Reason, ReasonKind, Score
from bot.model.clock import Rest
from bot.model.papers import new_paper
from bot.ranking.selection import Choice

NOW = datetime(2025, 5, 6, 8, tzinfo=UTC)
READER = Reader(1, "rewards", "email", "ada@example.org")
PROFILE = Profile(title="Rewards", interests="rewards", edition=EditionSection(summary_sentences=1, threshold=0.5))
PAPER = new_paper(Entry("Rewards", "One here. We show owls. Three ends."), 1, NOW)


def score(**values):
    return Score(**{"paper": 1, "probability": 0.75, "log_odds": 1.1, "rest": 0.0, **values})


def edition(picks, scores):
    return compose(
        EditionRequest(READER, PROFILE, date(2025, 5, 6)),
        picks,
        scores=scores,
        watermark=7,
        now=NOW,
        activity=SourceActivitySince(),
    )


def test_a_pick_has_its_reasons_and_a_summary_in_which_their_phrases_are_marked():
    reasons = [
        Reason(ReasonKind.AUTHOR, "Ada"),
        Reason(ReasonKind.LEARNED, "owls", 1.0),
        Reason(ReasonKind.LIKED, "We", paper=2),
    ]
    best = score(terms={"owl": 1.0}, followed="Ada")
    pick = new_pick(PAPER, Choice(best, PickKind.FOLLOW), reasons, summary_sentences=1)
    assert (pick.paper, pick.kind, pick.probability) == (PAPER, PickKind.FOLLOW, 0.75)
    assert [sentence.text for sentence in pick.summary] == ["We show owls."]
    assert pick.summary[0].marks == ("owls",)
    assert pick.reasons == tuple(reasons)


@pytest.mark.parametrize(("probability", "most", "shown"), [(0.39, 3, 2), (0.39, 1, 1), (0.4, 3, 3)])
def test_a_possible_match_has_two_sentences_at_most(probability, most, shown):
    paper = new_paper(Entry("Rewards", "One is here. We show owls. Three follow. Four end."), 1, NOW)
    pick = new_pick(paper, Choice(score(probability=probability), PickKind.MATCH), [], most)
    assert len(pick.summary) == shown


def test_an_edition_has_its_picks_and_what_they_were_chosen_from():
    best = score()
    pick = new_pick(PAPER, Choice(best, PickKind.MATCH), [], summary_sentences=1)
    composed = edition([pick], [best])
    assert (composed.picks, composed.considered, composed.watermark, composed.quiet) == ((pick,), 1, 7, None)


@pytest.mark.parametrize(
    ("scores", "reason", "says"),
    [
        ([], "nothing new", "No new paper has come in since your last edition."),
        ([score(muted="x")], "muted", "1 new paper came in, and your mutes hide all of them."),
        (
            [score(probability=0.31), score(probability=0.2), score(probability=0.9, muted="x")],
            "below threshold",
            "3 new papers came in, and none comes close enough to what you want.",
        ),
    ],
)
def test_a_quiet_edition_gives_its_reason(scores, reason, says):
    assert edition([], scores).quiet == Quiet(QuietReason(reason), says)


MONDAY = date(2025, 5, 12)


@pytest.mark.parametrize(
    ("activity", "reason", "says"),
    [
        (
            SourceActivitySince(last=date(2025, 5, 6)),
            "nothing new",
            "No new paper has come in since your last edition. The last one came on 6 May 2025.",
        ),
        (
            SourceActivitySince(first=True, last=date(2025, 5, 6)),
            "nothing new",
            "No new paper has come in. The last one came on 6 May 2025.",
        ),
        (
            SourceActivitySince(rest=Rest.WEEKEND, resumes=MONDAY),
            "weekend",
            "It is the weekend at arXiv; its next papers should be here on Monday, 12 May.",
        ),
        (
            SourceActivitySince(rest=Rest.HOLIDAY, resumes=MONDAY),
            "holiday",
            "It is a holiday at arXiv; its next papers should be here on Monday, 12 May.",
        ),
        (
            SourceActivitySince(last=date(2025, 5, 6), failing=["hf"], rest=Rest.WEEKEND, resumes=MONDAY),
            "failing",
            "No new paper has come in, which may be a fault: hf can't be read. The last one came on 6 May 2025.",
        ),
        (
            SourceActivitySince(stale=["a", "b", "c"]),
            "stale",
            "No new paper has come in, which may be a fault: "
            "a, b and c have brought nothing new for longer than usual.",
        ),
        (
            SourceActivitySince(failing=["a", "b"], stale=["c"]),
            "failing",
            "No new paper has come in, which may be a fault: "
            "a and b can't be read; c has brought nothing new for longer than usual.",
        ),
    ],
)
def test_without_new_papers_the_reason_names_what_the_sources_did(activity, reason, says):
    assert quiet_reason([], activity) == Quiet(QuietReason(reason), says)


def test_a_day_whose_papers_all_lack_required_terms_says_so():
    scores = [score(muted="x"), score(missing_terms=("LLM",))]
    quiet = quiet_reason(scores, SourceActivitySince())
    assert quiet == Quiet(
        QuietReason.LACKING, "2 new papers came in, and none has a term of each group that your profile requires."
    )


def test_a_day_without_a_match_names_topics_that_no_source_has():
    quiet = quiet_reason([score()], SourceActivitySince(), ["speech recognition", "accents"])
    assert quiet.words.endswith("Your sources have hardly any paper on “speech recognition” and “accents”.")


def test_new_papers_take_precedence_over_source_activity():
    assert quiet_reason([score(muted="x")], SourceActivitySince(rest=Rest.WEEKEND)).reason is QuietReason.MUTED
