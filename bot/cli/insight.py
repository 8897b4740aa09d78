"""The commands ``why``, ``evaluate``, ``replay``, and without a home ``rank`` and ``summarize``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from bot.cli.output import (
    console,
    echo,
    plain,
    print_json,
    print_problems,
    progress_bar,
    report_options,
    table,
    why,
    working,
)
from bot.config.files import write_atomically
from bot.model import Edition, Match, Paper, Problem, ReasonKind, Vote
from bot.model.errors import UsageError
from bot.model.wording import plural

if TYPE_CHECKING:
    from bot.app import App
    from bot.editions.choices import Explanation
    from bot.operate.evaluation import Evaluation, Mean, Outcomes, Quality
    from bot.web.charts import Chart


_TEXT_WIDTH = 80
_RANKINGS = ("learned", "words", "chance")
_DATE = click.DateTime(["%Y-%m-%d"])
_INPUT_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_OUTPUT_FILE = click.Path(path_type=Path, dir_okay=False, writable=True)
_PHRASE_ROWS = 12


@click.command("why", short_help="Explain the score of PAPER for READER.")
@click.argument("reader")
@click.argument("paper")
@report_options
def explain(app: App, reader: str, paper: str, now: datetime, as_json: bool) -> None:
    """Show why PAPER is for READER: its score, and the phrases that contribute to it.

    The weights are log-odds. With the rest, they add up to the log-odds of the score.

    \b
    Examples:
      paperbot why reward-models p17
      paperbot why reward-models/ada@example.org "TTRL" --json
    """
    from bot.readers import find_paper, find_reader
    from bot.wording import sentence

    subscriber, profile = find_reader(app.store, app.profiles, reader)
    explained = find_paper(app.store, paper)
    with working("ranking the paper"):
        explanation = app.composer.explanation(subscriber, profile, explained, now)
    if explanation is None:
        raise UsageError(f"{explained.ref} is not ranked for {subscriber.name}")
    in_library = bool(app.store.library.held(subscriber.id, [explained]))
    if not as_json:
        print_explanation(explanation, explained)
        if in_library:
            echo("Not sent: it is already in your library.")
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
            # All rows, so a program can check the sum.
            "reasons": [
                *({"term": bonus.text, "weight": bonus.weight, "kind": bonus.kind.value} for bonus in score.bonuses),
                *(
                    {"term": row.text, "weight": row.weight, "kind": "word" if row.in_paper else "absent"}
                    for row in explanation.rows
                ),
            ],
            "rest": score.rest,
            "because": [{"paper": f"p{reason.paper}", "title": reason.text} for reason in liked],
            "followed": score.followed,
            "muted": score.muted,
            "lacks": score.missing_terms,
            "in_library": in_library,
        }
    )


def print_explanation(explanation: Explanation, paper: Paper) -> None:
    from bot import wording
    from bot.text.latex import readable

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
        rows.add_row(f"{bonus.weight:+.2f}", plain(f"{bonus.text} ({bonus.kind})"))
    for row in explanation.rows[:_PHRASE_ROWS]:
        rows.add_row(f"{row.weight:+.2f}", plain(row.text if row.in_paper else f"{row.text} (not in the paper)"))
    # The rows below complete the sum.
    if others := explanation.rows[_PHRASE_ROWS:]:
        weight = sum(row.weight for row in others)
        rows.add_row(f"{weight:+.2f}", f"{len(others)} more words")
    rows.add_row(f"{score.rest:+.2f}", "the rest: how rarely any paper is liked")
    console().print(rows)


@click.command("evaluate", short_help="Show whether it learns READER's preferences.")
@click.argument("reader", required=False)
@click.option(
    "--chart",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the chart to this file, as SVG  [default: state/evaluation/...svg]",
)
@report_options
def evaluate(
    app: App,
    *,
    reader: str | None,
    chart: Path | None,
    now: datetime,  # noqa: ARG001 - every command takes it; no prediction depends on it
    as_json: bool,
) -> int:
    """Show whether Paperbot learns READER's preferences: predict each thumb from earlier ones.

    Compares the ranking with the profile's words alone, and with chance. Without READER, evaluates all readers.

    \b
    Examples:
      paperbot evaluate reward-models
      paperbot evaluate reward-models/ada@example.org --chart ada.svg
      paperbot evaluate --json
    """
    if chart and chart.suffix.lower() != ".svg":
        raise UsageError(f"--chart {chart}: the chart is an SVG drawing; give the file a name that ends in .svg")
    if reader is None:
        saved = evaluate_all_readers(app, chart, as_json)
    else:
        saved = evaluate_reader(app, reader, chart, as_json)
    if saved and not as_json:
        echo(f"\nThe chart as a drawing: {saved}")
    if chart and not saved:
        reason = "no reader has enough folds for a chart" if reader is None else "a chart over time needs more folds"
        print_problems([Problem(str(chart), f"not written: {reason}")])
        return 1
    return 0


def evaluate_reader(app: App, name: str, file: Path | None, as_json: bool) -> str | None:
    from bot.operate.evaluation import evaluate
    from bot.readers import find_reader
    from bot.web.charts import answer, learning_curve

    reader, profile = find_reader(app.store, app.profiles, name)
    evaluation = evaluate(app.store, app.ranker, reader, profile)
    chart = learning_curve(evaluation)
    note = f"{_basis(evaluation)} The bar is the 95% interval."
    saved = _save(app, chart, answer(evaluation), note, file or app.home.chart_file(reader))
    if as_json:
        print_json(_reader_json(evaluation) | {"chart": saved})
    else:
        print_reader(evaluation, chart)
    return saved


def evaluate_all_readers(app: App, file: Path | None, as_json: bool) -> str | None:
    from bot.operate.evaluation import evaluate_all, mean_of_readers
    from bot.web.charts import answer_for_all, readers_chart

    evaluations = []
    with progress_bar() as progress:
        for evaluation in evaluate_all(app.store, app.ranker, app.profiles):
            evaluations.append(evaluation)
            progress("evaluating readers", len(evaluations), 0)
    mean = mean_of_readers(evaluations)
    answer = answer_for_all(evaluations, mean)
    chart = readers_chart(evaluations)
    note = "The distance from square to circle is what was learned from thumbs. The bar is the 95% interval."
    saved = _save(app, chart, answer, note, file or app.home.chart_file(None))
    if as_json:
        print_json(
            {
                "answer": answer,
                "verdict": mean.verdict,
                "mean": {ranking: getattr(mean, ranking) for ranking in _RANKINGS} if mean.readers else None,
                "gain": mean.gain,
                "readers": [_reader_json(evaluation) for evaluation in evaluations],
                "chart": saved,
            }
        )
    else:
        print_all(answer, mean, evaluations, chart)
    return saved


def _save(app: App, chart: Chart | None, heading: str, note: str, file: Path) -> str | None:
    """Write a chart as a drawing, and return its path if there is one. Raises UsageError."""
    from bot.web.charts import svg_file

    if chart is None:
        return None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, svg_file(app.templates, chart, heading, note).encode())
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror}); name another with --chart") from error
    return str(file)


def _reader_json(evaluation: Evaluation) -> dict[str, Any]:
    from bot.web.charts import answer

    return {
        "reader": evaluation.reader,
        "verdict": evaluation.verdict,
        "size": evaluation.size,
        "thumbs": evaluation.thumbs,
        "likes": evaluation.likes,
        # An older name of "folds" that programs read.
        "rounds": evaluation.folds,
        "answer": answer(evaluation),
        **{
            ranking: asdict(quality) | {"liked_of_first": evaluation.size * quality.precision} if quality else None
            for ranking in _RANKINGS
            for quality in [getattr(evaluation, ranking)]
        },
        "auc": evaluation.auc,
        "gain": evaluation.gain,
        "calibration": evaluation.calibration,
        "over_time": [
            {
                "since": point.since,
                "until": point.until,
                "known": point.prior_votes,
                "likes": point.likes,
                "learned": point.learned,
                "words": point.words,
            }
            for point in evaluation.points
        ],
    }


def _basis(evaluation: Evaluation) -> str:
    likes = plural(evaluation.likes, "liked paper")
    sentence = f"{likes} in {plural(evaluation.folds, 'fold')}, each predicted from the thumbs before it."
    if gain := evaluation.gain:
        interval = f"95% interval: {100 * gain.low:+.0f} to {100 * gain.high:+.0f}"
        sentence += f" Thumbs gained {100 * gain.mean:+.0f} of 100 over words alone; {interval}."
    return sentence


def print_reader(evaluation: Evaluation, chart: Chart | None) -> None:
    from bot.web.charts import answer, text_chart

    _print_wrapped(answer(evaluation), bold=True)
    if evaluation.learned is None:
        return
    _print_wrapped(_basis(evaluation))
    qualities = [quality for ranking in _RANKINGS if (quality := getattr(evaluation, ranking))]
    size = evaluation.size
    metrics = table("", ">with your thumbs", ">interest words alone", ">by chance")
    metrics.add_row(f"liked of the first {size}", *(f"{size * quality.precision:.1f}" for quality in qualities))
    metrics.add_row(f"nDCG at {size}", *(f"{quality.ndcg:.2f}" for quality in qualities))
    metrics.add_row("AUC among papers you saw", *(_auc(quality) for quality in qualities))
    console().print(metrics)
    if chart:
        click.echo(f"{text_chart(chart)}\n")
    else:
        _print_wrapped("A chart over time needs more folds.\n")
    if calibration := evaluation.calibration:
        _print_wrapped(
            f"Do scores mean what they say? Off by {100 * calibration.error:.0f} of 100 on average "
            f"({plural(calibration.papers, 'paper')} that you saw):"
        )
        reliability = table(">score", ">papers", ">mean score", ">really liked")
        for row in calibration.table:
            reliability.add_row(
                f"{row.low:.0%} to {row.high:.0%}", f"{row.papers:,}", f"{row.predicted:.0%}", f"{row.liked:.0%}"
            )
        console().print(reliability)


def print_all(answer: str, mean: Mean, evaluations: Sequence[Evaluation], chart: Chart | None) -> None:
    from bot.web.charts import text_chart

    _print_wrapped(answer, bold=True)
    # Addresses stay on one line, so they can be copied.
    rows = table("reader", "learning?", ">likes", ">AUC", ">words", ">gain, 95%", unbroken=("reader",))
    for evaluation in evaluations:
        gain = evaluation.gain
        rows.add_row(
            plain(evaluation.reader),
            evaluation.verdict,
            str(evaluation.likes),
            _auc(evaluation.learned),
            _auc(evaluation.words),
            f"{gain.mean:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})" if gain else "-",
        )
    if mean.readers > 1:
        mean_gain = f"{mean.gain.mean:+.2f}" if mean.gain else "-"
        auc = _auc(mean.learned)
        rows.add_row(f"mean of {mean.readers}", mean.verdict, "", auc, _auc(mean.words), mean_gain)
    console().print(rows)
    if chart:
        click.echo(text_chart(chart))


def _auc(quality: Quality | None) -> str:
    return "-" if quality is None or quality.auc is None else f"{quality.auc:.2f}"


def _print_wrapped(text: str, *, bold: bool = False) -> None:
    click.secho(click.wrap_text(text, _TEXT_WIDTH), bold=bold)


@click.command("replay", short_help="Show what READER would have got on past days.")
@click.argument("reader")
@click.option("--from", "first", type=_DATE, required=True, help="The first day, such as 2025-05-06.")
@click.option("--to", "last", type=_DATE, required=True, help="The last day.")
@report_options
def replay(app: App, *, reader: str, first: datetime, last: datetime, now: datetime, as_json: bool) -> None:
    """Compose the editions of past days again, with today's profile.

    It uses the papers and thumbs of that time, and shows what would have been sent and what became of it. Nothing is
    stored or sent.

    \b
    Examples:
      paperbot replay reward-models --from 2025-05-05 --to 2025-05-09
      paperbot replay reward-models/ada@example.org --from 2025-05-05 --to 2025-05-09 --json
    """
    from bot.operate.evaluation import outcomes, replay
    from bot.readers import find_reader

    subscriber, profile = find_reader(app.store, app.profiles, reader)
    results = outcomes(app.store, subscriber)
    editions: list[Edition] = []
    days = replay(app.store, subscriber, profile, first.date(), last.date(), now=now, samples=app.home.sample_sources)
    while True:
        # One indicator a day, because tables are printed in between.
        with working(f"composing past days ({len(editions)} so far)"):
            edition = next(days, None)
        if edition is None:
            break
        editions.append(edition)
        if not as_json:
            # At once: in a large home, a day takes seconds.
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
        echo("No edition was due on these days. `paperbot profiles` shows the schedule.")
    else:
        echo(
            f"{plural(totals['days'], 'day')}, {plural(totals['papers'], 'paper')}. Of these, {totals['sent']} were "
            f"really sent so far; {totals['up']} got a thumb up, {totals['down']} a thumb down."
        )


def day_json(edition: Edition, results: Outcomes) -> dict[str, Any]:
    from bot.wording import sentence

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
                    {"term": reason.text, "weight": reason.weight, "kind": reason.kind} for reason in pick.reasons
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
        "quiet": edition.quiet,
        "picks": picks,
    }


def count_outcomes(editions: Sequence[Edition], results: Outcomes) -> dict[str, int]:
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
    from bot.text.latex import readable

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
        match = Match.for_probability(pick.probability)
        rows.add_row(match, plain(readable(pick.paper.title)), plain(why(pick)), outcome)
    echo(title, bold=True)
    console().print(rows)


@click.command("rank", short_help="Rank the papers of a file for profiles.")
@click.option("--history", type=_INPUT_FILE, required=True, help="Past papers: id, title, abstract.")
@click.option("--candidates", type=_INPUT_FILE, required=True, help="New papers, in the same form.")
@click.option("--profiles", type=_INPUT_FILE, required=True, help="Profiles to rank for: profile, interests.")
@click.option("--feedback", type=_INPUT_FILE, required=True, help="Thumbs: profile, paper, thumb (1 or -1).")
@click.option("--top", type=click.IntRange(1), default=200, show_default=True, help="Maximum per profile.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to write.")
def rank(*, history: Path, candidates: Path, profiles: Path, feedback: Path, top: int, output: Path) -> None:
    """Rank the papers of a file for the profiles of another.

    Each line of a file is a JSON object.

    Writes lines of profile, paper and score (0 to 1), best first. The models are the same as in the daily run.

    \b
    Example:
      paperbot rank --history seen.jsonl --candidates new.jsonl --profiles profiles.jsonl \\
          --feedback thumbs.jsonl --top 20 --output ranked.jsonl
    """
    from bot.operate.offline_ranking import rank_files

    with working("ranking"):
        rank_files(history, candidates, profiles, feedback, top=top, output=output)


@click.command("summarize", short_help="Summarise the papers of a file.")
@click.option("--papers", type=_INPUT_FILE, required=True, help="JSON Lines with id, title and abstract.")
@click.option("--sentences", type=click.IntRange(min=0), default=3, show_default=True, help="Maximum per paper.")
@click.option("--output", type=_OUTPUT_FILE, required=True, help="JSON Lines with id, sentences and finding.")
@click.option(
    "--interests", metavar="TEXT", default="", help="The reader's interests. Summaries prefer sentences about them."
)
def summarize(*, papers: Path, sentences: int, output: Path, interests: str) -> int:
    """Summarise each paper of a file by sentences of its abstract, word for word.

    Needs no home.

    The output has a line for each paper, in the order of the file. Its "finding" is the sentence that an edition sets
    in bold, or null.

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
            except (ValueError, RecursionError) as error:
                problems.append(Problem(place, f"not valid JSON ({error}); write one object on each line"))
                continue
            if isinstance(paper, dict) and "id" in paper and isinstance(paper.get("abstract"), str | None):
                yield paper
            else:
                form = '{"id": ..., "title": "...", "abstract": "..."}'
                problems.append(Problem(place, f"not a paper; write {form}"))
