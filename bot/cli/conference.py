"""The command ``conference``."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import IO

import click

from bot.app import App
from bot.cli import plans
from bot.cli.options import Number, OneOf, name_of, reader_argument, report_options, valid
from bot.cli.output import print_json, print_note, print_problems, working
from bot.cli.time_zones import time_zone
from bot.formats.library import MAX_BYTES
from bot.model import Problem, RawDigest
from bot.model.errors import UsageError
from bot.model.wording import plural
from bot.operate.conference import Plan
from bot.readers import stored_reader

_FORMATS = ("text", "markdown", "html", "ics")
_BY_SUFFIX = {".txt": "text", ".md": "markdown", ".html": "html", ".htm": "html", ".ics": "ics"}


@click.command("conference")
@click.argument("file", type=click.File("rb"))
@reader_argument()
@click.option("--top", type=Number(1, 1_000), default=20, show_default=True, help="How many papers, at least.")
@click.option("--format", "form", type=OneOf(_FORMATS), help="The form of the plan  [default: by FILE, or text].")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"Write the plan to FILE. Its suffix sets the form: {', '.join(_BY_SUFFIX)}.",
    metavar="FILE",
)
@click.option("--title", default="", help="The event's name  [default: by FILE's name, such as ICLR 2026].")
@click.option(
    "--timezone",
    callback=valid(time_zone),
    help="For times without a zone, such as Europe/Vienna or Vienna  [default: the profile's].",
)
@report_options
def conference(
    app: App,
    *,
    file: IO[bytes],
    reader: str,
    top: int,
    form: str | None,
    output: Path | None,
    title: str,
    timezone: str | None,
    now: datetime,
    as_json: bool,
) -> int:
    """Rank the programme in FILE for READER, and print a plan by day and slot. The file - is standard input.

    FILE is CSV, JSON of OpenReview, papercopilot or a conference's site, BibTeX, RIS or ICS. A CSV file starts with a
    line of column names, in any order: title, abstract, authors, date, start, end, room, session, type, url.

    The plan has the best papers, and the best one of each slot. It marks the worse match of two at the same time, and
    papers that READER was sent or voted on. READER can vote on its papers, which appear in no edition.

    \b
    Examples:
      paperbot conference iclr2026.json reward-models
      paperbot conference programme.csv reward-models --timezone Europe/Vienna --output plan.html
    """
    form = form or (_BY_SUFFIX.get(output.suffix.lower()) if output else "text")
    if form is None:
        raise click.UsageError(f"{output} has none of the suffixes {', '.join(_BY_SUFFIX)}; or name a --format")
    recipient, profile = stored_reader(app.store, app.profiles, reader, now)
    name = name_of(file, "programme")
    # One byte over the limit, so a larger file is refused.
    raw = RawDigest("conference", name, file.read(MAX_BYTES + 1))
    with working("ranking the programme"):
        plan = app.conference_planner.plan(raw, recipient, profile, now, top=top, timezone=timezone or "", title=title)
    problems = [Problem(name, problem) for problem in plan.problems]
    if as_json:
        print_json({**plans.as_json(plan), "problems": problems})
    text = "" if as_json and not output else rendered(app, plan, form, now)
    if output:
        try:
            # newline: a calendar's lines already end in CRLF.
            output.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise UsageError(f"{output}: cannot be written ({error.strerror})") from error
    if not as_json:
        click.echo(f"{plans.tally(plan)}: the plan is in {output}\n" if output else text, nl=False)
        print_problems(problems)
    return 1 if problems else 0


def rendered(app: App, plan: Plan, form: str, now: datetime) -> str:
    if form == "markdown":
        return plans.as_markdown(plan, app.links(plan.reader))
    if form == "html":
        return plans.as_page(plan, app.templates, app.links(plan.reader))
    if form == "ics":
        if dayless := sum(item.place.day is None for item in plan.items):
            print_note(f"{plural(dayless, 'paper')} of the plan without a day: not in the calendar")
        return plans.as_calendar(plan, now)
    return plans.as_text(plan)
