"""What somebody who never saw Paperbot does with a mail: reads it on a phone, finds a paper again, changes interests.

Voting from that mail without a server is in tests/operate/test_votes_by_mail.py.
"""

import re
from datetime import UTC, datetime, timedelta

import time_machine
from support import digest, links_in

ADA = "ada@example.org"
# Brysbaert (2019), "How many words do we read per minute?": the mean of adults who read non-fiction silently.
WORDS_A_MINUTE = 238


def test_what_is_new_is_read_on_a_phone_in_thirty_seconds(mails, browser):
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.set_content(mails(ADA)[0].get_body(("html",)).get_content())
        lines = page.locator("ol.list li")
        # All of it is on the first screen, in a size that needs no zooming, and each line leads to its pick.
        last = lines.last.bounding_box()
        assert last["y"] + last["height"] <= 844
        assert len(" ".join(lines.all_inner_texts()).split()) <= WORDS_A_MINUTE / 2
        assert lines.first.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") >= 16
        titles = page.locator("h2.title").all_inner_texts()
        assert lines.count() == len(titles) == 5
        lines.last.get_by_role("link").click()
        assert page.locator("h2.title").last.bounding_box()["y"] < 844
        assert titles[-1].startswith("5")


def test_a_paper_is_found_again_three_weeks_later(client, mails, served, paperbot):
    mail = mails(ADA)[0]
    (own,) = {link for link in links_in(mail) if "/me/" in link and "/more/" not in link}
    with time_machine.travel(datetime.now(UTC) + timedelta(weeks=3)):
        (served / "seeds" / "later.txt").write_text(digest(*(f"Sorting with {n} comparisons" for n in range(40))))
        paperbot("ingest")
        page = client.get(own).text
        (search,) = re.findall(r'<a href="([^"]+/search)"', page)
        # As one remembers it: a few words of the abstract, one of them misspelt.
        page = client.get(search, params={"q": "sumation colapses"}).text
        title = "Stop Summation: Min-Form Credit Assignment Is All Process Reward Model Needs for Reasoning"
        (paper,) = re.findall(rf'<a href="([^"]+/paper/p\d+)">{re.escape(title)}</a>', page)
        page = client.get(paper).text
        assert "<h2>Abstract</h2>" in page
        assert "👍 More" in page
        (again,) = re.findall(r'<a href="([^"]+/archive)"', page)
        assert title in client.get(again).text


def test_changed_interests_change_tomorrows_edition(client, mails, served, paperbot):
    (preferences,) = {link for link in links_in(mails(ADA)[0]) if "/me/" in link and "/more/" not in link}
    page = client.get(preferences).text
    form = dict(re.findall(r'<input type="\w+" name="(size|at)".*? value="([^"]+)"', page))
    days = re.findall(r'name="day" value="(\w+)" checked', page)
    changed = {"do": "settings", **form, "day": days, "interests": "Sorting algorithms", "keywords": ""}
    page = client.post(preferences, data=changed).text
    assert "Your changes count from your next edition on." in page
    titles = ("Sorting algorithms with fewer comparisons", "Reward hacking of reward models")
    (served / "seeds" / "tomorrow.txt").write_text(digest(*titles, header="LLM-RL - 2025-05-08"))
    paperbot("run", "--now", "2025-05-08T09:00:00+02:00")
    text = mails(ADA)[-1].get_body(("plain",)).get_content()
    assert "it names your “sorting algorithms”" in " ".join(text.lower().split())
    assert text.index(titles[0]) < text.find(titles[1]) % len(text)
