"""The mail in a browser: narrow and wide, light and dark, without network requests."""

from itertools import product

import pytest

from bot.channels.email.rendering import render_mail
from bot.model import PickKind, Quiet, QuietReason, Reason, ReasonKind, Role, Sentence

from .made_editions import make_edition, make_paper, make_pick

SUMMARY = (
    Sentence("All in one.", Role.TLDR),
    Sentence("It weeds beds.", None, ("beds",)),
    Sentence("It gains a lot.", Role.RESULT, ("gains",)),
)

# For every element with text of its own that is shown: its contrast by WCAG 2 against what lies behind it.
CONTRASTS = """() => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = colour => channels(colour).slice(0, 3)
    .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if ((channels(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const withText = [...document.body.querySelectorAll("*")].filter(e => e.checkVisibility()
    && [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim()));
  return withText.map(e => {
    const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((x, y) => y - x);
    return [e.textContent.trim().slice(0, 40), (a + 0.05) / (b + 0.05)];
  });
}"""


@pytest.fixture(scope="module", params=list(product((320, 1200), ("light", "dark"))), ids=lambda p: f"{p[0]}-{p[1]}")
def page(request, browser, html):
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    tab = context.new_page()
    tab.requests_seen = []  # type: ignore[attr-defined]
    tab.on("request", lambda request: tab.requests_seen.append(request.url))  # type: ignore[attr-defined]
    tab.set_content(html, wait_until="networkidle")
    yield tab
    context.close()


@pytest.fixture(scope="module")
def html(links, templates):
    long = make_paper(1, "Supercalifragilistic" * 10, url=None, authors=("A" * 60, "B", "C", "D", "E"))
    picks = (
        make_pick(
            long, reasons=(Reason(ReasonKind.WROTE, "x" * 80, 1.0),), summary=("An unbroken " + "w" * 200 + " word.",)
        ),
        make_pick(kind=PickKind.EXPLORE, reasons=(Reason(ReasonKind.LIKED, "Another paper"),), summary=SUMMARY),
    )
    return render_mail(templates, make_edition(*picks), links).html


def test_nothing_scrolls_sideways(page):
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_thumbs_are_large_enough_to_tap(page):
    boxes = [thumb.bounding_box() for thumb in page.locator("a.thumb").all()]
    assert len(boxes) == 6
    assert all(box and box["height"] >= 44 and box["width"] >= 44 for box in boxes)


def test_both_thumbs_of_a_paper_are_side_by_side(page):
    up, down = (page.locator("a.thumb").nth(n).bounding_box() for n in (0, 1))
    assert up
    assert down
    assert up["y"] == down["y"]


def test_all_text_has_sufficient_contrast(page):
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 20
    assert [(text, ratio) for text, ratio in contrasts if ratio < 4.5] == []


def test_lines_stay_short_enough_to_read(page):
    assert page.locator(".column").bounding_box()["width"] <= 660  # type: ignore[index]


def test_the_page_sends_no_request(page):
    assert page.requests_seen == []  # type: ignore[attr-defined]


def test_the_dark_page_is_dark(browser, html):
    with browser.new_context(color_scheme="dark") as context:
        dark = context.new_page()
        dark.set_content(html)
        background = dark.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(25, 26, 28)"


def test_the_closest_papers_of_a_quiet_mail_stand_apart_from_the_reason(browser, links, templates):
    quiet = Quiet(QuietReason.BELOW, "30 new papers came in, and none comes close enough.")
    edition = make_edition(quiet=quiet, closest=(make_paper(1, "Owls"),))
    with browser.new_context() as context:
        mail = context.new_page()
        mail.set_content(render_mail(templates, edition, links).html)
        reason, paper = (mail.get_by_text(text).last.bounding_box() for text in ("The closest:", "Owls"))
    assert 8 <= paper["y"] - (reason["y"] + reason["height"]) <= 20
