"""Runs ``paperbot`` with its arguments, and kills it (SIGKILL) at a named point.

``PAPERBOT_TEST_KILL=point:n`` names the point and how often it is passed before. A point is before, after or inside a
real method, which is wrapped here; the program has no code for it.
"""

import functools
import os
import signal
from itertools import count

from bot.channels.email import smtp
from bot.operate.day import DailyJob
from bot.store.editions import Editions
from bot.store.outbox import Outbox
from bot.store.papers import Papers

POINTS = {
    "digest stored": (Papers, "add_digests", "after"),
    "before editions are stored": (Editions, "save_all", "before"),
    "while editions are stored": (Editions, "save_all", "inside"),
    "editions stored": (Editions, "save_all", "after"),
    "claimed": (Outbox, "claim", "after, with rows"),  # another channel's worker may claim none meanwhile
    "before the start is committed": (Outbox, "start_data", "before"),
    "start committed": (Outbox, "start_data", "after"),
    "within the body": (smtp._Session, "send", "before the dot"),
    "final dot sent": (smtp._Session, "send", "after the dot"),
    "receipt received": (Outbox, "record_sent", "before"),
    "end committed": (Outbox, "record_sent", "after"),
    "all done": (DailyJob, "run", "after"),
}


def arm(point: str, skip: int) -> None:
    """Kill the process when the point is reached after ``skip`` passes."""
    owner, name, edge = POINTS[point]
    original = getattr(owner, name)
    passes = count()

    def die_here() -> None:
        if next(passes) >= skip:
            os.kill(os.getpid(), signal.SIGKILL)

    @functools.wraps(original)
    def wrapped(self, *arguments, **more):
        is_body = edge.endswith("the dot") and arguments[0][-5:] == b"\r\n.\r\n"
        if edge == "before":
            die_here()
        if edge == "before the dot" and is_body:
            original(self, arguments[0][:-3])
            die_here()
            arguments = (b".\r\n",)
        if edge == "inside":
            _kill_inside(self, die_here)
        result = original(self, *arguments, **more)
        has_rows = edge == "after, with rows" and result
        if edge == "after" or has_rows or (edge == "after the dot" and is_body):
            die_here()
        return result

    setattr(owner, name, wrapped)


def _kill_inside(editions: Editions, die_here) -> None:
    """Kill the process once the transaction that stores editions has written their picks."""
    from sqlalchemy import event

    @event.listens_for(editions._database._engine, "after_cursor_execute")
    def after(_connection, _cursor, statement, *_):
        if statement.startswith("INSERT INTO picks"):
            die_here()


if __name__ == "__main__":
    from bot.cli.main import main

    if plan := os.environ.get("PAPERBOT_TEST_KILL"):
        name, _, times = plan.partition(":")
        arm(name, int(times or 0))
    main()
