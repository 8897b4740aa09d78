"""``paperbot init``: a home of one's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from bot.errors import UsageError
from bot.resources import shipped
from bot.tokens import load_keys

_SAMPLE_PROFILE = "reward-models.toml"


@click.command("init", short_help="Make a home of your own.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
def command(directory: Path) -> None:
    """Make a new home: settings, a sample profile, sample digests.

    \b
    Example:
      paperbot init ~/papers
      paperbot --home ~/papers run --force
    """
    make_home(directory, [_SAMPLE_PROFILE])
    click.echo(f"{directory} is ready. Next:")
    click.echo(f"  paperbot --home {directory} run --force      an edition of the sample digests, as a file")
    click.echo(
        f"  edit {directory / 'profiles' / _SAMPLE_PROFILE}      your interests, and where to send them"
    )


def make_home(directory: Path, profiles: list[str]) -> None:
    """Lays out a home with some of the shipped profiles; raises UsageError where one is already."""
    settings = directory / "paperbot.toml"
    if settings.exists():
        raise UsageError(f"{settings} is there already; choose another directory, or edit that file")
    try:
        (directory / "profiles").mkdir(parents=True, exist_ok=True)
        (directory / "state").mkdir(mode=0o700, exist_ok=True)
        for name in profiles:
            shutil.copy(shipped("profiles") / name, directory / "profiles" / name)
        shutil.copytree(shipped("seeds"), directory / "seeds", dirs_exist_ok=True)
        load_keys(directory / "state" / "secret.key")
        shutil.copy(shipped("paperbot.toml"), settings)
    except OSError as error:
        raise UsageError(
            f"{error.filename or directory}: {error.strerror}; choose a directory you may write to"
        ) from None
