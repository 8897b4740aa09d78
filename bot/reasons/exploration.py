"""The reason for an exploratory pick: what it is on that no judged paper has."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from bot.domain import Reason, ReasonKind
from bot.reasons.evidence import Evidence
from bot.reasons.paper_text import PaperText
from bot.reasons.phrases import Phrase


def unjudged_phrase(paper: PaperText, written: Sequence[Reason], evidence: Evidence) -> list[Reason]:
    """Return the most repeated phrase of the paper that no judged paper has, one of the title if possible.

    ``written`` are the reasons from the profile: the phrase is said to be close to the first of them.
    """
    familiar = {stem for topic in evidence.topics for stem in topic.stems} | paper.own_name
    repetitions = {
        phrase: min([paper.counts[stem] for stem in phrase.stems])
        for phrase in paper.phrases
        if familiar.isdisjoint(phrase.topical_stems)
        and phrase.is_whole
        and not phrase.is_adjective
        and not _is_end_of_familiar(phrase, paper, familiar)
        and not evidence.is_judged(phrase.bigrams or phrase.stems)
    }
    repeated = [phrase for phrase, times in repetitions.items() if times > 1]
    if not repeated:
        return []
    phrase = max(repeated, key=lambda p: (p.in_title, len(p.stems) > 1, repetitions[p]))
    close_to = (written[0].near or written[0].text) if written else ""
    return [Reason(ReasonKind.EXPLORATION, phrase.text, near=close_to)]


def _is_end_of_familiar(end: Phrase, paper: PaperText, familiar: AbstractSet[str]) -> bool:
    """Return whether the paper's phrase begins with a familiar word: "model agents" of "language model agents"."""
    length = len(end.stems)
    return any(
        phrase.stems[-length:] == end.stems and not familiar.isdisjoint(phrase.stems[:-length])
        for phrase in paper.phrases
    )
