"""``paperbot why``: a score, word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, plain, print_json, table

if TYPE_CHECKING:
    from datetime import datetime

    from bot.domain import Paper, Score

_SHOWN = 12


@click.command("why", short_help="Explain the score of PAPER for READER.")
@click.argument("reader")
@click.argument("paper")
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, reader: str, paper: str, now: datetime, as_json: bool) -> None:
    """Show how PAPER scores for READER, and which words make the score.

    The weights are log-odds: together with the rest they add up to the score's own.

    \b
    Examples:
      paperbot why reward-models p17
      paperbot why reward-models/ada@example.org "TTRL" --json
    """
    from bot.lookup import find_paper, find_reader

    app = app_of(ctx)
    found, profile = find_reader(app.store, app.profiles, reader)
    asked = find_paper(app.store, paper)
    score = app.editor.score(found, profile, asked, now)
    liked = app.store.papers.get([score.because]) if score.because is not None else {}
    if as_json:
        print_json(_json(score, asked, list(liked.values())))
    else:
        _print(score, asked, list(liked.values()))


def _json(score: Score, paper: Paper, because: list[Paper]) -> dict[str, object]:
    return {
        "paper": paper.ref,
        "title": paper.title,
        "score": score.probability,
        "log_odds": score.log_odds,
        "reasons": [{"term": r.term, "weight": r.weight, "kind": r.kind} for r in score.reasons],
        "rest": score.rest,
        "because": [{"paper": liked.ref, "title": liked.title} for liked in because],
        "followed": score.followed,
        "muted": score.muted,
    }


def _print(score: Score, paper: Paper, because: list[Paper]) -> None:
    from bot.rendering import phrases
    from bot.rendering.latex import readable

    click.echo(f"{paper.ref} {readable(paper.title)}")
    click.echo(f"{phrases.percent(score.probability)} match: log-odds {score.log_odds:+.2f}, of which")
    made = table(">weight", "word")
    shown, others = score.reasons[:_SHOWN], score.reasons[_SHOWN:]
    for reason in shown:
        made.add_row(
            f"{reason.weight:+.2f}",
            plain(f"{reason.term} (keyword)" if reason.kind == "keyword" else reason.term),
        )
    if others:
        made.add_row(f"{sum(r.weight for r in others):+.2f}", f"{len(others)} more words")
    made.add_row(f"{score.rest:+.2f}", "the rest: how seldom any paper is wanted")
    console().print(made)
    for liked in because:
        click.echo(f"resembles “{readable(liked.title)}”, which got a thumb up")
    if score.followed:
        click.echo(f"always shown: you follow {score.followed}")
    if score.muted:
        click.echo(f"never shown: it mentions “{score.muted}”, which is muted")
