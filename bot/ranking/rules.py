"""What a profile says outright: words that raise a paper, authors always shown, words never shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.domain import Paper, Reason, ReasonKind

# What a keyword adds to a paper's log-odds: from one chance in twelve to one in four, from one in two to four in five.
KEYWORD_WEIGHT = 1.4


@dataclass(frozen=True)
class Rules:
    """Terms match whole words, in any case: "R1" is not in "R1-Zero2" but in "R1-Zero"."""

    keywords: Sequence[str] = ()
    authors: Sequence[str] = ()
    mute: Sequence[str] = ()

    def reasons(self, paper: Paper) -> tuple[Reason, ...]:
        """One for each keyword that the paper mentions."""
        text = _text(paper)
        return tuple(
            Reason(word, KEYWORD_WEIGHT, ReasonKind.KEYWORD)
            for word, pattern in self._keyword_patterns
            if pattern.search(text)
        )

    def followed(self, paper: Paper) -> str | None:
        """The first author whom the profile always shows."""
        names = {_name(author) for author in paper.authors}
        return next((author for author in self.authors if _name(author) in names), None)

    def muted(self, paper: Paper) -> str | None:
        """The first muted term that the paper mentions."""
        text = _text(paper)
        return next((word for word, pattern in self._mute_patterns if pattern.search(text)), None)

    @cached_property
    def _keyword_patterns(self) -> list[tuple[str, re.Pattern[str]]]:
        return [(word, _whole_words(word)) for word in self.keywords]

    @cached_property
    def _mute_patterns(self) -> list[tuple[str, re.Pattern[str]]]:
        return [(word, _whole_words(word)) for word in self.mute]


def _text(paper: Paper) -> str:
    return f"{paper.title}\n{paper.abstract}"


def _whole_words(term: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, term.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _name(author: str) -> str:
    return " ".join(author.casefold().split())
