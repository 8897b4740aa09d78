"""Commits that threads share, and which of them outlive a power cut."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event, Semaphore

import pytest
from sqlalchemy import event, text

from bot.domain import State
from bot.errors import StoreConnectionLostError, StoreError
from bot.store.engine import Database, parse_url
from bot.store.group_commit import _PAUSES, GroupCommit

LEASE = timedelta(minutes=10)
FULL, NORMAL = 2, 1


@pytest.fixture
def database(store, store_url):
    database = Database(parse_url(store_url))
    yield database
    database.close()


def each(connection, works):
    """Apply works that are functions of a connection."""
    return [work(connection) for work in works]


class Queue(list):
    """The waiting commits; counts arrivals."""

    def __init__(self):
        super().__init__()
        self.arrivals = Semaphore(0)

    def append(self, commit):
        super().append(commit)
        self.arrivals.release()


def share(database, works):
    """Queue the works while another commit is under way; return their futures and the number of commits."""
    commits = GroupCommit(database)
    is_committing = Event()
    may_finish = Event()
    commits._queue = queue = Queue()
    counted = []
    event.listen(database._engine, "commit", counted.append)

    def first(_):
        is_committing.set()
        may_finish.wait()

    with ThreadPoolExecutor(len(works) + 1) as pool:
        pool.submit(commits.commit, each, first, durable=True)
        is_committing.wait()
        futures = [pool.submit(commits.commit, each, work, durable=False) for work in works]
        for _ in range(len(works) + 1):
            queue.arrivals.acquire()
        may_finish.set()
    return futures, len(counted)


def test_work_queued_during_a_commit_shares_the_next_commit(database):
    works = [lambda connection, n=n: connection.scalar(text(f"SELECT {n}")) for n in range(5)]
    futures, commits = share(database, works)
    assert [future.result() for future in futures] == [0, 1, 2, 3, 4]
    assert commits == 2


def test_a_deferred_change_is_applied_before_what_waited_for_the_same_commit(database):
    commits = GroupCommit(database)
    commits._queue = queue = Queue()
    is_committing = Event()
    may_finish = Event()
    order = []

    def block(_connection, changes):
        is_committing.set()
        may_finish.wait()
        return changes

    def claim(_connection, changes):
        order.append("claim")
        return changes

    def record_sent(_connection, changes):
        order.append("sent")
        return changes

    with ThreadPoolExecutor(2) as pool:
        pool.submit(commits.commit, block, None, durable=False)
        is_committing.wait()
        claiming = pool.submit(commits.commit, claim, None, durable=False)
        for _ in range(2):
            queue.arrivals.acquire()
        commits.defer(record_sent, None, order.append)
        may_finish.set()
        claiming.result()
    assert order == ["sent", "claim", None]


def test_a_failure_rolls_back_the_shared_commit_and_is_raised_to_each(samples, store, database):
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


def test_commits_go_on_after_a_failure(database):
    commits = GroupCommit(database)

    def fail(_):
        raise StoreError("disk full")

    with pytest.raises(StoreError):
        commits.commit(each, fail, durable=True)
    assert commits.commit(each, lambda connection: connection.scalar(text("SELECT 1")), durable=True) == 1


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_only_durable_commits_wait_for_the_disk(samples, store, now):
    """A mail's start must: undone, it would be sent twice. Undone claims and ends cost no more than an ``unknown``."""
    samples.messages(samples.reader(), parts=2)
    levels = []

    # By SQLite itself: some statements go to it without SQLAlchemy.
    @event.listens_for(store._database._engine, "begin")
    def before(connection):
        sqlite = connection.connection.driver_connection
        level = sqlite.execute("PRAGMA synchronous").fetchone()[0]
        sqlite.set_trace_callback(
            lambda sql: levels.append(level) if sql.startswith("UPDATE outbox") else None
        )

    outbox = store.outbox
    first, second = outbox.claim("email", now, LEASE, 2)
    claiming, levels[:] = set(levels), []
    assert outbox.start_data(first, now, LEASE)
    starting, levels[:] = set(levels), []
    assert outbox.finish(first, State.SENT, now)
    assert outbox.retry(second, now, "", "", now)
    assert (claiming, starting, set(levels)) == ({NORMAL}, {FULL}, {NORMAL})
    store.outbox.expire(now)
    assert levels[-1] == FULL  # commits are durable by default


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_shared_commit_is_durable_if_any_part_is(samples, store, now):
    commits = store.outbox._commits
    level = text("PRAGMA synchronous")
    assert commits.commit(each, lambda connection: connection.scalar(level), durable=False) == NORMAL
    assert commits.commit(each, lambda connection: connection.scalar(level), durable=True) == FULL


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_connection_is_kept_between_commits_until_one_fails_or_the_database_is_closed(database):
    def own_connection():
        with database.writing() as connection:
            return connection

    first = own_connection()
    assert own_connection() is first
    with pytest.raises(StoreError), database.writing() as connection:
        connection.execute(text("SELECT nothing FROM nowhere"))
    assert first.closed
    second = own_connection()
    database.close()
    assert second.closed
    assert not own_connection().closed


@pytest.fixture
def server_database(schema_url):
    database = Database(parse_url(schema_url))
    yield database
    database.close()


def end_connection(connection):
    """End a connection from the server's side, as its restart does; raises in the client."""
    connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


def test_changes_are_applied_again_over_a_new_connection_when_the_server_closed_theirs(server_database):
    pauses, attempts = [], []
    commits = GroupCommit(server_database, sleep=pauses.append)

    def apply(connection, changes):
        attempts.append(list(changes))
        if len(attempts) < 3:
            end_connection(connection)
        return [connection.scalar(text("SELECT 7")) for _ in changes]

    results = []
    commits.defer(apply, "deferred", results.append)
    assert commits.commit(apply, "waited for", durable=True) == 7
    assert attempts == [["deferred", "waited for"]] * 3
    assert (results, pauses) == ([7], list(_PAUSES[:2]))


def test_a_server_that_stays_away_is_an_error_after_a_while(server_database):
    pauses = []
    commits = GroupCommit(server_database, sleep=pauses.append)
    with pytest.raises(StoreConnectionLostError, match="terminating connection"):
        commits.commit(each, end_connection, durable=True)
    assert pauses == list(_PAUSES)


def test_a_server_that_refuses_connections_counts_as_away():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    database = Database(parse_url(f"postgresql://nobody@127.0.0.1:{port}/none"))
    with pytest.raises(StoreConnectionLostError), database.reading():
        pass


def test_a_refused_statement_is_not_tried_again(server_database):
    commits = GroupCommit(server_database, sleep=lambda _: pytest.fail("waited for a server that is there"))
    with pytest.raises(StoreError) as caught:
        commits.commit(
            each,
            lambda connection: connection.execute(
                text("SET LOCAL statement_timeout = 1; SELECT pg_sleep(9)")
            ),
            durable=True,
        )
    assert not isinstance(caught.value, StoreConnectionLostError)
