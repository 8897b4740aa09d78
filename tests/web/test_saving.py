"""Save on each pick: a page with the paper for reference managers, where a thumb up keeps it among the liked ones."""

import re
from dataclasses import replace
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient
from support import buttons, digest, links_in

from bot.app import open_app
from bot.channels.papers import SampleLinks, path
from bot.editions.models import interests_of
from bot.model import Vote, ZoteroConnection
from bot.readers.personal_data import export
from bot.readers.votes import record_reply
from bot.web.application import make_web

PUBLIC = "https://papers.example.org"


def save_links(mail, base):
    return [link for link in links_in(mail, base) if link.endswith("/save")]


def test_each_pick_of_a_mail_leads_to_a_page_that_saves_it(served, paperbot, mails, monkeypatch):
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", PUBLIC)
    (served / "seeds" / "new.txt").write_text(digest("Reward models for owls", "Verifiable rewards in chess"))
    paperbot("run", "--force")
    mail = mails("ada@example.org")[-1]
    text = mail.get_body(("plain",)).get_content()
    picks = text.count("More like this:")
    assert picks > 0
    assert picks == text.count("Save:") == len(save_links(mail, PUBLIC))
    with open_app(served) as app:
        client = TestClient(make_web(app), base_url=PUBLIC)
        pages = [client.get(link).text for link in save_links(mail, PUBLIC)]
    assert all("Export to your reference manager" in page for page in pages)


def test_where_votes_are_mails_a_mail_saves_a_paper_too(app, links, paper, reader):
    by_mail = replace(links, public_url="", reply_to="bot@example.org")
    subject = unquote(by_mail.save(paper).partition("subject=")[2])
    now = paper.first_seen
    assert not record_reply(app.store, app.signer, "eve@example.org", subject, now)
    assert record_reply(app.store, app.signer, reader.address, subject, now)
    assert [vote.paper for vote in app.store.feedback.saved(reader.id)] == [paper.id]
    assert SampleLinks(PUBLIC).save(paper) == f"{PUBLIC}/sample?link=save"


def test_the_page_offers_bibtex_and_ris_and_saves_nothing_by_itself(app, client, links, paper, reader):
    link = links.save(paper, "page")
    for method in ("GET", "HEAD"):
        assert client.request(method, link).status_code == 200
    page = client.get(link).text
    bib, ris = re.findall(r'href="(/thumb/[^"]+/paper\.\w+)"', page)
    assert client.get(bib).text.startswith("@misc{")
    answer = client.get(ris)
    assert answer.headers["content-type"].startswith("application/x-research-info-systems")
    assert f"TI  - {paper.title}\r\n" in answer.text
    assert [button.split()[0] for button in buttons(page)] == ["👍", "👎", "🔖"]
    assert app.store.feedback.history(reader.id) == []


def pressed(page: str) -> list[str]:
    return re.findall(r'aria-pressed="true">([^\s<]+)', page)


def test_the_list_for_later_stands_beside_thumbs_and_is_changed_on_every_page(app, client, links, paper, reader):
    me = path(links.me())
    saved = f"{me}/saved"
    assert "Nothing yet." in client.get(saved).text
    later = client.post(links.thumb(paper, Vote.SAVE, "page"))
    assert "Saved. The paper counts as half a thumb up" in later.text
    for page in (saved, f"{me}/paper/{paper.ref}", links.save(paper, "page")):
        assert pressed(client.get(page).text) == ["🔖"], page
    # A thumb counts as the thumb, and the paper stays on the list.
    client.post(links.thumb(paper, Vote.UP, "page"))
    assert pressed(client.get(saved).text) == ["👍", "🔖"]
    assert paper.title in client.get(links.library("ris", "saved")).text
    assert client.get(links.library("bib", "saved")).text.startswith("@misc{")
    # The list's own button removes it, and returns there.
    removal = client.post(
        links.thumb(paper, Vote.UNSAVE, "page"), data={"back": f"{saved}?page=1"}, follow_redirects=False
    )
    assert (removal.status_code, removal.headers["location"]) == (303, f"{saved}?page=1#{paper.ref}")
    assert "Nothing yet." in client.get(saved).text
    assert [vote.vote for vote in app.store.feedback.votes(reader.id)] == [Vote.UP]


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "/me/other/saved", "/me"])
def test_a_vote_returns_to_its_readers_pages_only(client, links, paper, back):
    answer = client.post(links.thumb(paper, Vote.UP, "page"), data={"back": back}, follow_redirects=False)
    assert answer.status_code == 200


def test_a_saved_paper_counts_half_until_it_has_a_thumb(app, reader, links, paper):
    def interest():
        profile = app.profiles[reader.profile]
        return interests_of(app.store, [(reader, profile)], paper.first_seen)[0]

    def weights():
        return [interest().weight(liked.id) for liked in interest().up]

    app.store.feedback.add(reader.id, paper.id, Vote.SAVE, paper.first_seen, "page")
    assert weights() == [0.5]
    app.store.feedback.add(reader.id, paper.id, Vote.UP, paper.first_seen, "page")
    assert weights() == [1.0]
    app.store.feedback.add(reader.id, paper.id, Vote.DOWN, paper.first_seen, "page")
    assert (weights(), [disliked.id for disliked in interest().down]) == ([], [paper.id])
    app.store.feedback.add(reader.id, paper.id, Vote.CLEAR, paper.first_seen, "page")
    assert weights() == [0.5]
    exported = export(app.store, reader)
    assert ([row["paper"] for row in exported["saved"]], exported["thumbs"]) == ([paper.ref], [])


def test_with_a_zotero_connection_the_thumb_saves_there(app, client, links, paper, reader):
    assert "saves it in your Zotero" not in client.get(links.save(paper, "page")).text
    app.store.zotero.connect(ZoteroConnection(reader.id, "users/17", (), "sealed", True, paper.first_seen))
    assert "saves it in your Zotero" in client.get(links.save(paper, "page")).text
