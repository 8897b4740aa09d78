"""What a morning costs on PostgreSQL and RabbitMQ, with one worker and with two: ``make bench-scale READERS=100000``.

    python bench/scale.py READERS [--workers N] [--growth] [--data papers.jsonl.gz] [--json FILE] [--keep]

PostgreSQL is a cluster of the script's own with Debian's settings, made in a temporary folder; RabbitMQ is the one at
``PAPERBOT_TEST_AMQP``, with queues of the script's own. ``paperbot serve --no-web`` and ``paperbot worker
--concurrency 1`` run as processes, mails go to a sink on loopback. ``--growth`` runs a tenth of READERS first, with one
worker and with two. ``scale_home.py`` says who the readers are. Without ``--data`` the papers are made of sentences of
the sample digests.

Prints one table: by the clock and in processor time, statements, messages, bytes, and memory a worker. Nobody may be
left out or served twice, or it ends with an error. ``--json`` writes the figures, from which ``million.py`` reckons.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from broker_proxy import BrokerProxy
from daily_run import bytes_by_table
from ingest import papers
from kombu.utils.url import parse_url as parse_broker_url
from mail_sink import MailSink, mail_sink
from own_servers import PostgresCluster, own_postgres
from processes import descendants, memory_mb, processor_seconds
from recombined_papers import of_digests, recombined_papers
from scale_home import fill, write_profiles
from sqlalchemy import Connection, create_engine, text
from support import ROOT

from bot.app import open_app
from bot.editions.due import due_ranges
from bot.model import State
from bot.store.engine import parse_url
from bot.worker import TASKS
from bot.worker.tasks import make_celery, queue_name

PAPERS = 5_000
SLOW_MS = 100
SAMPLE_SECONDS = 5
IDLE_SECONDS = 400  # without a mail, after which the run has failed; the first wait for a tick or two
SETTINGS = """[[sources]]
name = "drop"
kind = "folder"
path = "drop"
[email]
host = "127.0.0.1"
port = {port}
security = "none"
[retention]
bodies_days = 30
"""
POSTGRES = {
    "shared_preload_libraries": "pg_stat_statements,auto_explain",
    "auto_explain.log_min_duration": str(SLOW_MS),
    "pg_stat_statements.track_utility": "off",
}
_QUERIES = "FROM pg_stat_statements JOIN pg_database d ON d.oid = dbid WHERE d.datname = current_database()"


class Figures:
    """Counters of the database, read before and after a run."""

    def __init__(self, connection: Connection, url: str) -> None:
        self.bytes = bytes_by_table(url)
        self.wal = int(connection.scalar(text("SELECT pg_current_wal_lsn() - '0/0'")) or 0)
        commits = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
        self.commits = int(connection.scalar(text(commits)) or 0)


@contextmanager
def processes(home: Path, workers: int, environment: Mapping[str, str]) -> Iterator[dict[str, list[int]]]:
    """Run ``serve`` and workers; yield their ids by name. Their output is in ``home``."""
    commands = {"serve": ["serve", "--no-web"]}
    commands |= {f"worker{n}": ["worker", "--concurrency", "1"] for n in range(workers)}
    with ExitStack() as stack:
        running: dict[str, subprocess.Popen[bytes]] = {}
        for name, command in commands.items():
            output = stack.enter_context((home / f"{name}.log").open("wb"))
            running[name] = subprocess.Popen(
                [sys.executable, "-m", "bot", *command],
                cwd=home,
                env={**os.environ, **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            pids = [process.pid for name, process in running.items() if name != "serve"]
            yield {"serve": [running["serve"].pid], "workers": pids}
        finally:
            for process in running.values():
                process.terminate()
            for process in running.values():
                try:
                    process.wait(90)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


class Run:
    """One morning: starts everything, watches until all mails are out, and reads the figures."""

    def __init__(self, cluster: PostgresCluster, sink: MailSink, home: Path, readers: int) -> None:
        self._cluster = cluster
        self._sink = sink
        self._home = home
        self._readers = readers
        self._engine = create_engine(parse_url(cluster.url), isolation_level="AUTOCOMMIT")

    def measure(self, workers: int, url: str, name: str) -> dict[str, Any]:
        """Run the morning, and return its figures."""
        with self._engine.connect() as connection:
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS pg_stat_statements"))
            connection.execute(text("VACUUM ANALYZE"))
            connection.execute(text("CHECKPOINT"))
            connection.execute(text("SELECT pg_stat_statements_reset()"))
            before = Figures(connection, self._cluster.url)
        server_before = processor_seconds(self._cluster.pid)
        log_before = self._cluster.log.stat().st_size
        environment = {
            "PAPERBOT_STORE__URL": self._cluster.url,
            "PAPERBOT_QUEUE__NAME": name,
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
        }
        parts = parse_broker_url(url)
        proxy = BrokerProxy(parts["hostname"], parts["port"])
        with proxy.running() as port:
            environment["PAPERBOT_QUEUE__URL"] = url.replace(f":{parts['port']}", f":{port}")
            began = time.time()
            with processes(self._home, workers, environment) as pids:
                samples = self._watch(pids["workers"])
                seconds = {
                    "workers": sum(map(processor_seconds, pids["workers"])),
                    "serve": processor_seconds(pids["serve"][0]),
                    "postgres": processor_seconds(self._cluster.pid) - server_before,
                    "sink": processor_seconds(self._sink.pid),
                }
        with self._engine.connect() as connection:
            return self._figures(connection, before, began, workers) | {
                "processor_seconds": seconds,
                "messages": proxy.published,
                "memory": samples,
                "connections_of_a_worker": max(sample["connections"] for sample in samples),
                "idle_tick_seconds": self._idle_tick(),
                "slow_plans": len(
                    re.findall(rb"duration: [\d.]+ ms  plan", self._cluster.log.read_bytes()[log_before:])
                ),
            }

    def _watch(self, workers: Sequence[int]) -> list[dict[str, float]]:
        """Wait until everything is sent; return samples of the memory of the processes that run tasks, in MB."""
        samples: list[dict[str, float]] = []
        began = progressed = time.time()
        mails = -1
        while not self._is_over(mails):
            time.sleep(SAMPLE_SECONDS)
            now = time.time()
            sent = self._sink.figures()["mails"]
            if sent > mails:
                progressed = now
            elif now - progressed > IDLE_SECONDS:
                print(f"no mail for {IDLE_SECONDS} s", file=sys.stderr)
                break
            mails = sent
            sizes = [memory_mb(pid) for worker in workers for pid in descendants(worker)[1:]]
            if sizes:
                rss, pss = (max(column) for column in zip(*sizes, strict=True))
                # That of ``serve`` is no worker's.
                connections = (self._connections() - 1) / len(workers)
                samples.append(
                    {
                        "seconds": now - began,
                        "mails": mails,
                        "rss": rss,
                        "pss": pss,
                        "connections": connections,
                    }
                )
            if sys.stderr.isatty() or os.environ.get("PAPERBOT_BENCH_PROGRESS"):
                print(samples[-1:], file=sys.stderr, flush=True)
        return samples

    def _connections(self) -> int:
        query = "SELECT count(*) - 1 FROM pg_stat_activity WHERE backend_type = 'client backend'"
        with self._engine.connect() as connection:
            return int(connection.scalar(text(query)) or 0)

    def _idle_tick(self) -> float:
        """Return the processor time in which the next tick and the database find that nobody is due, in seconds."""
        with open_app(self._home) as app:
            app.store.papers.newest_id()
            began = time.process_time() + processor_seconds(self._cluster.pid)
            ranges = list(due_ranges(app.store, app.profiles, datetime.now(UTC), 200))
            seconds = time.process_time() + processor_seconds(self._cluster.pid) - began
        assert not ranges, ranges[:1]
        return seconds

    def _is_over(self, mails: int) -> bool:
        if mails < self._readers:
            return False
        busy = ", ".join(f"'{state}'" for state in (State.PENDING, State.CLAIMED, State.DATA_STARTED, State.RETRY))
        with self._engine.connect() as connection:
            return not connection.scalar(text(f"SELECT count(*) FROM outbox WHERE state IN ({busy})"))

    def _figures(self, connection: Connection, before: Figures, began: float, workers: int) -> dict[str, Any]:
        after = Figures(connection, self._cluster.url)
        sink = self._sink.figures()
        today = datetime.fromtimestamp(began, UTC).date()
        states = text("SELECT state, count(*) FROM outbox WHERE date = :today GROUP BY 1")
        editions = text("SELECT count(*) FROM editions WHERE date = :today AND kind = 'edition'")
        slowest = text(
            f"SELECT query, calls, mean_exec_time, max_exec_time, total_exec_time {_QUERIES} "
            "ORDER BY max_exec_time DESC LIMIT 12"
        )
        growth = after.bytes - before.bytes
        return {
            "readers": self._readers,
            "workers": workers,
            "mails": sink["mails"],
            "lost": self._readers - sink["recipients"],
            "twice": sink["twice"],
            "editions": connection.scalar(editions, {"today": today}),
            "states": dict(connection.execute(states, {"today": today}).all()),
            "seconds": sink["last"] - began,
            "seconds_until_first_mail": sink["first"] - began,
            "mail_bytes": sink["bytes"],
            "statements": int(connection.scalar(text(f"SELECT sum(calls) {_QUERIES}")) or 0),
            "commits": after.commits - before.commits,
            "wal": after.wal - before.wal,
            "bytes": {table: size for table, size in growth.most_common() if size > 0},
            "slowest": [dict(row) for row in connection.execute(slowest).mappings()],
        }


def run(readers: int, workers: int, entries: Sequence[dict[str, Any]], keep: bool) -> dict[str, Any]:
    """Make everything, run one morning, and remove it."""
    url = os.environ.get("PAPERBOT_TEST_AMQP", "amqp://guest:guest@127.0.0.1:5672//")
    name = f"bench-{uuid4().hex[:8]}"
    with tempfile.TemporaryDirectory() as temporary, own_postgres(**POSTGRES) as cluster, mail_sink() as sink:
        home = Path(temporary)
        (home / "profiles").mkdir()
        (home / "drop").mkdir()
        (home / "paperbot.toml").write_text(SETTINGS.format(port=sink.port))
        write_profiles(home / "profiles", entries)
        os.environ["PAPERBOT_STORE__URL"] = cluster.url
        began = time.perf_counter()
        with open_app(home) as app:
            fill(app, home, entries, readers, datetime.now(UTC))
        print(f"filled in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        try:
            figures = Run(cluster, sink, home, readers).measure(workers, url, name)
        finally:
            celery = make_celery(url, name)
            with celery.connection_for_write() as connection, connection.channel() as channel:
                for task in TASKS:
                    celery.amqp.queues[queue_name(name, task)].bind(channel).delete()
        if keep:
            logs = Path(tempfile.mkdtemp(prefix="bench-scale-"))
            for log in (*home.glob("*.log"), cluster.log):
                (logs / log.name).write_bytes(log.read_bytes())
            print(f"logs are in {logs}", file=sys.stderr)
    return figures


def show(results: Sequence[dict[str, Any]]) -> None:
    """Print the table."""

    def each(figure: float, result: dict[str, Any]) -> float:
        return figure / result["readers"]

    def milliseconds(part: str) -> Any:
        return lambda r: f"{1_000 * each(r['processor_seconds'][part], r):.2f}"

    def memory(result: dict[str, Any], share: float) -> str:
        samples = result["memory"]
        sample = samples[min(int(share * len(samples)), len(samples) - 1)]
        return f"{sample['rss']:.0f} ({sample['pss']:.0f})"

    rows: list[tuple[str, Any]] = [
        ("workers", lambda r: f"{r['workers']}"),
        ("minutes by the clock, from the start of serve", lambda r: f"{r['seconds'] / 60:.1f}"),
        ("  until the first mail", lambda r: f"{r['seconds_until_first_mail'] / 60:.1f}"),
        ("editions and mails a second after that", lambda r: f"{rate(r):.1f}"),
        *(
            (f"{label}, ms of processor time", milliseconds(part))
            for part, label in (
                ("workers", "workers"),
                ("serve", "serve"),
                ("postgres", "PostgreSQL"),
                ("sink", "sink"),
            )
        ),
        ("statements", lambda r: f"{each(r['statements'], r):.2f}"),
        ("transactions", lambda r: f"{each(r['commits'], r):.2f}"),
        ("messages at the broker", lambda r: f"{each(r['messages'], r):.4f}"),
        ("bytes of a mail", lambda r: f"{each(r['mail_bytes'], r):.0f}"),
        ("bytes in the store", lambda r: f"{each(sum(r['bytes'].values()), r):.0f}"),
        *(
            (f"  {table}", lambda r, table=table: f"{each(r['bytes'].get(table, 0), r):.0f}")
            for table in list(results[-1]["bytes"])[:4]
        ),
        ("bytes of write-ahead log", lambda r: f"{each(r['wal'], r):.0f}"),
        ("memory of a worker's process, MB (its share), after a fifth", lambda r: memory(r, 0.2)),
        ("  after three fifths", lambda r: memory(r, 0.6)),
        ("  at the end", lambda r: memory(r, 1)),
        ("connections of a worker to the database", lambda r: f"{r['connections_of_a_worker']:.1f}"),
        ("processor time of a tick that finds nobody due, s", lambda r: f"{r['idle_tick_seconds']:.2f}"),
        (f"queries slower than {SLOW_MS} ms", lambda r: f"{r['slow_plans']}"),
        ("slowest query, ms", lambda r: f"{r['slowest'][0]['max_exec_time']:.0f}"),
        ("lost; twice", lambda r: f"{r['lost']}; {r['twice']}"),
    ]
    print(f"{'a reader, by number of readers':60}" + "".join(f"{r['readers']:>14,}" for r in results))
    for label, cell in rows:
        print(f"{label:60}" + "".join(f"{cell(result):>14}" for result in results))
    for query in results[-1]["slowest"][:6]:
        words = " ".join(query["query"].split())[:110]
        print(
            f"  {query['max_exec_time']:8.1f} ms at most, {query['mean_exec_time']:7.2f} on average, "
            f"{query['calls']:8} times: {words}"
        )


def rate(result: dict[str, Any]) -> float:
    """Mails a second between the first and the last."""
    seconds: float = result["seconds"] - result["seconds_until_first_mail"]
    return float(result["mails"]) / seconds if seconds > 0 else 0.0


def main() -> int:
    """Run a morning for each number of readers and workers, and print them beside one another."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("readers", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--growth", action="store_true", help="run a tenth of READERS first")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", action="store_true", help="keep the logs of all processes")
    arguments = parser.parse_args()
    source = papers(arguments.data) if arguments.data else recombined_papers(of_digests(ROOT / "seeds"))
    entries = list(islice(source, PAPERS))
    tenth = arguments.readers // 10
    smaller = [(tenth, 1), (tenth, 2)] if arguments.growth else []
    results = []
    for readers, workers in [*smaller, (arguments.readers, arguments.workers)]:
        results.append(run(readers, workers, entries, arguments.keep))
        if arguments.json:
            arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    show(results)
    return int(any(result["lost"] or result["twice"] for result in results))


if __name__ == "__main__":
    sys.exit(main())
