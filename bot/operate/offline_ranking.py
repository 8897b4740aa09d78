"""Rank the papers of JSON Lines files with the daily run's classes, without a home."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.model import Entry, Paper
from bot.model.errors import UsageError
from bot.model.papers import new_paper
from bot.ranking.corpus import Corpus
from bot.ranking.ranker import Interest, Ranker
from bot.ranking.scoring import Rules

# Without ages, all votes weigh the same.
_NO_TIME = datetime.min.replace(tzinfo=UTC)


def rank_files(history: Path, candidates: Path, profiles: Path, feedback: Path, *, top: int, output: Path) -> None:
    """Write ``{"profile", "paper", "score"}`` for the ``top`` papers of each profile.

    The inputs have a JSON object on each line. A profile's ``require`` holds groups of terms. Raises UsageError.
    """
    papers: dict[str, Paper] = {}
    past = [_add(papers, row) for row in _rows(history)]
    new = [_add(papers, row) for row in _rows(candidates)]
    wanted = {row.text("profile"): (row.text("interests"), row.groups("require")) for row in _rows(profiles)}

    votes: dict[str, dict[int, tuple[Paper, int]]] = {name: {} for name in wanted}
    for row in _rows(feedback):
        name = row.text("profile")
        paper = papers.get(row.text("paper"))
        if paper is None:
            raise row.error(f"no paper {row.text('paper')!r} in the history or among the candidates")
        vote = row.fields.get("thumb")
        if name not in votes:
            raise row.error(f"no profile {name!r} in the profiles")
        if vote not in (1, -1):
            raise row.error(f'"thumb" must be 1 or -1, not {vote!r}')
        votes[name][paper.id] = (paper, vote)
    interests = [
        Interest(
            text,
            Rules(require=require),
            up=[paper for paper, vote in votes[name].values() if vote > 0],
            down=[paper for paper, vote in votes[name].values() if vote < 0],
        )
        for name, (text, require) in wanted.items()
    ]

    corpus = Corpus().fit([paper.text for paper in past or new])
    rankings = zip(wanted, Ranker(corpus).best(interests, new, top), strict=True)
    names = list(papers)
    parts = [f'"paper": {json.dumps(names[paper.id])}, "score": ' for paper in new]
    try:
        with output.open("w", encoding="utf-8") as file:
            for name, (columns, scores) in rankings:
                start = f'{{"profile": {json.dumps(name)}, '
                ranked = zip(columns.tolist(), scores.tolist(), strict=True)
                file.writelines(f"{start}{parts[column]}{score:.8g}}}\n" for column, score in ranked)
    except OSError as error:
        raise UsageError(f"{output}: cannot be written ({error.strerror})") from error


def _add(papers: dict[str, Paper], row: _Row) -> Paper:
    """Return the paper of a row. The first row with a name defines it. Raises UsageError."""
    name = row.text("id")
    if name not in papers:
        papers[name] = new_paper(Entry(row.text("title"), row.text("abstract")), len(papers), _NO_TIME)
    return papers[name]


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a file, with its place for error messages."""

    place: str
    fields: dict[str, Any]

    def text(self, key: str) -> str:
        value = self.fields.get(key)
        if not isinstance(value, str):
            raise self.error(f'"{key}" must be a text, not {value!r}')
        return value

    def groups(self, key: str) -> list[list[str]]:
        value = self.fields.get(key, [])
        if not isinstance(value, list) or not all(
            isinstance(group, list) and group and all(isinstance(term, str) for term in group) for group in value
        ):
            raise self.error(f'"{key}" must be a list of groups of texts, not {value!r}')
        return value

    def error(self, problem: str) -> UsageError:
        return UsageError(f"{self.place}: {problem}")


def _rows(path: Path) -> Iterator[_Row]:
    """Yield the object of each line that is not blank. Raises UsageError."""
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                place = f"{path}, line {number}"
                if not line.strip():
                    continue
                try:
                    fields = json.loads(line)
                except (ValueError, RecursionError):  # RecursionError: deep nesting
                    raise UsageError(f"{place}: not JSON; write one object on each line") from None
                if not isinstance(fields, dict):
                    raise UsageError(f"{place}: not a JSON object")
                yield _Row(place, fields)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
