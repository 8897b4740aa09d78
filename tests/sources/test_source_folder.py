"""Folders and files as sources, with whatever else lies there."""

import errno
import fcntl
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import drop_folder

from bot.model import Problem, RawDigest
from bot.sources import Visit
from bot.sources.folder import MAX_BYTES, FilesSource

VISIT = Visit(datetime(2026, 4, 18, tzinfo=UTC))


def retrieve(folder: Path) -> list[RawDigest | Problem]:
    return list(drop_folder("seeds", folder).retrieve(VISIT))


def the_problem(folder: Path) -> str:
    """The one problem there is beside the one good file, which must have been read all the same."""
    (folder / "good.txt").write_bytes(b"owls")
    results = retrieve(folder)
    assert RawDigest("seeds", "good.txt", b"owls") in results
    (problem,) = (result for result in results if isinstance(result, Problem))
    assert len(results) == 2
    assert problem.source == "seeds"
    return problem.problem


def test_every_file_is_read_in_the_order_of_paths(tmp_path: Path) -> None:
    for name in ("b.txt", "a/2/z", "a/1.txt", "a/README.md", "c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    assert retrieve(tmp_path) == [
        RawDigest("seeds", name, name.encode()) for name in ("a/1.txt", "a/2/z", "a/README.md", "b.txt", "c")
    ]


def test_hidden_and_half_written_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ".hidden .git/config .#lock a.txt~ #a.txt# a.part a.PART a.crdownload a.tmp .a.swp a.swp".split():
        (tmp_path / name).write_bytes(b"x")
    assert retrieve(tmp_path) == []


def test_a_missing_folder_is_one_problem_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    for name in ("gone", "file"):
        (problem,) = retrieve(tmp_path / name)
        assert str(problem) == f"seeds: no folder {tmp_path}/{name}; create it, or change its path in paperbot.toml"


def test_links_to_a_file_and_to_the_folder_itself_are_read(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "a.txt").write_bytes(b"x")
    (tmp_path / "real" / "link.txt").symlink_to(tmp_path / "a.txt")
    (tmp_path / "link").symlink_to("real")
    assert retrieve(tmp_path / "link") == [RawDigest("seeds", "link.txt", b"x")]


def test_a_link_back_into_the_folder_does_not_loop(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "a.txt").write_bytes(b"x")
    (tmp_path / "deeper" / "up").symlink_to("..")
    (tmp_path / "same").symlink_to("deeper")
    assert retrieve(tmp_path) == [RawDigest("seeds", "deeper/a.txt", b"x")]


def test_a_link_out_to_another_folder_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "all").symlink_to("/")
    assert "all: a link to a folder; make that folder a source of its own" in the_problem(tmp_path / "inside")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere", "x: a link to a file that does not exist; remove or change it"),
        ("x", "x: can't be read (Too many levels of symbolic links); remove or replace it"),
        ("/dev/zero", "x: a device, not a file; move it elsewhere"),
        ("/proc/self/mem", "x: can't be read (Input/output error); remove or replace it"),
        ("/proc/self/status", "x: still being written; ingest it again when it is complete"),
    ],
)
def test_links_to_what_is_not_a_file_are_problems(tmp_path: Path, target: str, message: str) -> None:
    if target.startswith("/proc") and not Path(target).exists():
        pytest.skip(f"this system has no {target}")
    (tmp_path / "x").symlink_to(target)
    assert the_problem(tmp_path) == message


def test_a_named_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert the_problem(tmp_path) == "pipe.txt: a named pipe, not a file; move it elsewhere"


def test_a_socket_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path may have some 100 characters only
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        assert the_problem(tmp_path) == "sock: a socket, not a file; move it elsewhere"


def test_a_file_over_the_cap_is_not_read(tmp_path: Path) -> None:
    for name, size in (("big.txt", 100 * MAX_BYTES), ("most.txt", MAX_BYTES)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)  # sparse: takes no room on disk
    problem, digest = retrieve(tmp_path)
    assert str(problem) == "seeds: big.txt: 1000.0 MB, more than the 10 MB that a digest may have; split it"
    assert isinstance(digest, RawDigest)
    assert len(digest.content) == MAX_BYTES


def test_unprintable_characters_in_names_are_replaced(tmp_path: Path) -> None:
    name = os.fsdecode(b"o\xffwl\n.txt")
    (tmp_path / name).write_bytes(b"x")
    assert retrieve(tmp_path) == [RawDigest("seeds", "o\ufffdwl\ufffd.txt", b"x")]


@pytest.fixture
def unprivileged_folder() -> Iterator[Path]:
    """A folder to read as somebody whom permissions hold back, which they don't the superuser."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    nobody = 65534
    if os.geteuid() != 0:
        yield folder
    else:
        os.chown(folder, nobody, -1)
        os.seteuid(nobody)
        try:
            yield folder
        finally:
            os.seteuid(0)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize(("mode", "name"), [(0o000, "secret"), (0o444, "secret/a.txt")])
def test_a_folder_without_permission_is_a_problem(unprivileged_folder: Path, mode: int, name: str) -> None:
    secret = unprivileged_folder / "secret"
    secret.mkdir()
    (secret / "a.txt").write_bytes(b"x")
    secret.chmod(mode)
    remedy = "no permission to read it; change that (chmod u+r), or remove it"
    assert the_problem(unprivileged_folder) == f"{unprivileged_folder}/{name}: {remedy}"


def test_a_file_without_permission_is_a_problem(unprivileged_folder: Path) -> None:
    (unprivileged_folder / "secret.txt").write_bytes(b"x")
    (unprivileged_folder / "secret.txt").chmod(0)
    assert the_problem(unprivileged_folder).startswith("secret.txt: no permission to read it")


def test_a_folder_below_one_without_permission_is_a_problem(unprivileged_folder: Path) -> None:
    (unprivileged_folder / "deep").mkdir()
    unprivileged_folder.chmod(0o400)
    (problem,) = retrieve(unprivileged_folder / "deep")
    assert "no permission" in str(problem)


# --- files named on the command line ----------------------------------------------------------


def test_files_are_named_as_typed_and_read_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for name in (".z.txt", "sub/b.txt", "sub/a.txt", "sub/.hidden"):
        Path(name).write_bytes(name.encode())
    source = FilesSource([Path(".z.txt"), tmp_path / "sub/b.txt", Path("sub")])
    assert list(source.retrieve(VISIT)) == [
        RawDigest("files", ".z.txt", b".z.txt"),  # hidden, but named
        RawDigest("files", f"{tmp_path}/sub/b.txt", b"sub/b.txt"),
        RawDigest("files", "sub/a.txt", b"sub/a.txt"),
        RawDigest("files", "sub/b.txt", b"sub/b.txt"),
    ]


def test_a_missing_file_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x")
    missing, digest = FilesSource([tmp_path / "gone.txt", tmp_path / "a.txt"]).retrieve(VISIT)
    assert missing == Problem("files", f"{tmp_path}/gone.txt: no such file; check its path")
    assert isinstance(digest, RawDigest)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="only Linux tells who writes to a file")
def test_a_file_being_written_is_read_once_it_is_complete(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        file.write(b"owls")
        file.flush()
        assert the_problem(tmp_path) == "a.txt: still being written; ingest it again when it is complete"
    assert retrieve(tmp_path) == [RawDigest("seeds", name, b"owls") for name in ("a.txt", "good.txt")]


def test_a_readable_file_of_another_user_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of others' files the system does not tell who writes them."""

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "not yours")

    (tmp_path / "a.txt").write_bytes(b"owls")
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    assert retrieve(tmp_path) == [RawDigest("seeds", "a.txt", b"owls")]
    monkeypatch.delattr(fcntl, "F_SETLEASE", raising=False)
    assert retrieve(tmp_path) == [RawDigest("seeds", "a.txt", b"owls")]


def test_exports_of_a_search_are_read_and_other_libraries_are_pointed_to_their_command(home: Path, paperbot) -> None:
    made = Path(__file__).parents[1] / "formats" / "made"
    for name in ("pubmed.nbib", "ieee-refman.ris", "acl.bib"):
        shutil.copy(made / name, home / "seeds" / name)
    ran = paperbot("ingest", "--json").json
    digests = {digest["file"]: (digest["format"], digest["new"]) for digest in ran["digests"]}
    read = [digests.get(name) for name in ("pubmed.nbib", "ieee-refman.ris", "acl.bib")]
    assert read == [("medline", 2), ("ris", 1), None]
    (problem,) = ran["problems"]
    assert "a library, not a digest; add it with `paperbot import READER FILE`" in str(problem)
