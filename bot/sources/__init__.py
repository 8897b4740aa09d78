"""Sources: where digests come from. They retrieve bytes; ``bot.formats.registry`` parses them.

A source fetches over HTTP only through its ``Fetcher``, which holds all limits and checks every address. As settings
are read with the options of all kinds, no module imports at its top what takes long to import; the libraries for HTTP
and IMAP are imported once a source of the settings needs them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from bot.config.tables import SourceModels, SourceOptions
from bot.model import Problem, RawDigest, SourceState
from bot.model.categories import arxiv_archives, arxiv_categories, known_category, known_subject
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


@dataclass(frozen=True)
class Source(ABC):
    """Where digests come from."""

    options: SourceOptions

    @property
    def name(self) -> str:
        return self.options.name

    @property
    def kind(self) -> str:
        return self.options.kind

    @property
    def poll_interval(self) -> timedelta:
        """The shortest time between two polls; zero for a source without network."""
        return self.options.interval

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
    """A source of the settings."""

    options: Options


@dataclass(frozen=True)
class FetchedSource(ConfiguredSource[Options]):
    """A source of the settings that is fetched over HTTP."""

    fetcher: Fetcher

    @classmethod
    def make(cls, options: Options, dependencies: SourceDependencies) -> Self:
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


# What queries and addresses ask for that doesn't exist: the server answers with an empty list, and nothing comes.
#
# ``paperbot check`` reports these. They stop nothing, as a server may have learned what is not known here.
_CATEGORY = re.compile(r"\bcat:\s*\"?([\w.*-]+)")
_PREPRINT_SERVER = re.compile(r"(?:^|\.)(biorxiv|medrxiv)\.org$")


def in_search(text: str) -> Iterator[str]:
    """Yield the first quotation mark or parenthesis that has no partner, and what to do."""
    opened: list[int] = []
    quoted_from = 0
    for place, character in enumerate(text, 1):
        if character == '"':
            quoted_from = 0 if quoted_from else place
        elif quoted_from:
            continue
        elif character == "(":
            opened.append(place)
        elif character == ")":
            if not opened:
                yield f'the ")" at character {place} has no "(" before it; remove it, or add the other'
                return
            opened.pop()
    if quoted_from:
        yield f"the quotation mark at character {quoted_from} is not closed; add one behind the phrase"
    elif opened:
        yield f'the "(" at character {opened[-1]} is not closed; add a ")"'


def in_arxiv_query(query: str) -> Iterator[str]:
    """Yield what is wrong with a query to arXiv, and what to do."""
    yield from in_search(query)
    for category in dict.fromkeys(_CATEGORY.findall(query)):
        beginning, star, _ = category.partition("*")
        if not (star and any(code.casefold().startswith(beginning.casefold()) for code in arxiv_categories())):
            yield from _refusal(known_category, category)


def in_subject(server: str, subject: str) -> Iterator[str]:
    """Yield what is wrong with a subject of bioRxiv or medRxiv, and what to do."""
    yield from _refusal(partial(known_subject, server), subject)


def in_address(url: str) -> Iterator[str]:
    """Yield what is wrong with the address of a feed of arXiv, bioRxiv or medRxiv, and what to do."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removesuffix(".")
    if f".{host}".endswith(".arxiv.org"):
        for query in parse_qs(parts.query).get("search_query", ()):
            yield from in_arxiv_query(query)
        if feed := re.fullmatch(r"/(?:rss|atom)/([^/]+)/?", parts.path):
            # "cs.AI+cs.LG" are two categories, and "cs" an archive with all its categories.
            for category in re.split(r"[+ ]", unquote(feed[1])):
                if category not in arxiv_archives():
                    yield from _refusal(known_category, category)
    elif server := _PREPRINT_SERVER.search(host):
        # Not parse_qs: a "+" stands between two subjects, and within one is a "_" or a blank ("%20").
        for parameter in parts.query.split("&"):
            name, _, subjects = parameter.partition("=")
            for subject in re.split(r"[+,]", subjects) if name == "subject" and subjects != "all" else ():
                yield from in_subject(server[1], unquote(subject))


def _refusal(known: Callable[[str], str], name: str) -> Iterator[str]:
    try:
        known(name)
    except ValueError as error:
        yield str(error)


@cache
def _kinds() -> dict[str, SourceKind[Any]]:
    """Return all kinds by their names; imported here, as each of them imports this module."""
    from bot.sources.arxiv import ARXIV
    from bot.sources.biorxiv import BIORXIV
    from bot.sources.feed import FEED
    from bot.sources.folder import FOLDER
    from bot.sources.huggingface import HUGGING_FACE
    from bot.sources.mailbox import BOUNCES, MAILBOX
    from bot.sources.openalex import OPENALEX

    kinds = (FOLDER, FEED, ARXIV, BIORXIV, OPENALEX, HUGGING_FACE, MAILBOX, BOUNCES)
    return {kind.name: kind for kind in kinds}


def source_models() -> SourceModels:
    """Return the models of the kinds' options by the kinds' names, by which settings are validated."""
    return {name: kind.options for name, kind in _kinds().items()}


def make_sources(configured: Iterable[SourceOptions], dependencies: SourceDependencies) -> list[Source]:
    """Return the sources with these options; samples come last, because any other source supersedes them."""
    return [
        _kinds()[options.kind].make(options, dependencies)
        for options in sorted(configured, key=lambda options: options.is_sample)
    ]
