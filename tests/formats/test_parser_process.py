"""The parser process: its responses, its limits, and its replacement."""

from __future__ import annotations

import io
import logging
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT, digest

from bot.formats import ParseLimits, Parser, dump, feed, library, load, programme, read_frame, registry, write_frames
from bot.model import Entry, Fact, FactKind, ParsedDigest, RawDigest
from bot.model.errors import DigestError, LimitError, ParserError

pytestmark = pytest.mark.slow  # processes that are started to be ended

HERE = Path(__file__).parent
LIMITS = ParseLimits(seconds=1, memory=400_000_000)
GOOD = RawDigest("owls", "day.txt", digest("Owls", "Bees").encode())


def hostile(limits: ParseLimits = LIMITS) -> Parser:
    return Parser(limits, module="hostile_child", path=(HERE, ROOT))


@pytest.fixture
def parser() -> Iterator[Parser]:
    with hostile() as parser:
        yield parser


def raw(command: str) -> RawDigest:
    return RawDigest("owls", "x.txt", command.encode())


def refusal(parser: Parser, command: str) -> str:
    with pytest.raises(DigestError) as refused:
        parser.parse(raw(command))
    return str(refused.value)


def limit(parser: Parser, command: str) -> str:
    with pytest.raises(LimitError) as refused:
        parser.parse(raw(command))
    return str(refused.value)


def pid(parser: Parser) -> int:
    assert parser._child
    return parser._child._process.pid


def test_the_process_parses_what_the_registry_parses() -> None:
    with Parser() as parser:
        for path in sorted((ROOT / "seeds").iterdir()):
            seed = RawDigest("seeds", path.name, path.read_bytes())
            assert parser.parse(seed) == registry.parse(seed)
        with pytest.raises(DigestError, match="empty file"):
            parser.parse(RawDigest("seeds", "x", b""))


LIBRARY = RawDigest("", "own.bib", b"@article{k, title = {Owls}, urldate = {2020-03-04}}\n@book{b, title = {Bees}}")
PROGRAMME = RawDigest(
    "", "conf", b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Owls\nDTSTART:20261202T090000Z\nEND:VEVENT\n"
)
FEEDS = RawDigest("", "feeds", b"<opml><outline text='Owls' xmlUrl='https://a.example/x'/><outline url='x'/></opml>")


def test_other_files_are_parsed_in_the_process_too() -> None:
    with Parser() as parser:
        assert parser.parse_library(LIBRARY) == library.parse(LIBRARY)
        assert parser.parse_programme(PROGRAMME) == programme.parse(PROGRAMME)
        assert parser.parse_feeds(FEEDS) == feed.parse_list(FEEDS)
        for raw in (LIBRARY, PROGRAMME, FEEDS, GOOD):
            assert parser.inspect(raw) == registry.inspect(raw)
        with pytest.raises(DigestError, match="no library that can be read"):
            parser.parse_library(GOOD)


def test_the_process_is_started_with_the_first_digest_and_serves_all() -> None:
    with Parser() as parser:
        assert parser._child is None
        parser.parse(GOOD)
        first = pid(parser)
        with ThreadPoolExecutor(4) as pool:
            assert len({digest for (digest,) in pool.map(parser.parse, [GOOD] * 20)}) == 1
        assert pid(parser) == first


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("!spin", "parsing it takes more than 1 s of processor time"),
        ("!fill", "parsing it needs more than 400 MB of memory"),
        ("!fill_and_raise_another_error", "parsing it needs more than 400 MB of memory"),
        ("!crash", "the process that parsed it died (SIGSEGV)"),
        ("!leave", "the process that parsed it died (status 3)"),
    ],
)
def test_a_limit_costs_the_digest_that_met_it_and_the_next_is_parsed(parser: Parser, command: str, reason: str) -> None:
    for _ in range(2):
        assert limit(parser, command) == reason
        assert len(parser.parse(GOOD)[0].entries) == 2


def test_a_process_that_waits_is_ended_at_the_deadline() -> None:
    with hostile(replace(LIMITS, deadline=1.0)) as parser:
        parser.parse(GOOD)
        assert limit(parser, "!stop") == "parsing it did not end within 1 s"
        assert len(parser.parse(GOOD)[0].entries) == 2


def test_processor_time_is_limited_for_each_digest(parser: Parser) -> None:
    """Together the digests take more than the limit of one."""
    flood = "<rss version='2.0'><channel><title>x</title>" + "<item><title>Owls &amp; Bees</title></item>" * 1_500
    feed = RawDigest("owls", "feed.xml", f"{flood}</channel></rss>".encode())
    parser.parse(feed)
    first = pid(parser)
    with Path(f"/proc/{first}/stat").open() as stat:
        ticks = sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))
    for _ in range(int(2.5 * os.sysconf("SC_CLK_TCK") / max(ticks, 1)) + 1):
        parser.parse(feed)
    assert pid(parser) == first


def test_a_process_low_on_memory_from_earlier_digests_is_replaced(parser: Parser) -> None:
    for _ in range(4):
        assert parser.parse(raw("!leak"))


def test_a_process_that_was_killed_between_digests_is_replaced(parser: Parser) -> None:
    parser.parse(GOOD)
    os.kill(pid(parser), signal.SIGKILL)
    assert len(parser.parse(GOOD)[0].entries) == 2


def test_the_process_has_no_environment_and_opens_no_sockets_or_processes(parser: Parser, monkeypatch) -> None:
    monkeypatch.setenv("PAPERBOT_EMAIL__PASSWORD", "a secret")
    names = refusal(parser, "!environment")
    assert "PAPERBOT" not in names
    assert "HOME" not in names
    assert names.endswith(" in /")
    assert "PermissionError: socket.__new__ is not allowed" in refusal(parser, "!open_socket")
    assert "PermissionError: subprocess.Popen is not allowed" in refusal(parser, "!start_process")


def test_the_limits_of_the_interpreter_are_its_defaults(parser: Parser, monkeypatch) -> None:
    """The formats rely on RecursionError and on ValueError for long integers; see ``bot.formats``."""
    monkeypatch.setenv("PYTHONINTMAXSTRDIGITS", "0")
    assert refusal(parser, "!report_interpreter_limits") == "1000 frames, 4300 digits"


def test_printed_text_does_not_corrupt_the_response(parser: Parser) -> None:
    assert parser.parse(raw("!print_text"))[0].topic == "x.txt"


def test_an_unexpected_exception_is_reported_and_its_traceback_logged(parser: Parser, caplog) -> None:
    caplog.set_level(logging.DEBUG, "paperbot")
    assert refusal(parser, "!raise_index_error") == (
        "IndexError: list index out of range; this is a mistake in Paperbot, PAPERBOT_DEBUG=1 shows where"
    )
    (message,) = caplog.messages
    assert message.startswith("owls/x.txt: Traceback")
    assert "in raise_index_error" in message


def test_a_process_that_cannot_start_is_a_parser_error() -> None:
    with Parser(module="no_such_module") as parser, pytest.raises(ParserError, match="doesn't start"):
        parser.parse(GOOD)
    with Parser(ParseLimits(memory=1_000_000)) as parser, pytest.raises(ParserError, match="doesn't start"):
        parser.parse(GOOD)


def test_the_process_ends_when_the_parent_is_killed() -> None:
    program = (
        "import os, signal; from bot.formats import Parser; from bot.model import RawDigest; p = Parser()\n"
        "try: p.parse(RawDigest('', '', b'nothing'))\n"
        "except Exception: print(p._child._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, text=True, cwd=ROOT)
    assert ran.returncode == -signal.SIGKILL
    child = int(ran.stdout)
    while Path(f"/proc/{child}").exists() and b"\nState:\tZ" not in Path(f"/proc/{child}/status").read_bytes():
        os.sched_yield()


TEXTS = st.text(max_size=20)
DATES = st.none() | st.dates()
ENTRIES = st.builds(
    Entry,
    title=TEXTS,
    authors=st.lists(TEXTS).map(tuple),
    published=DATES,
    arxiv_id=st.none() | TEXTS,
    upvotes=st.none() | st.integers(),
    organisation=st.none() | TEXTS,
    categories=st.lists(TEXTS).map(tuple),
    replacement=st.booleans(),
    facts=st.lists(st.builds(Fact, st.sampled_from(FactKind), TEXTS, TEXTS)).map(tuple),
)
DIGESTS = st.builds(ParsedDigest, TEXTS, TEXTS, DATES, st.lists(ENTRIES).map(tuple), st.lists(TEXTS).map(tuple))


@given(st.lists(DIGESTS))
def test_digests_survive_serialisation(parsed: list[ParsedDigest]) -> None:
    stream = io.BytesIO()
    write_frames(stream, dump({"digests": parsed}))
    stream.seek(0)
    assert load(read_frame(stream) or b"") == {"digests": parsed}


@given(st.binary(max_size=12))
def test_a_truncated_frame_is_none(content: bytes) -> None:
    frame = read_frame(io.BytesIO(content))
    assert frame is None or content[4:].startswith(frame)


def test_a_parser_that_does_not_wait_refuses_while_it_is_busy() -> None:
    with Parser(waits=False) as parser:
        with parser._lock, pytest.raises(DigestError, match="busy with another file; try again in a moment"):
            parser.parse(GOOD)
        assert parser.parse(GOOD) == registry.parse(GOOD)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only")
def test_the_child_ends_with_a_killed_parent_in_the_middle_of_a_digest(tmp_path: Path) -> None:
    pipe = tmp_path / "pid of the child"
    os.mkfifo(pipe)
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from test_parser_process import ParseLimits, hostile, raw\n"
        "hostile(ParseLimits(seconds=60)).parse(raw('!spin after telling ' + sys.argv[1]))"
    )
    with subprocess.Popen([sys.executable, "-c", code, pipe, HERE, ROOT / "tests", ROOT]) as parent:
        child = os.pidfd_open(int(pipe.read_text()))
        parent.kill()
    ended, _, _ = select.select([child], [], [], 20)
    os.close(child)
    assert ended
