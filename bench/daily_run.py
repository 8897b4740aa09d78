"""What a reader costs in the daily run, part by part, beside yardsticks.

    python bench/daily_run.py arxiv-papers.jsonl.gz [READERS ...]

The data is as ``ingest.py`` wants it. A home of 5,000 papers, 300 a day, of which the last 300 came in since the
readers' last editions; of the readers a third each has no thumb, 5, and 40. What was learned from the thumbs is fitted
before the run, as on any day without a new thumb. Mails go by SMTP to a server on loopback, which is a process of its
own.
``PAPERBOT_STORE__URL`` names an empty PostgreSQL database; without it the store is SQLite.

Prints one table: milliseconds of processor time and statements a reader, bytes that the run leaves in the store for a
reader, memory at its highest, and the yardsticks measured in the same minutes. Nothing is written but in a temporary
folder and the database named.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from ingest import feed, papers, take_in
from sqlalchemy import insert, text
from yardsticks import count_statements, mail_server, smtplib_loop, svm_loop

from bot.app import App, open_app
from bot.channels import MessageRenderer
from bot.editions import choices, composer
from bot.editions.models import refit
from bot.model import EditionKind, Reader, Vote
from bot.operate import dispatcher
from bot.ranking import ranker
from bot.store import derived, editions, schema
from bot.store import papers as stored_papers
from bot.store import readers as stored_readers
from bot.store.engine import Database, parse_url

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
EARLIER, NEW, PROFILES, THUMBS = 4_700, 300, 20, (0, 5, 40)
YARDSTICK_MAILS, YARDSTICK_READERS = 500, 10
MAIL = b"Subject: Papers\r\n\r\n" + b"Of reward models and what they reward. %d\r\n" % 7 * 1_000
SETTINGS = """[email]
host = "127.0.0.1"
port = {port}
security = "none"
"""
PROFILE = """title = "Profile {number}"
interests = "{interests}"
keywords = ["transformer", "reward model"]
mute = ["stock trading"]
[edition]
threshold = 0
[schedule]
at = "06:00"
days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
"""
PARTS: list[tuple[str, Any, Sequence[str]]] = [
    ("saving", editions.Editions, ["save", "save_all"]),
    ("store", editions.Editions, ["last_by_reader", "last_days"]),
    (
        "store",
        stored_papers.Papers,
        [
            "get",
            "voted",
            "fresh",
            "fresh_of",
            "revised",
            "revised_of",
            "newest_id",
            "newest_first_seen",
        ],
    ),
    ("store", stored_readers.Feedback, ["votes_of", "last_ids"]),
    ("store", derived.ReaderModels, ["of", "versions"]),
    ("store", derived.Mixtures, ["of", "of_home"]),
    ("store", stored_readers.Overrides, ["of", "all"]),
    ("ranking", ranker.Ranker, ["rankings"]),
    ("terms", ranker.Ranking, ["explained"]),
    ("reasons", choices.Ranked, ["reasons"]),
    ("selection", choices, ["select"]),
    ("composing", choices, ["new_pick"]),
    ("composing", composer, ["compose"]),
    ("rendering", MessageRenderer, ["messages"]),
    ("delivery", dispatcher.Dispatcher, ["deliver_due"]),
]
COMPOSED = ("store", "ranking", "terms", "reasons", "selection", "composing", "rendering", "saving", "rest")


class Stopwatch:
    """Processor time and statements by part: those of the innermost part count, what is in none is the rest."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.statements: Counter[str] = Counter()
        self._within = ["rest"]
        self._since = time.process_time()
        count_statements(self._count)

    def watch(self, part: str, owner: Any, name: str) -> None:
        """From now on, the function's time is the part's."""
        function: Callable[..., Any] | None = getattr(owner, name, None)
        if function is None:
            return

        def watched(*args: Any, **values: Any) -> Any:
            with self._inside(part):
                result = function(*args, **values)
            return self._each(part, result) if isinstance(result, Generator) else result

        setattr(owner, name, watched)

    @contextmanager
    def _inside(self, part: str) -> Iterator[None]:
        self._turn()
        self._within.append(part)
        try:
            yield
        finally:
            self._turn()
            self._within.pop()

    def _each(self, part: str, steps: Iterator[Any]) -> Iterator[Any]:
        end = object()
        while True:
            with self._inside(part):
                step = next(steps, end)
            if step is end:
                return
            yield step

    def begin(self) -> None:
        """Forget what was until now."""
        self.seconds.clear()
        self.statements.clear()
        self._since = time.process_time()

    def end(self) -> dict[str, float]:
        """Seconds by part."""
        self._turn()
        return dict(self.seconds)

    def _turn(self) -> None:
        now = time.process_time()
        self.seconds[self._within[-1]] += now - self._since
        self._since = now

    def _count(self) -> None:
        self.statements[self._within[-1]] += 1


def make_home(home: Path, data: Path, readers: int, port: int) -> None:
    """A home with papers, profiles, readers, thumbs, and an edition that everyone had yesterday."""
    entries = list(islice(papers(data), EARLIER + NEW))
    chance = random.Random(7)
    folder = home / "profiles"
    folder.mkdir()
    (home / "paperbot.toml").write_text(SETTINGS.format(port=port))
    for number in range(PROFILES):
        interests = " ".join(chance.choice(entries)["title"].split()).replace("\\", "").replace('"', "")
        addresses = "".join(f'[[readers]]\nemail = "r{n}@example.org"\n' for n in range(number, readers, PROFILES))
        profile = PROFILE.format(number=number, interests=interests) + addresses
        (folder / f"p{number}.toml").write_text(profile)
    with open_app(home) as app:
        days = [entries[start : start + NEW] for start in range(0, EARLIER, NEW)]
        for number, day in enumerate(days):
            bring(app, home / f"day-{number:02}", day, NOW - timedelta(days=len(days) + 1 - number))
        people = [
            reader
            for slug, profile in app.profiles.items()
            for reader in app.store.readers.sync(slug, profile.addresses, NOW)
        ]
        fill(app, people, chance, app.store.papers.newest_id())
        bring(app, home / "new", entries[EARLIER:], NOW - timedelta(hours=3))


def bring(app: App, folder: Path, entries: list[dict[str, Any]], at: datetime) -> None:
    """These papers, in digests of a thousand."""
    folder.mkdir()
    for start in range(0, len(entries), 1_000):
        (folder / f"{start:06}.xml").write_bytes(feed(entries[start : start + 1_000]))
    take_in(folder, app.store, app.parser, at)


def fill(app: App, people: Sequence[Reader], chance: random.Random, newest: int) -> None:
    """Thumbs for the readers, and a quiet edition of yesterday."""
    yesterday = NOW - timedelta(days=1)
    thumbs = [
        {
            "reader_id": reader.id,
            "paper_id": paper,
            "vote": chance.choice([Vote.UP, Vote.UP, Vote.DOWN]),
            "at": yesterday,
            "via": "mail",
            "voter": "",
        }
        for turn, reader in enumerate(people)
        for paper in chance.sample(range(1, newest + 1), THUMBS[turn % len(THUMBS)])
    ]
    quiet = [
        {
            "reader_id": reader.id,
            "slot": yesterday.date().isoformat(),
            "date": yesterday.date(),
            "composed_at": yesterday,
            "considered": newest,
            "watermark": newest,
            "quiet": "nothing",
            "kind": EditionKind.EDITION,
        }
        for reader in people
    ]
    with app.store._database.writing() as connection:
        connection.execute(insert(schema.votes), thumbs)
        connection.execute(insert(schema.editions), quiet)


def bytes_by_table(url: str) -> Counter[str]:
    """Bytes in use by table, with its indexes; free pages don't count."""
    database = Database(parse_url(url))
    on_sqlite = database.file is not None
    query = (
        "SELECT m.tbl_name, SUM(s.payload) FROM dbstat s JOIN sqlite_master m ON m.name = s.name GROUP BY 1"
        if on_sqlite
        else "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace > 99"
    )
    with database.reading() as connection:
        sizes = Counter({name: int(size) for name, size in connection.execute(text(query))})
    database.close()
    return sizes


def run(data: Path, readers: int, port: int) -> dict[str, Any]:
    """One home, one run, its figures."""
    stopwatch = Stopwatch()
    for part, owner, names in PARTS:
        for name in names:
            stopwatch.watch(part, owner, name)
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        url = os.environ.get("PAPERBOT_STORE__URL") or f"sqlite:///{home}/state/paperbot.db"
        make_home(home, data, readers, port)
        with open_app(home) as app:
            stopwatch.begin()
            assert app.ranker.get()
            fitted = sum(stopwatch.end().values())
            voters = [(reader, app.profiles[reader.profile]) for reader in app.store.readers.all()]
            stopwatch.begin()
            refit(app.store, app.ranker, voters, NOW)
            refitted = sum(stopwatch.end().values())
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            before = bytes_by_table(url)
            stopwatch.begin()
            wall = time.perf_counter()
            report = app.daily_job.publish(NOW)
            wall = time.perf_counter() - wall
            seconds = stopwatch.end()
            counts = (report.editions, report.delivered, report.problems[:1])
            assert counts == (readers, readers, []), counts
        growth = bytes_by_table(url) - before
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {
        "readers": readers,
        "ms": {part: 1_000 * seconds.get(part, 0) / readers for part in (*COMPOSED, "delivery")},
        "wall_ms": 1_000 * wall / readers,
        "statements": {part: count / readers for part, count in stopwatch.statements.items()},
        "bytes": {table: size / readers for table, size in growth.most_common()},
        "fitted": fitted,
        "refitted_ms": 1_000 * refitted / readers,
        "memory": highest,
        "memory_of_run": highest - memory,
    }


def show(results: Sequence[dict[str, Any]], mail_seconds: float, svm_seconds: float) -> None:
    """Print the table."""
    rows: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        *(
            (f"{part}, ms of processor time", lambda r, part=part: f"{r['ms'][part]:.2f}")
            for part in (*COMPOSED, "delivery")
        ),
        ("composed, rendered and saved, ms", lambda r: f"{composed(r):.2f}"),
        (
            "  editions a second, x arxiv-sanity-lite's loop",
            lambda r: f"{1_000 * svm_seconds / composed(r):.1f}",
        ),
        ("  delivery, x smtplib's loop", lambda r: f"{r['ms']['delivery'] / mail_seconds / 1_000:.2f}"),
        ("all by the clock, ms", lambda r: f"{r['wall_ms']:.2f}"),
        ("fitting a reader's model before, ms", lambda r: f"{r['refitted_ms']:.0f}"),
        ("statements, composing", lambda r: f"{sum(r['statements'].values()) - delivery_statements(r):.2f}"),
        ("statements, delivery", lambda r: f"{delivery_statements(r):.2f}"),
        ("bytes in the store after settling", lambda r: f"{sum(r['bytes'].values()):.0f}"),
        *(
            (f"  {table}", lambda r, table=table: f"{r['bytes'].get(table, 0):.0f}")
            for table in list(results[-1]["bytes"])[:4]
        ),
        ("memory, MB (in the run)", lambda r: f"{r['memory']} ({r['memory_of_run']})"),
    ]
    print(f"{'a reader, by number of readers':48}" + "".join(f"{r['readers']:>12,}" for r in results))
    for name, cell in rows:
        print(f"{name:48}" + "".join(f"{cell(result):>12}" for result in results))
    print(
        f"yardsticks of this run, ms of processor time: smtplib's loop {1_000 * mail_seconds:.2f} a mail, "
        f"arxiv-sanity-lite's loop {1_000 * svm_seconds:.0f} a reader; "
        f"the corpus was fitted once in {results[-1]['fitted']:.1f} s"
    )


def composed(result: dict[str, Any]) -> float:
    """Milliseconds of processor time for a reader's edition until it is saved."""
    return sum(result["ms"][part] for part in COMPOSED)


def delivery_statements(result: dict[str, Any]) -> float:
    """Statements of the delivery of a reader's mail."""
    return float(result["statements"].get("delivery", 0))


def main(data: Path, sizes: Sequence[int]) -> None:
    """A process for each size, so that memory is its own; the yardsticks before and after them."""
    entries = list(islice(papers(data), EARLIER + NEW))
    texts = [f"{entry['title']} {entry['abstract']}" for entry in entries]
    mail_seconds, results = [], []
    with mail_server() as port:
        mail_seconds.append(smtplib_loop(port, YARDSTICK_MAILS, MAIL))
        for readers in sizes:
            command = [sys.executable, __file__, "--one", str(data), str(readers), str(port)]
            finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            results.append(json.loads(finished.stdout))
            mail_seconds.append(smtplib_loop(port, YARDSTICK_MAILS, MAIL))
    svm_seconds = svm_loop(texts, NEW, YARDSTICK_READERS)
    show(results, sum(mail_seconds) / len(mail_seconds), svm_seconds)


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(run(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))))
    else:
        main(Path(sys.argv[1]), [int(size) for size in sys.argv[2:]] or [1_000, 4_000])
