"""What a profile says outright: words that raise a paper, authors always shown, words never shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.domain import Paper, Reason, ReasonKind
from bot.terms import common_expansions, expanded, phrases

# What a keyword adds to a paper's log-odds: from one chance in twelve to one in four, from one in two to four in five.
KEYWORD_WEIGHT = 1.4


@dataclass(frozen=True, slots=True)
class Verdict:
    """What rules say of one paper: ``reasons`` of its keywords, the author followed, the mute that hides it."""

    reasons: tuple[Reason, ...]
    followed: str | None
    muted: str | None


@dataclass(frozen=True)
class Rules:
    """Terms match whole words, in any case: "R1" is not in "R1-Zero2" but in "R1-Zero".

    ``require`` holds groups of terms; a paper needs one of each group to be ranked at all. These match by stem, and
    abbreviations meet what they stand for: "reward models" is in "reward modeling", "language model" in "LLMs".
    """

    keywords: Sequence[str] = ()
    authors: Sequence[str] = ()
    mute: Sequence[str] = ()
    require: Sequence[Sequence[str]] = ()

    def __hash__(self) -> int:
        return hash((*self.keywords, *self.authors, *self.mute, *map(tuple, self.require)))

    def meets(self, stemmed: str) -> bool:
        """Whether a text, as ``stemmed_phrases`` gives it, has a term of each required group."""
        return all(any(term in stemmed for term in group) for group in self._required)

    @cached_property
    def _required(self) -> list[list[str]]:
        """The terms of each group; a group of function words alone asks for nothing."""
        groups = [[stemmed_phrases(term) for term in group] for group in self.require]
        return [known for group in groups if (known := [term for term in group if term.strip()])]

    def verdict(self, paper: Paper) -> Verdict:
        """All that the rules say of a paper."""
        text = f"{paper.title}\n{paper.abstract}".casefold()
        raised = (word for word, pattern in self._keyword_patterns if pattern.found(text))
        return Verdict(
            reasons=tuple(Reason(word, KEYWORD_WEIGHT, ReasonKind.KEYWORD) for word in raised),
            followed=self.followed(paper),
            muted=next((word for word, pattern in self._mute_patterns if pattern.found(text)), None),
        )

    def reasons(self, paper: Paper) -> tuple[Reason, ...]:
        """One for each keyword that the paper mentions."""
        return self.verdict(paper).reasons

    def followed(self, paper: Paper) -> str | None:
        """The first author whom the profile always shows."""
        if not self.authors:
            return None
        names = {_name(author) for author in paper.authors}
        return next((author for author in self.authors if _name(author) in names), None)

    def muted(self, paper: Paper) -> str | None:
        """The first muted term that the paper mentions."""
        return self.verdict(paper).muted

    @cached_property
    def _keyword_patterns(self) -> list[tuple[str, _Pattern]]:
        return [(word, _Pattern(word)) for word in self.keywords]

    @cached_property
    def _mute_patterns(self) -> list[tuple[str, _Pattern]]:
        return [(word, _Pattern(word)) for word in self.mute]


class _Pattern:
    """A term as whole words, whatever the white space between them."""

    def __init__(self, term: str) -> None:
        words = term.casefold().split()
        self._first = words[0] if words else ""
        spaced = r"\s+".join(map(re.escape, words))
        self._pattern = re.compile(rf"(?<!\w){spaced}(?!\w)")

    def found(self, text: str) -> bool:
        """Whether it is in a text, that is case-folded."""
        # Nearly all texts have not even the first word, and looking for that is a twentieth of the work.
        return self._first in text and self._pattern.search(text) is not None


def stemmed_phrases(text: str) -> str:
    """The stems of a text with abbreviations expanded, between spaces; phrases are parted by semicolons."""
    expansions = common_expansions()
    stems = (" ".join(expanded((token.stem for token in phrase), expansions)) for phrase in phrases(text))
    return f" {' ; '.join(stems)} "


def _name(author: str) -> str:
    return " ".join(author.casefold().split())
