"""The wording of editions and letters, the same in every channel: plain text, which the channel has to escape.

In this order: reasons in a sentence, papers and picks, editions, the list of lines, the weekly letter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from bot.model import (
    SAMPLES,
    CatchUp,
    Edition,
    EditionKind,
    LearnedPhrase,
    Letter,
    Match,
    Paper,
    Pick,
    PickKind,
    QuietReason,
    Reason,
    ReasonKind,
)
from bot.model.wording import DEFAULT_LANGUAGE, listed, long_date, oneline, plural, shorten, wrap
from bot.text.latex import readable
from bot.text.topics import read_interests

_MOST_UNREAD = 3


def understood(interests: str) -> str:
    """Return how a profile's text is read, so that its reader can rephrase it; empty without any topic or refusal.

    >>> understood("I work on LLM agents and planning, rather not robots.")
    'You want: LLM agents; planning. Rather not: robots. Left unread: “I work on”.'
    """
    read = [read_interests(paragraph) for paragraph in interests.split("\n\n")]
    wanted = dict.fromkeys(topic.text for part in read for topic in part.wanted)
    refused = dict.fromkeys(topic.text for part in read for topic in part.refused)
    unread = dict.fromkeys(f"“{text}”" for part in read for text in part.unread)
    left = [*list(unread)[:_MOST_UNREAD], *(["..."] if len(unread) > _MOST_UNREAD else [])]
    parts = [("You want", "; ".join(wanted)), ("Rather not", "; ".join(refused)), ("Left unread", ", ".join(left))]
    return " ".join(f"{name}: {oneline(text)}." for name, text in parts if text) if wanted or refused else ""


TITLE_WIDTH = 300
# Mail programs on telephones show about 40 characters of a subject, those on desktops about 70.
SUBJECT_WIDTH = 70
# Where a line that is longer than a subject ends: before a further clause or phrase.
_LINE_ENDS = re.compile(
    r"[,;:] |\s(?=(?:while|whereas|with|without|by|in|on|for|via|across|compared|and|but|that|which)\s)"
)
_LEAST_LINE = 30  # characters
_KIND_LABELS = {PickKind.EXPLORE: "Exploratory pick", PickKind.ALERT: "On your alert list"}
# Reasons whose text the credits or the label name.
_NAMED_BY_RULES = (ReasonKind.ALERT, ReasonKind.AUTHOR)
# Reasons whose text is a title.
_PAPERS = (ReasonKind.LIKED, ReasonKind.OWNED, ReasonKind.CITES_LIKED, ReasonKind.CITES_OWNED)
_MARKS = {Match.STRONG: "●●●", Match.GOOD: "●●○", Match.POSSIBLE: "●○○", Match.UNLIKELY: "○○○"}
_OF_SAMPLES = " · samples: real papers, whose abstracts are in our words"
_NAMED_AUTHORS = 3
_NAMED_MEMBERS = 3
LIKED_ELSEWHERE = "Liked in your group"
_FIRST_LINE = 200  # characters, about what previews of a link show
_OTHER_SIGHTINGS = 3
# Of more picks, the list is grouped by topic.
_MOST_UNGROUPED = 6
TOPICAL = (
    ReasonKind.KEYWORD,
    ReasonKind.WROTE,
    ReasonKind.MENTIONED,
    ReasonKind.NEAR,
    ReasonKind.LEARNED,
    ReasonKind.LEARNED_FROM_LIBRARY,
)
# Of a specialist who reads abstracts.
_WORDS_A_MINUTE = 200
# Of what is the same for every pick: labels, links and buttons.
_WORDS_BESIDE = 20
_WORDS_OF_FRAME = 60  # heading and footer
# A week of thirty likes would be longer than an edition.
_MOST_LIKED = 10
_MOST_LESSONS = 3
_TITLE_WIDTH = 80
_PHRASE_WIDTH = 60
# Parts of a sentence, which begin in lower case: ``names`` are the texts of all reasons of the kind, ``quoted`` the
# same between quotation marks. What triggered an alert is in its label.
_CLAUSES: Mapping[ReasonKind, str] = {
    ReasonKind.ALERT: "",
    ReasonKind.AUTHOR: "by {names}, whom you follow",
    ReasonKind.CITES_LIKED: "cites {quoted}, which you liked",
    ReasonKind.CITES_OWNED: "cites {quoted}, which {are} in your library",
    ReasonKind.KEYWORD: "it has your keyword{s} {quoted}",
    ReasonKind.WROTE: "you wrote {quoted}",
    ReasonKind.MENTIONED: "it mentions {quoted}, which you wrote",
    ReasonKind.NEAR: "close to “{near}”, which you wrote: {quoted}",
    ReasonKind.LEARNED: "papers you liked mention {quoted}",
    ReasonKind.LIKED: "like {quoted}, which you liked",
    ReasonKind.OWNED: "like {quoted}, which is in your library",
    ReasonKind.LEARNED_FROM_LIBRARY: "papers in your library mention {quoted}",
    ReasonKind.TRENDING: "trending: {names}",
    ReasonKind.PHRASES: "what speaks for it: {quoted}",
}


def sentence(reasons: Sequence[Reason]) -> str:
    """Return all reasons in one sentence; empty without any. What triggered an alert is not repeated.

    >>> written = [Reason(ReasonKind.WROTE, "reward hacking"), Reason(ReasonKind.WROTE, "LLMs")]
    >>> sentence([*written, Reason(ReasonKind.LIKED, "Reward hacking in RLHF")])
    'You wrote “reward hacking” and “LLMs”; like “Reward hacking in RLHF”, which you liked.'
    """
    return _sentence(tuple(reasons))


# Both parts of a mail have it, and readers without votes have the same reasons.
@lru_cache(maxsize=10_000)
def _sentence(reasons: tuple[Reason, ...]) -> str:
    named = (reason for reason in reasons if reason.kind is not ReasonKind.ALERT)
    clauses = []
    for kind, group in groupby(named, key=lambda reason: reason.kind):
        of_kind = list(group)
        width = _TITLE_WIDTH if kind in _PAPERS else _PHRASE_WIDTH
        texts = [_shown(reason.text, width) for reason in of_kind]
        near = _shown(of_kind[0].near, _PHRASE_WIDTH)
        clauses.append(
            _CLAUSES[kind].format(
                names=listed(texts),
                quoted=listed([f"“{text}”" for text in texts]),
                near=near,
                s="" if len(texts) == 1 else "s",
                are="is" if len(texts) == 1 else "are",
            )
        )
    joined = "; ".join(clauses)
    return f"{joined[0].upper()}{joined[1:]}." if joined else ""


# A mail names a title up to six times, and many readers have the same reasons for the same papers.
@lru_cache(maxsize=10_000)
def _shown(text: str, width: int) -> str:
    return shorten(readable(text), width)


def title(paper: Paper) -> str:
    return _shown(paper.title, TITLE_WIDTH)


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
    return wrap(text, "    ", number(position))


def seen(paper: Paper, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Return where and when a paper appeared: ``LLM-RL``, ``5 May 2025``, ``also in Daily Papers, 17 Apr 2026``.

    A revised paper has ``version 2`` after its date. The reader's own alerts come last: ``via your alert on Ada
    Lovelace (new citations)``.
    """
    appearances: dict[str, date | None] = {}
    for sighting in paper.sightings:
        # Lists of recent papers repeat them: only the first date in each says something.
        appearances.setdefault(shorten(sighting.topic or sighting.source, 60), sighting.date)
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
    """Return a probability in words: ``Strong match``."""
    return f"{Match.for_probability(probability).capitalize()} match"


def first_line(paper: Paper) -> str:
    """Return how the abstract begins, for previews of a shared link; the authors' names without an abstract."""
    return shorten(readable(paper.abstract), _FIRST_LINE) or authors(paper)


def strength(pick: Pick) -> str:
    """Return the match as a mark beside its words, which stays readable without colours: ``●●○`` for a good one."""
    return match_strength(pick.probability)


def match_strength(probability: float) -> str:
    return _MARKS[Match.for_probability(probability)]


def liked_by(edition: Edition, paper: Paper) -> str:
    """Return who else of the reader's group likes a paper: ``Ada and Ben liked this.``; empty if nobody does."""
    names = next((like.names for like in edition.group_likes if like.paper.id == paper.id), ())
    return f"{_names(names)} liked this." if names else ""


def liked_elsewhere(edition: Edition) -> list[tuple[Paper, str]]:
    """Return the papers beside the picks that others of the reader's group like, each with who does: ``Ada``."""
    picked_ids = {pick.paper.id for pick in edition.picks}
    return [(like.paper, _names(like.names)) for like in edition.group_likes if like.paper.id not in picked_ids]


def _names(names: Sequence[str]) -> str:
    shown = [oneline(name) for name in names[:_NAMED_MEMBERS]]
    left = len(names) - len(shown)
    return listed([*shown, f"{left} more"] if left else shown)


def kind_label(pick: Pick) -> str:
    """Return the label of an exploratory pick or an alert, the latter with its terms; empty for other picks."""
    alerts = ", ".join(oneline(reason.text) for reason in pick.reasons if reason.kind is ReasonKind.ALERT)
    return _KIND_LABELS.get(pick.kind, "") + (f" ({alerts})" if alerts else "")


def label(pick: Pick) -> str:
    """Return the pick's label and its match on one line: ``Exploratory pick: good match``."""
    kind = kind_label(pick)
    return f"{kind}: {Match.for_probability(pick.probability)} match" if kind else match(pick)


def verdict(pick: Pick) -> str:
    """Return the match, with the pick's label, and its reasons: ``●●● Strong match. You wrote “GRPO”``."""
    return f"{strength(pick)} {label(pick)}. {why(pick)}".strip()


def why(pick: Pick) -> str:
    """Return the pick's reasons in one sentence; an alert may have none beside what triggered it."""
    return sentence(pick.reasons)


def tally(edition: Edition) -> str:
    """Return ``3 papers; 412 looked at; 2 minutes to read``, or ``412 new papers`` if none was picked.

    Alerts, tests and samples say so. Sources that could not be read are named.
    """
    seen_by = [{sighting.source for sighting in pick.paper.sightings} for pick in edition.picks]
    return _counts(edition) + (_OF_SAMPLES if {SAMPLES} in seen_by else "")


def _counts(edition: Edition) -> str:
    if edition.is_test:
        return f"a test, counted nowhere · {_counts(replace(edition, is_test=False))}"
    papers = picked(edition)
    if edition.kind is EditionKind.ALERT:
        return papers
    if edition.catch_up and edition.picks:
        return f"{_caught_up(edition, edition.catch_up)}; {minutes(edition)} to read"
    if edition.picks:
        papers += f"; {edition.considered:,} looked at"
    # A quiet edition because of failing sources names them already.
    if edition.missing and not (edition.quiet and edition.quiet.reason is QuietReason.FAILING):
        papers += f", without {' and '.join(edition.missing)}, which could not be read"
    return f"{papers}; {minutes(edition)} to read" if edition.picks else papers


def picked(edition: Edition) -> str:
    """Return ``3 papers``, or ``412 new papers`` if none was picked."""
    if edition.kind is EditionKind.ALERT:
        return "an alert, ahead of your next edition"
    if edition.picks:
        return plural(len(edition.picks), "paper")
    return plural(edition.considered, "new paper")


def _caught_up(edition: Edition, catch_up: CatchUp) -> str:
    """Return ``412 papers, 3 May 2026 to 17 May 2026: these 12, in 5 topics; 38 more fit, the rest was skipped``."""
    topics = sum(bool(group.name) for group in catch_up.groups)
    more = catch_up.good - len(edition.picks)
    parts = [f"these {len(edition.picks)}" if len(edition.picks) > 1 else "this one"]
    parts += [f"in {plural(topics, 'topic')}"] if topics else []
    left = [f"{more:,} more above your threshold"] if more > 0 else []
    left += ["the rest was skipped"] if catch_up.arrived > max(catch_up.good, len(edition.picks)) else []
    papers = f"{plural(catch_up.arrived, 'paper')}, {catch_up_days(catch_up, edition.language)}"
    return "; ".join([f"{papers}: {', '.join(parts)}", *left])


def catch_up_days(catch_up: CatchUp, language: str = DEFAULT_LANGUAGE) -> str:
    """Return the days that an edition covers: ``3 May 2026 to 17 May 2026``."""
    days = dict.fromkeys((catch_up.since, catch_up.until))
    return " to ".join(long_date(day, language) for day in days)


def skipped(edition: Edition) -> str:
    """Return what leads to the papers that a catch-up edition skipped; empty without any."""
    return "What was skipped, best first" if edition.catch_up and edition.catch_up.skipped else ""


def catch_up_note(edition: Edition) -> str:
    """Return why an edition came in place of daily ones; empty of one that did not."""
    if not (edition.catch_up and edition.catch_up.is_automatic):
        return ""
    since = long_date(edition.catch_up.since, edition.language)
    return (
        f"You have neither opened a link nor voted since {since}, so this comes once a week in place of your editions. "
        "They come again once you open a link below or vote."
    )


def list_heading(edition: Edition) -> str:
    return "By topic" if edition.catch_up else "In thirty seconds"


def minutes(edition: Edition) -> str:
    """Return the time to read an edition: ``4 minutes``; empty of one without picks."""
    return plural(max(1, round(word_count(edition) / _WORDS_A_MINUTE)), "minute") if edition.picks else ""


def word_count(edition: Edition) -> int:
    """Return how many words a mail of the edition has, addresses aside: the list, and what is shown of each pick."""
    return sum(map(pick_words, edition.picks)) + _WORDS_OF_FRAME


def words_in(minutes: int) -> int:
    """Return how many words of picks are read in so many minutes, beside heading and footer."""
    return minutes * _WORDS_A_MINUTE - _WORDS_OF_FRAME


def pick_words(pick: Pick) -> int:
    """Return how many words a mail shows of a pick, its line in the list included."""
    texts = [news(pick), title(pick.paper), credits_of(pick), *seen(pick.paper), why(pick)]
    return sum(len(text.split()) for text in (*texts, *(s.text for s in pick.summary))) + _WORDS_BESIDE


def subject(edition: Edition) -> str:
    """Return the day's best line, and the number of further picks where it fits; alerts and tests say so."""
    if edition.is_test:
        # The prefix comes on top of the width: a test shows the subject exactly as the edition has it.
        return f"Test: {subject(replace(edition, is_test=False))}"
    if not edition.picks:
        return shorten(f"A quiet {'week' if edition.is_weekly else 'day'} for {edition.profile_title}", SUBJECT_WIDTH)
    if edition.kind is EditionKind.ALERT:
        return shorten(f"Alert: {news(edition.picks[0])}", SUBJECT_WIDTH)
    if edition.catch_up:
        papers = f"{len(edition.picks)} of {plural(edition.catch_up.arrived, 'paper')}"
        return shorten(f"Catching up: {papers} for {edition.profile_title}", SUBJECT_WIDTH)
    more = f" + {len(edition.picks) - 1} more" if len(edition.picks) > 1 else ""
    best = _headline(edition)
    if _repeats_title(best):
        return shorten(news(best), SUBJECT_WIDTH - len(more)) + more
    line = news(best)
    if len(line) > SUBJECT_WIDTH:
        ends = [end.start() for end in _LINE_ENDS.finditer(line, _LEAST_LINE, SUBJECT_WIDTH - 1)]
        line = f"{line[: ends[-1]]} …" if ends else shorten(line, SUBJECT_WIDTH)
    return line + (more if len(line + more) <= SUBJECT_WIDTH else "")


def _headline(edition: Edition) -> Pick:
    """Return the first pick whose line says more than its title; else the first."""
    return next((pick for pick in edition.picks if not _repeats_title(pick)), edition.picks[0])


def _repeats_title(pick: Pick) -> bool:
    return title(pick.paper).casefold().startswith(news(pick).casefold())


def preheader(edition: Edition) -> str:
    """Return the preview text that mail programs show after the subject: further lines, or the first sentence."""
    if not edition.picks:
        return shorten(quiet(edition), 120)
    if len(edition.picks) == 1:
        summary = edition.picks[0].summary
        return shorten(readable(summary[0].text), 120) if summary else ""
    others = [pick for pick in edition.picks if pick is not _headline(edition)]
    return "Also: " + "; ".join(shorten(news(pick), 60) for pick in others[:2])


def quiet(edition: Edition) -> str:
    return oneline(edition.quiet.words if edition.quiet else "Nothing new.")


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def news(pick: Pick) -> str:
    """Return what was found or made, in a line; the title of a pick that earlier versions chose."""
    return pick.line or title(pick.paper)


class Group(NamedTuple):
    """Lines of the list that are on one topic; ``picks`` with their places in the edition."""

    topic: str
    picks: Sequence[tuple[int, Pick]]


def groups(edition: Edition) -> list[Group]:
    """Return the list of an edition: one group without a topic, or groups by topic where there are more than six picks.

    The only line on its topic goes to the others of its kind, which come last.
    """
    numbered_picks = list(enumerate(edition.picks, 1))
    if edition.catch_up:
        of_catch_up = []
        for group in edition.catch_up.groups:
            name = _shown(group.name, _PHRASE_WIDTH) or "Also"
            topic = f"{name[:1].upper()}{name[1:]} ({plural(group.papers, 'paper')})"
            of_topic = [(place, pick) for place, pick in numbered_picks if pick.paper.id in group.picks]
            of_catch_up.append(Group(topic, of_topic))
        return of_catch_up if any(group.name for group in edition.catch_up.groups) else [Group("", numbered_picks)]
    by_topic: dict[str, list[tuple[int, Pick]]] = {}
    for place, pick in numbered_picks:
        by_topic.setdefault(_topic(pick), []).append((place, pick))
    shared = [Group(topic, picks) for topic, picks in by_topic.items() if topic and len(picks) > 1]
    if len(edition.picks) <= _MOST_UNGROUPED or not shared:
        return [Group("", numbered_picks)]
    in_groups = {place for group in shared for place, _ in group.picks}
    others = [(place, pick) for place, pick in numbered_picks if place not in in_groups]
    return [*shared, Group("Also", others)] if others else shared


def _topic(pick: Pick) -> str:
    """Return what the first reason of a pick that names a topic names; empty without one."""
    if pick.kind is PickKind.EXPLORE:
        return ""
    topics = (reason.near or reason.text for reason in pick.reasons if reason.kind in TOPICAL)
    named = _shown(next(topics, ""), _PHRASE_WIDTH)
    return named[:1].upper() + named[1:]


def letter_subject(letter: Letter) -> str:
    """Return the subject, in 70 characters, which says that it is the week's letter."""
    parts = []
    if letter.liked:
        parts.append(f"{len(letter.liked)} liked")
    if letter.edition.picks:
        parts.append("one you missed")
    contents = ", ".join(parts) or "what your votes taught"
    return shorten(f"Your week in {letter.edition.profile_title}: {contents}", SUBJECT_WIDTH)


def letter_preheader(letter: Letter) -> str:
    pick = next(iter(letter.edition.picks), None)
    return f"One you missed: {title(pick.paper)}" if pick else letter_votes(letter)


def letter_week(letter: Letter) -> str:
    """Return the days of the week: ``2 May 2025 to 8 May 2025``."""
    days = (letter.edition.date - timedelta(days=before) for before in (7, 1))
    return " to ".join(long_date(day, letter.edition.language) for day in days)


def letter_liked(letter: Letter) -> Sequence[Paper]:
    """Return the liked papers that are listed, the last liked first."""
    return letter.liked[:_MOST_LIKED]


def letter_votes(letter: Letter) -> str:
    if not (letter.liked or letter.disliked):
        return "You gave no votes in these seven days. Each one changes what comes next."
    if not letter.liked:
        return f"None in these seven days: you wanted less like {plural(letter.disliked, 'paper')}."
    hidden = len(letter.liked) - len(letter_liked(letter))
    sentence = f"You liked {plural(len(letter.liked), 'paper')}"
    sentence += f", of which the last {len(letter_liked(letter))} are listed" if hidden else ""
    if not letter.disliked:
        return f"{sentence}."
    return f"{sentence}, and wanted less like {plural(letter.disliked, 'other')}."


def lessons(likes: Sequence[LearnedPhrase], dislikes: Sequence[LearnedPhrase]) -> list[str]:
    """Return what was learned as examples, at most three of each kind.

    >>> likes = [LearnedPhrase(text, 1, 1, ("Owls", "Bats")) for text in ("circuits", "probes")]
    >>> lessons(likes, [])
    ['Since you liked “Owls” and “Bats”: more on circuits and probes.']
    """
    sentences = []
    for learned, because, direction in ((likes, "you liked {}", "more"), (dislikes, "you wanted less like {}", "less")):
        by_papers: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
        for phrase in learned:
            by_papers.setdefault((phrase.is_from_library, phrase.papers), []).append(_shown(phrase.text, _PHRASE_WIDTH))
        for (is_from_library, papers), texts in list(by_papers.items())[:_MOST_LESSONS]:
            titles = listed([f"“{_shown(paper, _TITLE_WIDTH)}”" for paper in papers])
            since = "your library has {}" if is_from_library else because
            sentences.append(f"Since {since.format(titles)}: {direction} on {listed(texts)}.")
    return sentences


LETTER_MISSED = "It reached Paperbot this week and was in none of your editions. By all your votes so far it would fit:"


def letter_record(letter: Letter) -> str:
    """Return how many of the good and strong matches of a month were liked; empty with too few votes."""
    if letter.record is None:
        return ""
    votes_on = letter.record.voted
    liked = "all" if letter.record.liked == votes_on else letter.record.liked
    return (
        f"In the last 30 days you voted on {plural(votes_on, 'paper')} that had been called a strong or "
        f"good match, and liked {liked} of them."
    )
