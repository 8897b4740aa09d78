"""Word papers and picks: reasons, credits, sightings, matches."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import groupby

from bot.model import (
    GOOD,
    Edition,
    Match,
    Paper,
    Pick,
    PickKind,
    Reason,
    ReasonKind,
)
from bot.model.wording import DEFAULT_LANGUAGE, listed, long_date, oneline, plural, shorten, wrap
from bot.text.languages import foreign_language
from bot.text.latex import readable
from bot.text.topics import read_interests

_MOST_UNREAD = 3
_SHOWN_INTERESTS = 60  # characters


def understood(interests: str) -> str:
    """Return the bot's reading of interests, empty without any topic or refusal.

    >>> understood("I work on LLM agents and planning, rather not robots.")
    'You want: LLM agents; planning. Rather not: robots. Ignored: “I work on”.'
    >>> understood("LLM agents, no reinforcement learning for robots.")
    'You want: LLM agents. Rather not: reinforcement learning for robots.'
    """
    read = [(paragraph, read_interests(paragraph)) for paragraph in interests.split("\n\n")]
    wanted = dict.fromkeys(topic.text for _, part in read for topic in part.wanted)
    refusals = [
        (text, list(group))
        for text, part in read
        for _, group in groupby(part.refused, key=lambda topic: topic.segment)
    ]
    refused = dict.fromkeys(
        text[group[0].place.start : group[-1].place.stop] if len(group) > 1 else group[0].text
        for text, group in refusals
    )
    unread = dict.fromkeys(f"“{text}”" for _, part in read for text in part.unread)
    left = [*list(unread)[:_MOST_UNREAD], *(["..."] if len(unread) > _MOST_UNREAD else [])]
    parts = [("You want", "; ".join(wanted)), ("Rather not", "; ".join(refused)), ("Ignored", ", ".join(left))]
    return " ".join(f"{name}: {oneline(text)}." for name, text in parts if text) if wanted or refused else ""


def interest_warnings(interests: str) -> list[str]:
    """Return a warning for each paragraph of interests that can match no paper, or isn't in English.

    >>> interest_warnings("reward models") + interest_warnings("不要机器人") + interest_warnings("")
    []
    >>> interest_warnings("Eulen und Mäuse, keine Falken")
    ['“Eulen und Mäuse, keine Falken” looks like German: write it in English, so that its topics and refusals are understood']
    >>> interest_warnings("脳")
    ['no paper can be matched with “脳”: single characters and words such as “the” are too little. Write more words, or English ones']
    """  # noqa: E501 - the messages as they are
    warnings = []
    for text in dict.fromkeys(filter(None, map(oneline, interests.split("\n\n")))):
        quoted, read = f"“{shorten(text, _SHOWN_INTERESTS)}”", read_interests(text)
        if not (read.wanted or read.refused):
            warnings.append(
                f"no paper can be matched with {quoted}: single characters and words such as “the” are too little. "
                "Write more words, or English ones"
            )
        elif language := foreign_language(text):
            remedy = "write it in English, so that its topics and refusals are understood"
            warnings.append(f"{quoted} looks like {language}: {remedy}")
    return warnings


TITLE_WIDTH = 300
_KIND_LABELS = {
    PickKind.EXPLORE: "Exploratory pick",
    PickKind.ALERT: "On your alert list",
    PickKind.CHOSEN: "You chose it",
}
_PUBLIC_KIND_LABELS = {**_KIND_LABELS, PickKind.ALERT: "On this list's alerts", PickKind.CHOSEN: "Chosen by hand"}
# Credits or label name these.
_NAMED_BY_RULES = (ReasonKind.ALERT, ReasonKind.AUTHOR)
_PAPERS = (ReasonKind.LIKED, ReasonKind.SAVED, ReasonKind.OWNED, ReasonKind.CITES_LIKED, ReasonKind.CITES_OWNED)
_MARKS = {Match.STRONG: "●●●", Match.GOOD: "●●○", Match.POSSIBLE: "●○○", Match.UNLIKELY: "○○○"}
_NAMED_AUTHORS = 3
_NAMED_MEMBERS = 3
LIKED_ELSEWHERE = "Liked in your group"
_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}\.? [A-Z][a-z]{2,8}\.? \d{4}|[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4})"
_DATE_AT_END = re.compile(rf"^{_DATE}\)?[\s,:;–-]*|[\s,:;(–-]*(?:\bof |\bfor |\bon )?{_DATE}\)?$")
_FIRST_LINE = 200  # characters, as in previews of a link
_OTHER_SIGHTINGS = 3
TOPICAL = (
    ReasonKind.KEYWORD,
    ReasonKind.WROTE,
    ReasonKind.MENTIONED,
    ReasonKind.NEAR,
    ReasonKind.LEARNED,
    ReasonKind.LEARNED_FROM_LIBRARY,
)
SHORT_TITLE_WIDTH = 80
PHRASE_WIDTH = 60
# ``names`` are the texts of a kind's reasons, ``quoted`` the same in quotation marks. Labels have an alert's reasons.
_CLAUSES: Mapping[ReasonKind, str] = {
    ReasonKind.ALERT: "",
    ReasonKind.AUTHOR: "by {names}, whom you follow",
    ReasonKind.CITES_LIKED: "cites {quoted}, which you liked",
    ReasonKind.CITES_OWNED: "cites {quoted}, which {are} in your library",
    ReasonKind.KEYWORD: "it has your keyword{s} {quoted}",
    ReasonKind.WROTE: "it names your {quoted}",
    ReasonKind.MENTIONED: "it names your {quoted}",
    ReasonKind.NEAR: "close to your “{near}”: it is on {quoted}",
    ReasonKind.LEARNED: "papers you liked mention {quoted}",
    ReasonKind.LIKED: "like {quoted}, which you liked",
    ReasonKind.SAVED: "like {quoted}, which you saved",
    ReasonKind.OWNED: "like {quoted}, which is in your library",
    ReasonKind.LEARNED_FROM_LIBRARY: "papers in your library mention {quoted}",
    ReasonKind.TRENDING: "trending: {names}",
    ReasonKind.PHRASES: "in its favour: {quoted}",
    ReasonKind.LIKES: "close to papers that you liked",
    ReasonKind.LIBRARY: "close to papers in your library",
}
# On pages that strangers see.
_PUBLIC_CLAUSES: Mapping[ReasonKind, str] = {
    **_CLAUSES,
    ReasonKind.AUTHOR: "by {names}, whom this list follows",
    ReasonKind.CITES_LIKED: "cites {quoted}, which this list's reader liked",
    ReasonKind.CITES_OWNED: "cites {quoted}, which {are} in this list's library",
    ReasonKind.KEYWORD: "it has this list's keyword{s} {quoted}",
    ReasonKind.WROTE: "it names this list's {quoted}",
    ReasonKind.MENTIONED: "it names this list's {quoted}",
    ReasonKind.NEAR: "close to this list's “{near}”: it is on {quoted}",
    ReasonKind.LEARNED: "papers that this list's reader liked mention {quoted}",
    ReasonKind.LIKED: "like {quoted}, which this list's reader liked",
    ReasonKind.SAVED: "like {quoted}, which this list's reader saved",
    ReasonKind.OWNED: "like {quoted}, which is in this list's library",
    ReasonKind.LEARNED_FROM_LIBRARY: "papers in this list's library mention {quoted}",
    ReasonKind.LIKES: "close to papers that this list's reader liked",
    ReasonKind.LIBRARY: "close to papers in this list's library",
}


@lru_cache(maxsize=10_000)
def sentence(reasons: tuple[Reason, ...], *, is_public: bool = False) -> str:
    """Return all reasons except alerts in one sentence, empty without any. A public one names a list, not you.

    >>> written = (Reason(ReasonKind.WROTE, "reward hacking"), Reason(ReasonKind.WROTE, "LLMs"))
    >>> sentence((*written, Reason(ReasonKind.LIKED, "Reward hacking in RLHF")))
    'It names your “reward hacking” and “LLMs”; like “Reward hacking in RLHF”, which you liked.'
    """
    clause_of = _PUBLIC_CLAUSES if is_public else _CLAUSES
    # Old editions' reasons may lack the topic that they are close to.
    named = (
        reason
        for reason in reasons
        if reason.kind is not ReasonKind.ALERT and (reason.near or reason.kind is not ReasonKind.NEAR)
    )
    clauses = []
    for clause, group in groupby(named, key=lambda reason: clause_of[reason.kind]):
        same = list(group)
        width = SHORT_TITLE_WIDTH if same[0].kind in _PAPERS else PHRASE_WIDTH
        texts = [cut(reason.text, width) for reason in same]
        clauses.append(
            clause.format(
                names=listed(texts),
                quoted=listed([f"“{text}”" for text in texts]),
                near=cut(same[0].near, PHRASE_WIDTH),
                s="" if len(texts) == 1 else "s",
                are="is" if len(texts) == 1 else "are",
            )
        )
    joined = "; ".join(clauses)
    return f"{joined[0].upper()}{joined[1:]}." if joined else ""


@lru_cache(maxsize=10_000)
def cut(text: str, width: int) -> str:
    return shorten(readable(text), width)


def title(paper: Paper) -> str:
    return cut(paper.title, TITLE_WIDTH)


def authors(paper: Paper, always: Collection[str] = ()) -> str:
    """Return ``A, B, C and 5 more``, or ``by 8 authors`` if only their number is available.

    Authors in ``always``, compared without case, are named too: ``A, B, C, F and 4 more``.
    """
    count = len(paper.authors)
    if not count:
        return f"by {plural(paper.author_count, 'author')}" if paper.author_count else ""
    followed = {_folded(name) for name in always}
    # "and 1 more" would be as long.
    limit = count if count <= _NAMED_AUTHORS + 1 else _NAMED_AUTHORS
    names = [
        shorten(readable(author), 60)
        for index, author in enumerate(paper.authors)
        # Large collaborations have 3,000 authors.
        if index < limit or (followed and _folded(author) in followed)
    ]
    if len(names) < count:
        return f"{', '.join(names)} and {count - len(names)} more"
    return listed(names)


def credits_of(pick: Pick) -> str:
    """Return the authors. Followed and alerted ones are always named."""
    return authors(pick.paper, [reason.text for reason in pick.reasons if reason.kind in _NAMED_BY_RULES])


def percent(probability: float) -> str:
    """Return a probability as ``92%``, never 0 % or 100 %."""
    # A rounded "100% match" would promise certainty.
    return f"{min(99, max(1, round(100 * probability)))}%"


def numbered(text: str, position: int) -> str:
    return wrap(text, "    ", f"{position:2d}. ")


def seen(paper: Paper, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Return ``LLM-RL``, ``5 May 2025``, ``also in Daily Papers, 17 Apr 2026``.

    Revised papers have ``version 2`` after the date. The reader's alerts come last: ``via your alert on Ada Lovelace
    (new citations)``.
    """
    appearances: dict[str, date | None] = {}
    for sighting in paper.sightings:
        # The date of "Daily Papers - 2025-05-06" stands beside it.
        name = _DATE_AT_END.sub("", sighting.topic) if sighting.date else sighting.topic
        appearances.setdefault(shorten(name or sighting.source, 60), sighting.date)
    if not appearances:
        return [long_date(paper.published, language)] if paper.published else []
    (topic, first_seen), *others = appearances.items()
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
    return match_label(pick.probability)


def match_label(probability: float) -> str:
    """Return ``Strong match``."""
    return f"{Match.for_probability(probability).capitalize()} match"


def good_match(probability: float) -> str:
    """Return the label of a match for lists of all papers, where most are possible or unlikely matches.

    >>> good_match(0.4), good_match(0.39)
    ('Good match', '')
    """
    return match_label(probability) if probability >= GOOD else ""


def first_line(paper: Paper) -> str:
    return shorten(readable(paper.abstract), _FIRST_LINE) or authors(paper)


def strength(pick: Pick) -> str:
    """Return a mark: ``●●○`` for a good match."""
    return match_strength(pick.probability)


def match_strength(probability: float) -> str:
    return _MARKS[Match.for_probability(probability)]


def liked_by(edition: Edition, paper: Paper) -> str:
    """Return ``Ada and Ben liked this.`` or an empty string."""
    names = next((like.names for like in edition.group_likes if like.paper.id == paper.id), ())
    return f"{_names(names)} liked this." if names else ""


def liked_elsewhere(edition: Edition) -> list[tuple[Paper, str]]:
    picked_ids = {pick.paper.id for pick in edition.picks}
    return [(like.paper, _names(like.names)) for like in edition.group_likes if like.paper.id not in picked_ids]


def _names(names: Sequence[str]) -> str:
    shown = [oneline(name) for name in names[:_NAMED_MEMBERS]]
    left = len(names) - len(shown)
    return listed([*shown, f"{left} more"] if left else shown)


def kind_label(pick: Pick, *, is_public: bool = False) -> str:
    """Return the label of a pick that is no match or author, empty for these."""
    alerts = ", ".join(oneline(reason.text) for reason in pick.reasons if reason.kind is ReasonKind.ALERT)
    return (_PUBLIC_KIND_LABELS if is_public else _KIND_LABELS).get(pick.kind, "") + (f" ({alerts})" if alerts else "")


def label(pick: Pick) -> str:
    """Return ``Exploratory pick: good match``."""
    kind = kind_label(pick)
    return f"{kind}: {Match.for_probability(pick.probability)} match" if kind else match(pick)


def verdict(pick: Pick) -> str:
    """Return ``●●● Strong match. It names your “GRPO”``."""
    return f"{strength(pick)} {label(pick)}. {why(pick)}".strip()


def why(pick: Pick, *, is_public: bool = False) -> str:
    """Return the reasons in a sentence. An alert may have none."""
    return sentence(pick.reasons, is_public=is_public)


def news(pick: Pick) -> str:
    return pick.line or title(pick.paper)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
