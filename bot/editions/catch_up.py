"""Catch-up editions: the best papers of a longer span, by topic, within a reading time.

arrived since a day --not voted on, not read--> candidates --rank--> scores --above the threshold--> good papers
good papers --group by meaning--> topics --the best of each, then the best of all, within the budget--> picks
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.editions.composer import Context, EditionComposer, TldrWriter
from bot.editions.due import catch_up_slot, free_slot, superseded
from bot.editions.health import SourceActivitySince, quiet_reason
from bot.editions.models import refit
from bot.model import CatchUp, Edition, EditionKind, Paper, PaperId, Pick, Problem, Reader, Score, TopicGroup
from bot.model.clock import days_between, moment
from bot.model.errors import UsageError
from bot.ranking.selection import SelectionLimits, is_near_duplicate
from bot.store import Store
from bot.store.editions import StoredEdition
from bot.wording import pick_words, words_in

if TYPE_CHECKING:  # scikit-learn takes a second to import
    from bot.editions.choices import Ranked

MINUTES = 10
_MOST_DAYS = 366
_MOST_PICKS = 20
_WORDS_A_PICK = 95  # with one sentence
# Grouping takes a matrix of similarities, and further papers get no place anyway.
_MOST_GROUPED = 400
_MOST_SKIPPED = 1_000
_DECIMALS = 3  # of probabilities
_DAY = timedelta(days=1)
_GAP_DAYS = 4
_UNREAD_DAYS = 7
_GAPS_OF_LAST = timedelta(days=60)
_UNREAD_OF_LAST = timedelta(days=28)
_OTHERS = ""


@dataclass(frozen=True, slots=True)
class CatchUpRequest:
    """A catch-up edition on the papers from ``since`` to ``until`` inclusive, or to now."""

    reader: Reader
    profile: Profile
    since: date
    until: date | None = None
    minutes: int = MINUTES
    is_automatic: bool = False


def compose_catch_up(composer: EditionComposer, request: CatchUpRequest, now: datetime) -> Edition:
    """Return the edition, without picks if no paper is above the threshold. Stores nothing."""
    store, reader, profile = composer.store, request.reader, request.profile
    today = profile.schedule.day_of(now)
    # Before reading: later papers belong to the next edition.
    newest = store.papers.newest_id()
    start, end = _bounds(profile, request.since, request.until, now)
    hidden = superseded(store, composer.samples)
    arrived = (paper_id for paper_id, _ in store.papers.arrivals(start, end, profile.sources))
    arrivals = [paper_id for paper_id in arrived if paper_id <= newest and paper_id not in hidden]
    # Papers after the span wait for an edition, unless the last one has considered them.
    last = store.editions.last(reader.id) if request.until else None
    ids = _unseen(store, reader, profile, arrivals, start)
    good: list[Score] = []
    topics: list[tuple[str, list[Score]]] = []
    picks: list[Pick] = []
    if ranked := composer.ranked(reader, profile, ids, now):
        ranked = ranked.without_sent(store.papers.sent_elsewhere([reader.id], ids[0]).get(reader.id, ()))
        good = good_scores(ranked, profile)
        by_id = {score.paper: score for score in good}
        grouped = ranked.named_groups([score.paper for score in good[:_MOST_GROUPED]])
        topics = [(name, sorted((by_id[i] for i in of_topic), key=lambda s: -s.log_odds)) for name, of_topic in grouped]
        topics.sort(key=lambda topic: -topic[1][0].log_odds)
        picks = _picks(ranked, profile, good, topics, request.minutes)
    groups, picks = _grouped(topics, picks)
    shown = [pick.paper.id for pick in picks]
    scores = ranked.scores if ranked else ()
    skipped = [s for s in scores if s.paper not in shown and not (s.muted or s.missing_terms)]
    return Edition(
        reader=reader,
        profile_title=profile.title,
        date=today,
        composed_at=now,
        picks=tuple(picks),
        considered=len(ids),
        watermark=last.watermark if last else newest,
        quiet=None if picks else quiet_reason(scores, SourceActivitySince()),
        kind=EditionKind.CATCH_UP,
        language=profile.language,
        follow_ups=composer.follow_ups.of_reader(reader, ranked, ids, now) if ranked and picks else (),
        catch_up=CatchUp(
            since=request.since,
            until=request.until or today,
            arrived=len(arrivals),
            good=len(good),
            upto=arrivals[-1] if arrivals else 0,
            groups=groups,
            skipped=tuple((score.paper, round(score.probability, _DECIMALS)) for score in skipped[:_MOST_SKIPPED]),
            is_automatic=request.is_automatic,
        ),
    )


def put_catch_up(
    context: Context, request: CatchUpRequest, now: datetime, tldr_writer: TldrWriter | None = None
) -> tuple[Edition, list[Problem]]:
    """Compose an edition, store it with its messages if it has picks, and return it with problems."""
    refit(context.store, context.ranker, [(request.reader, request.profile)], now)
    edition = compose_catch_up(context.composer, request, now)
    problems: list[Problem] = []
    if edition.picks:
        if tldr_writer:
            edition, problems = tldr_writer.shorten(edition, now)
        slot = free_slot(context.store, request.reader, edition.date, catch_up_slot(edition.date))
        context.store.editions.save(edition, slot, context.renderer.messages(edition, slot))
    return edition, problems


def checked_since(since: date | None, store: Store, reader: Reader, profile: Profile, now: datetime) -> date:
    """Return the first day to catch up on: by default the last vote or the last gap.

    Raises UsageError for a day in the future or more than a year ago.
    """
    today = profile.schedule.day_of(now)
    day = since
    if day is None and (last_vote := store.feedback.last_times([reader.id]).get(reader.id)):
        day = profile.schedule.day_of(last_vote)
    elif day is None:
        day = next((gap.since for gap in gaps(store, reader, profile, now)), None)
    if day is None:
        raise UsageError(
            f"{reader.name} has no vote and missed no edition, so no day is known to catch up from; name one by --since"
        )
    if day > today:
        raise UsageError(f"--since {day} is after today, {today} in {profile.schedule.timezone}; name an earlier day")
    if (today - day).days > _MOST_DAYS:
        earliest = today - _MOST_DAYS * _DAY
        raise UsageError(f"--since {day} is more than a year ago; name a day from {earliest} on")
    return day


def _unseen(
    store: Store, reader: Reader, profile: Profile, arrivals: Sequence[PaperId], start: datetime
) -> list[PaperId]:
    if not arrivals:
        return []
    unseen = set(store.papers.new_to(reader.id, arrivals[0] - 1, profile.sources))
    voted_at = store.feedback.last_times([reader.id]).get(reader.id)
    if voted_at is None or voted_at < start:
        # Without a vote since, the editions of these days were probably not read.
        shown = store.editions.shown(reader.id).keys()
        unseen |= shown - store.catch_ups.shown_before(reader.id, start)
    return [paper_id for paper_id in arrivals if paper_id in unseen]


def _bounds(profile: Profile, since: date, until: date | None, now: datetime) -> tuple[datetime, datetime]:
    start = moment(since, time(), profile.schedule.timezone)
    if until is None:
        return start, now
    return start, min(now, moment(until + _DAY, time(), profile.schedule.timezone) - timedelta(microseconds=1))


def good_scores(ranked: Ranked, profile: Profile) -> list[Score]:
    """Return scores above the threshold, best first, or a few of the best for a new reader."""
    shown = [score for score in ranked.scores if not score.muted]
    good = [
        score
        for score in shown
        if score.followed or (not score.missing_terms and score.probability >= profile.edition.fills_from)
    ]
    least = SelectionLimits.of(profile.edition, _MOST_PICKS, votes=ranked.ranking.model.votes.own).fill
    if len(good) >= least:
        return good
    touching = [s for s in shown if not s.missing_terms and ranked.touches(s.paper) and s not in good]
    return sorted([*good, *touching[: least - len(good)]], key=lambda score: -score.log_odds)


def _grouped(
    topics: Sequence[tuple[str, Sequence[Score]]], picks: Sequence[Pick]
) -> tuple[tuple[TopicGroup, ...], list[Pick]]:
    """Return the picks by topic and by match: a topic stands at its best pick, others between the topics.

    ``picks`` are sorted, best first.
    """
    topic_of = {score.paper: topic for topic, (_, scores) in enumerate(topics) for score in scores}
    shown: list[tuple[int | None, list[Pick]]] = []
    for pick in picks:
        topic = topic_of.get(pick.paper.id)
        earlier = shown[-1:] if topic is None else shown
        if group := next((of_topic for number, of_topic in earlier if number == topic), None):
            group.append(pick)
        else:
            shown.append((topic, [pick]))
    groups = []
    for topic, of_topic in shown:
        name, papers = (_OTHERS, len(of_topic)) if topic is None else (topics[topic][0], len(topics[topic][1]))
        groups.append(TopicGroup(name, papers, tuple(pick.paper.id for pick in of_topic)))
    return tuple(groups), [pick for _, of_topic in shown for pick in of_topic]


def _picks(
    ranked: Ranked,
    profile: Profile,
    good: Sequence[Score],
    topics: Sequence[tuple[str, Sequence[Score]]],
    minutes: int,
) -> list[Pick]:
    # Half of the places, because a second paper of a better topic may be worth more.
    places = min(max(words_in(minutes) // _WORDS_A_PICK, 1), _MOST_PICKS)
    first = [scores[0] for _, scores in topics][: places // 2]
    chosen: list[Score] = []
    for score in {score.paper: score for score in (*first, *good)}.values():
        if len(chosen) == _MOST_PICKS:
            break
        if not is_near_duplicate(score, chosen, ranked.ranking.similarity):
            chosen.append(score)
    # More sentences than one if all papers have them in time.
    most = profile.edition.summary_sentences
    fits = (n for n in range(most, 1, -1) if sum(map(pick_words, ranked.picks_of(chosen, n))) <= words_in(minutes))
    sentences = next(fits, min(1, most))
    words = 0
    fitting: set[PaperId] = set()
    for pick in ranked.picks_of(chosen, sentences):
        words += pick_words(pick)
        if fitting and words > words_in(minutes):
            break
        fitting.add(pick.paper.id)
    # Explained again by match, so reasons don't repeat.
    return ranked.picks_of([score for score in good if score.paper in fitting], sentences)


def sent_since(store: Store, reader: Reader, since: date) -> CatchUp | None:
    covered = (catch_up for _, _, catch_up in store.catch_ups.of_reader(reader.id))
    return next((catch_up for catch_up in covered if catch_up.since == since), None)


def skipped_papers(
    store: Store, catch_up: CatchUp, first: int = 0, most: int | None = None
) -> list[tuple[Paper, float]]:
    """Return an edition's skipped papers, or a part of them, with probabilities, best first."""
    part = catch_up.skipped[first : None if most is None else first + most]
    papers = store.papers.get(paper_id for paper_id, _ in part)
    # A paper may have been deleted since.
    return [(papers[paper_id], probability) for paper_id, probability in part if paper_id in papers]


@dataclass(frozen=True, slots=True)
class Gap:
    """Days that a reader may have missed, both included, with the number of new papers.

    ``is_unread``: the reader voted on none of their editions. ``is_past``: editions followed.
    """

    since: date
    until: date
    papers: int
    is_unread: bool = False
    is_past: bool = False


def gaps(store: Store, reader: Reader, profile: Profile, now: datetime) -> list[Gap]:
    """Return the recent gaps that no catch-up edition covers, newest first.

    A gap is more than three days without an edition, one of them scheduled, or a week up to today without a vote.
    """
    today = profile.schedule.day_of(now)
    editions = [edition for edition in store.editions.of_reader(reader.id) if edition.date <= today]
    if not editions:
        return []
    covered = [catch_up for _, _, catch_up in store.catch_ups.of_reader(reader.id)]
    voted_at = store.feedback.last_times([reader.id]).get(reader.id)
    read_upto = [catch_up.until for catch_up in covered]
    read_upto += [profile.schedule.day_of(voted_at)] if voted_at else []
    earliest = max([today - _UNREAD_OF_LAST, *(day + _DAY for day in read_upto)])
    days = [e.date for e in editions if e.date >= earliest and e.picks and e.kind is EditionKind.EDITION]
    unread = []
    if days and (max(days) - min(days)).days + 1 >= _UNREAD_DAYS:
        unread = [Gap(max(earliest, min(edition.date for edition in editions)), today, 0, is_unread=True)]
    spans: list[CatchUp | Gap] = [*covered, *unread]
    with_papers = []
    for gap in [*unread, *_without_editions(editions, profile, today)]:
        if any(span.since <= gap.since and span.until >= gap.until for span in spans if span is not gap):
            continue
        start, end = _bounds(profile, gap.since, gap.until, now)
        if papers := len(store.papers.arrivals(start, end, profile.sources)):
            with_papers.append(replace(gap, papers=papers))
    return sorted(with_papers, key=lambda gap: gap.since, reverse=True)


def _without_editions(editions: Sequence[StoredEdition], profile: Profile, today: date) -> list[Gap]:
    window = today - _GAPS_OF_LAST
    dates = {edition.date for edition in editions} | {today}
    # A gap that reaches into these weeks begins at the edition before them.
    before = [max(day for day in dates if day < window)] if min(dates) < window else []
    found = []
    for earlier, later in pairwise(sorted([*before, *(day for day in dates if day >= window)])):
        first, last = max(earlier + _DAY, window), later - _DAY
        if (later - earlier).days > _GAP_DAYS and days_between(earlier + _DAY, last, profile.schedule.days):
            found.append(Gap(first, today if later == today else last, 0, is_past=later != today))
    return found
