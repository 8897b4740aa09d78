"""Ranking of JSON Lines files, by the very classes that the daily run uses; no home is needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, TypeVar

from bot.domain import Paper
from bot.errors import UsageError
from bot.ranking import Best, Corpus, Interest, Ranker

T = TypeVar("T")

_NO_TIME = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Files:
    """Where to read: papers seen and new, profiles, thumbs; each line a JSON object."""

    history: Path
    candidates: Path
    profiles: Path
    feedback: Path


def rank_files(files: Files, top: int, output: Path) -> None:
    """Writes ``{"profile", "paper", "score"}``, the ``top`` best of each profile; raises UsageError."""
    shelf = _Shelf()
    history = _read(files.history, shelf.paper)
    candidates = _read(files.candidates, shelf.paper)
    profiles = dict(_read(files.profiles, lambda row: (_text(row, "profile"), _text(row, "interests"))))
    interests = _interests(files.feedback, profiles, shelf)
    corpus = Corpus().fit([f"{paper.title}\n{paper.abstract}" for paper in history or candidates])
    best = Ranker(corpus).best(interests, candidates, top)
    try:
        with output.open("w", encoding="utf-8") as file:
            _write(file, zip(profiles, best, strict=True), [shelf.names[paper.id] for paper in candidates])
    except OSError as error:
        raise UsageError(f"{output}: cannot be written ({error.strerror})") from error


def _write(file: TextIO, ranked: Iterable[tuple[str, Best]], papers: list[str]) -> None:
    """``papers`` are the candidates' names."""
    # The paper's part of a line is the same for all profiles: it is made once.
    parts = [f'"paper": {json.dumps(paper)}, "score": ' for paper in papers]
    for name, (rows, scores) in ranked:
        start = f'{{"profile": {json.dumps(name)}, '
        lines = zip(rows.tolist(), scores.tolist(), strict=True)
        file.write("".join([f"{start}{parts[row]}{score:.8g}}}\n" for row, score in lines]))


class _Shelf:
    """Papers by the ids that the files give them; inside they are numbered."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._papers: dict[str, Paper] = {}

    def paper(self, row: dict[str, Any]) -> Paper:
        name = _text(row, "id")
        if name not in self._papers:
            self._papers[name] = _paper(len(self.names), _text(row, "title"), _text(row, "abstract"))
            self.names.append(name)
        return self._papers[name]

    def known(self, row: dict[str, Any]) -> Paper:
        name = _text(row, "paper")
        if name not in self._papers:
            raise ValueError(f"no paper {name!r} in the history or among the candidates")
        return self._papers[name]


def _interests(feedback: Path, profiles: dict[str, str], shelf: _Shelf) -> list[Interest]:
    thumbs: dict[str, dict[int, tuple[Paper, int]]] = {name: {} for name in profiles}

    def take(row: dict[str, Any]) -> None:
        name, paper, thumb = _text(row, "profile"), shelf.known(row), row.get("thumb")
        if name not in thumbs:
            raise ValueError(f"no profile {name!r} in the profiles")
        if thumb not in (1, -1):
            raise ValueError(f'"thumb" must be 1 or -1, not {thumb!r}')
        thumbs[name][paper.id] = (paper, thumb)

    _read(feedback, take)
    return [
        Interest(
            text,
            up=[paper for paper, thumb in thumbs[name].values() if thumb > 0],
            down=[paper for paper, thumb in thumbs[name].values() if thumb < 0],
        )
        for name, text in profiles.items()
    ]


def _read(path: Path, take: Callable[[dict[str, Any]], T]) -> list[T]:
    """What ``take`` makes of each line's object; raises UsageError that names file and line."""
    try:
        with path.open(encoding="utf-8") as lines:
            return list(_taken(path, lines, take))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read ({error})") from error


def _taken(path: Path, lines: TextIO, take: Callable[[dict[str, Any]], T]) -> Iterator[T]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("not a JSON object")
            yield take(row)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}, line {number}: {error}") from error


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise ValueError(f'"{key}" must be a text, not {value!r}')
    return value


def _paper(number: int, title: str, abstract: str) -> Paper:
    return Paper(
        id=number,
        title=title,
        abstract=abstract,
        authors=(),
        author_count=None,
        published=None,
        arxiv_id=None,
        doi=None,
        url=None,
        upvotes=None,
        organisation=None,
        first_seen=_NO_TIME,
    )
