"""Plan a conference for a reader: rank its programme like an edition, by day and slot.

Planned papers have a source of their own, which editions ignore. They don't count as sent.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.editions.models import CurrentRanker, refit
from bot.formats import Parser
from bot.model import Paper, PaperId, ParsedDigest, Pick, RawDigest, Reader, Score, Vote
from bot.model.clock import zone_named
from bot.model.papers import PROGRAMME_SOURCE, Contribution, keys
from bot.model.wording import long_date, oneline
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import
    from bot.editions.choices import Ranked


_TOPIC = 60  # characters
_ACRONYM = 8  # characters
_OF_PROGRAMMES = re.compile(r"(?i)(?:^|[\W_]+)(?:programme?|schedule|papers|accepted|calendar|sessions)(?=[\W_]|$)")
_INSTANT = timedelta(minutes=1)  # of a contribution without an end
_POSTER = "poster"
_NO_TIME = "No time given"


@dataclass(frozen=True, slots=True)
class PlannedPaper:
    """A paper of the plan at one of its places.

    ``read`` is its history, such as "sent on 6 May 2025". ``instead_of`` is a better match at the same time elsewhere.
    """

    pick: Pick
    place: Contribution
    read: str = ""
    instead_of: str = ""


@dataclass(frozen=True, slots=True)
class PlannedSlot:
    """A slot with a heading like 09:00–10:30, the best match first."""

    heading: str
    planned: Sequence[PlannedPaper]


@dataclass(frozen=True, slots=True)
class PlannedDay:
    """A day of the plan."""

    heading: str
    slots: Sequence[PlannedSlot]


@dataclass(frozen=True, slots=True)
class Plan:
    """A programme's papers that fit a reader, by day and slot.

    ``papers`` counts the programme, ``planned`` the plan, each paper once. ``hidden`` papers are muted or lack a
    required term, ``disliked`` ones have the reader's downvote.
    """

    title: str
    reader: Reader
    profile_title: str
    language: str
    days: Sequence[PlannedDay]
    papers: int
    planned: int
    hidden: int
    disliked: int
    withdrawn: int
    problems: Sequence[str]

    @property
    def items(self) -> list[PlannedPaper]:
        return [item for day in self.days for slot in day.slots for item in slot.planned]


def event_of(file: str) -> str:
    """Return the event that a programme's file is named after.

    >>> event_of("iclr2026.json"), event_of("OwlConf_2026-schedule.csv"), event_of("programme.ics")
    ('ICLR 2026', 'OwlConf 2026', 'Programme')
    """
    stem = _OF_PROGRAMMES.sub(" ", PurePath(file).stem)
    words = re.sub(r"(?<=[a-zA-Z])(?=(?:19|20)\d\d(?!\d))|[_\s]+|(?<=\d)-|-(?=\d)", " ", stem).split()
    # An acronym, in lower case before a year.
    if len(words) > 1 and words[0].islower() and len(words[0]) <= _ACRONYM and words[1].isdecimal():
        words[0] = words[0].upper()
    return " ".join(words) or "Programme"


@dataclass(frozen=True, slots=True)
class ConferencePlanner:
    """Makes plans with the reader's own model, and stores their papers."""

    store: Store
    parser: Parser
    ranker: CurrentRanker
    composer: EditionComposer

    def plan(
        self,
        raw: RawDigest,
        reader: Reader,
        profile: Profile,
        now: datetime,
        *,
        top: int,
        timezone: str = "",
        title: str = "",
    ) -> Plan:
        """Return the plan of a programme's bytes, and store its new papers.

        The plan has the ``top`` papers and the best of each slot. ``title`` is the event's, by default of
        ``event_of``. Times without a zone use ``timezone``, or the profile's. Raises the errors of
        ``Parser.parse_programme``, and StoreError.
        """
        programme = self.parser.parse_programme(raw)
        title = (oneline(title) or event_of(raw.name))[:_TOPIC]
        zone = zone_named(timezone or profile.schedule.timezone)
        places = []
        for place in programme.contributions:
            start, end = (_local(time, zone, is_utc=place.is_utc) for time in (place.start, place.end))
            places.append(replace(place, day=start.date() if start else place.day, start=start, end=end))
        found = self.store.papers.identified([place.entry for place in places], now)
        newest = self.store.papers.newest_id()
        # Negative ids belong to library papers.
        papers = [replace(paper, id=newest - paper.id) if paper.id < 0 else paper for paper in found]
        if self.store.papers.recent_texts(1):
            refit(self.store, self.ranker, [(reader, profile)], now)
        by_id = {paper.id: paper for paper in papers}
        ranked = self.composer.ranked_papers(reader, profile, list(by_id.values()), now)
        at: dict[PaperId, list[Contribution]] = defaultdict(list)
        for paper, place in zip(papers, places, strict=True):
            at[paper.id].append(place)
        votes = self.store.feedback.current(reader.id)
        disliked = {paper_id for paper_id, vote in votes.items() if vote.vote is Vote.DOWN}
        scores = _chosen(ranked, profile, at, disliked, top) if ranked else []
        planned = [place.entry for score in scores for place in at[score.paper]]
        known = self.store.papers.identified(planned, now)
        if new := tuple(entry for entry, paper in zip(planned, known, strict=True) if paper.id < 0):
            # Another plan of the same file may have other papers.
            content = hashlib.sha256("\n".join(key for entry in new for key in keys(entry)).encode()).hexdigest()
            digest = ParsedDigest("programme", title, None, new)
            self.store.papers.add_digests(f"{PROGRAMME_SOURCE}{title}", title, content, [digest], now=now)
        stored = self.store.papers.identified([at[score.paper][0].entry for score in scores], now)
        read = self._read(reader, profile, stored)
        picks = ranked.picks_of(scores, profile.edition.summary_sentences) if ranked else []
        items: list[PlannedPaper] = []
        for score, paper, pick in zip(scores, stored, picks, strict=True):
            better = list(items)
            for place in dict.fromkeys(at[score.paper]):
                rival = next((other for other in better if _excludes(other.place, place)), None)
                instead_of = rival.pick.paper.title if rival else ""
                items.append(PlannedPaper(replace(pick, paper=paper), place, read.get(paper.id, ""), instead_of))
        return Plan(
            title,
            reader,
            profile.title,
            profile.language,
            _days(items, profile.language),
            papers=len(at),
            planned=len(scores),
            hidden=sum(bool(score.muted or score.missing_terms) for score in ranked.scores) if ranked else 0,
            disliked=len(disliked & at.keys()),
            withdrawn=programme.withdrawn,
            problems=programme.problems,
        )

    def _read(self, reader: Reader, profile: Profile, papers: Sequence[Paper]) -> dict[PaperId, str]:
        shown = self.store.editions.shown(reader.id)
        votes = self.store.feedback.current(reader.id)
        owned = self.store.library.held(reader.id, papers)
        read = {}
        for paper in papers:
            parts = []
            if (vote := votes.get(paper.id)) and vote.vote is Vote.UP:
                parts.append("you liked it")
            if first := shown.get(paper.id):
                day = profile.schedule.day_of(first.at)
                parts.append(f"sent on {long_date(day, profile.language)}")
            if paper.id in owned:
                parts.append("in your library")
            read[paper.id] = ", ".join(parts)
        return read


def _local(time: datetime | None, zone: tzinfo, *, is_utc: bool) -> datetime | None:
    """Return an aware time. Local times keep their offset, UTC becomes the reader's zone."""
    if time and not time.tzinfo:
        return time.replace(tzinfo=zone)
    return time.astimezone(zone) if time and is_utc else time


def _chosen(
    ranked: Ranked,
    profile: Profile,
    places: Mapping[PaperId, Sequence[Contribution]],
    disliked: Collection[PaperId],
    top: int,
) -> list[Score]:
    """Return the ``top`` papers, and the best of each slot, best first.

    A planned paper is by a followed author, or reaches the threshold and touches the text.
    """
    fitting = [
        score
        for score in ranked.scores
        if not (score.muted or score.paper in disliked)
        and (
            score.followed
            or (
                not score.missing_terms
                and score.probability >= profile.edition.threshold
                and ranked.touches(score.paper)
            )
        )
    ]
    chosen = {score.paper for score in fitting[:top]}
    slots = {(place.day, place.start) for score in fitting[:top] for place in places[score.paper]}
    for score in fitting[top:]:
        of_paper = {(place.day, place.start) for place in places[score.paper] if place.start}
        if of_paper - slots:
            chosen.add(score.paper)
            slots |= of_paper
    return [score for score in fitting if score.paper in chosen]


def _excludes(place: Contribution, other: Contribution) -> bool:
    """Return whether places overlap in different rooms. Two posters never do."""
    if not (place.start and other.start) or (place.room and place.room == other.room):
        return False
    if _POSTER in place.kind.lower() and _POSTER in other.kind.lower():
        return False
    ends = (place.end or place.start + _INSTANT, other.end or other.start + _INSTANT)
    return place.start < ends[1] and other.start < ends[0]


def _days(items: Iterable[PlannedPaper], language: str) -> list[PlannedDay]:
    """Group by day and slot, unknown ones last."""
    latest = datetime.max.replace(tzinfo=UTC)
    by_time = sorted(items, key=lambda item: (item.place.day or date.max, item.place.start or latest))
    days = []
    for day, of_day in groupby(by_time, key=lambda item: item.place.day):
        slots = []
        for start, of_slot in groupby(of_day, key=lambda item: item.place.start):
            planned = list(of_slot)
            ends = {item.place.end for item in planned}
            end = ends.pop() if len(ends) == 1 else None
            heading = _NO_TIME if day else ""
            if start:
                heading = f"{start:%H:%M}–{end:%H:%M}" if end else f"{start:%H:%M}"
            slots.append(PlannedSlot(heading, planned))
        name = long_date(day, language) if day else _NO_TIME
        days.append(PlannedDay(f"{day:%A}, {name}" if day and language.startswith("en") else name, slots))
    return days
