"""Editions that wait for a source that failed just now, and those that go out without it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from servers import Page, Web
from support import digest, edit, outbox, text_of

from bot.store import open_store

TUESDAY = datetime(2026, 6, 9, 8, 0, tzinfo=UTC)
WEDNESDAY = TUESDAY + timedelta(days=1)
MINUTE = timedelta(minutes=1)
SETTINGS = """
[bot]
wait_minutes = {wait}
[[sources]]
name = "drop"
kind = "folder"
path = "drop"
[[sources]]
name = "blog"
kind = "feed"
url = "{web}/feed"
[fetch]
private_hosts = ["127.0.0.1"]
"""
DOWN = Page(status=500)
RunAt = Callable[..., "Outcome"]


class Outcome:
    """What a run said, and what stood in the mails that it wrote."""

    def __init__(self, code: int, report: dict, mails: list[str]) -> None:
        self.code, self.report, self.mails = code, report, mails

    @property
    def problems(self) -> list[str]:
        return [f"{p['source']}: {p['problem']}" for p in self.report["problems"]]


def feed(*titles: str) -> Page:
    items = "".join(f"<item><title>{title} of reward models</title></item>" for title in titles)
    return Page(f"<rss version='2.0'><channel><title>Blog</title>{items}</channel></rss>".encode())


@pytest.fixture
def waiting_home(owls_home: Path, web: Web) -> Path:
    (owls_home / "paperbot.toml").write_text(SETTINGS.format(web=web.url, wait=60))
    return owls_home


@pytest.fixture
def run(waiting_home: Path, paperbot) -> RunAt:
    seen: set[Path] = set()

    def run(now: datetime, *options: str) -> Outcome:
        answer = paperbot("run", "--now", now.isoformat(), "--json", *options)
        new = [path for path in outbox(waiting_home) if path not in seen]
        seen.update(new)
        return Outcome(answer.code, answer.json, [text_of(path) for path in new])

    return run


@pytest.fixture
def interrupted(run: RunAt, web: Web, waiting_home: Path) -> None:
    """A good Tuesday; on Wednesday the blog is down, and the folder has a paper."""
    web.pages["/feed"] = feed("Tuesdays")
    assert len(run(TUESDAY).mails) == 1
    web.pages["/feed"] = DOWN
    (waiting_home / "drop" / "day.txt").write_text(digest("Reward models of cats", header="OWLS - 2026-06-10"))


def waits(problem: str, until: str) -> bool:
    return problem == (
        f"blog: 1 edition waits for it to be read, until {until} UTC at most; `paperbot run --force` doesn't wait"
    )


def test_the_edition_waits_until_the_source_is_back(interrupted, run: RunAt, web: Web) -> None:
    first = run(WEDNESDAY)
    assert (first.code, first.mails, first.report["editions"], first.report["skipped"]) == (1, [], 0, 0)
    assert waits(first.problems[-1], "09:00")
    second = run(WEDNESDAY + MINUTE)  # the blog isn't asked yet
    assert [waits(problem, "09:00") for problem in second.problems] == [True]
    web.pages["/feed"] = feed("Tuesdays", "Wednesdays")
    back = run(WEDNESDAY + 10 * MINUTE)
    assert (back.code, back.problems) == (0, [])
    (mail,) = back.mails
    assert "Wednesdays of reward models" in mail
    assert "Reward models of cats" in mail
    assert "without" not in mail
    assert run(WEDNESDAY + 11 * MINUTE).mails == []


def test_after_an_hour_it_is_sent_without_the_source_and_says_so(interrupted, run: RunAt, waiting_home: Path) -> None:
    for minutes in range(0, 60, 6):
        assert run(WEDNESDAY + minutes * MINUTE).mails == []
    (mail,) = run(WEDNESDAY + 60 * MINUTE).mails
    assert "Reward models of cats" in mail
    assert "1 paper; 1 new paper came in, without blog, which could not be read" in mail
    with open_store(f"sqlite:///{waiting_home}/state/paperbot.db") as store:
        (reader,) = store.readers.all()
        assert [edition.missing for edition in store.editions.of_reader(reader.id)][:2] == [("blog",), ()]


@pytest.mark.slow
def test_a_failed_source_is_polled_again_with_exponential_backoff(interrupted, run: RunAt, web: Web) -> None:
    before = len(web.requests)
    polled = []
    for minutes in (0, 1, 4, 5, 6, 13, 14, 15, 31, 32, 33, 59):  # each time, and the minutes beside it
        run(WEDNESDAY + minutes * MINUTE)
        polled += [minutes] * (len(web.requests) - before - len(polled))
    assert polled == [0, 5, 14, 32]


def test_the_wait_begins_with_the_first_run_after_the_slot(interrupted, run: RunAt) -> None:
    """The laptop was closed at eight, and has no network in its first minute."""
    late = run(WEDNESDAY + 180 * MINUTE)
    assert late.mails == []
    assert waits(late.problems[-1], "12:00")
    assert len(run(WEDNESDAY + 240 * MINUTE).mails) == 1


def test_force_does_not_wait_and_names_the_missing_source(interrupted, run: RunAt) -> None:
    (mail,) = run(WEDNESDAY, "--force").mails
    assert "without blog" in mail


def test_a_setting_disables_waiting(interrupted, run: RunAt, waiting_home: Path, web: Web) -> None:
    (waiting_home / "paperbot.toml").write_text(SETTINGS.format(web=web.url, wait=0))
    assert len(run(WEDNESDAY).mails) == 1


def test_an_edition_does_not_wait_for_a_source_its_profile_does_not_read(
    interrupted, run: RunAt, waiting_home: Path
) -> None:
    edit(waiting_home / "profiles/owls.toml", "[[readers]]", 'sources = ["drop"]\n[[readers]]')
    (mail,) = run(WEDNESDAY).mails
    assert "without" not in mail


@pytest.mark.slow
def test_editions_do_not_wait_for_a_source_that_failed_long_ago_or_always(
    interrupted, run: RunAt, waiting_home: Path
) -> None:
    for minutes in range(0, 61, 20):
        run(WEDNESDAY + minutes * MINUTE)
    (waiting_home / "drop" / "next.txt").write_text(digest("Reward models of dogs", header="OWLS - 2026-06-11"))
    (mail,) = run(WEDNESDAY + timedelta(days=1)).mails
    assert "without" not in mail
    settings = (waiting_home / "paperbot.toml").read_text().replace('name = "blog"', 'name = "other"')
    (waiting_home / "paperbot.toml").write_text(settings)
    (waiting_home / "drop" / "last.txt").write_text(digest("Reward models of cows", header="OWLS - 2026-06-12"))
    assert len(run(WEDNESDAY + timedelta(days=2)).mails) == 1


def test_editions_do_not_wait_for_a_source_whose_retry_after_is_longer(interrupted, run: RunAt, web: Web) -> None:
    web.pages["/feed"] = Page(status=503, headers={"Retry-After": "7200"})
    assert len(run(WEDNESDAY).mails) == 1


def test_editions_do_not_wait_for_arxiv_on_its_weekend(run: RunAt, waiting_home: Path, web: Web) -> None:
    saturday = datetime(2026, 6, 13, 8, 0, tzinfo=UTC)
    profile = waiting_home / "profiles" / "owls.toml"
    profile.write_text(profile.read_text() + '[schedule]\ndays = ["fri", "sun"]\n')
    kind = f'kind = "arxiv"\nquery = "cat:cs.OW"\nurl = "{web.url}/api"'
    settings = (waiting_home / "paperbot.toml").read_text()
    (waiting_home / "paperbot.toml").write_text(settings.replace(f'kind = "feed"\nurl = "{web.url}/feed"', kind))
    xmlns = "xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'"
    web.pages["/api"] = Page(f"<feed {xmlns}><title>Api</title><o:totalResults>0</o:totalResults></feed>".encode())
    run(saturday)
    web.pages["/api"] = DOWN
    sunday = run(saturday + timedelta(days=1))
    assert sunday.report["skipped"] == 1
    assert not any("waits" in problem for problem in sunday.problems)


def test_all_waiting_readers_are_one_problem(interrupted, run: RunAt, waiting_home: Path) -> None:
    profile = waiting_home / "profiles" / "owls.toml"
    profile.write_text(profile.read_text() + "".join(f'[[readers]]\nemail = "r{n}@example.org"\n' for n in range(5)))
    problems = run(WEDNESDAY).problems
    assert sum("6 editions wait for it to be read" in problem for problem in problems) == 1
    assert len(problems) == 2
