"""The clock's tick: APScheduler calls two jobs at start and by turns of their own, beside the web pages.

    ingest, every few minutes: what the sources bring      publish, every minute: alerts, editions, deliveries

It is an in-memory tick and nothing more. What is due is asked of the store each time, so that a tick missed
or fired twice, or a second ``serve`` beside this one, neither loses nor repeats an edition.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

from apscheduler.schedulers.background import BackgroundScheduler

from bot.app import App, open_app
from bot.domain import Problem
from bot.errors import PaperbotError, UsageError, mistake
from bot.parsing import Parser
from bot.tokens import Redactor
from bot.web import make_web
from bot.web.server import OncePerMinute, Server

log = logging.getLogger("paperbot")

_FIRST_INGEST = 60  # seconds that the first editions wait for it; a source that is slower delays none
_WORK_ENDS = 7  # seconds that jobs get after the pages' two, which is below ten


class Jobs:
    """The two jobs, each in a home opened afresh: an edited profile counts from the next tick on."""

    def __init__(self, home: Path, stop: Event, parser: Parser | None = None) -> None:
        """``stop``, once set, ends a job at its next message. ``parser`` serves all ticks; else each has its own."""
        self._home, self._stop, self._parser = home, stop, parser
        self._ingested = Event()
        self._told: dict[str, set[Problem]] = {}

    def ingest(self) -> None:
        """What the sources bring."""
        try:
            self._run("ingest", _ingest if self._ingested.is_set() else _first_ingest)
        finally:
            self._ingested.set()

    def publish(self) -> None:
        """What is due now; the first time after the first ingest, if that is quick."""
        self._ingested.wait(_FIRST_INGEST)
        if not self._stop.is_set():
            self._run("publish", _publish)

    def _run(self, job: str, work: Callable[[App, datetime], Sequence[Problem]]) -> None:
        try:
            with open_app(self._home, self._stop, self._parser) as app:
                problems = work(app, datetime.now(UTC))
        except PaperbotError as error:
            problems = [Problem(job, str(error))]
        except Exception as error:
            log.debug("%s", job, exc_info=True)
            problems = [Problem(job, mistake(error))]
        self._log(job, problems)

    def _log(self, job: str, problems: Sequence[Problem]) -> None:
        """Each problem once, for as long as it lasts: ticks come every minute."""
        for problem in problems:
            if problem not in self._told.get(job, ()):
                log.warning("%s", problem)
        self._told[job] = set(problems)


def _first_ingest(app: App, now: datetime) -> Sequence[Problem]:
    """Also learns what no process has learned yet, or an older Paperbot otherwise, before anybody waits for it."""
    problems = _ingest(app, now)
    app.learn()
    return problems


def _ingest(app: App, now: datetime) -> Sequence[Problem]:
    arrived, problems = app.pipeline.ingest(now)
    if new := sum(digest.new for digest in arrived):
        log.info("%d new papers", new)
    return [*problems, *app.notify_operator(problems, now)]


def _publish(app: App, now: datetime) -> Sequence[Problem]:
    report = app.pipeline.publish(now)
    if report.editions or report.alerts or report.delivered:
        counts = (report.editions, report.alerts, report.delivered)
        log.info("%d editions, %d alerts, %d delivered", *counts)
    untold = app.notify_operator(app.profile_problems, now)
    return [*app.profile_problems, *report.problems, *untold]


def make_scheduler(clockwork: Jobs, ingest_minutes: int) -> BackgroundScheduler:
    """Both jobs at start and by their turns; one that takes longer delays its next turn, not the other job."""
    scheduler = BackgroundScheduler(timezone=UTC)
    for job, minutes in ((clockwork.ingest, ingest_minutes), (clockwork.publish, 1)):
        scheduler.add_job(
            job,
            "interval",
            minutes=minutes,
            next_run_time=datetime.now(UTC),
            max_instances=1,
            coalesce=True,
            misfire_grace_time=None,
        )
    return scheduler


def listen(host: str, port: int) -> socket.socket:
    """A socket that already takes connections; port 0 is any free one. Raises UsageError."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(
            f"can't listen on {host}:{port}: {error.strerror}; try another --host or --port"
        ) from None


def serve(home: Path, listener: socket.socket) -> None:
    """Until SIGTERM or SIGINT; then at most ten seconds more."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    logging.getLogger("apscheduler").setLevel(logging.ERROR)  # it warns of each tick that a long one swallows
    for handler in logging.getLogger().handlers:
        handler.addFilter(Redactor())
        handler.addFilter(OncePerMinute())
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):  # the server raises its signal again when it is done
        signal.signal(number, lambda *_: stop.set())
    with Parser() as parser, open_app(home, parser=parser) as app:
        scheduler = make_scheduler(Jobs(home, stop, parser), app.ingest_minutes)
        scheduler.start()
        try:
            Server(make_web(app), app.limits, stop.set).run(sockets=[listener])
        finally:
            stop.set()
            _wind_up(scheduler)


def _wind_up(scheduler: BackgroundScheduler) -> None:
    """Let the jobs finish or hand back what they hold; one that can't in time is left to the next start.

    What a message's server has not answered by then is of unknown fate, as after a crash.
    """
    ending = Thread(target=scheduler.shutdown, daemon=True)
    ending.start()
    ending.join(_WORK_ENDS)
    if ending.is_alive():
        log.warning("stopped in the middle of a job; the next start goes on from what the store holds")
        logging.shutdown()
        os._exit(0)  # threads that wait for another machine can't be ended in any other way
