"""A paper's text as reasons need it: where topics stand, and which whole phrases carry weight."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from bot.terms import (
    Expansions,
    Spellings,
    Token,
    common_expansions,
    expanded,
    is_general,
    names_topic,
    tokens,
    topical_phrases,
)

LONGEST_PHRASE = 4  # words; what is longer is a sentence to a reader
_ADJECTIVE_ENDINGS = (
    "ative",
    "cial",
    "able",
    "ible",
    "ous",
    "tic",
    "ical",
    "ary",
    "less",
    "-grade",
    "-level",
    "-aware",
    "-driven",
)
_PUNCTUATION = re.compile(r"[.,;:!?()\[\]\"“”\n]")


@dataclass(frozen=True, eq=False)  # compared and hashed by identity: a paper has each phrase once
class Phrase:
    """A phrase of the paper, as it is spelled there and as stems; ``canonical`` has abbreviations expanded.

    ``is_whole`` where it somewhere ends as the paper's own phrase does, and not before its noun.
    """

    text: str
    stems: tuple[str, ...]
    in_title: bool = False
    is_whole: bool = True
    canonical: frozenset[str] = frozenset()

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its bigrams; of a single word the word."""
        return tuple(f"{a} {b}" for a, b in pairwise(self.stems)) or self.stems

    @cached_property
    def all_terms(self) -> tuple[str, ...]:
        """Its stems and bigrams, each once."""
        return tuple(dict.fromkeys((*self.stems, *(f"{a} {b}" for a, b in pairwise(self.stems)))))

    @cached_property
    def topical_stems(self) -> frozenset[str]:
        """Its stems that aren't general, all of them if all are; abbreviations as what they stand for, too."""
        stems = self.canonical | set(self.stems)
        return frozenset(s for s in stems if not is_general(s)) or stems

    @property
    def is_adjective(self) -> bool:
        """Whether it is one word that needs another behind it ("agentic")."""
        return len(self.stems) == 1 and self.text.lower().endswith(_ADJECTIVE_ENDINGS)

    def overlaps(self, covered: AbstractSet[str]) -> bool:
        """Whether it names again what stems and bigrams that are covered name."""
        return bool(covered & (self.topical_stems | {term for term in self.terms if " " in term}))


class PaperText:
    """Title and abstract of one paper; made once for all readers who get it."""

    def __init__(
        self, title: str, abstract: str, *, spellings: Spellings, expansions: Expansions | None = None
    ) -> None:
        expansions = common_expansions() if expansions is None else expansions
        self.title = title
        self._text = f"{title}\n{abstract}"
        self._title_end = len(title)
        self._expansions = expansions
        self.spellings = spellings
        self._tokens = tokens(self._text)
        self.counts = Counter(token.stem for token in self._tokens)
        self._canonical = self._expanded_stems()
        self.phrases = self._phrases()
        self.own_name = frozenset(token.stem for token in self._tokens if token.end <= title.find(":"))

    def says(self, stems: Sequence[str]) -> set[str] | None:
        """The stems with which the paper says this, abbreviated or not, function words aside; None where it doesn't."""
        wanted = list(stems)
        for start, (name, _) in enumerate(self._canonical):
            part = self._canonical[start : start + len(wanted)] if name == wanted[0] else []
            if [part_name for part_name, _ in part] == wanted:
                return {source for _, source in part}
        return None

    def _phrases(self) -> list[Phrase]:
        """Topical phrases and their topical parts, each once by its stems, in lower case if it is so anywhere."""
        spelled: dict[tuple[str, ...], Phrase] = {}
        for run in topical_phrases(self._text):
            for part in _parts(run):
                phrase = self._phrase(part, is_whole=part[-1] is run[-1])
                first = spelled.get(phrase.stems)
                if first is None:
                    spelled[phrase.stems] = phrase
                    continue
                text = phrase.text if first.text[0].isupper() else first.text
                is_whole = first.is_whole or phrase.is_whole
                spelled[phrase.stems] = replace(first, text=text, is_whole=is_whole)
        return list(spelled.values())

    def spelled(self) -> dict[str, str]:
        """Of each stem how the paper spells it last: in the abstract, where it is there."""
        return {token.stem: self.spellings.of(token.spelling) for token in self._tokens}

    def _phrase(self, part: Sequence[Token], *, is_whole: bool) -> Phrase:
        text = " ".join(self._text[part[0].start : part[-1].end].split())
        in_title = part[0].start < self._title_end
        stems = tuple(t.stem for t in part)
        return Phrase(
            self.spellings.of(text), stems, in_title, is_whole, frozenset(expanded(stems, self._expansions))
        )

    def _expanded_stems(self) -> list[tuple[str, str]]:
        """Each stem with the stem in the text that stands for it; punctuation stands between as an empty one."""
        canonical: list[tuple[str, str]] = []
        end = 0
        for token in self._tokens:
            if _PUNCTUATION.search(self._text, end, token.start):
                canonical.append(("", ""))
            canonical += [(part, token.stem) for part in self._expansions.get(token.stem, (token.stem,))]
            end = token.end
        return canonical


def weight_of(terms: Sequence[str], contributions: Mapping[str, float]) -> float:
    """The log-odds that these terms add, each once."""
    return sum(contributions.get(term, 0.0) for term in dict.fromkeys(terms))


def _parts(run: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The parts of a run that name a topic and aren't too long, the longest first; a single word only as its last."""
    for length in range(min(len(run), LONGEST_PHRASE), 0, -1):
        for start in range(0 if length > 1 else len(run) - 1, len(run) - length + 1):
            part = run[start : start + length]
            if names_topic([token.stem for token in part]):
                yield part
