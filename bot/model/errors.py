"""The exceptions, and problems: errors that did not stop a run.

PaperbotError
├── UsageError            a wrong command line or configuration: nothing was done (exit 2)
│   ├── ConfigError       names file, key and remedy
│   └── DeletedError      what should be written belongs to a reader or paper that was deleted meanwhile
├── DigestError           bytes in no known format; says why
│   └── LimitError        parsing exceeded a limit of the parser process, or crashed it
├── SourceError           a source that could not be read
│   └── ParserError       the parser process can't be started, so no source can be read
├── StoreError            a store that is newer than this program, unreadable, or full
├── QueueError            the broker can't be reached
├── TldrError             no TL;DR from the language model's endpoint
│   └── UnusableTldrError one that is no plain sentence
├── TemplateProblem       a template that does not compile or render; names file and line
└── DeliveryError         a message that a channel did not deliver; says whether to try again
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

log = logging.getLogger("paperbot")


class PaperbotError(Exception):
    """An error that is reported in one line, without a traceback."""


class UsageError(PaperbotError):
    """A request that can't be carried out as it is; nothing was changed."""


class DeletedError(UsageError):
    """A row belongs to a reader or a paper that was deleted meanwhile; nothing was stored."""

    def __init__(self) -> None:
        super().__init__("the reader or the paper was deleted meanwhile; nothing was stored")


class ConfigError(UsageError):
    """A mistake in a configuration file: ``file:line: key: what is wrong; the remedy``.

    ``others`` are further mistakes that were found with it.
    """

    def __init__(self, file: str, key: str, problem: str, *, line: int | None = None) -> None:
        self.file = file
        self.key = key
        self.problem = problem
        self.line = line
        self.others: Sequence[ConfigError] = ()
        super().__init__(file, key, problem)

    @classmethod
    def first_of(cls, mistakes: Sequence[ConfigError]) -> ConfigError:
        """Return the first of several mistakes, with the others."""
        first, *others = mistakes
        first.others = others
        return first

    def __str__(self) -> str:
        """Return the mistake in one line, and how many others there are."""
        more = f" (and {len(self.others)} more, which `paperbot check` lists)" if self.others else ""
        return f"{self.place}: {self.detail}{more}"

    @property
    def problems(self) -> list[Problem]:
        """A problem for each mistake, in the order of the lines."""
        mistakes = sorted((self, *self.others), key=lambda mistake: (mistake.file, not mistake.line, mistake.line or 0))
        return [Problem(mistake.place, mistake.detail) for mistake in mistakes]

    @property
    def place(self) -> str:
        """The file, and the line if it is known."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def detail(self) -> str:
        """The key, if the problem is that of one key, and the problem."""
        return f"{self.key}: {self.problem}" if self.key else self.problem


class DigestError(PaperbotError):
    """Bytes that are not a digest in any known format."""


class LimitError(DigestError):
    """Parsing exceeded a limit of processor time, memory or elapsed time, or crashed the parser process.

    Apart from other DigestErrors, because a later release or a faster machine may parse the same bytes.
    """


class SourceError(PaperbotError):
    """A source that could not be read. ``retry_after``: seconds that it asks us to wait (HTTP Retry-After)."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ParserError(SourceError):
    """No digest can be parsed, because the parser process can't be started."""


class StoreError(PaperbotError):
    """The database can't be used; says what to do."""


class StoreConnectionLostError(StoreError):
    """The database server closed the connection or refused one, as when it restarts; a new one may be accepted."""


class QueueError(PaperbotError):
    """The broker can't be reached."""


class TldrError(PaperbotError):
    """No TL;DR could be written; the extractive summary is used instead."""


class UnusableTldrError(TldrError):
    """The model answered, but not with one plain sentence. The next paper's answer may be one."""


# Named without "Error": it is collected and reported as often as it is raised.
class TemplateProblem(PaperbotError):  # noqa: N818
    """A template with a mistake; names file and line."""


class FailureScope(StrEnum):
    """What a failed delivery is about, and so what it stops: the message, its reader, or the whole channel."""

    MESSAGE = "message"
    READER = "reader"
    RECIPIENT = "recipient"  # the reader or the channel: the refusal came at the address, and doesn't say why
    POLICY = "policy"  # the channel; but the message may be the cause, so its attempt counts
    CHANNEL = "channel"  # whatever the message, so no attempt is counted


class DeliveryError(PaperbotError):
    """A message that was not delivered.

    ``permanent``: trying again won't help. ``scope``: what the refusal is about. ``unknown``: the body was
    handed over but no answer came, so the message may have arrived; sending it again might deliver it twice.
    ``retry_after``: seconds that the other side asks us to wait. ``throttled``: it asks for a lower rate. ``code``: its
    own code for the refusal, such as ``550`` or ``channel_not_found``.
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
        """Whether the reader's address is refused for good: the message fails, and the reader gets no further one."""
        return self.permanent and self.scope is FailureScope.READER


def unexpected_error(error: Exception) -> str:
    """Return one line about an unexpected exception; the traceback goes to the log."""
    # SQLAlchemy's message has the statement and its values after that of the driver, which stands in its first line.
    of_driver = getattr(error, "orig", None)
    message = str(of_driver).partition("\n")[0] if isinstance(of_driver, Exception) else str(error)
    # Exceptions of libraries may have a whole document in their message.
    reason = " ".join(message.split())[:200]
    described = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    return f"{described}; this is a mistake in Paperbot, PAPERBOT_DEBUG=1 shows where"


@dataclass(frozen=True, slots=True)
class Problem:
    """An error that did not stop the run: where it occurred, what it is, and the remedy."""

    source: str
    problem: str

    def __str__(self) -> str:
        return f"{self.source}: {self.problem}"


def in_one_line(error: Exception, subject: str = "") -> str:
    """Return an error's message; an unforeseen error is named, and logged with its traceback under its subject."""
    if isinstance(error, PaperbotError):
        return str(error)
    log.debug("%s", subject or error, exc_info=error)
    return unexpected_error(error)


class ProblemLog:
    """What each job logged last: a lasting problem is logged once, and not at each of 1,440 ticks a day."""

    def __init__(self) -> None:
        self._logged: dict[str, set[Problem]] = {}

    @contextmanager
    def problems_of(self, job: str) -> Iterator[list[Problem]]:
        """Yield a list for a job's problems, and log those that are new; an exception is one of them."""
        problems: list[Problem] = []
        try:
            yield problems
        except Exception as error:
            problems.append(Problem(job, in_one_line(error)))
        for problem in problems:
            if problem not in self._logged.get(job, ()):
                log.warning("%s", problem)
        self._logged[job] = set(problems)
