"""What an edition says of papers that its reader liked: published, changed, continued."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient
from support import text_of

from bot.app import open_app
from bot.model import Entry, Fact, FactKind, ParsedDigest, Vote
from bot.ranking.ranker import Ranker
from bot.web.application import make_web

NOW = datetime(2026, 6, 12, 9, tzinfo=UTC)
ADA = "ada@example.org"
PROFILE = """title = "Owls"
interests = "counting owls at night, bees"
[edition]
threshold = 0
explore = 0
[[readers]]
email = "ada@example.org"
[[readers]]
slack = "C0123ABC"
"""
BEFORE = "Owls are hard to count at night. We propose STRIX, which counts owls by calls. STRIX finds 31% more owls."
OWLS = Entry("Counting owls at night", BEFORE, ("Ada Lovelace", "Mary Somerville"), arxiv_id="2606.00001", version=1)
BEES = Entry("Bees by day", "We count bees in gardens.", ("Grace Hopper",))
V2 = replace(OWLS, version=2, replacement=True, abstract=BEFORE.replace("31%", "12%"))
REVISED = "“Counting owls at night”: version 2 says, “STRIX finds 12% [before: 31%] more owls.”"


@pytest.fixture
def owls(bare, paperbot):
    """A home whose readers were sent a paper and like it."""
    (bare / "profiles" / "owls.toml").write_text(PROFILE)
    return Days(bare, paperbot)


class Days:
    """A home in which papers arrive by the day."""

    def __init__(self, home, paperbot) -> None:
        self.home, self.paperbot = home, paperbot

    def arrive(self, day, *entries) -> None:
        with open_app(self.home) as app:
            at = NOW + timedelta(days=day, hours=-1)
            app.store.papers.add_digests("a", "x", f"{day}", [ParsedDigest("keyword", "", None, entries)], now=at)

    def like(self, day, title=OWLS.title) -> None:
        with open_app(self.home) as app:
            (paper,) = app.store.papers.find(title)
            for reader in app.store.readers.all():
                app.store.feedback.add(reader.id, paper.id, Vote.UP, NOW + timedelta(days=day), "mail")

    def edition(self, day) -> str:
        """Compose the day's editions; return Ada's mail on one line."""
        assert self.paperbot("run", "--force", "--now", (NOW + timedelta(days=day)).isoformat()).code == 0
        mails = (self.home / "state" / "outbox").glob(f"*{day + 12}/owls--{ADA}*.eml")
        return " ".join(map(text_of, mails))

    def follow_ups(self) -> list[list[tuple[str, str]]]:
        """The kinds and texts of what each edition of Ada's said, the oldest first."""
        with open_app(self.home) as app:
            reader = app.store.readers.get("owls", ADA)
            editions = reversed(app.store.editions.of_reader(reader.id))
            stored = [app.store.editions.follow_ups_of(edition.id) for edition in editions]
        return [[(follow_up.kind.value, follow_up.text) for follow_up in of_edition] for of_edition in stored]


def test_a_changed_sentence_of_a_later_version_is_said_once_beside_the_next_picks(owls):
    owls.arrive(0, OWLS)
    owls.edition(0)
    owls.like(0)
    owls.arrive(1, V2)
    # No edition of its own, and the paper itself is no pick again.
    assert REVISED not in owls.edition(1)
    owls.arrive(2, BEES)
    mail = owls.edition(2)
    assert REVISED in mail
    assert mail.count("Counting owls at night") == 1
    owls.arrive(3, replace(BEES, title="Bees by night"))
    assert REVISED not in owls.edition(3)
    assert owls.follow_ups() == [[], [], [("revised", "STRIX finds 12% more owls.")], []]


def test_a_later_version_is_no_news_to_who_liked_it_or_if_no_sentence_changed(owls):
    owls.arrive(0, OWLS)
    owls.edition(0)
    owls.arrive(1, V2)
    owls.like(1)
    owls.arrive(2, replace(V2, version=3), BEES)
    owls.edition(2)
    assert owls.follow_ups() == [[], []]


@pytest.mark.parametrize(
    ("seen", "says", "text"),
    [
        ({"facts": (Fact(FactKind.VENUE, "Journal of Owls", "feed"),)}, "is now listed in", "Journal of Owls"),
        ({"doi": "10.1000/owls.1"}, "now has the DOI", "10.1000/owls.1"),
        ({"facts": (Fact(FactKind.VENUE, "bioRxiv", "feed"),)}, "", ""),
    ],
)
def test_a_preprint_that_is_seen_with_a_venue_or_a_journals_doi_was_published(owls, seen, says, text):
    owls.arrive(0, OWLS)
    owls.edition(0)
    owls.like(0)
    owls.arrive(8, replace(OWLS, **seen), BEES)
    mail = owls.edition(8)
    assert owls.follow_ups()[1] == ([("published", text)] if text else [])
    assert f"“Counting owls at night” {says} {text}." in mail if text else "Since you liked" not in mail
    owls.arrive(9, replace(OWLS, **seen), replace(BEES, title="Bees by night"))
    owls.edition(9)
    assert owls.follow_ups()[2] == []


def test_what_another_digest_of_the_same_days_states_is_no_publication(owls):
    owls.arrive(0, OWLS)
    owls.edition(0)
    owls.like(0)
    owls.arrive(1, replace(OWLS, doi="10.1000/owls.1"), BEES)
    owls.edition(1)
    assert owls.follow_ups() == [[], []]


def test_a_journals_version_of_a_preprint_with_a_doi_of_its_own_is_its_publication(owls):
    preprint = replace(OWLS, arxiv_id=None, version=None, doi="10.1101/2026.01.02.123456")
    owls.arrive(0, preprint)
    owls.edition(0)
    owls.like(0)
    owls.arrive(8, replace(preprint, doi="10.1000/owls.1"), BEES)
    owls.edition(8)
    assert owls.follow_ups()[1] == [("published", "10.1000/owls.1")]


def test_another_paper_of_the_first_or_last_author_on_the_topic_continues_it(owls):
    title = "Counting owls by their calls at dawn"
    abstract = BEFORE.replace("STRIX", "ASIO").replace("calls", "calls at dawn")
    owls.arrive(0, OWLS)
    owls.edition(0)
    owls.like(0)
    owls.arrive(
        1,
        Entry("Counting owls at dusk", abstract, ("Grace Hopper",)),
        Entry(title, abstract, ("Grace Hopper", "Mary Somerville")),
        Entry("Baking bread", "We bake bread at home.", ("Ada Lovelace",)),
    )
    mail = owls.edition(1)
    assert owls.follow_ups()[1] == [("continued", "Mary Somerville")]
    assert f"“Counting owls at night”: Mary Somerville has another paper on its topic, “{title}”." in mail


def test_slack_and_the_own_page_say_it_and_the_page_to_share_does_not(owls):
    owls.arrive(0, OWLS)
    owls.edition(0)
    owls.like(0)
    owls.arrive(1, V2, BEES)
    owls.edition(1)
    (message, *_) = sorted((owls.home / "state" / "outbox").glob("*13/*C0123ABC*.json"))
    assert "finds *12%* [before: 31%] more" in json.dumps(json.loads(message.read_text()))
    with open_app(owls.home) as app:
        reader = app.store.readers.get("owls", ADA)
        links = app.links(reader)
        client = TestClient(make_web(app), base_url="http://localhost:8000")
        own = client.get(f"{links.me()}/edition/2026-06-13").text
        assert "<strong>12%</strong> [before: 31%] more owls" in own
        assert "12%" not in client.get(links.edition(datetime(2026, 6, 13, tzinfo=UTC).date())).text.split("Bees")[-1]
    export = owls.paperbot("export", f"owls/{ADA}").json["editions"]
    assert [edition["follow_ups"] for edition in export] == [
        [],
        [{"kind": "revised", "liked": "p1", "text": "STRIX finds 12% more owls.", "paper": None}],
    ]


def test_many_papers_of_a_common_name_are_not_all_compared_with_each_other(owls, monkeypatch):
    compared = []
    similarities = Ranker.similarities

    def counted(self, pairs):
        compared.append(len(pairs))
        return similarities(self, pairs)

    monkeypatch.setattr(Ranker, "similarities", counted)

    def of_one_name(numbers):
        return [Entry(f"Owls {n} at night", BEFORE, ("Wei Wang", f"Author {n}")) for n in numbers]

    owls.arrive(0, *of_one_name(range(100, 130)))
    owls.edition(0)
    for n in range(100, 130):
        owls.like(0, f"Owls {n} at night")
    owls.arrive(1, *of_one_name(range(200, 500)))
    owls.edition(1)
    # Two readers, who share what was compared.
    assert sum(compared) == 200
    assert [kind for kind, _ in owls.follow_ups()[1]] == ["continued"]
