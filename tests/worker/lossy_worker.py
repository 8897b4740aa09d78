"""Runs ``paperbot`` with its arguments; the tasks that its worker enqueues itself go to another queue.

``PAPERBOT_TEST_ENQUEUE_AT`` is that queue's name: there the test loses, repeats, delays and shuffles them like those of
the tick.
"""

import os
from pathlib import Path

from bot.cli.main import main
from bot.worker import tasks
from bot.worker.tasks import Tasks


def _tasks(home: Path, url: str, _name: str) -> Tasks:
    return Tasks(home, url, os.environ["PAPERBOT_TEST_ENQUEUE_AT"])


if __name__ == "__main__":
    tasks.Tasks = _tasks
    main()
