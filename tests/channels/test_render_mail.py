"""The mail: its content, hostile papers, and its size."""

import re
import time
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from itertools import count

import pytest
from jinja2 import DictLoader, Environment
from support import parsed

from bot.channels import RenderingParts
from bot.channels.email.rendering import HTML_BUDGET, MailRenderer, render_mail
from bot.channels.papers import ReaderLinks, title_link
from bot.config.keys import Signer
from bot.model import Fact, FactKind, PickKind, Quiet, QuietReason, Reason, ReasonKind, Role, Sentence, Sighting, Vote
from bot.model.errors import TemplateProblem
from bot.wording import news

from .made_editions import make_edition, make_paper, make_pick

HOSTILE = "<script>alert(1)</script> \u202eevil\u2066 <!channel> =?utf-8?q?a=0d=0aBcc:_x@y?= \ud800"


class Page(HTMLParser):
    """Collects the text, tags and attributes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, name: str) -> list[str | None]:
        return [value for attribute, value in self.attributes if attribute == name]


@pytest.fixture
def full():
    sightings = (Sighting("s", "LLM-RL", date(2025, 5, 6)), Sighting("s", "Daily Papers", date(2026, 4, 17)))
    best = make_pick(
        make_paper(1, r"\textbf{Best} of \& all", sightings=sightings),
        reasons=(Reason(ReasonKind.WROTE, "reward model", 1.0),),
        summary=("It gains 63\\%.", "By 5% on the rest."),
    )
    searched = make_pick(make_paper(2, "Searched", url=None), kind=PickKind.EXPLORE, probability=0.5)
    bare = make_pick(
        make_paper(3, "Bare", authors=(), published=None, sightings=()),
        summary=(),
        reasons=(Reason(ReasonKind.AUTHOR, "Ada Lovelace"),),
    )
    return make_edition(best, searched, bare)


@pytest.fixture
def mail(full, links, templates):
    return render_mail(templates, full, links)


def test_the_html_shows_each_field_of_a_pick(mail):
    text = " ".join(Page(mail.html).text.split())
    for phrase in (
        "Reward models 6 May 2025 · 3 papers; 143 new papers came in; 1 minute to read",
        "In thirty seconds Best of & all Searched Bare 1 Best of & all Ada Lovelace",
        "LLM-RL · 5 May 2025 · also in Daily Papers, 17 Apr 2026 ●●● Strong match. It",
        "names your “reward model”. It gains 63%. By 5% on the rest.",
        "Exploratory pick 2 Searched Ada Lovelace LLM-RL · 5 May 2025 · Search arXiv",
        "●●○ Good match.",
        "Strong match. By Ada Lovelace, whom you follow.",
        "You receive this because ada@example.org is subscribed to “Reward models”.",
    ):
        assert phrase in text


def test_titles_thumbs_and_unsubscribe_are_links(mail, full, links):
    targets = Page(mail.html).values("href")
    for pick in full.picks:
        assert title_link(pick.paper).url in targets
        assert links.thumb(pick.paper, Vote.UP) in targets
        assert links.thumb(pick.paper, Vote.DOWN) in targets
    assert targets[-1] == links.unsubscribe()
    assert targets.count(links.unsubscribe()) == 1, "at the foot; programs show the header's"


def test_the_list_leads_to_each_pick(mail, full):
    page = Page(mail.html)
    anchors = [target for target in page.values("href") if target and target.startswith("#")]
    assert anchors == [f"#p{number}" for number in range(1, len(full.picks) + 1)]
    assert page.values("name")[-len(anchors) :] == [anchor[1:] for anchor in anchors]


def test_an_edition_of_one_pick_has_no_list(links, templates):
    mail = render_mail(templates, make_edition(make_pick()), links)
    assert "thirty seconds" not in mail.html + mail.text


def test_a_line_of_the_list_is_the_picks_line_or_the_title():
    paper = make_paper(title="Owls at night")
    assert news(make_pick(paper, line="Owls gain 63%")) == "Owls gain 63%"
    assert news(make_pick(paper)) == "Owls at night"


def test_the_pdf_is_beside_the_title_which_leads_to_the_abstract(links, templates):
    paper = make_paper(arxiv_id="2601.15305", url="https://arxiv.org/pdf/2601.15305v2")
    mail = render_mail(templates, make_edition(make_pick(paper)), links)
    targets = Page(mail.html).values("href")
    assert targets[1:3] == ["https://arxiv.org/abs/2601.15305", "https://arxiv.org/pdf/2601.15305"]
    assert "    PDF:\n    https://arxiv.org/pdf/2601.15305\n" in mail.text


def test_no_link_of_a_paper_is_longer_than_a_line_of_the_text(links, templates):
    long = f"https://example.org/{'long' * 30}"
    code = Fact(FactKind.CODE, f"{long}/code", "seeds")
    papers = (make_paper(1, "Owls " * 30, url=None), make_paper(2, url=long), make_paper(3, facts=(code,)))
    text = render_mail(templates, make_edition(*map(make_pick, papers)), links).text
    assert text.count(links.go(papers[0])) == 3
    assert long not in text
    ours = ("/thumb/", "/edition/", "/me/", "/unsubscribe/")
    assert all(len(line) <= 78 for line in text.splitlines() if not any(page in line for page in ours))


def test_no_remote_content_is_loaded(mail):
    page = Page(mail.html)
    assert not {"img", "script", "link", "iframe", "form", "object", "svg"} & set(page.tags)
    assert not page.values("src")
    assert "url(" not in mail.html
    assert "@import" not in mail.html


def test_styles_are_inlined_and_only_media_queries_stay(mail):
    style = mail.html[mail.html.index("<style>") : mail.html.index("</style>")]
    assert style.count("@media") == 2
    assert "color: #22201d" in mail.html[mail.html.index("<body") :]
    assert 'name="color-scheme" content="light dark"' in mail.html


def test_the_plain_text_is_readable(mail, full, links):
    lines = mail.text.splitlines()
    assert lines[:2] == ["Reward models", "6 May 2025 · 3 papers; 143 new papers came in; 1 minute to read"]
    assert " 1. Best of & all" in lines
    assert "    https://example.org/paper" in lines
    assert lines[lines.index("    Search arXiv:") + 1] == f"    {title_link(full.picks[1].paper).url}"
    assert f"    {links.thumb(full.picks[0].paper, Vote.UP)}" in lines
    assert "    ●●○ Exploratory pick: good match." in lines
    assert lines[-1] == links.unsubscribe()
    assert all(len(line) <= 72 for line in lines if "https://" not in line)


def test_subject_and_preheader_are_part_of_the_mail(mail):
    assert mail.subject == "Best of & all + 2 more"
    assert re.search(r'<div class="preheader"[^>]*>Also: Searched; Bare</div>', mail.html)


def test_a_quiet_edition_gives_its_reason_and_links_the_closest_papers(links, templates):
    quiet = Quiet(QuietReason.BELOW, "30 new papers came in, and none comes close enough.")
    edition = make_edition(quiet=quiet, considered=30, closest=(make_paper(1, "Owls"), make_paper(2, "Bats", url=None)))
    mail = render_mail(templates, edition, links)
    for text in (" ".join(Page(mail.html).text.split()), " ".join(mail.text.split())):
        assert "30 new papers came in, and none comes close enough. The closest: Owls" in text
        assert "Bats" in text
        assert "like this" not in text
    assert "https://example.org/paper" in Page(mail.html).values("href")
    assert "    https://example.org/paper\n" in mail.text
    assert "The closest" not in render_mail(templates, replace(edition, closest=()), links).text


def test_a_hostile_paper_is_shown_as_text(links, templates):
    paper = make_paper(
        title=HOSTILE, authors=(HOSTILE,), url="javascript:alert(1)", sightings=(Sighting("s", HOSTILE, None),)
    )
    pick = make_pick(
        paper, summary=(HOSTILE,), reasons=tuple(Reason(kind, HOSTILE, near=HOSTILE) for kind in ReasonKind)
    )
    mail = render_mail(templates, make_edition(pick, profile_title=HOSTILE), links)
    page = Page(mail.html)
    assert "script" not in page.tags
    assert "<script>alert(1)</script> evil <!channel>" in page.text
    assert all(target and target.startswith(("https://", "#p")) for target in page.values("href"))
    for part in (mail.subject, mail.html, mail.text):
        part.encode()
        assert "\u202e" not in part


@pytest.mark.parametrize("url", ['https://example.org/" onclick="x', "https://example.org/<b>\n c\ud800"])
def test_a_papers_url_is_percent_encoded(url):
    link = title_link(make_paper(url=url))
    assert link.url.isascii()
    assert not set(link.url) & set('<>" \n')


@pytest.mark.parametrize(("picks", "most"), [(5, 700), (10, 1400)])
def test_a_mail_is_read_in_minutes_and_keeps_what_was_found(links, templates, picks, most):
    summary = (Sentence("word " * 40), Sentence("found " * 40, Role.RESULT), Sentence("hence " * 40, Role.CONCLUSION))
    edition = make_edition(*(make_pick(make_paper(n), summary=summary) for n in range(picks)))
    text = render_mail(templates, edition, links).text
    assert 0.5 * most < len([word for word in text.split() if "://" not in word]) <= most
    assert (text.count("found"), text.count("hence")) == (40 * picks, 40 * picks)
    short = make_edition(*(make_pick(make_paper(n), summary=summary[:2]) for n in range(picks)))
    assert Page(render_mail(templates, short, links).html).text.count("word word") == 20 * picks


@pytest.mark.parametrize("edition_of", [25, 26], indirect=True)
def test_a_huge_edition_keeps_its_picks_and_shortens_their_summaries(edition_of, links, templates):
    mail = render_mail(templates, edition_of, links)
    assert len(mail.html.encode()) <= HTML_BUDGET
    assert all(pick.paper.title in mail.html for pick in edition_of.picks)
    assert mail.text.count("word") == 1000 * len(edition_of.picks), "the text part is not clipped"


@pytest.fixture
def edition_of(request):
    """Return an edition of that number of picks, each with a summary of a thousand words."""
    papers = (make_paper(n, f"Title {n}.") for n in range(request.param))
    return make_edition(*(make_pick(paper, summary=("word " * 1000,)) for paper in papers))


def test_a_mail_of_many_words_leaves_out_the_sentences_that_are_long_for_what_they_are_worth(links, templates):
    long = (
        Sentence("We ask what owls eat" + " daily" * 30 + ".", Role.IDEA),
        Sentence("Nets" + " aside" * 36 + "."),
        Sentence("known " * 40, Role.BACKGROUND),
        Sentence("It is mice" + " and voles" * 30 + ".", Role.RESULT),
        Sentence("So there is food enough" + " indeed" * 40 + ".", Role.CONCLUSION),
    )
    brief = (Sentence("Bees dance.", Role.IDEA), Sentence("We saw them.", Role.RESULT))
    picks = [make_pick(make_paper(n), summary=summary) for n, summary in enumerate((long, long, long, long, brief))]
    text = " ".join(render_mail(templates, make_edition(*picks), links).text.split())
    assert len(re.sub(r"https?://\S+", "", text).split()) <= 700
    assert "known" not in text
    assert text.count("We ask what owls eat daily") == 4
    assert "aside" not in text
    assert text.count("… It is mice and voles") == 4
    assert 0 < text.count("So there is food enough") < 4
    assert text.count("Bees dance. → We saw them.") == 1


def test_an_edition_over_the_budget_without_summaries_is_still_rendered(links, templates):
    picks = [make_pick(make_paper(n), summary=("A sentence.",)) for n in range(80)]
    html = render_mail(templates, make_edition(*picks), links).html
    assert Page(html).text.count("More like this") == 80
    assert "A sentence." not in html


def test_a_template_that_fails_on_a_real_edition_is_a_template_problem(full, links):
    env = Environment(loader=DictLoader({"mail.html.j2": "{{ edition.picks[7].paper }}"}))
    with pytest.raises(TemplateProblem, match=r"mail\.html\.j2: "):
        render_mail(env, full, links)


def test_the_header_and_the_text_unsubscribe_by_one_link_however_long_a_mail_takes(full, templates, monkeypatch):
    signer = Signer([b"a key of thirty-two bytes, or so"])
    parts = RenderingParts(templates, lambda reader: ReaderLinks("https://owls.example", signer, reader), str)
    seconds = count(1_746_000_000)
    monkeypatch.setattr(time, "time", lambda: next(seconds))
    (message,) = MailRenderer("Owls <owls@example.org>", parts).messages(full, "17")
    mail = parsed(message.body)
    body = mail.get_body(("plain",))
    assert body is not None
    assert mail["List-Unsubscribe"].strip("<>") in body.get_content()
