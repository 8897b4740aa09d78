"""The command ``catch-up``: the best papers of a longer span in one edition."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from bot.channels.registry import reader_channel
from bot.cli.output import (
    app_of,
    console,
    json_option,
    now_option,
    plain,
    print_json,
    print_problems,
    problems_json,
    table,
    working,
)
from bot.model.errors import UsageError
from bot.model.wording import plural

if TYPE_CHECKING:
    from bot.app import App
    from bot.config.profiles import Profile
    from bot.model import CatchUp, Edition, Problem

_DATE = click.DateTime(["%Y-%m-%d"])
_MINUTES = 10
_MOST_MINUTES = 120


@click.command("catch-up", short_help="Send READER the best of the days that they missed.")
@click.argument("reader")
@click.option(
    "--since",
    type=_DATE,
    metavar="DATE",
    help="The first day, such as 2025-05-06  [default: that of the last vote, or after the last edition before a gap].",
)
@click.option(
    "--minutes",
    type=click.IntRange(1, _MOST_MINUTES),
    default=_MINUTES,
    show_default=True,
    help="The time to read it; at most 20 papers.",
)
@click.option("--preview", is_flag=True, help="Print the edition; nothing is stored or sent.")
@click.option("--list", "lists", is_flag=True, help="Print what is skipped, best first; nothing is stored or sent.")
@now_option
@json_option
@click.pass_context
def catch_up(
    ctx: click.Context,
    *,
    reader: str,
    since: datetime | None,
    minutes: int,
    preview: bool,
    lists: bool,
    now: datetime,
    as_json: bool,
) -> int:
    """Send READER one edition of the papers that arrived since a day: the best, by topic, as many as can be read.

    It counts as sent: the next edition begins after it. Papers that READER voted on are left out, and so are the picks
    of the days, if READER has voted since.

    \b
    Examples:
      paperbot catch-up reward-models --since 2025-05-03
      paperbot catch-up reward-models/ada@example.org --since 2025-05-03 --minutes 5 --preview
      paperbot catch-up reward-models --since 2025-05-03 --list
    """
    from bot.editions.catch_up import CatchUpRequest, checked_since, compose_catch_up, put_catch_up, sent_since
    from bot.readers import find_reader, stored_reader

    app = app_of(ctx)
    if preview or lists:
        recipient, profile = find_reader(app.store, app.profiles, reader)
    else:
        recipient, profile = stored_reader(app.store, app.profiles, reader, now)
        if recipient.stopped:
            raise UsageError(f"{recipient.name} gets no messages: {recipient.stopped_because}")
    first = checked_since(since.date() if since else None, app.store, recipient, profile, now)
    request = CatchUpRequest(recipient, profile, first, minutes=minutes)
    if lists and (sent := sent_since(app.store, recipient, first)):
        _print_skipped(app, sent, profile.language, as_json=as_json)
        return 0
    problems: list[Problem] = []
    with working("composing the edition"):
        if preview or lists:
            edition = compose_catch_up(app.composer, request, now)
        else:
            edition, problems = put_catch_up(app.context(app.profiles), request, now, app.tldr_writer)
    if lists:
        _print_skipped(app, edition.catch_up, profile.language, as_json=as_json)
        return 0
    if edition.picks and not preview:
        with working("delivering"):
            problems += app.dispatcher.deliver_due(now).problems
    if as_json:
        print_json(
            {**_as_json(edition, is_sent=bool(edition.picks) and not preview), "problems": problems_json(problems)}
        )
    elif preview and edition.picks:
        click.echo(app.renderer.of_kind(recipient.kind).preview(edition, reader_channel(recipient.kind).forms[0]))
    else:
        click.echo(f"{recipient.name}: {_outcome(edition, profile)}")
    if not as_json:
        print_problems(problems)
    return 1 if problems else 0


def _outcome(edition: Edition, profile: Profile) -> str:
    from bot.channels.phrases import catch_up_days, tally

    if edition.picks:
        return tally(edition)
    arrived = plural(edition.catch_up.arrived, "paper") if edition.catch_up else "no paper"
    days = catch_up_days(edition.catch_up, profile.language) if edition.catch_up else ""
    return f"nothing was sent: {arrived}, {days}, and none that is unread comes close enough to what you want"


def _as_json(edition: Edition, *, is_sent: bool) -> dict[str, Any]:
    from bot.channels import phrases

    covered = edition.catch_up
    picks = {pick.paper.id: pick for pick in edition.picks}
    return {
        "reader": edition.reader.name,
        "since": covered.since.isoformat() if covered else None,
        "until": covered.until.isoformat() if covered else None,
        "sent": is_sent,
        "papers": covered.arrived if covered else 0,
        "good": covered.good if covered else 0,
        "words": phrases.word_count(edition) if edition.picks else 0,
        "topics": [
            {
                "topic": group.name,
                "papers": group.papers,
                "picks": [
                    {
                        "paper": picks[paper_id].paper.ref,
                        "title": phrases.title(picks[paper_id].paper),
                        "line": phrases.news(picks[paper_id]),
                        "match": phrases.match(picks[paper_id]),
                        "probability": round(picks[paper_id].probability, 3),
                        "why": phrases.why(picks[paper_id]),
                    }
                    for paper_id in group.picks
                ],
            }
            for group in (covered.groups if covered else ())
        ],
    }


def _print_skipped(app: App, covered: CatchUp | None, language: str, *, as_json: bool) -> None:
    """Print what a catch-up edition skips or skipped, best first."""
    from bot.channels.phrases import match_label, title
    from bot.editions.catch_up import skipped_papers
    from bot.model.wording import long_date

    skipped = skipped_papers(app.store, covered) if covered else []
    if as_json:
        rows = [
            {
                "paper": paper.ref,
                "title": title(paper),
                "match": match_label(probability),
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
        rows_of_table.add_row(paper.ref, match_label(probability), day, plain(title(paper)))
    console().print(rows_of_table)
