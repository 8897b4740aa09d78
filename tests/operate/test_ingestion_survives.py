"""Fault isolation: what goes wrong with a digest or a source stays with it."""

import logging
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support import ROOT, ParserBy, digest, drop_folder

from bot.formats import ParseLimits, Parser
from bot.formats.registry import parse
from bot.model import ParsedDigest, Problem, RawDigest
from bot.model.errors import LimitError, ParserError, StoreError
from bot.operate import ingest
from bot.operate.ingest import DigestReport, Ingestion, peek
from bot.sources import Visit
from bot.store import Store

from .fake_source import FakeSource, outcomes

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
PARSING = ROOT / "tests" / "formats"
EXCEPTIONS = (
    IndexError("list index out of range"),
    StopIteration(),
    KeyError("x"),
    AttributeError("'NoneType' object has no attribute 'lower'"),
    UnicodeEncodeError("ascii", "é", 0, 1, "ordinal not in range"),
    OverflowError("Python int too large to convert to C int"),
    RecursionError(),
    MemoryError(),
    OSError(24, "Too many open files"),
    AssertionError(),
    ExceptionGroup("several", [ValueError("two\nlines")]),
    type("Strange", (Exception,), {"__str__": lambda _: "\x00\nodd"})(),
)


@dataclass
class Source(FakeSource):
    """Deliver one digest; ``breaks`` is a seam and the exception raised there."""

    breaks: tuple[str, Exception] | None = None

    def fail_at(self, seam: str) -> None:
        if self.breaks and self.breaks[0] == seam:
            raise self.breaks[1]

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        self.fail_at("retrieve")
        yield RawDigest(self.name, "day.txt", good(self.name))
        self.fail_at("next digest")


def good(name: str) -> bytes:
    return digest(f"Owls of {name}").encode()


@pytest.mark.parametrize("seam", ["retrieve", "next digest", "parse", "add", "check_health"])
@pytest.mark.slow
def test_an_unexpected_exception_costs_its_source_or_digest_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch, seam: str
) -> None:
    failing: list[Source] = []
    add = store.papers.add_digests
    original = ingest.check_health

    def parse_or_fail(raw: RawDigest) -> tuple[ParsedDigest, ...]:
        fail_at("parse", raw.source)
        return parse(raw)

    def add_or_fail(source: str, *arguments, **options):
        fail_at("add", source)
        return add(source, *arguments, **options)

    def check_health_or_fail(source, *arguments):
        fail_at("check_health", source.name)
        return original(source, *arguments)

    def fail_at(seam: str, name: str) -> None:
        for source in failing:
            if source.name == name:
                source.fail_at(seam)

    monkeypatch.setattr(store.papers, "add_digests", add_or_fail)
    monkeypatch.setattr(ingest, "check_health", check_health_or_fail)
    for number, error in enumerate(EXCEPTIONS):
        bad = Source(f"bad{number}", breaks=(seam, error))
        first = Source(f"first{number}")
        last = Source(f"last{number}")
        failing[:] = [bad]
        report = Ingestion(store, ParserBy(parse_or_fail)).ingest([first, bad, last], NOW)
        (problem,) = report.problems
        digests = [digest.source for digest in report.digests]
        assert problem.source == (f"{bad.name}/day.txt" if seam in ("parse", "add") else bad.name)
        # A generator can't raise StopIteration: Python makes a RuntimeError of it (PEP 479).
        in_a_generator = isinstance(error, StopIteration) and seam not in ("parse", "add")
        assert problem.problem.startswith("RuntimeError" if in_a_generator else type(error).__name__)
        assert problem.problem.endswith("; this is a mistake in Paperbot, PAPERBOT_DEBUG=1 shows where")
        assert "\n" not in str(problem)
        assert [name for name in digests if name != bad.name] == [first.name, last.name]
        failing.clear()
        sources = [Source(bad.name)]
        again = outcomes(store, parse, sources, NOW, at_once=True)
        assert [outcome.source for outcome in again] == [bad.name]


def test_the_traceback_of_an_unexpected_exception_is_logged_at_debug_level(store: Store, caplog) -> None:
    caplog.set_level(logging.DEBUG, "paperbot")
    outcomes(store, parse, [Source("bad", breaks=("retrieve", IndexError("x")))], NOW)
    (record,) = caplog.records
    assert (record.levelno, record.message) == (logging.DEBUG, "bad")
    assert "in fail_at" in (record.exc_text or "")


@pytest.mark.parametrize("seam", ["retrieve", "next digest", "parse"])
@pytest.mark.parametrize("error", EXCEPTIONS, ids=lambda error: type(error).__name__)
def test_an_unexpected_exception_is_a_problem_of_a_peek_too(error: Exception, seam: str) -> None:
    bad = Source("bad", breaks=(seam, error))

    def parse_or_fail(raw: RawDigest) -> tuple[ParsedDigest, ...]:
        bad.fail_at("parse")
        return parse(raw)

    (*_, problem) = peek(bad, ParserBy(parse_or_fail), NOW)
    assert isinstance(problem, Problem)


def test_a_store_that_can_not_be_used_ends_the_run(store: Store, monkeypatch) -> None:
    def full(*_, **__):
        raise StoreError("database or disk is full")

    monkeypatch.setattr(store.papers, "add_digests", full)
    with pytest.raises(StoreError):
        outcomes(store, parse, [Source("one"), Source("two")], NOW)


def test_a_parser_that_can_not_start_is_a_problem_of_each_source_and_refuses_no_digest(store: Store) -> None:
    def no_parser(_: RawDigest) -> tuple[ParsedDigest, ...]:
        raise ParserError("the process that parses digests doesn't start")

    sources = [Source("one"), Source("two")]
    assert list(map(str, outcomes(store, no_parser, sources, NOW))) == [
        f"{name}: the process that parses digests doesn't start" for name in ("one", "two")
    ]
    read = outcomes(store, parse, sources, NOW + timedelta(hours=1))
    assert all(isinstance(outcome, DigestReport) for outcome in read)


# --- digests whose parsing fails or kills the process ------------------------------------------


class FailingParser:
    """A parser that raises, and counts its calls."""

    def __init__(self, outcome: Exception) -> None:
        self.outcome = outcome
        self.calls = 0

    def __call__(self, raw: RawDigest) -> tuple[ParsedDigest, ...]:
        self.calls += 1
        raise self.outcome


@pytest.fixture
def lines(store: Store) -> Callable[..., list[str]]:
    def lines(parse, **options: bool) -> list[str]:
        return list(map(str, outcomes(store, parse, [Source("a")], NOW, at_once=True, **options)))

    return lines


def test_a_digest_that_met_a_limit_is_refused_by_its_hash_until_again(lines) -> None:
    killer = FailingParser(LimitError("parsing it takes more than 20 s of processor time"))
    reason = "parsing it takes more than 20 s of processor time"
    again = "`paperbot ingest --again` tries again"
    assert lines(killer) == [f"a/day.txt: {reason}; it is refused from now on, {again}"]
    assert lines(killer) == [f"a/day.txt: refused since an earlier run: {reason}; {again}"]
    assert killer.calls == 1
    assert lines(killer, again=True) == [f"a/day.txt: {reason}; it is refused from now on, {again}"]
    assert killer.calls == 2
    assert [line.startswith("DigestReport") for line in lines(parse, again=True)] == [True]
    assert [line.startswith("DigestReport") for line in lines(killer)] == [True]
    assert killer.calls == 2


@pytest.mark.parametrize("outcome", [IndexError(), KeyboardInterrupt(), SystemExit()])
def test_other_exceptions_do_not_refuse_a_digest(lines, outcome: BaseException) -> None:
    parser = FailingParser(outcome)  # type: ignore[arg-type]
    for _ in range(4):
        try:
            lines(parser)
        except (KeyboardInterrupt, SystemExit):
            continue
    assert parser.calls == 4


KILLED = """
import os, signal, sys
from bot.operate.ingest import Ingestion
from bot.sources.folder import FolderOptions, FolderSource
from bot.store import open_store
from datetime import UTC, datetime
from pathlib import Path
class Dying:
    def parse(self, raw): os.kill(os.getpid(), signal.SIGKILL)
with open_store(sys.argv[1]) as store:
    source = FolderSource(FolderOptions(name="a", kind="folder", path="."), Path(sys.argv[2]))
    print(*Ingestion(store, Dying()).ingest([source], datetime(2026, 6, 12, tzinfo=UTC)).problems)
"""


@pytest.mark.slow
def test_a_digest_that_killed_the_process_is_parsed_once_more(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "drop"
    folder.mkdir()
    (folder / "day.txt").write_bytes(good("a"))
    program = [sys.executable, "-c", KILLED, f"sqlite:///{tmp_path / 'paperbot.db'}", str(folder)]
    for _ in range(2):
        ran = subprocess.run(program, check=False, capture_output=True, cwd=ROOT)
        assert ran.returncode == -signal.SIGKILL
    third = subprocess.run(program, check=True, capture_output=True, text=True, cwd=ROOT)
    assert third.stdout == (
        "a/day.txt: refused since an earlier run: Paperbot was killed 2 times while it was parsed; "
        "`paperbot ingest --again` tries again\n"
    )
    source = drop_folder("a", folder)
    (report,) = outcomes(store, parse, [source], NOW, again=True)
    assert isinstance(report, DigestReport)


@pytest.mark.slow
def test_hostile_files_do_not_affect_the_good_ones(tmp_path: Path, store: Store) -> None:
    """In the real parser process: files that loop, fill memory, crash, raise, or are not digests."""
    folder = tmp_path / "drop"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}-good.txt").write_bytes(good(str(number)))
    for name in ("spin", "fill", "crash", "leave", "err"):
        (folder / f"0-{name}.txt").write_text(f"!{name}")
        (folder / f"2-{name}.txt").write_text(f"!{name} ")
    (folder / "1-nothing.txt").write_text("nothing")
    limits = ParseLimits(seconds=1, memory=400_000_000)
    with Parser(limits, module="hostile_child", path=(PARSING, ROOT)) as parser:
        report = Ingestion(store, parser).ingest([drop_folder("a", folder)], NOW)
        assert [digest.file for digest in report.digests] == ["0-good.txt", "1-good.txt", "2-good.txt"]
        problems = {problem.source: problem.problem for problem in report.problems}
        assert len(problems) == len(report.problems) == 11
        assert problems["a/0-spin.txt"].startswith("parsing it takes more than 1 s of processor time; it is refused")
        assert problems["a/2-fill.txt"].startswith("parsing it needs more than 400 MB of memory; it is refused")
        assert problems["a/0-crash.txt"].startswith("the process that parsed it died (SIGSEGV); it is refused")
    again = Ingestion(store, ParserBy(parse)).ingest([drop_folder("a", folder)], NOW, at_once=True)
    assert sum("refused since an earlier run" in str(problem) for problem in again.problems) == 8
    assert [digest.known for digest in again.digests] == [1, 1, 1]
