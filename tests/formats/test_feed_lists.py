"""Lists of feeds in each of their forms: read, or refused with one clear error."""

import pytest

from bot.formats import Parser
from bot.formats.feed import MAX_FEEDS, is_feed_list, parse_list
from bot.model import RawDigest
from bot.model.errors import DigestError


def feeds(content):
    return parse_list(RawDigest("", "feeds", content.encode() if isinstance(content, str) else content))


def opml(*outlines, head='<?xml version="1.0" encoding="UTF-8"?>'):
    body = "\n".join(outlines)
    return f'{head}\n<opml version="2.0"><head><title>Mine</title></head><body>\n{body}\n</body></opml>'


def addresses(content):
    return [feed.url for feed in feeds(content).feeds]


def test_folders_are_entered_and_an_address_counts_once():
    nested = opml(
        '<outline text="Birds"><outline text="Night"><outline text="Owls" title="Owls &amp; Co"',
        ' type="rss" xmlUrl="https://a.example/x"/></outline>',
        '<outline text="Again" xmlURL="https://a.example/x"/></outline>',
    )
    read = feeds(nested)
    assert [(feed.title, feed.url) for feed in read.feeds] == [("Owls & Co", "https://a.example/x")]
    assert (read.format, read.problems) == ("opml", ())


@pytest.mark.parametrize(
    ("outline", "address"),
    [
        ('<outline type="rss" url="https://a.example/x"/>', "https://a.example/x"),
        ('<outline url="https://a.example/x"/>', "https://a.example/x"),
        ('<outline xmlUrl="feed://a.example/x"/>', "https://a.example/x"),
        ('<outline xmlUrl="feed:https://a.example/x"/>', "https://a.example/x"),
        ('<outline xmlUrl="feed:http://a.example/x"/>', "http://a.example/x"),
        ('<outline xmlUrl="//a.example/x"/>', "https://a.example/x"),
        ('<outline xmlUrl=" https://a.example/x "/>', "https://a.example/x"),
        ('<outline fz:quickMode="false" xmlUrl="https://a.example/x"/>', "https://a.example/x"),  # undeclared
        # Not well-formed: lxml 6.1 drops "&b=2" without a word.
        ('<outline xmlUrl="https://a.example/x?a=1&b=2&amp;c=3"/>', "https://a.example/x?a=1&b=2&c=3"),
    ],
)
def test_addresses_as_programs_write_them(outline, address):
    read = feeds(opml(outline))
    assert ([feed.url for feed in read.feeds], read.problems) == ([address], ())


def test_a_bad_outline_costs_itself_and_is_named_by_its_line_and_title():
    read = feeds(
        opml(
            '<outline text="Owls" xmlUrl="https://a.example/x"/>',
            '<outline text="Private" xmlUrl="https://ada:secret@a.example/y"/>',
            '<outline text="Page" htmlUrl="https://a.example/"/>',
            '<outline text="Script" xmlUrl="javascript:alert(1)"/>',
            '<outline text="A folder"><outline text="Bees" xmlUrl="https://b.example/x"/></outline>',
        )
    )
    assert [feed.title for feed in read.feeds] == ["Owls", "Bees"]
    private, page, script = read.problems
    assert private.startswith('line 4: "Private": passwords don\'t belong')
    assert "secret" not in private
    assert page.startswith('line 5: "Page": a page and no feed')
    assert script.startswith("line 6:")


def test_a_file_that_was_cut_off_keeps_what_it_has():
    read = feeds(opml('<outline text="Owls" xmlUrl="https://a.example/x"/>', '<outline text="Be')[:-30])
    assert [feed.title for feed in read.feeds] == ["Owls"]
    assert len(read.problems) == 1


def test_western_letters_of_an_old_export_are_read():
    text = opml('<outline text="Hibou à 9 €" xmlUrl="https://a.example/x"/>', head='<?xml encoding="iso-8859-1"?>')
    assert feeds(text.encode("cp1252")).feeds[0].title == "Hibou à 9 €"


def test_plain_addresses():
    assert addresses("# mine\nhttps://a.example/x\n\nhttps://b.example/y\n") == [
        "https://a.example/x",
        "https://b.example/y",
    ]


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        (opml(), True),
        ("<!-- made by hand -->\n<opml/>", True),
        ("\ufeffhttps://a.example/x\nhttps://b.example/y\n", True),
        ("<rss version='2.0'><channel><title>OPML</title></channel></rss>", False),
        ('{"version": "https://jsonfeed.org/version/1.1", "feed_url": "https://a.example/x", "items": []}', False),
        ('[{"title": "Owls", "url": "https://a.example/x", "abstract": "x"}]', False),
        ("https://arxiv.org/abs/2501.00001\n", False),
        ("Owls by night\nhttps://a.example/x\n", False),
        ("", False),
    ],
)
def test_what_is_a_list_of_feeds(text, is_list):
    assert is_feed_list(text) is is_list


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "not OPML"),
        ("owls", "not OPML"),
        ("<rss/>", "not OPML"),
        ("<opml/>", "0 feeds in it"),
        ("<!DOCTYPE opml [<!ENTITY a 'b'>]><opml>&a;</opml>", "document type declaration"),
        ("\n".join(f"https://a.example/{n}" for n in range(MAX_FEEDS + 1)), "501 feeds"),
    ],
)
def test_what_is_no_list_is_refused_with_the_reason(content, reason):
    with pytest.raises(DigestError, match=reason):
        feeds(content)


@pytest.mark.parametrize("encoding", ["hex", "rot13", "undefined", "punycode", "utf-32", "x" * 100_000])
def test_an_unknown_declared_encoding_costs_nothing(encoding):
    declaration = f"<?xml version='1.0' encoding='{encoding}'?>"
    assert addresses(f"{declaration}<opml><outline xmlUrl='http://a.example/x'/></opml>") == ["http://a.example/x"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [b"<outline>", b"<outline text='&", b'<outline xmlUrl="http://a/', b"https://a.example/x\n", b"<!--"],
)
def test_a_part_that_repeats_is_read_within_the_parsers_limits(part):
    with Parser() as parser:
        for beginning in (b"<opml>", b""):
            try:
                parser.parse_feeds(RawDigest("", "feeds", beginning + part * (1_000_000 // len(part))))
            except DigestError:
                continue
