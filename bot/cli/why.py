"""``paperbot why``: explain a score, word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, plain, print_json, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.domain import Paper, Score

_MAX_REASONS = 12


@click.command("why", short_help="Explain the score of PAPER for READER.")
@click.argument("reader")
@click.argument("paper")
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, reader: str, paper: str, now: datetime, as_json: bool) -> None:
    """Show the score of PAPER for READER, and the words that contribute to it.

    The weights are log-odds: together with the rest they add up to the log-odds of the score.

    \b
    Examples:
      paperbot why reward-models p17
      paperbot why reward-models/ada@example.org "TTRL" --json
    """
    from bot.lookup import find_paper, find_reader

    app = app_of(ctx)
    subscriber, profile = find_reader(app.store, app.profiles, reader)
    explained = find_paper(app.store, paper)
    score = app.composer.score(subscriber, profile, explained, now)
    liked = [*app.store.papers.get([score.because]).values()] if score.because is not None else []
    if not as_json:
        print_score(score, explained, liked)
        return
    print_json(
        {
            "paper": explained.ref,
            "title": explained.title,
            "score": score.probability,
            "log_odds": score.log_odds,
            # All of them, unlike in the table: a program can check that they add up.
            "reasons": [
                {"term": reason.term, "weight": reason.weight, "kind": reason.kind}
                for reason in score.reasons
            ],
            "rest": score.rest,
            "because": [{"paper": similar.ref, "title": similar.title} for similar in liked],
            "followed": score.followed,
            "muted": score.muted,
            "lacks": score.lacks,
        }
    )


def print_score(score: Score, paper: Paper, liked: Sequence[Paper]) -> None:
    """Print a score as the sum of what its words add, and what else decides about the paper."""
    from bot.domain import Match
    from bot.rendering import phrases
    from bot.rendering.latex import readable

    click.echo(f"{paper.ref} {readable(paper.title)}")
    match = f"{Match.of(score.probability).capitalize()} match ({phrases.percent(score.probability)})"
    click.echo(f"{match}: log-odds {score.log_odds:+.2f}, the sum of")
    rows = table(">weight", "word")
    for reason in score.reasons[:_MAX_REASONS]:
        notes = {"keyword": " (keyword)", "absent": " (not in the paper)"}
        term = f"{reason.term}{notes.get(reason.kind, '')}"
        rows.add_row(f"{reason.weight:+.2f}", plain(term))
    # The rows below complete the sum, so that the column can be checked by hand.
    if others := score.reasons[_MAX_REASONS:]:
        weight = sum(reason.weight for reason in others)
        rows.add_row(f"{weight:+.2f}", f"{len(others)} more words")
    rows.add_row(f"{score.rest:+.2f}", "the rest: how rarely any paper is liked")
    console().print(rows)
    for similar in liked:
        click.echo(f"resembles “{readable(similar.title)}”, which got a thumb up")
    if score.followed:
        click.echo(f"always shown: you follow {score.followed}")
    if score.lacks:
        terms = ", ".join(f"“{term}”" for term in score.lacks)
        click.echo(f"not ranked: none of {terms}, which the profile requires, is in it")
    if score.muted:
        click.echo(f"never shown: it mentions “{score.muted}”, which is muted")
