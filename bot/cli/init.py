"""``paperbot init``: make a new home."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from bot.errors import UsageError
from bot.resources import shipped
from bot.tokens import load_keys

_SAMPLE_PROFILE = "reward-models.toml"
_SAMPLES = "samples"
_SAMPLE_SOURCE = f"""
[[sources]]
name = "{_SAMPLES}"                         # real papers, but rewritten abstracts
kind = "folder"
path = "{_SAMPLES}"
samples = true                           # only until another source has brought papers
"""


@click.command("init", short_help="Make a new home.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--samples/--no-samples",
    default=True,
    show_default=True,
    help="Sample digests, used until a source of your own has brought papers.",
)
def command(directory: Path, samples: bool) -> None:
    """Make a new home: settings, a sample profile, sample digests in samples/, and seeds/ for digests of your own.

    The samples are a source of their own: as soon as any other source has brought papers, editions have none from
    the samples. Titles and authors are those of real papers; the abstracts are rewritten, not the authors'.

    \b
    Examples:
      paperbot init ~/papers
      paperbot --home ~/papers run --force
      paperbot init ~/papers --no-samples
    """
    make_home(directory, [_SAMPLE_PROFILE], samples=samples)
    profile = directory / "profiles" / _SAMPLE_PROFILE
    click.echo(f"{directory} is ready.")
    if samples:
        click.echo(
            f"{directory / _SAMPLES} has sample digests of real papers; their abstracts are "
            "rewritten, not the authors'.\nThey are used until a source of your own has brought papers."
        )
    steps = {
        f"edit {profile}": "your interests, and where to send them",
        f"copy digests into {directory / 'seeds'}": f"or name other sources in {directory / 'paperbot.toml'}",
        f"paperbot --home {directory} run --force": "your first edition, now; a file until a mail server is set",
        f"paperbot --home {directory} send-test {profile.stem}": "the same again as a test, once a mail server is set",
    }
    click.echo("Next:")
    for step, purpose in steps.items():
        click.echo(f"  {step}\n      {purpose}")


def make_home(directory: Path, profiles: list[str], *, samples: bool = True) -> None:
    """Make a home with some of the shipped profiles; raises UsageError if there is one already."""
    settings = directory / "paperbot.toml"
    if settings.exists():
        raise UsageError(f"{settings} exists already; choose another directory, or edit that file")
    try:
        (directory / "profiles").mkdir(parents=True, exist_ok=True)
        # Addresses, keys and messages will be in it.
        (directory / "state").mkdir(mode=0o700, exist_ok=True)
        for name in profiles:
            shutil.copy(shipped("profiles") / name, directory / "profiles" / name)
        (directory / "seeds").mkdir(exist_ok=True)
        # Made now, so that a backup of a new home has the key by which links in messages stay valid.
        load_keys(directory / "state" / "secret.key")
        text = shipped("paperbot.toml").read_text("utf-8")
        if samples:
            shutil.copytree(shipped("seeds"), directory / _SAMPLES, dirs_exist_ok=True)
            text += _SAMPLE_SOURCE
        # Last: a directory with settings is a home, so a failure before this can be repeated.
        settings.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(
            f"{error.filename or directory}: {error.strerror}; choose a directory you may write to"
        ) from None
