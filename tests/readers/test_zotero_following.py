"""Following a Zotero library: pages, versions, deletions, collections, and a server that fails."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zotero_server import closed, truncated

from bot.channels.zotero.api import ZoteroApi, ZoteroError, changes
from bot.formats.library import parse
from bot.model import RawDigest
from bot.model.errors import ConfigError, DigestError


def titles(found):
    return [item.entry.title for item in found.entries]


def test_a_library_is_read_in_pages_of_a_hundred(api, server):
    for number in range(250):
        server.put(f"ITEM{number:04}", title=f"Owls {number}")
    changed = changes(api, (), 0, parse)
    assert titles(changed) == [f"Owls {number}" for number in range(250)]
    assert (changed.version, changed.gone) == (server.version, frozenset())
    assert server.paths() == ["/users/1/items/top"] * 3


def test_what_changed_since_a_version_comes_next(api, server):
    for name in ("STAYS", "CHANGES", "TRASHED", "DELETED"):
        server.put(name, title=name)
    before = changes(api, (), 0, parse).version
    assert changes(api, (), before, parse) is None
    server.put("CHANGES", title="Changed")
    server.put("TRASHED", deleted=1)
    server.delete("DELETED")
    server.put("ADDED", title="Added")
    changed = changes(api, (), before, parse)
    assert titles(changed) == ["Changed", "Added"]
    assert changed.gone == {"CHANGES", "TRASHED", "DELETED", "ADDED"}
    assert changed.version == server.version


def test_collections_are_followed_by_name_with_all_below(api, server):
    server.collections = {
        "TOP": {"key": "TOP", "name": "Reward models", "parentCollection": False},
        "SUB": {"key": "SUB", "name": "Verifiers", "parentCollection": "TOP"},
        "OTHER": {"key": "OTHER", "name": "Owls", "parentCollection": False},
    }
    server.put("A", title="In both", collections=["TOP", "SUB"])
    server.put("B", title="Below", collections=["SUB"])
    server.put("C", title="Elsewhere", collections=["OTHER"])
    changed = changes(api, ["Reward models"], 0, parse)
    assert titles(changed) == ["In both", "Below"]
    server.put("B", collections=["OTHER"])
    after_move = changes(api, ["Reward models"], changed.version, parse)
    assert (titles(after_move), after_move.gone) == ([], {"B"})
    with pytest.raises(ZoteroError, match=r"no collection 'Cats'.*Owls, Reward models, Verifiers"):
        changes(api, ["Cats"], 0, parse)


def test_an_item_is_read_as_the_paper_that_it_is(api, server):
    server.put(
        "A",
        itemType="preprint",
        title="  Owls\nby <i>Night</i> ",
        abstractNote="Owls see.",
        creators=[
            {"creatorType": "author", "firstName": "Ada", "lastName": "Lovelace"},
            {"creatorType": "author", "name": "Owl Society"},
            {"creatorType": "editor", "name": "Nobody"},
        ],
        archiveID="arXiv:2101.00001",
        DOI="10.1/owls",
        date="2021-01-05",
    )
    server.put("B", itemType="note", note="Buy milk")
    server.put("C", itemType="book", title="A book")
    changed = changes(api, (), 0, parse)
    (item,) = changed.entries
    assert (item.key, item.added.isoformat()) == ("A", "2025-01-02")
    assert (item.entry.title, item.entry.authors) == ("Owls by Night", ("Ada Lovelace", "Owl Society"))
    assert (item.entry.arxiv_id, item.entry.published.isoformat()) == ("2101.00001", "2021-01-05")
    assert sum(changed.skipped.values()) == 2


def test_a_library_that_changes_meanwhile_is_read_again_soon(api, server):
    for number in range(150):
        server.put(f"ITEM{number:04}", title=f"Owls {number}")
    server.before_page = lambda start: start and server.delete("ITEM0000")
    with pytest.raises(ZoteroError, match="changed while it was read") as raised:
        changes(api, (), 0, parse)
    assert raised.value.retry_after == 60
    server.before_page = lambda start: None
    assert len(changes(api, (), 0, parse).entries) == 149


@pytest.mark.parametrize(
    ("status", "headers", "wait"),
    [
        (429, {"Retry_After": "30"}, 30),
        (503, {"Retry_After": "99999999"}, 86_400),
        (503, {"Retry_After": "soon"}, 600),
        (504, {}, 600),
        (500, {"Backoff": "40"}, 40),
        (412, {}, None),
        (403, {}, None),
    ],
)
def test_a_refusal_says_how_long_to_wait(api, server, status, headers, wait):
    server.faults.append((status, headers))
    with pytest.raises(ZoteroError, match=str(status)) as refused:
        changes(api, (), 0, parse)
    assert refused.value.retry_after == wait
    assert "aaaa" not in str(refused.value)


def test_a_short_backoff_on_an_answer_is_sat_out_and_a_long_one_ends_the_poll(api, server, time):
    for number in range(150):
        server.put(f"ITEM{number:04}", title=f"Owls {number}")
    server.headers = {"Backoff": "5"}
    assert len(changes(api, (), 0, parse).entries) == 150
    assert time.slept == [5.0]
    server.headers = {"Backoff": "300"}
    with pytest.raises(ZoteroError, match="wait") as refused:
        changes(api, (), 0, parse)
    assert refused.value.retry_after == 300


def test_a_broken_answer_or_connection_is_an_error_of_one_line(api, server):
    server.put("A", title="Owls")
    server.faults.append(closed)
    with pytest.raises(ZoteroError, match="no answer from Zotero"):
        changes(api, (), 0, parse)
    server.faults.append(truncated)
    with pytest.raises(DigestError, match=r"broke off|neither"):
        changes(api, (), 0, parse)
    server.faults.append((302, {"Location": "https://elsewhere.example.org/"}))
    with pytest.raises(ZoteroError, match="redirects"):
        changes(api, (), 0, parse)


def test_a_key_goes_to_no_other_machine_unencrypted():
    from bot.model import ZoteroAccess

    access = ZoteroAccess("users/1", "secret")
    assert "secret" not in repr(access)
    with pytest.raises(ConfigError, match="https"):
        ZoteroApi("http://api.example.org", access)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["itemType", "title", "abstractNote", "creators", "date", "DOI", "url", "archiveID", "dateAdded", "extra"]
)
TEXTS = st.sampled_from(["journalArticle", "Owls", "2101.00001", "10.1/x", "https://x.org/\ud800", "2020-13-45"])
ITEMS = st.fixed_dictionaries(
    {"key": JSON_VALUES | st.just("ABCD2345"), "data": st.dictionaries(FIELDS, TEXTS | JSON_VALUES)}
)


@given(items=st.lists(ITEMS | JSON_VALUES, max_size=5))
def test_whatever_the_items_are_they_are_read_or_counted(items):
    try:
        read = parse(RawDigest("zotero", "items", json.dumps(items).encode()))
    except DigestError:
        return
    assert len(read.entries) + sum(read.skipped.values()) == len(items)
    for item in read.entries:
        json.dumps([item.entry.title, item.entry.url, item.entry.authors, item.key], ensure_ascii=False).encode()
