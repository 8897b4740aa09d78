"""Delivers what is due: expires leases, has the lanes of all channels empty the outbox, and reports.

    expire leases -> lanes side by side (``lanes``): claim -> settle each delivery (``settling``) -> report

No transaction is open while a channel talks.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Event

from bot.clock import has_come
from bot.delivery import Route
from bot.delivery.attempt import DeliveryAttempts
from bot.delivery.ports import Full, Outbox, Pauses, Progress, ReaderSuppression, StopSignal, Timer
from bot.delivery.run import Report, Run, paused
from bot.delivery.worker import Worker
from bot.domain import Delivery, Kind, Problem, State


def _unheard(_delivery: Delivery, _state: State) -> None:
    """Nobody wants to hear of progress."""


class Dispatcher:
    """Moves the outbox's rows out through the channels.

    ``timer`` gives the seconds by which the run's ``now`` goes on; ``stop`` ends a run early, and so does a
    disk that is ``full``.
    """

    def __init__(
        self,
        outbox: Outbox,
        routes: Mapping[Kind, Route],
        readers: ReaderSuppression,
        pauses: Pauses,
        *,
        timer: Timer = time.monotonic,
        stop: StopSignal | None = None,
        full: Full = tuple,
    ) -> None:
        self._outbox, self._routes, self._readers, self._pauses = outbox, routes, readers, pauses
        self._timer, self._stop, self._full = timer, stop or Event(), full

    def deliver_due(self, now: datetime, on_progress: Progress = _unheard) -> Report:
        """Deliver everything that is due from ``now`` on. A channel's failures never raise, the outbox's do.

        ``on_progress`` hears of each settled row and its new state, for a progress bar, in any thread but
        never in two at once.
        """
        began = self._timer()
        run = Run(
            lambda: now + timedelta(seconds=self._timer() - began),
            on_progress,
            self._full,
            dict(self._pauses.all()),
        )
        if run.has_room():
            self._deliver(run)
        return run.report()

    def _deliver(self, run: Run) -> None:
        self._expire(run)
        run.paused = {
            kind: paused(pause.why, pause.until)
            for kind, pause in run.pauses.items()
            if not has_come(pause.until, run.now())
        }
        self._work_side_by_side(run)
        self._tell_pauses(run)

    def _expire(self, run: Run) -> None:
        if left := self._outbox.expire(run.now()):
            run.settled[State.UNKNOWN] += left
            problem = (
                f"{left} being sent when an earlier run broke off: each may have arrived; not sent again"
            )
            run.problems.append(Problem("outbox", problem))

    def _tell_pauses(self, run: Run) -> None:
        """As long as anything waits for their end."""
        for kind, why in run.paused.items():
            if waiting := self._outbox.waiting(kind):
                run.problems.append(Problem(kind.value, f"{why}; {waiting} waiting"))

    def _work_side_by_side(self, run: Run) -> None:
        lanes = self._lanes(run)
        with ThreadPoolExecutor(len(lanes) or 1, "lane") as pool:
            try:
                for lane in [pool.submit(lane.work) for lane in lanes]:
                    lane.result()
            except BaseException:
                run.broken = True  # the other lanes stop at their next message
                raise

    def _lanes(self, run: Run) -> list[Worker]:
        settler = DeliveryAttempts(self._outbox, self._readers, self._pauses, run)
        return [
            Worker(
                kind=kind,
                channel=channel,
                spacing=route.spacing,
                is_first=channel is route.channels[0],
                outbox=self._outbox,
                settler=settler,
                run=run,
                stop=self._stop,
            )
            for kind, route in self._routes.items()
            for channel in route.channels
        ]
