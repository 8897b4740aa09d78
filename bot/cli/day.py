"""The commands ``run``, ``ingest``, ``preview``, ``send-test``, ``retry`` and ``catch-up``."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot import wording
from bot.app import App
from bot.channels import reader_channel, reader_channels
from bot.cli.options import Day, Number, OneOf, json_option, now_option, pass_app, reader_argument, report_options
from bot.cli.output import (
    console,
    echo,
    print_edition,
    print_json,
    print_note,
    print_problems,
    progress_bar,
    table,
    working,
)
from bot.editions.catch_up import (
    CatchUpRequest,
    checked_since,
    compose_catch_up,
    put_catch_up,
    sent_since,
    skipped_papers,
)
from bot.editions.due import letter_day
from bot.editions.letters import compose_letter
from bot.model import CatchUp, Edition, Problem, Quiet, State
from bot.model.errors import DeliveryError, UsageError
from bot.model.wording import long_date, plural
from bot.operate.ingest import DigestReport, unread
from bot.readers import find_reader, stored_reader
from bot.sources.folder import FilesSource

if TYPE_CHECKING:  # takes long to import
    from bot.operate.day import RunReport

_MAX_AHEAD = timedelta(hours=48)


@click.command("run")
@now_option
@click.option("--force", is_flag=True, help="Make an edition for every reader now, even if none is due.")
@json_option
@pass_app
def run(app: App, now: datetime, force: bool, as_json: bool) -> int:
    """Ingest, then compose and deliver every edition that is due.

    \b
    Examples:
      paperbot run              as cron calls it every few minutes
      paperbot run --force      now, whatever the schedule says
    """
    if not force:
        refuse_far_future(app, now)

    def show(edition: Edition) -> None:
        try:
            if edition.quiet:
                echo(f"{edition.profile_title} → {edition.reader.address}: quiet. {edition.quiet}")
            else:
                print_edition(edition)
        except (BrokenPipeError, SystemExit):  # SystemExit: rich ends a program so
            # As in `paperbot run | head`. Buffered output would fail at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    with progress_bar() as progress:
        report = app.daily_job.run(now, force=force, progress=progress, show=None if as_json else show)
    problems = [*app.profile_problems, *report.problems]
    # The notice takes failed deliveries from the outbox.
    problems += app.notify_operator([*app.profile_problems, *report.source_problems], now)
    if as_json:
        counted = ("editions", "alerts", "delivered", "failed", "unknown", "skipped")
        print_json(
            {
                "digests": len(report.digests),
                "papers": sum(digest.papers for digest in report.digests),
                "new": sum(digest.new for digest in report.digests),
                **{name: getattr(report, name) for name in counted},
                "problems": problems,
            }
        )
    else:
        print_report(app, report, force)
        print_problems(problems)
    return 0 if report.complete and not problems else 1


def refuse_far_future(app: App, now: datetime) -> None:
    """Refuse a mistaken ``--now``, which would take the slots of coming days."""
    # Stored times count too, so a later test can continue after a test with --now.
    stored = [app.store.editions.newest_composed(), app.store.papers.newest_first_seen()]
    times = [time for time in stored if time]
    # An empty store has no slots to lose.
    if times and now > (latest := max(datetime.now(UTC), *times)) + _MAX_AHEAD:
        raise UsageError(
            f"--now is {(now - latest).days} days ahead of the clock and of everything in the store; "
            "correct it, or add --force"
        )


def print_report(app: App, report: RunReport, force: bool) -> None:
    new_papers = sum(digest.new for digest in report.digests)
    parts = [plural(report.editions, "edition")]
    if report.alerts:
        parts.append(plural(report.alerts, "alert"))
    parts.append(f"{plural(report.delivered, 'message')} delivered")
    if report.skipped:
        parts.append(f"{report.skipped} quiet")
    ingested = f"{plural(new_papers, 'new paper')} in {plural(len(report.digests), 'digest')}"
    echo(f"{ingested}; {', '.join(parts)}")
    # Without a reader there is no edition, whether sources fail or not.
    is_explained = set(report.problems) - set(report.source_problems) or app.disk_space.problems()
    if not (report.editions or report.skipped or is_explained) and (reason := reason_for_no_edition(app, force)):
        echo(reason)
    samples = app.home.sample_sources
    if report.skipped and samples and not app.store.sources.has_other(samples):
        echo(
            "So far there are only the sample digests, about reinforcement learning and language models. For your own "
            f"field, name a source in {app.home.settings_file}, such as arXiv's feed of a category (docs/sources.md "
            f"shows how), or copy digests into {app.home.path / 'seeds'}."
        )
    print_replies(app)
    for kind in sorted(report.sent_kinds & app.file_kinds):
        echo(f"{reader_channel(kind).messages} {app.route_description(kind)}.")


def print_replies(app: App) -> None:
    """Print how many thumbs came by mail, and of whom none could be taken."""
    if app.recorded_replies:
        echo(f"{plural(len(app.recorded_replies), 'thumb')} came by mail")
    for sender in dict.fromkeys(app.refused_replies):
        number = plural(app.refused_replies.count(sender), "thumb")
        reason = "its link is too old or not from here, or it came from another address than the edition went to"
        print_note(f"{number} by mail of {sender or 'an unknown sender'} not taken: {reason}")


def reason_for_no_edition(app: App, force: bool) -> str:
    if any(True for profile in app.profiles for _ in app.store.active_readers.all(profile)):
        remedy = "`paperbot status` shows when the next one is. `paperbot run --force` makes one now."
        return "" if force else f"No edition is due now. {remedy}"
    if app.store.readers.first(app.profiles, 1):
        return "No edition was made: all readers have stopped or paused. `paperbot status` shows why."
    if app.profiles:
        command = f"paperbot subscribe {next(iter(app.profiles))} ada@example.org"
        return f"No edition was made: no profile has a reader. Add an address to one, as with `{command}`."
    if app.profile_problems:
        return ""
    return "No edition was made: there is no profile. Write one, such as profiles/my-topic.toml (docs/profiles.md)."


@click.command("ingest")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--again", is_flag=True, help="Also parse digests that exceeded a limit, and mails that could not be read."
)
@report_options
def ingest(app: App, paths: Sequence[Path], now: datetime, again: bool, as_json: bool) -> int:
    """Retrieve digests from the sources or from PATHS, and store the new papers.

    \b
    Example:
      paperbot ingest ~/Downloads/llm-rl-2025-05-06.txt
    """
    sources = [FilesSource(paths)] if paths else app.sources
    with progress_bar() as progress:
        report = app.ingestion.ingest(sources, now, at_once=True, again=again, progress=progress)
    if as_json:
        digests = [asdict(digest) | {"rejected": len(digest.rejected)} for digest in report.digests]
        print_json({"digests": digests, "problems": report.problems})
    else:
        print_digests(report.digests)
        print_replies(app)
        print_problems(report.problems)
    return 1 if report.problems else 0


def print_digests(digests: Sequence[DigestReport]) -> None:
    rows = table("file", "format", "date", ">papers", ">new", ">known", ">rejected")
    for digest in digests:
        counts = (digest.papers, digest.new, digest.known, len(digest.rejected))
        rows.add_row(digest.file, digest.format, str(digest.date or "-"), *map(str, counts))
    console().print(rows)
    new_papers = sum(digest.new for digest in digests)
    echo(f"{plural(len(digests), 'digest')}, {plural(new_papers, 'new paper')}")
    for digest in digests:
        for rejected in digest.rejected:
            echo(f"! {digest.file}: {rejected}", fg="yellow", err=True)


@click.command("preview")
@reader_argument()
@now_option
@click.option(
    "--format",
    "output_format",
    type=OneOf([form for channel in reader_channels() for form in channel.forms]),
    show_default="that of READER's channel",
    help="The form of the message to print.",
)
@click.option("--weekly", is_flag=True, help="The weekly letter instead of the edition.")
@pass_app
def preview(app: App, reader: str, now: datetime, output_format: str | None, weekly: bool) -> None:
    """Print READER's next edition, or weekly letter, as it would be now. Nothing is stored or sent.

    The links back to Paperbot work after READER's first real edition.

    \b
    Example:
      paperbot preview reward-models/ada@example.org --format html > edition.html
    """
    recipient, profile = find_reader(app.store, app.profiles, reader)
    output_format = output_format or reader_channel(recipient.kind).forms[0]
    channel = next(channel for channel in reader_channels() if output_format in channel.forms)
    renderer = app.renderer.of_kind(channel.name)
    for note in channel.notes(app.section(channel)):
        print_note(note)
    if weekly:
        with working("composing the letter"):
            context = app.context(app.profiles)
            letter = compose_letter(context, recipient, profile, letter_day(now, profile), now)
        if letter.is_empty:
            echo("Nothing to write this week, no vote and no missed paper: no letter would be sent.")
        else:
            click.echo(renderer.preview(letter, output_format))
        return
    if recipient.stopped:
        print_note(f"{recipient.name} gets no messages: {recipient.stopped_because}")
    with working("composing the edition"):
        edition = app.composer.edition(recipient, profile, profile.schedule.day_of(now), now)
    if files := unread(app.sources, app.store, now):
        note = f"{plural(len(files), 'file')} not read yet, such as {files[0]}; `paperbot ingest` does"
        print_note(note)
        if edition.quiet and not edition.considered:
            edition = replace(edition, quiet=Quiet(edition.quiet.reason, f"No paper that was read is new; {note}."))
    if edition.quiet and (last := app.store.editions.last_with_picks(recipient.id)):
        print_note(f"No new paper would be sent. {edition.quiet}")
        print_note(f"This is the last edition with papers, of {long_date(last.date)}.")
        edition = replace(
            edition,
            date=last.date,
            composed_at=last.composed_at,
            picks=app.store.editions.picks_of(last.id),
            considered=last.considered,
            quiet=None,
            closest=(),
            more=last.more,
        )
    if app.tldr_writer:
        # Stored TL;DRs only: a request would cost money.
        edition = app.tldr_writer.known(edition)
    click.echo(renderer.preview(edition, output_format))


@click.command("send-test")
@reader_argument()
@now_option
@pass_app
def send_test(app: App, reader: str, now: datetime) -> int:
    """Send READER's last edition, or a sample, now through the configured channel, marked as a test.

    The mail asks for one thumb, which counts. Nothing else does, so you can repeat it.
    """
    # A signed thumb needs a stored reader.
    recipient, profile = stored_reader(app.store, app.profiles, reader, now)
    try:
        with working("sending"):
            report = app.channel_tests.send(recipient, profile, now)
    except DeliveryError as error:
        print_problems([Problem(recipient.name, str(error))])
        return 1
    message = "A sample" if report.is_sample else f"The edition of {long_date(report.edition.date)}"
    echo(f"{message} was sent to {recipient.address} as a test: {'; '.join(report.receipts)}")
    echo(f"{reader_channel(recipient.kind).messages} {app.route_description(recipient.kind)}.")
    if report.edition.request:
        echo("It asks for one thumb. `paperbot status` counts the thumb once it has arrived.")
    return 0


@click.command("retry")
@reader_argument(required=False)
@click.option("--unknown", "state", flag_value=State.UNKNOWN.value, help="Messages that may have arrived already.")
@click.option("--failed", "state", flag_value=State.FAILED.value, help="Messages that were given up.")
@report_options
def retry(app: App, reader: str | None, state: str | None, now: datetime, as_json: bool) -> int:
    """Send messages again, to READER or to all: waiting ones by default, or the option's.

    READER may be a profile, which stands for all of its readers. It tries channels with an open circuit breaker at
    once. A reader with a refused address gets messages again if you name them, or if their message had failed.

    \b
    Examples:
      paperbot retry                                   after the password was corrected
      paperbot retry --unknown reward-models/ada@example.org
    """
    from bot.operate.messages import retry

    readers = None
    if reader in app.profiles:
        readers = app.store.readers.of_profile(reader)
    elif reader:
        readers = [find_reader(app.store, app.profiles, reader)[0]]
    queued = retry(app.store, app.routes, State(state or State.RETRY), readers, now)
    sent = app.dispatcher.deliver_due(now)
    # `paperbot serve` may have sent some meanwhile.
    became = Counter(app.store.outbox.states_of(queued.queued))
    again, delivered = len(queued.queued), max(became[State.SENT], sent.counts[State.SENT])
    if as_json:
        print_json(
            {
                "arrived": queued.arrived,
                "again": again,
                "resumed": queued.resumed,
                "delivered": delivered,
                "failed": became[State.FAILED],
                "unknown": became[State.UNKNOWN],
                "problems": sent.problems,
            }
        )
    else:
        arrived = f"{queued.arrived} had arrived; " if queued.arrived else ""
        resumed = f"{plural(len(queued.resumed), 'reader')} resumed; " if queued.resumed else ""
        echo(f"{arrived}{resumed}{again} tried again; {delivered} delivered")
        print_problems(sent.problems)
    return 1 if sent.problems or became[State.SENT] < again else 0


@click.command("catch-up")
@reader_argument()
@click.option(
    "--since",
    type=Day(),
    help="The first day, such as 2025-05-06  [default: that of the last vote, or after the last edition before a gap].",
)
@click.option(
    "--minutes",
    type=Number(1, 120),
    default=10,
    show_default=True,
    help="The time to read it; at most 20 papers.",
)
@click.option("--preview", is_flag=True, help="Print the edition. Store and send nothing.")
@click.option("--list", "lists", is_flag=True, help="Print the skipped papers, best first. Store and send nothing.")
@report_options
def catch_up(
    app: App,
    *,
    reader: str,
    since: date | None,
    minutes: int,
    preview: bool,
    lists: bool,
    now: datetime,
    as_json: bool,
) -> int:
    """Send READER one edition of the papers since a day: the best, by topic, to read in some minutes.

    It counts as sent, and the next edition starts after it. It leaves out papers that READER voted on, and picks of
    these days if READER has voted since.
    """
    if preview or lists:
        recipient, profile = find_reader(app.store, app.profiles, reader)
    else:
        recipient, profile = stored_reader(app.store, app.profiles, reader, now)
        if recipient.stopped:
            raise UsageError(f"{recipient.name} gets no messages: {recipient.stopped_because}")
    first = checked_since(since, app.store, recipient, profile, now)
    request = CatchUpRequest(recipient, profile, first, minutes=minutes)
    if lists:
        with working("composing the edition"):
            covered = sent_since(app.store, recipient, first) or compose_catch_up(app.composer, request, now).catch_up
        print_skipped(app, covered, profile.language, as_json=as_json)
        return 0
    problems: list[Problem] = []
    with working("composing the edition"):
        if preview:
            edition = compose_catch_up(app.composer, request, now)
        else:
            edition, problems = put_catch_up(app.context(app.profiles), request, now, app.tldr_writer)
    if edition.picks and not preview:
        with working("delivering"):
            problems += app.dispatcher.deliver_due(now).problems
    if as_json:
        print_json({**catch_up_json(edition, is_sent=bool(edition.picks) and not preview), "problems": problems})
    elif preview and edition.picks:
        click.echo(app.renderer.of_kind(recipient.kind).preview(edition, reader_channel(recipient.kind).forms[0]))
    elif edition.picks or not edition.catch_up:
        echo(f"{recipient.name}: {wording.tally(edition)}")
    else:
        arrived = plural(edition.catch_up.arrived, "paper")
        days = wording.catch_up_days(edition.catch_up, profile.language)
        echo(f"{recipient.name}: nothing was sent: {arrived}, {days}, and no unread one comes close enough")
    if not as_json:
        print_problems(problems)
    return 1 if problems else 0


def catch_up_json(edition: Edition, *, is_sent: bool) -> dict[str, Any]:
    covered = edition.catch_up
    picks = {pick.paper.id: pick for pick in edition.picks}
    return {
        "reader": edition.reader.name,
        "since": covered.since.isoformat() if covered else None,
        "until": covered.until.isoformat() if covered else None,
        "sent": is_sent,
        "papers": covered.arrived if covered else 0,
        "good": covered.good if covered else 0,
        "words": wording.word_count(edition) if edition.picks else 0,
        "topics": [
            {
                "topic": group.name,
                "papers": group.papers,
                "picks": [
                    {
                        "paper": picks[paper_id].paper.ref,
                        "title": wording.title(picks[paper_id].paper),
                        "line": wording.news(picks[paper_id]),
                        "match": wording.match(picks[paper_id]),
                        "probability": round(picks[paper_id].probability, 3),
                        "why": wording.why(picks[paper_id]),
                    }
                    for paper_id in group.picks
                ],
            }
            for group in (covered.groups if covered else ())
        ],
    }


def print_skipped(app: App, covered: CatchUp | None, language: str, *, as_json: bool) -> None:
    skipped = skipped_papers(app.store, covered) if covered else []
    if as_json:
        rows = [
            {
                "paper": paper.ref,
                "title": wording.title(paper),
                "match": wording.match_label(probability),
                "probability": probability,
                "date": (paper.published or paper.first_seen.date()).isoformat(),
            }
            for paper, probability in skipped
        ]
        print_json({"skipped": rows, "papers": covered.arrived if covered else 0})
        return
    rows_of_table = table("paper", "match", "date", "title", unbroken=("paper", "match", "date"))
    for paper, probability in skipped:
        day = long_date(paper.published or paper.first_seen.date(), language)
        rows_of_table.add_row(paper.ref, wording.good_match(probability), day, wording.title(paper))
    console().print(rows_of_table)
