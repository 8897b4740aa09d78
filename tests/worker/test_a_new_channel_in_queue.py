"""A channel that only its own module and the registry know works with a queue: its messages get tasks."""

from datetime import UTC, datetime, timedelta

import pytest
from support import digest
from toy_channel import toy

from bot.editions.letters import put_letters
from bot.model import Vote
from bot.store.readers import EVERYONE
from bot.worker import DELIVER

from .conftest import PROFILE

__all__ = ["toy"]


@pytest.fixture
def toy_home(toy, queued_home):
    """The queued home with one reader, by the new channel."""
    head = "weekly = true\n" + PROFILE
    rest = '[alerts]\nkeywords = ["violins"]\n[[readers]]\ntoy = "toy:ada"\n'
    (queued_home / "profiles" / "owls.toml").write_text(head + rest)
    return queued_home


@pytest.fixture
def tick(jobs, run_tasks, broker):
    """Runs a tick of the scheduler and its tasks."""

    def run() -> None:
        jobs.ingest()
        run_tasks(broker.take())
        jobs.publish()
        tasks = broker.take()
        assert (DELIVER, ["toy"]) in tasks
        run_tasks(tasks)
        # Composing enqueues deliveries as well.
        later = broker.take()
        assert (DELIVER, ["toy"]) in later
        run_tasks(later)

    return run


def test_messages_of_every_kind_go_out_by_tasks(toy_home, toy, tick, run_tasks, app, paperbot):
    tick()
    assert [thread for *_, thread in toy.transport.sent] == ["", "toy-1", "toy-1"]
    assert toy.transport.sent[0][1].endswith(" + 1 more")

    now = datetime.now(UTC)
    today = f"{now:%Y-%m-%d}"
    late = digest("Of violins", date=f"{today} 00:00:00", header=f"LLM-RL - {today}")
    (toy_home / "drop" / "late.txt").write_text(late)
    tick()
    assert toy.transport.sent[3][1] == "toy Alert: Of violins"

    # After today, as a letter is for those who had subscribed by its Friday.
    friday = (now + timedelta(days=(3 - now.weekday()) % 7 + 1)).replace(hour=12)
    (reader,) = app.store.readers.of_profile("owls")
    (paper, *_) = app.store.papers.get([1]).values()
    app.store.feedback.add(reader.id, paper.id, Vote.UP, friday - timedelta(days=1), "mail")
    assert put_letters(app.context(app.profiles), EVERYONE, friday) == []
    assert app.subscriptions.request("owls", app.profiles["owls"], "toy:bob", "client", now, kind="toy")
    run_tasks([(DELIVER, ["toy"])])
    assert toy.transport.sent[-1][1].startswith("toy Confirm Owls: ")
    assert toy.transport.sent[-2][1].startswith("toy Your week in Owls: 1 liked")

    assert paperbot("send-test", "owls/toy:ada").out.splitlines()[-1] == "Toys go by hand."
    assert toy.transport.sent[-1][1].startswith("toy ")
