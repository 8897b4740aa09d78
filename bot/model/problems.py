"""An error that did not stop the run.

Logs the problems of a repeated job: a lasting one once, and not at each of 1,440 ticks a day.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.model.errors import PaperbotError, unexpected_error


@dataclass(frozen=True, slots=True)
class Problem:
    """An error that did not stop the run: where it occurred, what it is, and the remedy."""

    source: str
    problem: str

    def __str__(self) -> str:
        return f"{self.source}: {self.problem}"


log = logging.getLogger("paperbot")


def in_one_line(error: Exception) -> str:
    """Return an error's message; an unforeseen error is named, and logged with its traceback."""
    if isinstance(error, PaperbotError):
        return str(error)
    log.debug("%s", error, exc_info=error)
    return unexpected_error(error)


class ProblemLog:
    """What each job logged last."""

    def __init__(self) -> None:
        self._logged: dict[str, set[Problem]] = {}

    @contextmanager
    def problems_of(self, job: str) -> Iterator[list[Problem]]:
        """Yield a list for a job's problems, and log those that are new; an exception is one of them."""
        problems: list[Problem] = []
        try:
            yield problems
        except PaperbotError as error:
            problems.append(Problem(job, str(error)))
        except Exception as error:
            log.debug("%s", job, exc_info=True)
            problems.append(Problem(job, unexpected_error(error)))
        for problem in problems:
            if problem not in self._logged.get(job, ()):
                log.warning("%s", problem)
        self._logged[job] = set(problems)
