"""Reckons what a million readers on ten machines need of each resource, and which of them gives out first.

    python bench/million.py [--readers N] [--machines N] [--cores N] [--database-cores N] [--hours H]
                                  [--mails-per-second N] [--disk-tb N] [FIGURES [LIMITS]]

FIGURES is what ``scale.py --json`` wrote, LIMITS what ``server_limits.py --json`` wrote; by default those behind the
figures of ``docs/scale.md``, ``scale_figures.json``. Of a cost that was measured at two numbers of readers, its growth
between them is carried on: cost(n) = c2 (n / n2)^k with k = log(c2 / c1) / log(n2 / n1), no less than 0. So a cost that
doubled from 10,000 to 100,000 readers is taken to double again at a million.

A resource is a rate within the morning (processor seconds, commits, bytes, messages, mails) or an amount (connections,
disk). Its use is what the readers need over what there is; the readers at which it is 1 follow from the same lines.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).with_name("scale_figures.json")
_START_UP = 10_000  # readers below which what a process does once weighs too much
_MOST_READERS = 10**10  # beyond which a resource is said not to give out
_DAYS_KEPT = 400  # ``retention.editions_days`` by default


@dataclass(frozen=True, slots=True)
class CostLine:
    """What a reader costs, by the number of readers: ``cost`` at ``readers``, growing with their ``exponent``."""

    readers: float
    cost: float
    exponent: float = 0

    def at(self, readers: float) -> float:
        """Return what one of so many readers costs."""
        return self.cost * (readers / self.readers) ** self.exponent


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is: machines for workers, one for the database, and one for ``serve``."""

    machines: int = 10
    cores: int = 4  # of each machine
    database_cores: int = 8
    hours: float = 2  # from the first mail to the last
    mails_per_second: float = 200  # that the mail server accepts
    disk_bytes: float = 1e12  # of the database

    @property
    def seconds(self) -> float:
        return self.hours * 3_600


@dataclass(frozen=True, slots=True)
class Resource:
    """Something of which there is so much; ``need`` says how much of it so many readers take."""

    name: str
    unit: str
    available: float
    need: Callable[[float], float]

    def use(self, readers: float) -> float:
        """Return the share that is used; above 1 there is not enough."""
        return self.need(readers) / self.available

    def gives_out_at(self) -> float:
        """Return the number of readers of whom it is all used, by bisection; infinite if beyond ten billion."""
        low, high = 1.0, float(_MOST_READERS)
        if self.use(high) < 1:
            return float("inf")
        while high / low > 1.001:
            middle = (low * high) ** 0.5
            low, high = (middle, high) if self.use(middle) < 1 else (low, middle)
        return high


def cost_line(figures: Sequence[Mapping[str, Any]], cost: Callable[[Mapping[str, Any]], float]) -> CostLine:
    """Return the line through what a reader costs in the smallest and in the largest run that measured it.

    Runs of fewer than 10,000 readers count only where no larger one measured it.
    """
    measured = sorted((run for run in figures if cost(run) > 0), key=lambda run: run["readers"])
    runs = [run for run in measured if run["readers"] >= _START_UP] or measured
    first, last = runs[0], runs[-1]
    first_cost, last_cost = cost(first) / first["readers"], cost(last) / last["readers"]
    if first["readers"] == last["readers"]:
        return CostLine(last["readers"], last_cost)
    exponent = log(last_cost / first_cost) / log(last["readers"] / first["readers"])
    # What became cheaper per reader did so by what is shared out among them, which does not go on for ever.
    return CostLine(last["readers"], last_cost, max(exponent, 0))


def resources(figures: Sequence[Mapping[str, Any]], limits: Mapping[str, float], plan: Plan) -> list[Resource]:
    """Return the resources of a plan, with what readers need of each by the measured figures."""

    def within_morning(name: str, unit: str, available: float, cost: Callable[[Mapping[str, Any]], float]) -> Resource:
        line = cost_line(figures, cost)
        return Resource(name, unit, available, lambda readers: readers * line.at(readers) / plan.seconds)

    kept = cost_line(figures, _kept_bytes)
    tick = cost_line(figures, lambda run: run.get("idle_tick_seconds", 0))
    processes = plan.machines * plan.cores
    connections = max(run.get("connections_of_a_worker", 0) for run in figures)
    return [
        within_morning(
            "processors of the workers", "cores", processes, lambda run: run["processor_seconds"]["workers"]
        ),
        within_morning(
            "processors of the database",
            "cores",
            plan.database_cores,
            lambda run: run["processor_seconds"]["postgres"],
        ),
        within_morning(
            "commits of the database",
            "a second",
            limits["commits_per_second"],
            lambda run: run["commits"],
        ),
        within_morning("write-ahead log", "bytes a second", limits["log_bytes_per_second"], lambda run: run["wal"]),
        within_morning(
            "messages of the broker", "a second", limits["messages_per_second"], lambda run: run["messages"]
        ),
        within_morning(
            "mails that the mail server accepts",
            "a second",
            plan.mails_per_second,
            lambda run: run["mails"],
        ),
        Resource(
            "the minute of a tick that finds nobody due",
            "seconds of processor time",
            60,
            lambda readers: readers * tick.at(readers),
        ),
        # Each process has its own, whoever the readers are.
        Resource("connections to the database", "", limits["connections"], lambda _: processes * connections),
        Resource(
            f"disk of the database, {_DAYS_KEPT} days",
            "bytes",
            plan.disk_bytes,
            lambda readers: readers * kept.at(readers) * _DAYS_KEPT,
        ),
    ]


def _kept_bytes(run: Mapping[str, Any]) -> float:
    """Return what an edition leaves in the store for as long as it is kept: not the bodies, nor a reader's model."""
    passing = ("outbox_bodies", "reader_models")
    return float(sum(size for table, size in run["bytes"].items() if table not in passing))


def show(found: Sequence[Resource], readers: int) -> None:
    """Print the resources, the scarcest first, and name it."""
    ordered = sorted(found, key=lambda resource: (resource.gives_out_at(), -resource.use(readers)))
    print(f"{f'{readers:,} readers':42}{'need':>14}{'there is':>14}{'use':>8}{'gives out at':>18}")
    for resource in ordered:
        end = resource.gives_out_at()
        at = "never" if end == float("inf") else "always" if resource.use(1) >= 1 else f"{end:,.0f}"
        need, available = (_short(value) for value in (resource.need(readers), resource.available))
        print(f"{resource.name:42}{need:>14}{available:>14}{resource.use(readers):8.2f}{at:>18}")
    first = ordered[0]
    verdict = "is enough" if first.use(readers) <= 1 else "is not enough"
    print(f"The first to give out: {first.name} ({verdict} for {readers:,} readers).")


def _short(value: float) -> str:
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if letter == 'k' else size):.1f} {letter}"
    return f"{value:.1f}"


def main() -> None:
    """Read the figures, and print the table."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="?", type=Path, default=FIGURES)
    parser.add_argument("limits", nargs="?", type=Path)
    parser.add_argument("--readers", type=int, default=1_000_000)
    usual = Plan()
    parser.add_argument("--machines", type=int, default=usual.machines)
    parser.add_argument("--cores", type=int, default=usual.cores)
    parser.add_argument("--database-cores", type=int, default=usual.database_cores)
    parser.add_argument("--hours", type=float, default=usual.hours)
    parser.add_argument("--mails-per-second", type=float, default=usual.mails_per_second)
    parser.add_argument("--disk-tb", type=float, default=usual.disk_bytes / 1e12)
    options = parser.parse_args()
    stored = json.loads(options.figures.read_text())
    figures = stored["runs"] if isinstance(stored, dict) else stored
    limits = json.loads(options.limits.read_text()) if options.limits else stored["limits"]
    plan = Plan(
        options.machines,
        options.cores,
        options.database_cores,
        options.hours,
        options.mails_per_second,
        options.disk_tb * 1e12,
    )
    show(resources(figures, limits, plan), options.readers)


if __name__ == "__main__":
    sys.exit(main())
