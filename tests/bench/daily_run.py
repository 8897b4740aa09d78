"""What a reader costs in the daily run, part by part, with 100, 1,000 and 4,000 readers.

    python tests/bench/daily_run.py arxiv-papers.jsonl.gz [READERS ...]

The data is as ``ingest.py`` wants it. A home of 5,000 papers, of which 300 came in since the readers' last editions;
of the readers a third each has no thumb, 5, and 40. What was learned from the thumbs is fitted before the run, as on
any day without a new thumb. Messages are files. Prints milliseconds of processor time a reader, and the memory at its
highest. Nothing is written but in a temporary folder.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from ingest import feed, papers, take_in
from sqlalchemy import insert

from bot.app import App, open_app
from bot.delivery import dispatcher
from bot.domain import EditionKind, Reader, Vote
from bot.editions import composer as editing
from bot.ranking import ranker
from bot.rendering import messages as rendering
from bot.store import editions, feedback, mixtures, overrides, reader_models, schema
from bot.store import papers as stored_papers
from bot.store.engine import Database, parse_url

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
KEPT, NEW, PROFILES, THUMBS = 4_700, 300, 20, (0, 5, 40)
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
    ("saving", editions.Editions, ["save"]),
    ("store", editions.Editions, ["last_by_reader", "last_days"]),
    (
        "store",
        stored_papers.Papers,
        ["get", "fresh", "fresh_of", "revised", "revised_of", "newest_id", "newest_first_seen"],
    ),
    ("store", feedback.Feedback, ["votes_of", "last_ids"]),
    ("store", reader_models.ReaderModels, ["of", "versions"]),
    ("store", mixtures.Mixtures, ["of", "of_home"]),
    ("store", overrides.Overrides, ["of", "all"]),
    ("ranking", ranker.Ranker, ["rankings"]),
    ("reasons", ranker.Ranking, ["explained"]),
    ("selection", editing, ["select"]),
    ("composing", editing, ["compose"]),
    ("rendering", rendering.MessageRenderer, ["messages"]),
    ("delivering", dispatcher.Dispatcher, ["deliver_due"]),
]


class Stopwatch:
    """Processor time by part: that of the innermost part counts, what is in none is the rest."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._within = ["rest"]
        self._since = time.process_time()

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
        self._since = time.process_time()

    def end(self) -> dict[str, float]:
        """Seconds by part."""
        self._turn()
        return dict(self.seconds)

    def _turn(self) -> None:
        now = time.process_time()
        self.seconds[self._within[-1]] += now - self._since
        self._since = now


def make_home(home: Path, data: Path, readers: int) -> None:
    """A home with papers, profiles, readers, thumbs, and an edition that everyone had yesterday."""
    known = list(islice(papers(data), KEPT + NEW))
    chance = random.Random(7)
    folder = home / "profiles"
    folder.mkdir()
    (home / "paperbot.toml").touch()
    for number in range(PROFILES):
        interests = " ".join(chance.choice(known)["title"].split()).replace("\\", "").replace('"', "")
        addresses = "".join(
            f'[[readers]]\nemail = "r{n}@example.org"\n' for n in range(number, readers, PROFILES)
        )
        text = PROFILE.format(number=number, interests=interests) + addresses
        (folder / f"p{number}.toml").write_text(text)
    with open_app(home) as app:
        bring(app, home / "old", known[:KEPT], NOW - timedelta(days=2))
        people = [
            r
            for slug, profile in app.profiles.items()
            for r in app.store.readers.sync(slug, profile.addresses, NOW)
        ]
        fill(home, people, chance, app.store.papers.newest_id())
        bring(app, home / "new", known[KEPT:], NOW - timedelta(hours=3))


def bring(app: App, folder: Path, some: list[dict[str, Any]], at: datetime) -> None:
    """These papers, in digests of a thousand."""
    folder.mkdir()
    for start in range(0, len(some), 1_000):
        (folder / f"{start:06}.xml").write_bytes(feed(some[start : start + 1_000]))
    take_in(folder, app.store, app.parser.parse, at)


def fill(home: Path, people: Sequence[Reader], chance: random.Random, newest: int) -> None:
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
    had = [
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
    with Database(parse_url(f"sqlite:///{home}/state/paperbot.db")).writing() as connection:
        connection.execute(insert(schema.votes), thumbs)
        connection.execute(insert(schema.editions), had)


def run(data: Path, readers: int) -> None:
    """One home, one run, one line."""
    stopwatch = Stopwatch()
    for part, owner, names in PARTS:
        for name in names:
            stopwatch.watch(part, owner, name)
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        make_home(home, data, readers)
        with open_app(home) as app:
            stopwatch.begin()
            assert app.ranker
            fitted = sum(stopwatch.end().values())
            voters = [(reader, app.profiles[reader.profile]) for reader in app.store.readers.all()]
            stopwatch.begin()
            app.refit_models(voters, NOW)
            refitted = sum(stopwatch.end().values())
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            stopwatch.begin()
            report = app.daily_job.publish(NOW)
            seconds = stopwatch.end()
            assert (report.editions, report.problems) == (readers, []), report
    parts = ["store", "ranking", "reasons", "selection", "composing", "rendering", "saving", "rest"]
    edition = sum(seconds.get(part, 0) for part in parts)
    shown = "  ".join(f"{part} {1000 * seconds.get(part, 0) / readers:.2f}" for part in parts)
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(
        f"{readers} readers: {1000 * edition / readers:.1f} ms each ({shown}), and to deliver "
        f"{1000 * seconds['delivering'] / readers:.1f}; fitted once in {fitted:.1f} s, "
        f"the readers' models in {1000 * refitted / readers:.0f} ms each; "
        f"{highest} MB, of them {highest - before} in the run\n"
    )
    sys.stdout.flush()


def main(data: Path, sizes: Sequence[int]) -> None:
    """A process for each size, so that memory is its own."""
    for readers in sizes:
        process = multiprocessing.get_context("spawn").Process(target=run, args=(data, readers))
        process.start()
        process.join()


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(size) for size in sys.argv[2:]] or [100, 1_000, 4_000])
