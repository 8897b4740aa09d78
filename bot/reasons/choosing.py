"""Which few reasons are given for a pick: from its score, what the reader wrote, and what the reader voted."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import BonusKind, PickKind, Reason, ReasonKind, Score
from bot.reasons.evidence import Evidence
from bot.reasons.exploration import unjudged_phrase
from bot.reasons.paper_text import PaperText
from bot.reasons.together import liked_together
from bot.reasons.voted import learned_phrases, similar_liked_paper
from bot.reasons.written import nearest_topic, written_topics

# Beside so many topics and learned phrases a liked paper's title is too much to read.
_MAX_PHRASES_BESIDE_TITLE = 3
# A topic with less of all that speaks for a paper is not the whole reason.
_WHOLE_REASON = 0.5
_WRITTEN = (ReasonKind.WROTE, ReasonKind.MENTIONED)


def choose(
    paper: PaperText,
    score: Score,
    evidence: Evidence,
    kind: PickKind = PickKind.MATCH,
    alerted_by: Sequence[str] = (),
) -> tuple[Reason, ...]:
    """Return the reasons for one pick, the strongest claim first; never empty.

    ``score`` has its terms. Named are the profile's rules that the paper meets; topics that the reader wrote and the
    paper mentions, unless the model counts them against it; two of them that votes ask for together; phrases that
    votes support; where that is one topic, what the title has of another; the liked paper that has most of what
    speaks for this one. No two reasons name the same words.
    """
    keywords = [bonus.text for bonus in score.bonuses if bonus.kind is BonusKind.KEYWORD]
    rules = [Reason(ReasonKind.ALERT, name) for name in alerted_by]
    if score.followed:
        rules.append(Reason(ReasonKind.AUTHOR, score.followed))
    rules += [Reason(ReasonKind.KEYWORD, keyword) for keyword in keywords if keyword not in alerted_by]

    terms = score.terms
    written, covered = written_topics(
        paper, terms, evidence, {name.casefold() for name in (*keywords, *alerted_by)}
    )
    if not written:
        written, covered = nearest_topic(paper, terms, evidence)
    if kind is PickKind.EXPLORE:
        return (*rules, *(unjudged_phrase(paper, written, evidence) or written or [_overall(evidence)]))
    pairs = liked_together(paper, written, evidence)
    paired = {name for reason in pairs for name in (reason.text, reason.near)}
    written = [reason for reason in written if reason.text not in paired]
    reasons = [*rules, *written, *pairs, *learned_phrases(paper, terms, evidence, covered)]
    if len(reasons) == 1 and reasons[0].kind in _WRITTEN:
        # "Language models", alone, is true of half a home: what the title has of another topic says more.
        reasons += nearest_topic(paper, terms, evidence, covered)[0]
    if len(reasons) <= _MAX_PHRASES_BESIDE_TITLE:
        reasons += similar_liked_paper(paper, terms, evidence, covered)
    if len(reasons) == 1 and reasons[0].kind in _WRITTEN and evidence.votes.liked:
        # Most of what speaks for the paper was learned from votes.
        positive = sum([weight for weight in terms.values() if weight > 0])
        reasons += [_overall(evidence)] if reasons[0].weight < _WHOLE_REASON * positive else []
    reasons += [
        Reason(ReasonKind.TRENDING, bonus.text, bonus.weight)
        for bonus in score.bonuses
        if bonus.kind is BonusKind.TRENDING
    ]
    return tuple(reasons or [_overall(evidence)])


def _overall(evidence: Evidence) -> Reason:
    """Return the honest reason for a paper of which no phrase can be named."""
    if evidence.is_library_alone:
        return Reason(ReasonKind.LIBRARY_OVERALL)
    return Reason(ReasonKind.VOTES_OVERALL if evidence.votes.liked else ReasonKind.PROFILE_OVERALL)
