"""Sources: where digests come from. They retrieve bytes; ``bot.formats.recognition`` parses them.

``registry`` lists the kinds. To add one, write a module with its options, its source and a ``SourceKind``, as in
``feed.py``, and add the ``SourceKind`` to ``registry.py``. A source fetches over HTTP only through its ``Fetcher``,
which holds all limits and checks every address. As settings are read with the options of all kinds, no module
imports at its top what takes long to import; the libraries for HTTP and IMAP are imported once a source of
the settings needs them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from bot.config.sources import SourceOptions
from bot.model import Problem, RawDigest, SourceState
from bot.model.clock import has_passed
from bot.model.errors import SourceError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bot.sources.http import Fetcher


Options = TypeVar("Options", bound=SourceOptions)
# Gets the address of a mail's sender, its subject and the time; returns whether it is a reader's vote.
RecordVote = Callable[[str, str, datetime], bool]
# A run every hour starts a second early now and then, and must not find that an hour has not quite passed.
_TOLERANCE = 0.9  # share of the interval after which a source is due
_FIRST_RETRY = timedelta(minutes=5)  # doubled with each further failure, up to the source's own interval
_MAX_DOUBLINGS = 20  # 5 minutes * 2**20 are ten years; more would overflow timedelta some day


@dataclass(frozen=True, slots=True)
class Visit:
    """One poll: its time, and the source's ``memory``, as the last successful poll left it.

    Changes of ``memory`` are stored once every digest of the poll is stored. A visit with ``peek`` changes nothing at
    the source: mails stay unread and where they are.
    """

    now: datetime
    memory: dict[str, str] = field(default_factory=dict)
    peek: bool = False
    # Deliver again what was refused earlier.
    again: bool = False
    # The names of this visit's digests that can't be read; the caller adds one before it takes the next digest.
    refused: set[str] = field(default_factory=set)
    # What is stored in ``memory`` even if a digest was refused or the visit failed.
    lasting: dict[str, str] = field(default_factory=dict)

    def memory_of(self, key: str, value: str) -> Mapping[str, str]:
        """Return the memory if it has this value, such as the query that was polled; else an empty one.

        What was remembered for another query or address says nothing about this one.
        """
        return self.memory if self.memory.get(key) == value else {}


class Source(Protocol):
    """Where digests come from."""

    @property
    def name(self) -> str:
        """The name in the settings."""

    @property
    def kind(self) -> str:
        """The kind in the settings."""

    @property
    def poll_interval(self) -> timedelta:
        """The shortest time between two polls; zero for a source without network."""

    @property
    def follows_arxiv_calendar(self) -> bool:
        """Whether it delivers arXiv's announcements, so that nothing is expected on arXiv's holidays."""
        return False

    @property
    def delivers_bounces(self) -> bool:
        """Whether it delivers bounces and complaints instead of digests."""
        return False

    @abstractmethod
    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """Yield digests one at a time, and a Problem for each that can't be retrieved.

        Raises SourceError if the source fails as a whole. The caller stores or refuses each digest before it takes the
        next one, so that a source may mark it as read then.
        """


@dataclass(frozen=True)
class ConfiguredSource(Source, Generic[Options]):
    """A source of the settings; a kind's own class adds ``retrieve``."""

    options: Options

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self.options.name

    @property
    def kind(self) -> str:
        """The kind in the settings."""
        return self.options.kind

    @property
    def poll_interval(self) -> timedelta:
        """The shortest time between two polls; zero for a source without network."""
        return self.options.interval


@dataclass(frozen=True)
class FetchedSource(ConfiguredSource[Options]):
    """A source of the settings that is fetched over HTTP."""

    fetcher: Fetcher

    @classmethod
    def make(cls, options: Options, dependencies: SourceDependencies) -> Self:
        """Return the source with these options, and the fetcher of all sources."""
        return cls(options, dependencies.fetcher())


@dataclass(frozen=True, slots=True)
class SourceDependencies:
    """What sources may need apart from their options.

    ``fetcher`` returns the fetcher that all sources share, so that the interval between two requests to a host holds
    across them. ``samples_superseded`` returns whether another source has brought papers.
    """

    home: Path
    passwords: Mapping[str, SecretStr]
    fetcher: Callable[[], Fetcher]
    samples_superseded: Callable[[], bool]
    record_vote: RecordVote

    def password_of(self, source: str) -> str:
        """Return the password of a source by its name; empty if it has none."""
        # With "_" for "-", as no environment variable has a hyphen.
        password = self.passwords.get(source.replace("-", "_"))
        return password.get_secret_value() if password else ""


@dataclass(frozen=True, slots=True)
class SourceKind(Generic[Options]):
    """A kind of source: ``options`` has its keys, with the minutes between polls as the default of ``every``."""

    name: str
    options: type[Options]
    make: Callable[[Options, SourceDependencies], Source]


def is_due(interval: timedelta, state: SourceState, now: datetime) -> bool:
    """Return whether a source was last polled long enough ago, and does not ask for a longer wait.

    A last poll in the future was recorded by a clock that ran ahead, and is ignored.
    """
    if retry_after(state, now):
        return False
    if state.checked_at is None or state.checked_at > now:
        return True
    if state.failures:
        # Exponential backoff; a constant retry would ask a server that is down for a week 2,000 times.
        backoff = _FIRST_RETRY * 2 ** min(state.failures - 1, _MAX_DOUBLINGS)
        interval = min(interval, backoff)
    return now - state.checked_at >= interval * _TOLERANCE


def retry_after(state: SourceState, now: datetime) -> datetime | None:
    """Return the time before which a source asked not to be polled; None if that has passed."""
    if state.not_before is None or has_passed(state.not_before, now):
        return None
    return state.not_before


def after_success(state: SourceState, memory: Mapping[str, str], now: datetime) -> SourceState:
    """Return the state after a poll that went well; the count of failures starts again."""
    return SourceState(state.name, checked_at=now, succeeded_at=now, memory=memory, warned=state.warned)


def after_failure(
    state: SourceState, problem: Problem, retry_after_seconds: float | None, now: datetime
) -> SourceState:
    """Return the state after a poll that failed.

    The source's memory stays as it was, so that the next poll retrieves again what this one could not store.
    """
    not_before = now + timedelta(seconds=retry_after_seconds) if retry_after_seconds else None
    return replace(
        state,
        checked_at=now,
        failures=state.failures + 1,
        problem=problem.problem,
        not_before=not_before,
        failing_since=state.failing_since or now,
    )


class HttpError(SourceError):
    """An error status, and the beginning of the body that came with it."""

    def __init__(self, message: str, status: int, body: bytes, *, retry_after: float | None) -> None:
        super().__init__(message, retry_after=retry_after)
        self.status = status
        self.body = body
