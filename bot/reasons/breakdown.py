"""A score in rows for ``why``: whole phrases instead of stems, and nothing lost of the sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.reasons.phrasing import PaperText


@dataclass(frozen=True, slots=True)
class Row:
    """What a phrase of the paper adds to the log-odds; ``terms`` are the stems and bigrams that are in it."""

    text: str
    weight: float
    terms: tuple[str, ...]


def breakdown(paper: PaperText, contributions: Mapping[str, float]) -> list[Row]:
    """The contributions by phrase, the heaviest first; their weights add up to those of ``contributions``.

    A term counts in the heaviest phrase that has it, of equals in the longest; a term in no phrase has its own row.
    """
    left = dict(contributions)
    phrases = [(phrase, [t for t in phrase.all_terms if t in left]) for phrase in paper.phrases]
    phrases.sort(key=lambda one: (-abs(sum(left[t] for t in one[1])), -len(one[0].stems)))
    rows = []
    for phrase, terms in phrases:
        taken = tuple(term for term in terms if term in left)
        # A phrase that an earlier one has taken a part of is no whole phrase any more.
        if taken and len(taken) == len(terms):
            rows.append(Row(phrase.text, sum(left.pop(term) for term in taken), taken))
    spelled = paper.spelled()
    rows += [
        Row(" ".join(spelled.get(s, s) for s in term.split()), weight, (term,))
        for term, weight in left.items()
    ]
    return sorted(rows, key=lambda row: -abs(row.weight))
