"""A score in rows for ``why``: whole phrases instead of stems, with the same sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.reasons.paper_text import PaperText


@dataclass(frozen=True, slots=True)
class Row:
    """What a phrase adds to the log-odds; ``in_paper`` is False where the model looks for it and the paper lacks it."""

    text: str
    weight: float
    in_paper: bool = True


def breakdown(paper: PaperText, terms: Mapping[str, float]) -> list[Row]:
    """Return the contributions of ``terms`` by phrase, the heaviest first; their weights have the same sum.

    A term counts in the heaviest phrase that has it, of equals in the longest; a term in no phrase has its own row.
    """
    remaining = dict(terms)
    rows = []
    for phrase in sorted(paper.phrases, key=lambda p: (-abs(p.weight(terms)), -len(p.stems))):
        contributing = [term for term in phrase.terms if term in terms]
        # A phrase that has a term in common with a heavier one is not whole any more.
        if contributing and all(term in remaining for term in contributing):
            rows.append(Row(phrase.text, sum([remaining.pop(term) for term in contributing])))
    for term, weight in remaining.items():
        words = [paper.spelled(stem) for stem in term.split()]
        in_paper = None not in words
        rows.append(
            Row(
                " ".join(word or stem for word, stem in zip(words, term.split(), strict=True)),
                weight,
                in_paper,
            )
        )
    return sorted(rows, key=lambda row: -abs(row.weight))
