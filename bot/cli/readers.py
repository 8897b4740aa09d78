"""The commands about readers and votes, and of Zotero."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import IO, Any, Literal

import click

from bot.app import App
from bot.channels import address_checks
from bot.cli.options import (
    Commands,
    Number,
    OneOf,
    app_of,
    checked_address,
    is_terminal,
    json_option,
    name_of,
    now_option,
    pass_app,
    reader_argument,
    report_options,
    schema_option,
)
from bot.cli.output import console, day_and_time, echo, local_time, print_json, print_problems, table, working
from bot.config.profiles import Profile, describe_days, describe_end, describe_override, remove_reader, with_override
from bot.editions.due import last_edition_days
from bot.formats.library import MAX_BYTES
from bot.model import Origin, Reader, Vote, ZoteroConnection
from bot.model.errors import UsageError
from bot.model.wording import listed, long_date, plural
from bot.readers import find_paper, find_reader, find_stored_reader, personal_data, stored_reader, unknown_profile
from bot.readers.libraries import ImportReport, import_file
from bot.readers.votes import record_file
from bot.text.latex import readable

_CONFIRMATIONS = {
    Vote.UP: "more like",
    Vote.DOWN: "less like",
    Vote.CLEAR: "vote removed from",
    Vote.SAVE: "saved:",
    Vote.UNSAVE: "removed from the list:",
}
_ZOTERO: Literal["zotero"] = "zotero"


@click.group("profiles", cls=Commands, invoke_without_command=True)
@schema_option("profile", "a profile")
@click.pass_context
def profiles(ctx: click.Context) -> int:
    """List the profiles and their readers, with the readers' own settings, and check each file."""
    # click also calls the group before its subcommand.
    if ctx.invoked_subcommand:
        return 0
    app, now = app_of(ctx), datetime.now(UTC)
    rows = table("profile", "title", "when", "size", "readers", unbroken=("readers",))
    lines: list[str] = []
    for slug, profile in app.profiles.items():
        schedule = profile.schedule
        when = f"{schedule.at:%H:%M} {schedule.timezone}, {describe_days(schedule.days)}"
        title = f"{profile.title} (open)" if profile.open else profile.title
        notes = reader_notes(app, slug, profile)
        readers = "\n".join(notes) or "none yet"
        lines += [f"{slug}: {describe_end(entry)}" for entry in profile.interests_with_end(now, ended=False)]
        ended = profile.interests_with_end(now, ended=True)
        lines += [f"{slug}: {describe_end(entry)}, which counts no more" for entry in ended]
        rows.add_row(slug, title, when, str(profile.edition.size), readers)
        lines += [f"{slug}/{address}: {note}" for address, note in notes.items() if note]
    console().print(rows)
    for line in lines:
        echo(line)
    print_problems(app.profile_problems)
    return 1 if app.profile_problems else 0


def reader_notes(app: App, slug: str, profile: Profile) -> dict[str, str]:
    store = app.store
    stored = {reader.address: reader for reader in store.readers.of_profile(slug)}
    in_file = [address for _, address in profile.addresses]
    notes: dict[str, str] = {}
    for address in dict.fromkeys([*in_file, *stored]):
        reader = stored.get(address)
        if reader is None:
            is_forgotten = store.readers.forgotten(slug, address)
            remedy = f"remove the address from the file, or `paperbot subscribe {slug} {address}` if they want it"
            notes[address] = f"forgotten at their request; {remedy}" if is_forgotten else ""
            continue
        by_web = "by web" if reader.origin is Origin.WEB else ""
        is_outside = profile.group and not profile.has_member(reader)
        outside = f"not in the group: `paperbot subscribe {slug} {address}` adds them" if is_outside else ""
        own_settings = describe_override(store.overrides.get(reader.id))
        notes[address] = "; ".join(filter(None, (by_web, outside, reader.stopped_because, own_settings)))
    return notes


@click.command("subscribe")
@click.argument("profile")
@click.argument("address")
@now_option
@pass_app
def subscribe(app: App, profile: str, address: str, now: datetime) -> None:
    """Write ADDRESS into PROFILE's file: a mail address, or the id of a person or channel in Slack.

    Readers who unsubscribed, or asked to be forgotten, are subscribed again.
    """
    if profile not in app.profiles:
        raise unknown_profile(profile, app.profiles)
    added, was_listed = app.subscriptions.add(profile, *checked_address(address), now)
    if was_listed:
        echo(f"{added.name} is in the profile already")
        return
    own = with_override(app.profiles[profile], app.store.overrides.get(added.id))
    last = last_edition_days(app.store, [(added, own)], now).get(added.id)
    which = "next" if last else "first"
    if slots := own.schedule.due_slots(now, last=last, since=now):
        when = f", of {long_date(slots[0], own.language)}, comes with the next run"
    else:
        when = f" comes on {day_and_time(own.schedule.next_moment(now, last), own.language)}"
    echo(f"{added.name} is subscribed. The {which} edition{when}")


@click.command("unsubscribe")
@reader_argument()
@now_option
@pass_app
def unsubscribe(app: App, reader: str, now: datetime) -> None:
    """Remove READER from the profile's file and stop the editions. The votes stay, in case of a return."""
    stopped, _ = find_reader(app.store, app.profiles, reader)
    app.subscriptions.remove(stopped, now)
    echo(f"{stopped.name} gets no more editions. `paperbot forget {stopped.name}` deletes all their data")


@click.command("export")
@reader_argument()
@now_option
@pass_app
def export(
    app: App,
    reader: str,
    now: datetime,  # noqa: ARG001 - every command takes --now; the stored data does not depend on it
) -> None:
    """Print all data about READER as one JSON object: votes, their history, editions, settings."""
    print_json(personal_data.export(app.store, find_stored_reader(app.store, app.profiles, reader)))


@click.command("forget")
@reader_argument()
@click.option("--yes", is_flag=True, help="Don't ask before.")
@now_option
@pass_app
def forget(app: App, reader: str, yes: bool, now: datetime) -> None:
    """Delete READER from the profile's file and the store, with votes, editions and message files.

    It asks before. Without a terminal, it needs --yes.
    """
    stored = find_stored_reader(app.store, app.profiles, reader)
    path = app.home.profile_file(stored.profile)
    if not yes:
        votes = plural(len(app.store.feedback.current(stored.id)), "vote")
        editions = plural(len(app.store.editions.of_reader(stored.id)), "edition")
        subject = f"all of {stored.name}: {votes}, {editions}"
        if not is_terminal():
            raise UsageError(f"nothing was deleted, as this is no terminal to ask on; --yes deletes {subject}")
        if not click.confirm(f"Delete {subject}?"):
            raise UsageError("nothing was deleted")
    if path.exists():
        # First: an error leaves the store untouched.
        remove_reader(path, stored.address, address_checks())
    remaining = app.forget(stored, now)
    echo(
        f"{stored.name} is forgotten" + (f", but a comment in {remaining} still names the address" if remaining else "")
    )


@click.command("thumb")
@click.argument("vote", type=OneOf([vote.value for vote in Vote]), required=False)
@reader_argument(required=False)
@click.argument("paper", required=False)
@click.option(
    "--from",
    "file",
    type=click.File("rb"),
    help='Record the votes of a file: JSON Lines {"reader", "paper", "vote", "at"}; - reads standard input.',
)
@report_options
def thumb(
    app: App,
    *,
    vote: str | None,
    reader: str | None,
    paper: str | None,
    file: IO[bytes] | None,
    now: datetime,
    as_json: bool,
) -> int:
    """Record READER's VOTE on PAPER: its id, or the beginning of its title.

    The vote is up, down or clear, or save or unsave for the list of papers to read later.

    With --from, "at" is the time of the vote in ISO 8601, in UTC if it has no offset, or now if it is absent. A line
    that can't be used, as with a time in the future, is a problem of its own.

    \b
    Examples:
      paperbot thumb down reward-models/ada@example.org "A New DAPO"
      paperbot thumb --from votes.jsonl
    """
    if file and vote:
        raise click.UsageError("--from takes the votes from a file; leave VOTE, READER and PAPER out")
    if file:
        with working("recording votes"):
            votes, problems = record_file(app.store, app.profiles, name_of(file), file, now)
        if as_json:
            print_json({"votes": votes, "problems": problems})
        else:
            echo(f"{plural(votes, 'vote')} recorded")
            print_problems(problems)
        return 1 if problems else 0
    # Not required=True, because --from replaces all three.
    if not (vote and reader and paper):
        raise click.UsageError("Missing VOTE, READER or PAPER; or name a file of votes with --from")
    voter, _ = stored_reader(app.store, app.profiles, reader, now)
    rated = find_paper(app.store, paper)
    app.store.feedback.add(voter.id, rated.id, Vote(vote), now, "cli")
    if as_json:
        print_json({"votes": 1, "problems": []})
    else:
        echo(f"{voter.name}: {_CONFIRMATIONS[Vote(vote)]} “{readable(rated.title)}”")
    return 0


class LibraryFile(click.File):
    """An open file, or ``zotero`` for the reader's connected library."""

    def __init__(self) -> None:
        super().__init__("rb")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == _ZOTERO else super().convert(value, param, ctx)


@click.command("import")
@reader_argument()
@click.argument("file", type=LibraryFile(), required=False)
@click.option("--remove", is_flag=True, help="Remove the reader's library instead, all of it.")
@report_options
def import_library(
    app: App,
    *,
    reader: str,
    file: IO[bytes] | Literal["zotero"] | None,
    remove: bool,
    now: datetime,
    as_json: bool,
) -> int:
    """Import FILE, a library, as first feedback of READER. The file - is standard input.

    "zotero" for FILE reads the changes of the connected library at once.

    It reads BibTeX, RIS, PubMed (.nbib, CSV), EndNote (.enw, XML), Web of Science (text), Ovid, CSV of Zotero, Scopus,
    Embase, IEEE Xplore, Dimensions and others, CSL-JSON and RDF of Zotero, and JSON of Paperpile.

    Each paper counts as one that you liked, all together as 150 votes at most. Nobody else sees them.

    \b
    Examples:
      paperbot import reward-models library.bib
      paperbot import reward-models/ada@example.org zotero
    """
    if remove:
        if file:
            raise click.UsageError("--remove removes the whole library; leave FILE out")
        owner = find_stored_reader(app.store, app.profiles, reader)
        removed = app.store.library.remove(owner.id)
        if as_json:
            print_json({"reader": owner.name, "removed": removed})
        else:
            echo(f"{owner.name}: {plural(removed, 'paper')} removed")
        return 0
    if file is None:
        raise click.UsageError("Missing FILE: a library, such as a .bib, .ris, .nbib or .csv file")
    owner, _ = stored_reader(app.store, app.profiles, reader, now)
    if file == _ZOTERO:
        report = app.zotero.import_now(owner, now)
    else:
        # One byte over the limit, so a larger file is refused.
        content = file.read(MAX_BYTES + 1)
        report = import_file(app.store, app.parser, owner, name=name_of(file), content=content, now=now)
    if as_json:
        print_json(
            {
                "reader": owner.name,
                "read": report.read,
                "matched": report.matched,
                "new": report.new,
                "skipped": sum(report.skipped.values()),
                "problems": report.problems,
            }
        )
    else:
        print_import(owner, report)
    return 1 if report.problems else 0


def print_import(owner: Reader, report: ImportReport) -> None:
    added = plural(report.matched + report.new, "paper")
    known = f"{report.matched:,} of them known from digests"
    echo(f"{owner.name}: {plural(report.read, 'reference')} read, {added} added, {known}")
    for reason, count in report.skipped.items():
        echo(f"  {count:,} skipped: {reason}")
    if report.matched + report.new:
        echo("Each paper of a library counts as one that you liked, all together as 150 votes at most.")
    print_problems(report.problems)


@click.group("zotero", cls=Commands, no_args_is_help=False)  # the whole help would be one line
def zotero() -> None:
    """Connect a reader's Zotero library: follow it as first feedback, and save the reader's likes in it.

    Make an API key at https://www.zotero.org/settings/keys. It is read from PAPERBOT_ZOTERO_KEY, or asked for. It is
    stored encrypted, and never shown.

    \b
    Example:
      paperbot zotero connect reward-models/ada@example.org --collection "Reward models"
    """


@zotero.command("connect")
@reader_argument()
@click.option("--user", type=Number(1), help="The user's id  [default: the key's user]")
@click.option("--group", type=Number(1), help="Follow a group's library instead, by its id.")
@click.option(
    "--collection", "collections", multiple=True, help="Follow only this collection and those below it. Repeatable."
)
@now_option
@pass_app
def connect(
    app: App, *, reader: str, user: int | None, group: int | None, collections: tuple[str, ...], now: datetime
) -> None:
    """Connect READER to a Zotero library, in place of an earlier connection."""
    if user and group:
        raise click.UsageError("--user and --group name two libraries; leave one out")
    owner, _ = stored_reader(app.store, app.profiles, reader, now)
    library = f"groups/{group}" if group else f"users/{user}" if user else None
    connection = app.zotero.connect(owner, ask_zotero_key(), library=library, collections=collections, now=now)
    echo(f"{owner.name}: connected to {described(connection)}")
    echo(f"Paperbot follows it from the next run. `paperbot import {owner.name} zotero` reads it now.")


@zotero.command("disconnect")
@reader_argument()
@pass_app
def disconnect(app: App, reader: str) -> None:
    """End READER's connection, and remove its key and its papers. Items in Zotero stay."""
    owner = find_stored_reader(app.store, app.profiles, reader)
    if not app.zotero.disconnect(owner):
        raise UsageError(f"{owner.name} is not connected to Zotero")
    echo(f"{owner.name}: disconnected")


@zotero.command("status")
@reader_argument()
@json_option
@pass_app
def status(app: App, reader: str, as_json: bool) -> int:
    """Show READER's connection, and how the last poll went."""
    owner = find_stored_reader(app.store, app.profiles, reader)
    connection = app.store.zotero.get(owner.id)
    papers = app.store.library.size(owner.id)
    saved = len(app.store.zotero.saves(owner.id))
    if as_json:
        print_json(
            {
                "reader": owner.name,
                "library": connection and connection.library,
                "collections": list(connection.collections) if connection else [],
                "saves": bool(connection and connection.saves),
                "checked_at": connection and connection.poll.checked_at,
                "problem": connection.poll.problem if connection else "",
                "papers": papers,
                "saved": saved,
            }
        )
    elif connection is None:
        echo(f"{owner.name}: not connected to Zotero")
    else:
        echo(f"{owner.name}: {described(connection)}")
        echo(f"  last read {local_time(connection.poll.checked_at, app.zone)}")
        echo(f"  {plural(papers, 'paper')} in the library; {plural(saved, 'liked paper')} saved")
        if connection.poll.problem:
            echo(f"! {connection.poll.problem}", fg="red")
    return 1 if connection and connection.poll.problem else 0


def ask_zotero_key() -> str:
    key = os.environ.get("PAPERBOT_ZOTERO_KEY") or click.prompt("The Zotero API key", hide_input=True)
    return str(key).strip()


def described(connection: ZoteroConnection) -> str:
    followed = listed(connection.collections) if connection.collections else "all of it"
    saves = "liked papers are saved in it" if connection.saves else "nothing is saved in it"
    return f"{connection.library}, {followed}; {saves}"
