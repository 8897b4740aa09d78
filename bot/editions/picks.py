"""From choices to an edition: each pick with its summary and the reasons for it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.domain import Edition, Match, Paper, PaperId, Pick, Reason, ReasonKind, Score
from bot.editions.candidates import EditionRequest
from bot.editions.quiet_days import SourceActivitySince, quiet_reason
from bot.selection.selector import Choice
from bot.summaries import summarise

# Reasons whose text is a phrase of the paper, which is highlighted in the summary.
_PHRASES = frozenset(
    {
        ReasonKind.ALERT,
        ReasonKind.KEYWORD,
        ReasonKind.WROTE,
        ReasonKind.MENTIONED,
        ReasonKind.NEAR,
        ReasonKind.NEAR_MENTIONED,
        ReasonKind.TOGETHER,
        ReasonKind.LEARNED,
        ReasonKind.LEARNED_FROM_LIBRARY,
        ReasonKind.EXPLORATION,
    }
)
# A possible match is shown by what it does and what came out, without the background.
_SENTENCES_OF_POSSIBLE = 2


def new_pick(paper: Paper, choice: Choice, reasons: Sequence[Reason], summary_sentences: int) -> Pick:
    """Return the pick of a chosen paper, whose score has its terms; ``summary_sentences`` is the most."""
    score = choice.score
    if Match.of(score.probability) in (Match.POSSIBLE, Match.UNLIKELY):
        summary_sentences = min(summary_sentences, _SENTENCES_OF_POSSIBLE)
    phrases = [reason.text for reason in reasons if reason.kind in _PHRASES]
    phrases += [reason.near for reason in reasons if reason.kind is ReasonKind.TOGETHER]
    return Pick(
        paper=paper,
        kind=choice.kind,
        probability=score.probability,
        reasons=tuple(reasons),
        summary=summarise(paper.abstract, summary_sentences, score.terms, phrases),
        predictions=score.predictions,
    )


def compose(
    request: EditionRequest,
    picks: Sequence[Pick],
    *,
    scores: Sequence[Score],
    watermark: PaperId,
    now: datetime,
    activity: SourceActivitySince,
) -> Edition:
    """Return the requested edition of these picks, or with the reason why it is quiet.

    ``scores`` are those of all candidates.
    """
    return Edition(
        reader=request.reader,
        profile_title=request.profile.title,
        date=request.day,
        composed_at=now,
        picks=tuple(picks),
        considered=len(scores),
        watermark=watermark,
        language=request.profile.language,
        is_weekly=request.profile.schedule.is_weekly,
        quiet=None if picks else quiet_reason(scores, request.profile.edition.threshold, activity),
    )
