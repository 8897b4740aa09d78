"""Reading files that people put where they like, whatever else lies there.

Every problem names its file and the remedy; the other files are read all the same.
"""

from __future__ import annotations

import errno
import fcntl
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

from bot.domain import Problem, RawDigest
from bot.errors import SourceError

MAX_BYTES = 10_000_000
_UNFINISHED = ("~", "#", ".part", ".partial", ".crdownload", ".download", ".tmp", ".swp")
_OWN_SOURCE = "make that folder a source of its own"
_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}  # what else there is are devices


def walk(root: Path, source: str) -> Iterator[Path | Problem]:
    """What lies in a folder and below, in the order of names; hidden and half-written files are left out.

    A root that is no folder is all there is; whether it exists, ``read`` will tell. Links to files count as
    files. A link to a folder is a Problem, as it may lead to a whole disk, unless it leads back into the
    folder, where everything is read anyway.
    """
    pending = [root]
    while pending:
        path = pending.pop()
        try:
            if not path.is_dir():
                yield path
            elif path == root or not path.is_symlink():
                pending += sorted(filter(_is_finished, path.iterdir()), reverse=True)
            elif not path.resolve().is_relative_to(root.resolve()):
                yield Problem(source, f"{shown(path)}: a link to a folder; {_OWN_SOURCE}")
        except OSError as error:
            yield Problem(source, f"{shown(path)}: {_explain(error, path)}")


def read(path: Path, source: str, name: str) -> RawDigest | Problem:
    """The file's bytes under this name. Never waits, as reading a pipe would, and never reads too much."""
    try:
        return RawDigest(source, name, _content(path))
    except SourceError as error:
        return Problem(source, f"{name}: {error}")
    except OSError as error:
        return Problem(source, f"{name}: {_explain(error, path)}")


def _content(path: Path) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "a device")
        raise SourceError(f"{kind}, not a file; move it elsewhere")
    if status.st_size > MAX_BYTES:
        size, cap = f"{status.st_size / 1_000_000:.1f} MB", f"{MAX_BYTES // 1_000_000} MB"
        raise SourceError(f"{size}, more than the {cap} that a digest may have; split it")
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
        if len(content) != status.st_size or _is_being_written(file.fileno()):
            raise SourceError("still being written; ingest it again when it is whole")
    return content


def _is_being_written(descriptor: int) -> bool:
    """Whether a process has the file open for writing, where the system tells: Linux, of local files of one's own.

    A lease to read is refused while there is a writer. It is given back at once; who would open the file to
    write in between makes the kernel send a signal, by default one that ends the process, here one that doesn't.
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


def shown(path: Path) -> str:
    """A path for people and for the store: forward slashes, and nothing that is no printable character."""
    return "".join(c if c.isprintable() else "\ufffd" for c in path.as_posix())


def _is_finished(path: Path) -> bool:
    return not path.name.startswith(".") and not path.name.lower().endswith(_UNFINISHED)


def _explain(error: OSError, path: Path) -> str:
    if isinstance(error, PermissionError):
        return "no permission to read it; change that (chmod u+r), or remove it"
    if not isinstance(error, FileNotFoundError):
        return f"can't be read ({error.strerror}); remove or replace it"
    return (
        "a link that leads nowhere; remove or renew it"
        if path.is_symlink()
        else "no such file; check its path"
    )
