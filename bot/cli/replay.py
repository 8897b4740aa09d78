"""``paperbot replay``: past days again, under today's profile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, plain, print_json, table, why
from bot.domain import Edition, Pick, Vote
from bot.wording import plural

if TYPE_CHECKING:
    from bot.evaluation.replay import LaterEvents

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
    from bot.evaluation.replay import later_events, replay
    from bot.lookup import find_reader

    app = app_of(ctx)
    found, profile = find_reader(app.store, app.profiles, reader)
    editions = replay(app.store, found, profile, first.date(), last.date(), now=now)
    since_then = later_events(app.store, found)
    if as_json:
        days = list(editions)
        head = {"reader": found.name, "from": first.date(), "to": last.date()}
        print_json(
            {**head, "days": [_json(one, since_then) for one in days], "totals": _totals(days, since_then)}
        )
    else:
        _print(editions, since_then)


def _json(edition: Edition, since_then: LaterEvents) -> dict[str, Any]:
    return {
        "date": edition.date,
        "at": edition.composed_at,
        "considered": edition.considered,
        "quiet": asdict(edition.quiet) if edition.quiet else None,
        "picks": [_pick_json(pick, since_then) for pick in edition.picks],
    }


def _pick_json(pick: Pick, since_then: LaterEvents) -> dict[str, Any]:
    thumb, sent = since_then.thumbs.get(pick.paper.id), since_then.sent.get(pick.paper.id)
    return {
        "paper": pick.paper.ref,
        "title": pick.paper.title,
        "score": pick.probability,
        "kind": pick.kind,
        "reasons": [{"term": r.term, "weight": r.weight} for r in pick.reasons],
        "because": pick.because,
        "thumb": {"vote": thumb.vote, "at": thumb.at} if thumb else None,
        "sent": sent,
    }


def _totals(editions: Iterable[Edition], since_then: LaterEvents) -> dict[str, int]:
    """How many days and papers, and of these how many the reader has really got, liked and disliked."""
    days = list(editions)
    papers = [pick.paper.id for edition in days for pick in edition.picks]
    votes = [since_then.thumbs[paper].vote for paper in papers if paper in since_then.thumbs]
    return {
        "days": len(days),
        "papers": len(papers),
        "sent": sum(paper in since_then.sent for paper in papers),
        "up": votes.count(Vote.UP),
        "down": votes.count(Vote.DOWN),
    }


def _print(editions: Iterable[Edition], since_then: LaterEvents) -> None:
    """Each day as soon as it is composed, and the sum."""
    shown = []
    for edition in editions:
        shown.append(edition)
        _print_day(edition, since_then)
    if not shown:
        click.echo("No edition was due on these days; `paperbot profiles` shows the schedule.")
        return
    sums = _totals(shown, since_then)
    click.echo(
        f"{plural(sums['days'], 'day')}, {plural(sums['papers'], 'paper')}. Of these, {sums['sent']} were really sent "
        f"so far; {sums['up']} got a thumb up, {sums['down']} a thumb down."
    )


def _print_day(edition: Edition, since_then: LaterEvents) -> None:
    from bot.rendering import phrases
    from bot.rendering.latex import readable

    title = f"{edition.date:%a %Y-%m-%d}, {plural(edition.considered, 'new paper')}"
    if edition.quiet:
        console().print(plain(f"{title}\n  nothing: {edition.quiet}\n"))
        return
    made = table(">match", "paper", "why", "became of it")
    for pick in edition.picks:
        became = plain(_became(pick, since_then))
        made.add_row(
            phrases.percent(pick.probability), plain(readable(pick.paper.title)), plain(why(pick)), became
        )
    click.secho(title, bold=True)
    console().print(made)


def _became(pick: Pick, since_then: LaterEvents) -> str:
    """What the reader did with a pick, or that it was never sent."""
    thumb, sent = since_then.thumbs.get(pick.paper.id), since_then.sent.get(pick.paper.id)
    said = (
        f"👍 {thumb.at:%b %d}" if thumb and thumb.vote is Vote.UP else f"👎 {thumb.at:%b %d}" if thumb else ""
    )
    got = f"sent {sent:%b %d}" if sent else "not sent"
    return f"{said}, {got}" if said else got
