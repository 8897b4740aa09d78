"""Votes from a file of JSON Lines: ``{"reader", "paper", "vote", "at"}``, one transaction for each batch of lines.

A line that can't be used is a problem that names its number; all others count, in the order of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import islice

from bot.config.profiles import Profile
from bot.domain import Problem, ReaderId, RecordedVote, parse_ref
from bot.errors import UsageError
from bot.feedback.vote_lines import VoteLine, parse_line
from bot.lookup import find_paper, stored_reader
from bot.store import Store

# One transaction a line would wait for the disk each time: 1,000 lines a transaction bound both memory and waits.
_BATCH = 1_000

Row = tuple[ReaderId, RecordedVote]


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
        parsed: dict[int, VoteLine] = {}  # by line number
        unusable: dict[int, str] = {}  # by line number
        for number, line in batch:
            try:
                if line.strip():
                    parsed[number] = parse_line(line, now)
            except ValueError as error:
                unusable[number] = str(error)

        # Ids are checked in one query a batch; titles, which are rare in such files, one by one.
        refs = {number: parse_ref(line.paper) for number, line in parsed.items()}
        existing = store.papers.existing([paper_id for paper_id in refs.values() if paper_id is not None])
        rows: list[Row] = []
        for number, vote_line in parsed.items():
            paper_id = refs[number]
            try:
                # A title may look like an id that no paper has.
                if paper_id is None or paper_id not in existing:
                    paper_id = papers_by_title[vote_line.paper]
                vote = RecordedVote(paper_id, vote_line.vote, vote_line.at, "cli")
                rows.append((reader_ids[vote_line.reader], vote))
            except UsageError as error:
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
