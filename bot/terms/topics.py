"""A profile's text as topics: what the reader wants to read about, without the words that ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from bot.terms.abbreviations import Expansions, common_expansions, expanded
from bot.terms.tokens import Token, tokens
from bot.terms.vocabulary import is_general, names_topic, split_at_verbs

# Words that people ask with, as they are spelled: "learn" asks, "learning" is part of topics.
_REQUESTS = frozenset(
    """
    also anything appreciate article articles ask asks asking cover covering covers curious currently enjoy
    especially everything excited find follow fun happy hear hello help helps helping hi ideally include
    includes including interest interested interesting interests keen keep know latest learn like literature
    look looking looks love mainly mostly nice paper papers particular particularly phd please preferably
    prefer primarily project projects publication publications questions read reader reading reads recent
    related relevant research researcher researchers scientist see send something specially stuff tell
    thanks thing things topic topics understand update updates want wants welcome wish wonder work working
    works yes
    """.split()
)
_SUBJECTS = frozenset({"i", "we", "who"})  # what follows is a verb: "I study ..."
# Named alone these would fit nearly every paper.
_TOO_BROAD = frozenset(
    "ai algorithm approach artifici data learn machin method model network result scienc system task technolog".split()
)
_SEGMENT_END = re.compile(r"[.,;:!?()\[\]\"“”•*|&]|\n|\b(?:and|or|but)\b", re.IGNORECASE)
_WRAP = re.compile(r"(?<=[^\n]{50})\n(?![ \t]*[\n–-])")  # a line's end that is no item's end
_HOW = re.compile(r"\bhow (?:can|could|do|does|should|to|well)\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:not(?! only)|no|except|excluding|rather than|instead of)\s[^.,;:!?()]*", re.IGNORECASE
)
_NOUN_ENDINGS = ("ness", "ity", "ion", "ing", "ment", "ics", "ance", "ence", "sis", "s", "y")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic in the reader's own words, and as stems with abbreviations expanded.

    Topics of one ``segment`` ("reinforcement learning for language models") are meant together; those of different
    ones, divided by a comma, "and" or "or", are alternatives.
    """

    text: str
    stems: tuple[str, ...]
    segment: int = 0

    @property
    def terms(self) -> tuple[str, ...]:
        """Its stems and their bigrams, as ``stem_terms`` gives them."""
        return (*self.stems, *(f"{a} {b}" for a, b in pairwise(self.stems)))


def profile_topics(text: str, expansions: Expansions | None = None) -> tuple[Topic, ...]:
    """The topics that a reader wrote, in their order, each once; what is asked not to come ("no robots") is none.

    Requests, verbs behind "I" or "we", and general academic vocabulary are left out; a general word counts where the
    reader named it alone, as an item of a list. If nothing is left, every word counts that is no request.

    >>> [t.text for t in profile_topics("I work on reward hacking. How do models help reasoning, but not robots?")]
    ['reward hacking', 'reasoning']
    """
    expansions = common_expansions() if expansions is None else expansions
    text = _NEGATED.sub(_blanked, text)
    segments = list(_segments(text))
    runs = [(place, run) for place, segment in segments for run in _topical(segment)]
    if not runs:
        runs = [(place, [token]) for place, segment in segments for token in segment]
    topics: dict[tuple[str, ...], Topic] = {}
    for place, run in runs:
        spelling = " ".join(text[run[0].start : run[-1].end].split())
        topic = Topic(spelling, expanded((t.stem for t in run), expansions), place)
        topics.setdefault(topic.stems, topic)
    return tuple(topics.values())


def _segments(text: str) -> Iterator[tuple[int, list[Token]]]:
    """The tokens between punctuation, "and" and "or", without those that ask, and the number of the segment."""
    flowing = _WRAP.sub(" ", text)
    ends = [end.start() for end in _SEGMENT_END.finditer(flowing)]
    place = 0
    by_segment: dict[int, list[tuple[Token, bool]]] = {}
    for token in tokens(flowing):
        while place < len(ends) and ends[place] < token.start:
            place += 1
        asks = (
            token.spelling.lower() in _REQUESTS
            or _last_word(text[max(0, token.start - 12) : token.start]) in _SUBJECTS
        )
        by_segment.setdefault(place, []).append((token, asks))
    for place, asked in by_segment.items():
        segment = [token for token, asks in asked if not asks]
        start = ends[place - 1] if place else 0
        # "How do language models hallucinate" ends in its verb, if that isn't one that asks.
        ends_in_verb = len(segment) > 2 and not asked[-1][1] and _HOW.search(text, start, segment[0].start)
        yield from [(place, segment[:-1]), (place, segment[-1:])] if ends_in_verb else [(place, segment)]


def _topical(segment: Sequence[Token]) -> list[list[Token]]:
    if len(segment) == 1:
        return [list(segment)] if _can_stand_alone(segment[0]) else []
    phrases = [list(group) for _, group in groupby(segment, key=lambda token: token.phrase)]
    runs = [run for phrase in phrases for part in _contiguous(phrase) for run in split_at_verbs(part)]
    return [run for run in runs if names_topic([t.stem for t in run]) or len(run) > 1]


def _contiguous(phrase: Sequence[Token]) -> list[list[Token]]:
    """A phrase cut where a word that asks was taken out."""
    parts: list[list[Token]] = []
    for token in phrase:
        if parts and token.start - parts[-1][-1].end <= 1:
            parts[-1].append(token)
        else:
            parts.append([token])
    return parts


def _can_stand_alone(token: Token) -> bool:
    if not is_general(token.stem):
        return True
    return token.stem not in _TOO_BROAD and token.spelling.endswith(_NOUN_ENDINGS)


def _last_word(text: str) -> str:
    return next(iter(text.lower().split()[-1:]), "")


def _blanked(match: re.Match[str]) -> str:
    """Spaces for what is negated; "but" ends it."""
    negated, but, rest = re.split(r"(\bbut\b|$)", match[0], maxsplit=1)
    return "," + " " * (len(negated) - 1) + but + rest
