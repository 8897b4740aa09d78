"""``paperbot rank``: offline ranking of files, without a home."""

from __future__ import annotations

from pathlib import Path

import click

from bot.cli.output import working

_READ = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("rank", short_help="Rank the papers of a file for profiles.")
@click.option("--history", type=_READ, required=True, help="Past papers: id, title, abstract.")
@click.option("--candidates", type=_READ, required=True, help="New papers, in the same form.")
@click.option("--profiles", type=_READ, required=True, help="Profiles to rank for: profile, interests.")
@click.option("--feedback", type=_READ, required=True, help="Thumbs: profile, paper, thumb (1 or -1).")
@click.option("--top", type=click.IntRange(1), default=200, show_default=True, help="Maximum per profile.")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to write."
)
def command(history: Path, candidates: Path, profiles: Path, feedback: Path, top: int, output: Path) -> None:
    """Rank the papers of a file for the profiles of another; each line of a file is a JSON object.

    Writes lines of profile, paper and score (0 to 1), best first, by the models of the daily run.

    \b
    Example:
      paperbot rank --history seen.jsonl --candidates new.jsonl --profiles profiles.jsonl \\
          --feedback thumbs.jsonl --top 20 --output ranked.jsonl
    """
    from bot.evaluation.offline_ranking import Files, rank_files

    with working("ranking"):
        rank_files(Files(history, candidates, profiles, feedback), top, output)
