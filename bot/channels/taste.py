"""The part of the letter on how a reader's taste has moved, and on interests that end: plain text and links."""

from __future__ import annotations

from typing import NamedTuple

from bot.channels.papers import Links
from bot.model import ChangedPhrase, Letter, TasteChange
from bot.model.wording import listed, long_date, oneline, plural, shorten
from bot.text.latex import readable

HEADING = "How your taste has moved"
HEADING_LEAVING = "What leaves your interests"
AGAIN = "More of this again"
DONE = "Done with that"
_EXAMPLES = 2
_TITLE_WIDTH = 70  # characters, as in what was learned
_TEXT_WIDTH = 80


class Faded(NamedTuple):
    """What is said of a faded phrase, and the addresses of its two buttons, empty without pages."""

    text: str
    again: str
    done: str


def compared(letter: Letter) -> str:
    """Return which likes are compared; empty if nothing changed."""
    taste = letter.taste
    if taste is None:
        return ""
    since, earlier = (long_date(day, letter.edition.language) for day in (taste.since, taste.earlier))
    return f"Your {taste.recent} likes since {since}, beside the {taste.before} from {earlier} to then."


def grown(letter: Letter) -> list[str]:
    taste = letter.taste
    if taste is None:
        return []
    return [
        f"Grown: “{readable(phrase.text)}”, in {phrase.recent} of your {taste.recent} likes, and in "
        f"{phrase.before or 'none'} of the {taste.before} before. {_examples(phrase)}"
        for phrase in taste.grown
    ]


def faded(letter: Letter, links: Links) -> list[Faded]:
    taste = letter.taste
    if taste is None:
        return []
    return [
        Faded(
            f"Faded: “{readable(phrase.text)}”, in {phrase.recent or 'none'} of your {taste.recent} likes, and in "
            f"{phrase.before} of the "
            f"{taste.before} before. {_sent(phrase)} {_examples(phrase)}",
            *(links.taste(phrase, change) for change in (TasteChange.AGAIN, TasteChange.DONE)),
        )
        for phrase in taste.faded
    ]


def leaving(letter: Letter) -> list[str]:
    """Return a sentence for each interest whose last day is near."""
    return [
        f"“{shorten(oneline(interest.text), _TEXT_WIDTH)}” counts until "
        f"{long_date(interest.until, letter.edition.language)}."
        for interest in letter.leaving
    ]


def _sent(phrase: ChangedPhrase) -> str:
    if not phrase.sent:
        return "No new paper with it was sent to you since."
    return f"{plural(phrase.sent, 'new paper')} with it {'was' if phrase.sent == 1 else 'were'} sent to you since."


def _examples(phrase: ChangedPhrase) -> str:
    titles = [f"“{shorten(readable(paper.title), _TITLE_WIDTH)}”" for paper in phrase.papers[:_EXAMPLES]]
    return f"Such as {listed(titles)}."
