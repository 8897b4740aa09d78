"""Is one core enough for 200 requests a second on the thumb page?

    python bench/thumb_page.py [--seconds 10] [--rate 200]

Makes a home of the sample digests in a temporary folder, serves it by ``paperbot serve`` kept to one core, and opens
thumb pages at a steady rate over kept connections from another process on loopback. One request in 200 presses the
button, which ranks twice to say what it changed. Prints how many were answered, how many failed, and how long they
took, as seen by the client.
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
from itertools import cycle, islice
from pathlib import Path

CONNECTIONS = 32
PRESS_EVERY = 200


def main() -> int:
    """Exit code 1 where a request failed or the rate was not held."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rate", type=int, default=200)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "papers"
        links = prepare(home)
        server, port = serve(home)
        try:
            statuses, times, took = asyncio.run(load(port, links, wanted.rate, wanted.seconds))
        finally:
            server.terminate()
            server.wait()
    return report(statuses, times, took, wanted.rate)


def prepare(home: Path) -> list[str]:
    """A home with one edition sent; returns the paths of its thumb links."""
    for command in (["init", home], ["--home", home, "run", "--force"]):
        subprocess.run(
            [sys.executable, "-m", "bot", *map(str, command)], check=True, stdout=subprocess.DEVNULL
        )
    texts = [path.read_text() for path in home.glob("state/outbox/*/*.eml")]
    text = "\n".join(texts).replace("=\n", "").replace("=3D", "=")
    return sorted(set(re.findall(r"http://localhost:8000(/thumb/[^\s\"<>&]+vote=up)", text)))


def serve(home: Path) -> tuple[subprocess.Popen[str], int]:
    """The server, kept to one core, and its port."""
    command = [sys.executable, "-m", "bot", "--home", str(home), "serve", "--port", "0"]
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})  # inherited by the server with all its threads
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    os.sched_setaffinity(0, cores)
    assert server.stdout
    port = int(re.search(r":(\d+) ", server.stdout.readline())[1])  # type: ignore[index]
    return server, port


async def load(
    port: int, links: list[str], rate: int, seconds: int
) -> tuple[Counter[int], list[float], float]:
    """Send requests when they are due, however slowly earlier ones are answered; returns statuses and seconds."""
    statuses: Counter[int] = Counter()
    times: list[float] = []
    due: asyncio.Queue[tuple[float, str, str] | None] = asyncio.Queue()
    workers = [asyncio.create_task(work(port, due, statuses, times)) for _ in range(CONNECTIONS)]
    began = time.perf_counter()
    for number, link in enumerate(islice(cycle(links), rate * seconds)):
        await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
        due.put_nowait((time.perf_counter(), "POST" if number % PRESS_EVERY == 0 else "GET", link))
    for _ in workers:
        due.put_nowait(None)
    await asyncio.gather(*workers)
    return statuses, times, time.perf_counter() - began


async def work(
    port: int, due: asyncio.Queue[tuple[float, str, str] | None], statuses: Counter[int], times: list[float]
) -> None:
    """One connection, kept open; status 0 stands for one that broke."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while wanted := await due.get():
        since, method, link = wanted
        writer.write(f"{method} {link} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode())
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            await reader.readexactly(int(re.search(r"(?i)content-length: (\d+)", head)[1]))  # type: ignore[index]
            statuses[int(head.split()[1])] += 1
        except (OSError, EOFError):
            statuses[0] += 1
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        times.append(time.perf_counter() - since)
    writer.close()


def report(statuses: Counter[int], times: list[float], took: float, rate: int) -> int:
    """Print what was seen."""
    times.sort()
    total = sum(statuses.values())
    median, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"{total} requests in {took:.1f} s: {total / took:.0f} a second; answers: {dict(statuses)}")
    print(f"median {1000 * median:.0f} ms, 99th percentile {1000 * late:.0f} ms")
    return 0 if set(statuses) <= {200, 429} and total / took > 0.95 * rate else 1


if __name__ == "__main__":
    sys.exit(main())
