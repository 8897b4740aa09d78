"""The clock's tick: APScheduler calls the main job once at start and then every minute, beside the web pages.

It is an in-memory tick and nothing more. What is due is asked of the store each time, so that a tick missed
or fired twice neither loses nor repeats an edition.
"""

from __future__ import annotations

import logging
import socket
from datetime import UTC, datetime
from pathlib import Path

import uvicorn
from apscheduler.schedulers.background import BackgroundScheduler

from bot.app import open_app
from bot.errors import PaperbotError, UsageError
from bot.tokens import Redactor
from bot.web import make_web

log = logging.getLogger("paperbot")


def tick(home: Path) -> None:
    """What is due now, in a home opened afresh: an edited profile counts from the next tick on."""
    try:
        with open_app(home) as app:
            report = app.pipeline.run(datetime.now(UTC), force=False, progress=lambda *_: None)
            for problem in (*app.profile_problems, *report.problems):
                log.warning("%s", problem)
            if report.editions or report.delivered:
                log.info("%d editions, %d delivered", len(report.editions), report.delivered)
    except PaperbotError as error:
        log.error("%s", error)


def make_scheduler(home: Path) -> BackgroundScheduler:
    """Ticks at start and every minute; a tick that takes longer delays the next instead of meeting it."""
    scheduler = BackgroundScheduler(timezone=UTC)
    scheduler.add_job(
        tick,
        "interval",
        [home],
        minutes=1,
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
    """Until a signal says stop; the running tick is finished first."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(Redactor())
    scheduler = make_scheduler(home)
    scheduler.start()
    try:
        with open_app(home) as app:
            # Addresses of pages hold tokens: no access log.
            config = uvicorn.Config(make_web(app), log_level="warning", access_log=False)
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        scheduler.shutdown(wait=True)
