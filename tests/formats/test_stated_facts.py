"""Facts in arXiv's comments and journal references, and in Hugging Face's lists."""

import json

import pytest

from bot.formats.format import from_arxiv
from bot.formats.registry import parse
from bot.model import Fact, FactKind, RawDigest


def facts(comment: str, journal_ref: str = "") -> dict[str, str]:
    return {str(fact.kind): fact.value for fact in from_arxiv(comment, journal_ref) if fact.kind != "comment"}


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("", {}),
        ("Accepted at ICLR 2026", {"venue": "ICLR 2026"}),
        ("Accepted to the Conference on Owls (oral), 9 pages", {"venue": "Conference on Owls", "pages": "9"}),
        ("To appear in Journal of Owls. 12 pp.", {"venue": "Journal of Owls", "pages": "12"}),
        ("Accepted for publication in Owls, 20 pages, 3 figures", {"venue": "Owls", "pages": "20"}),
        ("Submitted to ICLR 2027", {}),
        (
            "Code: https://github.com/ada/owls, project page: https://owls.example.org/night.",
            {"code": "https://github.com/ada/owls", "project": "https://owls.example.org/night"},
        ),
        ("https://ada.github.io/owls/", {"project": "https://ada.github.io/owls/"}),
        ("Full tables at http://example.org/owls.gz", {}),
    ],
)
def test_comments_state_venue_pages_code_and_project(comment: str, expected: dict[str, str]) -> None:
    assert facts(comment) == expected


def test_a_journal_reference_is_the_venue() -> None:
    assert facts("Accepted at ICLR 2026", "Owls 12 (2026) 3")["venue"] == "Owls 12 (2026) 3"


def test_hugging_faces_code_stars_and_project_are_facts_if_they_are_addresses() -> None:
    paper = {
        "id": "2606.00467",
        "title": "Owls by Night",
        "summary": "Owls see.",
        "githubRepo": "https://github.com/ada/owls",
        "githubStars": 12,
        "projectPage": "javascript:alert(1)",
    }
    (digest,) = parse(RawDigest("hf", "x", json.dumps([{"paper": paper}]).encode()))
    assert digest.entries[0].facts == (
        Fact(FactKind.CODE, "https://github.com/ada/owls", "Hugging Face"),
        Fact(FactKind.STARS, "12", "Hugging Face"),
    )
