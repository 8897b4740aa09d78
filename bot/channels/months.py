"""A month of a field in words and as bars of characters, the same in letters and on pages."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model import FieldMonth, GrownTopic
from bot.model.editions import LEAST_BEFORE, LEAST_OF_MONTH
from bot.model.wording import DEFAULT_LANGUAGE, month_name
from bot.text.latex import readable

_IN_A_LETTER = 4  # topics
_BAR = 16  # characters, of the largest share
_LEAST_SHARE = 0.0005  # below it, one digit would say that there is none


def heading(month: FieldMonth, language: str = DEFAULT_LANGUAGE) -> str:
    """Return ``Your field in May 2025``."""
    return f"Your field in {month_name(month.first, language)}"


def compared(month: FieldMonth, language: str = DEFAULT_LANGUAGE) -> str:
    """Return one sentence on how many papers were compared, and why nothing is said if so."""
    name = month_name(month.first, language)
    if not month.is_enough:
        return (
            f"Too few papers to tell what grew: of the sources that brought some in each of four months, "
            f"{month.papers:,} in {name} and {month.before:,} in the three months before; it takes "
            f"{LEAST_OF_MONTH} and {LEAST_BEFORE}."
        )
    papers = f"{_some(month.papers, month.came)} of {name}"
    before = f"{_some(month.before, month.came_before)} of the three months before"
    if not month.topics:
        return f"No topic doubled beyond what chance explains: {papers} were compared with {before}."
    return f"Compared: {papers}, and {before}."


def _some(papers: int, came: int) -> str:
    """Return a number of papers, and of how many they are.

    >>> _some(412, 0), _some(9_000, 12_000)
    ('412 papers', '9,000 papers (of 12,000)')
    """
    return f"{papers:,} papers" + (f" (of {came:,})" if came else "")


def letter_topics(month: FieldMonth) -> Sequence[GrownTopic]:
    """Return the topics that a letter has a place for."""
    return month.topics[:_IN_A_LETTER]


def name(topic: GrownTopic) -> str:
    """Return a topic as a line begins with it."""
    text = readable(topic.text)
    return text[:1].upper() + text[1:]


def counts(topic: GrownTopic, month: FieldMonth) -> str:
    """Return ``in 14 of 412 papers, and in 3 of 1,380 in the three months before``."""
    return (
        f"in {topic.papers:,} of {month.papers:,} papers, and in {topic.before or 'none'} of {month.before:,} in the "
        "three months before"
    )


def shares(topic: GrownTopic, month: FieldMonth) -> tuple[float, float]:
    """Return the topic's share of the papers of the month, and of those before, 0 to 1."""
    return topic.papers / month.papers, topic.before / month.before


def share(value: float) -> str:
    """Return a share as ``3.4%``."""
    return "under 0.1%" if 0 < value < _LEAST_SHARE else f"{100 * value:.1f}%"


def bars(topic: GrownTopic, month: FieldMonth, language: str = DEFAULT_LANGUAGE) -> list[tuple[str, str]]:
    """Return the topic's shares in the month and before: bars, in proportion to those of a letter, and figures."""
    signs = zip("█░", (f"in {month_name(month.first, language)}", "before"), strict=True)
    largest = max(shares(other, month)[0] for other in letter_topics(month))
    return [
        (sign * (round(_BAR * value / largest) or 1) if value else "", f"{share(value)} {when}")
        for value, (sign, when) in zip(shares(topic, month), signs, strict=True)
    ]
