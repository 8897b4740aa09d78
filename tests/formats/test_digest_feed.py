"""RSS and Atom, arXiv's and others', sound and broken."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
import time_machine

from bot.formats.feed_xml import MAX_ITEMS
from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, RawDigest
from bot.model.errors import DigestError

ARXIV_RSS = Path(__file__).with_name("made").joinpath("feed-arxiv-announcements.xml").read_text()


def read(content: bytes | str) -> ParsedDigest:
    (digest,) = parse(RawDigest("test", "x", content.encode() if isinstance(content, str) else content))
    return digest


def rss(*items: str, channel: str = "<title>Blog</title>") -> str:
    return f"<rss version='2.0'><channel>{channel}{''.join(f'<item>{item}</item>' for item in items)}</channel></rss>"


def one(item: str) -> Entry:
    digest = read(rss(item))
    assert digest.rejected == ()
    return digest.entries[0]


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x", ""])
def test_only_http_links_are_kept(link: str) -> None:
    assert one(f"<title>Owls</title><link>{link}</link>").url is None


def test_an_id_of_another_site_is_not_an_arxiv_id() -> None:
    assert one("<title>Owls</title><link>https://example.org/2508.13426</link>").arxiv_id is None


def test_line_ends_controls_and_overrides_in_a_title_are_cleaned_and_joiners_stay() -> None:
    assert one("<title>A&#13;&#10;B\u202e\u200d C</title>").title == "A B\u200d C"


@pytest.mark.parametrize("when", ["yesterday", "Wed, 99 Foo 2025", "0000-00-00", "99999-01-01T00:00:00Z"])
def test_impossible_dates_are_left_out(when: str) -> None:
    assert one(f"<title>A</title><pubDate>{when}</pubDate>").published is None


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("Thu, 21 May 2026 04:40:42 PDT", date(2026, 5, 21)),
        ("Thu, 21 May 2026 20:40:42 PDT", date(2026, 5, 22)),
        # Midnight is how a day is written, whatever the zone.
        ("Thu, 21 May 2026 00:00:00 +0200", date(2026, 5, 21)),
        ("2026-05-21T23:30:00-07:00", date(2026, 5, 22)),
        ("2026/05/21", date(2026, 5, 21)),
        ("May 21, 2026", date(2026, 5, 21)),
        ("2026-05", date(2026, 5, 1)),
        ("2026-W10", date(2026, 3, 2)),
        ("2026", None),
        ("--05-21", None),
        ("26-05-21", None),
        ("Spring 2026", None),
    ],
)
def test_no_date_depends_on_the_clock(written: str, day: date | None) -> None:
    # feedparser 6.0.14 takes what a date lacks from the clock (feedparser/datetimes/iso8601.py).
    for now in (date(2026, 1, 31), date(2031, 12, 1)):
        with time_machine.travel(now):
            assert one(f"<title>A</title><pubDate>{written}</pubDate>").published == day


@pytest.mark.parametrize(
    ("last", "titles"),
    [
        ("<title>Bees Da", ["Owls See"]),
        ("<link>/2</link><title>Bees Da", ["Owls See"]),
        ("<link>/2</link><title>Bees Dance</ti", ["Owls See"]),
        ("<title>Bees Dance</title><description>By d", ["Owls See", "Bees Dance"]),
    ],
)
def test_a_feed_that_is_cut_off_keeps_its_whole_titles(last: str, titles: list[str]) -> None:
    digest = read(f"<rss version='2.0'><channel><item><title>Owls See</title></item><item>{last}")
    assert [entry.title for entry in digest.entries] == titles
    assert digest.rejected[0].startswith("cut off: ")


def test_a_long_title_is_kept_and_a_longer_one_is_cut() -> None:
    assert len(one(f"<title>{'owls ' * 100}</title>").title) == 499
    title = one(f"<title>{'owls ' * 300}</title>").title
    assert (len(title), title[-1]) == (1_000, "…")


@pytest.mark.parametrize(
    ("creators", "authors"),
    [
        (["Lovelace, Ada"], ("Ada Lovelace",)),
        (["Ada Lovelace and Grace Hopper"], ("Ada Lovelace", "Grace Hopper")),
        (["Plato, Sappho, Homer"], ("Plato", "Sappho", "Homer")),
        (["&lt;a href='/x'&gt;Ada Lovelace&lt;/a&gt;, Grace Hopper"], ("Ada Lovelace", "Grace Hopper")),
        (["Ada Lovelace", "Ada Lovelace"], ("Ada Lovelace",)),
        (["Lovelace A, Hopper G, et al. "], ("A Lovelace", "G Hopper")),
        (["Lovelace, A., van der Hopper, G. M."], ("A. Lovelace", "G. M. van der Hopper")),
        (["Lovelace, A."], ("A. Lovelace",)),
        (["Lovelace, Ada; Hopper, Grace"], ("Ada Lovelace", "Grace Hopper")),
        (["Ada Lovelace, M.D., Grace Hopper, Ph.D."], ("Ada Lovelace", "Grace Hopper")),
        (["Ada Lovelace*†, and Grace Hopper§"], ("Ada Lovelace", "Grace Hopper")),
        (["Ada Lovelacea Department of Owls, University of X, Berlin"], ("Ada Lovelace",)),
        (["Ada Lovelace, Institute of Owls, Berlin"], ("Ada Lovelace",)),
        (
            ["Ada Lovelace, The Owl Institute Collaboration"],
            ("Ada Lovelace", "The Owl Institute Collaboration"),
        ),
    ],
)
def test_each_author_is_there_once_and_nobody_else(creators: list[str], authors: tuple[str, ...]) -> None:
    xmlns = "xmlns:dc='http://purl.org/dc/elements/1.1/'"
    elements = "".join(f"<dc:creator {xmlns}>{creator}</dc:creator>" for creator in creators)
    assert one(f"<title>Owls</title>{elements}").authors == authors


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("ada@example.org (Ada Lovelace)", "Ada Lovelace"),
        ("Ada Lovelace &lt;ada@example.org&gt;", "Ada Lovelace"),
        ("Ada Lovelace", "Ada Lovelace"),
    ],
)
def test_an_author_with_a_mail_address_is_called_by_name(author: str, name: str) -> None:
    assert one(f"<title>A</title><author>{author}</author>").authors == (name,)


def test_a_character_outside_of_xml_is_dropped() -> None:
    assert one("<title>A\ufffe\uffff\x01B</title>").title == "AB"


def test_a_wrong_encoding_is_accepted_with_a_problem() -> None:
    digest = read(f"<?xml version='1.0' encoding='us-ascii'?>{rss('<title>Käuze</title>')}")
    assert digest.entries[0].title == "Käuze"
    assert "encoding" in digest.rejected[0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-16-le"])
def test_other_encodings_and_byte_order_marks_are_read(encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    declared = "utf-16" if "16" in encoding else "utf-8"
    text = f"{mark}<?xml version='1.0' encoding='{declared}'?>{rss('<title>Käuze</title>')}"
    assert read(text.encode(encoding)).entries[0].title == "Käuze"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<?xml version='1.0'?><html><body>Error</body></html>", "an HTML page, not a feed"),
        ("<?xml version='1.0'?><opml version='2.0'/>", "OPML, a list of feeds; add them with"),
        ("<?xml version='1.0'?><owl/>", "XML, but neither RSS nor Atom; export a library as BibTeX or RIS"),
        ("<!DOCTYPE html><p>Owls", "an HTML page"),
    ],
)
def test_other_xml_is_refused_by_name(content: str, message: str) -> None:
    with pytest.raises(DigestError, match=message):
        read(content)


def test_entities_neither_explode_nor_open_files(tmp_path) -> None:
    (tmp_path / "secret").write_text("hidden")
    bomb = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 12))
    for declared in (f"<!ENTITY e0 'ha'>{bomb}", f"<!ENTITY e11 SYSTEM 'file://{tmp_path}/secret'>"):
        digest = read(f"<!DOCTYPE rss [{declared}]>{rss('<title>A &e11;</title>')}")
        assert all(len(entry.title) < 300 and "hidden" not in entry.title for entry in digest.entries)


def test_a_path_as_content_opens_nothing(tmp_path) -> None:
    (tmp_path / "feed.xml").write_text(ARXIV_RSS)
    for content in (str(tmp_path / "feed.xml"), f"file://{tmp_path}/feed.xml"):
        with pytest.raises(DigestError):
            read(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (rss(*["<title>A</title>"] * (MAX_ITEMS + 1)), "5,001 items, more than the 5,000"),
        (rss("<title>" + "<a>" * 100_000), "100,009 tags, more than the 100,000"),
        (rss("<title>" + "&lt;" * 500_001 + "</title>"), "500,001 references, more than the 500,000"),
    ],
)
def test_too_many_items_tags_or_references_are_refused_before_parsing(content: str, message: str) -> None:
    with pytest.raises(DigestError, match=message):
        read(content)
