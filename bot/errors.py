"""The exceptions.

PaperbotError
├── UsageError            a wrong command line or configuration: nothing was done (exit 2)
│   └── ConfigError       names file, key and remedy
├── DigestError           bytes that no format can read: names the reason
│   └── LimitError        parsing them met a limit of the parser process, or ended it
├── SourceError           a source that could not be read
│   └── ParserError       nor any digest of any source: no parser process can be started
├── StoreError            a store that is newer than this program, unreadable, or full
├── TldrError             a language model's endpoint that gave no sentence
├── TemplateProblem       a template that does not compile or render: names file and line
└── DeliveryError         a channel's refusal; carries what to do next
"""

from __future__ import annotations

from enum import StrEnum


class PaperbotError(Exception):
    """Whatever Paperbot reports in one line instead of a traceback."""


class UsageError(PaperbotError):
    """What was asked for can't be done as asked; nothing was changed."""


class ConfigError(UsageError):
    """A mistake in a configuration file: ``file:line: key: what is wrong; the remedy``."""

    def __init__(self, file: str, key: str, problem: str, *, line: int | None = None) -> None:
        self.file, self.key, self.problem, self.line = file, key, problem, line
        place = f"{file}:{line}" if line else file
        super().__init__(": ".join(part for part in (place, key, problem) if part))


class DigestError(PaperbotError):
    """Bytes that are no digest of a known format."""


class LimitError(DigestError):
    """Bytes whose parsing met a limit of processor time, memory or time, or ended the parser process."""


class SourceError(PaperbotError):
    """A source that could not be read as a whole; ``retry_after``: seconds that it asks to be left alone."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ParserError(SourceError):
    """No digest can be parsed, as the process for it can't be started."""


class StoreError(PaperbotError):
    """The database can't be used; says what to do."""


class TldrError(PaperbotError):
    """No TL;DR to be had; the summary stays the abstract's own sentences."""


class TemplateProblem(PaperbotError):  # noqa: N818 - a mistake in a file, reported, not raised to stop
    """A template with a mistake; says file and line."""


class FailureScope(StrEnum):
    """What a failed delivery should stop: only itself, its reader, or the whole channel."""

    MESSAGE = "message"
    READER = "reader"
    POLICY = "policy"  # the channel, but perhaps for this message's sake: its attempt counts
    CHANNEL = "channel"  # whatever the message: no attempt is counted


class DeliveryError(PaperbotError):
    """A message that did not go out.

    ``permanent``: trying again won't help. ``blame``: what the refusal is about. ``unknown``: the body was
    handed over but no answer came, so it may have arrived. ``retry_after``: seconds the other side asked for.
    ``code``: its own word for the refusal, such as ``550`` or ``channel_not_found``.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool,
        blame: FailureScope = FailureScope.MESSAGE,
        unknown: bool = False,
        retry_after: float | None = None,
        code: str = "",
    ) -> None:
        super().__init__(message)
        self.permanent, self.blame, self.unknown = permanent, blame, unknown
        self.retry_after, self.code = retry_after, code


def mistake(error: Exception) -> str:
    """An exception that nobody foresaw, in one line for people; its traceback is for the log."""
    reason = " ".join(str(error).split())[:200]
    named = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    return f"{named}; this is a mistake in Paperbot, PAPERBOT_DEBUG=1 shows where"
