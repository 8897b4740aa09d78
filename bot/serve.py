"""The scheduler of ``paperbot serve``: two jobs beside the web pages.

Each run looks up due work in the store, so a missed or repeated tick neither loses nor repeats an edition.
"""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

from apscheduler.schedulers.background import BackgroundScheduler

from bot.app import App, open_app
from bot.config.keys import Redactor
from bot.editions.due import due_ranges
from bot.formats import Parser
from bot.model import SourceState
from bot.model.errors import ProblemLog, UsageError
from bot.sources import is_due
from bot.web.application import make_web
from bot.web.server import LogRateLimit, Server
from bot.worker import COMPOSE, DELIVER, INGEST

log = logging.getLogger("paperbot")

_READERS_A_TASK = 200
_FIRST_INGEST_SECONDS = 60  # the first editions wait this long
# Longer, because a lost task is enqueued again each minute.
_FIRST_QUEUED_INGEST_SECONDS = 300
# With two seconds for open requests, below the ten after which Docker kills the process.
_SHUTDOWN_SECONDS = 7
_M_ARENA_MAX = -8  # of glibc's malloc.h
_INGEST = "ingest"
_PUBLISH = "publish"


class Jobs:
    """The two jobs. Each run opens the home afresh, so edited profiles count from the next tick."""

    def __init__(self, home: Path, stop: Event, parser: Parser | None = None, ingest_minutes: int = 15) -> None:
        """Setting ``stop`` ends a job at its next message. Without ``parser``, each run starts its own."""
        self._home = home
        self._stop = stop
        self._parser = parser
        self._ingest_is_late = timedelta(minutes=2 * ingest_minutes)
        self._ingested_at = datetime.now(UTC)
        self._ingest_done = Event()
        self._log = ProblemLog()

    def ingest(self) -> None:
        try:
            with self._log.problems_of("ingest") as problems, self._opened() as app:
                now = datetime.now(UTC)
                report = app.daily_job.ingest(now)
                if new := sum(digest.new for digest in report.digests):
                    log.info("%d new papers", new)
                problems.extend([*report.problems, *app.notify_operator(report.problems, now)])
                if not self._ingest_done.is_set():
                    # Fit the corpus before anybody waits for it.
                    app.corpora.renew()
        finally:
            self._ingested_at = datetime.now(UTC)
            self._ingest_done.set()

    def publish(self) -> None:
        """Compose and deliver due messages. The first run, also after a sleep of the machine, waits for an ingest."""
        if datetime.now(UTC) - self._ingested_at > self._ingest_is_late:
            self._ingest_done.clear()
        self._ingest_done.wait(_FIRST_INGEST_SECONDS)
        if self._stop.is_set():
            return
        with self._log.problems_of("publish") as problems, self._opened() as app:
            now = datetime.now(UTC)
            report = app.daily_job.publish(now)
            if report.editions or report.alerts or report.delivered:
                counts = (report.editions, report.alerts, report.delivered)
                log.info("%d editions, %d alerts, %d delivered", *counts)
            unsent_notices = app.notify_operator(app.profile_problems, now)
            problems.extend([*app.profile_problems, *report.problems, *unsent_notices])

    def _opened(self) -> App:
        return open_app(self._home, self._stop, self._parser)


class QueuedJobs:
    """The two jobs with workers: they enqueue due work unless it is still in the queue."""

    def __init__(self, home: Path, url: str, name: str, stop: Event | None = None) -> None:
        """Raises UsageError without Celery. With ``stop``, the first tick waits for the first papers."""
        try:
            from bot.worker.tasks import TaskQueue
        except ModuleNotFoundError as error:
            raise UsageError("queue.url needs Celery: in Paperbot's checkout, pip install '.[queue]'") from error
        self._home = home
        self._queue = TaskQueue(url, name)
        self._stop = stop
        self._started = datetime.now(UTC)
        self._ingest_at = self._started
        self._purged_on: date | None = None
        self._log = ProblemLog()

    def ingest(self) -> None:
        self._ingest_at = datetime.now(UTC)
        with self._log.problems_of("ingest"), open_app(self._home) as app:
            self._enqueue_sources(self._unpolled(app, self._ingest_at, self._ingest_at))

    def publish(self) -> None:
        now = datetime.now(UTC)
        with self._log.problems_of("publish") as problems, open_app(self._home) as app:
            problems.extend(app.daily_job.prepare(now))
            # Each minute, as the task of a source may be lost.
            self._enqueue_sources(self._unpolled(app, self._ingest_at, now))
            # The queue's tasks are still due and would be enqueued again.
            if not self._queue.waiting(COMPOSE) and self._has_first_papers(app, now):
                for profile, ids in due_ranges(app.store, app.profiles, now, _READERS_A_TASK):
                    self._queue.compose(profile, ids)
            if not self._queue.waiting(DELIVER):
                self._queue.deliver_all()
            problems.extend(app.profile_problems)
            problems.extend(app.notify_operator(app.profile_problems, now))
            # One part with each tick.
            if self._purged_on != now.date() and not app.store.retention.purge(app.keep_days, now):
                self._purged_on = now.date()

    def queue_depths(self) -> dict[str, int]:
        return self._queue.depths()

    def _has_first_papers(self, app: App, now: datetime) -> bool:
        if now - self._started >= timedelta(seconds=_FIRST_QUEUED_INGEST_SECONDS):
            return True
        # End before the next tick, which enqueues lost tasks again.
        for _ in range(_FIRST_INGEST_SECONDS * 3 // 4):
            if not self._unpolled(app, self._started, now):
                return True
            if self._stop is None or self._stop.wait(1):
                break
        return False

    def _unpolled(self, app: App, since: datetime, now: datetime) -> list[str]:
        stored = app.store.sources.states()
        states = [(source, stored.get(source.name) or SourceState(source.name)) for source in app.sources]
        return [
            source.name
            for source, state in states
            if is_due(source.poll_interval, state, now) and not (state.checked_at and state.checked_at >= since)
        ]

    def _enqueue_sources(self, sources: Sequence[str]) -> None:
        if not self._queue.waiting(INGEST):
            for source in sources:
                self._queue.ingest(source)


def make_scheduler(jobs: Jobs | QueuedJobs, ingest_minutes: int) -> BackgroundScheduler:
    """Return a scheduler that runs both jobs at start and in intervals, independently."""
    scheduler = BackgroundScheduler(timezone=UTC)
    for name, job, minutes in ((_INGEST, jobs.ingest, ingest_minutes), (_PUBLISH, jobs.publish, 1)):
        scheduler.add_job(
            job,
            "interval",
            id=name,
            minutes=minutes,
            next_run_time=datetime.now(UTC),
            max_instances=1,
            coalesce=True,
            # The default drops ticks on a busy or suspended machine.
            misfire_grace_time=None,
        )
    return scheduler


def publish_soon(scheduler: BackgroundScheduler) -> None:
    """Run the publishing job now, or in the next minute if it is running."""
    scheduler.modify_job(_PUBLISH, next_run_time=datetime.now(UTC))


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Port 0 is any free one. Raises UsageError."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        is_about_host = error.errno == errno.EADDRNOTAVAIL or (error.errno or 0) < 0  # negative for look-up errors
        option = "--host 127.0.0.1" if is_about_host else f"--port {max(port + 1, 8001)}"
        raise UsageError(
            f"can't listen on {host}:{port}: {reason}; name another, as with `paperbot serve {option}`"
        ) from None


def log_to_stderr() -> None:
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    # It warns of ticks that max_instances skips.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    for handler in logging.getLogger().handlers:
        handler.addFilter(Redactor())
        handler.addFilter(LogRateLimit())


def share_one_arena() -> None:
    """Let all threads allocate from one arena of glibc, if the C library is glibc.

    Each arena keeps the memory of its largest page: a server of forty threads grew by 100 MB in 6,000 requests.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def serve(home: Path, listener: socket.socket | None) -> None:
    """Run the jobs, and pages if there is a ``listener``, until SIGTERM or SIGINT. Return within ten seconds."""
    log_to_stderr()
    share_one_arena()
    stop = Event()
    # Without handlers, uvicorn's second signal would end the process before the jobs release their claims.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with Parser() as parser, open_app(home, parser=parser) as app:
        queue, minutes = app.home.settings.queue, app.home.settings.bot.ingest_minutes
        jobs = QueuedJobs(home, queue.url, queue.name, stop) if queue.url else Jobs(home, stop, parser, minutes)
        scheduler = make_scheduler(jobs, minutes)
        scheduler.start()
        try:
            if listener:
                depths = jobs.queue_depths if isinstance(jobs, QueuedJobs) else dict
                web = make_web(app, lambda: publish_soon(scheduler), depths)
                Server(web, app.limits, stop).run(sockets=[listener])
            else:
                stop.wait()
        finally:
            stop.set()
            shutdown = Thread(target=scheduler.shutdown, daemon=True)
            shutdown.start()
            shutdown.join(_SHUTDOWN_SECONDS)
            if shutdown.is_alive():
                log.warning("stopped in the middle of a job; the next start continues from what the store holds")
                logging.shutdown()
                # sys.exit would wait for the job's thread, which can't be interrupted.
                os._exit(0)
