"""Mails from fragments: byte for byte what the templates give, for every reader of the same papers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from css_inline import CSSInliner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain import EditionKind, PickKind, Reason, ReasonKind, Role, Sentence, Vote
from bot.rendering import mail as mails
from bot.rendering import sample
from bot.rendering.mail import MailRenderer
from bot.rendering.templates import environment, is_shipped, render
from bot.rendering.text import visible

TEMPLATES = Path(__file__).parents[2] / "templates"
ANY_TEXT = st.text(max_size=40) | st.sampled_from(
    ["<b>&amp;", "\"'>", "a\u00a0b", "{{ links }}", "\ud800", ""]
)
REASONS = st.lists(st.builds(Reason, st.sampled_from(ReasonKind), ANY_TEXT, near=ANY_TEXT), max_size=3)
SENTENCES = st.lists(
    st.builds(
        Sentence,
        ANY_TEXT,
        st.sampled_from(Role) | st.none(),
        st.lists(ANY_TEXT, max_size=1).map(tuple),
        st.booleans(),
    ),
    max_size=2,
)


class LinksOf:
    """Links that name their reader; without a page to save papers for one whose name is empty."""

    def __init__(self, reader: str) -> None:
        self._reader = reader

    def save(self, paper, via: str = "mail") -> str:
        return f"https://p.example.org/{self._reader}/save/{paper.id}" if self._reader else ""

    def thumb(self, paper, vote: Vote, via: str = "mail") -> str:
        return f"https://p.example.org/{self._reader}/{paper.id}?from={via}&vote={vote}"

    def edition(self, day) -> str:
        return f"https://p.example.org/{self._reader}/{day}"

    def go(self, paper) -> str:
        return f"https://p.example.org/{self._reader}/go/{paper.id}"

    def me(self) -> str:
        return f"https://p.example.org/{self._reader}/me"

    def unsubscribe(self) -> str:
        return f"https://p.example.org/{self._reader}/unsubscribe"


def by_templates(edition, links, env) -> tuple[str, str]:
    """Return both parts as the templates give them, without fragments."""
    html = visible(render(env, "mail.html.j2", edition, links))
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(html), visible(render(env, "mail.txt.j2", edition, links))


def assert_same(renderer: MailRenderer, edition, links, env) -> None:
    parts = renderer.render(edition, links)
    assert (parts.html, parts.text) == by_templates(edition, links, env)


def test_sample_editions_are_the_same_both_ways(templates):
    renderer = MailRenderer(templates)
    edition = sample.edition()
    for reader in ("ada", "bob"):
        # From the end as well: the second mail has its fragments in another order and at other numbers.
        picks = edition.picks if reader == "ada" else tuple(reversed(edition.picks))
        address = f"{reader}@example.org"
        own = replace(edition, picks=picks, reader=replace(edition.reader, address=address))
        for variant in (
            own,
            replace(own, picks=own.picks[:1]),
            replace(own, picks=own.picks[:1], kind=EditionKind.ALERT),
            replace(own, is_weekly=True),
            replace(own, is_test=True, missing=("arxiv",)),
            replace(sample.quiet_edition(), reader=own.reader),
        ):
            assert_same(renderer, variant, LinksOf(reader), templates)


def test_ten_and_more_picks_are_the_same_both_ways(templates, make_paper, make_pick, make_edition):
    picks = [make_pick(make_paper(number, f"Paper {number} " * 12)) for number in range(1, 13)]
    renderer = MailRenderer(templates)
    assert_same(renderer, make_edition(*picks), LinksOf("ada"), templates)
    assert_same(renderer, make_edition(*reversed(picks)), LinksOf("bob"), templates)
    assert_same(renderer, make_edition(*picks), LinksOf(""), templates)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    title=ANY_TEXT,
    name=ANY_TEXT,
    reasons=st.lists(REASONS, min_size=2, max_size=2),
    summaries=st.lists(SENTENCES, min_size=2, max_size=2),
    chance=st.lists(st.floats(0, 1), min_size=2, max_size=2),
    kind=st.sampled_from(PickKind),
)
def test_hostile_values_are_the_same_both_ways(
    templates, make_paper, make_pick, make_edition, title, name, reasons, summaries, chance, kind
):
    renderer = MailRenderer(templates)
    paper = make_paper(1, title, authors=(name,))
    for reader in range(2):
        fields = {"kind": kind, "reasons": tuple(reasons[reader]), "probability": chance[reader]}
        pick = make_pick(paper, summary=tuple(summaries[reader]), **fields)
        edition = make_edition(pick, make_pick(make_paper(2)), profile_title=name)
        # No address has a carriage return, which an HTML parser reads as a line feed.
        address = f"{title}@example.org".replace("\r", "")
        edition = replace(edition, reader=replace(edition.reader, address=address))
        assert_same(renderer, edition, LinksOf(f"r{reader}"), templates)


def test_readers_of_the_same_papers_share_what_is_rendered(templates, monkeypatch):
    rendered = []
    monkeypatch.setattr(mails, "_inlined", lambda html: rendered.append(html) or html)
    renderer = MailRenderer(templates)
    edition = sample.edition()
    for number in range(5):
        # The reasons, the probability and the sentences are the reader's own, and so is the order.
        summary = (Sentence(f"Sentence {number}."),)
        picks = [
            replace(pick, probability=number / 10, reasons=(), summary=summary) for pick in edition.picks
        ]
        picks = picks[number % 3 :] + picks[: number % 3]
        # Without reasons none is credited as followed.
        renderer.render(replace(edition, picks=tuple(picks)), LinksOf(str(number)))
    assert len(rendered) == 1


@pytest.mark.parametrize("name", ["mail.html.j2", "mail.txt.j2", "_mail.html.j2", "_highlights.html.j2"])
def test_templates_of_a_home_are_rendered_as_they_are(tmp_path, name):
    """Whatever a home's template does with a reader's values, it gets them."""
    own = (TEMPLATES / name).read_text("utf-8")
    if name != "_highlights.html.j2":
        own = "{% for pick in edition.picks %}{% if pick.probability > 0.9 %}{{ pick | why | upper }}{% endif %}"
        own += "{% endfor %}{{ edition.reader.address | length }}"
    (tmp_path / name).write_text(own, "utf-8")
    env = environment(TEMPLATES, tmp_path)
    edition = sample.edition()
    assert_same(MailRenderer(env), edition, LinksOf("ada"), env)
    if name == "mail.txt.j2":
        text = MailRenderer(env).render(edition, LinksOf("ada")).text
        assert (
            text
            == "IT HAS YOUR KEYWORD “GRPO”; YOU WROTE “KNOWN”; PAPERS YOU LIKED MENTION “EMPHASIS”; "
            + ("LIKE “AN OLDER PAPER”, WHICH YOU LIKED.15")
        )
    assert is_shipped(env, "mail.html.j2") == (name == "mail.txt.j2")
    assert is_shipped(env, "mail.txt.j2") == (name != "mail.txt.j2")
