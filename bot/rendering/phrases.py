"""The wording of an edition, the same in every channel; plain text, which the channel has to escape."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from bot.domain import Edition, EditionKind, Match, Paper, Pick, PickKind, QuietReason, ReasonKind
from bot.languages import DEFAULT_LANGUAGE, long_date
from bot.rendering import reasons
from bot.rendering.latex import readable
from bot.rendering.text import oneline, shorten, wrap
from bot.wording import listed, plural

TITLE_WIDTH = 300
# Mail programs on telephones show about 40 characters of a subject, those on desktops about 70.
SUBJECT_WIDTH = 70
_KIND_LABELS = {PickKind.EXPLORE: "Exploratory pick", PickKind.ALERT: "On your alert list"}
# Reasons whose text the credits or the label name.
_NAMED_BY_RULES = (ReasonKind.ALERT, ReasonKind.AUTHOR)
_MARKS = {Match.STRONG: "●●●", Match.GOOD: "●●○", Match.POSSIBLE: "●○○", Match.UNLIKELY: "○○○"}
_NAMED_AUTHORS = 3
_FIRST_LINE = 200  # characters, about what previews of a link show
_OTHER_SIGHTINGS = 3


def title(paper: Paper) -> str:
    """Return the title in plain Unicode on one line."""
    return _title(paper.title)


# A mail names a title up to six times, and many readers get the same papers.
@lru_cache(maxsize=10_000)
def _title(title: str) -> str:
    return shorten(readable(title), TITLE_WIDTH)


def authors(paper: Paper, always: Collection[str] = ()) -> str:
    """Return ``A, B, C and 5 more``; ``by 8 authors`` if only their number is available; empty without that.

    Authors in ``always``, compared without case, are named too: ``A, B, C, F and 4 more``.
    """
    count = len(paper.authors)
    if not count:
        return f"by {plural(paper.author_count, 'author')}" if paper.author_count else ""
    followed = {_folded(name) for name in always}
    # "and 1 more" would be as long as the name that it replaces.
    limit = count if count <= _NAMED_AUTHORS + 1 else _NAMED_AUTHORS
    names = [
        shorten(readable(author), 60)
        for index, author in enumerate(paper.authors)
        # Papers of large collaborations have 3,000 authors: fold their names only if somebody is followed.
        if index < limit or (followed and _folded(author) in followed)
    ]
    if len(names) < count:
        return f"{', '.join(names)} and {count - len(names)} more"
    return listed(names)


def credits_of(pick: Pick) -> str:
    """Return the paper's authors; followed authors and those on the alert list are always named."""
    return authors(pick.paper, [reason.text for reason in pick.reasons if reason.kind in _NAMED_BY_RULES])


def percent(probability: float) -> str:
    """Return a probability as ``92%``; never 0 % or 100 %."""
    # A logistic model never gives 0 or 1, and a rounded "100% match" would promise certainty.
    return f"{min(99, max(1, round(100 * probability)))}%"


def number(position: int) -> str:
    """Return a pick's position as it stands before its title in plain text; four characters below 100."""
    return f"{position:2d}. "


def numbered(text: str, position: int) -> str:
    """Return a paragraph in lines behind its position, for plain text."""
    return wrap(text, "    ", number(position))


def ordinal(position: int) -> str:
    """Return a pick's position as it stands before its title in HTML, and in the address of its anchor."""
    return str(position)


def seen(paper: Paper, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Return where and when a paper appeared: ``LLM-RL``, ``5 May 2025``, ``also in Daily Papers, 17 Apr 2026``.

    A revised paper has ``version 2`` after its date. The reader's own alerts come last: ``via your alert on Ada
    Lovelace (new citations)``.
    """
    # A dictionary as an ordered set: a digest that was read again names the same topic and date twice.
    appearances = dict.fromkeys(
        (shorten(sighting.topic or sighting.source, 60), sighting.date) for sighting in paper.sightings
    )
    if not appearances:
        return [long_date(paper.published, language)] if paper.published else []
    (topic, first_seen), *others = appearances
    published = paper.published or first_seen
    parts = [topic]
    if published:
        parts.append(long_date(published, language))
    if paper.version and paper.version > 1:
        parts.append(f"version {paper.version}")
    for other_topic, seen_on in others[:_OTHER_SIGHTINGS]:
        day = f", {long_date(seen_on, language)}" if seen_on else ""
        parts.append(f"also in {other_topic}{day}")
    alerts = dict.fromkeys(oneline(sighting.alert) for sighting in paper.sightings if sighting.alert)
    parts.extend(f"via your alert on {shorten(alert, 200)}" for alert in list(alerts)[:_OTHER_SIGHTINGS])
    return parts


def match(pick: Pick) -> str:
    """Return the estimated probability in words: ``Strong match``."""
    return match_label(pick.probability)


def match_label(probability: float) -> str:
    """Return a probability in words: ``Strong match``."""
    return f"{Match.of(probability).capitalize()} match"


def first_line(paper: Paper) -> str:
    """Return how the abstract begins, for previews of a shared link; the authors' names without an abstract."""
    return shorten(readable(paper.abstract), _FIRST_LINE) or authors(paper)


def strength(pick: Pick) -> str:
    """Return the match as a mark beside its words, which stays readable without colours: ``●●○`` for a good one."""
    return match_strength(pick.probability)


def match_strength(probability: float) -> str:
    """Return a probability as the mark beside its words."""
    return _MARKS[Match.of(probability)]


def kind_label(pick: Pick) -> str:
    """Return the label of an exploratory pick or an alert, the latter with its terms; empty for other picks."""
    alerts = ", ".join(oneline(reason.text) for reason in pick.reasons if reason.kind is ReasonKind.ALERT)
    return _KIND_LABELS.get(pick.kind, "") + (f" ({alerts})" if alerts else "")


def label(pick: Pick) -> str:
    """Return the pick's label and its match on one line: ``Exploratory pick: good match``."""
    kind = kind_label(pick)
    return f"{kind}: {Match.of(pick.probability)} match" if kind else match(pick)


def verdict(pick: Pick) -> str:
    """Return the match, with the pick's label, and its reasons: ``●●● Strong match. You wrote “GRPO”``."""
    return f"{strength(pick)} {label(pick)}. {why(pick)}".strip()


def why(pick: Pick) -> str:
    """Return the pick's reasons in one sentence; an alert may have none beside what triggered it."""
    return reasons.sentence(pick.reasons)


def tally(edition: Edition) -> str:
    """Return ``3 papers today; 412 looked at``, or ``412 new papers`` if none was picked; alerts and tests say so.

    A weekly edition says ``this week``.
    Sources that could not be read are named.
    """
    if edition.is_test:
        return f"a test, counted nowhere · {tally(replace(edition, is_test=False))}"
    papers = picked(edition)
    if edition.kind is EditionKind.ALERT:
        return papers
    if edition.picks:
        papers += f"; {edition.considered:,} looked at"
    if not edition.missing or (edition.quiet and edition.quiet.reason is QuietReason.FAILING):
        # This reason names the sources already.
        return papers
    return f"{papers}, without {' and '.join(edition.missing)}, which could not be read"


def picked(edition: Edition) -> str:
    """Return ``3 papers today``, or ``412 new papers`` if none was picked."""
    if edition.kind is EditionKind.ALERT:
        return "an alert, ahead of your next edition"
    if edition.picks:
        return f"{plural(len(edition.picks), 'paper')} {_period(edition)}"
    return plural(edition.considered, "new paper")


def list_heading(edition: Edition) -> str:
    """Return the heading of the list that an edition of several picks begins with."""
    return f"{_period(edition).capitalize()} in thirty seconds"


def subject(edition: Edition) -> str:
    """Return the best paper's title and the number of further picks, in 70 characters; alerts and tests say so."""
    if edition.is_test:
        # The prefix comes on top of the width: a test shows the subject exactly as the edition has it.
        return f"Test: {subject(replace(edition, is_test=False))}"
    if not edition.picks:
        return shorten(
            f"A quiet {'week' if edition.is_weekly else 'day'} for {edition.profile_title}", SUBJECT_WIDTH
        )
    if edition.kind is EditionKind.ALERT:
        return shorten(f"Alert: {title(edition.picks[0].paper)}", SUBJECT_WIDTH)
    more = f" + {len(edition.picks) - 1} more" if len(edition.picks) > 1 else ""
    return shorten(title(edition.picks[0].paper), SUBJECT_WIDTH - len(more)) + more


def preheader(edition: Edition) -> str:
    """Return the preview text that mail programs show after the subject: further titles, or the first sentence."""
    if not edition.picks:
        return shorten(quiet(edition), 120)
    if len(edition.picks) == 1:
        summary = edition.picks[0].summary
        return shorten(readable(summary[0].text), 120) if summary else ""
    return "Also: " + "; ".join(shorten(title(pick.paper), 60) for pick in edition.picks[1:3])


def quiet(edition: Edition) -> str:
    """Return why the edition has no picks."""
    return oneline(edition.quiet.words if edition.quiet else f"Nothing new {_period(edition)}.")


def _period(edition: Edition) -> str:
    return "this week" if edition.is_weekly else "today"


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
