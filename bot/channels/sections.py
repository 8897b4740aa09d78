"""The wording of sections beside the picks, for each channel to render in its own way.

editions   news of papers that the reader liked, as spans
letters    how the reader's taste has moved and which interests end; a month of the field, as on the web pages
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from bot.channels.papers import Links
from bot.channels.phrases import title
from bot.model import ChangedPhrase, Edition, FieldMonth, FollowUp, FollowUpKind, GrownTopic, Letter, Paper, TasteChange
from bot.model.editions import LEAST_BEFORE, LEAST_OF_MONTH
from bot.model.wording import DEFAULT_LANGUAGE, listed, long_date, month_name, oneline, plural, shorten
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
    return [[_liked(follow_up.liked), *_news(follow_up)] for follow_up in edition.follow_ups]


def in_text(line: Iterable[Span]) -> str:
    return "".join(span.text for span in line)


def _liked(paper: Paper) -> Span:
    return Span(f"“{shorten(readable(paper.title), _WIDTH)}”", paper)


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


# The part of the letter on how a reader's taste has moved, and on interests that end: plain text and links.
TASTE = "How your taste has moved"
TASTE_LEAVING = "What leaves your interests"
TASTE_AGAIN = "More of this again"
TASTE_DONE = "Done with that"
_EXAMPLES = 2
_TITLE_WIDTH = 70  # characters, as in what was learned
_TEXT_WIDTH = 80


class Faded(NamedTuple):
    """What is said of a faded phrase, and the addresses of its two buttons, empty without pages."""

    text: str
    again: str
    done: str


def taste_compared(letter: Letter) -> str:
    """Return which likes are compared; empty if nothing changed."""
    taste = letter.taste
    if taste is None:
        return ""
    since, earlier = (long_date(day, letter.edition.language) for day in (taste.since, taste.earlier))
    return f"Your {taste.recent} likes since {since}, beside the {taste.before} from {earlier} to then."


def taste_grown(letter: Letter) -> list[str]:
    taste = letter.taste
    if taste is None:
        return []
    return [
        f"Grown: “{readable(phrase.text)}”, in {phrase.recent} of your {taste.recent} likes, and in "
        f"{phrase.before or 'none'} of the {taste.before} before. {_examples(phrase)}"
        for phrase in taste.grown
    ]


def taste_faded(letter: Letter, links: Links) -> list[Faded]:
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


def taste_leaving(letter: Letter) -> list[str]:
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


# A month of a field in words and as bars of characters, the same in letters and on pages.
_IN_A_LETTER = 4  # topics
_BAR = 16  # characters, of the largest share
_LEAST_SHARE = 0.0005  # below it, one digit would say that there is none


def month_heading(month: FieldMonth, language: str = DEFAULT_LANGUAGE) -> str:
    """Return ``Your field in May 2025``."""
    return f"Your field in {month_name(month.first, language)}"


def month_compared(month: FieldMonth, language: str = DEFAULT_LANGUAGE) -> str:
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


def month_topics(month: FieldMonth) -> Sequence[GrownTopic]:
    """Return the topics that a letter has a place for."""
    return month.topics[:_IN_A_LETTER]


def month_topic(topic: GrownTopic) -> str:
    """Return a topic as a line begins with it."""
    text = readable(topic.text)
    return text[:1].upper() + text[1:]


def month_counts(topic: GrownTopic, month: FieldMonth) -> str:
    """Return ``in 14 of 412 papers, and in 3 of 1,380 in the three months before``."""
    return (
        f"in {topic.papers:,} of {month.papers:,} papers, and in {topic.before or 'none'} of {month.before:,} in the "
        "three months before"
    )


def month_shares(topic: GrownTopic, month: FieldMonth) -> tuple[float, float]:
    """Return the topic's share of the papers of the month, and of those before, 0 to 1."""
    return topic.papers / month.papers, topic.before / month.before


def month_share(value: float) -> str:
    """Return a share as ``3.4%``."""
    return "under 0.1%" if 0 < value < _LEAST_SHARE else f"{100 * value:.1f}%"


def month_bars(topic: GrownTopic, month: FieldMonth, language: str = DEFAULT_LANGUAGE) -> list[tuple[str, str]]:
    """Return the topic's shares in the month and before: bars, in proportion to those of a letter, and figures."""
    signs = zip("█░", (f"in {month_name(month.first, language)}", "before"), strict=True)
    largest = max(month_shares(other, month)[0] for other in month_topics(month))
    return [
        (sign * (round(_BAR * value / largest) or 1) if value else "", f"{month_share(value)} {when}")
        for value, (sign, when) in zip(month_shares(topic, month), signs, strict=True)
    ]
