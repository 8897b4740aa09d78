"""The exploratory pick: what it is about that the reader has not judged, in the edition and in the mail."""

from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from types import SimpleNamespace

import pytest

from bot.app import open_app
from bot.config.profiles import Profile
from bot.editions.ranked import Ranked, choices_of
from bot.model import PickKind, ReasonKind, Score
from bot.ranking.selection import VOTES_OF_NEW_READER

NOW = datetime(2026, 6, 8, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
PROFILE = """title = "Owls"
interests = "owls at night"
[edition]
threshold = 0
size = 2
explore = 1
[[readers]]
email = "ada@example.org"
"""


def digest_of(*papers: tuple[str, str]) -> str:
    blocks = [
        f"{title}\n\nAuthors:Ada Lovelace\nDate:2026-06-07 17:00:00\n\n{abstract}\n" for title, abstract in papers
    ]
    return "OWLS - 2026-06-08\n\n" + "\n".join(blocks)


@pytest.fixture
def owls(home):
    for path in (*home.glob("samples/*"), *home.glob("profiles/*")):
        path.unlink()
    (home / "profiles" / "owls.toml").write_text(PROFILE)
    return home


def exploratory_reasons(home) -> list[str]:
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        edition = app.store.editions.last(reader.id)
        (pick,) = (p for p in app.store.editions.picks_of(edition.id) if p.kind is PickKind.EXPLORE)
        return [reason.text for reason in pick.reasons if reason.kind is ReasonKind.EXPLORATION]


def test_an_exploratory_pick_names_what_the_reader_has_not_judged(owls, paperbot):
    first = digest_of(("Owls at night", "Owls at night hunt."), ("Bees", "Bees hum."))
    (owls / "seeds" / "1.txt").write_text(first)
    paperbot("run", "--force", "--now", NOW.isoformat())
    # Without a vote every topic would be one that was not judged, so none is named.
    assert exploratory_reasons(owls) == []

    paperbot("thumb", "up", "owls", "Owls at night", "--now", (NOW + DAY / 2).isoformat())
    second = digest_of(
        ("Owls hunt at night", "Owls hunt."),
        ("Owls on knowledge graphs", "Owls use knowledge graphs. Knowledge graphs help."),
    )
    (owls / "seeds" / "2.txt").write_text(second)
    paperbot("run", "--force", "--now", (NOW + DAY).isoformat())
    assert exploratory_reasons(owls) == ["knowledge graphs"]
    (mail,) = (owls / "state" / "outbox" / "2026-06-09").glob("*.eml")
    text = message_from_bytes(mail.read_bytes(), policy=policy.default).get_body(("plain",)).get_content()
    assert "but on “knowledge graphs”, of which you have judged nothing" in " ".join(text.split())


@pytest.mark.parametrize(
    ("votes", "probability", "picks"),
    [(10, 0.06, 2), (0, 0.06, 2), (10, 0.03, 0), (VOTES_OF_NEW_READER, 0.06, 0)],
)
def test_a_new_reader_gets_exploratory_picks_where_no_paper_reaches_the_threshold(votes, probability, picks):
    scores = [Score(number, probability, log_odds=0.0, rest=0.0) for number in range(3)]
    model = SimpleNamespace(votes=SimpleNamespace(own=votes), has_several_interests=False)
    ranking = SimpleNamespace(scores=scores, model=model, pool=SimpleNamespace(similarity=lambda *_: 0.0))
    profile = Profile(title="Owls", interests="owls at night")
    choices = choices_of(profile, Ranked(ranking, papers={}, texts=None, evidence=None))
    assert [(choice.score.paper, choice.kind) for choice in choices] == [
        (number, PickKind.EXPLORE) for number in range(picks)
    ]
