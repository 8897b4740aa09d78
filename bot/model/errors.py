"""The exceptions, and problems: errors that did not stop a run."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

log = logging.getLogger("paperbot")


class PaperbotError(Exception):
    """An error that commands report in one line, without a traceback."""


class UsageError(PaperbotError):
    """A wrong command line or configuration (exit 2). Nothing was changed."""


class DeletedError(UsageError):
    """The reader or paper was deleted meanwhile. Nothing was stored."""

    def __init__(self) -> None:
        super().__init__("the reader or the paper was deleted meanwhile; nothing was stored")


class ConfigError(UsageError):
    """A mistake in a configuration file: ``file:line: key: problem; remedy``."""

    def __init__(self, file: str, key: str, problem: str, *, line: int | None = None) -> None:
        self.file = file
        self.key = key
        self.problem = problem
        self.line = line
        self.others: Sequence[ConfigError] = ()
        super().__init__(file, key, problem)

    @classmethod
    def first_of(cls, mistakes: Sequence[ConfigError]) -> ConfigError:
        first, *others = mistakes
        first.others = others
        return first

    def __str__(self) -> str:
        more = f" (and {len(self.others)} more, which `paperbot check` lists)" if self.others else ""
        return f"{self.place}: {self.detail}{more}"

    @property
    def problems(self) -> list[Problem]:
        mistakes = sorted((self, *self.others), key=lambda mistake: (mistake.file, not mistake.line, mistake.line or 0))
        return [Problem(mistake.place, mistake.detail) for mistake in mistakes]

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def detail(self) -> str:
        return f"{self.key}: {self.problem}" if self.key else self.problem


class DigestError(PaperbotError):
    """The bytes are in no known format."""


class LimitError(DigestError):
    """Parsing exceeded a limit of time or memory, or crashed the parser process.

    A later release may parse the same bytes.
    """


class SourceError(PaperbotError):
    """A source could not be read. ``retry_after`` is in seconds (HTTP Retry-After)."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OfflineError(SourceError):
    """No network, or no name server answers."""


class ParserError(SourceError):
    """The parser process can't be started."""


class StoreError(PaperbotError):
    """The database can't be used."""


class StoreConnectionLostError(StoreError):
    """The server closed or refused a connection. The next attempt may succeed."""


class QueueError(PaperbotError):
    """The broker can't be reached."""


class TldrError(PaperbotError):
    """No TL;DR was written. The extractive summary replaces it."""


class UnusableTldrError(TldrError):
    """The answer is not one plain sentence. The next one may be."""


class TemplateProblem(PaperbotError):  # noqa: N818
    """A template with a mistake. Names file and line."""


class FailureScope(StrEnum):
    """The part that a failed delivery stops."""

    MESSAGE = "message"
    READER = "reader"
    RECIPIENT = "recipient"  # the reader or the channel; the refusal doesn't say which
    POLICY = "policy"  # the channel; the message may be the cause, so the attempt counts
    CHANNEL = "channel"  # no attempt counts


class DeliveryError(PaperbotError):
    """A channel did not deliver a message.

    ``permanent`` errors aren't retried. ``unknown``: the body was sent without an answer, and may have arrived.
    ``retry_after`` is in seconds. ``throttled`` asks for a lower rate. ``code`` is the server's, such as ``550`` or
    ``channel_not_found``.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool,
        scope: FailureScope = FailureScope.MESSAGE,
        unknown: bool = False,
        retry_after: float | None = None,
        throttled: bool = False,
        code: str = "",
    ) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.scope = scope
        self.unknown = unknown
        self.retry_after = retry_after
        self.throttled = throttled
        self.code = code

    @property
    def is_hard_bounce(self) -> bool:
        return self.permanent and self.scope is FailureScope.READER


def unexpected_error(error: Exception) -> str:
    # SQLAlchemy appends the statement and its values to the driver's message.
    of_driver = getattr(error, "orig", None)
    message = str(of_driver).partition("\n")[0] if isinstance(of_driver, Exception) else str(error)
    # Messages of libraries may quote a whole document.
    reason = " ".join(message.split())[:200]
    described = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    return f"{described}; this is a mistake in Paperbot, PAPERBOT_DEBUG=1 shows where"


@dataclass(frozen=True, slots=True)
class Problem:
    """An error that did not stop the run, with its place and remedy."""

    source: str
    problem: str

    def __str__(self) -> str:
        return f"{self.source}: {self.problem}"


def in_one_line(error: Exception, subject: str = "") -> str:
    """Return an error's message. An unforeseen error is logged with its traceback."""
    if isinstance(error, PaperbotError):
        return str(error)
    log.debug("%s", subject or error, exc_info=error)
    return unexpected_error(error)


class ProblemLog:
    """The problems that each job logged last. A lasting problem is logged once."""

    def __init__(self) -> None:
        self._logged: dict[str, set[Problem]] = {}

    @contextmanager
    def problems_of(self, job: str) -> Iterator[list[Problem]]:
        """Yield a list for a job's problems, and log the new ones and any exception."""
        problems: list[Problem] = []
        try:
            yield problems
        except Exception as error:
            problems.append(Problem(job, in_one_line(error)))
        for problem in problems:
            if problem not in self._logged.get(job, ()):
                log.warning("%s", problem)
        self._logged[job] = set(problems)
