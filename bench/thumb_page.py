"""Is one core enough for 200 requests a second on the thumb page?

    python bench/thumb_page.py [--seconds 10] [--rate 200]

Creates a home with the sample digests in a temporary folder, runs ``paperbot serve`` pinned to one core, and requests
thumb pages at a constant rate over keep-alive connections from another process on loopback. One request in 200 records
a vote, which ranks twice to show its effect. Prints the responses by status, and the latency that the client saw.

The load is open-loop: requests are sent when they are due, however slow earlier ones are, and latency counts from when
a request was due. A closed loop would slow down with the server and hide its worst times (coordinated omission).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

CONNECTIONS = 32
VOTE_EVERY = 200


def main() -> int:
    """Return exit code 1 if a request failed or the rate was not reached."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rate", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "papers"
        links = prepare(home)
        server, port = serve(home)
        try:
            result = asyncio.run(load(port, links, options.rate, options.seconds))
        finally:
            server.terminate()
            server.wait()
    return report(result, options.rate)


def prepare(home: Path) -> list[str]:
    """Create a home with one edition sent; return the paths of its thumb links."""
    for command in (
        ["init", home, "--email", "ada@example.org", "--timezone", "Europe/Berlin"],
        ["--home", home, "run", "--force"],
    ):
        subprocess.run([sys.executable, "-m", "bot", *map(str, command)], check=True, stdout=subprocess.DEVNULL)
    texts = [path.read_text() for path in home.glob("state/outbox/*/*.eml")]
    text = "\n".join(texts).replace("=\n", "").replace("=3D", "=")
    return sorted(set(re.findall(r"http://localhost:8000(/thumb/[^\s\"<>&]+vote=up)", text)))


def serve(home: Path) -> tuple[subprocess.Popen[str], int]:
    """Start the server pinned to one core; return it with its port."""
    command = [sys.executable, "-m", "bot", "--home", str(home), "serve", "--port", "0"]
    cores = os.sched_getaffinity(0)
    # The server inherits the affinity, with all its threads.
    os.sched_setaffinity(0, {max(cores)})
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    os.sched_setaffinity(0, cores)
    assert server.stdout
    port = int(re.search(r":(\d+) ", server.stdout.readline())[1])  # type: ignore[index]
    return server, port


@dataclass(frozen=True)
class Due:
    """A request that is to be sent; ``at`` by the performance counter."""

    at: float
    method: str
    path: str


@dataclass
class Result:
    """Responses by status, 0 for connections that broke, and latencies and duration in seconds."""

    statuses: Counter[int] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)
    duration: float = 0.0


async def load(port: int, links: list[str], rate: int, seconds: int) -> Result:
    """Send requests at a constant rate."""
    result = Result()
    due: asyncio.Queue[Due | None] = asyncio.Queue()
    workers = [asyncio.create_task(work(port, due, result)) for _ in range(CONNECTIONS)]
    start = time.perf_counter()
    for number, link in enumerate(islice(cycle(links), rate * seconds)):
        at = start + number / rate
        await asyncio.sleep(max(0.0, at - time.perf_counter()))
        method = "POST" if number % VOTE_EVERY == 0 else "GET"
        due.put_nowait(Due(at, method, link))
    for _ in workers:
        due.put_nowait(None)
    await asyncio.gather(*workers)
    result.duration = time.perf_counter() - start
    return result


async def work(port: int, due: asyncio.Queue[Due | None], result: Result) -> None:
    """Send what is due over one keep-alive connection, until None comes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while request := await due.get():
        writer.write(
            f"{request.method} {request.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode()
        )
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            await reader.readexactly(int(re.search(r"(?i)content-length: (\d+)", head)[1]))  # type: ignore[index]
            result.statuses[int(head.split()[1])] += 1
        except (OSError, EOFError):
            result.statuses[0] += 1
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        result.latencies.append(time.perf_counter() - request.at)
    writer.close()


def report(result: Result, rate: int) -> int:
    """Print the figures; return the exit code."""
    latencies = sorted(result.latencies)
    total = sum(result.statuses.values())
    reached = total / result.duration
    print(f"{total} requests in {result.duration:.1f} s: {reached:.0f} a second; statuses: {dict(result.statuses)}")
    median = 1000 * latencies[len(latencies) // 2]
    p99 = 1000 * latencies[int(len(latencies) * 0.99)]
    print(f"median {median:.0f} ms, 99th percentile {p99:.0f} ms")
    # 429 is expected: the load goes to one reader, whose votes have a rate limit.
    return 0 if set(result.statuses) <= {200, 429} and reached > 0.95 * rate else 1


if __name__ == "__main__":
    sys.exit(main())
