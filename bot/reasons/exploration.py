"""The reason for an exploratory pick: what it is on that no judged paper has."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import Reason, ReasonKind
from bot.reasons.evidence import Evidence
from bot.reasons.paper_text import PaperText

# Whole fields, which say nothing new about a paper: "artificial intelligence", "machine learning", "deep learning".
_FIELDS = {("artifici", "intellig"), ("machin", "learn"), ("deep", "learn")}


def unjudged_phrase(paper: PaperText, written: Sequence[Reason], evidence: Evidence) -> list[Reason]:
    """Return the most repeated phrase of the paper that no judged paper has, one of the title if possible.

    ``written`` are the reasons from the profile: the phrase is said to be close to the first of them.
    """
    # Of the end of a familiar phrase ("model agents" of "language model agents"), the stems before it are familiar.
    familiar = {stem for topic in evidence.topics for stem in topic.stems} | paper.own_name
    repeated = {
        phrase: times
        for phrase, times in paper.explorable_phrases.items()
        if times > 1
        and phrase.stems not in _FIELDS
        and familiar.isdisjoint(phrase.topical_stems)
        and familiar.isdisjoint(paper.stems_before.get(phrase.stems, ()))
        and not evidence.is_judged(phrase.rare_terms)
    }
    if not repeated:
        return []
    phrase = max(repeated, key=lambda p: (p.in_title, len(p.stems) > 1, repeated[p]))
    close_to = (written[0].near or written[0].text) if written else ""
    return [Reason(ReasonKind.EXPLORATION, phrase.text, near=close_to)]
