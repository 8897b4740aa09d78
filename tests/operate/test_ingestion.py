"""Visits to sources: when, what is remembered, and what the operator hears."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from support import ParserBy, digest

from bot.editions.health import Health, check_health
from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, Problem, RawDigest
from bot.model.errors import OfflineError, SourceError
from bot.operate.ingest import DigestReport, unreadable
from bot.sources import Visit
from bot.store import Store

from .fake_source import FakeSource, outcomes

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
Outcome = RawDigest | Problem | SourceError


@dataclass
class Fake(FakeSource):
    """A source that brings what it is told, and notes its visits."""

    brings: list[Outcome] = field(default_factory=list)
    visits: list[dict[str, str]] = field(default_factory=list)

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        self.visits.append(dict(visit.memory))
        visit.memory["visits"] = str(len(self.visits))
        for outcome in self.brings:
            if isinstance(outcome, SourceError):
                raise outcome
            yield outcome


@pytest.fixture
def run(store: Store) -> Callable[..., list[DigestReport | Problem]]:
    def run(*sources: Fake, now: datetime = NOW, at_once: bool = False) -> list[DigestReport | Problem]:
        return outcomes(store, parse, sources, now, at_once=at_once)

    return run


def raw(*titles: str) -> RawDigest:
    return RawDigest("owls", "day.txt", digest(*titles).encode())


def test_a_source_is_not_polled_before_its_interval_unless_at_once(run) -> None:
    source = Fake()
    for after in (0, 59, 60, 61):
        run(source, now=NOW + timedelta(minutes=after))
    assert len(source.visits) == 2
    run(source, now=NOW + timedelta(minutes=62), at_once=True)
    assert len(source.visits) == 3


def test_a_last_poll_in_the_future_is_ignored(run) -> None:
    source = Fake()
    run(source, now=NOW + timedelta(days=1))
    run(source, now=NOW)
    assert len(source.visits) == 2


def test_a_sources_memory_is_stored_only_after_all_its_digests(run, store: Store) -> None:
    source = Fake(brings=[raw("Owls"), SourceError("broke off")])
    report, problem = run(source, at_once=True)
    assert (report.new, problem) == (1, Problem("owls", "broke off"))
    source.brings = [RawDigest("owls", "x", b"nonsense")]
    run(source, at_once=True)
    source.brings = [raw("Bees")]
    run(source, at_once=True)
    run(source, at_once=True)
    assert source.visits == [{}, {}, {}, {"visits": "3"}]


def test_failures_are_counted_until_the_next_success(run, store: Store) -> None:
    source = Fake(brings=[SourceError("down")])
    for n in range(3):
        run(source, now=NOW + n * HOUR)
    state = store.sources.states()["owls"]
    assert (state.failures, state.problem, state.succeeded_at) == (3, "down", None)
    report = check_health(source, store, NOW, state)
    assert str(report) == "failing: down (3 times in a row)"
    source.brings = []
    run(source, now=NOW + 3 * HOUR)
    state = store.sources.states()["owls"]
    assert (state.failures, state.problem, state.succeeded_at) == (0, "", NOW + 3 * HOUR)


def test_without_a_network_the_next_try_is_named(run, store: Store) -> None:
    source = Fake(brings=[OfflineError("no network")])
    problems = [problem.problem for minute in (0, 5, 15) for problem in run(source, now=NOW + minute * HOUR / 60)]
    assert problems == [f"no network; Paperbot tries again at 2026-06-12 08:{at} UTC" for at in ("05", "15", "35")]
    assert store.sources.states()["owls"].problem == "no network"


def test_retry_after_holds_even_for_polls_at_once(run) -> None:
    source = Fake(brings=[SourceError("busy", retry_after=7200)])
    run(source)
    assert run(source, now=NOW + HOUR) == []
    assert run(source, now=NOW + HOUR, at_once=True) == [
        Problem("owls", "asks not to be polled until 2026-06-12 10:00 UTC")
    ]
    run(source, now=NOW + 2 * HOUR)
    assert len(source.visits) == 2


def test_a_retry_after_recorded_by_a_fast_clock_is_ignored(run) -> None:
    source = Fake(brings=[SourceError("busy", retry_after=7200)])
    run(source, now=NOW + timedelta(days=400))
    run(source)
    assert len(source.visits) == 2


def test_an_unreadable_file_is_not_a_failure_of_its_folder(run, store: Store) -> None:
    folder = Fake(kind="folder", poll_interval=timedelta(0), brings=[Problem("owls", "x: no permission"), raw("Owls")])
    run(folder)
    assert check_health(folder, store, NOW, store.sources.states()["owls"]).health is Health.OK
    folder.brings = [Problem("owls", "no folder seeds")]
    run(folder)
    assert check_health(folder, store, NOW, store.sources.states()["owls"]).health is Health.FAILING


def test_a_feed_without_its_end_is_a_problem_of_each_run_until_it_is_whole(run, store: Store) -> None:
    items = "<item><title>Owls See by Night</title></item><item><title>Bees Dance by Day</title></item>"
    whole = f"<rss version='2.0'><channel><title>Birds</title>{items}</channel></rss>".encode()
    source = Fake(brings=[RawDigest("owls", "feed.xml", whole[: whole.index(b" by Day")])])
    report, problem = run(source)
    again = run(source, now=NOW + HOUR)
    sentence = "the feed ends before its </rss>; the papers before that were read. Get the whole feed for the others"
    assert (report.papers, report.new, report.rejected) == (1, 1, ())  # half a title would be another paper
    assert [problem, again[-1]] == [Problem("owls/feed.xml", f"cut off: {sentence}")] * 2
    state = store.sources.states()["owls"]
    assert str(check_health(source, store, NOW, state)) == f"failing: {problem.problem} (2 times in a row)"
    folder = Fake(kind="folder", poll_interval=timedelta(0), brings=source.brings)
    assert list(unreadable([folder], store, ParserBy(parse), NOW)) == [problem]
    assert source.visits == [{}, {}]
    source.brings = [RawDigest("owls", "feed.xml", whole)]
    assert [type(outcome) for outcome in run(source, now=NOW + 2 * HOUR)] == [DigestReport]
    assert store.sources.states()["owls"].failures == 0


def test_other_sources_are_polled_when_one_fails(run) -> None:
    first, second = Fake("one", brings=[SourceError("down")]), Fake("two", brings=[raw("Owls")])
    report, problem = run(first, second)
    assert (problem, report.new) == (Problem("one", "down"), 1)


def test_a_shortfall_is_reported_once(run) -> None:
    source = Fake()
    heard = []
    for day in range(8):
        count = 10 if day < 5 else 1
        source.brings = [raw(*(f"Paper {day} {n}" for n in range(count)))]
        heard.append([o.problem for o in run(source, now=NOW + timedelta(days=day - 4)) if isinstance(o, Problem)])
    # NOW is a Friday; Saturday and Sunday are days of another kind, of which too few were seen.
    assert heard == [[], [], [], [], [], [], [], ["short: 1 new papers in a day, 10 are usual"]]
    assert run(source, now=NOW + timedelta(days=3, hours=2))[0].new == 0


# --- one paper, one story ---------------------------------------------------------------------


def take_in(store: Store, *entries: Entry, source: str = "a", now: datetime = NOW) -> tuple[int, int]:
    parsed = ParsedDigest("feed", source, None, entries)
    return store.papers.add_digests(source, "x", f"{source} {now} {entries}", [parsed], now=now)[0]


def test_a_replacement_of_an_unknown_paper_is_not_new(store: Store) -> None:
    unknown = Entry("Old Owls", arxiv_id="2401.00001", version=3, replacement=True)
    assert take_in(store, unknown, Entry("Bees")) == (1, 1)
    assert store.papers.count() == 1


def test_a_feed_that_lists_a_paper_for_days_is_one_sighting(store: Store) -> None:
    for hour in range(3):
        take_in(store, Entry("Owls", upvotes=hour), now=NOW + hour * HOUR)
    (paper,) = store.papers.get([1]).values()
    assert (len(paper.sightings), paper.upvotes) == (1, 2)
    assert [(arrival.papers, arrival.fresh) for arrival in store.sources.arrivals("a", NOW - HOUR)] == [
        (1, 1),
        (1, 0),
        (1, 0),
    ]


def test_the_highest_arxiv_id_is_stored(store: Store) -> None:
    take_in(
        store,
        Entry("A", arxiv_id="2606.00002"),
        Entry("B", arxiv_id="hep-th/9901001"),
        Entry("C", arxiv_id="2606.00010"),
        Entry("D"),
    )
    assert store.sources.activity()["a"].highest_id == "2606.00010"


@pytest.mark.parametrize("content", [b"", b"<html>Sorry", b"\x00" * 100, b"{}"])
def test_a_response_that_is_not_a_feed_is_one_problem_and_a_failure(run, store: Store, content: bytes) -> None:
    source = Fake(brings=[RawDigest("owls", "https://example.org/feed", content)])
    (problem,) = run(source)
    assert problem.source == "owls/https://example.org/feed"
    assert store.sources.states()["owls"].failures == 1
