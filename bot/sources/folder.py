"""Digests as files: a folder that people drop them into, or files named on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.domain import Problem, RawDigest
from bot.sources import Visit
from bot.sources.disk import read, shown, walk


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Every file in a folder and below; a digest's name is its path within the folder.

    Nothing is read once it is ``superseded``, as samples are by what other sources have brought.
    """

    name: str
    path: Path
    poll_interval: timedelta = timedelta(0)
    kind: str = "folder"
    follows_arxiv_calendar: bool = False
    superseded: Callable[[], bool] = _never

    def retrieve(self, _: Visit) -> Iterator[RawDigest | Problem]:
        """The files in the order of their paths; a Problem for each that can't be read."""
        if self.superseded():
            return
        for found in walk(self.path, self.name):
            if isinstance(found, Problem):
                yield found
            elif found == self.path:
                remedy = "create it, or change its path in paperbot.toml"
                yield Problem(self.name, f"no folder {shown(self.path)}; {remedy}")
            else:
                yield read(found, self.name, shown(found.relative_to(self.path)))


@dataclass(frozen=True, slots=True)
class FilesSource:
    """The files and folders named, in their order; a digest's name is its path as given."""

    paths: Sequence[Path]
    name: str = "files"
    poll_interval: timedelta = timedelta(0)
    kind: str = "files"
    follows_arxiv_calendar: bool = False

    def retrieve(self, _: Visit) -> Iterator[RawDigest | Problem]:
        """The files in the order named, folders by path; a Problem for each that can't be read."""
        for path in self.paths:
            for found in walk(path, self.name):
                yield found if isinstance(found, Problem) else read(found, self.name, shown(found))
