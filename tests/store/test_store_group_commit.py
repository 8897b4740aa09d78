"""Commits that threads share, and which of them outlive a power cut."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event, Semaphore

import pytest
from sqlalchemy import event, text

from bot.domain import Kind, State
from bot.errors import StoreError
from bot.store.engine import Database, parse_url
from bot.store.group_commit import GroupCommit

LEASE = timedelta(minutes=10)
FULL, NORMAL = 2, 1


@pytest.fixture
def database(store, store_url):
    database = Database(parse_url(store_url))
    yield database
    database.close()


class Queue(list):
    """The orders that wait; says when one more does."""

    def __init__(self):
        super().__init__()
        self.came = Semaphore(0)

    def append(self, order):
        super().append(order)
        self.came.release()


def share(database, works):
    """Have the works come in while another commit is under way; returns their futures, the commits counted."""
    commits, is_committing, go_on = GroupCommit(database), Event(), Event()
    commits._queue = queue = Queue()
    counted = []
    event.listen(database._engine, "commit", counted.append)

    def first(_):
        is_committing.set()
        go_on.wait()

    with ThreadPoolExecutor(len(works) + 1) as pool:
        pool.submit(commits.commit, first, durable=True)
        is_committing.wait()
        futures = [pool.submit(commits.commit, work, durable=False) for work in works]
        for _ in range(len(works) + 1):
            queue.came.acquire()
        go_on.set()
    return futures, len(counted)


def test_who_comes_during_a_commit_shares_the_next(database):
    works = [lambda connection, n=n: connection.scalar(text(f"SELECT {n}")) for n in range(5)]
    futures, commits = share(database, works)
    assert [future.result() for future in futures] == [0, 1, 2, 3, 4]
    assert commits == 2


def test_where_one_fails_none_is_done_and_all_are_told(samples, store, database):
    reader = samples.reader()

    def rename(connection):
        connection.execute(text("UPDATE readers SET address = 'other'"))

    def fail(_):
        raise StoreError("disk full")

    futures, _ = share(database, [rename, fail])
    for future in futures:
        with pytest.raises(StoreError, match="disk full"):
            future.result()
    assert store.readers.all() == [reader]


def test_a_failure_leaves_the_way_free(database):
    commits = GroupCommit(database)

    def fail(_):
        raise StoreError("disk full")

    with pytest.raises(StoreError):
        commits.commit(fail, durable=True)
    assert commits.commit(lambda connection: connection.scalar(text("SELECT 1")), durable=True) == 1


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_only_what_must_outlive_a_power_cut_waits_for_the_disk(samples, store, now):
    """A mail's start must: undone, it would be sent twice. Undone claims and ends cost no more than an ``unknown``."""
    samples.messages(samples.reader(), parts=2)
    levels = []

    @event.listens_for(store._database._engine, "before_cursor_execute")
    def before(_connection, cursor, statement, *_):
        if statement.startswith("UPDATE outbox"):
            levels.append(cursor.connection.execute("PRAGMA synchronous").fetchone()[0])

    outbox = store.outbox
    one, two = outbox.claim(Kind.EMAIL, now, LEASE, 2)
    claiming, levels[:] = set(levels), []
    assert outbox.start_data(one, now, LEASE)
    starting, levels[:] = set(levels), []
    assert outbox.finish(one, State.SENT, now)
    assert outbox.retry(two, now, "", "", now)
    assert (claiming, starting, set(levels)) == ({NORMAL}, {FULL}, {NORMAL})
    store.outbox.expire(now)
    assert levels[-1] == FULL  # whoever says nothing waits for the disk


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_start_takes_all_before_it_to_the_disk_whoever_shares_its_commit(samples, store, now):
    commits = store.outbox._commits
    level = text("PRAGMA synchronous")
    assert commits.commit(lambda connection: connection.scalar(level), durable=False) == NORMAL
    assert commits.commit(lambda connection: connection.scalar(level), durable=True) == FULL
