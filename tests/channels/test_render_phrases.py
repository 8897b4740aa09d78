"""The wording of an edition, and of reasons: one sentence, the same in every channel."""

from datetime import date

import pytest

from bot import wording
from bot.model import CatchUp, Pick, PickKind, Quiet, QuietReason, Reason, ReasonKind, Sighting, TopicGroup

from .made_editions import make_edition, make_paper, make_pick


@pytest.mark.parametrize(
    ("names", "count", "expected"),
    [
        ((), None, ""),
        ((), 1, "by 1 author"),
        ((), 8, "by 8 authors"),
        (("A",), 1, "A"),
        (("A", "B", "C", "D"), 4, "A, B, C and D"),
        (tuple("ABCDEFGH"), 8, "A, B, C and 5 more"),
        ((r"Erd\H{o}s", "B"), 2, "Erdős and B"),
    ],
)
def test_authors_are_shortened(names, count, expected):
    assert wording.authors(make_paper(authors=names, author_count=count)) == expected


@pytest.mark.parametrize(
    ("names", "followed", "expected"),
    [
        ("ABCDEFGH", "G", "A, B, C, G and 4 more"),
        ("ABCDEFGH", "g", "A, B, C, G and 4 more"),
        ("ABCDEFGH", "B", "A, B, C and 5 more"),
        ("ABCDE", "E", "A, B, C, E and 1 more"),
        ("ABCDEFGH", None, "A, B, C and 5 more"),
    ],
)
def test_a_followed_author_is_always_named(names, followed, expected):
    reasons = (Reason(ReasonKind.AUTHOR, followed),) if followed else ()
    assert wording.credits_of(make_pick(make_paper(authors=tuple(names)), reasons=reasons)) == expected


def test_an_alert_names_the_terms_that_matched():
    alert_reasons = tuple(Reason(ReasonKind.ALERT, name) for name in ("violins", "F", "e"))
    paper = make_paper(authors=tuple("ABCDEF"))
    pick = make_pick(paper, kind=PickKind.ALERT, reasons=(*alert_reasons, Reason(ReasonKind.WROTE, "wood")))
    assert wording.label(pick) == "On your alert list (violins, F, e): strong match"
    assert wording.why(pick) == "It names your “wood”."
    assert wording.credits_of(pick) == "A, B, C, E, F and 1 more"
    by_score = make_pick(paper, kind=PickKind.ALERT)
    assert wording.label(by_score) == "On your alert list: strong match"


@pytest.mark.parametrize(("probability", "expected"), [(0.0, "1%"), (0.915, "92%"), (0.9999, "99%")])
def test_no_match_is_shown_as_certain(probability, expected):
    assert wording.percent(probability) == expected


def test_the_first_sighting_is_named_with_the_papers_date_and_the_others_follow():
    first, second = (Sighting("s", "LLM-RL", date(2025, 5, 6)), Sighting("s", "Daily Papers", date(2026, 4, 17)))
    # Lists of recent papers repeat them.
    again = Sighting("s", "LLM-RL", date(2025, 5, 8))
    paper = make_paper(sightings=(first, first, second, again, Sighting("folder", "", None)))
    assert wording.seen(paper) == ["LLM-RL", "5 May 2025", "also in Daily Papers, 17 Apr 2026", "also in folder"]


def test_a_sightings_date_replaces_a_missing_date_of_the_paper():
    paper = make_paper(published=None, sightings=(Sighting("s", "LLM-RL", date(2025, 5, 6)),))
    assert wording.seen(paper) == ["LLM-RL", "6 May 2025"]


def test_a_paper_without_sightings_has_only_its_date():
    assert wording.seen(make_paper(sightings=())) == ["5 May 2025"]
    assert wording.seen(make_paper(sightings=(), published=None)) == []


def test_the_tally_counts_in_correct_english():
    assert wording.tally(make_edition(make_pick(), considered=1)) == "1 paper; 1 new paper came in; 1 minute to read"
    two = make_edition(make_pick(), make_pick(), considered=1200)
    assert wording.tally(two) == "2 papers; 1,200 new papers came in; 1 minute to read"
    assert wording.tally(make_edition(considered=0)) == "0 new papers"


def test_the_subject_names_the_best_paper_and_how_many_more():
    title = r"Knowing what \textbf{nobody} knows: when to stop asking and when to go on searching"
    edition = make_edition(make_pick(make_paper(title=title)), *[make_pick()] * 6)
    assert wording.subject(edition) == "Knowing what nobody knows: when to stop asking and when to… + 6 more"
    assert len(wording.subject(edition)) <= 70


def test_the_subject_is_the_line_of_the_best_match():
    untold = make_pick(make_paper(1, "Can owls count?"), line="Can owls count?")
    told = make_pick(make_paper(3), line="Owls gain 63%")
    assert wording.subject(make_edition(told, untold, untold)) == "Owls gain 63% + 2 more"
    assert wording.subject(make_edition(untold, told)) == "Can owls count? + 1 more"
    long = make_pick(
        make_paper(2), line="STRIX finds 63% more of the owls that call at night, with half as many microphones"
    )
    expected = "STRIX finds 63% more of the owls that call at night, with… + 1 more"
    assert wording.subject(make_edition(long, told)) == expected
    whole = "Owls that listen to mice gain 63% in a winter with little snow"
    assert wording.subject(make_edition(make_pick(make_paper(4), line=whole), told)) == whole
    assert wording.preheader(make_edition(told, untold)) == "Also: Can owls count?"
    assert wording.subject(make_edition(untold)) == "Can owls count?"


def test_the_list_is_grouped_by_topic_where_there_are_more_than_six():
    def pick(number: int, *reasons: Reason, kind: PickKind = PickKind.MATCH) -> Pick:
        return make_pick(make_paper(number), reasons=reasons, kind=kind)

    owls, bats = Reason(ReasonKind.WROTE, "owls"), Reason(ReasonKind.WROTE, "bats")
    close = Reason(ReasonKind.NEAR, "flight", near="bats")
    picks = [pick(1, bats), pick(2, owls), pick(3, Reason(ReasonKind.AUTHOR, "Ada"), owls), pick(4, close)]
    picks += [pick(5, Reason(ReasonKind.LIKED, "A title")), pick(6, owls, kind=PickKind.EXPLORE)]
    assert [(group.topic, len(group.picks)) for group in wording.groups(make_edition(*picks))] == [("", 6)]
    groups = wording.groups(make_edition(*picks, pick(7, Reason(ReasonKind.KEYWORD, "GRPO"))))
    assert [(group.topic, [place for place, _ in group.picks]) for group in groups] == [
        ("Bats", [1, 4]),
        ("Owls", [2, 3]),
        ("Also", [5, 6, 7]),
    ]
    alone = [make_pick(make_paper(number)) for number in (8, 9)]
    groups = wording.groups(make_edition(*alone, *picks))
    assert [(group.topic, [place for place, _ in group.picks]) for group in groups] == [
        ("", [1, 2]),
        ("Bats", [3, 6]),
        ("Owls", [4, 5]),
        ("Also", [7, 8]),
    ]


def test_a_quiet_edition_gives_its_reason():
    edition = make_edition(quiet=Quiet(QuietReason.BELOW, "None of the 30 new papers\nreached your threshold."))
    assert wording.subject(edition) == "A quiet day for Reward models"
    assert wording.preheader(edition) == "None of the 30 new papers reached your threshold."
    assert wording.quiet(make_edition()) == "Nothing new."


def test_an_edition_names_missing_sources_once():
    edition = make_edition(picks=(make_pick(),), considered=9, missing=("blog", "arxiv-ai"))
    missing = "without blog and arxiv-ai, which could not be read"
    assert wording.tally(edition) == f"1 paper; 9 new papers came in, {missing}; 1 minute to read"
    quiet = Quiet(QuietReason.FAILING, "No new paper has come in, which may be a fault: blog can't be read.")
    assert wording.tally(make_edition(picks=(), considered=0, quiet=quiet, missing=("blog",))) == "0 new papers"


def test_a_weekly_edition_is_worded_by_the_week():
    edition = make_edition(make_pick(), make_pick(make_paper(2)), is_weekly=True)
    assert wording.tally(edition) == "2 papers; 143 new papers came in; 1 minute to read"
    assert wording.subject(make_edition(is_weekly=True)) == "A quiet week for Reward models"


def test_reasons_of_a_kind_are_named_together_and_in_their_order():
    reasons = (
        Reason(ReasonKind.AUTHOR, "Ada Lovelace"),
        Reason(ReasonKind.KEYWORD, "GRPO"),
        Reason(ReasonKind.KEYWORD, "R1"),
        Reason(ReasonKind.WROTE, "reward models"),
        Reason(ReasonKind.LEARNED, "verifiers"),
        Reason(ReasonKind.LIKED, r"\emph{Liked} before"),
        Reason(ReasonKind.TRENDING, "120 upvotes"),
    )
    assert wording.sentence(reasons) == (
        "By Ada Lovelace, whom you follow; it has your keywords “GRPO” and “R1”; "
        "it names your “reward models”; "
        "papers you liked mention “verifiers”; like “Liked before”, which you liked; trending: 120 upvotes."
    )


def test_a_long_title_is_shortened():
    words = wording.sentence((Reason(ReasonKind.LIKED, "word " * 60),))
    assert len(words) < 120
    assert "…”, which you liked." in words


def test_braces_in_a_phrase_are_text():
    assert wording.sentence((Reason(ReasonKind.WROTE, "{near}"),)) == "It names your “{near}”."


def test_a_catch_up_edition_without_topics_is_not_headed_by_topic():
    day = date(2026, 6, 1)
    topics = ("", "owls")
    covered = [CatchUp(day, day, 1, 1, 1, groups=(TopicGroup(topic, 1, (1,)),)) for topic in topics]
    headings = [wording.list_heading(make_edition(make_pick(), catch_up=each)) for each in covered]
    assert headings == ["In thirty seconds", "By topic"]
