"""The wording of the weekly letter, the same in every channel; plain text, which the channel has to escape."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from bot.domain import Letter, Paper
from bot.languages import long_date
from bot.rendering import phrases
from bot.rendering.text import oneline, shorten
from bot.wording import listed, plural

# A week of thirty likes would be longer than an edition.
_MOST_LIKED = 10


def subject(letter: Letter) -> str:
    """Return the subject, in 70 characters, which says that it is the week's letter."""
    parts = []
    if letter.liked:
        parts.append(f"{len(letter.liked)} liked")
    if letter.edition.picks:
        parts.append("one you missed")
    contents = ", ".join(parts) or "what your votes taught"
    return shorten(f"Your week in {letter.edition.profile_title}: {contents}", phrases.SUBJECT_WIDTH)


def preheader(letter: Letter) -> str:
    """Return the preview text that mail programs show after the subject."""
    pick = next(iter(letter.edition.picks), None)
    return f"One you missed: {phrases.title(pick.paper)}" if pick else votes(letter)


def week(letter: Letter) -> str:
    """Return the days of the week: ``3 May 2025 to 9 May 2025``."""
    last = letter.edition.date
    language = letter.edition.language
    return f"{long_date(last - timedelta(days=6), language)} to {long_date(last, language)}"


def liked(letter: Letter) -> Sequence[Paper]:
    """Return the liked papers that are listed, the last liked first."""
    return letter.liked[:_MOST_LIKED]


def votes(letter: Letter) -> str:
    """Return a sentence on the votes of the week."""
    if not (letter.liked or letter.disliked):
        return "You gave no votes this week. Each one changes what comes next."
    if not letter.liked:
        return f"None this week: you wanted less like {plural(letter.disliked, 'paper')}."
    hidden = len(letter.liked) - len(liked(letter))
    sentence = f"You liked {plural(len(letter.liked), 'paper')}"
    sentence += f", of which the last {len(liked(letter))} are listed" if hidden else ""
    if not letter.disliked:
        return f"{sentence}."
    return f"{sentence}, and wanted less like {plural(letter.disliked, 'other')}."


def learned(letter: Letter) -> list[str]:
    """Return what all votes so far taught, a sentence for what raises a paper and one for what lowers it."""
    sentences = []
    if letter.raised:
        sentences.append(f"What raises a paper, beyond your own words: {_quoted(letter.raised)}.")
    if letter.lowered:
        sentences.append(f"What lowers it: {_quoted(letter.lowered)}.")
    return sentences


def missed(letter: Letter) -> str:
    """Return what introduces the missed paper, or that there is none."""
    if letter.edition.picks:
        return "It reached Paperbot this week and was in none of your editions. By all your votes so far it would fit:"
    return "None: of this week's papers that your editions left out, none is a good match by all your votes so far."


def record(letter: Letter) -> str:
    """Return how many of the good and strong matches of a month were liked; empty with too few votes."""
    if letter.record is None:
        return ""
    votes_on = letter.record.voted
    number = "all" if letter.record.liked == votes_on else letter.record.liked
    return (
        f"In the last 30 days you voted on {plural(votes_on, 'paper')} that had been called a strong or "
        f"good match, and liked {number} of them."
    )


def _quoted(texts: Sequence[str]) -> str:
    return listed([f"“{oneline(text)}”" for text in texts])
