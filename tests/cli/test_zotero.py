"""``paperbot zotero``, ``paperbot import READER zotero``, and liked papers that are saved."""

import sqlite3
from contextlib import closing

import pytest
from zotero_server import KEY, ZoteroServer

ADA = "reward-models/ada@example.org"
NOW = "2025-05-07T18:00:00+00:00"
LATER = "2025-05-07T19:00:00+00:00"


@pytest.fixture
def server():
    with ZoteroServer().running() as running:
        yield running


@pytest.fixture
def papers(papers, server, monkeypatch):
    """A home with three papers, beside a Zotero library with one of them and another."""
    monkeypatch.setenv("PAPERBOT_ZOTERO__API_URL", server.url)
    monkeypatch.setenv("PAPERBOT_ZOTERO_KEY", KEY)
    server.put("CATS", title="Cats at Work")
    server.put("OWLS", title="Owls on the night shift")
    return papers


def library(paperbot):
    return [row["title"] for row in paperbot("export", ADA).json["library"]]


def test_a_connected_library_is_imported_and_then_followed(papers, paperbot, server):
    answer = paperbot("zotero", "connect", "reward-models", "--now", NOW)
    assert (answer.code, "users/1, all of it; liked papers are saved in it" in answer.out) == (0, True)
    report = paperbot("import", ADA, "zotero", "--now", NOW, "--json")
    assert (report.code, report.json) == (
        0,
        {"reader": ADA, "read": 2, "matched": 1, "new": 1, "skipped": 0, "problems": []},
    )
    server.put("MICE", title="Mice at night")
    server.delete("OWLS")
    server.put("CATS", title="Cats at work, revised")
    asked = len(server.requests)
    # Not due yet, and then due.
    paperbot("run", "--now", "2025-05-07T20:00:00+00:00")
    assert len(server.requests) == asked
    paperbot("run", "--now", "2025-05-08T06:00:00+00:00")
    assert sorted(library(paperbot)) == ["Cats at work, revised", "Mice at night"]
    status = paperbot("zotero", "status", ADA, "--json").json
    assert (status["library"], status["papers"], status["problem"]) == ("users/1", 2, "")


def test_the_key_is_nowhere_in_plain_text_and_goes_with_the_connection(papers, paperbot):
    shown = paperbot("zotero", "connect", ADA, "--now", NOW).out
    exported = paperbot("export", ADA)
    shown += exported.out + paperbot("zotero", "status", ADA).out
    assert exported.json["zotero"] == {
        "library": "users/1",
        "collections": [],
        "saves": True,
        "connected_at": NOW,
        "saved": [],
    }
    assert KEY not in shown
    for file in (papers / "state").rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()
    paperbot("import", ADA, "zotero")
    assert paperbot("zotero", "disconnect", ADA).code == 0
    assert library(paperbot) == []
    assert paperbot("export", ADA).json["zotero"] is None
    assert paperbot("zotero", "disconnect", ADA).code == 2


def test_forgetting_a_reader_ends_the_connection(papers, paperbot, server):
    paperbot("zotero", "connect", ADA, "--now", NOW)
    paperbot("thumb", "up", ADA, "Dogs at work", "--now", NOW)
    paperbot("run", "--now", LATER)
    assert paperbot("forget", ADA, "--yes").code == 0
    with closing(sqlite3.connect(papers / "state" / "paperbot.db")) as store:
        for table in ("zotero_connections", "zotero_saves", "library"):
            assert store.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--user", "7"), "no access to users/7"),
        (("--group", "7"), "no access to groups/7"),
        (("--collection", "Cats"), "no collection 'Cats'"),
        (("--user", "7", "--group", "8"), "leave one out"),
    ],
)
def test_what_the_key_does_not_open_is_not_connected(papers, paperbot, options, words):
    answer = paperbot("zotero", "connect", ADA, *options)
    assert (answer.code, words in answer.err) == (2, True)
    assert paperbot("zotero", "status", ADA).out == f"{ADA}: not connected to Zotero\n"
    assert "not connected" in paperbot("import", ADA, "zotero").err


def test_a_wrong_key_is_refused_and_not_shown(papers, paperbot, monkeypatch):
    monkeypatch.setenv("PAPERBOT_ZOTERO_KEY", "b" * 24)
    answer = paperbot("zotero", "connect", ADA)
    assert (answer.code, "403" in answer.err, "bbb" in answer.err) == (2, True, False)


def test_a_group_is_followed_and_nothing_is_saved_in_it(papers, paperbot, server):
    server.library = "groups/5"
    server.access["groups"] = {"5": {"library": True, "write": True}}
    assert "nothing is saved" in paperbot("zotero", "connect", ADA, "--group", "5", "--now", NOW).out
    assert paperbot("import", ADA, "zotero", "--json").json["new"] == 1
    paperbot("thumb", "up", ADA, "Dogs at work", "--now", NOW)
    paperbot("run", "--now", LATER)
    assert "POST" not in {method for method, _, _ in server.requests}


def test_a_poll_that_fails_is_a_problem_once_and_waits(papers, paperbot, server):
    paperbot("zotero", "connect", ADA, "--now", NOW)
    server.faults.append((503, {"Retry_After": "7200"}))
    failed = paperbot("run", "--now", NOW, "--json")
    assert [problem["problem"] for problem in failed.json["problems"]] == ["Zotero answers 503: failed"]
    assert "503" in paperbot("zotero", "status", ADA).out
    asked = len(server.requests)
    paperbot("run", "--now", LATER)
    assert len(server.requests) == asked
    assert paperbot("run", "--now", "2025-05-07T20:30:00+00:00", "--json").json["problems"] == []
    assert len(library(paperbot)) == 2


def like(paperbot, title, vote="up", at=NOW):
    assert paperbot("thumb", vote, ADA, title, "--now", at).code == 0


def saved(server):
    return [item for item in server.items.values() if "parentItem" not in item]


def test_a_liked_paper_is_saved_once_with_its_tags(papers, paperbot, server):
    profile = papers / "profiles" / "reward-models.toml"
    profile.write_text('keywords = ["dogs"]\n' + profile.read_text().replace("keywords", "#"))
    like(paperbot, "Dogs at rest", at="2025-05-06T10:00:00+00:00")  # before the connection
    paperbot("zotero", "connect", ADA, "--now", NOW)
    like(paperbot, "Dogs at work")
    for hour in (19, 20):
        run = paperbot("run", "--now", f"2025-05-07T{hour}:00:00+00:00", "--json")
        assert run.json["problems"] == []
    item = saved(server)[-1]
    assert len(saved(server)) == 3
    (collection,) = server.collections.values()
    assert collection["name"] == "Paperbot"
    assert (item["itemType"], item["title"], item["collections"]) == ("preprint", "Dogs at work", [collection["key"]])
    assert {tag["tag"] for tag in item["tags"]} >= {"dogs"}
    assert item["abstractNote"].startswith("Little is known")
    tokens = [headers["zotero-write-token"] for method, _, headers in server.requests if method == "POST"]
    assert [len(token) for token in tokens] == [32, 32]


def test_a_paper_that_the_library_has_is_not_saved_again(papers, paperbot, server):
    paperbot("zotero", "connect", ADA, "--now", NOW)
    like(paperbot, "Cats at work")
    paperbot("run", "--now", LATER)
    assert "POST" not in {method for method, _, _ in server.requests}
    like(paperbot, "Cats at work", "clear", LATER)
    paperbot("run", "--now", "2025-05-07T20:00:00+00:00")
    assert not server.items["CATS"].get("deleted")


@pytest.mark.parametrize("touched", [False, True])
@pytest.mark.slow
def test_a_vote_taken_back_moves_the_item_to_the_trash_unless_it_was_touched(papers, paperbot, server, touched):
    paperbot("zotero", "connect", ADA, "--now", NOW)
    like(paperbot, "Dogs at work")
    paperbot("run", "--now", LATER)
    item = saved(server)[-1]
    if touched:
        server.put(item["key"], title="Dogs at work (read this)")
    like(paperbot, "Dogs at work", "clear", LATER)
    paperbot("run", "--now", "2025-05-07T20:00:00+00:00")
    assert bool(server.items[item["key"]].get("deleted")) is not touched
    assert paperbot("export", ADA).json["zotero"]["saved"] == []


def test_a_save_that_was_not_answered_is_unknown_and_found_when_asked_for(papers, paperbot, server):
    paperbot("zotero", "connect", ADA, "--now", NOW)
    like(paperbot, "Dogs at work")
    original = server._write

    def written_and_closed(request, path, body, headers):
        if path != "items":
            original(request, path, body, headers)
            return
        server._answer, answer = (lambda *_, **__: None), server._answer
        original(request, path, body, headers)
        server._answer = answer
        request.close_connection = True
        request.connection.shutdown(2)

    server._write = written_and_closed
    assert paperbot("run", "--now", LATER, "--json").json["unknown"] == 1
    server._write = original
    paperbot("run", "--now", "2025-05-07T20:00:00+00:00")
    assert server.paths("POST").count("/users/1/items") == 1
    answer = paperbot("retry", "--unknown", "--now", "2025-05-07T21:00:00+00:00", "--json")
    assert answer.json["arrived"] == 1
    assert server.paths("POST").count("/users/1/items") == 1


@pytest.mark.slow
def test_a_refusal_for_now_is_tried_again_and_a_lost_key_is_not(papers, paperbot, server):
    paperbot("zotero", "connect", ADA, "--now", NOW)
    paperbot("import", ADA, "zotero", "--now", NOW)
    like(paperbot, "Dogs at work")
    server.faults.append((429, {"Retry_After": "3600"}))
    first = paperbot("run", "--now", LATER, "--json").json
    assert "429" in first["problems"][0]["problem"]
    paperbot("run", "--now", "2025-05-07T19:30:00+00:00")
    assert len(saved(server)) == 2
    paperbot("run", "--now", "2025-05-07T20:10:00+00:00")
    assert len(saved(server)) == 3
    like(paperbot, "Dogs at rest")
    server.faults.append((403, {}))
    assert paperbot("run", "--now", "2025-05-07T20:20:00+00:00", "--json").json["failed"] == 1
    # The reader still gets their editions.
    assert paperbot("export", ADA).json["active"] is True
