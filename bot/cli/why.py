"""``paperbot why``: explain a score, phrase by phrase."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, plain, print_json, table, working

if TYPE_CHECKING:
    from datetime import datetime

    from bot.domain import Paper
    from bot.editions.ranked import Explanation

_MAX_ROWS = 12


@click.command("why", short_help="Explain the score of PAPER for READER.")
@click.argument("reader")
@click.argument("paper")
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, reader: str, paper: str, now: datetime, as_json: bool) -> None:
    """Show why PAPER is for READER, its score, and the phrases that contribute to it.

    The weights are log-odds: together with the rest they add up to the log-odds of the score.

    \b
    Examples:
      paperbot why reward-models p17
      paperbot why reward-models/ada@example.org "TTRL" --json
    """
    from bot.errors import UsageError
    from bot.lookup import find_paper, find_reader
    from bot.rendering.reasons import sentence

    app = app_of(ctx)
    subscriber, profile = find_reader(app.store, app.profiles, reader)
    explained = find_paper(app.store, paper)
    with working("ranking the paper"):
        explanation = app.composer.explanation(subscriber, profile, explained, now)
    if explanation is None:
        raise UsageError(f"{explained.ref} is not ranked for {subscriber.name}")
    in_library = app.store.library.holds(subscriber.id, explained)
    if not as_json:
        print_explanation(explanation, explained)
        if in_library:
            click.echo("Not sent: it is already in your library.")
        return
    score = explanation.score
    liked = [reason for reason in explanation.reasons if reason.paper is not None]
    print_json(
        {
            "paper": explained.ref,
            "title": explained.title,
            "score": score.probability,
            "log_odds": score.log_odds,
            "why": sentence(explanation.reasons),
            # All of them, unlike in the table: a program can check that they add up.
            "reasons": [
                *(
                    {"term": bonus.text, "weight": bonus.weight, "kind": bonus.kind.value}
                    for bonus in score.bonuses
                ),
                *(
                    {"term": row.text, "weight": row.weight, "kind": "word" if row.in_paper else "absent"}
                    for row in explanation.rows
                ),
            ],
            "rest": score.rest,
            "because": [{"paper": f"p{reason.paper}", "title": reason.text} for reason in liked],
            "followed": score.followed,
            "muted": score.muted,
            "lacks": score.lacks,
            "in_library": in_library,
        }
    )


def print_explanation(explanation: Explanation, paper: Paper) -> None:
    """Print the reasons in a sentence, and the score as the sum of what its phrases add."""
    from bot.domain import Match
    from bot.rendering import phrases
    from bot.rendering.latex import readable
    from bot.rendering.reasons import sentence

    score = explanation.score
    click.echo(f"{paper.ref} {readable(paper.title)}")
    if score.muted:
        click.echo(f"Never shown: it mentions “{score.muted}”, which is muted.")
    if score.lacks:
        terms = ", ".join(f"“{term}”" for term in score.lacks)
        click.echo(f"Not ranked: none of {terms}, which the profile requires, is in it.")
    click.echo(sentence(explanation.reasons))
    match = f"{Match.of(score.probability).capitalize()} match ({phrases.percent(score.probability)})"
    click.echo(f"{match}: log-odds {score.log_odds:+.2f}, the sum of")
    rows = table(">weight", "phrase")
    for bonus in score.bonuses:
        rows.add_row(f"{bonus.weight:+.2f}", plain(f"{bonus.text} ({bonus.kind})"))
    for row in explanation.rows[:_MAX_ROWS]:
        rows.add_row(
            f"{row.weight:+.2f}", plain(row.text if row.in_paper else f"{row.text} (not in the paper)")
        )
    # The rows below complete the sum, so that the column can be checked by hand.
    if others := explanation.rows[_MAX_ROWS:]:
        weight = sum(row.weight for row in others)
        rows.add_row(f"{weight:+.2f}", f"{len(others)} more words")
    rows.add_row(f"{score.rest:+.2f}", "the rest: how rarely any paper is liked")
    console().print(rows)
