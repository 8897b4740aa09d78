"""A reader's plan of a conference: its programme ranked as an edition is, by day and slot.

programme --identify--> papers, those that the store has as they are there --rank--> scores
--the best of all, and of each slot--> plan --what the store lacks--> store, so that votes work

Planned papers are stored under a source of their own, whose papers no edition has among its candidates (see
``bot.store.papers``). They are not counted as sent.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.editions.models import CurrentRanker, refit
from bot.formats import Parser
from bot.model import Paper, PaperId, ParsedDigest, Pick, PickKind, RawDigest, Reader, Score, Vote
from bot.model.clock import local_date
from bot.model.papers import PROGRAMME_SOURCE, Contribution, keys
from bot.model.wording import long_date
from bot.ranking.selection import Choice
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import
    from bot.editions.ranked import Ranked

_TOPIC = 60  # characters
# Without an end in the file, two contributions overlap if they begin at the same time.
_INSTANT = timedelta(minutes=1)
_POSTER = "poster"


class Slot(NamedTuple):
    """When contributions begin; ``start`` is None where the file gives no time, ``day`` where it gives none either."""

    day: date | None
    start: datetime | None


@dataclass(frozen=True, slots=True)
class PlannedPaper:
    """A paper of the plan at one of its places.

    ``read`` says what the reader had of it before, such as "sent on 6 May 2025"; empty if nothing. ``instead_of`` is a
    better match of the plan that takes place at the same time elsewhere.
    """

    pick: Pick
    place: Contribution
    slot: Slot
    read: str = ""
    instead_of: str = ""

    @property
    def is_timed(self) -> bool:
        return self.slot.start is not None


@dataclass(frozen=True, slots=True)
class Plan:
    """The papers of a programme that fit a reader, by slot in the order of time, in each the best match first.

    ``papers`` counts those of the programme, ``planned`` those of the plan, a paper at two places once. ``hidden`` are
    those that the profile mutes or that lack a required term, ``disliked`` those that the reader voted down.
    """

    title: str
    reader: Reader
    profile_title: str
    language: str
    slots: Mapping[Slot, Sequence[PlannedPaper]]
    papers: int
    planned: int
    hidden: int
    disliked: int
    withdrawn: int
    problems: Sequence[str]

    @property
    def items(self) -> list[PlannedPaper]:
        return [item for items in self.slots.values() for item in items]


@dataclass(frozen=True, slots=True)
class ConferencePlanner:
    """Makes plans: ranks with the reader's own model, and stores what it plans."""

    store: Store
    parser: Parser
    ranker: CurrentRanker
    composer: EditionComposer

    def plan(
        self, raw: RawDigest, reader: Reader, profile: Profile, now: datetime, *, top: int, timezone: str = ""
    ) -> Plan:
        """Return the plan of a programme's bytes, and store the papers of the plan that the store lacks.

        ``top`` is the number of papers, beside the best of each slot. Times without a zone are those of ``timezone``,
        or of the profile. Raises DigestError, LimitError and ParserError as ``Parser.parse_programme``, and StoreError.
        """
        programme = self.parser.parse_programme(raw)
        title = " ".join(PurePath(raw.name).stem.replace("_", " ").split())[:_TOPIC] or "Programme"
        zone = ZoneInfo(timezone or profile.schedule.timezone)
        places = [_in_zone(contribution, zone) for contribution in programme.contributions]
        found = self.store.papers.identified([place.entry for place in places], now)
        papers = [_ranked_as(paper, self.store.papers.newest_id()) for paper in found]
        ranked = self._ranked(reader, profile, papers, now)
        at: dict[PaperId, list[Contribution]] = defaultdict(list)
        for paper, place in zip(papers, places, strict=True):
            at[paper.id].append(place)
        votes = self.store.feedback.current(reader.id)
        disliked = {paper_id for paper_id, vote in votes.items() if vote.vote is Vote.DOWN}
        scores = _chosen(ranked, profile, at, disliked, top) if ranked else []
        self._store(title, [place for score in scores for place in at[score.paper]], now)
        stored = self.store.papers.identified([at[score.paper][0].entry for score in scores], now)
        read = self._read(reader, profile, stored)
        choices = [Choice(score, PickKind.FOLLOW if score.followed else PickKind.MATCH) for score in scores]
        picks = ranked.picks(choices, profile.edition.summary_sentences) if ranked else []
        items = _items(picks, scores, stored, at, read)
        return Plan(
            title,
            reader,
            profile.title,
            profile.language,
            _by_slot(items),
            papers=len(at),
            planned=len(scores),
            hidden=sum(bool(score.muted or score.missing_terms) for score in ranked.scores) if ranked else 0,
            disliked=len(disliked & at.keys()),
            withdrawn=programme.withdrawn,
            problems=programme.problems,
        )

    def _ranked(self, reader: Reader, profile: Profile, papers: Sequence[Paper], now: datetime) -> Ranked | None:
        """Return the papers as ranked for the reader, whose model is refitted as before an edition."""
        if self.store.papers.recent_texts(1):
            refit(self.store, self.ranker, [(reader, profile)], now)
        return self.composer.ranked_papers(reader, profile, list({paper.id: paper for paper in papers}.values()), now)

    def _store(self, title: str, places: Sequence[Contribution], now: datetime) -> None:
        """Store the papers that the store lacks; what it has stays as it is."""
        papers = self.store.papers.identified([place.entry for place in places], now)
        new = [place.entry for place, paper in zip(places, papers, strict=True) if paper.id < 0]
        if not new:
            return
        # Of what is stored, and not of the file: the next plan of the same file may have other papers.
        content = hashlib.sha256("\n".join(key for entry in new for key in keys(entry)).encode()).hexdigest()
        digest = ParsedDigest("programme", title, None, tuple(new))
        self.store.papers.add_digests(f"{PROGRAMME_SOURCE}{title}", title, content, [digest], now=now)

    def _read(self, reader: Reader, profile: Profile, papers: Sequence[Paper]) -> dict[PaperId, str]:
        """Return what the reader had of papers before, in words."""
        shown = self.store.editions.shown(reader.id)
        votes = self.store.feedback.current(reader.id)
        owned = self.store.library.held(reader.id, papers)
        read = {}
        for paper in papers:
            parts = []
            if (vote := votes.get(paper.id)) and vote.vote is Vote.UP:
                parts.append("you liked it")
            if first := shown.get(paper.id):
                day = local_date(first.at, profile.schedule.timezone)
                parts.append(f"sent on {long_date(day, profile.language)}")
            if paper.id in owned:
                parts.append("in your library")
            read[paper.id] = ", ".join(parts)
        return read


def _ranked_as(paper: Paper, newest: PaperId) -> Paper:
    """Return a paper under an id by which it can be ranked: negative ones are those of readers' libraries."""
    return replace(paper, id=newest - paper.id) if paper.id < 0 else paper


def _in_zone(place: Contribution, zone: tzinfo) -> Contribution:
    """Return the contribution with aware times: a time of a place keeps its offset, UTC becomes the reader's time."""

    def local(moment: datetime | None) -> datetime | None:
        if moment is None:
            return None
        if moment.tzinfo is None:
            return moment.replace(tzinfo=zone)
        return moment.astimezone(zone) if place.is_utc else moment

    start = local(place.start)
    return replace(place, day=start.date() if start else place.day, start=start, end=local(place.end))


def _chosen(
    ranked: Ranked,
    profile: Profile,
    places: Mapping[PaperId, Sequence[Contribution]],
    disliked: Collection[PaperId],
    top: int,
) -> list[Score]:
    """Return the scores of the plan, best first: the ``top`` best papers, and the best one of each slot.

    Only papers that fit are planned: of a followed author, or likely enough and about what the reader wrote; none that
    the reader disliked.
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
    slots = {_slot(place) for score in fitting[:top] for place in places[score.paper]}
    for score in fitting[top:]:
        of_paper = {slot for slot in map(_slot, places[score.paper]) if slot.start}
        if of_paper - slots:
            chosen.add(score.paper)
            slots |= of_paper
    return [score for score in fitting if score.paper in chosen]


def _slot(place: Contribution) -> Slot:
    return Slot(place.day, place.start)


def _items(
    picks: Sequence[Pick],
    scores: Sequence[Score],
    stored: Sequence[Paper],
    places: Mapping[PaperId, Sequence[Contribution]],
    read: Mapping[PaperId, str],
) -> list[PlannedPaper]:
    """Return the plan's papers at each of their places, best match first."""
    items: list[PlannedPaper] = []
    for score, paper, pick in zip(scores, stored, picks, strict=True):
        better = list(items)
        for place in dict.fromkeys(places[score.paper]):
            rival = next((other for other in better if _excludes(other.place, place)), None)
            items.append(
                PlannedPaper(
                    replace(pick, paper=paper),
                    place,
                    _slot(place),
                    read.get(paper.id, ""),
                    rival.pick.paper.title if rival else "",
                )
            )
    return items


def _excludes(place: Contribution, other: Contribution) -> bool:
    """Return whether nobody can be at both: they overlap, in different rooms, and are not both posters."""
    if not (place.start and other.start) or (place.room and place.room == other.room):
        return False
    if _POSTER in place.kind.lower() and _POSTER in other.kind.lower():
        return False
    ends = (place.end or place.start + _INSTANT, other.end or other.start + _INSTANT)
    return place.start < ends[1] and other.start < ends[0]


def _by_slot(items: Iterable[PlannedPaper]) -> dict[Slot, list[PlannedPaper]]:
    """Return the items by slot: days in their order, on each the hours, then what has no time; last what has no day."""
    by_slot: dict[Slot, list[PlannedPaper]] = defaultdict(list)
    for item in items:
        by_slot[item.slot].append(item)
    latest = datetime.max.replace(tzinfo=UTC)
    return dict(sorted(by_slot.items(), key=lambda entry: (entry[0].day or date.max, entry[0].start or latest)))
