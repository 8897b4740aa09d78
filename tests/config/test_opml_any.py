"""Any bytes are parsed as feeds, or refused with one clear error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.home import parse_opml
from bot.model.errors import PaperbotError, UsageError

PIECES = st.sampled_from(
    [
        "<opml>",
        "<body>",
        '<outline xmlUrl="https://a.example/x" text="A"/>',
        "<outline",
        '<outline xmlUrl="http://[x"/>',
        "</body>",
        "</opml>",
        "&#0;",
        'xmlUrl="file:///etc/passwd"',
        "/>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "&b;",
        "\x00",
        "ü",
    ]
)


@given(st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=12).map(lambda p: " ".join(p).encode())))
def test_any_bytes_are_feeds_with_web_addresses_or_an_error(content):
    try:
        feeds = parse_opml(content)
    except PaperbotError:
        return
    assert all(url.startswith(("http://", "https://")) for url in feeds)


def test_an_invalid_url_does_not_stop_the_other_feeds():
    outlines = "".join(
        f'<outline xmlUrl="{url}"/>' for url in ("http://[x", "http://", f"http://a/{'a' * 3000}", "http://a.example/")
    )
    (url,) = parse_opml(f"<opml><body>{outlines}</body></opml>".encode())
    assert url == "http://a.example/"


@pytest.mark.parametrize("encoding", ["hex", "rot13", "undefined", "punycode", "utf-32", "x" * 100_000])
def test_an_unknown_declared_encoding_is_refused_in_a_short_message(encoding):
    declaration = f"<?xml version='1.0' encoding='{encoding}'?>"
    with pytest.raises(UsageError, match="not OPML") as caught:
        parse_opml(f"{declaration}<opml><outline xmlUrl='http://a.example/x'/></opml>".encode())
    assert len(str(caught.value)) < 300
