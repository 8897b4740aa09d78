"""Picks that join two topics of their reader for the first time: when it is said, and what is counted."""

from __future__ import annotations

import email
from datetime import UTC, datetime, timedelta
from email import policy

import pytest
from support import ON_ONE_DATABASE

from bot.app import open_app
from bot.model import Edition, Entry, ParsedDigest, Pick, PickKind, Reason, ReasonKind

NOW = datetime(2026, 6, 12, 9, tzinfo=UTC)
ADA, GRACE = "ada@example.org", "grace@example.org"
PROFILE = """title = "Owls"
interests = "tactile sensing, diffusion policies, LLM agents"
[edition]
threshold = 0
explore = 0
size = 20
[[readers]]
email = "ada@example.org"
[[readers]]
email = "grace@example.org"
"""
BOTH = Entry("Tactile sensing for diffusion policies", "We use tactile sensing with diffusion policies.")
TACTILE = [Entry(f"Tactile sensing of kind {n}", "We study tactile sensing.") for n in range(3)]
DIFFUSION = [Entry(f"Diffusion policies of kind {n}", "We study diffusion policies.") for n in range(2)]
OTHER = [Entry(f"Baking bread of kind {n}", "We bake.") for n in range(4)]
JOIN = ("tactile sensing", "diffusion policies", "2026-05-11")
SAYS = "oins “tactile sensing” and “diffusion policies”, which no earlier paper sent to you since 11 May 2026 did"


class Past:
    """A home whose readers were sent papers in the last weeks, and get an edition at ``NOW``."""

    def __init__(self, home, paperbot) -> None:
        self.home, self.paperbot = home, paperbot
        assert paperbot("run", "--now", (NOW - timedelta(days=40)).isoformat()).code == 0

    def bring(self, entries, at) -> list[int]:
        """Store papers; return their ids."""
        digests = [ParsedDigest("keyword", "", None, tuple(entries))]
        with open_app(self.home) as app:
            before = app.store.papers.newest_id()
            app.store.papers.add_digests("a", "x", str((at, entries)), digests, now=at)
            return list(range(before + 1, app.store.papers.newest_id() + 1))

    def sent(self, entries, days, *reasons) -> list[int]:
        """Let Ada have been sent these papers, so many days ago."""
        at = NOW - timedelta(days=days)
        ids = self.bring(entries, at)
        with open_app(self.home) as app:
            papers = app.store.papers.get(ids).values()
            picks = tuple(Pick(paper, PickKind.MATCH, 0.5, reasons, ()) for paper in papers)
            newest = app.store.papers.newest_id()
            edition = Edition(reader_at(app, ADA), "Owls", at.date(), at, picks, len(picks), newest)
            assert app.store.editions.save(edition, at.date().isoformat(), [])
        return ids

    def joins(self, address=ADA, entry=BOTH) -> list[tuple[str, str, str]]:
        """Bring a paper and run; return the joins that the picks of the reader's edition state."""
        self.bring([entry], NOW - timedelta(hours=1))
        assert self.paperbot("run", "--now", NOW.isoformat()).code == 0
        with open_app(self.home) as app:
            edition = app.store.editions.last(reader_at(app, address).id)
            picks = app.store.editions.picks_of(edition.id)
        assert entry.title in [pick.paper.title for pick in picks]
        reasons = [reason for pick in picks for reason in pick.reasons if reason.kind is ReasonKind.JOINS]
        return [(reason.text, reason.near, reason.since) for reason in reasons]

    def why(self, *options, address=ADA, days=0):
        at = (NOW + timedelta(days=days)).isoformat()
        return self.paperbot("why", f"owls/{address}", BOTH.title, "--now", at, *options)


def reader_at(app, address):
    return next(reader for reader in app.store.readers.all() if reader.address == address)


@pytest.fixture
def past(home, paperbot, store_url, monkeypatch):
    monkeypatch.setenv("PAPERBOT_STORE__URL", store_url)
    for path in (*home.glob("samples/*"), *home.glob("profiles/*")):
        path.unlink()
    (home / "profiles" / "owls.toml").write_text(PROFILE)
    return Past(home, paperbot)


def test_the_first_paper_that_joins_two_known_topics_says_so_with_its_counts(past):
    past.sent([*TACTILE, *OTHER], 32)
    past.sent(DIFFUSION, 10)
    assert past.joins() == [JOIN]
    mails = [email.message_from_bytes(path.read_bytes(), policy=policy.default) for path in outbox(past.home)]
    (text,) = (" ".join(mail.get_body(("plain",)).get_content().split()) for mail in mails if mail["To"] == ADA)
    assert SAYS in text
    assert "ou wrote “tactile sensing”" not in text  # the join names them
    # As it was when the paper was sent, also later.
    explained = past.why(days=3).out
    assert SAYS in explained
    assert "Of 9 papers sent to you since 11 May 2026, 3 had the first of these topics, 2 the second, none both." in (
        " ".join(explained.split())
    )
    assert past.why("--json").json["joins"] == {
        "first": "tactile sensing",
        "second": "diffusion policies",
        "papers": 9,
        "with_first": 3,
        "with_second": 2,
        "since": "2026-05-11",
    }
    assert "oins" not in past.why(address=GRACE).out  # who was sent none of them


def outbox(home):
    return sorted((home / "state" / "outbox").rglob("*.eml"))


@ON_ONE_DATABASE
@pytest.mark.parametrize(
    "earlier",
    [
        Entry("Another title", BOTH.abstract),
        Entry("Sensing that is tactile", "We compare policies, of which some are by diffusion."),
        Entry("TACTILE-SENSING", "A policy is learned by diffusion."),
        Entry("Policies", "Diffusion helps. We like bread. Baking is tactile. So is kneading. Nothing needs sensing."),
    ],
)
@pytest.mark.slow
def test_an_earlier_paper_that_may_have_joined_them_prevents_it(past, earlier):
    past.sent([*TACTILE, *DIFFUSION], 32)
    past.sent([earlier], 20)
    assert past.joins() == []
    assert past.why("--json").json["joins"] is None


def test_a_vote_on_a_paper_that_joins_them_prevents_it_too(past, paperbot):
    past.sent([*TACTILE, *DIFFUSION], 32)
    (paper,) = past.bring([Entry("Found by search", BOTH.abstract)], NOW - timedelta(days=20))
    at = (NOW - timedelta(days=19)).isoformat()
    assert paperbot("thumb", "up", f"owls/{ADA}", f"p{paper}", "--now", at).code == 0
    assert past.joins() == []


def test_reasons_of_the_last_weeks_that_name_both_prevent_it(past):
    past.sent([*TACTILE, *DIFFUSION], 32)
    named = (Reason(ReasonKind.WROTE, "tactile sensing"), Reason(ReasonKind.WROTE, "diffusion policies"))
    past.sent(OTHER, 5, *named)
    assert past.joins() == []


@ON_ONE_DATABASE
@pytest.mark.parametrize("known", [[*TACTILE, DIFFUSION[0]], [TACTILE[0], *DIFFUSION], OTHER])
@pytest.mark.slow
def test_topics_that_were_hardly_ever_seen_are_not_joined(past, known):
    past.sent(known, 32)
    assert past.joins() == []


@pytest.mark.parametrize(("days", "joins"), [(29, 1), (27, 0)])
def test_it_takes_four_weeks_of_papers(past, days, joins):
    past.sent([*TACTILE, *DIFFUSION], days)
    assert len(past.joins()) == joins


@ON_ONE_DATABASE
def test_an_abbreviation_is_what_it_stands_for(past):
    agents = [Entry(f"Large language model agents {n}", "We study agents.") for n in range(2)]
    past.sent([*TACTILE, *agents], 32)
    both = Entry("Tactile sensing for LLM agents", "We give tactile sensing to LLM agents.")
    assert [join[:2] for join in past.joins(entry=both)] == [("tactile sensing", "LLM agents")]


@ON_ONE_DATABASE
def test_only_what_both_name_is_joined(past):
    past.sent([*TACTILE, *DIFFUSION], 32)
    near = Entry("Touch sensors for diffusion policies", "We use touch with diffusion policies.")
    assert past.joins(entry=near) == []


@ON_ONE_DATABASE
def test_of_two_picks_that_join_the_same_topics_one_says_so(past):
    past.sent([*TACTILE, *DIFFUSION], 32)
    abstract = "Grasping fruit needs touch. Robots by diffusion policies learn from tactile sensing how ripe a plum is."
    past.bring([Entry("Diffusion policies pick plums by tactile sensing", abstract)], NOW - timedelta(hours=2))
    assert past.joins() == [JOIN]
