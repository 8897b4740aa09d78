"""The commands ``check``, ``status``, ``sources``, ``serve``, ``worker``, ``mcp``, ``config`` and ``completion``."""

from __future__ import annotations

import json
import os
import platform
import shlex
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
from click.shell_completion import get_completion_class

from bot import __version__
from bot.channels import address_checks, reader_channel, reader_channels
from bot.cli.output import (
    Commands,
    app_of,
    console,
    echo,
    home_of,
    json_option,
    now_option,
    pass_app,
    plain,
    print_json,
    print_problems,
    report_options,
    schema_option,
    table,
)
from bot.config.files import shipped
from bot.model import Kind, Origin, Problem, RawDigest
from bot.model.addresses import is_loopback
from bot.model.clock import next_moment, zone_named
from bot.model.errors import ConfigError, DigestError, PaperbotError, QueueError, UsageError
from bot.model.wording import duration, long_date, plural
from bot.worker import TASKS

if TYPE_CHECKING:
    from jinja2 import Environment

    from bot.app import App
    from bot.config.profiles import Profile
    from bot.operate.status import Load, Status


_TITLES_SHOWN = 5
_READERS_SHOWN = 5
_CHANNELS = ", ".join(channel.noun for channel in reader_channels())


@click.command("check", short_help="Check settings, profiles, templates, store.")
@click.option(
    "--connect",
    is_flag=True,
    help=f"Also log in where messages go ({_CHANNELS}), and query the sources. Nothing is stored.",
)
@click.option(
    "--fix",
    is_flag=True,
    help="First create missing folders, and replace missing or useless keys.",
)
@json_option
@click.pass_context
def check(ctx: click.Context, connect: bool, fix: bool, as_json: bool) -> int:
    """Check settings, profiles, sources, templates and the store.

    This command always corrects the permissions of state/, and lists the corrections.

    \b
    Examples:
      paperbot check
      paperbot check --connect
      paperbot check --fix
      paperbot check --json      for a report of a mistake in Paperbot
    """
    from bot.channels.templates import environment
    from bot.config.home import problems_beside_settings, repair, write_schemas
    from bot.sources import source_models

    try:
        app = app_of(ctx)
    except ConfigError as error:
        # List all other problems too, so you can correct them at once.
        home = home_of(ctx)
        templates = template_problems(environment(shipped("templates"), home / "templates"), home / "templates")
        others = problems_beside_settings(home, source_models(), address_checks())
        return _checked([], [], [*error.problems, *others, *templates], as_json)
    passed: list[str] = []

    def print_line(line: str) -> None:
        if not as_json:
            echo(line)

    def ok(subject: str) -> None:
        passed.append(subject)
        print_line(f"ok  {subject}")

    if fix:
        for repaired in repair(app.home):
            ok(repaired)
        if write_schemas(app.home.path):
            ok("wrote the schemas by which editors check settings and profiles")
    ok(f"settings in {app.home.settings_file}")
    for path in app.home.repaired:
        ok(f"{path}: other users of this machine could read it; now they can't")
    problems: list[Problem] = []
    now = datetime.now(UTC)
    for subject, subject_problems in checks(app, connect, now):
        problems += subject_problems
        if not subject_problems:
            ok(subject)
    for line in interest_lines(app, now):
        print_line(f"    {line}")
    # An unusable store is reported below.
    readers = Counter() if _attempt("store", lambda: app.store) else _count_readers(app)
    for channel in reader_channels():
        if readers[channel.name] or channel.name not in app.file_kinds:
            number = plural(readers[channel.name], "reader")
            print_line(f"    {number} by {channel.noun}: messages {app.route_description(channel.name)}")
    if not any(problem.source == "store" for problem in problems):
        for line in due_lines(app, now):
            print_line(f"    {line}")
    return _checked(passed, [*notes(app, readers, now)], problems, as_json)


def interest_lines(app: App, now: datetime) -> Iterator[str]:
    from bot.config.profiles import describe_end
    from bot.wording import understood

    for slug, profile in app.profiles.items():
        if text := understood(profile.interests_at(now)):
            yield f"{slug}: {text}"
        if ends := [describe_end(entry) for entry in profile.interests_with_end(now, ended=False)]:
            yield f"{slug}: {', '.join(ends)}"


def due_lines(app: App, now: datetime) -> Iterator[str]:
    """Yield what the first readers get next, when and how."""
    from bot.config.profiles import with_override
    from bot.operate.status import listed_readers

    try:
        listed = listed_readers(app.store, app.profiles)
        overrides = [app.store.overrides.get(reader.id) for reader, _ in listed[:_READERS_SHOWN]]
    except PaperbotError:  # reported above
        return
    for (reader, profile), override in zip(listed, overrides, strict=False):
        own = with_override(profile, override)
        schedule = own.schedule
        due = next_moment(schedule.at, schedule.days, schedule.timezone, now).astimezone(zone_named(schedule.timezone))
        city = schedule.timezone.rpartition("/")[2].replace("_", " ")
        when = f"{due:%A} {long_date(due.date(), own.language)}, {due:%H:%M} {city}"
        letter = "; on Fridays a letter, too" if own.weekly else ""
        edition = f"next edition of “{own.title}” {when}, by {reader_channel(reader.kind).noun}{letter}"
        yield f"{reader.address}: {reader.stopped_because or edition}"
    if len(listed) > _READERS_SHOWN:
        yield "and more readers. `paperbot status` lists them"


def _checked(passed: list[str], notes: list[str], problems: list[Problem], as_json: bool) -> int:
    if as_json:
        machine = {"version": __version__, "python": platform.python_version(), "platform": platform.platform()}
        print_json({**machine, "ok": passed, "notes": notes, "problems": problems})
    else:
        for note in notes:
            echo(f"?   {note}", fg="yellow")
        print_problems(problems)
    return 2 if problems else 0


def template_problems(templates: Environment, folder: Path) -> list[Problem]:
    from bot.channels.templates import template_mistakes, unused_templates

    mistakes = [*template_mistakes(templates), *unused_templates(templates, shipped("templates"), folder)]
    return [Problem("templates", mistake) for mistake in mistakes]


def checks(app: App, connect: bool, now: datetime) -> Iterator[tuple[str, list[Problem]]]:
    from bot.operate.ingest import retrieved
    from bot.sources import Visit

    yield plural(len(app.profiles), "profile"), app.profile_problems
    yield "what the sources ask for", app.home.source_problems
    for source in app.sources:
        # A source without an interval is a folder, and needs no network.
        if connect or not source.poll_interval:
            try:
                # peek: mark no mails as read, and store no state.
                items = list(retrieved(source, Visit(now, peek=True)))
            except PaperbotError as error:
                items = [Problem(source.name, str(error))]
            yield f"source {source.name}", [item for item in items if isinstance(item, Problem)]
    yield "signing keys", _attempt("signing keys", lambda: app.signer)
    yield "state/ is readable by its owner only", app.home.permission_problems()
    yield "templates", template_problems(app.templates, app.home.templates)
    try:
        store_problems = [Problem("store", fault) for fault in app.store.faults()]
    except PaperbotError as error:
        store_problems = [Problem("store", str(error))]
    yield "store", store_problems
    yield "free disk space", app.disk_space.problems()
    if not connect:
        return
    for channel in reader_channels():
        check = app.routes[channel.name].channels[0].check
        if channel.name not in app.file_kinds:
            yield f"{channel.name} channel", _attempt(f"{channel.name} channel", check)
        elif _count_readers(app)[channel.name]:
            folder = f"folder for messages by {channel.noun}"
            yield folder, _attempt(folder, check)


def _attempt(subject: str, action: Callable[[], object]) -> list[Problem]:
    try:
        action()
    except PaperbotError as error:
        return [Problem(subject, str(error))]
    return []


def _count_readers(app: App) -> Counter[Kind]:
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


def _notes_on_subscribers(slug: str, profile: Profile, *, has_operator: bool) -> Iterator[str]:
    if profile.group and not profile.allow:
        yield (
            f"profiles/{slug}.toml is open and a group: people who subscribe on the page see nothing of it until "
            f'`paperbot subscribe {slug} ADDRESS` adds them; or allow their domain: allow = ["uni.example"]'
        )
    if profile.allow and not has_operator:
        yield (
            f"profiles/{slug}.toml: subscribers outside `allow` wait for your approval, and no mail tells you; set "
            "bot.operator to your address"
        )


def notes(app: App, readers: Counter[Kind], now: datetime) -> Iterator[str]:
    from bot.config.profiles import describe_end
    from bot.wording import unmatched

    if not app.profiles and not app.profile_problems:
        yield "there is no profile, so nobody gets an edition; write one, such as profiles/my-topic.toml"
    if not app.sources:
        yield "there is no source, so nothing comes in; add [[sources]] to paperbot.toml"
    if files := " ".join(shlex.quote(str(file)) for file in app.home.open_files()):
        yield f"other users can read addresses, and perhaps a password: `chmod go= {files}`"
    for slug, profile in app.profiles.items():
        if not profile.addresses and not profile.open:
            yield f"profiles/{slug}.toml has no readers; add one with `paperbot subscribe {slug} ada@example.org`"
        for entry in profile.interests_with_end(now, ended=True):
            yield f"profiles/{slug}.toml: {describe_end(entry)} counts no more; remove it, or set a later day"
        yield from (f"profiles/{slug}.toml: {reason}" for reason in unmatched(profile.interests_at(now)))
        if profile.open:
            yield from _notes_on_subscribers(slug, profile, has_operator=bool(app.home.settings.bot.operator))
        if profile.interests and not (profile.interests_at(now) or profile.keywords or profile.authors):
            yield f"profiles/{slug}.toml has nothing left to look for: all its interests have ended"
    by_server = [
        channel for channel in reader_channels() if readers[channel.name] and channel.name not in app.file_kinds
    ]
    # Message files are opened on this machine, where their links work.
    pages = urlsplit(app.public_url)
    if pages.scheme == "http" and not is_loopback(pages.hostname or "") and any(c.name == "email" for c in by_server):
        yield (
            "bot.public_url begins with http://: mail programs unsubscribe by https:// only (RFC 8058), and show no "
            "button for it; put the pages behind https://"
        )
    has_mailbox = any(source.votes_login is not None for source in app.home.settings.sources)
    has_thumbs = has_mailbox and all(channel.name == "email" for channel in by_server)
    if by_server and is_loopback(pages.hostname or "") and not has_thumbs:
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


@click.command("status", short_help="Show sources, readers, outbox and problems.")
@report_options
def status(app: App, now: datetime, as_json: bool) -> int:
    """Show sources, readers, outbox and problems."""
    from bot.operate.status import status

    queue, queue_problems = queue_depths(app)
    problems = [*app.standing_problems(now), *queue_problems]
    current = status(app.store, app.sources, app.profiles, problems, now, queue=queue)
    if as_json:
        print_json(current)
    else:
        print_status(current)
        print_problems(current.problems)
    # 1 with any problem, so monitoring needs the exit code only.
    return 1 if current.problems else 0


def queue_depths(app: App) -> tuple[dict[str, int], list[Problem]]:
    settings = app.home.settings.queue
    if not settings.url:
        return {}, []
    try:
        from bot.worker.tasks import TaskQueue
    except ModuleNotFoundError:
        return {}, [Problem("queue", "needs Celery: in Paperbot's checkout, pip install '.[queue]'")]
    try:
        with closing(TaskQueue(settings.url, settings.name)) as queue:
            return queue.depths(), []
    except QueueError as error:
        return {}, [Problem("queue", str(error))]


def print_status(status: Status) -> None:
    sources = table("source", "state", "last new digest", "newest digest", ">digests", ">papers")
    for source in status.sources:
        seen = f"{source.last_seen:%Y-%m-%d %H:%M} UTC" if source.last_seen else "never"
        cells = [seen, str(source.latest_digest or "-"), str(source.digests), str(source.papers)]
        if not source.delivers_papers:
            read = f"read {source.last_checked:%Y-%m-%d %H:%M} UTC" if source.last_checked else "not read yet"
            cells = [read, "-", "-", "-" if source.votes is None else plural(source.votes, "vote")]
        sources.add_row(source.name, source.health, *cells)
    readers = table("reader", "thumbs", "last edition", "next due", unbroken=("reader",))
    for reader in status.readers:
        thumbs = f"{reader.thumbs_up} up, {reader.thumbs_down} down"
        if reader.last_edition is None:
            last_edition = "none yet"
        elif reader.quiet:
            last_edition = f"{reader.last_edition}, quiet: {reader.quiet}"
        else:
            # An edition for Slack may have several messages. Each state appears once.
            states = ", ".join(dict.fromkeys(reader.last_states))
            last_edition = f"{reader.last_edition}, {plural(reader.last_picks, 'paper')}, {states}"
        due = reader.stopped or f"{reader.next_due:%a %Y-%m-%d %H:%M} UTC"
        readers.add_row(reader.reader, thumbs, last_edition, due)
    console().print(sources, readers)
    if status.readers_left_out:
        echo(f"and {plural(status.readers_left_out, 'more reader')}")
    outbox = ", ".join(f"{number} {state}" for state, number in status.outbox.items() if number) or "empty"
    echo(f"{plural(status.papers, 'paper')} in the store; outbox: {outbox}")
    for line in load_lines(status.load):
        echo(line)
    if status.bounces:
        echo("came back: " + ", ".join(f"{number} {kind}" for kind, number in status.bounces.items()))
    for reader in status.readers:
        if reader.late:
            last = f"{reader.last_sent:%Y-%m-%d %H:%M} UTC" if reader.last_sent else "never"
            echo(f"late: {reader.reader} (last message: {last}): {reader.late}", fg="yellow")


def load_lines(load: Load) -> list[str]:
    lines = []
    if load.queue:
        lines.append("queue: " + ", ".join(f"{number} {task}" for task, number in load.queue.items()))
    if load.oldest_due_seconds:
        lines.append(f"the oldest due edition has waited {duration(load.oldest_due_seconds)}")
    if load.oldest_unsent_seconds:
        lines.append(f"the oldest unsent message has waited {duration(load.oldest_unsent_seconds)}")
    if load.claimed_until:
        held = f"{plural(load.claims, 'message')} held by workers until {load.claimed_until:%H:%M} UTC at most"
        lines.append(f"{held}. If a worker died, its unsent messages are then due again, or unknown")
    if load.expired_claims:
        lines.append(f"{plural(load.expired_claims, 'message')} of workers that died")
    lines += [
        f"{rate.kind}: {rate.used_today} sent today under the limit, at {rate.share:.0%} of the rate"
        for rate in load.rates
    ]
    return lines


@click.group("sources", cls=Commands, invoke_without_command=True, short_help="List sources; test one; import feeds.")
@now_option
@json_option
@click.pass_context
def sources(ctx: click.Context, now: datetime, as_json: bool) -> int:
    """List the sources and their health, test one, or import many feeds.

    \b
    Examples:
      paperbot sources
      paperbot sources test arxiv-ai
      paperbot sources import feeds.opml
    """
    # click also calls the group before its subcommand.
    if ctx.invoked_subcommand:
        return 0
    from bot.operate.status import sources_status

    app = app_of(ctx)
    statuses = sources_status(app.store, app.sources, now)
    if as_json:
        print_json({"sources": statuses})
    else:
        rows = table("source", "kind", "state", "last checked", "newest digest", ">papers", ">usual a day")
        for status in statuses:
            checked = f"{status.last_checked:%Y-%m-%d %H:%M}" if status.last_checked else "never"
            usual = f"{status.usual:.0f}" if status.usual is not None else "-"
            state = plain(f"{status.health}: {status.detail}" if status.detail else status.health)
            newest = str(status.latest_digest or "-")
            rows.add_row(status.name, status.kind, state, checked, newest, str(status.papers), usual)
        console().print(rows)
    return 1 if any(status.trouble for status in statuses) else 0


@sources.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@pass_app
def import_feeds(app: App, file: Path) -> int:
    """Add the feeds of an OPML FILE, which feed readers export, to paperbot.toml. Skips known feeds."""
    try:
        listed = app.parser.parse_feeds(RawDigest("", file.name, file.read_bytes()))
    except DigestError as error:
        raise UsageError(f"{file}: {error}") from None
    if not listed.feeds:
        raise UsageError(f"{file}: no feed can be added; {listed.problems[0]}")
    added = app.home.add_feeds({feed.url: feed.title for feed in listed.feeds})
    for name in added:
        echo(f"added {name}")
    echo(f"{plural(len(added), 'feed')} added. `paperbot sources test NAME` shows a source's papers")
    print_problems([Problem(str(file), problem) for problem in listed.problems])
    return 1 if listed.problems else 0


@sources.command("test")
@click.argument("name")
@now_option
@pass_app
def test(app: App, name: str, now: datetime) -> int:
    """Query the source NAME and show its digests. Nothing is stored, and no mail is marked as read."""
    from bot.operate.ingest import peek

    source = next((source for source in app.sources if source.name == name), None)
    if source is None:
        names = ", ".join(source.name for source in app.sources)
        raise UsageError(f"no source {name!r}; known sources: {names or 'none'}")
    problems: list[Problem] = []
    for outcome in peek(source, app.parser, now):
        if isinstance(outcome, Problem):
            problems.append(outcome)
            continue
        file, digest = outcome
        echo(f"{file}: {digest.format}, {digest.topic or '-'}, {digest.date or 'no date'}")
        echo(f"  {plural(len(digest.entries), 'paper')}, {len(digest.rejected)} rejected")
        for entry in digest.entries[:_TITLES_SHOWN]:
            echo(f"  - {entry.title} ({entry.arxiv_id or entry.doi or entry.url or 'no link'})")
        if len(digest.entries) > _TITLES_SHOWN:
            echo(f"  ... and {len(digest.entries) - _TITLES_SHOWN} more")
        for rejected in digest.rejected:
            echo(f"! {file}: {rejected}", fg="yellow", err=True)
    print_problems(problems)
    return 1 if problems else 0


@click.command("serve", short_help="Run the schedule, and serve the pages.")
# Loopback by default: a reverse proxy provides TLS.
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port to listen on.")
@click.option("--no-web", is_flag=True, help="Run the schedule without the pages.")
@click.pass_context
def serve(ctx: click.Context, host: str, port: int, no_web: bool) -> None:
    """Run the schedule every minute, and serve the pages behind the links in messages.

    \b
    Example:
      paperbot serve --port 8000
    """
    from bot.app import open_app
    from bot.serve import listen, serve

    home = home_of(ctx)
    with open_app(home) as app:
        print_problems(app.profile_problems)
        # Report an unusable store before anything starts.
        app.store.papers.newest_id()
        public_url = app.public_url
    if no_web or not public_url:
        echo(f"Paperbot runs the schedule of {home.resolve()} (stop with Ctrl-C)")
        serve(home, None)
        return
    # Before the scheduler starts: a port in use is exit code 2.
    with listen(host, port) as listener:
        # Port 0 is any free port.
        port = listener.getsockname()[1]
        echo(f"Paperbot serves {home.resolve()} at http://{host}:{port} (stop with Ctrl-C)")
        if warning := unreachable_pages(public_url, host, port):
            echo(f"? {warning}", fg="yellow", err=True)
        serve(home, listener)


def unreachable_pages(public_url: str, host: str, port: int) -> str:
    """Return why links in messages don't reach pages at this host and port, or an empty string.

    An https address is a proxy's, whose port may be another.

    >>> unreachable_pages("http://localhost:8000", "127.0.0.1", 8000)
    ''
    """
    address = urlsplit(public_url)
    if address.scheme != "http":
        return ""
    named = address.port or 80
    if named != port:
        remedy = f"add --port {named}, or set bot.public_url to the address with port {port}"
        return f"links in messages lead to {public_url}, and the pages are at port {port}: {remedy}"
    if is_loopback(host) and not is_loopback(address.hostname or ""):
        remedy = "add --host 0.0.0.0, or let a proxy forward it"
        return f"links in messages lead to {public_url}, and the pages are reachable on this machine only: {remedy}"
    return ""


def queue_names(_ctx: click.Context, _param: click.Parameter, value: str) -> list[str]:
    names = [name.strip() for name in value.split(",")]
    if unknown := [name for name in names if name not in TASKS]:
        raise click.BadParameter(f"{unknown[0]!r} is not a queue; known queues: {', '.join(TASKS)}")
    return names


@click.command("worker", short_help="Take tasks from the queue.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1_000),
    default=lambda: os.cpu_count() or 1,
    show_default="processors",
    help="Processes side by side.",
)
@click.option(
    "--queues",
    default=",".join(TASKS),
    show_default=True,
    callback=queue_names,
    help="Kinds of tasks to take, with commas.",
)
@click.pass_context
def worker(ctx: click.Context, concurrency: int, queues: list[str]) -> int:
    """Ingest, compose and deliver what `paperbot serve` enqueues, on any number of machines.

    \b
    Examples:
      paperbot worker
      paperbot worker --concurrency 4 --queues compose,deliver
    """
    from bot.app import open_app

    home = home_of(ctx)
    with open_app(home) as app:
        queue = app.home.settings.queue
        if not queue.url:
            raise UsageError("a worker needs a broker: set queue.url in paperbot.toml, such as amqp://localhost")
        # Report an unusable store before anything starts.
        app.store.papers.newest_id()
    try:
        from bot.worker.tasks import run_worker
    except ModuleNotFoundError as error:
        raise UsageError("a worker needs Celery: in Paperbot's checkout, pip install '.[queue]'") from error
    from bot.serve import log_to_stderr

    log_to_stderr()
    # It warns of root workers that unpickle messages. Ours read JSON only.
    warnings.filterwarnings("ignore", module="celery.platforms")
    echo(f"Paperbot works for {home.resolve()}: {', '.join(queues)} (stop with Ctrl-C)")
    return run_worker(home, queue.url, queue.name, concurrency=concurrency, queues=queues)


@click.command("mcp", short_help="Serve READER's papers to an assistant, over stdio.")
@click.argument("reader")
@click.option("--votes", is_flag=True, help="Also let the program vote for READER; by default it only reads.")
@pass_app
def mcp(app: App, reader: str, votes: bool) -> None:
    """Serve READER's picks, reasons and search by the Model Context Protocol, until standard input ends.

    The program that asks starts it. It uses no network, and shows no address.

    \b
    Examples:
      paperbot --home ~/papers mcp reward-models
      paperbot --home ~/papers mcp reward-models/ada@example.org --votes
    """
    try:
        from bot.cli.mcp_server import run
    except ModuleNotFoundError as error:
        raise UsageError("mcp needs an extra: in Paperbot's checkout, pip install '.[mcp]'") from error
    run(app, reader, votes=votes)


@click.command("config", short_help="Show every setting in force, and where it comes from.")
@json_option
@schema_option("settings", "paperbot.toml")
@click.pass_context
def config(ctx: click.Context, as_json: bool) -> None:
    """Show every setting in force, and its origin: the environment, paperbot.toml or the default.

    Secrets and passwords are masked. Nothing is created or changed.

    \b
    Examples:
      paperbot config
      paperbot config --json
      paperbot config --schema > settings.json
    """
    from bot.config.home import SettingOrigin, effective_settings
    from bot.sources import source_models

    home = home_of(ctx)
    settings = effective_settings(home, source_models())
    if as_json:
        print_json({"home": str(home.resolve()), "settings": settings})
        return
    echo(f"home {home.resolve()}")
    rows = table("setting", "value", "from", unbroken=["setting"])
    for setting in settings:
        # As in the file: texts in quotes, and a dash for no value.
        value = "-" if setting.value is None else json.dumps(setting.value, ensure_ascii=False)
        is_default = setting.origin is SettingOrigin.DEFAULT
        rows.add_row(setting.key, plain(value), setting.variable or setting.origin, style="dim" if is_default else None)
    console().print(rows)


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script with which SHELL completes paperbot's commands and options.

    \b
    Examples:
      paperbot completion bash >> ~/.bashrc
      paperbot completion zsh >> ~/.zshrc
      paperbot completion fish > ~/.config/fish/completions/paperbot.fish
    """
    completion = get_completion_class(shell)
    assert completion is not None  # noqa: S101 - click has a class for each of the three
    if shell == "zsh":
        # compdef needs compinit, which a plain .zshrc may not have called.
        click.echo("(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }")
    click.echo(completion(ctx.find_root().command, {}, "paperbot", "_PAPERBOT_COMPLETE").source())
