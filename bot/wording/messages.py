"""Word editions and letters: counts, subjects, the list, sections beside the picks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from difflib import SequenceMatcher
from typing import NamedTuple

from bot.model import (
    SAMPLES,
    CatchUp,
    Edition,
    EditionKind,
    FollowUp,
    FollowUpKind,
    LearnedPhrase,
    Letter,
    Paper,
    Pick,
    PickKind,
    QuietReason,
)
from bot.model.wording import DEFAULT_LANGUAGE, listed, long_date, oneline, plural, shorten
from bot.text.latex import readable
from bot.wording.picks import PHRASE_WIDTH, SHORT_TITLE_WIDTH, TOPICAL, credits_of, cut, news, seen, title, why

# Telephones show about 40 characters, desktops about 70.
SUBJECT_WIDTH = 70
# Thirty likes would be longer than an edition.
_MOST_LIKED = 10
_MOST_LESSONS = 3
_WORDS_A_MINUTE = 200
# Labels, links and buttons.
_WORDS_BESIDE = 20
_WORDS_OF_FRAME = 60  # heading and footer
_OF_SAMPLES = " · samples: real papers with abstracts in our words"
_MOST_UNGROUPED = 6
_ALSO = "Also"


def tally(edition: Edition) -> str:
    """Return ``3 papers; 412 new papers came in; 2 minutes to read``, or ``412 new papers``.

    Alerts, tests and samples are marked, unreadable sources named.
    """
    return _counts(edition) + of_samples(edition)


def of_samples(edition: Edition) -> str:
    """Return a mark of samples, whose abstracts aren't their authors', or an empty string."""
    seen_by = [{sighting.source for sighting in pick.paper.sightings} for pick in edition.picks]
    return _OF_SAMPLES if {SAMPLES} in seen_by else ""


def _counts(edition: Edition) -> str:
    if edition.is_test:
        return f"a test · {_counts(replace(edition, is_test=False))}"
    papers = picked(edition)
    if edition.kind is EditionKind.ALERT:
        return papers
    if (catch_up := edition.catch_up) and edition.picks:
        more = catch_up.good - len(edition.picks)
        picks = f"these {len(edition.picks)}" if len(edition.picks) > 1 else "this one"
        parts = [f"{plural(catch_up.arrived, 'paper')}, {catch_up_days(catch_up, edition.language)}: {picks}"]
        parts += [f"{more:,} more above your threshold"] if more > 0 else []
        parts += ["the rest was skipped"] if catch_up.arrived > max(catch_up.good, len(edition.picks)) else []
        return "; ".join([*parts, f"{minutes(edition)} to read"])
    if edition.picks:
        # Not "of": a pick may have waited for a place since an earlier day.
        papers += f"; {plural(edition.considered, 'new paper')} came in" if edition.considered else " of earlier days"
    # The quiet edition names them already.
    if edition.missing and not (edition.quiet and edition.quiet.reason is QuietReason.FAILING):
        papers += f", without {' and '.join(edition.missing)}, which could not be read"
    if edition.picks and edition.has_room and not edition.more:
        papers += "; the others fit too little"
    return f"{papers}; {minutes(edition)} to read" if edition.picks else papers


def picked(edition: Edition) -> str:
    """Return ``3 papers``, or ``412 new papers`` if none was picked."""
    if edition.kind is EditionKind.ALERT:
        return "an alert, ahead of your next edition"
    if edition.picks:
        return plural(len(edition.picks), "paper")
    return plural(edition.considered, "new paper")


def catch_up_days(catch_up: CatchUp, language: str = DEFAULT_LANGUAGE) -> str:
    """Return ``3 May 2026 to 17 May 2026``."""
    days = dict.fromkeys((catch_up.since, catch_up.until))
    return " to ".join(long_date(day, language) for day in days)


def skipped(edition: Edition) -> str:
    return "What was skipped, best first" if edition.catch_up and edition.catch_up.skipped else ""


def more(edition: Edition) -> str:
    """Return ``7 more papers fit``, or an empty string without any."""
    return f"{plural(edition.more, 'more paper')} fit{'s' * (edition.more == 1)}" if edition.more else ""


MORE_LATER = "Those that came in during the three days before this edition have another chance in the next one."


def catch_up_note(edition: Edition) -> str:
    if not (edition.catch_up and edition.catch_up.is_automatic):
        return ""
    since = long_date(edition.catch_up.since, edition.language)
    return (
        f"You have neither opened a link nor voted since {since}, so this comes once a week in place of your editions. "
        "They come again once you open a link below or vote."
    )


def list_heading(edition: Edition) -> str:
    is_by_topic = edition.catch_up and any(group.name for group in edition.catch_up.groups)
    return "By topic" if is_by_topic else "In thirty seconds"


def minutes(edition: Edition) -> str:
    """Return ``4 minutes``, empty without picks."""
    return plural(max(1, round(word_count(edition) / _WORDS_A_MINUTE)), "minute") if edition.picks else ""


def word_count(edition: Edition) -> int:
    """Count the words in a mail, without addresses."""
    return sum(map(pick_words, edition.picks)) + _WORDS_OF_FRAME


def words_in(minutes: int) -> int:
    return minutes * _WORDS_A_MINUTE - _WORDS_OF_FRAME


def pick_words(pick: Pick) -> int:
    texts = [news(pick), title(pick.paper), credits_of(pick), *seen(pick.paper), why(pick)]
    return sum(len(text.split()) for text in (*texts, *(s.text for s in pick.summary))) + _WORDS_BESIDE


def subject(edition: Edition) -> str:
    """Return the line of the best match, and the number of further picks where it fits. Alerts and tests are marked."""
    if edition.is_test:
        # A test shows the edition's exact subject.
        return f"Test: {subject(replace(edition, is_test=False))}"
    if not edition.picks:
        return shorten(f"A quiet {'week' if edition.is_weekly else 'day'} for {edition.profile_title}", SUBJECT_WIDTH)
    if edition.kind is EditionKind.ALERT:
        return shorten(f"Alert: {news(edition.picks[0])}", SUBJECT_WIDTH)
    if edition.catch_up:
        papers = f"{len(edition.picks)} of {plural(edition.catch_up.arrived, 'paper')}"
        return shorten(f"Catching up: {papers} for {edition.profile_title}", SUBJECT_WIDTH)
    more = f" + {len(edition.picks) - 1} more" if len(edition.picks) > 1 else ""
    line = news(edition.picks[0])
    # A whole line says more than how many follow.
    if len(line) > SUBJECT_WIDTH:
        return shorten(line, SUBJECT_WIDTH - len(more)) + more
    return line + (more if len(line + more) <= SUBJECT_WIDTH else "")


def preheader(edition: Edition) -> str:
    """Return the preview text: further lines, or the first sentence."""
    if not edition.picks:
        return shorten(quiet(edition), 120)
    if len(edition.picks) == 1:
        summary = edition.picks[0].summary
        return shorten(readable(summary[0].text), 120) if summary else ""
    return "Also: " + "; ".join(shorten(news(pick), 60) for pick in edition.picks[1:3])


def quiet(edition: Edition) -> str:
    return oneline(edition.quiet.words if edition.quiet else "Nothing new.")


class Group(NamedTuple):
    """Lines of the list on one topic. ``picks`` have their places in the edition."""

    topic: str
    picks: Sequence[tuple[int, Pick]]


def groups(edition: Edition) -> list[Group]:
    """Return the list of an edition, by topic if it has more than six picks.

    A group stands at its best pick. The only pick on its topic stands by match between the groups.
    """
    numbered_picks = list(enumerate(edition.picks, 1))
    if edition.catch_up:
        of_catch_up: list[Group] = []
        for group in edition.catch_up.groups:
            name = cut(group.name, PHRASE_WIDTH) or (_ALSO if of_catch_up else "Various topics")
            topic = f"{name[:1].upper()}{name[1:]} ({plural(group.papers, 'paper')})"
            of_topic = [(place, pick) for place, pick in numbered_picks if pick.paper.id in group.picks]
            of_catch_up.append(Group(topic, of_topic))
        return of_catch_up if any(group.name for group in edition.catch_up.groups) else [Group("", numbered_picks)]
    by_topic: dict[str, list[tuple[int, Pick]]] = {}
    for place, pick in numbered_picks:
        topics = (reason.near or reason.text for reason in pick.reasons if reason.kind in TOPICAL)
        topic = "" if pick.kind is PickKind.EXPLORE else cut(next(topics, ""), PHRASE_WIDTH)
        by_topic.setdefault(f"{topic[:1].upper()}{topic[1:]}", []).append((place, pick))
    shared = [Group(topic, picks) for topic, picks in by_topic.items() if topic and len(picks) > 1]
    if len(edition.picks) <= _MOST_UNGROUPED or not shared:
        return [Group("", numbered_picks)]
    at = {group.picks[0][0]: group for group in shared}
    in_groups = {place for group in shared for place, _ in group.picks}
    found: list[Group] = []
    for place, pick in numbered_picks:
        if place in at:
            found.append(at[place])
        elif place not in in_groups and found and found[-1].topic in ("", _ALSO):
            found[-1] = Group(found[-1].topic, [*found[-1].picks, (place, pick)])
        elif place not in in_groups:
            found.append(Group(_ALSO if found else "", [(place, pick)]))
    return found


def letter_subject(letter: Letter) -> str:
    counts = (f"{len(papers)} {verb}" for papers, verb in ((letter.liked, "liked"), (letter.saved, "saved")) if papers)
    missed = ["one you missed"] if letter.edition.picks else []
    contents = ", ".join([*counts, *missed]) or "lessons from your votes"
    return shorten(f"Your week in {letter.edition.profile_title}: {contents}", SUBJECT_WIDTH)


def letter_preheader(letter: Letter) -> str:
    pick = next(iter(letter.edition.picks), None)
    return f"One you missed: {title(pick.paper)}" if pick else letter_votes(letter)


def letter_week(letter: Letter) -> str:
    """Return ``2 May 2025 to 8 May 2025``."""
    days = (letter.edition.date - timedelta(days=before) for before in (7, 1))
    return " to ".join(long_date(day, letter.edition.language) for day in days)


def letter_liked(letter: Letter) -> Sequence[Paper]:
    """Return the listed likes, the newest first."""
    return letter.liked[:_MOST_LIKED]


def letter_saved(letter: Letter) -> Sequence[Paper]:
    """Return the listed papers to read later, the newest first."""
    return letter.saved[:_MOST_LIKED]


def letter_votes(letter: Letter) -> str:
    if not (letter.liked or letter.disliked):
        return "You gave no votes in these seven days. Each one changes what comes next."
    if not letter.liked:
        return f"None in these seven days: you disliked {plural(letter.disliked, 'paper')}."
    hidden = len(letter.liked) - len(letter_liked(letter))
    sentence = f"You liked {plural(len(letter.liked), 'paper')}"
    sentence += f" (the last {len(letter_liked(letter))} are listed)" if hidden else ""
    if not letter.disliked:
        return f"{sentence}."
    return f"{sentence} and disliked {letter.disliked}."


def lessons(likes: Sequence[LearnedPhrase], dislikes: Sequence[LearnedPhrase]) -> list[str]:
    """Return lessons from votes as examples, at most three of each kind.

    >>> likes = [LearnedPhrase(text, 1, 1, ("Owls", "Bats")) for text in ("circuits", "probes")]
    >>> lessons(likes, [])
    ['Since you liked “Owls” and “Bats”: more on circuits and probes.']
    """
    sentences = []
    for learned, because, direction in ((likes, "you liked {}", "more"), (dislikes, "you disliked {}", "less")):
        by_papers: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
        for phrase in learned:
            by_papers.setdefault((phrase.is_from_library, phrase.papers), []).append(cut(phrase.text, PHRASE_WIDTH))
        for (is_from_library, papers), texts in list(by_papers.items())[:_MOST_LESSONS]:
            titles = listed([f"“{cut(paper, SHORT_TITLE_WIDTH)}”" for paper in papers])
            since = "your library has {}" if is_from_library else because
            sentences.append(f"Since {since.format(titles)}: {direction} on {listed(texts)}.")
    return sentences


LETTER_MISSED = "It reached Paperbot this week and was in none of your editions. It fits:"


def letter_record(letter: Letter) -> str:
    if letter.record is None:
        return ""
    return (
        f"You liked {letter.record.liked} of the {letter.record.voted} strong or good matches that you voted on in the "
        "last 30 days."
    )


FOLLOW_UPS = "Since you liked"
_WIDTH = 100  # characters
_WORDS = re.compile(r"\S+\s*")


class Span(NamedTuple):
    """Part of a line, with the paper it links to. New words are emphasised."""

    text: str
    paper: Paper | None = None
    is_new: bool = False


def follow_ups(edition: Edition) -> list[list[Span]]:
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
    """Yield a sentence of a later version, with replaced words after the new ones.

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


LEAVING = "Interests that end soon"
_INTEREST_WIDTH = 80


def leaving(letter: Letter) -> list[str]:
    return [
        f"“{shorten(oneline(interest.text), _INTEREST_WIDTH)}” counts until "
        f"{long_date(interest.until, letter.edition.language)}."
        for interest in letter.leaving
    ]
