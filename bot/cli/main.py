"""The command ``paperbot``: lists the commands, and turns errors into exit codes and one line each.

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

from bot import __version__
from bot.cli import (
    check,
    demo,
    evaluate,
    export,
    forget,
    ingest,
    init,
    preview,
    profiles,
    rank,
    replay,
    retry,
    run,
    sendtest,
    serve,
    sources,
    status,
    subscribe,
    summarize,
    thumb,
    unsubscribe,
    why,
)
from bot.cli.options import home_option
from bot.errors import PaperbotError, UsageError

DONE, IN_PART, NOTHING_DONE = 0, 1, 2


class Commands(click.Group):
    """The group of all commands; each takes ``--home``, as the group does."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Gives the command ``--home`` and lists it."""
        cmd.params.append(home_option)
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order in which one needs them."""
        return list(self.commands)


@click.group(cls=Commands, invoke_without_command=True)
@click.version_option(__version__, prog_name="paperbot")
@click.pass_context
def paperbot(ctx: click.Context) -> None:
    """Reads the day's paper digests so that you don't have to.

    \b
    Begin with:
      paperbot demo               see what it does, on sample digests
      paperbot init ~/papers      a home of your own
      paperbot --home ~/papers run --force
    """
    if os.environ.get("PAPERBOT_DEBUG"):
        logging.basicConfig()
        logging.getLogger("paperbot").setLevel(logging.DEBUG)
    if ctx.obj is None and os.environ.get("PAPERBOT_HOME"):
        ctx.obj = Path(os.environ["PAPERBOT_HOME"])
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


paperbot.params.append(home_option)
for module in (  # in the order in which one needs them
    *(demo, init, check, sendtest, ingest, run, serve, preview, thumb, why, evaluate, replay),
    *(profiles, subscribe, unsubscribe, sources, status, retry),
    *(export, forget, rank, summarize),
):
    paperbot.add_command(module.command)


def invoke(arguments: Sequence[str]) -> int:
    """Runs a command line; returns its exit code."""
    try:
        return int(paperbot.main(list(arguments), prog_name="paperbot", standalone_mode=False) or DONE)
    except click.UsageError as error:
        return _complain(_one_line(error), NOTHING_DONE)
    except UsageError as error:
        return _complain(str(error), NOTHING_DONE)
    except PaperbotError as error:
        return _complain(str(error), NOTHING_DONE)
    except (click.Abort, KeyboardInterrupt):
        return _complain("stopped", 130)
    except Exception as error:
        if os.environ.get("PAPERBOT_DEBUG"):
            traceback.print_exc()
        return _complain(
            f"{type(error).__name__}: {error}. This is a mistake in Paperbot; PAPERBOT_DEBUG=1 shows where",
            IN_PART,
        )


def _one_line(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "paperbot"
    return f"{' '.join(error.format_message().split())} (see `{command} --help`)"


def _complain(message: str, code: int) -> int:
    click.echo(f"paperbot: {message}", err=True)
    return code


def main() -> None:
    """The entry point of the command."""
    sys.exit(invoke(sys.argv[1:]))
