"""The commands ``check`` and ``config``."""

from __future__ import annotations

import json
import platform
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from bot import __version__
from bot.app import App
from bot.channels import address_checks, reader_channel, reader_channels
from bot.channels.templates import environment, template_mistakes, unused_templates
from bot.cli.options import app_of, home_of, json_option, schema_option
from bot.cli.output import console, day_and_time, echo, print_json, print_note, print_problems, table
from bot.config.files import shipped
from bot.config.home import SettingOrigin, effective_settings, problems_beside_settings, repair, write_schemas
from bot.config.profiles import Profile, describe_end, with_override
from bot.editions.due import last_edition_days
from bot.model import Kind, Origin, Problem
from bot.model.addresses import is_loopback
from bot.model.errors import ConfigError, PaperbotError
from bot.model.wording import plural
from bot.operate.ingest import retrieved
from bot.operate.status import listed_readers
from bot.sources import Visit, source_models
from bot.wording import interest_warnings, understood

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

_READERS_SHOWN = 5
_KEYS, _STORE = "signing keys", "store"
_NEEDED = (_KEYS, _STORE)
_CHANNELS = ", ".join(channel.noun for channel in reader_channels())


@click.command("check")
@click.option(
    "--connect",
    is_flag=True,
    help=f"Also log in where messages go ({_CHANNELS}), and query the sources. Nothing is stored.",
)
@click.option("--fix", is_flag=True, help="First create missing folders, and replace missing or useless keys.")
@json_option
@click.pass_context
def check(ctx: click.Context, connect: bool, fix: bool, as_json: bool) -> int:
    """Check settings, profiles, sources, templates and the store. Correct the permissions of state/.

    \b
    Example:
      paperbot check --json      for a report of a mistake in Paperbot
    """
    try:
        app = app_of(ctx)
    except ConfigError as error:
        folder = home_of(ctx) / "templates"
        others = problems_beside_settings(home_of(ctx), source_models(), address_checks())
        templates = template_problems(environment(shipped("templates"), folder), folder)
        return checked([], [], [*error.problems, *others, *templates], as_json)
    passed: list[str] = []

    def print_line(line: str) -> None:
        if not as_json:
            echo(line)

    def ok(subject: str) -> None:
        passed.append(subject)
        print_line(f"ok  {subject}")

    for subject in before_checks(app, fix=fix):
        ok(subject)
    problems: list[Problem] = []
    now = datetime.now(UTC)
    for subject, subject_problems in checks(app, connect, now):
        # The store needs the keys, and sources need the store.
        causes = {problem.problem for problem in problems if problem.source in _NEEDED}
        problems += [problem for problem in subject_problems if problem.problem not in causes]
        if not subject_problems:
            ok(subject)
    for line in interest_lines(app, now):
        print_line(f"    {line}")
    # An unusable store is reported above.
    readers = Counter() if problems_of(_STORE, lambda: app.store) else count_readers(app)
    for channel in reader_channels():
        if readers[channel.name] or channel.name not in app.file_kinds:
            number = plural(readers[channel.name], "reader")
            print_line(f"    {number} by {channel.noun}: messages {app.route_description(channel.name)}")
    if not any(problem.source in _NEEDED for problem in problems):
        for line in due_lines(app, now):
            print_line(f"    {line}")
    return checked(passed, [*notes(app, readers, now)], problems, as_json)


def checked(passed: list[str], notes: list[str], problems: list[Problem], as_json: bool) -> int:
    """Print the result of ``check``, and return its exit code."""
    if as_json:
        machine = {"version": __version__, "python": platform.python_version(), "platform": platform.platform()}
        print_json({**machine, "ok": passed, "notes": notes, "problems": problems})
    else:
        for note in notes:
            print_note(note, err=False)
        print_problems(problems)
    return 2 if problems else 0


def before_checks(app: App, *, fix: bool) -> Iterator[str]:
    """Yield what ``fix`` repaired, the file of the settings, and what opening the home repaired."""
    if fix:
        yield from repair(app.home)
        if write_schemas(app.home.path):
            yield "wrote the schemas by which editors check settings and profiles"
    yield f"settings in {app.home.settings_file}"
    for path in app.home.repaired:
        yield f"{path}: other users of this machine could read it; now they can't"


def interest_lines(app: App, now: datetime) -> Iterator[str]:
    for slug, profile in app.profiles.items():
        if text := understood(profile.interests_at(now)):
            yield f"{slug}: {text}"
        if ends := [describe_end(entry) for entry in profile.interests_with_end(now, ended=False)]:
            yield f"{slug}: {', '.join(ends)}"


def due_lines(app: App, now: datetime) -> Iterator[str]:
    """Yield what the first readers get next, when and how."""
    try:
        listed = listed_readers(app.store, app.profiles)
        readers = [
            (reader, with_override(profile, app.store.overrides.get(reader.id)))
            for reader, profile in listed[:_READERS_SHOWN]
        ]
        last_days = last_edition_days(app.store, readers, now)
    except PaperbotError:  # reported above
        return
    for reader, own in readers:
        when = day_and_time(own.schedule.next_moment(now, last_days.get(reader.id)), own.language)
        letter = "; on Fridays a letter, too" if own.weekly else ""
        edition = f"next edition of “{own.title}” {when}, by {reader_channel(reader.kind).noun}{letter}"
        yield f"{reader.address}: {reader.stopped_because or edition}"
    if len(listed) > _READERS_SHOWN:
        yield "and more readers. `paperbot status` lists them"


def template_problems(templates: Environment, folder: Path) -> list[Problem]:
    mistakes = [*template_mistakes(templates), *unused_templates(templates, shipped("templates"), folder)]
    return [Problem("templates", mistake) for mistake in mistakes]


def checks(app: App, connect: bool, now: datetime) -> Iterator[tuple[str, list[Problem]]]:
    """Yield each subject with its problems."""
    yield plural(len(app.profiles), "profile"), app.profile_problems
    yield "what the sources ask for", app.home.source_problems
    yield _KEYS, problems_of(_KEYS, lambda: app.signer)
    yield _STORE, problems_of(_STORE, lambda: [Problem(_STORE, fault) for fault in app.store.faults()])
    for source in app.sources:
        # A source without an interval is a folder.
        if connect or not source.poll_interval:
            # peek: mark no mails as read.
            yield f"source {source.name}", problems_of(source.name, partial(retrieved, source, Visit(now, peek=True)))
    yield "state/ is readable by its owner only", app.home.permission_problems()
    yield "templates", template_problems(app.templates, app.home.templates)
    yield "free disk space", app.disk_space.problems()
    if not connect:
        return
    for channel in reader_channels():
        is_file = channel.name in app.file_kinds
        if not is_file or count_readers(app)[channel.name]:
            subject = f"folder for messages by {channel.noun}" if is_file else f"{channel.name} channel"
            yield subject, problems_of(subject, app.routes[channel.name].channels[0].check)


def problems_of(subject: str, action: Callable[[], object]) -> list[Problem]:
    """Return the problems among the results of an action, or the one that it raises."""
    try:
        results = action()
        return [item for item in results if isinstance(item, Problem)] if isinstance(results, Iterable) else []
    except PaperbotError as error:
        return [Problem(subject, str(error))]


def count_readers(app: App) -> Counter[Kind]:
    # Before the first run, only the files have the readers.
    readers = app.store.readers
    number = readers.active_by_kind(app.profiles.keys(), Origin.WEB)
    for slug, profile in app.profiles.items():
        number.update(kind for kind, _ in profile.addresses)
        # A subscriber from the web may be in the file too.
        for reader in readers.at_addresses(slug, [address for _, address in profile.addresses]).values():
            if reader.origin is Origin.WEB and not reader.stopped:
                number[reader.kind] -= 1
    return number


def notes(app: App, readers: Counter[Kind], now: datetime) -> Iterator[str]:
    """Yield what works, and is probably not meant."""
    if not app.profiles and not app.profile_problems:
        yield "there is no profile, so nobody gets an edition; write one, such as profiles/my-topic.toml"
    if not app.sources:
        yield "there is no source, so nothing comes in; `paperbot sources add proposed` adds some that fit"
    if files := " ".join(shlex.quote(str(file)) for file in app.home.open_files()):
        yield f"other users can read addresses, and perhaps a password: `chmod go= {files}`"
    for slug, profile in app.profiles.items():
        yield from _notes_on_profile(app, slug, profile, now)
    by_server = [
        channel for channel in reader_channels() if readers[channel.name] if channel.name not in app.file_kinds
    ]
    # Message files are opened on this machine, where their links work.
    pages = urlsplit(app.public_url)
    is_local = is_loopback(pages.hostname or "")
    if pages.scheme == "http" and not is_local and any(channel.name == "email" for channel in by_server):
        yield (
            "bot.public_url begins with http://: mail programs unsubscribe by https:// only (RFC 8058), and show no "
            "button for it; put the pages behind https://"
        )
    has_mailbox = any(source.votes_login is not None for source in app.home.settings.sources)
    has_thumbs = has_mailbox and all(channel.name == "email" for channel in by_server)
    if by_server and is_local and not has_thumbs:
        yield (
            f"links in messages lead to {app.public_url}, which opens on this machine only: thumbs work nowhere else; "
            "set bot.public_url to an address that readers reach, or add a mailbox that thumbs are mailed to"
        )
    if not app.public_url and readers["email"] and not has_mailbox:
        yield (
            "there are no pages (bot.public_url is empty), and no mailbox: mails have neither thumbs nor a way to "
            'unsubscribe; add a source of kind "mailbox", which reads readers\' replies'
        )
    for channel in by_server:
        yield from channel.notes(app.section(channel))


def _notes_on_profile(app: App, slug: str, profile: Profile, now: datetime) -> Iterator[str]:
    file = f"profiles/{slug}.toml"
    if not profile.addresses and not profile.open:
        yield f"{file} has no readers; add one with `paperbot subscribe {slug} ada@example.org`"
    for entry in profile.interests_with_end(now, ended=True):
        yield f"{file}: {describe_end(entry)} counts no more; remove it, or set a later day"
    yield from (f"{file}: {reason}" for reason in interest_warnings(profile.interests_at(now)))
    if profile.open and profile.group and not profile.allow:
        yield (
            f"{file} is open and a group: people who subscribe on the page see nothing of it until "
            f'`paperbot subscribe {slug} ADDRESS` adds them; or allow their domain: allow = ["uni.example"]'
        )
    if profile.open and profile.allow and not app.home.settings.bot.operator:
        yield (
            f"{file}: subscribers outside `allow` wait for your approval, and no mail tells you; set "
            "bot.operator to your address"
        )
    if profile.interests and not (profile.interests_at(now) or profile.keywords or profile.authors):
        yield f"{file} has nothing left to look for: all its interests have ended"


@click.command("config")
@json_option
@schema_option("settings", "paperbot.toml")
@click.pass_context
def config(ctx: click.Context, as_json: bool) -> None:
    """Show every setting in force, and its origin: the environment, paperbot.toml or the default."""
    home = home_of(ctx)
    settings = effective_settings(home, source_models())
    if as_json:
        print_json({"home": str(home.resolve()), "settings": settings})
        return
    echo(f"home {home.resolve()}")
    rows = table("setting", "value", "from", unbroken=["setting"])
    for setting in settings:
        value = "-" if setting.value is None else json.dumps(setting.value, ensure_ascii=False)
        is_default = setting.origin is SettingOrigin.DEFAULT
        rows.add_row(setting.key, value, setting.variable or setting.origin, style="dim" if is_default else None)
    console().print(rows)
