"""The few sentences of an abstract that say most to one reader, word for word."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.edition.sentences import sentences
from bot.terms import terms

# What authors write where they say what they did and what came out of it, and where they only set the scene.
_TELLS = re.compile(
    r"\b(we|our|this (?:paper|work|study|article)|here|propos\w+|introduc\w+|present\w*|show\w*|find\w*|found|"
    r"demonstrat\w+|achiev\w+|outperform\w*|improv\w+|results?|experiments?|reach\w*|gains?|surpass\w*|beats?)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d+(?:\.\d+)?\s*(?:%|x\b|points?\b|×)")
_SETS_SCENE = re.compile(
    r"^(?:however|recent(?:ly)?|although|while|despite|existing|traditional|in recent years)\b", re.I
)

_TELLS_WORTH, _FIGURE_WORTH, _SCENE_COSTS = 0.5, 0.8, 0.6
# The reader's own words never outweigh what a sentence does in its abstract.
_INTEREST_WORTH = 1.0


def summarise(abstract: str, how_many: int, weights: Mapping[str, float]) -> tuple[str, ...]:
    """At most ``how_many`` sentences, in the abstract's order; a short abstract is shown whole.

    ``weights`` says what each term (``bot.terms``) matters to the reader.
    """
    all_sentences = sentences(abstract)
    if len(all_sentences) <= how_many:
        return tuple(all_sentences)
    touched = [_touch(sentence, weights) for sentence in all_sentences]
    most = max(touched, default=0.0) or 1.0
    worth = [
        _worth(sentence, place, len(all_sentences)) + _INTEREST_WORTH * touch / most
        for place, (sentence, touch) in enumerate(zip(all_sentences, touched, strict=True))
    ]
    best = sorted(range(len(worth)), key=lambda place: (-worth[place], place))[:how_many]
    return tuple(all_sentences[place] for place in sorted(best))


def _worth(sentence: str, place: int, count: int) -> float:
    """What a sentence does in its abstract, whoever reads it; the last ones tell what came out."""
    told = min(len(_TELLS.findall(sentence)), 3) * _TELLS_WORTH
    figures = _FIGURE_WORTH if _FIGURE.search(sentence) else 0.0
    scene = _SCENE_COSTS if _SETS_SCENE.match(sentence) else 0.0
    return told + figures - scene + place / count


def _touch(sentence: str, weights: Mapping[str, float]) -> float:
    """The reader's weights of the terms in a sentence."""
    return sum(max(weights.get(term, 0.0), 0.0) for term in set(terms(sentence)))
