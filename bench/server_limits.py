"""What PostgreSQL and RabbitMQ of this machine can do at most: ``million.py`` compares what readers need with it.

    python bench/server_limits.py [--json FILE]

PostgreSQL is a cluster of the script's own with Debian's settings, and measured by pgbench and by rows of a kilobyte;
RabbitMQ is the one at ``PAPERBOT_TEST_AMQP``. All of it shares this machine's cores with the clients that measure.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from uuid import uuid4

from kombu import Connection
from own_servers import PostgresCluster, own_postgres
from sqlalchemy import create_engine, text

from bot.store.engine import parse_url

_CLIENTS = 8
_SECONDS = 10
_ROWS = 200_000
_MESSAGES = 5_000


def commits_per_second(cluster: PostgresCluster) -> float:
    """Measure transactions of three statements, each waiting for the disk, from eight connections."""
    address = ["-h", "127.0.0.1", "-p", str(cluster.port), "-U", "paperbot"]
    program = str(cluster.programs / "pgbench")
    subprocess.run([program, *address, "-i", "-s", "10", "-q", "postgres"], check=True, capture_output=True)
    command = [program, *address, "-N", "-c", str(_CLIENTS), "-j", "2", "-T", str(_SECONDS), "postgres"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    matched = re.search(r"tps = ([\d.]+)", output)
    assert matched, output
    return float(matched[1])


def log_bytes_per_second(cluster: PostgresCluster) -> float:
    """Measure how fast rows of a kilobyte are inserted, in bytes of the write-ahead log."""
    engine = create_engine(parse_url(cluster.url), isolation_level="AUTOCOMMIT")
    position = text("SELECT pg_current_wal_lsn() - '0/0'")
    with engine.connect() as connection:
        connection.execute(text("CREATE TABLE kilobytes (id bigint PRIMARY KEY, content text)"))
        before = int(connection.scalar(position) or 0)
        began = time.perf_counter()
        rows = "SELECT n, repeat('x', 1000) FROM generate_series(1, :rows) AS n"
        connection.execute(text(f"INSERT INTO kilobytes {rows}"), {"rows": _ROWS})
        seconds = time.perf_counter() - began
        written = int(connection.scalar(position) or 0) - before
    engine.dispose()
    return written / seconds


def messages_per_second() -> float:
    """Measure how many small messages one client publishes and takes."""
    url = os.environ.get("PAPERBOT_TEST_AMQP", "amqp://guest:guest@127.0.0.1:5672//")
    with Connection(url) as connection:
        queue = connection.SimpleQueue(f"bench-{uuid4().hex[:8]}")
        began = time.perf_counter()
        for number in range(_MESSAGES):
            queue.put({"number": number})
        for _ in range(_MESSAGES):
            queue.get(timeout=5).ack()
        seconds = time.perf_counter() - began
        queue.queue.delete()
    return _MESSAGES / seconds


def main() -> None:
    """Measure everything, and print it."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with own_postgres() as cluster:
        engine = create_engine(parse_url(cluster.url))
        with engine.connect() as connection:
            connections = int(connection.scalar(text("SHOW max_connections")) or 0)
        engine.dispose()
        limits = {
            "commits_per_second": commits_per_second(cluster),
            "log_bytes_per_second": log_bytes_per_second(cluster),
            "connections": connections,
        }
    limits["messages_per_second"] = messages_per_second()
    for name, value in limits.items():
        print(f"{name:24}{value:16,.0f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(limits, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
