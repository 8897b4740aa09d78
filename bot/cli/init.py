"""The commands ``init``, ``profiles add`` and ``sources add``: ask for interests, sources and times, and write them.

options --questions--> NewUser --make_home--> a home
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from bot.app import App
from bot.channels import address_checks
from bot.cli.first_edition import first_papers, try_mail_server
from bot.cli.options import Number, app_of, checked_address, is_terminal, pass_app, valid
from bot.cli.output import echo, print_note
from bot.cli.questions import HOST, Questions, library, named_source, passwords_of, phone_url, time_of_day, with_reading
from bot.cli.readers import profiles
from bot.cli.status import sources as sources_group
from bot.cli.time_zones import local_timezone, time_zone
from bot.config.home import NewUser, command_in, mailbox_table, make_home, refuse_existing
from bot.config.profiles import add_profile
from bot.model import SAMPLES
from bot.model.addresses import is_loopback, own_mail_address
from bot.model.errors import UsageError
from bot.model.wording import listed
from bot.readers.subscriptions import title_of
from bot.sources import source_models


def mailbox_account(text: str) -> str:
    """Return the text if it is ``LOGIN@HOST``. Raises ValueError."""
    mailbox_table(text)
    return text


at_option = click.option("--at", callback=valid(time_of_day), help="The time of day of editions, such as 08:00 or 7pm.")
interests_option = click.option("--interests", help="What you want to read about, in your own words.")
yes_option = click.option("--yes", is_flag=True, help="Ask nothing, even on a terminal.")


@click.command("init")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--samples/--no-samples",
    default=None,
    help="Sample digests, used until your own sources bring papers  [default: if they fit your interests]",
)
@interests_option
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="KIND=VALUE",
    help="A source: arxiv=cs.LG, biorxiv=genetics, medrxiv=nursing, openalex=SEARCH, pubmed=QUERY, feed=URL, "
    "folder=PATH or mailbox='LOGIN@HOST SENDER'; repeatable. `proposed` adds the sources that fit your interests.",
)
@click.option(
    "--library",
    metavar="FILE",
    callback=valid(library),
    help="A library (.bib, .ris, .nbib, .csv ...) to learn from, or zotero.",
)
@click.option("--edition/--no-edition", default=None, help="Fetch papers now, and show the first edition.")
@click.option("--email", callback=valid(own_mail_address), help="The address that editions go to.")
@at_option
@click.option(
    "--timezone",
    callback=valid(time_zone),
    help="The time zone of that time, such as Europe/Berlin, Berlin or Germany  [default: this machine's]",
)
@click.option("--mail-host", help="Your mail server; without one, mails are files.")
@click.option("--mail-port", type=Number(1, 65535), help="Its port  [default: 587]")
@click.option("--mail-username", help="The login at the mail server.")
@click.option("--public-url", callback=valid(phone_url), help="Where phones reach the pages of `serve`.")
@click.option(
    "--replies",
    metavar="LOGIN@HOST",
    callback=valid(mailbox_account),
    help="A mailbox (IMAP) that thumbs are mailed to, for phones that don't reach the pages.",
)
@yes_option
def init(
    directory: Path,
    *,
    samples: bool | None,
    yes: bool,
    sources: tuple[str, ...],
    **options: Any,
) -> None:
    """Make a new home: settings, a profile, sample digests in samples/, and seeds/ for your own digests.

    On a terminal, it asks for everything that you don't give as an option, proposes sources, shows ten papers to judge
    and the first edition, and sends a test mail. Press Enter to skip a question, or type "back" to return to the one
    before.

    \b
    Examples:
      paperbot init ~/papers
      paperbot init ~/papers --yes --email ada@example.org --interests "Reward models for reasoning"
      paperbot init ~/papers --yes --interests "Protein language models" --source proposed --library library.bib
    """
    refuse_existing(directory)
    user = NewUser(**options, sources=named_sources(sources, options["interests"]))
    if is_asked := not yes and is_terminal():
        user = Questions(user, samples is not False).ask()
        os.environ.update(user.passwords)
    title = title_of(user.interests) if user.interests else None
    user = replace(user, timezone=user.timezone or local_timezone(), title=title)
    if samples is None:
        samples = samples_are_for(user, directory)
    make_home(directory, source_models(), address_checks(), user=user, samples=samples)
    echo(f"{directory} is ready.")
    if not (yes or is_asked or user.interests):
        profile = directory / "profiles" / f"{user.profile}.toml"
        print_note(
            f"this is no terminal, so nothing was asked, and {profile} is a sample; write your interests into it"
        )
    # The questions print it at the answer.
    with_reading(options["interests"] or "")
    if samples:
        echo(
            f"{directory / SAMPLES} has sample digests of real papers. Their abstracts are rewritten, not the "
            "authors'.\nEditions use them until your own sources bring papers."
        )
    try:
        if user.library or user.edition or is_asked:
            first_papers(directory, user, is_asked=is_asked)
        if is_asked and user.mail_host:
            try_mail_server(directory, user)
    except (click.Abort, KeyboardInterrupt):
        echo(f"\n{directory} is ready all the same.")
        raise
    finally:
        echo("Next:")
        for step, purpose in next_steps(directory, user).items():
            echo(f"  {step}\n      {purpose}")


@profiles.command("add", short_help="Add a profile: another interest of a reader.")
@interests_option
@click.option("--title", help="The title of its editions  [default: your first topic]")
@click.option("--reader", "address", help="Who gets it: a mail address or Slack channel  [default: the first reader]")
@at_option
@click.option(
    "--timezone", callback=valid(time_zone), help="The time zone of that time  [default: as the first profile]"
)
@click.option("--source", "sources", multiple=True, metavar="KIND=VALUE", help="A source, as for `init`; repeatable.")
@yes_option
@click.pass_context
def add(
    ctx: click.Context,
    *,
    interests: str | None,
    title: str | None,
    address: str | None,
    at: str | None,
    timezone: str | None,
    sources: tuple[str, ...],
    yes: bool,
) -> None:
    """Write another profile into this home, and add the sources that it needs.

    On a terminal, it asks what `init` asks.

    \b
    Example:
      paperbot profiles add --yes --interests "Barn owls and their prey" --source proposed
    """
    app = app_of(ctx)
    first = next(iter(app.profiles.values()), None)
    usual = f"{first.schedule.at:%H:%M}" if first else "08:00"
    user = NewUser(interests=interests, title=title, at=at, sources=named_sources(sources, interests))
    if not yes and is_terminal():
        user = Questions(user, samples=False, usual_time=usual).ask(("interests", "sources", "at", "title"))
    if not user.interests:
        raise UsageError('a profile needs interests; name them, as with --interests "Barn owls and their prey"')
    address = address or next((known for profile in app.profiles.values() for _, known in profile.addresses), None)
    if not address:
        raise UsageError("a profile needs a reader; name one, as with --reader ada@example.org")
    reader = checked_address(address)
    added = app.home.add_sources(user.all_sources)
    slug = add_profile(
        app.home.profiles_folder,
        user.title or title_of(user.interests),
        user.interests,
        reader,
        address_checks(),
        schedule={
            "at": user.at or usual,
            "timezone": timezone or (first.schedule.timezone if first else local_timezone()),
        },
    )
    echo(f"{app.home.profile_file(slug)} is ready; its reader is {address}.")
    with_reading(interests or "")
    if added:
        echo(f"{listed(added)} added to {app.home.settings_file}.")
    echo(f"`paperbot preview {slug}` shows its next edition, once papers were fetched with `paperbot ingest`.")


@sources_group.command("add")
@click.argument("named", metavar="KIND=VALUE...", nargs=-1, required=True)
@pass_app
def add_to_home(app: App, named: tuple[str, ...]) -> None:
    """Add sources to paperbot.toml, named as for `init`. `proposed` adds those that fit the interests of all profiles.

    \b
    Example:
      paperbot sources add proposed arxiv=cs.LG
    """
    now = datetime.now(UTC)
    interests = "\n\n".join(profile.interests_at(now) for profile in app.profiles.values())
    added = app.home.add_sources(named_sources(named, interests, "KIND=VALUE"))
    echo(f"{listed(added)} added to {app.home.settings_file}." if added else "There is nothing to add.")


def named_sources(
    names: Sequence[str], interests: str | None, given_as: str = "--source"
) -> tuple[Mapping[str, Any], ...]:
    """Return the tables of sources given as KIND=VALUE. Raises BadParameter with the nearest one."""
    tables: list[Mapping[str, Any]] = []
    for name in names:
        try:
            if name == "proposed":
                from bot.operate.proposals import proposed_sources

                tables += [proposal.table for proposal in proposed_sources(interests or "") if proposal.is_ticked]
            else:
                tables.append(named_source(name))
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint=f"'{given_as}'") from None
    return tuple(tables)


def samples_are_for(user: NewUser, directory: Path) -> bool:
    """Return whether the samples fit the user's field, or print that they don't."""
    from bot.operate.proposals import samples_fit

    if not user.interests or samples_fit(user.interests):
        return True
    echo("The sample digests are about reinforcement learning and language models, not your field. None is used.")
    if not (user.sources or any(directory.glob("seeds/*"))):
        adds = f"`{command_in(directory)} sources add proposed` adds those that fit your interests"
        echo(f"Papers need a source. {adds}, or copy digests into seeds/.")
    return False


def next_steps(directory: Path, user: NewUser) -> dict[str, str]:
    """Return commands and edits, each with its purpose."""
    profile = directory / "profiles" / f"{user.profile}.toml"
    has_server = user.mail_host or HOST in os.environ
    pages = urlsplit(user.public_url or "")
    # At an http address, no proxy stands before the pages.
    is_direct = pages.scheme == "http" and not is_loopback(pages.hostname or "")
    serve = "serve" + (f" --host 0.0.0.0 --port {pages.port or 80}" if is_direct else "")
    if user.public_url:
        served = f"and the pages. Thumbs open {user.public_url}"
    elif user.replies:
        served = "and a look for thumbs in the mailbox"
    else:
        served = "and the pages. Thumbs work on this computer, while it runs"
    is_complete = user.interests and user.email
    return {
        **{f"export {name}=...": f"the password of {of}; no file has it" for name, of in passwords_of(user).items()},
        f"edit {profile}": (
            "everything else about your profile" if is_complete else "your interests, and where to send them"
        ),
        f"copy digests into {directory / 'seeds'}": (
            f"or name {'more' if user.sources else 'other'} sources in {directory / 'paperbot.toml'}"
        ),
        f"{command_in(directory)} run --force": (
            f"your first edition, now; {'by mail' if has_server else 'a file until you set a mail server'}"
        ),
        f"{command_in(directory)} send-test {profile.stem}": (
            "the same again as a test" + ("" if has_server else ", once you have set a mail server")
        ),
        f"{command_in(directory)} {serve}": f"an edition whenever one is due, {served}",
    }
