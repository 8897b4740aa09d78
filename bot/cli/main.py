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
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click

from bot import __version__
from bot.cli.conference import conference
from bot.cli.day import catch_up, ingest, preview, retry, run, send_test
from bot.cli.demo import demo
from bot.cli.init import init
from bot.cli.insight import evaluate, explain, rank, replay, summarize
from bot.cli.inspect import inspect
from bot.cli.operators import check, completion, config, mcp, serve, sources, status, worker
from bot.cli.output import Commands, home_option
from bot.cli.readers import export, forget, import_library, profiles, subscribe, thumb, unsubscribe, zotero
from bot.model.errors import PaperbotError

_PACKAGE = Path(__file__).parents[1]


def _print(ctx: click.Context, _param: click.Parameter, is_given: bool) -> None:
    if is_given:
        commit = _commit_of_checkout()
        if commit is None:
            # pip records the commit of an installation from a repository (PEP 610).
            with suppress(PackageNotFoundError):
                origin = json.loads(distribution("paperbot-digest").read_text("direct_url.json") or "{}")
                commit = origin.get("vcs_info", {}).get("commit_id", "")[:7]
        click.echo(f"paperbot {__version__}" + (f" ({commit})" if commit else ""))
        ctx.exit()


def _commit_of_checkout() -> str | None:
    """Return the checkout's commit, with ``-dirty`` after changes, or None outside of one."""
    # Git would otherwise report any repository around an installed package.
    if not (_PACKAGE.parent / ".git").exists():
        return None
    # S603, S607: constant arguments; git is on PATH, as for every developer.
    git = ["git", "-C", str(_PACKAGE.parent), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        answer = subprocess.run(git, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None


# click.version_option would run Git at each import.
version_option = click.Option(
    ["--version"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print,
    help="Show the version and the commit, and exit.",
)


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
for command in (  # in the order in which a new user needs them
    *(demo, init, check, config, send_test),
    *(inspect, ingest, run, serve, worker, preview, thumb, import_library, zotero, explain, evaluate, replay),
    *(profiles, subscribe, unsubscribe, sources, status, retry),
    *(catch_up, conference, mcp, export, forget, rank, summarize, completion),
):
    paperbot.add_command(command)


def invoke(arguments: Sequence[str]) -> int:
    try:
        # In standalone mode, click would exit with 1 where the contract says 2.
        return int(paperbot.main(list(arguments), prog_name="paperbot", standalone_mode=False) or 0)
    except click.UsageError as error:
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
        # Not 2: something may have been done before an unexpected error.
        return _fail(f"{type(error).__name__}: {error}. This is a mistake in Paperbot; PAPERBOT_DEBUG=1 shows where", 1)


def _fail(message: str, code: int) -> int:
    click.echo(f"paperbot: {message}", err=True)
    return code


def main() -> None:
    # joblib (of scikit-learn) warns if it can't start processes, which we don't need.
    os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
    sys.exit(invoke(sys.argv[1:]))
