"""A profile's rules: keywords that raise a score, followed authors, muted words, required terms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.model import Bonus, Paper
from bot.text.tokens import phrases
from bot.text.topics import expanded

# What a keyword adds to a paper's log-odds: a probability of 1/12 becomes 1/4, of 1/2 becomes 4/5. Chosen for this
# effect: a keyword is a reader's demand, of which no vote tells how strong it is meant.
KEYWORD_WEIGHT = 1.4


@dataclass(frozen=True, slots=True)
class RuleMatches:
    """What one paper matches of the rules: a bonus for each keyword, the followed author, the matching mute."""

    bonuses: tuple[Bonus, ...]
    followed: str | None
    muted: str | None


@dataclass(frozen=True)
class Rules:
    """Terms match whole words, in any case: "R1" is not in "R1-Zero2" but in "R1-Zero".

    ``require`` holds groups of terms; a paper needs a term of each group to be ranked at all. These match by stem, and
    abbreviations match what they stand for: "reward models" is in "reward modeling", "language model" in "LLMs".
    """

    keywords: Sequence[str] = ()
    authors: Sequence[str] = ()
    mute: Sequence[str] = ()
    require: Sequence[Sequence[str]] = ()

    def __hash__(self) -> int:
        return hash((*self.keywords, *self.authors, *self.mute, *map(tuple, self.require)))

    def lacks(self, stemmed: str) -> tuple[str, ...]:
        """Return the first required group without a term in a text from ``stemmed_phrases``; empty if it has all."""
        for group, terms in self._required:
            if not any(term in stemmed for term in terms):
                return tuple(group)
        return ()

    @cached_property
    def _required(self) -> list[tuple[Sequence[str], list[str]]]:
        """Each group and its stemmed terms; a group of function words alone requires nothing."""
        stemmed = [
            (group, [stems for term in group if (stems := stemmed_phrases(term)).strip()]) for group in self.require
        ]
        return [(group, terms) for group, terms in stemmed if terms]

    def matches(self, paper: Paper) -> RuleMatches:
        """Apply keywords, followed authors and mutes to a paper."""
        text = paper.text.casefold()
        keywords = (word for word in self.keywords if self._patterns[word].matches(text))
        return RuleMatches(
            bonuses=tuple(Bonus(word, KEYWORD_WEIGHT) for word in keywords),
            followed=self.followed(paper),
            muted=next((word for word in self.mute if self._patterns[word].matches(text)), None),
        )

    def bonuses(self, paper: Paper) -> tuple[Bonus, ...]:
        """Return a bonus for each keyword that the paper mentions."""
        return self.matches(paper).bonuses

    def followed(self, paper: Paper) -> str | None:
        """Return the first followed author of the paper."""
        if not self.authors:
            return None
        names = {_name(author) for author in paper.authors}
        return next((author for author in self.authors if _name(author) in names), None)

    def muted(self, paper: Paper) -> str | None:
        """Return the first muted word that the paper mentions."""
        return self.matches(paper).muted

    @cached_property
    def _patterns(self) -> dict[str, _Pattern]:
        return {word: _Pattern(word) for word in (*self.keywords, *self.mute)}


class _Pattern:
    """A term as whole words, with any white space between them."""

    def __init__(self, term: str) -> None:
        words = term.casefold().split()
        self._first = words[0] if words else ""
        spaced = r"\s+".join(map(re.escape, words))
        self._pattern = re.compile(rf"(?<!\w){spaced}(?!\w)")

    def matches(self, text: str) -> bool:
        """Return whether a case-folded text has the term."""
        # Most texts lack even the first word; a substring search takes a twentieth of the time of the pattern.
        return self._first in text and self._pattern.search(text) is not None


def stemmed_phrases(text: str) -> str:
    """Return a text's stems with abbreviations expanded, between spaces; phrases are separated by semicolons."""
    stems = (" ".join(expanded(token.stem for token in phrase)) for phrase in phrases(text))
    return f" {' ; '.join(stems)} "


def _name(author: str) -> str:
    return " ".join(author.casefold().split())
