"""Papers as new items of Zotero."""

from dataclasses import replace

import pytest

from bot.channels.templates import sample_edition
from bot.channels.zotero import item_of
from bot.model import Fact, FactKind

PAPER = replace(sample_edition().picks[0].paper, arxiv_id=None, doi="10.1000/owls", facts=())
VENUE = Fact(FactKind.VENUE, "Journal of Owls", "PubMed")


def test_an_article_has_its_venue_if_a_digest_states_it():
    assert "publicationTitle" not in item_of(PAPER, [], "OWLS2345")
    item = item_of(replace(PAPER, facts=(VENUE,)), [], "OWLS2345")
    assert (item["itemType"], item["publicationTitle"]) == ("journalArticle", "Journal of Owls")


@pytest.mark.parametrize(
    "ids",
    [
        {"arxiv_id": "2501.00001"},
        {"doi": None},
        {"doi": "10.1101/2025.02.12.637840"},
        {"doi": "10.1101/060012"},
        {"doi": "10.64898/2026.01.20.700468"},
    ],
)
def test_a_preprint_has_no_field_that_zotero_refuses(ids):
    item = item_of(replace(PAPER, facts=(VENUE,), **ids), [], "OWLS2345")
    assert item["itemType"] == "preprint"
    assert "publicationTitle" not in item


def test_an_article_of_a_journal_with_biorxivs_prefix_is_no_preprint():
    item = item_of(replace(PAPER, doi="10.1101/gr.275193.120", facts=(VENUE,)), [], "OWLS2345")
    assert (item["itemType"], item["publicationTitle"]) == ("journalArticle", "Journal of Owls")
