"""A claim ends with its process. If that is unknown, it ends with its lease."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.model import State
from bot.store.outbox import has_died, new_token

LEASE = timedelta(minutes=30)
CLAIMANT = """
import sys
from datetime import datetime, timedelta
from bot.store import open_store
url, now = sys.argv[1], datetime.fromisoformat(sys.argv[2])
outbox = open_store(url).outbox
first, _ = outbox.claim("email", now, timedelta(minutes=30), 2)
assert outbox.start_data(first, now, timedelta(minutes=30))
print("claimed", flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux only")


@pytest.fixture
def claimant(store_url, samples, now) -> Iterator[subprocess.Popen[str]]:
    """A process that holds two of three messages, and has begun to send the first."""
    samples.messages(samples.reader(), parts=3)
    command = [sys.executable, "-c", CLAIMANT, store_url, now.isoformat()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "claimed\n"
        yield process
        process.kill()


def _states(store) -> list[State]:
    return sorted(state for state, number in store.outbox.counts().items() for _ in range(number))


def test_what_a_killed_process_held_is_due_at_once_or_unknown(claimant, store, now):
    assert store.outbox.claims(now) == (2, now + LEASE, 0)
    assert store.outbox.expire(now) == 0
    assert len(store.outbox.claim("email", now, LEASE, 10)) == 1
    claimant.kill()
    claimant.wait()
    assert store.outbox.expire(now) == 1
    assert len(store.outbox.claim("email", now, LEASE, 10)) == 1
    assert _states(store) == [State.CLAIMED, State.CLAIMED, State.UNKNOWN]
    assert store.outbox.expire(now) == 0


def test_a_claim_of_a_living_process_is_kept(claimant, store, now):
    assert store.outbox.expire(now + LEASE / 2) == 0
    assert _states(store) == [State.CLAIMED, State.DATA_STARTED, State.PENDING]


def test_nothing_is_known_of_processes_of_other_machines_and_of_other_tokens():
    machine, pid, started, digits = new_token().split(".")
    assert not has_died(f"{machine}.{pid}.{started}.{digits}")
    assert has_died(f"{machine}.{pid}.{int(started) + 1}.{digits}")  # the number was given to another process
    assert has_died(f"{machine}.999999999.{started}.{digits}")
    assert not has_died(f"000000000000.999999999.{started}.{digits}")
    assert not has_died("ab" * 16)
    assert not has_died(None)
