"""From choices to an edition: each pick with its summary and the few reasons worth showing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain import Edition, Paper, PaperId, Pick, Reason, ReasonKind, Score
from bot.editions.candidates import EditionRequest
from bot.editions.quiet_days import SourceActivitySince, quiet_reason
from bot.selection.selector import Choice

_MAX_REASONS = 3
# A word that adds less log-odds than this is noise: it moves a probability of 50 % by 1.2 points.
_MIN_WEIGHT = 0.05
# Beside a heavy word a light one explains nothing: a reason has at least this share of the heaviest weight.
_MIN_SHARE = 0.25


def compose(
    request: EditionRequest,
    choices: Sequence[Choice],
    *,
    scores: Sequence[Score],
    papers: Mapping[PaperId, Paper],
    watermark: PaperId,
    now: datetime,
    activity: SourceActivitySince,
) -> Edition:
    """Return the requested edition with a pick for each choice, or with the reason why it is quiet.

    ``scores`` are those of all candidates. ``papers`` holds the chosen papers and the liked papers that reasons
    refer to.
    """
    rules = request.profile.edition
    picks = tuple(_pick(choice, papers, rules.summary_sentences) for choice in choices)
    return Edition(
        reader=request.reader,
        profile_title=request.profile.title,
        date=request.day,
        composed_at=now,
        picks=picks,
        considered=len(scores),
        watermark=watermark,
        quiet=None if picks else quiet_reason(scores, rules.threshold, activity),
    )


def _pick(choice: Choice, papers: Mapping[PaperId, Paper], summary_sentences: int) -> Pick:
    from bot.summaries import summarise  # see ``visible_reasons``

    score = choice.score
    paper = papers[score.paper]
    weights = {reason.term: reason.weight for reason in score.reasons if reason.kind is ReasonKind.WORD}
    # What triggered an alert comes first and whatever its weight: without it the reader could not tell why the
    # paper was sent at once.
    alerts = tuple(Reason(name, 0.0, ReasonKind.ALERT) for name in choice.alerted_by)
    unjudged = tuple(Reason(term, 0.0, ReasonKind.UNJUDGED) for term in choice.unjudged)
    reasons = (*alerts, *unjudged, *visible_reasons(score.reasons))
    return Pick(
        paper=paper,
        kind=choice.kind,
        probability=score.probability,
        reasons=reasons,
        summary=summarise(paper.abstract, summary_sentences, weights, [reason.term for reason in reasons]),
        because=papers[score.because].title if score.because is not None else None,
        followed=score.followed,
        predictions=score.predictions,
    )


def visible_reasons(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Return at most three of the heaviest positive reasons, keywords first, none contained in another.

    "reward model" makes "reward" and "model" redundant; the longer term takes the rank of its first part.
    """
    # Word lists and stemmers take a sixth of the start of `paperbot run`, which mostly has nothing to compose.
    from bot.terms import is_topical, singular

    visible: dict[frozenset[str], Reason] = {}
    min_weight = max(_MIN_WEIGHT, _MIN_SHARE * max((reason.weight for reason in reasons), default=0.0))
    for reason in sorted(reasons, key=lambda reason: (reason.kind is not ReasonKind.KEYWORD, -reason.weight)):
        # A keyword was chosen by the reader, so it is shown however little it adds.
        is_keyword = reason.kind is ReasonKind.KEYWORD and reason.weight > 0
        if reason.kind is ReasonKind.ABSENT or (reason.weight < min_weight and not is_keyword):
            continue
        # "strong performance" weighs something in every model and tells a reader nothing.
        if reason.kind is ReasonKind.WORD and not is_topical(reason.term):
            continue
        words = frozenset(singular(word) for word in reason.term.lower().split())
        if any(words <= longer for longer in visible):
            continue
        parts = [shorter for shorter in visible if shorter < words]
        if parts:
            first, *others = parts
            visible = {
                words if term == first else term: reason if term == first else earlier
                for term, earlier in visible.items()
                if term not in others
            }
        elif len(visible) < _MAX_REASONS:
            visible[words] = reason
    return tuple(visible.values())
