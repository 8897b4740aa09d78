"""Every mail against what mail programs support: mail_support.toml has a row for each feature of HTML and CSS."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment
from lxml import etree, html

from bot.channels.email.rendering import mail_bytes, render_confirmation, render_mail
from bot.channels.papers import Links, SampleLinks
from bot.channels.templates import sample_edition, sample_quiet_edition
from bot.model import Edition, EditionKind, Fact, FactKind, LearnedPhrase, Letter, MatchRecord, Paper

from .made_editions import make_paper, make_pick

TABLE = tomllib.loads((Path(__file__).parent / "mail_support.toml").read_text("utf-8"))
PROGRAMS = TABLE.pop("programs")

# Attributes that change nothing by themselves; those of <meta> are rows by their name.
_PLAIN_ATTRIBUTES = {"class", "style", "href", "name", "content"}
_PARTS_OF_TABLES = {"tbody", "tr", "td"}
_FRAME = {"html", "head", "title"}
# A declaration, and at-rules with rules, as our style sheets have them; anything else in them is a failure.
_DECLARATION = re.compile(r"\s*([\w-]+):\s*([^;{}]+?)\s*(?:;|$)")
_RULE = re.compile(r"\s*([^{}@]+?)\s*\{([^{}]*)\}")
_MEDIA = re.compile(r"\s*@media \(([\w-]+):[^{}]*\)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_UNIT = re.compile(r"(?<![\w#'])-?[\d.]+([a-z%]+)")
_FUNCTION = re.compile(r"([\w-]+)\(")
_CLASS = re.compile(r"\s*\.([\w-]+)")

GMAIL_CLIPS_AT = 102 * 1024  # bytes of a message
# Gmail dropped larger style sheets for years; caniemail measured 16 KB in 2023.
GMAIL_STYLE_SHEET = 8_192


def features(page: str) -> set[str]:
    """Return the features of HTML and CSS that a mail uses, by their names in the table."""
    document = html.document_fromstring(page)
    return {
        "doctype" if page.startswith("<!DOCTYPE html>") else "quirks mode",
        *(feature for element in document.iter() for feature in _of_element(element)),
        *_of_style_sheet(document),
    }


def _of_element(element: Any) -> Iterator[str]:
    if element.tag is etree.Comment:
        yield "conditional comment" if element.text.startswith("[if mso]>") else "comment"
        return
    if element.tag == "meta":
        yield f"meta {element.get('name') or next(iter(element.attrib))}"
        return
    if element.tag not in _FRAME:
        yield f"<{'table' if element.tag in _PARTS_OF_TABLES else element.tag}>"
    yield from (f"{name}=" for name in element.attrib if name not in _PLAIN_ATTRIBUTES)
    address = element.get("href", "")
    if address.startswith("#"):
        yield "anchor link"
    elif address.startswith("mailto:"):
        yield "mailto link"
    yield from _of_declarations(element.get("style", ""), {element.tag})


def _of_style_sheet(document: Any) -> Iterator[str]:
    (sheet,) = (element.text or "" for element in document.iter("style"))
    for condition, rules in _matches(_MEDIA, sheet):
        yield "@media"
        if condition not in ("max-width", "min-width"):
            yield f"@media {condition}"
        for selectors, declarations in _matches(_RULE, rules):
            if "," in selectors:
                yield "selector list"
            for selector in selectors.split(","):
                (name,) = _matches(_CLASS, selector)
                yield ".class"
                tags = {element.tag for element in document.find_class(name)}
                yield from _of_declarations(declarations, tags)


def _of_declarations(text: str, tags: set[str]) -> Iterator[str]:
    """Yield the features of declarations that apply to elements with these tags."""
    for name, value in _matches(_DECLARATION, text):
        if value.endswith("!important"):
            yield "!important"
        is_border = name.startswith("border") and name != "border-radius"
        outside = tags - {"td", "th"}
        if name == "display":
            yield f"display: {value.removesuffix('!important').strip()}"
        elif name.startswith("padding"):
            yield from (f"padding{' outside cells' * (tag in outside)}" for tag in tags)
        elif is_border:
            yield from (f"border{' outside cells' * (tag in outside)}" for tag in tags)
        elif name == "max-width":
            yield from (f"max-width{' outside tables' * (tag != 'table')}" for tag in tags)
        elif name.startswith("margin"):
            yield "margin"
            yield from ("negative margin" for length in value.split() if length.startswith("-"))
            yield from ("margin: auto" for length in value.split() if length == "auto")
        else:
            yield name
        if not name.startswith("font-family"):
            yield from _UNIT.findall(value)
        yield from (f"{function}()" for function in _FUNCTION.findall(value))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Any]:
    """Yield what a pattern captures, one match after another; raises ValueError for any other text between them."""
    position = 0
    while rest := text[position:].strip():
        match = pattern.match(text, position)
        if match is None:
            raise ValueError(f"not read: {rest[:80]}")
        yield match.group(1) if pattern.groups == 1 else match.groups()
        position = match.end()


PAGES = "https://paperbot.example.org"


class MailboxLinks(SampleLinks):
    """Links whose votes are mails, as without a server that readers reach."""

    def thumb(self, paper: Paper, vote: str, via: str = "mail") -> str:
        """Return a mail to the bot's mailbox."""
        return f"mailto:bot@example.org?subject=Paperbot%20vote%20{vote}%20{paper.ref}"


@pytest.fixture(scope="module")
def mails(templates):
    """Return the HTML of every kind of mail, with all its optional parts."""
    links = SampleLinks(PAGES)
    full = sample_edition()
    stated = (
        *full.picks[0].paper.facts,
        Fact(FactKind.PROJECT, "https://example.org/project", "Sample"),
        Fact(FactKind.STARS, "34", "Sample"),
    )
    paper = replace(full.picks[0].paper, arxiv_id="2505.00001", upvotes=7, organisation="An institute", facts=stated)
    stating = replace(full, picks=(replace(full.picks[0], paper=paper), *full.picks[1:]))
    editions: dict[str, Edition] = {
        "edition": stating,
        "single pick": replace(stating, picks=stating.picks[:1]),
        "weekly": replace(stating, is_weekly=True),
        "alert": replace(stating, kind=EditionKind.ALERT),
        "test": replace(stating, is_test=True),
        "quiet": sample_quiet_edition(),
    }
    pages = {name: render_mail(templates, edition, links).html for name, edition in editions.items()}
    pages["votes by mail"] = render_mail(templates, stating, MailboxLinks(PAGES)).html
    letter = Letter(
        replace(full, kind=EditionKind.LETTER, picks=full.picks[:1]),
        liked=(paper, full.picks[1].paper),
        disliked=1,
        raised=(LearnedPhrase("reward models", 0.5, 1.0, ("A paper",)),),
        lowered=(LearnedPhrase("images", -0.2, 0.4, ("Another",)),),
        record=MatchRecord(9, 7),
    )
    pages["letter"] = render_mail(templates, letter, links).html
    for known in (True, False):
        parts = render_confirmation(templates, known=known, title="Sample", links=_PageLinks(PAGES), public_url="x")
        pages[f"confirmation, {known=}"] = parts.html
    return pages


class _PageLinks(SampleLinks):
    def confirm(self) -> str:
        return f"{PAGES}/confirm/sample"


def test_each_feature_of_a_mail_has_a_row_and_each_row_a_use(mails):
    used = {name: features(page) for name, page in mails.items()}
    assert {name: page - TABLE.keys() for name, page in used.items() if page - TABLE.keys()} == {}
    assert TABLE.keys() - set().union(*used.values()) == set()


@pytest.mark.parametrize("feature", TABLE)
def test_what_a_program_lacks_has_a_fallback(feature):
    row = TABLE[feature]
    assert row.keys() <= {"page", "tested", "no", "partly", "unknown", "fallback"}
    assert ("page" in row) == ("tested" in row)
    partly = {program for programs, note in row.get("partly", ()) for program in programs if note}
    missing = set(row.get("no", ())) | set(row.get("unknown", ()))
    assert missing | partly <= set(PROGRAMS)
    if missing or "page" not in row:
        assert row.get("fallback")
    else:
        assert partly or "fallback" not in row, "nobody sees it"


@pytest.mark.parametrize(
    ("fragment", "feature"),
    [
        ("<img src='x'>", "<img>"),
        ("<p style='display: flex'>x</p>", "display: flex"),
        ("<p style='border-top: 1px solid #fff'>x</p>", "border outside cells"),
        ("<div style='max-width: 600px'>x</div>", "max-width outside tables"),
        ("<p style='margin: 0 auto'>x</p>", "margin: auto"),
        ("<p style='margin: -2px'>x</p>", "negative margin"),
        ("<p style='font-size: 2rem'>x</p>", "rem"),
        ("<p style='color: rgb(1, 2, 3)'>x</p>", "rgb()"),
    ],
)
def test_a_feature_without_a_row_would_be_noticed(fragment, feature):
    page = f"<!DOCTYPE html><html><head><style></style></head><body>{fragment}</body></html>"
    assert feature in features(page) - TABLE.keys()


@pytest.mark.parametrize("sheet", ["p { color: red; }", "@media print { .a { color: red; } }", ".a { color }"])
def test_a_style_sheet_that_is_not_read_in_full_is_an_error(sheet):
    with pytest.raises(ValueError, match="not read"):
        features(f"<!DOCTYPE html><html><head><style>{sheet}</style></head><body>x</body></html>")


def _as_in_word(page: str) -> str:
    """Return a mail without what Word lacks by the table, and with what it alone reads."""
    document = html.document_fromstring(page)
    (sheet,) = document.iter("style")
    sheet.text = ""
    for element in document.iter(etree.Element):
        style = element.get("style", "").replace("mso-padding-alt", "padding")
        lines = [
            f"{name}: {value}"
            for name, value in _matches(_DECLARATION, style)
            if not any(
                "outlook-windows" in TABLE.get(feature, {}).get("no", ())
                for feature in _of_declarations(f"{name}: {value}", {element.tag})
            )
        ]
        element.set("style", "; ".join(lines))
    return str(html.tostring(document, encoding="unicode", doctype="<!DOCTYPE html>"))


def test_in_word_buttons_and_margins_stay(browser, mails):
    with browser.new_context(viewport={"width": 600, "height": 800}) as context:
        tab = context.new_page()
        tab.set_content(_as_in_word(mails["edition"]))
        assert "padding" not in tab.locator("a.thumb").first.get_attribute("style")  # type: ignore[operator]
        boxes = [button.bounding_box() for button in tab.locator("td.button").all()]
        assert len(boxes) == 9
        for row in zip(boxes[::3], boxes[1::3], boxes[2::3], strict=True):
            assert all(box and box["height"] >= 44 and box["width"] >= 100 for box in row)
            assert len({box["y"] for box in row if box}) == 1
        title = tab.locator("h2.title").first.bounding_box()
        assert title
        assert title["x"] >= 28
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_gmail_keeps_the_style_sheet(mails):
    for page in mails.values():
        assert 0 < len(re.findall(r"<style>(.*?)</style>", page, re.S)[0]) <= GMAIL_STYLE_SHEET


def test_gmail_clips_no_large_edition(templates: Environment, links: Links) -> None:
    # Equations and letters with accents, which quoted-printable makes longer.
    summary = ("Für α = β, Größe ≤ 3 & “mehr” " * 40,)
    picks = tuple(make_pick(make_paper(n, f"Größe = α{n}"), summary=summary) for n in range(25))
    edition = replace(sample_edition(), picks=picks)
    body = mail_bytes(
        render_mail(templates, edition, links),
        sender="Paperbot <bot@example.org>",
        recipient="ada@example.org",
        unsubscribe_url="https://papers.example.org/unsubscribe/u",
        list_id="Sample <sample.example.org>",
        message_id="<1@example.org>",
        date=edition.composed_at,
    )
    html_part = body[body.index(b"Content-Type: text/html") :]
    assert 60_000 < len(html_part) < GMAIL_CLIPS_AT
