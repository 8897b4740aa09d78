"""Tasks on each broker: lost, repeated, delayed and reordered, they change nothing but time."""

import signal
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
import toy_source
from support import edit

from bot.editions.composer import EditionComposer
from bot.model import Message, OutboxKey, Reader, State
from bot.serve import QueuedJobs
from bot.worker import COMPOSE, DELIVER, INGEST

from .conftest import READERS

ROUNDS = 60  # far more than the losses of any seed need
# What a task does depends on no broker; the others send tasks of all names through each.
ON_ONE_BROKER = pytest.mark.parametrize("broker", ["amqp"], indirect=True)


def mails(home):
    return sorted(path.name for path in (home / "state" / "outbox").rglob("*.eml"))


def names(tasks):
    return [name for name, _ in tasks]


def test_a_tick_and_its_tasks_of_ids_give_each_reader_one_edition(jobs, run_tasks, broker, queued_home, app):
    jobs.ingest()
    assert broker.take() == [(INGEST, ["drop"])]
    run_tasks(broker.taken)
    jobs.publish()
    tasks = broker.take()
    ids = [reader.id for reader in app.store.readers.all()]
    deliveries = [(DELIVER, [kind]) for kind in ("email", "slack", "zotero")]
    assert tasks == [(COMPOSE, ["owls", min(ids), max(ids)]), *deliveries]
    run_tasks(tasks)
    run_tasks([task for task in broker.take() if task[0] == DELIVER])
    assert len(mails(queued_home)) == READERS
    jobs.publish()
    assert names(broker.take()) == [DELIVER, DELIVER, DELIVER]


@ON_ONE_BROKER
def test_a_source_of_a_kind_of_the_tests_own_is_polled_by_a_worker(jobs, run_tasks, broker, queued_home):
    (queued_home / "paperbot.toml").write_text(toy_source.SETTINGS)
    with toy_source.registered():
        jobs.ingest()
        assert broker.take() == [(INGEST, ["owl-news"])]
        run_tasks(broker.taken)
        jobs.publish()
        run_tasks(broker.take())
        run_tasks([task for task in broker.take() if task[0] == DELIVER])
    assert len(mails(queued_home)) == READERS


def test_what_is_still_in_the_queue_is_not_enqueued_again(jobs, run_tasks, broker, queued_home):
    jobs.ingest()
    jobs.ingest()
    run_tasks(broker.take())
    jobs.publish()
    jobs.publish()
    broker.take()
    assert names(broker.taken) == [INGEST, COMPOSE, DELIVER, DELIVER, DELIVER]


@ON_ONE_BROKER
def test_the_first_editions_wait_five_minutes_for_the_first_papers(jobs, broker, queued_home):
    jobs.publish()
    assert COMPOSE not in names(broker.take())
    jobs._started -= timedelta(minutes=5)
    jobs.publish()
    assert COMPOSE in names(broker.take())


@ON_ONE_BROKER
def test_the_first_tick_waits_for_the_first_papers_and_then_enqueues_the_editions(run_tasks, broker, queued_home):
    class Workers(Event):
        """Lets workers take what is waiting while the tick waits."""

        def wait(self, timeout=None):
            run_tasks(broker.take())
            return False

    QueuedJobs(queued_home, broker.url, broker.name, Workers()).publish()
    assert COMPOSE in names(broker.take())


def test_a_lost_task_of_a_source_is_enqueued_again_by_the_next_tick(jobs, run_tasks, broker, queued_home):
    jobs.ingest()
    assert names(broker.take()) == [INGEST]
    jobs.publish()
    tasks = broker.take()
    assert INGEST in names(tasks)
    run_tasks(tasks)
    jobs.publish()
    assert INGEST not in names(broker.take())


@ON_ONE_BROKER
def test_a_task_that_takes_too_long_ends_and_leaves_the_rest_due(
    jobs, run_tasks, broker, queued_home, app, monkeypatch, caplog
):
    jobs.ingest()
    run_tasks(broker.take())
    jobs.publish()
    tasks = broker.take()

    def interrupted(*_arguments):
        signal.raise_signal(signal.SIGUSR1)

    with monkeypatch.context() as patched:
        patched.setattr(EditionComposer, "candidates_of", interrupted)
        run_tasks(tasks)
    assert caplog.messages == ["compose owls: took too long; the next task does the rest"]
    assert app.store.editions.newest_composed() is None
    run_tasks(tasks)
    assert len(mails(queued_home)) == READERS


def test_a_hostile_broker_costs_time_only(jobs, run_tasks, broker, queued_home, app, chance):
    """Each task is lost, repeated or delayed to a later round with probability .2 each, and the order is chance."""
    delayed = []
    for _ in range(ROUNDS):
        jobs.ingest()
        jobs.publish()
        tasks, delayed = broker.take() + delayed, []
        arrived = []
        for task in tasks:
            fate = chance.random()
            if fate < 0.2:
                continue
            if fate < 0.4:
                delayed.append(task)
            else:
                arrived += [task, task] if fate < 0.6 else [task]
        chance.shuffle(arrived)
        run_tasks(arrived)
        if app.store.outbox.counts()[State.SENT] == READERS:
            break
    run_tasks(broker.taken)  # and everything once more, days late
    assert app.store.outbox.counts()[State.SENT] == READERS
    assert sum(app.store.outbox.counts().values()) == READERS
    readers: list[Reader] = app.store.readers.all()
    assert [len(app.store.editions.of_reader(reader.id)) for reader in readers] == [1] * READERS
    assert len(mails(queued_home)) == READERS


@ON_ONE_BROKER
def test_a_worker_composes_by_the_profiles_as_published_last(jobs, run_tasks, broker, queued_home, app):
    jobs.ingest()
    run_tasks(broker.take())
    jobs.publish()
    tasks = broker.take()
    edit(queued_home / "profiles/owls.toml", '"Owls"', '"Night owls"')
    jobs.publish()
    run_tasks(tasks)
    run_tasks(broker.take())
    (text, *_) = (path.read_text() for path in (queued_home / "state" / "outbox").rglob("*.eml"))
    assert 'List-Id: "Night owls" <owls.localhost>' in text


@ON_ONE_BROKER
def test_a_withdrawn_profile_is_composed_for_nobody(jobs, run_tasks, broker, queued_home, app):
    jobs.ingest()
    run_tasks(broker.take())
    jobs.publish()
    (queued_home / "profiles" / "owls.toml").unlink()
    jobs.publish()
    run_tasks(broker.take())
    assert app.store.editions.newest_composed() is None


@ON_ONE_BROKER
def test_a_source_that_another_worker_polls_is_left_to_it(jobs, run_tasks, broker, queued_home, app):
    jobs.ingest()
    with app.store.exclusively("ingest drop") as is_ours:
        assert is_ours
        run_tasks(broker.take())
    assert app.store.papers.count() == 0
    run_tasks(broker.taken)
    assert app.store.papers.count() == 2


@ON_ONE_BROKER
def test_a_task_of_a_source_that_this_machine_lacks_is_a_problem(run_tasks, caplog):
    run_tasks([(INGEST, ["elsewhere"])])
    assert "elsewhere: is not a source of this machine's paperbot.toml" in caplog.text


@ON_ONE_BROKER
@pytest.mark.parametrize("kind", ["email", "slack"])
def test_messages_that_are_due_are_delivered_by_the_task_of_their_channel(
    jobs, run_tasks, broker, queued_home, app, kind
):
    now = datetime.now(UTC)
    (reader,) = app.store.readers.sync("bees", [(kind, "C0123ABC" if kind == "slack" else "a@x.org")], now)
    key = OutboxKey("confirmation-1", reader.id, kind)
    app.store.outbox.put_without_edition(Message(b"{}", "One"), key, now)
    run_tasks([(DELIVER, [kind])])
    assert app.store.outbox.counts()[State.SENT] == 1


def test_a_broker_that_is_away_is_one_problem_without_its_password(queued_home, broker, caplog):
    scheme = broker.url.partition(":")[0]
    away = QueuedJobs(queued_home, f"{scheme}://me:secret@127.0.0.1:1//", "x")
    away.publish()
    away.publish()
    (message,) = caplog.messages
    assert "127.0.0.1:1" in message
    assert "is the broker running?" in message
    assert "secret" not in message
