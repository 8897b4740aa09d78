"""The page of a paper's addresses, to which the text part of mails links."""

import re

from bot.channels.papers import short
from bot.config.keys import Purpose


def test_the_page_shows_each_address_and_leads_nowhere_by_itself(client, links, paper, app):
    response = client.get(links.go(paper))
    assert response.status_code == 200
    assert "http-equiv" not in response.text
    targets = re.findall(r'<a href="(https?://[^"]+)" rel="noreferrer">([^<]+)</a>', response.text)
    assert targets
    assert all(address == label for address, label in targets)
    assert app.store.feedback.current(1) == {}


def test_only_a_signed_link_opens_it(client, app, links, paper):
    assert client.get(f"/go/{paper.id}").status_code == 404
    assert client.get(f"/go/{app.signer.sign(Purpose.EDITION, [paper.id])}").status_code == 404
    assert client.get(f"/go/{app.signer.sign(Purpose.GO, [10**6])}").status_code == 404
    assert client.post(links.go(paper)).status_code == 405


def test_a_page_that_only_this_machine_reaches_replaces_no_address(links, paper):
    long = f"https://example.org/{'owls/' * 30}"
    assert links.go(paper).startswith("http://localhost:8000/go/")
    assert short(long, paper, links) == long
