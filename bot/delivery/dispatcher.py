"""Deliver what is due: expire leases, let the workers of all channels empty the outbox, and report.

    expire -> look up lists without an answer -> workers side by side (``worker``)
    worker: claim -> attempt (``attempt``) -> circuit breaker -> report

No transaction is open while a channel talks, so that a slow mail server holds no lock in the database.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Event

from bot.deadline import Timer
from bot.delivery import Route
from bot.delivery.circuit_breaker import CircuitBreaker
from bot.delivery.ports import (
    BreakerStore,
    DiskProblems,
    Outbox,
    Rates,
    ReaderSuppression,
    StateListener,
    StopSignal,
)
from bot.delivery.report import Report, ReportBuilder
from bot.delivery.worker import RunContext, Worker
from bot.domain import Kind, Problem
from bot.errors import DeliveryError

# After it a person has to ask for the list: an hour of runs is sixty look-ups.
_LOOK_UP = timedelta(hours=1)


class Dispatcher:
    """Sends the rows of the outbox through the channels.

    ``timer`` gives seconds, by which the run's clock advances. A run ends early when ``stop`` is set, or when
    ``disk_problems`` returns problems: the disks that are too full to record what is sent.
    """

    def __init__(
        self,
        outbox: Outbox,
        routes: Mapping[Kind, Route],
        readers: ReaderSuppression,
        breakers: BreakerStore,
        rates: Rates,
        *,
        timer: Timer = time.monotonic,
        stop: StopSignal | None = None,
        disk_problems: DiskProblems = tuple,
    ) -> None:
        self._outbox = outbox
        self._routes = routes
        self._readers = readers
        self._breakers = breakers
        self._rates = rates
        self._timer = timer
        self._stop = stop or Event()
        self._disk_problems = disk_problems

    def deliver_due(self, now: datetime, on_progress: StateListener | None = None) -> Report:
        """Deliver everything that is due from ``now`` on, and return the report.

        Failures of channels are in the report; failures of the store are raised. ``on_progress`` gets each row with
        its new state, in any thread but never in two at once.
        """
        started = self._timer()
        report = ReportBuilder(on_progress)
        run = RunContext(
            outbox=self._outbox,
            rates=self._rates,
            readers=self._readers,
            report=report,
            # A lease is counted from the claim. With one fixed ``now``, the leases of a run of 40 minutes would
            # have ended before its last messages were claimed.
            now=lambda: now + timedelta(seconds=self._timer() - started),
            stop=self._stop,
            disk_problems=self._disk_problems,
        )
        if not run.has_free_space():
            return report.build()
        if expired := self._outbox.expire(run.now()):
            report.count_expired(expired)
        self._look_up_lists(run.now())
        stored = self._breakers.all()
        breakers = {
            kind: CircuitBreaker(kind, stored.get(kind), self._breakers, run.now()) for kind in self._routes
        }
        self._run_workers(run, breakers)
        for kind, breaker in breakers.items():
            # An open breaker with nothing behind it delays nobody.
            if breaker.open_because and (waiting := self._outbox.waiting(kind)):
                report.add(Problem(kind, f"{breaker.open_because}; {waiting} waiting"))
        return report.build()

    def _look_up_lists(self, now: datetime) -> None:
        """Have the replies of a list posted whose answer was lost, where the channel shows that the list arrived."""
        for kind, route in self._routes.items():
            for delivery in self._outbox.unanswered_lists(kind, now - _LOOK_UP):
                # Nothing is sent, so that a failure concerns nobody: the next run looks again.
                with suppress(DeliveryError):
                    if receipt := route.channels[0].find_receipt(delivery):
                        self._outbox.mark_arrived(delivery.id, receipt, now)

    def _run_workers(self, run: RunContext, breakers: Mapping[Kind, CircuitBreaker]) -> None:
        """Run one thread per channel until all have ended; raise the first error of the store."""
        workers = [
            Worker(
                kind, channel, route.spacing, breakers[kind], is_probe=channel is route.channels[0], run=run
            )
            for kind, route in self._routes.items()
            for channel in route.channels
        ]
        with ThreadPoolExecutor(len(workers) or 1, "delivery") as pool:
            try:
                for ended in as_completed([pool.submit(worker.work) for worker in workers]):
                    ended.result()
            except BaseException:
                run.has_failed.set()  # the other workers stop before their next message
                raise
