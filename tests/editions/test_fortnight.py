"""Five sources of different kinds for a simulated fortnight; two of them fail during it."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from imap_server import ImapServer
from servers import Page, Request, Web
from support import digest

from bot.store import open_store

pytestmark = pytest.mark.slow

FIRST = datetime(2026, 6, 1, 8, 0, tzinfo=UTC)  # a Monday
DAYS = [FIRST + timedelta(days=n) for n in range(14)]
FEED_UNCHANGED_FROM = date(2026, 6, 10)
ARXIV_DOWN_FROM = date(2026, 6, 11)
PAPERS_PER_DAY = 6  # of each source, on working days

SETTINGS = """
[[sources]]
name = "drop"
kind = "folder"
path = "drop"
[[sources]]
name = "blog"
kind = "feed"
url = "{web}/feed"
[[sources]]
name = "api"
kind = "arxiv"
query = "cat:cs.OW"
url = "{web}/api"
[[sources]]
name = "daily"
kind = "huggingface"
url = "{web}/daily"
[[sources]]
name = "mail"
kind = "mailbox"
host = "127.0.0.1"
port = {imap}
security = "none"
username = "ada"
sender = "arxiv.org"
[fetch]
private_hosts = ["127.0.0.1"]
"""


def is_working_day(day: datetime) -> bool:
    return day.weekday() < 5


def titles(source_name: str, day: datetime) -> list[str]:
    """The titles of a source for a day; the first is in all sources."""
    others = [f"{source_name.title()} paper {n} of day {day:%d} on reward models" for n in range(1, PAPERS_PER_DAY)]
    return [f"Shared paper of day {day:%d} on reward models", *others] if is_working_day(day) else []


class SimulatedSources:
    """What each source serves at a simulated time."""

    def __init__(self, home: Path, web: Web, imap: ImapServer) -> None:
        self.home = home
        self.imap = imap
        self.now = FIRST
        web.pages |= {"/feed": self.feed, "/api": self.api, "/daily": self.daily}

    def advance_to(self, now: datetime) -> None:
        self.now = now
        if is_working_day(now):
            name = self.home / "drop" / f"{now:%Y-%m-%d}.txt"
            name.write_text(digest(*titles("drop", now), header=f"OWLS - {now:%Y-%m-%d}", date=f"{now:%Y-%m-%d}"))
            self.imap.put(self.mail())

    def feed(self, _: Request) -> Page:
        """The last three days; from the tenth on it succeeds with what it had the day before."""
        until = min(self.now, datetime.combine(FEED_UNCHANGED_FROM, self.now.timetz()) - timedelta(days=1))
        days = [until - timedelta(days=n) for n in range(3) if until - timedelta(days=n) >= FIRST]
        items = "".join(f"<item><title>{title}</title></item>" for day in days for title in titles("blog", day))
        return Page(f"<rss version='2.0'><channel><title>Blog {self.now}</title>{items}</channel></rss>".encode())

    def api(self, _: Request) -> Page:
        if self.now.date() >= ARXIV_DOWN_FROM:
            return Page(status=503, headers={"Retry-After": "3600"})
        days = [self.now - timedelta(days=n) for n in range(5) if self.now - timedelta(days=n) >= FIRST]
        entries = "".join(
            f"<entry><id>http://arxiv.org/abs/26{day:%m}.{day:%d}{n:03}v1</id><title>{title}</title>"
            f"<published>{day:%Y-%m-%dT%H:%M:%SZ}</published></entry>"
            for day in days
            for n, title in enumerate(titles("api", day))
        )
        xmlns = "xmlns:o='http://a9.com/-/spec/opensearch/1.1/'"
        total = f"<o:totalResults {xmlns}>{99 if entries else 0}</o:totalResults>"
        return Page(f"<feed xmlns='http://www.w3.org/2005/Atom'><title>Api</title>{total}{entries}</feed>".encode())

    def daily(self, request: Request) -> Page:
        """Half of a day's list on its day, all of it from the next day on."""
        day = datetime.fromisoformat(request.path.partition("=")[2]).replace(tzinfo=UTC)
        if day < FIRST - timedelta(days=1):
            return Page(b"[]")
        listed = titles("daily", day)[: PAPERS_PER_DAY if day.date() < self.now.date() else PAPERS_PER_DAY // 2]
        papers = [
            {"paper": {"title": t, "submittedOnDailyAt": day.isoformat(), "upvotes": self.now.day}} for t in listed
        ]
        return Page(json.dumps(papers).encode())

    def mail(self) -> bytes:
        blocks = "".join(
            f"\\\\\narXiv:26{self.now:%m}.{self.now:%d}{n + (900 if n else 0):03}\n"
            f"Date: Mon, 1 Jun 2026 00:00:00 GMT\n\n"
            f"Title: {title}\nAuthors: Ada Lovelace\nCategories: cs.OW\n\\\\\n  We study it.\n\\\\ (x)\n"
            for n, title in enumerate(titles("mail", self.now))
        )
        mail = EmailMessage()
        mail["From"], mail["Message-ID"], mail["Date"] = "no-reply@arxiv.org", "<1@arxiv.org>", f"{self.now}"
        mail.set_content(blocks)
        return mail.as_bytes()


@pytest.fixture
def sources(owls_home: Path, web: Web) -> Iterator[SimulatedSources]:
    # Every paper is sent, so that all can be counted.
    with (owls_home / "profiles" / "owls.toml").open("a") as profile:
        profile.write("size = 100\nexplore = 0\n")
    with ImapServer().running() as imap:
        (owls_home / "paperbot.toml").write_text(SETTINGS.format(web=web.url, imap=imap.port))
        yield SimulatedSources(owls_home, web, imap)


def stored_and_sent(home: Path) -> tuple[list[str], list[str]]:
    """The titles of all stored papers, and of all picks of the editions."""
    with open_store(f"sqlite:///{home}/state/paperbot.db") as store:
        (reader,) = store.readers.all()
        editions = store.editions.of_reader(reader.id)
        picked = [pick.paper.title for edition in editions for pick in store.editions.picks_of(edition.id)]
        return [title for _, title, _ in store.papers.recent_texts(10_000)], picked


def test_each_relevant_paper_is_sent_once_and_status_reports_it(sources, paperbot, monkeypatch):
    monkeypatch.setitem(os.environ, "PAPERBOT_PASSWORDS__MAIL", "secret")
    expected: set[str] = set()
    problems: dict[str, list[str]] = {}
    for now in DAYS:
        sources.advance_to(now)
        expected |= set(titles("drop", now)) | set(titles("mail", now))
        expected |= set(titles("blog", now)) if now.date() < FEED_UNCHANGED_FROM else set()
        expected |= set(titles("api", now)) if now.date() < ARXIV_DOWN_FROM else set()
        report = paperbot("run", "--now", now.isoformat(), "--json").json
        problems[f"{now:%d}"] = [f"{p['source']}: {p['problem'].partition(':')[0]}" for p in report["problems"]]
    expected |= {title for day in DAYS for title in titles("daily", day)}
    papers = paperbot("status", "--json", "--now", DAYS[-1].isoformat())
    assert papers.json["papers"] == len(expected)
    assert problems == {f"{now:%d}": [] for now in DAYS} | {
        "10": ["blog: stale"],
        "11": ["api: http"],
        "12": ["api: http"],
        "13": ["api: http"],
        "14": ["api: http"],
    }
    stored, sent = stored_and_sent(sources.home)
    assert sorted(stored) == sorted(expected)
    assert len(sent) == len(set(sent)) > 30

    by_name = {source["name"]: source for source in papers.json["sources"]}
    assert {name: source["health"] for name, source in by_name.items()} == {
        "drop": "ok",
        "blog": "new",  # a Sunday, and too few of them to compare with
        "api": "failing",
        "daily": "new",  # too few Sundays
        "mail": "resting",
    }
    assert "it last succeeded on 2026-06-10 08:00 UTC" in by_name["api"]["detail"]
    friday = paperbot("status", "--json", "--now", DAYS[11].isoformat()).json
    (blog,) = (source for source in friday["sources"] if source["name"] == "blog")
    assert blog["detail"] == "the same 12 papers again; nothing new since 2026-06-09, 6 papers a day are usual"


ALL_DAYS = 'days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]'


def test_a_quiet_edition_gives_the_reason_of_its_own_sources(sources, paperbot, monkeypatch):
    monkeypatch.setitem(os.environ, "PAPERBOT_PASSWORDS__MAIL", "secret")
    for source in ("drop", "blog", "api", "mail"):
        (sources.home / "profiles" / f"{source}.toml").write_text(
            f'title = "{source}"\ninterests = "reward models"\nsources = ["{source}"]\n'
            f'[edition]\nthreshold = 0\n[schedule]\n{ALL_DAYS}\n[[readers]]\nemail = "a@x.org"\n'
        )
    reasons: dict[str, list[str | None]] = {}
    for now in DAYS:
        sources.advance_to(now)
        paperbot("run", "--now", now.isoformat())
        for reader in paperbot("status", "--json", "--now", now.isoformat()).json["readers"]:
            reason = reader["quiet"]["reason"] if reader["quiet"] else None
            reasons.setdefault(reader["reader"].partition("/")[0], []).append(reason)
    week = [None] * 5
    assert reasons["drop"] == [*week, "nothing new", "nothing new"] * 2
    assert reasons["mail"] == [None] * 14  # at weekends come papers that had no place
    assert reasons["api"][7:] == [None, None, None, "failing", "failing", "weekend", "weekend"]
    assert reasons["blog"][7:] == [None, None, "stale", "stale", "stale", "nothing new", "nothing new"]
