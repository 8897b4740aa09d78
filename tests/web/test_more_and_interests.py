"""More of a day's matches than its edition has, and a second profile from the page of preferences."""

import re
from datetime import UTC, datetime

import pytest
from support import digest

from bot.channels.papers import path
from bot.model import Override, Vote

TITLES = [f"Reward models and reward hacking for {name}" for name in ("owls", "bats", "bees", "mice", "voles", "cats")]


def test_an_edition_leads_to_the_days_other_strong_matches(served, paperbot, app, client, reader, mails):
    (served / "seeds" / "new.txt").write_text(digest(*TITLES))
    app.store.overrides.set(reader.id, Override(size=2))
    assert paperbot("run", "--force").code == 0
    links = app.links(reader)
    edition = app.store.editions.last(reader.id)
    picks = [pick.paper.title for pick in app.store.editions.picks_of(edition.id)]
    others = [title for title in TITLES if title not in picks]
    assert edition.more == len(others) > 0
    mail = mails("ada@example.org")[-1]
    words = f"{len(others)} more papers fit"
    assert words in mail.get_body(("plain",)).get_content()
    assert words in mail.get_body(("html",)).get_content()
    page = client.get(f"{links.me()}/edition/{edition.date}").text
    assert words in page
    (address,) = re.findall(r'href="(/me/[^"]+/more/[^"]+)"', page)
    more = client.get(address).text
    assert [title in more for title in TITLES] == [title in others for title in TITLES]
    assert "/more/" not in client.get(links.edition(edition.date)).text
    # A vote there stays visible there.
    (paper,) = app.store.papers.find(others[0])
    client.post(links.thumb(paper, Vote.UP, "page"))
    assert others[0] in client.get(address).text
    assert client.get(f"{links.me()}/more/2001-01-01").status_code == 404
    assert client.get(f"{links.me()}/more/x").status_code == 404


@pytest.fixture
def alone(served, app, reader):
    """The file of the only profile, which is not open."""
    for file in (served / "profiles").glob("*.toml"):
        if file.stem != reader.profile:
            file.unlink()
    file = served / "profiles" / f"{reader.profile}.toml"
    file.write_text(file.read_text().replace("open = true\n", ""))
    app.refresh()
    return file


@pytest.mark.usefixtures("alone")
def test_a_personal_home_adds_a_second_profile_for_its_reader(app, client, reader):
    profile = app.profiles[reader.profile]
    form = {"do": "new interest", "name": "Owls at night", "interests": "Owls that hunt\r\n\r\nbats"}
    answer = client.post(app.links(reader).me(), data=form, follow_redirects=False)
    assert answer.status_code == 303
    added = app.store.readers.get("owls-at-night", reader.address)
    assert "“Owls at night”" in client.get(answer.headers["location"]).text
    new = app.profiles["owls-at-night"]
    assert (new.title, new.schedule) == ("Owls at night", profile.schedule)
    assert new.interests_at(datetime(2025, 5, 9, tzinfo=UTC)) == "Owls that hunt\n\nbats"
    assert new.addresses == [("email", reader.address)]
    page = client.get(app.links(reader).me()).text
    assert "Owls at night" in page
    assert path(app.links(added).me()).split(".")[0] in page
    assert "Give the new interest a name" in client.post(app.links(reader).me(), data=form | {"name": " "}).text


@pytest.mark.parametrize("change", ["open = true\n{}", '{}\n[[readers]]\nemail = "ben@example.org"\n'])
def test_a_shared_home_adds_none(alone, app, client, reader, change):
    alone.write_text(change.format(alone.read_text()))
    app.refresh()
    assert "New interest" not in client.get(app.links(reader).me()).text
    form = {"do": "new interest", "name": "Owls", "interests": "Owls"}
    assert client.post(app.links(reader).me(), data=form).status_code == 400
    assert len(list(alone.parent.glob("*.toml"))) == 1
