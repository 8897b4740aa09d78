"""Digests as files: in a folder, or named on the command line."""

from __future__ import annotations

import errno
import fcntl
import signal
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bot.config.tables import FILES, SourceOptions
from bot.model import Problem, RawDigest
from bot.sources import ConfiguredSource, Source, SourceKind, Visit

MAX_BYTES = 10_000_000
# Editors, browsers and downloaders are still writing these.
_UNFINISHED = ("~", "#", ".part", ".partial", ".crdownload", ".download", ".tmp", ".swp")
_FILE_TYPES = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}  # all others are devices


class FolderOptions(SourceOptions):
    """The folder, relative to the home."""

    path: str
    samples: bool = False

    @property
    def is_sample(self) -> bool:
        return self.samples

    @property
    def local_folder(self) -> str:
        return self.path


@dataclass(frozen=True)
class FolderSource(ConfiguredSource[FolderOptions]):
    """The files in a folder and its subfolders, named by relative path. Superseded samples are skipped."""

    path: Path
    superseded: Callable[[], bool] = lambda: False

    def retrieve(self, _: Visit) -> Iterator[RawDigest | Problem]:
        if self.options.samples and self.superseded():
            return
        for path in walk(self.path, self.name):
            if isinstance(path, Problem):
                yield path
            elif path == self.path:
                remedy = "create it, or change its path in paperbot.toml"
                yield Problem(self.name, f"no folder {printable(self.path)}; {remedy}")
            else:
                yield read(path, self.name, printable(path.relative_to(self.path)))


@dataclass(frozen=True)
class FilesSource(Source):
    """The files and folders of a command's arguments, named as typed."""

    options: SourceOptions = field(init=False, default_factory=partial(SourceOptions, name=FILES, kind="files"))
    paths: Sequence[Path]

    def retrieve(self, _: Visit) -> Iterator[RawDigest | Problem]:
        for root in self.paths:
            for path in walk(root, self.name):
                yield path if isinstance(path, Problem) else read(path, self.name, printable(path))


def walk(root: Path, source: str) -> Iterator[Path | Problem]:
    """Yield the files in a folder and its subfolders, or the root if it is no folder.

    A link to an outside folder is a Problem, because it may lead to a whole disk.
    """
    pending = [root]
    while pending:
        path = pending.pop()
        try:
            if not path.is_dir():
                yield path
            elif path == root or not path.is_symlink():
                visible = (child for child in path.iterdir() if not child.name.startswith("."))
                finished = (child for child in visible if not child.name.lower().endswith(_UNFINISHED))
                pending += sorted(finished, reverse=True)
            elif not path.resolve().is_relative_to(root.resolve()):
                remedy = "make that folder a source of its own"
                yield Problem(source, f"{printable(path)}: a link to a folder; {remedy}")
        except OSError as error:
            yield Problem(source, f"{printable(path)}: {_explain(error, path)}")


def read(path: Path, source: str, name: str) -> RawDigest | Problem:
    """Return the file as a digest of this name. A named pipe would wait for a writer, and a device may never end."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            file_type = _FILE_TYPES.get(stat.S_IFMT(status.st_mode), "a device")
            return Problem(source, f"{name}: {file_type}, not a file; move it elsewhere")
        if status.st_size > MAX_BYTES:
            size = f"{status.st_size / 1_000_000:.1f} MB"
            limit = f"{MAX_BYTES // 1_000_000} MB"
            return Problem(source, f"{name}: {size}, more than the {limit} that a digest may have; split it")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
            if len(content) != status.st_size or _is_being_written(file.fileno()):
                return Problem(source, f"{name}: still being written; ingest it again when it is complete")
    except OSError as error:
        return Problem(source, f"{name}: {_explain(error, path)}")
    return RawDigest(source, name, content)


def _is_being_written(descriptor: int) -> bool:
    """Return whether a process has the file open for writing, as far as the system tells.

    Linux refuses a read lease (``fcntl(2)``, F_SETLEASE) while a local file has a writer. If one comes meanwhile, it
    sends us a signal. The default SIGIO would end this process.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def printable(path: Path) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in path.as_posix())


def _explain(error: OSError, path: Path) -> str:
    if isinstance(error, PermissionError):
        return "no permission to read it; change that (chmod u+r), or remove it"
    if not isinstance(error, FileNotFoundError):
        return f"can't be read ({error.strerror}); remove or replace it"
    if path.is_symlink():
        return "a link to a file that does not exist; remove or change it"
    return "no such file; check its path"


FOLDER = SourceKind(
    "folder",
    FolderOptions,
    lambda options, needs: FolderSource(options, needs.home / options.path, needs.samples_superseded),
)
