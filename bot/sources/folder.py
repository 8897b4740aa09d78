"""Digests as files: a folder that people drop them into, or files named on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.domain import Problem, RawDigest
from bot.sources import Visit
from bot.sources.disk import printable, read, walk


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Every file in a folder and its subfolders; a digest's name is its path within the folder.

    Nothing is read if ``superseded`` returns true: samples are superseded by papers of other sources.
    """

    name: str
    path: Path
    poll_interval: timedelta = timedelta(0)
    kind: str = "folder"
    follows_arxiv_calendar: bool = False
    superseded: Callable[[], bool] = lambda: False

    def retrieve(self, _: Visit) -> Iterator[RawDigest | Problem]:
        """Yield the files in the order of their paths, and a Problem for each that can't be read."""
        if self.superseded():
            return
        for path in walk(self.path, self.name):
            if isinstance(path, Problem):
                yield path
            elif path == self.path:
                remedy = "create it, or change its path in paperbot.toml"
                yield Problem(self.name, f"no folder {printable(self.path)}; {remedy}")
            else:
                yield read(path, self.name, printable(path.relative_to(self.path)))


@dataclass(frozen=True, slots=True)
class FilesSource:
    """The files and folders of a command's arguments, in their order; a digest's name is its path as typed."""

    paths: Sequence[Path]
    name: str = "files"
    poll_interval: timedelta = timedelta(0)
    kind: str = "files"
    follows_arxiv_calendar: bool = False

    def retrieve(self, _: Visit) -> Iterator[RawDigest | Problem]:
        """Yield the files in the order of the arguments, folders by path; a Problem for each that can't be read."""
        for root in self.paths:
            for path in walk(root, self.name):
                yield path if isinstance(path, Problem) else read(path, self.name, printable(path))
