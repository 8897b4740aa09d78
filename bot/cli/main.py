"""The command ``paperbot``: registers the commands, and turns errors into an exit code and one line each.

0: all done. 1: done in part. 2: usage or configuration, nothing done.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from bot.cli import (
    check,
    completion,
    config,
    demo,
    evaluate,
    export,
    forget,
    ingest,
    init,
    library,
    preview,
    profiles,
    rank,
    replay,
    retry,
    run,
    send_test,
    serve,
    sources,
    status,
    subscribe,
    summarize,
    thumb,
    unsubscribe,
    why,
    worker,
    zotero,
)
from bot.cli.options import home_option
from bot.cli.version import version_option
from bot.errors import PaperbotError

DONE = 0
IN_PART = 1
NOTHING_DONE = 2


class Commands(click.Group):
    """The group of all commands; each takes ``--home``, as the group does."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Register a command, and give it ``--home``."""
        # Both `paperbot --home DIR run` and `paperbot run --home DIR` are what people type.
        cmd.params.append(home_option)
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands in the order in which a new user needs them; click's own is by alphabet."""
        return list(self.commands)


@click.group(cls=Commands, invoke_without_command=True)
@click.pass_context
def paperbot(ctx: click.Context) -> None:
    """Read the day's paper digests, and send each reader a short, personal edition.

    \b
    Begin with:
      paperbot demo               see what it does, on sample digests
      paperbot init ~/papers      make a home of your own
      paperbot --home ~/papers run --force
    """
    if os.environ.get("PAPERBOT_DEBUG"):
        logging.basicConfig()
        logging.getLogger("paperbot").setLevel(logging.DEBUG)
    if ctx.obj is None and os.environ.get("PAPERBOT_HOME"):
        ctx.obj = Path(os.environ["PAPERBOT_HOME"])
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


paperbot.params.extend([home_option, version_option])
for module in (  # in the order in which a new user needs them
    *(demo, init, check, config, send_test),
    *(ingest, run, serve, worker, preview, thumb, library, zotero, why, evaluate, replay),
    *(profiles, subscribe, unsubscribe, sources, status, retry),
    *(export, forget, rank, summarize, completion),
):
    paperbot.add_command(module.command)


def invoke(arguments: Sequence[str]) -> int:
    """Run a command line; return its exit code."""
    try:
        # standalone_mode=False: click would otherwise exit by itself, with 1 where the contract says 2.
        return int(paperbot.main(list(arguments), prog_name="paperbot", standalone_mode=False) or DONE)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "paperbot"
        # Some of click's messages have several lines; the contract is one.
        message = " ".join(error.format_message().split())
        return _fail(f"{message} (see `{command} --help`)", NOTHING_DONE)
    except PaperbotError as error:
        return _fail(str(error), NOTHING_DONE)
    except (click.Abort, KeyboardInterrupt):
        # 128 + SIGINT, as shells report it.
        return _fail("stopped", 130)
    except Exception as error:
        if os.environ.get("PAPERBOT_DEBUG"):
            traceback.print_exc()
        # Not 2: nobody knows what was done before an unexpected error.
        return _fail(
            f"{type(error).__name__}: {error}. This is a mistake in Paperbot; PAPERBOT_DEBUG=1 shows where",
            IN_PART,
        )


def _fail(message: str, code: int) -> int:
    click.echo(f"paperbot: {message}", err=True)
    return code


def main() -> None:
    """Run the command line of this process, and exit."""
    # Where /dev/shm can't be written to, joblib (of scikit-learn) warns that it can't start processes; none are wanted.
    os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
    sys.exit(invoke(sys.argv[1:]))
