"""``paperbot init``: make a new home."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

_SETTINGS = "paperbot.toml"


@click.command("init", short_help="Make a new home.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--samples/--no-samples",
    default=True,
    show_default=True,
    help="Sample digests, used until a source of your own has brought papers.",
)
@click.option("--interests", help="What you want to read about, in your own words.")
@click.option(
    "--arxiv", help="Categories of arXiv whose feeds are read, such as cs.LG,q-bio.NC.", metavar="CATEGORIES"
)
@click.option("--email", help="The address that editions go to.")
@click.option("--at", help="The time of day of editions, such as 08:00.")
@click.option("--timezone", help="The time zone of that time, such as Europe/Berlin.")
@click.option("--mail-host", help="Your mail server; without one, mails are files.")
@click.option("--mail-port", type=click.IntRange(1, 65535), help="Its port  [default: 587]")
@click.option("--mail-username", help="The login at the mail server.")
@click.option("--yes", is_flag=True, help="Ask nothing, even on a terminal.")
def command(directory: Path, samples: bool, yes: bool, arxiv: str | None, **options: Any) -> None:
    """Make a new home: settings, a profile, sample digests in samples/, and seeds/ for digests of your own.

    On a terminal it asks for what no option says, tries the mail server, and sends a test mail. In a pipe, or with
    --yes, it asks nothing.

    The samples are a source of their own: as soon as any other source has brought papers, editions have none from
    the samples. Titles and authors are those of real papers; the abstracts are rewritten, not the authors'.

    \b
    Examples:
      paperbot init ~/papers
      paperbot init ~/papers --yes --email ada@example.org --interests "Reward models for reasoning"
      paperbot init ~/papers --arxiv cs.LG,q-bio.NC
      paperbot init ~/papers --no-samples
    """
    from bot.channels.registry import address_checks
    from bot.cli.questions import arxiv_categories, ask, try_mail_server
    from bot.config.new_home import SAMPLES, NewUser, make_home, refuse_existing
    from bot.sources.registry import source_models

    refuse_existing(directory)
    try:
        user = NewUser(**options, arxiv=arxiv_categories(arxiv or ""))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--arxiv") from None
    is_asked = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    if is_asked:
        user = ask(user)
    make_home(directory, source_models(), address_checks(), user=user, samples=samples)
    click.echo(f"{directory} is ready.")
    if samples:
        click.echo(
            f"{directory / SAMPLES} has sample digests of real papers; their abstracts are "
            "rewritten, not the authors'.\nThey are used until a source of your own has brought papers."
        )
    if is_asked and user.mail_host:
        try_mail_server(directory, user)
    profile = directory / "profiles" / f"{user.profile}.toml"
    is_complete = user.interests and user.email
    steps = {
        f"edit {profile}": "everything else about your profile"
        if is_complete
        else "your interests, and where to send them",
        f"copy digests into {directory / 'seeds'}": f"or name {'more' if user.arxiv else 'other'} sources in "
        f"{directory / _SETTINGS}",
        f"paperbot --home {directory} run --force": "your first edition, now; "
        + ("by mail" if user.mail_host else "a file until a mail server is set"),
        f"paperbot --home {directory} send-test {profile.stem}": "the same again as a test"
        + ("" if user.mail_host else ", once a mail server is set"),
        f"paperbot --home {directory} serve": "an edition whenever one is due, and the pages",
    }
    if user.mail_username:
        variable = "export PAPERBOT_EMAIL__PASSWORD=..."
        steps = {variable: "the password of the mail server; no file has it"} | steps
    click.echo("Next:")
    for step, purpose in steps.items():
        click.echo(f"  {step}\n      {purpose}")
