"""Reasons from votes: phrases that liked papers have, and the liked paper that is most similar."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from bot.domain import PaperId, Reason, ReasonKind, is_library_paper
from bot.reasons.evidence import Evidence
from bot.reasons.paper_text import PaperText
from bot.reasons.whole_phrases import whole_phrases

_MAX_PHRASES = 2
# Of all that speaks for a paper, for a phrase to be named.
_MIN_SHARE = 0.05
# Least shares for a liked paper to be named. ``_BY_UNCOVERED``: of the weight of a paper's topical terms, by those that
# no other reason names; on these alone is it compared, as any liked paper has the reader's main topic. Of their weight,
# by the liked paper and by its visible title: with .35 and .15 it was often on something else.
_BY_UNCOVERED = 0.25
_BY_PAPER = 0.4
_BY_TITLE = 0.25
_MIN_COMMON_TERMS = 3


def learned_phrases(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, covered: set[str]
) -> list[Reason]:
    """Return the heaviest phrases that votes support, whole and without ``covered`` terms.

    A single word that the paper has once is none ("preferring", where liked papers are on preferences), nor is a
    phrase that goes on with a covered word ("large language" of "large language models").
    """
    if not evidence.votes.liked:
        return []
    least = _MIN_SHARE * sum([weight for weight in terms.values() if weight > 0])
    supported = {
        phrase: weight
        for phrase in paper.learnable_phrases
        if (weight := phrase.weight(terms)) > least
        and (phrase.is_whole or covered.isdisjoint(paper.stems_after.get(phrase.stems, ())))
        and evidence.excluded.isdisjoint(phrase.rare_terms)
        and evidence.supports(phrase.rare_terms)
    }
    kind = ReasonKind.LEARNED_FROM_LIBRARY if evidence.is_library_alone else ReasonKind.LEARNED
    return [
        Reason(kind, phrase.text, supported[phrase])
        for phrase in whole_phrases(supported, covered, _MAX_PHRASES)
    ]


def similar_liked_paper(
    paper: PaperText, terms: Mapping[str, float], evidence: Evidence, covered: set[str]
) -> list[Reason]:
    """Return the liked paper that has most of what speaks for this one beside ``covered``, if its title shows it."""
    if not evidence.votes.liked:
        return []
    speaking = {term: weight for term in paper.topical_terms if (weight := terms.get(term, 0.0)) > 0}
    uncovered = {
        term: weight
        for term, weight in speaking.items()
        if term not in covered and not covered.issuperset(paper.topical_terms[term])
    }
    total = sum(uncovered.values())
    if not total or total < _BY_UNCOVERED * sum(speaking.values()):
        return []
    visible: defaultdict[PaperId, float] = defaultdict(float)
    for term, weight in uncovered.items():
        for liked in evidence.visible_in.get(term, ()):
            visible[liked] += weight
    # Most picks are like the title of no liked paper, and need no comparison with all of their terms.
    if max(visible.values(), default=0.0) < _BY_TITLE * total:
        return []
    for liked, _, common in evidence.votes.most_overlapping(uncovered, _BY_PAPER):
        title = evidence.titles[liked]
        is_itself = title.casefold() == paper.title.casefold()
        if common >= _MIN_COMMON_TERMS and visible[liked] >= _BY_TITLE * total and not is_itself:
            if is_library_paper(liked):
                return [Reason(ReasonKind.OWNED, title)]
            return [Reason(ReasonKind.LIKED, title, paper=liked)]
    return []
