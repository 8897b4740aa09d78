"""The pages behind the thumbs of a mail: GET shows, POST records the vote and shows its effect."""

import json
import re

import pytest
from support import buttons, digest, edit, links_in

from bot.config.keys import Purpose
from bot.model import Vote


def test_opening_a_thumb_link_shows_the_paper_and_changes_nothing(app, client, reader, links, paper):
    for method in ("GET", "HEAD"):
        assert client.request(method, links.thumb(paper, Vote.UP)).status_code == 200
    page = client.get(links.thumb(paper, Vote.UP)).text
    assert "TTRL: Test-Time Reinforcement Learning" in page
    assert buttons(page) == ["👍 More like this", "👎 Less like this", "🔖 Save"]
    assert '<button formaction="?vote=up"' in page, "the vote of the link is the one that stands out"
    assert app.store.feedback.history(reader.id) == []


def test_the_buttons_show_what_counts_and_undo_puts_the_earlier_vote_back(app, client, reader, links, paper):
    def state(page):
        texts = [re.sub(r"<[^>]+>", " ", button) for button in buttons(page)[:4]]
        return [text.strip() for text in texts if "✓" in text or "Undo" in text]

    def undo(page):
        return client.post(
            f"{links.thumb(paper, Vote.UP).partition('?')[0]}{re.search('action=.([?]vote=[a-z]+)', page)[1]}"
        )

    page = client.post(links.thumb(paper, Vote.DOWN)).text
    assert "Less like this. Your vote counts" in page
    assert state(page) == ["Undo", "👎 Less like this ✓"]
    (thumb,) = app.store.feedback.history(reader.id)
    assert (thumb.paper, thumb.vote, thumb.via) == (paper.id, Vote.DOWN, "mail")
    assert state(client.get(links.thumb(paper, Vote.UP)).text) == ["👎 Less like this ✓"]
    page = client.post(links.thumb(paper, Vote.UP)).text
    assert state(page) == ["Undo: back to 👎", "👍 More like this ✓"]
    assert state(client.post(links.thumb(paper, Vote.UP)).text) == ["👍 More like this ✓"]
    assert state(undo(page).text) == ["Undo: back to 👍", "👎 Less like this ✓"]
    assert state(client.post(links.thumb(paper, Vote.CLEAR)).text) == ["Undo: back to 👎"]
    assert app.store.feedback.current(reader.id) == {}
    page = client.post(links.thumb(paper, Vote.SAVE)).text
    assert state(page) == ["Undo", "🔖 Save ✓"]
    assert state(undo(page).text) == ["Undo"]
    assert not app.store.feedback.saved(reader.id)


def test_the_page_of_a_vote_and_its_undo_lead_back_to_the_readers_list(client, app, reader, links, paper):
    listed = f"/me/{links.me().rpartition('/')[2]}/edition/{app.store.editions.last(reader.id).date}"
    assert f'name="list" value="{listed}"' in client.get(listed).text
    page = client.post(links.thumb(paper, Vote.UP), data={"list": listed}).text
    assert f'<a href="{listed}#{paper.ref}">Back to the list</a>' in page
    assert page.count(f'name="list" value="{listed}"') == 2  # of "Undo", and of the three buttons
    for elsewhere in ("https://evil.example/", "//evil.example", "/me/x/edition"):
        assert "Back to the list" not in client.post(links.thumb(paper, Vote.UP), data={"list": elsewhere}).text


def lists(page):
    """Return the titles of each list of first papers that the page shows, and those in bold."""
    titles = r'<a href="/me/[^/]+/paper/p\d+">([^<]+)</a>'
    listed = [re.findall(titles, part) for part in re.findall(r"<ol.*?</ol>", page, re.S)]
    return listed, re.findall(rf"<b>{titles}</b>", page)


def test_the_page_shows_the_phrases_that_a_vote_changed(client, links, app):
    (paper,) = app.store.papers.find("LLM-Powered GUI Agents")
    up = client.post(links.thumb(paper, Vote.UP)).text
    assert re.search(r'<b class="plus">\+</b> [^<]*GUI', up)
    down = client.post(links.thumb(paper, Vote.DOWN)).text
    assert re.search(r'<b class="minus">−</b> [^<]*GUI', down)


def test_the_page_shows_the_first_papers_before_and_after_a_vote(served, client, links, app, paperbot):
    titles = [f"GUI agents {place}" for place in ("at home", "in cars", "on ships", "on trains", "in space")]
    titles += ["Reward models for owls", "Verifiable rewards in chess", "Process rewards of proofs"]
    (served / "seeds" / "new.txt").write_text(digest(*titles))
    paperbot("ingest")
    before, after = [], []
    for title in titles[:4]:
        (paper,) = app.store.papers.find(title)
        page = client.post(links.thumb(paper, Vote.UP)).text
        assert "First in your next edition" in page
        (*earlier, after), bold = lists(page)
        before = earlier[0] if earlier else after
        assert set(bold) == set(before) ^ set(after)
        assert title not in after
    assert titles[4] in after


def test_a_vote_that_changes_no_first_paper_says_so(client, links, paper):
    client.post(links.thumb(paper, Vote.UP))
    page = client.post(links.thumb(paper, Vote.UP)).text
    assert "First in your next edition" in page
    assert "The same papers as before, in the same order." in page
    (first,), bold = lists(page)
    assert (len(first), bold) == (5, [])
    # Each of them can be voted on in its turn.
    likes = re.findall(r'formaction="([^"]+vote=up)"', page)
    assert len(likes) == 5
    voted = client.post(likes[0].replace("&amp;", "&")).text
    assert first[0] in re.search("<h1.*?</h1>", voted, re.S)[0]


def test_a_scanner_that_opens_every_link_of_a_mail_changes_nothing(client, mails, paperbot):
    before = paperbot("export", "reward-models").json
    (mail,) = mails("ada@example.org")
    links_of_mail = links_in(mail)
    # Signatures hold the time in seconds, so that the links of the HTML and the text part may differ.
    assert len([link for link in links_of_mail if "/thumb/" in link]) == 15
    assert {link.split("/")[3] for link in links_of_mail} == {"thumb", "edition", "me", "unsubscribe"}
    for link in links_of_mail:
        assert client.get(link).status_code == client.head(link).status_code == 200
    assert paperbot("export", "reward-models").json == before
    assert json.dumps(before)


@pytest.mark.parametrize("page", ["thumb", "unsubscribe", "confirm", "edition", "me"])
def test_an_invalid_token_shows_an_error_page(app, client, reader, page):
    for token in ("x", "WzEsMV0.aaaaaa.bbbb", "a" * 60_000, "%00", "é"):
        for method in ("GET", "POST"):
            answer = client.request(method, f"/{page}/{token}")
            assert answer.status_code == (405 if (page, method) == ("edition", "POST") else 404)
            assert "This didn't work" in answer.text
    assert client.post(f"/{page}/").status_code == 404
    assert app.store.feedback.history(reader.id) == []
    assert app.store.readers.by_id(reader.id).stopped is None


def test_a_token_for_one_page_is_invalid_on_all_others(app, client, links, paper):
    link_of = {
        "thumb": links.thumb(paper, Vote.UP),
        "unsubscribe": links.unsubscribe(),
        "confirm": links.confirm(),
        "me": links.me(),
    }
    for purpose, link in link_of.items():
        token = re.search(rf"/{purpose}/([^?]+)", link)[1]
        for other in link_of:
            assert client.get(f"/{other}/{token}").status_code == (200 if other == purpose else 404)


def test_an_invalid_vote_is_refused(app, client, reader, links, paper):
    answer = client.post(links.thumb(paper, Vote.UP).replace("vote=up", "vote=sideways"))
    assert answer.status_code == 400
    assert app.store.feedback.history(reader.id) == []


def test_a_deleted_paper_or_reader_shows_an_error_page(app, client, reader):
    gone_paper = app.signer.sign(Purpose.THUMB, [reader.id, 99_999])
    gone_reader = app.signer.sign(Purpose.UNSUBSCRIBE, [99_999])
    assert client.get(f"/thumb/{gone_paper}").status_code == 404
    assert client.get(f"/unsubscribe/{gone_reader}").status_code == 410


def test_without_its_profile_a_vote_is_refused_with_an_error(app, client, served, links, paper, reader):
    (served / "profiles" / "reward-models.toml").unlink()
    answer = client.post(links.thumb(paper, Vote.UP))
    assert answer.status_code == 410
    assert "profile" in answer.text
    assert app.store.feedback.history(reader.id) == []


def test_votes_are_rate_limited(app, client, reader, links, paper, monkeypatch):
    monkeypatch.setattr("bot.web.papers.VOTES_A_MINUTE", 2)
    answers = [client.post(links.thumb(paper, Vote.UP)).status_code for _ in range(3)]
    assert answers == [200, 200, 429]
    assert len(app.store.feedback.history(reader.id)) == 2


def test_an_edited_profile_counts_from_the_next_request_on(app, client, served, links, paper):
    client.post(links.thumb(paper, Vote.UP))
    edit(served / "profiles/reward-models.toml", 'title = "Reward models"', 'title = "Renamed"')
    assert "“Renamed”" in client.get(links.unsubscribe()).text
