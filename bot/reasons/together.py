"""Topics that a reader likes together: "reinforcement learning" with "language models", and rarely without."""

from __future__ import annotations

from collections.abc import Collection
from itertools import permutations

from bot.domain import Reason, ReasonKind
from bot.reasons.evidence import Evidence
from bot.reasons.paper_text import PaperText


def liked_together(paper: PaperText, written: Collection[Reason], evidence: Evidence) -> list[Reason]:
    """Return one pair of the topics that are named in ``written``, where votes ask for the second beside the first."""
    names = {reason.text for reason in written if reason.kind is ReasonKind.WROTE}
    if len(names) < 2:
        return []
    mentioned = [topic for topic in evidence.topics if paper.named(topic) in names]
    for topic, beside in permutations(mentioned, 2):
        # "Models" of "reward models" is part of it and not beside it.
        if set(topic.stems).isdisjoint(beside.stems) and evidence.supports_together(topic, beside):
            return [Reason(ReasonKind.TOGETHER, paper.named(topic), near=paper.named(beside))]
    return []
