"""What an edition says in words, the same in every channel: plain text, which the channel has to escape."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import date

from bot.domain import Edition, EditionKind, Paper, Pick, PickKind, QuietReason, ReasonKind
from bot.rendering.latex import readable
from bot.rendering.text import oneline, shorten

TITLE_WIDTH = 300
SUBJECT_WIDTH = 70
_MARKS = {PickKind.EXPLORE: "A guess, to learn from", PickKind.ALERT: "On your alert list"}
_NAMED_AUTHORS = 3
_OTHER_SIGHTINGS = 3


def title(paper: Paper) -> str:
    """The title, readable and on one line."""
    return shorten(readable(paper.title), TITLE_WIDTH)


def authors(paper: Paper, always: Collection[str] = ()) -> str:
    """``A, B, C and 5 more``; ``by 8 authors`` where they were only counted; empty where not even that.

    Those named in ``always``, in any case, are never among the others: ``A, B, C, F and 4 more``.
    """
    count = len(paper.authors)
    if not count:
        return f"by {_count(paper.author_count, 'author')}" if paper.author_count else ""
    followed = {_folded(name) for name in always}
    named = count if count <= _NAMED_AUTHORS + 1 else _NAMED_AUTHORS
    shown = [
        shorten(readable(author), 60)
        for place, author in enumerate(paper.authors)
        if place < named or (followed and _folded(author) in followed)
    ]
    if len(shown) < count:
        return f"{', '.join(shown)} and {count - len(shown)} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def credits_of(pick: Pick) -> str:
    """The paper's authors; one who is followed, or on the alert list, is always named."""
    alerts = (reason.term for reason in pick.reasons if reason.kind is ReasonKind.ALERT)
    return authors(pick.paper, [*alerts, pick.followed or ""])


def day(when: date) -> str:
    """``6 May 2025``."""
    return f"{when.day} {when:%b} {when.year}"


def percent(probability: float) -> str:
    """``92%``; never 0 or 100, as no model is that sure."""
    return f"{min(99, max(1, round(100 * probability)))}%"


def seen(paper: Paper) -> list[str]:
    """Where and when it appeared: ``LLM-RL``, ``5 May 2025``, then ``also in Daily Papers, 17 Apr 2026``.

    Between them ``version 2``, where that is the newest.
    """
    places = dict.fromkeys((shorten(s.topic or s.source, 60), s.date) for s in paper.sightings)
    if not places:
        return [day(paper.published)] if paper.published else []
    (topic, on), *others = places
    on = paper.published or on
    also = [f"also in {', '.join([place, *_days(then)])}" for place, then in others[:_OTHER_SIGHTINGS]]
    version = [f"version {paper.version}"] if (paper.version or 1) > 1 else []
    return [topic, *_days(on), *version, *also]


def match(pick: Pick) -> str:
    """How sure the model is: ``92% match``."""
    return f"{percent(pick.probability)} match"


def guess(pick: Pick) -> str:
    """What marks a pick that is no ordinary match, an alert with what fired it; empty for all others."""
    alerts = ", ".join(oneline(reason.term) for reason in pick.reasons if reason.kind is ReasonKind.ALERT)
    return _MARKS.get(pick.kind, "") + (f" ({alerts})" if alerts else "")


def label(pick: Pick) -> str:
    """Both on one line: ``A guess, to learn from: 50% match``."""
    return ": ".join(part for part in (guess(pick), match(pick)) if part)


def reasons(pick: Pick) -> list[str]:
    """Why it was picked, strongest claim first, each a phrase; what weighs against it comes last."""
    keywords = [oneline(r.term) for r in pick.reasons if r.kind is ReasonKind.KEYWORD and r.weight > 0]
    words = [oneline(r.term) for r in pick.reasons if r.kind is ReasonKind.WORD and r.weight > 0]
    trending = [oneline(r.term) for r in pick.reasons if r.kind is ReasonKind.TRENDING]
    against = [oneline(r.term) for r in pick.reasons if r.weight < 0]
    found = {
        "You follow": oneline(pick.followed or ""),
        "Your keyword:" if len(keywords) == 1 else "Your keywords:": ", ".join(keywords),
        "Because of:": ", ".join(words),
        "Trending:": ", ".join(trending),
        "Resembles": f"“{shorten(readable(pick.because), 80)}”, which you liked" if pick.because else "",
        "Despite:": ", ".join(against),
    }
    return [f"{claim} {what}" for claim, what in found.items() if what]


def tally(edition: Edition) -> str:
    """``7 picks from 143 new papers``; without picks the papers alone; for an alert or a test that it is one.

    Says also which sources the edition was made without.
    """
    if edition.is_test:
        return f"a test, counted nowhere · {tally(replace(edition, is_test=False))}"
    if edition.kind is EditionKind.ALERT:
        return "an alert, ahead of your next edition"
    papers = _count(edition.considered, "new paper")
    papers = f"{_count(len(edition.picks), 'pick')} from {papers}" if edition.picks else papers
    if not edition.missing or (edition.quiet and edition.quiet.reason is QuietReason.FAILING):
        return papers  # such a reason names the sources itself
    return f"{papers}, without {' and '.join(edition.missing)}, which could not be read"


def subject(edition: Edition) -> str:
    """The best paper's title, cut to some 70 characters, and how many more there are; an alert and a test say so."""
    if edition.is_test:
        return f"Test: {subject(replace(edition, is_test=False))}"
    if not edition.picks:
        return shorten(f"A quiet day for {edition.profile_title}", SUBJECT_WIDTH)
    if edition.kind is EditionKind.ALERT:
        return shorten(f"Alert: {title(edition.picks[0].paper)}", SUBJECT_WIDTH)
    more = f" + {len(edition.picks) - 1} more" if len(edition.picks) > 1 else ""
    return shorten(title(edition.picks[0].paper), SUBJECT_WIDTH - len(more)) + more


def preheader(edition: Edition) -> str:
    """What a mail program shows after the subject: the next titles, or the only pick's first sentence."""
    if not edition.picks:
        return shorten(quiet(edition), 120)
    if len(edition.picks) == 1:
        return shorten(readable(" ".join(s.text for s in edition.picks[0].summary[:1])), 120)
    return "Also: " + "; ".join(shorten(title(pick.paper), 60) for pick in edition.picks[1:3])


def quiet(edition: Edition) -> str:
    """Why there are no picks."""
    return oneline(edition.quiet.words if edition.quiet else "Nothing new today.")


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _days(when: date | None) -> list[str]:
    return [day(when)] if when else []
