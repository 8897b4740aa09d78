"""Sources of digests. They retrieve bytes, and ``bot.formats.registry`` parses them.

Settings are read with the options of all kinds, so no module imports heavy libraries at its top.
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
from urllib.parse import parse_qs, quote_plus, unquote, urlencode, urlsplit

from bot.config.tables import SourceModels, SourceOptions
from bot.model import Problem, RawDigest, SourceState
from bot.model.categories import arxiv_archives, arxiv_categories, known_category, known_subject
from bot.model.clock import has_passed
from bot.model.errors import SourceError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bot.sources.http import Fetcher


Options = TypeVar("Options", bound=SourceOptions)
# Sender address, subject, time -> is it a reader's vote?
RecordVote = Callable[[str, str, datetime], bool]
_TOLERANCE = 0.9  # share of the interval; an hourly run may start a second early
_FIRST_RETRY = timedelta(minutes=5)  # doubled with each failure, up to the source's interval
_MAX_DOUBLINGS = 20  # more would overflow timedelta


@dataclass(frozen=True, slots=True)
class Visit:
    """One poll. The caller adds an unreadable digest's name to ``refused`` before it takes the next digest."""

    now: datetime
    memory: dict[str, str] = field(default_factory=dict)  # from the last successful poll
    peek: bool = False  # change nothing at the source
    again: bool = False  # deliver refused digests again
    refused: set[str] = field(default_factory=set)
    lasting: dict[str, str] = field(default_factory=dict)  # stored in the memory even after a failure

    def memory_of(self, key: str, value: str) -> Mapping[str, str]:
        return self.memory if self.memory.get(key) == value else {}


@dataclass(frozen=True)
class Source(ABC):
    """A place that digests come from."""

    options: SourceOptions
    delivers_bounces = False

    @property
    def name(self) -> str:
        return self.options.name

    @property
    def kind(self) -> str:
        return self.options.kind

    @property
    def poll_interval(self) -> timedelta:
        """The shortest time between two polls, zero without network."""
        return self.options.interval

    @property
    def follows_arxiv_calendar(self) -> bool:
        return False

    @property
    def delivers_papers(self) -> bool:
        return True  # false for a mailbox of bounces or of replies only

    @abstractmethod
    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """Yield digests, and a Problem for each that can't be retrieved. Raises SourceError if the source fails.

        The caller stores or refuses each digest before it takes the next one.
        """


@dataclass(frozen=True)
class ConfiguredSource(Source, Generic[Options]):
    """A source of the settings."""

    options: Options


@dataclass(frozen=True)
class FetchedSource(ConfiguredSource[Options]):
    """A source of the settings that is fetched over HTTP."""

    fetcher: Fetcher
    key: str = ""  # of the server's API

    @classmethod
    def make(cls, options: Options, dependencies: SourceDependencies) -> Self:
        return cls(options, dependencies.fetcher(), dependencies.password_of(options.name))

    def get(self, url: str, parameters: Mapping[str, object] | None = None) -> bytes:
        """Return the content at an address, with all parameters that are not empty. Raises SourceError."""
        stated = {name: value for name, value in (parameters or {}).items() if value != ""}
        return self.fetcher.fetch(f"{url}?{urlencode(stated)}" if stated else url).content or b""


@dataclass(frozen=True, slots=True)
class SourceDependencies:
    """Dependencies of sources apart from their options."""

    home: Path
    passwords: Mapping[str, SecretStr]
    fetcher: Callable[[], Fetcher]  # one for all, because it limits requests to a host
    samples_superseded: Callable[[], bool]  # whether another source has brought papers
    record_vote: RecordVote

    def password_of(self, source: str) -> str:
        # No environment variable has a hyphen.
        password = self.passwords.get(source.replace("-", "_"))
        return password.get_secret_value() if password else ""


@dataclass(frozen=True, slots=True)
class SourceKind(Generic[Options]):
    """A kind of source, and how to make one from its options."""

    name: str
    options: type[Options]
    make: Callable[[Options, SourceDependencies], Source]


def is_due(interval: timedelta, state: SourceState, now: datetime) -> bool:
    """Return whether a source may be polled. A last poll in the future is ignored."""
    if retry_after(state, now):
        return False
    if state.checked_at is None or state.checked_at > now:
        return True
    return now - state.checked_at >= next_interval(interval, state) * _TOLERANCE


def next_interval(interval: timedelta, state: SourceState) -> timedelta:
    """Return the time to the next poll, shorter after failures."""
    if not state.failures:
        return interval
    backoff: timedelta = _FIRST_RETRY * 2 ** min(state.failures - 1, _MAX_DOUBLINGS)
    return min(interval, backoff)


def retry_after(state: SourceState, now: datetime) -> datetime | None:
    if state.not_before is None or has_passed(state.not_before, now):
        return None
    return state.not_before


def after_success(state: SourceState, memory: Mapping[str, str], now: datetime) -> SourceState:
    return SourceState(state.name, checked_at=now, succeeded_at=now, memory=memory, warned=state.warned)


def after_failure(
    state: SourceState, problem: Problem, retry_after_seconds: float | None, now: datetime
) -> SourceState:
    """Return the state with unchanged memory, so the next poll retrieves again what failed."""
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
    """An error status, and the beginning of its body."""

    def __init__(self, message: str, status: int, body: bytes, *, retry_after: float | None) -> None:
        super().__init__(message, retry_after=retry_after)
        self.status = status
        self.body = body


def without_key(message: str, key: str) -> str:
    return message.replace(quote_plus(key), "***").replace(key, "***") if key else message


# Servers answer these mistakes with an empty list. A server may accept more, so they are warnings.
_CATEGORY = re.compile(r"\bcat:\s*\"?([\w.*-]+)")
_PREPRINT_SERVER = re.compile(r"(?:^|\.)(biorxiv|medrxiv)\.org$")


def in_search(text: str) -> Iterator[str]:
    """Yield the first unmatched sign."""
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
    yield from in_search(query)
    for category in dict.fromkeys(_CATEGORY.findall(query)):
        beginning, star, _ = category.partition("*")
        if not (star and any(code.casefold().startswith(beginning.casefold()) for code in arxiv_categories())):
            yield from _refusal(known_category, category)


def in_subject(server: str, subject: str) -> Iterator[str]:
    yield from _refusal(partial(known_subject, server), subject)


def in_address(url: str) -> Iterator[str]:
    """Yield mistakes in a feed's address at arXiv, bioRxiv or medRxiv."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removesuffix(".")
    if f".{host}".endswith(".arxiv.org"):
        for query in parse_qs(parts.query).get("search_query", ()):
            yield from in_arxiv_query(query)
        if feed := re.fullmatch(r"/(?:rss|atom)/([^/]+)/?", parts.path):
            # "cs.AI+cs.LG" are two categories, and "cs" is an archive.
            for category in re.split(r"[+ ]", unquote(feed[1])):
                if category not in arxiv_archives():
                    yield from _refusal(known_category, category)
    elif server := _PREPRINT_SERVER.search(host):
        # Not parse_qs: a "+" separates subjects here, and blanks are "_" or "%20".
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
    # Each imports this module.
    from bot.sources.arxiv import ARXIV
    from bot.sources.biorxiv import BIORXIV
    from bot.sources.feed import FEED
    from bot.sources.folder import FOLDER
    from bot.sources.huggingface import HUGGING_FACE
    from bot.sources.mailbox import BOUNCES, MAILBOX
    from bot.sources.openalex import OPENALEX
    from bot.sources.pubmed import PUBMED

    kinds = (FOLDER, FEED, ARXIV, BIORXIV, PUBMED, OPENALEX, HUGGING_FACE, MAILBOX, BOUNCES)
    return {kind.name: kind for kind in kinds}


def source_models() -> SourceModels:
    return {name: kind.options for name, kind in _kinds().items()}


def make_sources(configured: Iterable[SourceOptions], dependencies: SourceDependencies) -> list[Source]:
    """Return the sources. Samples come last, because any other source supersedes them."""
    return [
        _kinds()[options.kind].make(options, dependencies)
        for options in sorted(configured, key=lambda options: options.is_sample)
    ]
