"""The wording of sections beside the picks, for each channel to render in its own way.

editions   news of papers that the reader liked, as spans
letters    which interests end
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from bot.channels.phrases import title
from bot.model import Edition, FollowUp, FollowUpKind, Letter, Paper
from bot.model.wording import long_date, oneline, shorten
from bot.text.latex import readable

FOLLOW_UPS = "Since you liked"
_WIDTH = 100  # characters of a liked paper's title, a venue and a name
_WORDS = re.compile(r"\S+\s*")


class Span(NamedTuple):
    """Part of a line: the paper to which it leads, if any, and whether it is emphasised."""

    text: str
    paper: Paper | None = None
    is_new: bool = False


def follow_ups(edition: Edition) -> list[list[Span]]:
    """Return a line for each liked paper that there is news of."""
    return [
        [Span(f"“{shorten(readable(follow_up.liked.title), _WIDTH)}”", follow_up.liked), *_news(follow_up)]
        for follow_up in edition.follow_ups
    ]


def in_text(line: Iterable[Span]) -> str:
    return "".join(span.text for span in line)


def _news(follow_up: FollowUp) -> Iterator[Span]:
    if follow_up.kind is FollowUpKind.CONTINUED:
        author = shorten(readable(follow_up.text), _WIDTH)
        yield Span(f": {author} has another paper on its topic, ")
        yield Span(f"“{title(follow_up.paper)}”" if follow_up.paper else "", follow_up.paper)
        yield Span(".")
    elif follow_up.kind is FollowUpKind.PUBLISHED:
        yield Span(" now has the DOI " if follow_up.text.startswith("10.") else " is now listed in ")
        yield Span(shorten(readable(follow_up.text), _WIDTH), follow_up.paper)
        yield Span(".")
    else:
        yield Span(f": version {follow_up.liked.version} {'says' if follow_up.before else 'adds'}, “")
        yield from changed(readable(follow_up.before), readable(follow_up.text))
        yield Span("”")


def changed(before: str, after: str) -> Iterator[Span]:
    """Yield a sentence of a later version, with the words that it replaces behind those that are new.

    >>> in_text(changed("Owls gain 3 points.", "Owls gain 5 points."))
    'Owls gain 5 [before: 3] points.'
    """
    if not before:
        yield Span(after)
        return
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        removed, added = "".join(old[first:last]).strip(), "".join(new[start:end])
        if tag == "equal":
            yield Span(added)
            continue
        yield Span(added.rstrip(), is_new=True)
        if removed:
            yield Span(f" [before: {removed}]" if added else f"[before: {removed}]")
        yield Span(" " if end < len(new) else "")


# Interests of the profile that end, in letters.
LEAVING = "What leaves your interests"
_TEXT_WIDTH = 80


def leaving(letter: Letter) -> list[str]:
    """Return a sentence for each interest whose last day is near."""
    return [
        f"“{shorten(oneline(interest.text), _TEXT_WIDTH)}” counts until "
        f"{long_date(interest.until, letter.edition.language)}."
        for interest in letter.leaving
    ]
