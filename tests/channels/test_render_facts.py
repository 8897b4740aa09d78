"""The line of facts is the same in every channel: what is stated of a paper, and nothing else."""

import json
from xml.etree import ElementTree as ET

import pytest

from bot.channels.email.rendering import render_mail
from bot.channels.papers import ShownFact, facts, facts_text
from bot.channels.slack.rendering import render_slack
from bot.model import Fact, FactKind, Letter, Sighting
from bot.web.archive import atom, bibtex, ris
from bot.wording import seen

from .made_editions import make_edition, make_paper, make_pick

CODE = Fact(FactKind.CODE, "https://github.com/ada/owls", "Hugging Face")
STARS = Fact(FactKind.STARS, "1234", "Hugging Face")
PROJECT = Fact(FactKind.PROJECT, "https://owls.example.org", "Hugging Face")
VENUE = Fact(FactKind.VENUE, "ICLR 2026", "arXiv")
COMMENT = Fact(FactKind.COMMENT, "Accepted at ICLR 2026", "arXiv")
LINE = "Lab of Owls · ICLR 2026 · 12 upvotes · Code (1,234 stars) · Project page · PDF · Computation and Language"


@pytest.fixture
def paper():
    return make_paper(
        organisation="Lab of Owls",
        upvotes=12,
        arxiv_id="2601.15305",
        categories=("cs.CL", "cs.AI"),
        facts=(CODE, STARS, PROJECT, VENUE, COMMENT),
    )


@pytest.fixture
def edition(paper):
    return make_edition(make_pick(paper))


def test_what_exists_is_shown_in_one_line(paper):
    assert facts_text(paper) == LINE
    assert ShownFact("Code (1,234 stars)", "https://github.com/ada/owls", "Hugging Face") in facts(paper)


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, ""),
        ({"upvotes": 0, "categories": ("bioinformatics",)}, "Bioinformatics"),
        ({"upvotes": 1, "facts": (STARS,)}, "1 upvote"),
        ({"facts": (Fact(FactKind.CODE, "javascript:alert(1)", "x"), PROJECT)}, "Project page"),
        ({"facts": (CODE, Fact(FactKind.STARS, "0", "Hugging Face"))}, "Code"),
        ({"url": "https://owls.example.org/5.pdf?download=1"}, "PDF"),
    ],
)
def test_nothing_else_is_shown(fields, line):
    assert facts_text(make_paper(**fields)) == line


@pytest.mark.parametrize("is_letter", [False, True])
def test_mails_show_the_facts_in_both_parts(edition, links, templates, is_letter):
    if is_letter:
        mail = render_mail(templates, Letter(edition, (), 0), links)
    else:
        mail = render_mail(templates, edition, links)
    assert 'href="https://arxiv.org/pdf/2601.15305"' in mail.html
    assert "https://arxiv.org/pdf/2601.15305\n" in mail.text
    assert 'href="https://github.com/ada/owls"' in mail.html
    assert 'title="as stated by Hugging Face"' in mail.html
    assert "    Lab of Owls · ICLR 2026 · 12 upvotes · Computation and Language\n" in mail.text
    assert "    Code (1,234 stars): https://github.com/ada/owls\n" in mail.text


def test_slack_shows_the_facts_with_links(edition, links):
    (body,) = render_slack(edition, links, buttons=True)
    section = next(block for block in json.loads(body)["blocks"] if block["type"] == "section")
    assert "ICLR 2026 · 12 upvotes · <https://github.com/ada/owls|Code (1,234 stars)>" in section["text"]["text"]


def test_slack_leaves_links_out_of_a_line_that_is_too_long(links):
    paper = make_paper(facts=(Fact(FactKind.CODE, "https://example.org/" + "a" * 600, "x"), VENUE))
    (body,) = render_slack(make_edition(make_pick(paper)), links, buttons=True)
    assert "\\nICLR 2026 · Code" in body.decode()


def test_the_feed_has_categories_and_related_links(edition, templates):
    entry = ET.fromstring(atom(templates, edition, "https://papers.example.org")).find("{*}entry")
    assert entry is not None
    assert [category.get("label") for category in entry.findall("{*}category")] == [
        "Computation and Language",
        "Artificial Intelligence",
    ]
    related = [link.get("href") for link in entry.findall("{*}link") if link.get("rel") == "related"]
    assert related == [CODE.value, PROJECT.value, "https://arxiv.org/pdf/2601.15305"]
    assert (entry.findtext("{*}summary") or "").startswith(LINE)


@pytest.mark.parametrize(
    ("topic", "line"),
    [
        ("Owl Letters", ""),
        ("Wiley: Owl letters: Table of Contents", ""),
        ("Owl Letters Current Issue", ""),
        ("Barn Owl Letters", "Owl Letters"),
        ("My digest", "Owl Letters"),
    ],
)
def test_a_journal_is_not_named_again_beside_its_own_feed(topic, line):
    fact, sighting = Fact(FactKind.VENUE, "Owl Letters", "x"), Sighting("feed", topic, None)
    paper = make_paper(facts=(fact,), sightings=(sighting,))
    assert facts_text(paper) == line
    assert "note = {Owl Letters}" in bibtex([paper])


def test_references_note_the_facts(paper):
    note = "Lab of Owls; ICLR 2026; 12 upvotes; Code (1,234 stars): https://github.com/ada/owls; "
    assert f"  note = {{{note}Project page: https://owls.example.org}}," in bibtex([paper]).splitlines()
    assert "  primaryclass = {cs.CL}," in bibtex([paper]).splitlines()
    assert f"N1  - {note}Project page: https://owls.example.org\r\n" in ris([paper])


def test_the_alert_that_brought_a_paper_is_named_once():
    sightings = [
        Sighting("scholar", "Google Scholar", None, "Ada Lovelace (new citations)"),
        Sighting("scholar", "Google Scholar", None, "Ada Lovelace (new citations)"),
        Sighting("scholar", "Google Scholar", None, "owl vision (new results)"),
    ]
    assert seen(make_paper(sightings=tuple(sightings))) == [
        "Google Scholar",
        "5 May 2025",
        "via your alert on Ada Lovelace (new citations)",
        "via your alert on owl vision (new results)",
    ]
