"""A group's profile: its readers see what others of it like, if these show it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from channels.made_editions import make_edition, make_paper, make_pick
from starlette.testclient import TestClient
from support import edit

from bot.app import open_app
from bot.channels.slack.rendering import render_thread
from bot.editions.connections import GroupLikes
from bot.model import GroupLike, Override, Vote
from bot.web.application import make_web

BEN = "ben@example.org"
WEDNESDAY = "2025-05-07T09:30:00+02:00"
THURSDAY = datetime(2025, 5, 8, 12, tzinfo=UTC)
FRIDAY = "2025-05-09T09:00:00+02:00"


@pytest.fixture
def app(served, paperbot):
    """The home with an edition of Ada and one of Ben, who read a group's profile."""
    profile = served / "profiles" / "reward-models.toml"
    profile.write_text(f'group = true\n{profile.read_text()}\n[[readers]]\nemail = "{BEN}"\n')
    assert paperbot("run", "--now", WEDNESDAY).code == 0
    with open_app(served) as app:
        yield app


@pytest.fixture
def ben(app):
    return app.store.readers.get("reward-models", BEN)


@pytest.fixture
def picks(app, ben):
    return app.store.editions.picks_of(app.store.editions.last(ben.id).id)


@pytest.fixture
def unseen(app, picks):
    """A paper that Ben was not sent."""
    sent = {pick.paper.id for pick in picks}
    return next(paper for paper in app.store.papers.get(range(1, 50)).values() if paper.id not in sent)


@pytest.fixture
def preview(paperbot):
    """Return what a reader would be sent on Friday, on one line."""
    return lambda reader, form="text": " ".join(
        paperbot("preview", f"reward-models/{reader.address}", "--now", FRIDAY, "--format", form).out.split()
    )


@pytest.fixture
def show_likes(app, client):
    """Have a reader's likes shown under a name, by the reader's page."""
    return lambda reader, name: client.post(app.links(reader).me(), data={"do": "show likes", "name": name})


def test_likes_are_shown_to_the_others_by_consent_only(app, ben, reader, picks, unseen, preview, show_likes):
    title = " ".join(unseen.title.split())
    for paper in (unseen, picks[0].paper):
        app.store.feedback.add(reader.id, paper.id, Vote.UP, THURSDAY, "mail")
    assert "liked in your group" not in preview(ben).lower()

    assert "The others see what “Ada &lt;b&gt;L.” likes" in show_likes(reader, " Ada\n<b>L. ").text
    text = preview(ben)
    # Ben was sent the other paper.
    assert text.count("Ada <b>L.") == 1
    assert f"Liked in your group {title} (Ada <b>L.)" in text
    assert "(Ada &lt;b&gt;L.)" in preview(ben, "html")
    assert "Liked in your group" not in preview(reader)
    app.store.feedback.add(ben.id, unseen.id, Vote.DOWN, THURSDAY, "page")
    assert "Liked in your group" not in preview(ben)
    app.store.feedback.add(ben.id, unseen.id, Vote.CLEAR, THURSDAY, "page")
    assert "Liked in your group" in preview(ben)

    assert "Nobody sees what you like" in show_likes(reader, " ").text
    assert "Liked in your group" not in preview(ben)


def test_muted_papers_are_not_listed(app, ben, reader, unseen, preview, show_likes, served):
    app.store.feedback.add(reader.id, unseen.id, Vote.UP, THURSDAY, "mail")
    show_likes(reader, "Ada")
    assert "(Ada)" in preview(ben)
    profile = served / "profiles" / "reward-models.toml"
    profile.write_text(f"mute = ['{unseen.title.split()[0]}']\n{profile.read_text().replace('mute = ', '# mute = ')}")
    assert "(Ada)" not in preview(ben)


def test_the_own_page_of_an_edition_has_the_names_and_the_page_to_share_has_not(app, client, ben, reader, show_likes):
    edition = app.store.editions.last(ben.id)
    (first, *_) = app.store.editions.picks_of(edition.id)
    app.store.feedback.add(reader.id, first.paper.id, Vote.UP, datetime.now(UTC), "mail")
    own = f"{app.links(ben).me()}/edition/{edition.date}"
    assert "liked this" not in client.get(own).text
    show_likes(reader, "Ada")
    assert "Ada liked this." in client.get(own).text
    assert "Ada liked this." not in client.get(app.links(ben).edition(edition.date)).text
    # One's own vote is no news.
    assert "Ada liked this." not in client.get(f"{app.links(reader).me()}/edition/{edition.date}").text
    app.subscriptions.pause([reader], THURSDAY)
    assert "Ada liked this." not in client.get(own).text


def test_without_a_group_there_is_no_name_to_give(app, client, reader, served):
    assert "Your group" in client.get(app.links(reader).me()).text
    edit(served / "profiles/reward-models.toml", "group = true", "group = false")
    assert "Your group" not in client.get(app.links(reader).me()).text
    answer = client.post(app.links(reader).me(), data={"do": "show likes", "name": "Ada"})
    assert answer.status_code == 400
    assert app.store.overrides.get(reader.id).shown_as is None


def test_slack_names_them_beside_a_pick_and_below_the_list(app):
    edition = make_edition(make_pick(make_paper(1)), make_pick(make_paper(2)))
    names = ("Ada & Co", "<!channel>", "Cy", "Di", "Ed")
    liked = GroupLike(edition.picks[0].paper, names)
    edition = replace(edition, group_likes=(liked, GroupLike(make_paper(99, title="Owls"), ("Ada",))))
    first, reply, *_ = (body.decode() for body in render_thread(edition, app.links(edition.reader)))
    assert "Ada &amp; Co, &lt;!channel&gt;, Cy and 2 more liked this." in reply
    assert "*Liked in your group*\\n• " in first
    assert "(Ada)" in first


EVE = "eve@example.org"


@pytest.mark.parametrize(
    ("allow", "by_operator", "is_member"),
    [((), False, False), (("example.com",), False, False), (("example.org",), False, True), ((), True, True)],
)
def test_a_stranger_on_an_open_page_joins_the_group_by_domain_or_approval(
    app, served, paperbot, reader, preview, show_likes, ben, allow, by_operator, is_member
):
    file = served / "profiles" / "reward-models.toml"
    file.write_text(f"allow = {list(allow)}\n{file.read_text()}")  # it is open already
    app.refresh()
    eve = app.store.readers.request_subscription("reward-models", "email", EVE, THURSDAY)
    app.store.readers.confirm(eve.id, THURSDAY)
    if by_operator:
        assert paperbot("subscribe", "reward-models", EVE).code == 0
        app.refresh()
    unseen = app.store.papers.get([1])[1]
    app.store.feedback.add(reader.id, unseen.id, Vote.UP, THURSDAY, "mail")
    app.store.feedback.add(eve.id, unseen.id, Vote.UP, THURSDAY, "mail")
    app.store.overrides.set(eve.id, Override(shown_as="Prof. Eve"))
    show_likes(reader, "Ada")
    now = datetime(2025, 5, 9, 7, tzinfo=UTC)
    likes = GroupLikes(app.store, app.profiles, now)
    eve = app.store.readers.by_id(eve.id)
    assert [like.names for like in likes.of_papers(eve, [unseen])] == ([("Ada",)] if is_member else [])
    seen_by_ben = [like.names for like in likes.of_papers(ben, [unseen])]
    assert seen_by_ben == [("Ada", "Prof. Eve") if is_member else ("Ada",)]
    page = TestClient(make_web(app), base_url="http://localhost:8000").get(app.links(eve).me()).text
    assert ("You are not in the group yet" in page) is not is_member
    assert ("see beside the papers you like" in page) is is_member
    told = paperbot("check").err + paperbot("check").out
    assert ("is open and a group" in told) is not bool(allow)
