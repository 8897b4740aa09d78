"""Save on each pick: a page with the paper for reference managers, where a thumb up keeps it among the liked ones."""

import re
from dataclasses import replace

from starlette.testclient import TestClient
from support import buttons, digest, links_in

from bot.app import open_app
from bot.channels.papers import SampleLinks
from bot.model import Vote, ZoteroConnection
from bot.readers.votes import record
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
    assert picks == text.count("Save as BibTeX or RIS:") == len(save_links(mail, PUBLIC))
    with open_app(served) as app:
        client = TestClient(make_web(app), base_url=PUBLIC)
        pages = [client.get(link).text for link in save_links(mail, PUBLIC)]
    assert all("Save to your reference manager" in page for page in pages)


def test_without_a_server_that_others_reach_mails_have_no_such_link(mails, links, paper):
    assert save_links(mails("ada@example.org")[0], "http://localhost:8000") == []
    assert links.save(paper) == ""
    assert replace(links, public_url=PUBLIC).save(paper).endswith("/save")
    assert SampleLinks(links.public_url).save(paper) == ""
    assert SampleLinks(PUBLIC).save(paper) == f"{PUBLIC}/sample"


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
    assert buttons(page) == ["👍 More like this"]
    assert app.store.feedback.history(reader.id) == []


def test_its_thumb_keeps_the_paper_among_the_liked_ones(app, client, links, paper, reader):
    page = client.get(links.save(paper, "page")).text
    (vote,) = re.findall(r'<form method="post" action="([^"]+)"', page)
    client.post(vote.replace("&amp;", "&"))
    assert paper.title in client.get(links.library("ris")).text
    after = client.get(links.save(paper, "page")).text
    assert "You gave it a thumb up" in after
    assert buttons(after) == []


def test_with_a_zotero_connection_the_thumb_saves_there(app, client, links, paper, reader):
    assert "Zotero" not in client.get(links.save(paper, "page")).text.partition("among the papers you like")[2]
    app.store.zotero.connect(ZoteroConnection(reader.id, "users/17", (), "sealed", True, paper.first_seen))
    assert "saves it in your Zotero" in client.get(links.save(paper, "page")).text
    record(app.store, reader, paper, Vote.UP, now=paper.first_seen, via="page")
    assert "saved in your Zotero" in client.get(links.save(paper, "page")).text
