"""Heavy phrases: whole, and without words in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.reasons.phrases import Phrase

# Of a part's weight, for the longer phrase to be named instead.
_NEARLY_ALL = 0.9


def whole_phrases(weights: Mapping[Phrase, float], covered: Iterable[str], most: int) -> list[Phrase]:
    """Return up to ``most`` phrases, the heaviest first; none repeats a word of another or a ``covered`` term.

    Where a longer phrase has nearly all of the weight, it stands for its part: "electronic health record" for "health
    record".
    """
    used = set(covered)
    chosen: list[Phrase] = []
    for phrase in sorted(weights, key=lambda phrase: (-weights[phrase], -len(phrase.stems))):
        if len(chosen) == most:
            break
        if phrase.overlaps(used):
            continue
        spaced = f" {' '.join(phrase.stems)} "
        containing = [
            other
            for other in weights
            if spaced in f" {' '.join(other.stems)} "
            and weights[other] >= _NEARLY_ALL * weights[phrase]
            and not other.overlaps(used)
        ]
        longest = max(containing, key=lambda other: (len(other.stems), weights[other]))
        chosen.append(longest)
        used |= longest.covers
    return chosen
