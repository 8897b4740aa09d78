"""``paperbot rank``: offline ranking of files, without a home.

``paperbot summarize``: summaries of papers in a file, without a home.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import click

from bot.cli.output import print_problems, working
from bot.model import Problem
from bot.model.errors import UsageError
from bot.model.wording import plural

_READ = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("rank", short_help="Rank the papers of a file for profiles.")
@click.option("--history", type=_READ, required=True, help="Past papers: id, title, abstract.")
@click.option("--candidates", type=_READ, required=True, help="New papers, in the same form.")
@click.option("--profiles", type=_READ, required=True, help="Profiles to rank for: profile, interests.")
@click.option("--feedback", type=_READ, required=True, help="Thumbs: profile, paper, thumb (1 or -1).")
@click.option("--top", type=click.IntRange(1), default=200, show_default=True, help="Maximum per profile.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to write.")
def rank(history: Path, candidates: Path, profiles: Path, feedback: Path, top: int, output: Path) -> None:
    """Rank the papers of a file for the profiles of another; each line of a file is a JSON object.

    Writes lines of profile, paper and score (0 to 1), best first, by the models of the daily run.

    \b
    Example:
      paperbot rank --history seen.jsonl --candidates new.jsonl --profiles profiles.jsonl \\
          --feedback thumbs.jsonl --top 20 --output ranked.jsonl
    """
    from bot.operate.offline_ranking import Files, rank_files

    with working("ranking"):
        rank_files(Files(history, candidates, profiles, feedback), top, output)


_PAPERS = click.Path(path_type=Path, exists=True, dir_okay=False)
_OUTPUT = click.Path(path_type=Path, dir_okay=False, writable=True)


@click.command("summarize", short_help="Summarise the papers of a file.")
@click.option("--papers", type=_PAPERS, required=True, help="JSON Lines with id, title and abstract.")
@click.option("--sentences", type=click.IntRange(min=0), default=3, show_default=True, help="Maximum per paper.")
@click.option("--output", type=_OUTPUT, required=True, help="JSON Lines with id, sentences and finding.")
@click.option("--interests", metavar="TEXT", default="", help="What the reader cares about; summaries lean to it.")
def summarize(papers: Path, sentences: int, output: Path, interests: str) -> int:
    """Summarise each paper of a file by sentences of its abstract, word for word; needs no home.

    The output has a line for each paper, in the order of the file; its "finding" is the sentence that an edition
    sets in bold, or null.

    \b
    Examples:
      paperbot summarize --papers papers.jsonl --output summaries.jsonl
      paperbot summarize --papers papers.jsonl --sentences 2 --output out.jsonl --interests "reward models"
    """
    from bot.summaries.summary import finding, summarise
    from bot.text.tokens import stem_terms

    weights = dict.fromkeys(stem_terms(interests), 1.0)
    problems: list[Problem] = []
    without = 0
    with working("summarising"), open_output(output, papers) as file:
        for paper in read_papers(papers, problems):
            if not (paper.get("abstract") or "").strip():
                without += 1
            summary = summarise(paper.get("abstract") or "", sentences, weights)
            row = {"id": paper["id"], "sentences": [sentence.text for sentence in summary], "finding": finding(summary)}
            file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
    if without:
        problem = f"{plural(without, 'paper')} without an abstract, so without a summary; give each one under abstract"
        problems.append(Problem(str(papers), problem))
    print_problems(problems)
    return 1 if problems else 0


def open_output(output: Path, papers: Path) -> TextIO:
    """Open the file to write; a lone surrogate, which has no UTF-8, is written as JSON's escape for it."""
    try:
        if output.exists() and output.samefile(papers):
            raise UsageError(f"{output}: is the file of the papers; name another --output")
        return output.open("w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}; name an --output that can be written") from None


def read_papers(papers: Path, problems: list[Problem]) -> Iterator[dict[str, Any]]:
    """Yield the papers of a file; add a problem for each line that is not a paper."""
    with papers.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            place = f"{papers}:{number}"
            try:
                paper = json.loads(line)
            except (ValueError, RecursionError) as error:
                problems.append(Problem(place, f"not valid JSON ({error}); write one object on each line"))
                continue
            if isinstance(paper, dict) and "id" in paper and isinstance(paper.get("abstract"), str | None):
                yield paper
            else:
                form = '{"id": ..., "title": "...", "abstract": "..."}'
                problems.append(Problem(place, f"not a paper; write {form}"))
