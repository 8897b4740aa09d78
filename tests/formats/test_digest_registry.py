"""Recognising digests by their content, whatever bytes come."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.formats.json_lists import JSON_LIST
from bot.formats.registry import DOCUMENTS, FORMATS, parse
from bot.model import Entry, ParsedDigest, RawDigest
from bot.model.errors import DigestError

DAY = date(2026, 4, 17)
ABOVE = "new\n\nGet trending papers in your email inbox!\n\nSubscribe\n\n"
KEYWORD = "Owls - 2026-04-17\n\nOwls at Night\n\nAuthors:Ada Lovelace\nDate:2026-04-16\n\nOwls see well.\n"
PAGE = (
    "Daily Papers\n\nbyAK and the research community\n\nApr 17\n\n"
    "Bees by Day\n\nBees count.\n\n  • 2 authors\n·\nMay 1, 2025\n"
)


def read(content: bytes | str) -> tuple[ParsedDigest, ...]:
    return parse(RawDigest("test", "x.txt", content.encode() if isinstance(content, str) else content))


def refusal(content: bytes | str) -> str:
    with pytest.raises(DigestError) as refused:
        read(content)
    return str(refused.value)


def test_the_order_of_the_registry_decides_nothing() -> None:
    titles = [form.title for form in (*FORMATS, *DOCUMENTS)]
    assert len(set(titles)) == len(titles)
    # Formats may begin on the same line; then these decide.
    assert len({form.specificity for form in FORMATS}) == len(FORMATS)


@pytest.mark.parametrize(
    ("beginning", "title"),
    [
        *(
            (file.read_text(), "RSS or Atom feed")
            for file in sorted((Path(__file__).parent / "made").glob("feed-*.xml"))
        ),
        ('{"messages": [], "collection": []}', JSON_LIST.title),
        ('[\n  {"paper": {"id": "2606.00467"}}]', JSON_LIST.title),
        ("[]", JSON_LIST.title),
        ((Path(__file__).parent / "made" / "pubmed.xml").read_text(), "PubMed XML"),
        ("<PubmedArticleSet></PubmedArticleSet>", "PubMed XML"),
        ("{\\rtf1 Owls}", None),
        # Markdown that begins like a list.
        ("[![Contributors][c]][u]\n\n# Owls", None),
        ("[Owls](https://example.org/owls)", None),
        ("[[Back]](#toc)", None),
        ("[1] Owls by night", None),
        (KEYWORD, None),
        (PAGE, None),
    ],
)
def test_one_document_at_most_recognises_a_file(beginning: str, title: str | None) -> None:
    assert [form.title for form in DOCUMENTS if form.beginning.match(beginning)] == ([title] if title else [])


@pytest.mark.parametrize(
    "prose",
    [
        "Dear all, the meeting is moved to Monday.",
        "Minutes - 2026-04-17\n\nWe met.\n\nWe parted.",
        "I read the Daily Papers\n\nDaily Papers\n\nThey are good.",
        "Owls at Night\n\nAuthors:Ada Lovelace\n\nOwls see well.",
    ],
)
def test_prose_is_refused_in_one_line_with_a_remedy(prose: str) -> None:
    first, _, _ = prose.partition("\n")
    assert refusal(prose) == (
        f'no papers in a format that Paperbot reads (the first line is "{first}"); '
        "move it elsewhere if it is no digest, or save it in a format of docs/formats.md"
    )


def test_a_document_of_another_kind_is_named() -> None:
    assert refusal(r"{\rtf1 Owls}") == "an RTF document; save it as text"


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("\n<!DOCTYPE html><p>Owls", "an HTML page, not a feed or digest; look on it"),
        ("<html lang='en'>", "an HTML page"),
        ("<?xml version='1.0'?>\n<!-- saved -->\n<html><body>Owls", "an HTML page"),
        ('<html><head><meta content="index" name="robots"><title>Owls</title></head>', "an HTML page"),
        # Whole pages have forms to sign in and against robots.
        ("<html><body>" + "<p>Owls see by night.</p>" * 500 + '<input type="password"> captcha', "an HTML page"),
        ("<!DOCTYPE html><html><head><title>Just a moment...</title>", "a page that checks for robots"),
        ("<html><body>Please verify you are a human" + " " * 9_000, "a page that checks for robots"),
        ("<html><body><h2>Checking your browser before accessing example.org</h2>", "a page that checks for robots"),
        ("<html><body>Request unsuccessful. Incapsula incident ID: 1-2</body>", "a page that checks for robots"),
        ("<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>", "a page that checks for robots"),
        ("<html><script>var dd={'host':'geo.captcha-delivery.com'}</script>", "a page that checks for robots"),
        ("<!doctype html><title>Sign in - Owl University</title>", "a login page"),
        ('<html><form><input name="p" type="password"></form>', "a login page"),
    ],
)
def test_a_page_is_refused_by_what_it_is_and_what_to_do(page: str, kind: str) -> None:
    assert refusal(page).startswith(kind)


@pytest.mark.parametrize("texts", [(KEYWORD, PAGE), (PAGE, KEYWORD), (PAGE, KEYWORD, PAGE), (KEYWORD, ABOVE + PAGE)])
@pytest.mark.parametrize("between", ["", "\n\n"])
def test_several_formats_in_one_file_are_each_read(texts: tuple[str, ...], between: str) -> None:
    assert list(read(between.join(texts))) == [read(text)[0] for text in texts]


def test_a_long_text_above_the_first_digest_is_named_as_unread() -> None:
    (digest,) = read("# Another digest\n\n" + "Cats sleep. " * 40 + "\n\n" + KEYWORD)
    assert len(digest.entries) == 1
    assert len(digest.rejected) == 1
    assert digest.rejected[0].startswith('line 3: of no known format: "Cats sleep.')


FRAGMENTS = """\
Owls - 2026-04-17
Owls - 9999-99-99
Daily Papers
byAK and the research community
Apr 17
Authors:Ada, Bob
Authors :
Date:2026-04-16
Date: 0000-00-00
Owls at Night
Owls see.
  • 8 authors
• 99999 authors
·
May 30, 2025 4
Feb 30
slug Name
new
Subscribe

""".split("\n")
fragments = st.sampled_from([*FRAGMENTS, "a, " * 200, "\x00", "\u2028", "\u202e", "\ufeff"])
documents = st.builds(
    lambda parts, end, encoding: end.join(parts).encode(encoding, errors="replace"),
    st.lists(fragments | st.text(max_size=20), max_size=30),
    st.sampled_from(["\n", "\n\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "windows-1252"]),
)


@given(st.binary() | documents | st.builds(lambda text, cut: text[:cut], documents, st.integers(0, 400)))
@example(b"\xff\xfe\x00\xd8")
@example(b"\xff\xfe\x00")
def test_any_bytes_give_clean_papers_or_a_digest_error(content: bytes) -> None:
    digests: tuple[ParsedDigest, ...] = ()
    with contextlib.suppress(DigestError):
        digests = read(content)
        assert digests
    for digest in digests:
        assert digest.topic
        for entry in digest.entries:
            assert entry.title
            for text in (entry.title, entry.abstract, *entry.authors, entry.organisation or "x"):
                text.encode()
                assert text == " ".join(text.split())
                assert not set(text) & set("\x00\u2028\u202e\ufeff")


LATIN = st.sampled_from(
    ["owls", "naïve", "R1", r"Pok\'emon", r"\textbf{SIM}", r"$\epsilon<1$", "Zoë:", "a-b", "(bees)"]
)
ANY = LATIN | st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=12)
OPENING = "Every abstract here begins like this, " + "for a line that nobody wraps must be long " * 3
ENCODINGS = {
    "utf-8": ANY,
    "utf-8-sig": ANY,
    "utf-16": ANY,
    "utf-16-le": LATIN,
    "utf-16-be": LATIN,
    "windows-1252": LATIN,
}
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
GAPS = st.sampled_from(["\n", "\n\n", "\n\n\n", "\n \t\n"])


def phrases(words: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(words, min_size=1, max_size=most).map(lambda drawn: " ".join(drawn).rstrip(":") + " study")


def papers(words: st.SearchStrategy[str]) -> st.SearchStrategy[list[Entry]]:
    sentence = phrases(words, 20).map(lambda phrase: f"{phrase}.")
    return st.lists(
        st.builds(
            Entry,
            title=phrases(words, 7).map(lambda phrase: f"On {phrase}"),
            abstract=st.lists(sentence, min_size=1, max_size=3).map(lambda s: f"{OPENING}so: " + "\n".join(s)),
            authors=st.lists(phrases(words, 2), min_size=1, max_size=5).map(tuple),
            author_count=st.integers(1, 99999) | st.none(),
            published=st.dates(date(2020, 1, 1), DAY + timedelta(days=2)),
        ),
        max_size=5,
    )


def keyword_digest(entries: Iterable[Entry], gap: str) -> str:
    blocks = ["Owls - 2026-04-17"]
    for entry in entries:
        byline = f"Authors:{', '.join(entry.authors)}\nDate:{entry.published} 12:00:00"
        blocks += [entry.title, byline, entry.abstract.replace("\n", gap)]
    return gap.join(blocks)


def page(entries: Iterable[Entry], gap: str) -> str:
    blocks = ["Daily Papers", "byAK and the research community", "Apr 17, 2026"]
    for entry in entries:
        blocks += [entry.title, entry.abstract.replace("\n", gap)]
        if entry.author_count and entry.published:
            # The number of comments follows the date, where there are any.
            comments = f" {entry.author_count}" if entry.author_count % 2 else ""
            blocks.append(f"  • {entry.author_count} authors\n·\n{entry.published:%b %-d, %Y}{comments}")
    return gap.join(blocks)


@pytest.mark.parametrize("write", [keyword_digest, page])
@given(encoding=st.sampled_from(sorted(ENCODINGS)), data=st.data(), gap=GAPS, line_end=LINE_ENDS)
def test_a_generated_digest_is_read_back(
    write: Callable[[Iterable[Entry], str], str], encoding: str, data: st.DataObject, gap: str, line_end: str
) -> None:
    written = data.draw(papers(ENCODINGS[encoding]))
    (digest,) = read(write(written, gap).replace("\n", line_end).encode(encoding))
    expected = [replace(entry, abstract=" ".join(entry.abstract.split())) for entry in written]
    if write is page:
        published = [entry.published if entry.author_count else None for entry in written]
        expected = [replace(entry, authors=(), published=day) for entry, day in zip(expected, published, strict=True)]
    else:
        expected = [replace(entry, author_count=None) for entry in expected]
    assert list(digest.entries) == expected
    assert digest.rejected == ()
    assert digest.date == DAY
