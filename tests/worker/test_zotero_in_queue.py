"""Readers' Zotero libraries where workers do the work: followed by the tasks of sources, written by a delivery task."""

import pytest
from zotero_server import KEY, ZoteroServer

from bot.model import State
from bot.worker import DELIVER

READER = "owls/r0@example.org"


@pytest.fixture
def server(monkeypatch):
    with ZoteroServer().running() as running:
        monkeypatch.setenv("PAPERBOT_ZOTERO__API_URL", running.url)
        monkeypatch.setenv("PAPERBOT_ZOTERO_KEY", KEY)
        yield running


@pytest.fixture
def connected(server, jobs, run_tasks, broker, queued_home, paperbot):
    """A reader with a library of one paper, before any task has looked at it."""
    server.put("MICE", title="Mice at night")
    jobs.publish()  # the reader of the profile's file, into the store
    broker.take()
    assert paperbot("zotero", "connect", READER).code == 0
    return server


def test_a_library_is_followed_by_the_task_of_a_source(connected, jobs, run_tasks, broker, paperbot):
    jobs.ingest()
    run_tasks(broker.take())
    assert [row["title"] for row in paperbot("export", READER).json["library"]] == ["Mice at night"]


def test_a_liked_paper_is_saved_once_however_often_its_task_comes(connected, jobs, run_tasks, broker, paperbot, app):
    jobs.ingest()
    run_tasks(broker.take())
    assert paperbot("thumb", "up", READER, "Owls at Night").code == 0
    jobs.publish()
    jobs.publish()
    tasks = [task for task in broker.take() if task == (DELIVER, ["zotero"])]
    run_tasks(tasks * 3)
    saved = [item for item in connected.items.values() if item["title"] == "Owls at Night"]
    assert (len(tasks), len(saved)) == (1, 1)
    assert app.store.outbox.counts()[State.SENT] == 1
