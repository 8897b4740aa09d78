"""The command ``why``, and without a home ``rank`` and ``summarize``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from bot import wording
from bot.channels import is_shared
from bot.cli.options import Number, reader_argument, report_options
from bot.cli.output import console, echo, print_json, print_problems, table, working
from bot.model import Match, Paper, Problem, Vote
from bot.model.errors import UsageError
from bot.model.wording import plural
from bot.summaries.summary import finding, summarise
from bot.text.latex import readable
from bot.text.tokens import stem_terms

if TYPE_CHECKING:
    from bot.app import App
    from bot.config.profiles import Profile
    from bot.editions.choices import Explanation
    from bot.model import Reader

_INPUT_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_OUTPUT_FILE = click.Path(path_type=Path, dir_okay=False)
_PHRASE_ROWS = 12


@click.command("why")
@reader_argument()
@click.argument("paper")
@report_options
def explain(app: App, reader: str, paper: str, now: datetime, as_json: bool) -> None:
    """Show why PAPER is for READER: its score, and the phrases that contribute to it.

    The weights are log-odds. With the rest, they add up to the log-odds of the score.

    \b
    Example:
      paperbot why reward-models/ada@example.org "TTRL"
    """
    from bot.readers import find_paper, find_reader

    subscriber, profile = find_reader(app.store, app.profiles, reader)
    explained = find_paper(app.store, paper)
    with working("ranking the paper"):
        explanation = app.composer.explanation(subscriber, profile, explained, now)
    if explanation is None:
        raise UsageError(f"{explained.ref} is not ranked for {subscriber.name}")
    in_library = bool(app.store.library.held(subscriber.id, [explained]))
    if not as_json:
        print_explanation(explanation, explained)
        if text := effect_of_votes(app, subscriber, profile, explained):
            echo(text)
        if in_library:
            echo("Not sent: it is already in your library.")
        return
    score = explanation.score
    print_json(
        {
            "paper": explained.ref,
            "title": explained.title,
            "score": score.probability,
            "log_odds": score.log_odds,
            "why": wording.sentence(explanation.reasons),
            # All rows, so a program can check the sum.
            "reasons": [
                *({"term": bonus.text, "weight": bonus.weight, "kind": bonus.kind.value} for bonus in score.bonuses),
                *(
                    {"term": row.text, "weight": row.weight, "kind": "word" if row.in_paper else "absent"}
                    for row in explanation.rows
                ),
            ],
            "rest": score.rest,
            "because": [
                {"paper": f"p{reason.paper}", "title": reason.text}
                for reason in explanation.reasons
                if reason.paper is not None
            ],
            "followed": score.followed,
            "muted": score.muted,
            "lacks": score.missing_terms,
            "in_library": in_library,
        }
    )


def effect_of_votes(app: App, reader: Reader, profile: Profile, paper: Paper) -> str:
    """Return why votes here, or a dislike in another profile, hide the paper, or an empty string."""
    feedback = app.store.feedback
    subject = "The channel" if is_shared(reader) else "You"
    decided = feedback.current(reader.id).get(paper.id)
    if votes := feedback.votes(reader.id, [paper.id]) or feedback.saved(reader.id, [paper.id]):
        last = decided or votes[-1]
        if decided:
            did = f"gave it a thumb {last.vote}"
        else:
            did = "saved it" if last.vote is Vote.SAVE else "gave it as many thumbs up as down, the last"
        is_next = paper.id in app.composer.candidates(reader, profile).chosen
        effect = "your next edition has it" if is_next else "it isn't sent again"
        return f"{subject} {did} on {profile.schedule.day_of(last.at)}: {effect}."
    for other in app.store.readers.at_address(reader.address):
        if other.profile != reader.profile and other.kind == reader.kind and other.profile in app.profiles:
            vote = feedback.current(other.id).get(paper.id)
            if vote and vote.vote is Vote.DOWN:
                return f"Hidden: {subject.lower()} disliked it in “{app.profiles[other.profile].title}”."
    return ""


def print_explanation(explanation: Explanation, paper: Paper) -> None:
    score = explanation.score
    echo(f"{paper.ref} {readable(paper.title)}")
    if score.muted:
        echo(f"Never shown: it mentions “{score.muted}”, which is muted.")
    if score.missing_terms:
        terms = ", ".join(f"“{term}”" for term in score.missing_terms)
        echo(f"Not ranked: none of {terms}, which the profile requires, is in it.")
    echo(wording.sentence(explanation.reasons))
    match = f"{Match.for_probability(score.probability).capitalize()} match ({wording.percent(score.probability)})"
    echo(f"{match}: log-odds {score.log_odds:+.2f}, the sum of")
    rows = table(">weight", "phrase")
    for bonus in score.bonuses:
        rows.add_row(f"{bonus.weight:+.2f}", f"{bonus.text} ({bonus.kind})")
    for row in explanation.rows[:_PHRASE_ROWS]:
        rows.add_row(f"{row.weight:+.2f}", row.text if row.in_paper else f"{row.text} (not in the paper)")
    # The rows below complete the sum.
    if others := explanation.rows[_PHRASE_ROWS:]:
        weight = sum(row.weight for row in others)
        rows.add_row(f"{weight:+.2f}", f"{len(others)} more words")
    rows.add_row(f"{score.rest:+.2f}", "where every paper starts: most are not liked")
    console().print(rows)


@click.command("rank")
@click.option("--history", type=_INPUT_FILE, required=True, help="Past papers: id, title, abstract.")
@click.option("--candidates", type=_INPUT_FILE, required=True, help="New papers, in the same form.")
@click.option("--profiles", type=_INPUT_FILE, required=True, help="Profiles to rank for: profile, interests.")
@click.option("--feedback", type=_INPUT_FILE, required=True, help="Thumbs: profile, paper, thumb (1 or -1).")
@click.option("--top", type=Number(1), default=200, show_default=True, help="Maximum per profile.")
@click.option("--output", type=_OUTPUT_FILE, required=True, help="The file to write.")
def rank(*, history: Path, candidates: Path, profiles: Path, feedback: Path, top: int, output: Path) -> None:
    """Rank the papers of a file for the profiles of another. Each line of a file is a JSON object.

    Writes lines of profile, paper and score (0 to 1), best first. The models are the same as in the daily run.

    \b
    Example:
      paperbot rank --history seen.jsonl --candidates new.jsonl --profiles profiles.jsonl \\
          --feedback thumbs.jsonl --top 20 --output ranked.jsonl
    """
    from bot.operate.offline_ranking import rank_files

    with working("ranking"):
        rank_files(history, candidates, profiles, feedback, top=top, output=output)


@click.command("summarize")
@click.option("--papers", type=_INPUT_FILE, required=True, help="JSON Lines with id, title and abstract.")
@click.option("--sentences", type=Number(0), default=3, show_default=True, help="Maximum per paper.")
@click.option("--output", type=_OUTPUT_FILE, required=True, help="JSON Lines with id, sentences and finding.")
@click.option(
    "--interests", metavar="TEXT", default="", help="The reader's interests. Summaries prefer sentences about them."
)
def summarize(*, papers: Path, sentences: int, output: Path, interests: str) -> int:
    """Summarise each paper of a file by sentences of its abstract, word for word.

    The output has a line for each paper, in the order of the file. Its "finding" is the sentence that an edition sets
    in bold, or null.
    """
    weights = dict.fromkeys(stem_terms(interests), 1.0)
    problems: list[Problem] = []
    without = 0
    with working("summarising"), open_output(output, papers) as file:
        for paper in read_papers(papers, problems):
            if not (paper.get("abstract") or "").strip():
                without += 1
            summary = summarise(paper.get("abstract") or "", sentences, weights, is_verbatim=True)
            row = {"id": paper["id"], "sentences": [sentence.text for sentence in summary], "finding": finding(summary)}
            file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
    if without:
        problem = f"{plural(without, 'paper')} without an abstract, so without a summary; add an abstract to each"
        problems.append(Problem(str(papers), problem))
    print_problems(problems)
    return 1 if problems else 0


def open_output(output: Path, papers: Path) -> TextIO:
    """Open the output file. JSON escapes write a lone surrogate, which has no UTF-8."""
    try:
        if output.exists() and output.samefile(papers):
            raise UsageError(f"{output}: is the file of the papers; name another --output")
        return output.open("w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}; name an --output that can be written") from None


def read_papers(papers: Path, problems: list[Problem]) -> Iterator[dict[str, Any]]:
    with papers.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            place = f"{papers}:{number}"
            try:
                paper = json.loads(line)
            except (ValueError, RecursionError):
                problems.append(Problem(place, "not JSON; write one object on each line"))
                continue
            if isinstance(paper, dict) and "id" in paper and isinstance(paper.get("abstract"), str | None):
                yield paper
            else:
                form = '{"id": ..., "title": "...", "abstract": "..."}'
                problems.append(Problem(place, f"not a paper; write {form}"))
