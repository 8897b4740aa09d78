"""Votes from a file of JSON Lines: ``{"reader", "paper", "vote", "at"}``, a batch of lines a transaction.

A line that can't be used is a problem that names its number; all others count, in the order of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from typing import Any

from bot.config.profiles import Profile
from bot.domain import PaperId, Problem, ReaderId, RecordedVote, Vote
from bot.errors import UsageError
from bot.lookup import find_paper, stored_reader
from bot.store import Store

_BATCH = 1_000  # lines
_CLOCKS_DIFFER = timedelta(minutes=5)  # so far ahead of ours another machine's clock may be
_REF = re.compile(r"p(\d{1,18})")
_FORM = 'write {"reader": "slug/address", "paper": "p17", "vote": "up"}'
_VOTES = tuple(vote.value for vote in Vote)

Row = tuple[ReaderId, RecordedVote]


def record_file(
    store: Store, profiles: Mapping[str, Profile], name: str, lines: Iterable[bytes], now: datetime
) -> tuple[int, list[Problem]]:
    """Record the votes of a file called ``name``; how many there were, and a problem for each line that is none.

    Empty lines are passed over. A vote without ``at`` is given ``now``; an ``at`` without a zone is UTC.
    """
    reading = _Reading(store, profiles, now)
    problems: list[Problem] = []
    recorded = 0
    numbered = enumerate(lines, 1)
    while batch := list(islice(numbered, _BATCH)):
        rows = list(reading.rows(name, batch, problems))
        store.feedback.add_many(rows)
        recorded += len(rows)
    return recorded, problems


class _Reading:
    """Reads lines; each reader and each title is looked up once, ids a batch at a time."""

    def __init__(self, store: Store, profiles: Mapping[str, Profile], now: datetime) -> None:
        self._store, self._now = store, now
        self._reader_id = _cached(lambda name: stored_reader(store, profiles, name, now)[0].id)
        self._titled = _cached(lambda title: find_paper(store, title).id)

    def rows(self, name: str, batch: Iterable[tuple[int, bytes]], problems: list[Problem]) -> Iterator[Row]:
        parsed: list[tuple[int, dict[str, Any]]] = []
        for number, line in batch:
            try:
                if line.strip():
                    parsed.append((number, _fields(line)))
            except ValueError as error:
                problems.append(Problem(f"{name}:{number}", str(error)))
        existing = self._store.papers.existing([i for _, vote in parsed if (i := _id(vote["paper"]))])
        for number, vote in parsed:
            try:
                yield self._row(vote, existing)
            except (ValueError, UsageError) as error:
                problems.append(Problem(f"{name}:{number}", str(error)))
        problems.sort(key=lambda problem: int(problem.source.rpartition(":")[2]))

    def _row(self, vote: dict[str, Any], existing: set[PaperId]) -> Row:
        """Raises ValueError or UsageError."""
        at = _time(vote.get("at"), self._now)
        number = _id(vote["paper"])
        paper = number if number in existing else self._titled(vote["paper"])
        return self._reader_id(vote["reader"]), RecordedVote(paper, Vote(vote["vote"]), at, "cli")


def _cached(look_up: Callable[[str], int]) -> Callable[[str], int]:
    """The same look-up, made once for each text, also where it raises UsageError."""

    @cache
    def once(text: str) -> int | UsageError:
        try:
            return look_up(text)
        except UsageError as error:
            return error

    def answer(text: str) -> int:
        if isinstance(result := once(text), UsageError):
            raise result
        return result

    return answer


def _fields(line: bytes) -> dict[str, Any]:
    """The fields of a line, each of its type; raises ValueError."""
    try:
        vote = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(f"not JSON; {_FORM}") from None
    if not isinstance(vote, dict):
        raise ValueError(f"not an object; {_FORM}")
    for key in ("reader", "paper", "vote"):
        if not isinstance(vote.get(key), str):
            raise ValueError(f"{key} is {'not a text' if key in vote else 'missing'}; {_FORM}")
        if "\0" in vote[key] or _is_broken(vote[key]):
            raise ValueError(f"{key} has a character that is none in Unicode; {_FORM}")
    if vote["vote"] not in _VOTES:
        raise ValueError(f"vote is {vote['vote']!r:.40}; write one of: {', '.join(_VOTES)}")
    return dict(vote)


def _is_broken(text: str) -> bool:
    """Whether a text holds half of a surrogate pair, as JSON's escapes can, which no database stores."""
    return re.search("[\ud800-\udfff]", text) is not None


def _id(paper: str) -> PaperId | None:
    ref = _REF.fullmatch(paper.strip())
    return int(ref[1]) if ref else None


def _time(text: object, now: datetime) -> datetime:
    """When a vote was given; raises ValueError."""
    if text is None:
        return now
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
        at = at and (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        at = None
    if at is None:
        raise ValueError(f"at is {text!r:.40}; write it like 2025-05-06T08:00+02:00, or leave it out")
    if at > now + _CLOCKS_DIFFER:
        raise ValueError(f"at is {text}, which is in the future; correct it, or leave it out")
    return min(at, now)
