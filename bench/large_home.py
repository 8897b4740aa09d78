"""What a large home costs: its first ingest, its disk, one edition, `serve`, and its pages.

    python bench/large_home.py papers.jsonl.gz [--papers 60739] [--code ANOTHER_CHECKOUT] [--url postgresql://...]

The papers come in feeds of 300, as arXiv writes them. Each step is a process, so that memory is its own. The database
of ``--url`` must be empty. Nothing else is written but in a temporary folder, which ``--keep`` names and keeps.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from ingest import feed, papers

A_FILE, REQUESTS, PAGES = 300, 200, 1_000
PROFILE = """title = "Reward models"
interests = "Reward models and reinforcement learning for the reasoning of language models"
open = true
[[readers]]
email = "ada@example.org"
"""
WORDS = ("reward model", "diffusion", "language models", "graph neural network", "the of and", "chen", "galaxy cluster")


def make_home(home: Path, data: Path, number: int, url: str) -> None:
    """Write settings, a profile and the digests."""
    for folder in ("profiles", "digests"):
        (home / folder).mkdir(parents=True)
    source = papers(data)
    for start in range(0, number, A_FILE):
        (home / "digests" / f"{start:06}.xml").write_bytes(feed(list(islice(source, min(A_FILE, number - start)))))
    (home / "profiles" / "p.toml").write_text(PROFILE)
    # Each request comes from another address, because views are limited by address.
    (home / "paperbot.toml").write_text(
        f"[store]\nurl = {json.dumps(url or f'sqlite:///{home}/state/paperbot.db')}\n"
        "[web]\ntrusted_proxies = ['127.0.0.1']\n"
        "[[sources]]\nname = 'bench'\nkind = 'folder'\npath = 'digests'\n"
    )


def measured(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return the processor time in seconds of a command and its children, and its highest memory in MB."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1_024


def show_step(name: str, figures: tuple[float, float]) -> None:
    seconds, memory = figures
    print(f"{name:32}{seconds:8.2f} s of processor time {memory:8.0f} MB at the highest", flush=True)


def show_disk(home: Path, number: int) -> None:
    sizes = {path.name: path.stat().st_size for path in (home / "state").iterdir() if path.is_file()}
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size > 1_000_000:
            print(f"  {name:30}{size / 1e6:8.1f} MB, {size / number:8.0f} bytes a paper", flush=True)


class Server:
    """`paperbot serve`, asked one request after another."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [*command, "serve", "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        self._port = int(re.search(r":(\d+) ", self._process.stdout.readline())[1])  # type: ignore[index]
        self._asked = 0

    def memory(self) -> float:
        """Return the resident memory in MB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1_024  # type: ignore[index]

    def milliseconds(self, path: str) -> float:
        """Return the processor time of a request, as the kernel counts it for all threads."""
        before = self._nanoseconds()
        self._asked += 1
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        connection.request("GET", path, headers={"X-Forwarded-For": f"10.0.{self._asked // 250}.{self._asked % 250}"})
        response = connection.getresponse()
        response.read()
        connection.close()
        assert response.status == 200, (path, response.status)
        return (self._nanoseconds() - before) / 1e6

    def _nanoseconds(self) -> int:
        return sum(
            int(path.read_text().split()[0]) for path in Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        )

    def wait_until_idle(self) -> None:
        """Wait for the jobs of the start: the processor time stands still for three seconds."""
        last = -1
        while (now := self._nanoseconds()) - last > 50_000_000:
            last = now
            time.sleep(3)

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()


def show_pages(server: Server, number: int, me: str) -> None:
    server.wait_until_idle()
    print(f"serve after its start: {server.memory():.0f} MB", flush=True)
    kinds = {
        "search": [f"/search?q={word.replace(' ', '+')}" for word in WORDS],
        "paper": [f"/paper/{1 + place * 7_919 % number}" for place in range(REQUESTS)],
        "archive": [f"{me}/archive"],
    }
    for kind, paths in kinds.items():
        server.milliseconds(paths[0])  # loads what the first page needs
        times = sorted(server.milliseconds(paths[turn % len(paths)]) for turn in range(REQUESTS))
        print(
            f"{kind:32}{times[len(times) // 2]:8.1f} ms median {times[int(len(times) * 0.95)]:8.1f} ms p95", flush=True
        )
    for turn in range(2):
        print(f"serve after {REQUESTS * len(kinds) + turn * PAGES} pages: {server.memory():.0f} MB", flush=True)
        for place in range(0 if turn else PAGES):
            paths = list(kinds.values())[place % len(kinds)]
            server.milliseconds(paths[place % len(paths)])


def main() -> None:
    arguments = ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--papers", type=int, default=60_739)
    arguments.add_argument("--code", type=Path, default=Path(__file__).parents[1])
    arguments.add_argument("--url", default="")
    arguments.add_argument("--keep", type=Path)
    options = arguments.parse_args()
    home = options.keep or Path(tempfile.mkdtemp())
    make_home(home, options.data, options.papers, options.url)
    environment = os.environ | {"PYTHONPATH": str(options.code), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "bot", "--home", str(home)]
    try:
        show_step(f"ingest of {options.papers} papers", measured([*command, "ingest"], environment))
        show_disk(home, options.papers)
        show_step("the first edition", measured([*command, "run", "--force"], environment))
        mail = "".join(path.read_text() for path in home.glob("state/outbox/*/*.eml")).replace("=\n", "")
        me = re.search(r"localhost:8000(/me/[\w.-]+)", mail.replace("=3D", "="))
        server = Server(command, environment)
        try:
            show_pages(server, options.papers, me[1] if me else "")
        finally:
            server.end()
    finally:
        if not options.keep:
            shutil.rmtree(home)


if __name__ == "__main__":
    main()
