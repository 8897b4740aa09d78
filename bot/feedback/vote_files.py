"""Votes from a file of JSON Lines: ``{"reader", "paper", "vote", "at"}``, one transaction for each batch of lines.

A line that can't be used is a problem that names its number; all others count, in the order of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from bot.config.profiles import Profile
from bot.domain import PaperId, Problem, ReaderId, RecordedVote, Vote
from bot.errors import UsageError
from bot.lookup import find_paper, stored_reader
from bot.store import Store

# One transaction a line would wait for the disk each time: 1,000 lines a transaction bound both memory and waits.
_BATCH = 1_000
# The clock of another machine may be this far ahead of ours.
_CLOCK_SKEW = timedelta(minutes=5)
_REF = re.compile(r"p(\d{1,18})")
_SURROGATE = re.compile("[\ud800-\udfff]")
_FORM = 'write {"reader": "slug/address", "paper": "p17", "vote": "up"}'
_VOTES = tuple(vote.value for vote in Vote)

Row = tuple[ReaderId, RecordedVote]


class _Line(NamedTuple):
    """A line that could be parsed, with its number in the file."""

    number: int
    fields: dict[str, Any]


def record_file(
    store: Store, profiles: Mapping[str, Profile], name: str, lines: Iterable[bytes], now: datetime
) -> tuple[int, list[Problem]]:
    """Record the votes of a file called ``name``; return their number, and a problem for each unusable line.

    Empty lines are ignored. A vote without ``at`` is of ``now``; an ``at`` without a time zone is UTC.
    """
    reader_ids = _Lookups(lambda reader: stored_reader(store, profiles, reader, now)[0].id)
    papers_by_title = _Lookups(lambda title: find_paper(store, title).id)
    problems: list[Problem] = []
    recorded = 0
    numbered = enumerate(lines, 1)
    while batch := list(islice(numbered, _BATCH)):
        parsed: list[_Line] = []
        unusable: dict[int, str] = {}  # by line number
        for number, line in batch:
            try:
                if line.strip():
                    parsed.append(_Line(number, _fields(line)))
            except ValueError as error:
                unusable[number] = str(error)

        # Ids are checked in one query a batch; titles, which are rare in such files, one by one.
        refs = {line.number: _REF.fullmatch(line.fields["paper"].strip()) for line in parsed}
        existing = store.papers.existing([int(ref[1]) for ref in refs.values() if ref])
        rows: list[Row] = []
        for number, fields in parsed:
            try:
                at = _time(fields.get("at"), now)
                ref = refs[number]
                paper_id: PaperId | None = int(ref[1]) if ref else None
                # A title may look like an id that no paper has.
                if paper_id is None or paper_id not in existing:
                    paper_id = papers_by_title[fields["paper"]]
                vote = RecordedVote(paper_id, Vote(fields["vote"]), at, "cli")
                rows.append((reader_ids[fields["reader"]], vote))
            except (ValueError, UsageError) as error:
                unusable[number] = str(error)
        store.feedback.add_many(rows)
        recorded += len(rows)
        problems += [Problem(f"{name}:{number}", unusable[number]) for number in sorted(unusable)]
    return recorded, problems


class _Lookups(dict[str, int]):
    """Ids by what the file calls them, each looked up once; a failed look-up raises its UsageError each time.

    ``functools.cache`` does not cache exceptions: a file of 100,000 votes of an unknown reader would make 100,000
    queries.
    """

    def __init__(self, look_up: Callable[[str], int]) -> None:
        super().__init__()
        self._look_up = look_up
        self._errors: dict[str, UsageError] = {}

    def __missing__(self, text: str) -> int:
        if text in self._errors:
            raise self._errors[text]
        try:
            self[text] = self._look_up(text)
        except UsageError as error:
            self._errors[text] = error
            raise
        return self[text]


def _fields(line: bytes) -> dict[str, Any]:
    """Return the fields of a line, required ones checked for their type; raises ValueError."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):  # nested 100,000 deep
        raise ValueError(f"not JSON; {_FORM}") from None
    if not isinstance(fields, dict):
        raise ValueError(f"not an object; {_FORM}")
    for key in ("reader", "paper", "vote"):
        value = fields.get(key)
        if not isinstance(value, str):
            raise ValueError(f"{key} is {'not a text' if key in fields else 'missing'}; {_FORM}")
        # JSON's escapes can spell half of a surrogate pair, which neither database stores; PostgreSQL refuses NUL.
        if "\0" in value or _SURROGATE.search(value):
            raise ValueError(f"{key} has a character that is none in Unicode; {_FORM}")
    if fields["vote"] not in _VOTES:
        raise ValueError(f"vote is {fields['vote']!r:.40}; write one of: {', '.join(_VOTES)}")
    return dict(fields)


def _time(text: object, now: datetime) -> datetime:
    """Return when a vote was given; raises ValueError."""
    if text is None:
        return now
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
        at = at and (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
    except (ValueError, OverflowError):  # year 1 in a zone east of UTC has no UTC time
        at = None
    if at is None:
        raise ValueError(f"at is {text!r:.40}; write it like 2025-05-06T08:00+02:00, or leave it out")
    if at > now + _CLOCK_SKEW:
        raise ValueError(f"at is {text}, which is in the future; correct it, or leave it out")
    return min(at, now)
