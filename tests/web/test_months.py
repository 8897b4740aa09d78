"""The page of what grew in the field of an open profile in a month."""

import re
from datetime import UTC, datetime

import pytest

from bot.app import open_app
from bot.model import Entry, ParsedDigest

MONTH = "/open/reward-models/month/2025-07"


@pytest.fixture
def four_months(served):
    """Let a source bring 110 papers in each month from April to June, and 210 in July, 20 of them on a topic."""
    with open_app(served) as app:
        for month, number, on_topic in ((4, 110, 1), (5, 110, 1), (6, 110, 1), (7, 210, 20)):
            entries = tuple(
                Entry(f"Paper {month}x{n}", "We study <b>sparse reward models</b>." if n < on_topic else f"No {n}.")
                for n in range(number)
            )
            at = datetime(2025, month, 15, tzinfo=UTC)
            app.store.papers.add_digests("a", "x", str(at), [ParsedDigest("keyword", "", None, entries)], now=at)
    return served


def test_the_newest_month_with_papers_has_topics_with_counts_papers_and_a_picture(four_months, client, app):
    answer = client.get("/open/reward-models/month", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, MONTH)
    page = client.get(MONTH).text
    assert '<h1 dir="auto">What grew in July 2025: Reward models</h1>' in page
    assert "Compared: 210 papers of July 2025, and 330 papers of the three months before." in page
    assert "In 20 of 210 papers, and in 3 of 330 in the three months before." in page
    assert page.count('<li><h3 dir="auto">') == 2
    description = re.search('<meta property="og:description" content="([^"]*)">', page)[1]
    assert description == "Sparse reward models, in 20 of 210 papers, and in 3 of 330 in the three months before"
    assert f'<meta property="og:url" content="{app.public_url}{MONTH}">' in page
    label = re.search('<svg[^>]* aria-label="([^"]*)"', page)[1]
    assert label.endswith("of the three months before: Sparse reward models 9.5% and 0.9%.")
    bars = re.findall('<rect class="(now|before)" x="0" y="[^3][^"]*" width="([^"]*)"', page)
    assert bars == [("now", "300.0"), ("before", "28.6")]
    for other in ("/open/reward-models", "/open/reward-models/week/2025-W29"):
        assert 'href="/open/reward-models/month"' in client.get(other).text


def test_a_month_without_a_finding_says_so_with_the_papers_compared(four_months, client):
    page = client.get("/open/reward-models/month/2025-06").text
    assert "Too few papers to tell what grew: " in page
    assert "0 in June 2025 and 0 in the three months before; it takes 200 and 300." in page
    assert "<svg" not in page
    assert f'href="{MONTH}">The month after' in page


@pytest.mark.parametrize("month", ["2025-7", "2025-13", "0001-01", "9999-12", "2190-01", "2025-٠٧", "month"])
def test_other_months_are_refused(client, month):
    assert client.get(f"/open/reward-models/month/{month}").status_code == 404


def test_a_profile_that_is_not_open_has_no_month(four_months, client):
    profile = four_months / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text().replace("open = true", "open = false"))
    for address in ("/open/reward-models/month", MONTH, "/open/nobody/month"):
        assert client.get(address).status_code == 404
