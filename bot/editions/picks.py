"""From choices to an edition: each pick with its summary and the reasons worth showing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from bot.domain import Edition, Paper, PaperId, Pick, Reader, Reason, ReasonKind, Score
from bot.editions.quiet_days import SourceActivitySince, quiet_reason
from bot.selection.selector import Choice
from bot.summaries import summarise
from bot.terms import singular

_REASONS_SHOWN = 3
# A word that adds less log-odds than this is chance, not a reason.
_REASON_FROM = 0.05
# Beside a heavy word a light one explains nothing: a reason has at least this share of the heaviest.
_REASON_SHARE = 0.25


def compose(
    *,
    reader: Reader,
    profile_title: str,
    day: date,
    now: datetime,
    watermark: PaperId,
    scores: Sequence[Score],
    choices: Sequence[Choice],
    papers: Mapping[PaperId, Paper],
    summary_sentences: int,
    threshold: float,
    supply: SourceActivitySince,
) -> Edition:
    """The edition of a day; ``papers`` holds the chosen papers and the liked ones that reasons name."""
    picks = tuple(_pick(choice, papers, summary_sentences) for choice in choices)
    return Edition(
        reader=reader,
        profile_title=profile_title,
        date=day,
        composed_at=now,
        picks=picks,
        considered=len(scores),
        watermark=watermark,
        quiet=None if picks else quiet_reason(scores, threshold, supply),
    )


def _pick(choice: Choice, papers: Mapping[PaperId, Paper], summary_sentences: int) -> Pick:
    score = choice.score
    paper = papers[score.paper]
    weights = {reason.term: reason.weight for reason in score.reasons if reason.kind is ReasonKind.WORD}
    alerts = tuple(Reason(name, 0.0, ReasonKind.ALERT) for name in choice.alerted_by)
    shown = (*alerts, *visible_reasons(score.reasons))
    return Pick(
        paper=paper,
        kind=choice.kind,
        probability=score.probability,
        reasons=shown,
        summary=summarise(paper.abstract, summary_sentences, weights, [reason.term for reason in shown]),
        because=papers[score.because].title if score.because is not None else None,
        followed=score.followed,
    )


def visible_reasons(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """The few heaviest reasons for a paper, keywords first, none of which says again what another says.

    Where there is "reward model", neither "reward" nor "model" is needed; the longer term takes the place
    of its parts.
    """
    shown: dict[frozenset[str], Reason] = {}
    least = max(_REASON_FROM, _REASON_SHARE * max((r.weight for r in reasons), default=0.0))
    heavy = (r for r in reasons if r.weight >= least or (r.kind is ReasonKind.KEYWORD and r.weight > 0))
    for reason in sorted(heavy, key=lambda r: (r.kind is not ReasonKind.KEYWORD, -r.weight)):
        words = frozenset(singular(word) for word in reason.term.lower().split())
        if any(words <= said for said in shown):
            continue
        parts = [said for said in shown if said < words]
        if parts:
            shown = {
                words if said == parts[0] else said: r for said, r in shown.items() if said not in parts[1:]
            }
            shown[words] = reason
        elif len(shown) < _REASONS_SHOWN:
            shown[words] = reason
    return tuple(shown.values())
