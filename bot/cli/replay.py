"""``paperbot replay``: past days again, under today's profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, plain, print_json, table, why, working
from bot.domain import Edition, Match, ReasonKind, Vote
from bot.wording import plural

if TYPE_CHECKING:
    from bot.evaluation.replay import Outcomes

_DAY = click.DateTime(["%Y-%m-%d"])


@click.command("replay", short_help="Show what READER would have got on past days.")
@click.argument("reader")
@click.option("--from", "first", type=_DAY, required=True, help="The first day, such as 2025-05-06.")
@click.option("--to", "last", type=_DAY, required=True, help="The last day.")
@now_option
@json_option
@click.pass_context
def command(
    ctx: click.Context, *, reader: str, first: datetime, last: datetime, now: datetime, as_json: bool
) -> None:
    """Compose the editions of past days again: today's profile, but only the papers and thumbs known by then.

    Shows what would have been sent, and what became of it; nothing is stored or sent.

    \b
    Examples:
      paperbot replay reward-models --from 2025-05-05 --to 2025-05-09
      paperbot replay reward-models/ada@example.org --from 2025-05-05 --to 2025-05-09 --json
    """
    from bot.evaluation.replay import outcomes, replay
    from bot.lookup import find_reader

    app = app_of(ctx)
    subscriber, profile = find_reader(app.store, app.profiles, reader)
    results = outcomes(app.store, subscriber)
    editions: list[Edition] = []
    days = replay(
        app.store,
        subscriber,
        profile,
        first.date(),
        last.date(),
        now=now,
        samples=app.home.sample_sources,
    )
    while True:
        # Not one indicator around the loop: each day's table is printed between two of them.
        with working(f"composing past days ({len(editions)} so far)"):
            edition = next(days, None)
        if edition is None:
            break
        editions.append(edition)
        if not as_json:
            # At once: a day takes seconds in a large home.
            print_day(edition, results)
    totals = count_outcomes(editions, results)
    if as_json:
        print_json(
            {
                "reader": subscriber.name,
                "from": first.date(),
                "to": last.date(),
                "days": [day_json(edition, results) for edition in editions],
                "totals": totals,
            }
        )
    elif not editions:
        click.echo("No edition was due on these days; `paperbot profiles` shows the schedule.")
    else:
        click.echo(
            f"{plural(totals['days'], 'day')}, {plural(totals['papers'], 'paper')}. Of these, {totals['sent']} were "
            f"really sent so far; {totals['up']} got a thumb up, {totals['down']} a thumb down."
        )


def day_json(edition: Edition, results: Outcomes) -> dict[str, Any]:
    """Return the documented JSON of one day."""
    from bot.rendering.reasons import sentence

    picks = []
    for pick in edition.picks:
        thumb = results.votes.get(pick.paper.id)
        picks.append(
            {
                "paper": pick.paper.ref,
                "title": pick.paper.title,
                "score": pick.probability,
                "kind": pick.kind,
                "reasons": [
                    {"term": reason.text, "weight": reason.weight, "kind": reason.kind}
                    for reason in pick.reasons
                ],
                "because": next((r.text for r in pick.reasons if r.kind is ReasonKind.LIKED), None),
                "why": sentence(pick.reasons),
                "thumb": {"vote": thumb.vote, "at": thumb.at} if thumb else None,
                "sent": results.sent.get(pick.paper.id),
            }
        )
    return {
        "date": edition.date,
        "at": edition.composed_at,
        "considered": edition.considered,
        "quiet": asdict(edition.quiet) if edition.quiet else None,
        "picks": picks,
    }


def count_outcomes(editions: Sequence[Edition], results: Outcomes) -> dict[str, int]:
    """Return the numbers of days and papers, and of papers that were really sent, liked and disliked."""
    papers = [pick.paper.id for edition in editions for pick in edition.picks]
    votes = [results.votes[paper].vote for paper in papers if paper in results.votes]
    return {
        "days": len(editions),
        "papers": len(papers),
        "sent": sum(paper in results.sent for paper in papers),
        "up": votes.count(Vote.UP),
        "down": votes.count(Vote.DOWN),
    }


def print_day(edition: Edition, results: Outcomes) -> None:
    """Print one day's picks, and for each what the reader did with it, or that it was never sent."""
    from bot.rendering.latex import readable

    title = f"{edition.date:%a %Y-%m-%d}, {plural(edition.considered, 'new paper')}"
    if edition.quiet:
        console().print(plain(f"{title}\n  nothing: {edition.quiet}\n"))
        return
    rows = table("match", "paper", "why", "what became of it")
    for pick in edition.picks:
        sent = results.sent.get(pick.paper.id)
        outcome = f"sent {sent:%b %d}" if sent else "not sent"
        if thumb := results.votes.get(pick.paper.id):
            symbol = "👍" if thumb.vote is Vote.UP else "👎"
            outcome = f"{symbol} {thumb.at:%b %d}, {outcome}"
        match = Match.of(pick.probability)
        rows.add_row(match, plain(readable(pick.paper.title)), plain(why(pick)), outcome)
    click.secho(title, bold=True)
    console().print(rows)
