"""``paperbot --version``: the version, and the commit if it is known."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click

from bot import __version__

_PACKAGE = Path(__file__).parents[1]


def _print(ctx: click.Context, _param: click.Parameter, is_given: bool) -> None:
    if is_given:
        commit = _commit_of_checkout()
        if commit is None:
            # pip records the commit from which it installed the package (PEP 610), if that was a repository.
            with suppress(PackageNotFoundError):
                origin = json.loads(distribution("paperbot").read_text("direct_url.json") or "{}")
                commit = origin.get("vcs_info", {}).get("commit_id", "")[:7]
        click.echo(f"paperbot {__version__}" + (f" ({commit})" if commit else ""))
        ctx.exit()


def _commit_of_checkout() -> str | None:
    """Return the checkout's commit, with ``-dirty`` if files differ from it; None outside of a checkout."""
    # Asked of the folder itself: git would otherwise take a repository in which the package is merely installed.
    if not (_PACKAGE.parent / ".git").exists():
        return None
    # S603, S607: constant arguments; git is where PATH says, as for every developer.
    git = ["git", "-C", str(_PACKAGE.parent), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        answer = subprocess.run(git, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None


# Not click.version_option: its text is made at import, and git takes as long as the rest of `paperbot --help`.
version_option = click.Option(
    ["--version"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print,
    help="Show the version and the commit, and exit.",
)
