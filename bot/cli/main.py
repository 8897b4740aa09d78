"""The command ``paperbot``: register the commands, and turn errors into a line and an exit code.

0: all done. 1: done in part. 2: usage or configuration, nothing done.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click

from bot import __version__
from bot.cli.options import Commands, home_option
from bot.model.errors import PaperbotError

_PACKAGE = Path(__file__).parents[1]
# The module and the short help of each command, in the order in which a new user needs them.
_COMMANDS = {
    "demo": ("demo", "Show how it works, on the sample digests."),
    "init": ("init", "Make a new home."),
    "check": ("check", "Check settings, profiles, templates, store."),
    "config": ("check", "Show every setting in force, and where it comes from."),
    "send-test": ("day", "Send READER's last edition now, as a test."),
    "inspect": ("inspect", "Show what a file holds; store nothing."),
    "ingest": ("day", "Store new papers, of the sources or of PATHS."),
    "run": ("day", "Compose and deliver what is due."),
    "serve": ("services", "Run the schedule, and serve the pages."),
    "worker": ("services", "Take tasks from the queue."),
    "preview": ("day", "Show READER's next edition; store nothing."),
    "thumb": ("readers", "Record READER's vote on PAPER."),
    "import": ("readers", "Import READER's library, as first feedback."),
    "zotero": ("readers", "Connect READER's Zotero library; show it; disconnect."),
    "why": ("insight", "Explain the score of PAPER for READER."),
    "evaluate": ("evaluate", "Show whether it learns READER's preferences."),
    "replay": ("evaluate", "Show what READER would have got on past days."),
    "profiles": ("init", "List and check the profiles; add one."),
    "subscribe": ("readers", "Add a reader to PROFILE."),
    "unsubscribe": ("readers", "Stop READER's editions."),
    "sources": ("init", "List sources; add and test them."),
    "status": ("status", "Show sources, readers, outbox and problems."),
    "retry": ("day", "Send waiting, failed or unknown messages again."),
    "catch-up": ("day", "Send READER the best of the days that they missed."),
    "conference": ("conference", "Plan a conference: rank a programme for READER."),
    "mcp": ("services", "Serve READER's papers to an assistant, over stdio."),
    "export": ("readers", "Print all data about READER, as JSON."),
    "forget": ("readers", "Delete all data about READER."),
    "rank": ("insight", "Rank the papers of a file for profiles."),
    "summarize": ("insight", "Summarise the papers of a file."),
    "completion": ("services", "Print the completion script of a shell."),
}


class _AllCommands(Commands):
    """The group ``paperbot``. It lists names and short helps, and loads a command's module when it is used."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name in _COMMANDS:
            module = vars(import_module(f"bot.cli.{_COMMANDS[name][0]}"))
            command = next(each for each in module.values() if isinstance(each, click.Command) and each.name == name)
            if home_option not in command.params:
                command.params.append(home_option)
        return name, command, rest


def _print_version(ctx: click.Context, _param: click.Parameter, is_given: bool) -> None:
    """Print the version, with the commit of a checkout (and ``-dirty`` after changes) or of an installation by pip."""
    if not is_given:
        return
    commit = ""
    # Git would otherwise report any repository around an installed package.
    if (_PACKAGE.parent / ".git").exists():
        # S603, S607: constant arguments; git is on PATH, as for every developer.
        git = ["git", "-C", str(_PACKAGE.parent), "describe", "--always", "--dirty", "--exclude=*"]
        with suppress(OSError, subprocess.TimeoutExpired):
            commit = subprocess.run(git, capture_output=True, text=True, timeout=5, check=False).stdout.strip()  # noqa: S603
    else:
        with suppress(PackageNotFoundError):
            origin = json.loads(distribution("paperbot-digest").read_text("direct_url.json") or "{}")  # PEP 610
            commit = origin.get("vcs_info", {}).get("commit_id", "")[:7]
    click.echo(f"paperbot {__version__}" + (f" ({commit})" if commit else ""))
    ctx.exit()


# click.version_option would run Git at each import.
version_option = click.Option(
    ["--version"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and the commit, and exit.",
)


@click.group(
    cls=_AllCommands,
    commands=[click.Command(name, short_help=text) for name, (_, text) in _COMMANDS.items()],
    invoke_without_command=True,
)
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
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


paperbot.params.extend([home_option, version_option])


def invoke(arguments: Sequence[str]) -> int:
    try:
        # In standalone mode, click would exit with 1 where the contract says 2.
        return int(paperbot.main(list(arguments), prog_name="paperbot", standalone_mode=False) or 0)
    except click.UsageError as error:
        if isinstance(error, click.BadParameter) and isinstance(error.param, click.Argument):
            # click would write [FILE], or all choices.
            error.param_hint = f"'{error.param.human_readable_name}'"
        command = error.ctx.command_path if error.ctx else "paperbot"
        # The contract is one line.
        message = " ".join(error.format_message().split())
        return _fail(f"{message} (see `{command} --help`)", 2)
    except PaperbotError as error:
        return _fail(str(error), 2)
    except (click.Abort, KeyboardInterrupt):
        # 128 + SIGINT, as shells report it.
        return _fail("stopped", 130)
    except Exception as error:
        if os.environ.get("PAPERBOT_DEBUG"):
            traceback.print_exc()
        return _fail(f"{type(error).__name__}: {error}. This is a mistake in Paperbot; PAPERBOT_DEBUG=1 shows where", 1)


def _fail(message: str, code: int) -> int:
    click.echo(f"paperbot: {message}", err=True)
    return code


def main() -> None:
    # joblib (of scikit-learn) warns if it can't start processes, which we don't need.
    os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
    sys.exit(invoke(sys.argv[1:]))
