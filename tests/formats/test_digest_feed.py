"""RSS and Atom, arXiv's and others', sound and broken."""

from __future__ import annotations

import contextlib
from datetime import date

import pytest
import time_machine
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.formats.feed import MAX_ITEMS
from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, RawDigest
from bot.model.errors import DigestError

ARXIV_RSS = r"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">
<channel><title>cs.OW updates on arXiv.org</title>
<lastBuildDate>Wed, 20 Aug 2025 04:00:09 +0000</lastBuildDate>
<item><title>Owls at $x&lt;y$ and Andr\'e's Night</title><link>https://arxiv.org/abs/2508.13426</link>
<description>arXiv:2508.13426v1 Announce Type: cross
Abstract: Owls see $x&lt;y$ and z&gt;1 well.</description>
<guid isPermaLink="false">oai:arXiv.org:2508.13426v1</guid><category>cs.OW</category><category>cs.AI</category>
<pubDate>Wed, 20 Aug 2025 00:00:00 -0400</pubDate><arxiv:announce_type>cross</arxiv:announce_type>
<dc:creator>Ada Lovelace (1), OpenAI (1, 2 (both)), Sammy Davis, Jr.</dc:creator>
<arxiv:DOI>10.1000/Owl</arxiv:DOI></item>
<item><title>Bees by Day</title><link>https://arxiv.org/abs/2501.00001</link>
<description>arXiv:2501.00001v3 Announce Type: replace-cross
Abstract: Bees count.</description>
<guid isPermaLink="false">oai:arXiv.org:2501.00001v3</guid><pubDate>Wed, 20 Aug 2025 00:00:00 -0400</pubDate>
<arxiv:announce_type>replace-cross</arxiv:announce_type>
<dc:creator>Grace Hopper</dc:creator><dc:creator>Alan Turing</dc:creator></item>
</channel></rss>"""

OWLS = Entry(
    title=r"Owls at $x<y$ and Andr\'e's Night",
    abstract="Owls see $x<y$ and z>1 well.",
    authors=("Ada Lovelace", "OpenAI", "Sammy Davis, Jr."),
    published=date(2025, 8, 20),
    arxiv_id="2508.13426",
    doi="10.1000/Owl",
    version=1,
    categories=("cs.OW", "cs.AI"),
)
BEES = Entry(
    title="Bees by Day",
    abstract="Bees count.",
    authors=("Grace Hopper", "Alan Turing"),
    published=date(2025, 8, 20),
    arxiv_id="2501.00001",
    version=3,
    replacement=True,
)


def read(content: bytes | str) -> ParsedDigest:
    (digest,) = parse(RawDigest("test", "x", content.encode() if isinstance(content, str) else content))
    return digest


def rss(*items: str, channel: str = "<title>Blog</title>") -> str:
    return f"<rss version='2.0'><channel>{channel}{''.join(f'<item>{item}</item>' for item in items)}</channel></rss>"


def one(item: str) -> Entry:
    digest = read(rss(item))
    assert digest.rejected == ()
    return digest.entries[0]


def test_arxivs_announcements_are_read_with_type_categories_and_versions() -> None:
    assert read(ARXIV_RSS) == ParsedDigest("feed", "cs.OW updates on arXiv.org", date(2025, 8, 20), (OWLS, BEES))


def test_the_topic_of_an_answer_of_arxivs_api_is_its_query() -> None:
    digest = read(
        """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
        <title>arXiv Query: search_query=cat:cs.OW+AND+ti:bees&amp;id_list=&amp;start=0&amp;max_results=1</title>
        <updated>2026-04-12T22:10:08Z</updated>
        <entry><id>http://arxiv.org/abs/hep-ow/0601001v2</id><title>Old
          Owls</title><summary>  They see. </summary><published>2006-01-02T14:57:58Z</published>
        <updated>2007-01-02T14:57:58Z</updated><arxiv:primary_category term="hep-ow"/>
        <category term="math.OW"/><category term="hep-ow"/>
        <author><name>Ada Lovelace</name></author><author><name>Grace Hopper</name></author></entry></feed>"""
    )
    assert (digest.topic, digest.date) == ("arXiv cat:cs.OW AND ti:bees", date(2026, 4, 12))
    assert digest.entries == (
        Entry(
            title="Old Owls",
            abstract="They see.",
            authors=("Ada Lovelace", "Grace Hopper"),
            published=date(2006, 1, 2),
            arxiv_id="hep-ow/0601001",
            version=2,
            categories=("hep-ow", "math.OW"),
        ),
    )


def test_an_error_of_arxivs_api_is_reported_and_not_a_paper() -> None:
    digest = read(
        """<feed xmlns="http://www.w3.org/2005/Atom"><title>Error</title><entry>
        <id>https://arxiv.org/api/errors#id</id><title>Error</title><summary>bad id</summary></entry></feed>"""
    )
    assert (digest.entries, digest.rejected) == ((), ("arXiv answers: bad id",))


def test_html_tags_are_removed_and_everything_else_is_text() -> None:
    entry = one(
        "<title>&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &lt;b&gt;bold&lt;/b&gt;</title>"
        "<description>&lt;p class='x'&gt;One &amp;amp; two&lt;br/&gt;three&lt;/p&gt;</description>"
        "<link>https://example.org/a</link>"
    )
    assert entry.title == "<script>alert(1)</script> & bold"
    assert entry.abstract == "One & two three"
    assert entry.url == "https://example.org/a"


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x", ""])
def test_only_http_links_are_kept(link: str) -> None:
    assert one(f"<title>Owls</title><link>{link}</link>").url is None


def test_an_id_of_another_site_is_not_an_arxiv_id() -> None:
    assert one("<title>Owls</title><link>https://example.org/2508.13426</link>").arxiv_id is None


def test_a_doi_is_read_from_each_element_that_publishers_use() -> None:
    assert one("<title>Owls</title><link>https://doi.org/10.1000/a.b</link>").doi == "10.1000/a.b"
    entry = one("<title>Owls</title><guid>https://doi.org/10.48550/arXiv.2508.13426</guid>")
    assert (entry.doi, entry.arxiv_id) == (None, "2508.13426")


@pytest.mark.parametrize(
    ("creator", "authors"),
    [
        ("Lovelace, Ada", ("Ada Lovelace",)),
        ("Ada Lovelace and Grace Hopper", ("Ada Lovelace", "Grace Hopper")),
        ("Plato, Sappho, Homer", ("Plato", "Sappho", "Homer")),
        ("&lt;a href='/x'&gt;Ada Lovelace&lt;/a&gt;, Grace Hopper", ("Ada Lovelace", "Grace Hopper")),
    ],
)
def test_authors_in_one_element_are_split(creator: str, authors: tuple[str, ...]) -> None:
    xmlns = "xmlns:dc='http://purl.org/dc/elements/1.1/'"
    digest = read(rss(f"<title>Owls</title><dc:creator {xmlns}>{creator}</dc:creator>"))
    assert digest.entries[0].authors == authors


def test_line_ends_controls_and_overrides_in_a_title_are_cleaned_and_joiners_stay() -> None:
    assert one("<title>A&#13;&#10;B\u202e\u200d C</title>").title == "A B\u200d C"


def test_mojibake_in_names_is_repaired() -> None:
    assert one("<title>Dirk WÃ¼bben, JosÃ\u00ad</title>").title == "Dirk Wübben, Josí"
    assert one("<title>SÃO Ü – naïve</title>").title == "SÃO Ü – naïve"


def test_an_item_without_a_title_is_rejected_alone() -> None:
    digest = read(rss("<title>Owls</title>", "<description>No title.</description>"))
    assert [entry.title for entry in digest.entries] == ["Owls"]
    assert digest.rejected == ("item 2: a paper without a title",)


def test_a_date_far_in_the_future_is_left_out_and_reported() -> None:
    day = "<pubDate>Wed, 20 Aug 2025 00:00:00 GMT</pubDate>"
    digest = read(
        rss(
            *(f"<title>{n}</title>{day}" for n in "AB"),
            "<title>C</title><pubDate>1 Jan 2099 00:00:00 GMT</pubDate>",
        )
    )
    assert digest.date == date(2025, 8, 20)
    assert [entry.published for entry in digest.entries] == [digest.date, digest.date, None]
    assert digest.rejected == ('item 3: "C" is dated 2099-01-01, after its feed; the date is left out',)


@pytest.mark.parametrize("when", ["yesterday", "Wed, 99 Foo 2025", "0000-00-00", "99999-01-01T00:00:00Z"])
def test_impossible_dates_are_left_out(when: str) -> None:
    assert one(f"<title>A</title><pubDate>{when}</pubDate>").published is None


def test_a_feed_without_a_date_has_that_of_its_newest_item_and_each_item_its_own() -> None:
    days = ["2026-10-30", "2026-11-06", "2026-11-27", "2026-11-13"]
    digest = read(rss(*(f"<title>{day}</title><pubDate>{day}</pubDate>" for day in days)))
    assert digest.date == date(2026, 11, 27)
    assert [str(entry.published) for entry in digest.entries] == days
    assert digest.rejected == ()


def test_a_feed_whose_own_date_is_long_past_loses_no_dates() -> None:
    item = "<title>A</title><pubDate>Thu, 21 May 2026 10:00:00 GMT</pubDate>"
    digest = read(rss(item, channel="<title>Blog</title><pubDate>Tue, 01 Jan 2019 00:00:00 GMT</pubDate>"))
    assert (digest.date, digest.entries[0].published, digest.rejected) == (date(2026, 5, 21), date(2026, 5, 21), ())


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


def test_a_long_title_is_kept_and_a_longer_one_is_cut() -> None:
    assert len(one(f"<title>{'owls ' * 100}</title>").title) == 499
    title = one(f"<title>{'owls ' * 300}</title>").title
    assert (len(title), title[-1]) == (1_000, "…")


@pytest.mark.parametrize(
    ("creators", "authors"),
    [
        ("<dc:creator>Ada Lovelace</dc:creator><dc:creator>Ada Lovelace</dc:creator>", ("Ada Lovelace",)),
        ("<dc:creator>Lovelace A, Hopper G, et al. </dc:creator>", ("A Lovelace", "G Hopper")),
        ("<dc:creator>Lovelace, A., van der Hopper, G. M.</dc:creator>", ("A. Lovelace", "G. M. van der Hopper")),
        ("<dc:creator>Lovelace, A.</dc:creator>", ("A. Lovelace",)),
        ("<dc:creator>Lovelace, Ada; Hopper, Grace</dc:creator>", ("Ada Lovelace", "Grace Hopper")),
        ("<dc:creator>Ada Lovelace, M.D., Grace Hopper, Ph.D.</dc:creator>", ("Ada Lovelace", "Grace Hopper")),
        ("<dc:creator>Ada Lovelace*†, and Grace Hopper§</dc:creator>", ("Ada Lovelace", "Grace Hopper")),
        ("<dc:creator>Ada Lovelacea Department of Owls, University of X, Berlin</dc:creator>", ("Ada Lovelace",)),
        ("<dc:creator>Ada Lovelace, Institute of Owls, Berlin</dc:creator>", ("Ada Lovelace",)),
        (
            "<dc:creator>Ada Lovelace, The Owl Institute Collaboration</dc:creator>",
            ("Ada Lovelace", "The Owl Institute Collaboration"),
        ),
    ],
)
def test_each_author_is_there_once_and_nobody_else(creators: str, authors: tuple[str, ...]) -> None:
    digest = read(
        rss(f"<title>Owls</title>{creators}").replace("<rss", "<rss xmlns:dc='http://purl.org/dc/elements/1.1/'")
    )
    assert digest.entries[0].authors == authors


def test_the_doi_is_found_among_several_identifiers() -> None:
    # feedparser 6.0.14 keeps the last element of a name that it doesn't know.
    identifiers = "<dc:identifier>doi:10.1136/owls-1</dc:identifier><dc:identifier>hwp:owls;12/3</dc:identifier>"
    digest = read(
        rss(f"<title>Owls</title>{identifiers}").replace("<rss", "<rss xmlns:dc='http://purl.org/dc/elements/1.1/'")
    )
    assert digest.entries[0].doi == "10.1136/owls-1"


def test_a_truncated_feed_gives_the_papers_before_the_cut_and_a_problem() -> None:
    feed = rss("<title>A</title><description>a.</description>", "<title>B</title><description>b.</description>")
    digest = read(feed[: feed.index("b.")])
    assert [entry.title for entry in digest.entries] == ["A", "B"]
    assert "no well-formed XML" in digest.rejected[0]
    assert "the last paper may be cut off" in digest.rejected[0]


def test_malformed_xml_affects_its_own_item_only() -> None:
    digest = read(
        rss(
            "<title>A &nbsp; B</title><description>R&D, $x & y$ &custom;</description>",
            "<title>B</title><description><p>b<br></description>",
            "<title>C</title><link>https://example.org/c</link><a b=c d>",
            "<title>D</title><dc:creator>Ada Lovelace</dc:creator><description>d.</description>",
        )
    )
    assert [entry.title for entry in digest.entries] == ["A B", "B", "C", "D"]
    assert digest.entries[0].abstract == "R&D, $x & y$ &custom;"
    assert (digest.entries[3].authors, digest.entries[3].abstract) == (("Ada Lovelace",), "d.")
    assert "no well-formed XML" in digest.rejected[0]


def test_items_whose_elements_are_empty_are_read() -> None:
    digest = read(
        '<feed xmlns="http://www.w3.org/2005/Atom"><title/><entry><id/><title/><link/></entry>'
        "<entry><title>A</title><id/><link/><author/><content/><summary/></entry></feed>"
    )
    assert [(entry.title, entry.authors, entry.abstract, entry.url) for entry in digest.entries] == [
        ("A", (), "", None)
    ]
    assert digest.rejected == ("item 1: a paper without a title",)


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
        ("<?xml version='1.0'?><owl/>", "XML, but neither RSS nor Atom"),
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


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_a_damaged_feed_is_read_or_refused(data: st.DataObject) -> None:
    feed = ARXIV_RSS.encode()
    cut, at = data.draw(st.integers(0, len(feed))), data.draw(st.integers(0, len(feed)))
    content = feed[:cut] + data.draw(st.binary(max_size=30)) + feed[at:]
    with contextlib.suppress(DigestError):
        for digest in parse(RawDigest("test", "x", content)):
            assert all(entry.title and "\x00" not in entry.title + entry.abstract for entry in digest.entries)
