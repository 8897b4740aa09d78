"""Whatever a feed reader's list holds, it is feeds or one clear error."""

from hypothesis import given
from hypothesis import strategies as st

from bot.config.opml import feeds_in
from bot.errors import PaperbotError

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
        feeds = feeds_in(content)
    except PaperbotError:
        return
    assert all(feed.url.startswith(("http://", "https://")) for feed in feeds)


def test_an_address_that_is_none_costs_itself_alone():
    outlines = "".join(
        f'<outline xmlUrl="{url}"/>'
        for url in ("http://[x", "http://", f"http://a/{'a' * 3000}", "http://a.example/")
    )
    (feed,) = feeds_in(f"<opml><body>{outlines}</body></opml>".encode())
    assert feed.url == "http://a.example/"
