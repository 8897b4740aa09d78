"""Plan a conference for a reader: rank its programme like an edition, by day and slot.

Planned papers have a source of their own, which editions ignore (see ``bot.store.papers``). They don't count as sent.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import partial
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bot import wording
from bot.channels.papers import ReaderLinks, title_link
from bot.channels.templates import render_part
from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.editions.models import CurrentRanker, refit
from bot.formats import Parser
from bot.model import Paper, PaperId, ParsedDigest, Pick, RawDigest, Reader, Score, Vote
from bot.model.clock import local_date, zone_named
from bot.model.papers import PROGRAMME_SOURCE, Contribution, keys, normalised_title
from bot.model.wording import long_date, oneline, plural, shorten, wrap
from bot.store import Store
from bot.text.latex import readable

if TYPE_CHECKING:  # scikit-learn takes a second to import
    from jinja2 import Environment

    from bot.editions.ranked import Ranked


_TOPIC = 60  # characters
# Assumed duration of a contribution without an end.
_INSTANT = timedelta(minutes=1)
_POSTER = "poster"


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
    """A slot with a heading such as 09:00–10:30, the best match first."""

    heading: str
    planned: Sequence[PlannedPaper]


@dataclass(frozen=True, slots=True)
class PlannedDay:
    """A day of a plan."""

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


@dataclass(frozen=True, slots=True)
class ConferencePlanner:
    """Makes plans with the reader's own model, and stores their papers."""

    store: Store
    parser: Parser
    ranker: CurrentRanker
    composer: EditionComposer

    def plan(
        self, raw: RawDigest, reader: Reader, profile: Profile, now: datetime, *, top: int, timezone: str = ""
    ) -> Plan:
        """Return the plan of a programme's bytes, and store its new papers.

        The plan has the ``top`` papers and the best of each slot. Times without a zone use ``timezone``, or the
        profile's. Raises DigestError, LimitError and ParserError as ``Parser.parse_programme``, and StoreError.
        """
        programme = self.parser.parse_programme(raw)
        title = " ".join(PurePath(raw.name).stem.replace("_", " ").split())[:_TOPIC] or "Programme"
        zone = zone_named(timezone or profile.schedule.timezone)
        places = [_in_zone(contribution, zone) for contribution in programme.contributions]
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
        self._store(title, [place for score in scores for place in at[score.paper]], now)
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

    def _store(self, title: str, places: Sequence[Contribution], now: datetime) -> None:
        papers = self.store.papers.identified([place.entry for place in places], now)
        new = [place.entry for place, paper in zip(places, papers, strict=True) if paper.id < 0]
        if not new:
            return
        # Another plan of the same file may have other papers.
        content = hashlib.sha256("\n".join(key for entry in new for key in keys(entry)).encode()).hexdigest()
        digest = ParsedDigest("programme", title, None, tuple(new))
        self.store.papers.add_digests(f"{PROGRAMME_SOURCE}{title}", title, content, [digest], now=now)

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
                day = local_date(first.at, profile.schedule.timezone)
                parts.append(f"sent on {long_date(day, profile.language)}")
            if paper.id in owned:
                parts.append("in your library")
            read[paper.id] = ", ".join(parts)
        return read


def _in_zone(place: Contribution, zone: tzinfo) -> Contribution:
    """Make times aware. Local times keep their offset, UTC becomes the reader's zone."""

    def local(moment: datetime | None) -> datetime | None:
        if moment and not moment.tzinfo:
            return moment.replace(tzinfo=zone)
        return moment.astimezone(zone) if moment and place.is_utc else moment

    start = local(place.start)
    return replace(place, day=start.date() if start else place.day, start=start, end=local(place.end))


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
    """Group by day and slot, missing times and days last."""
    latest = datetime.max.replace(tzinfo=UTC)
    by_time = sorted(items, key=lambda item: (item.place.day or date.max, item.place.start or latest))
    days = []
    for day, of_day in groupby(by_time, key=lambda item: item.place.day):
        slots = []
        for start, of_slot in groupby(of_day, key=lambda item: item.place.start):
            planned = list(of_slot)
            ends = {item.place.end for item in planned}
            end = ends.pop() if len(ends) == 1 else None
            if start is None:
                heading = _NO_TIME if day else ""
            else:
                heading = f"{start:%H:%M}–{end:%H:%M}" if end else f"{start:%H:%M}"
            slots.append(PlannedSlot(heading, planned))
        name = long_date(day, language) if day else _NO_TIME
        # Other languages may have another order.
        days.append(PlannedDay(f"{day:%A}, {name}" if day and language.startswith("en") else name, slots))
    return days


_NO_TIME = "No time given"
_TITLE = 100  # characters


def tally(plan: Plan) -> str:
    """Return ``23 of 412 papers; 3 hidden by mutes and required terms``."""
    parts = [f"{plan.planned:,} of {plural(plan.papers, 'paper')}"]
    if plan.hidden:
        parts.append(f"{plan.hidden:,} hidden by mutes and required terms")
    if plan.disliked:
        parts.append(f"{plan.disliked:,} that you disliked")
    if plan.withdrawn:
        parts.append(f"{plan.withdrawn:,} rejected, withdrawn or cancelled")
    return "; ".join(parts)


def where(item: PlannedPaper, slot: PlannedSlot) -> list[str]:
    """Return kind, room, session, a differing end, and id."""
    place = item.place
    parts = [_first_capital(place.kind), place.room, place.session]
    if place.end and any(other.place.end != place.end for other in slot.planned):
        parts.append(f"until {place.end:%H:%M}")
    return [*(shorten(readable(part), _TITLE) for part in dict.fromkeys(parts) if part), item.pick.paper.ref]


def _first_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _notes(item: PlannedPaper) -> Iterator[str]:
    if item.read:
        yield f"{_first_capital(item.read)}."
    if item.instead_of:
        yield f"An alternative to “{shorten(readable(item.instead_of), _TITLE)}”, at the same time elsewhere."


def as_text(plan: Plan) -> str:
    lines = [f"{oneline(plan.title)}: {tally(plan)}"]
    for day in plan.days:
        lines += ["", day.heading]
        for slot in day.slots:
            lines += ["", f"  {slot.heading}"] if slot.heading else [""]
            for number, item in enumerate(slot.planned):
                lines += [""] if number else []
                place = " · ".join(where(item, slot))
                rows = [wording.title(item.pick.paper), place, wording.verdict(item.pick), *_notes(item)]
                lines += [wrap(row, indent="    ", first="    ") for row in rows]
    if not plan.days:
        lines += ["", "No paper of this programme fits what this profile asks for."]
    return "\n".join(lines) + "\n"


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~!$])")


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", oneline(text))


def _vote_link(links: ReaderLinks, paper: Paper, vote: Vote) -> str:
    return links.thumb(paper, vote, "page") or links.thumb(paper, vote)


def as_markdown(plan: Plan, links: ReaderLinks) -> str:
    lines = [f"# {_escaped(plan.title)}", "", f"{_escaped(plan.profile_title)}: {tally(plan)}"]
    for day in plan.days:
        lines += ["", f"## {_escaped(day.heading)}"]
        for slot in day.slots:
            lines += ["", f"### {slot.heading}"] if slot.heading else []
            lines.append("")
            for item in slot.planned:
                paper = item.pick.paper
                link = title_link(paper)
                title = _escaped(wording.title(paper))
                lines.append(f"- **{title}**" if link.is_search else f"- **[{title}](<{link.url}>)**")
                if credit := wording.credits_of(item.pick):
                    lines.append(f"  <br>{_escaped(credit)}")
                search = f" · [Search {link.site}](<{link.url}>)" if link.is_search else ""
                lines.append(f"  <br>{_escaped(' · '.join(where(item, slot)))}{search}")
                lines.append(f"  <br>{_escaped(wording.verdict(item.pick))}")
                lines += [f"  <br>*{_escaped(note)}*" for note in _notes(item)]
                if up := _vote_link(links, paper, Vote.UP):
                    down = _vote_link(links, paper, Vote.DOWN)
                    lines.append(f"  <br>[More like this](<{up}>) · [Less like this](<{down}>)")
    if not plan.days:
        lines += ["", "No paper of this programme fits what this profile asks for."]
    return "\n".join(lines) + "\n"


def as_page(plan: Plan, templates: Environment, links: ReaderLinks) -> str:
    """Return a page that loads nothing. Raises TemplateProblem."""
    return render_part(
        templates,
        "conference/plan.html.j2",
        plan=plan,
        days=plan.days,
        tally=tally(plan),
        vote=partial(_vote_link, links),
        where=where,
        first_capital=_first_capital,
        language=plan.language,
    )


def as_calendar(plan: Plan, now: datetime) -> str:
    """Return an iCalendar object, with an event for each place that has a day.

    The UID depends on title, start and room, so a later plan replaces its events. Events with a better alternative are
    tentative. Times are in UTC, which every program converts.
    """
    from icalendar import Calendar, Event
    from icalendar.prop import vText

    calendar = Calendar()
    calendar.add("VERSION", "2.0")
    calendar.add("PRODID", "-//Paperbot//conference//EN")
    calendar.add("CALSCALE", "GREGORIAN")
    # The library escapes only known names.
    calendar.add("X-WR-CALNAME", vText(oneline(plan.title)))
    for item in plan.items:
        paper = item.pick.paper
        day, start, end = item.place.day, item.place.start, item.place.end
        if day is None:
            continue
        at = f"{start.astimezone(UTC):%Y%m%dT%H%M%SZ}" if start else day
        named = f"{normalised_title(paper.title)} {at} {item.place.room}"
        link = title_link(paper)
        address = "" if link.is_search else link.url
        about = [wording.verdict(item.pick), *_notes(item), wording.credits_of(item.pick), f"{paper.ref} {address}"]
        event = Event()
        event.add("UID", f"{hashlib.sha256(named.encode()).hexdigest()[:32]}@paperbot")
        event.add("DTSTAMP", now.astimezone(UTC))
        event.add("DTSTART", start.astimezone(UTC) if start else day)
        if start and end:
            event.add("DTEND", end.astimezone(UTC))
        event.add("SUMMARY", oneline(wording.title(paper)))
        if item.place.room:
            event.add("LOCATION", oneline(item.place.room))
        event.add("DESCRIPTION", "\n".join(oneline(line) for line in about if line))
        if address:
            event.add("URL", address)
        event.add("STATUS", "TENTATIVE" if item.instead_of else "CONFIRMED")
        event.add("TRANSP", "TRANSPARENT")
        calendar.add_component(event)
    return str(calendar.to_ical(), "utf-8")


def as_json(plan: Plan) -> dict[str, Any]:
    return {
        "programme": plan.title,
        "reader": plan.reader.name,
        "papers": plan.papers,
        "planned": plan.planned,
        "hidden": plan.hidden,
        "disliked": plan.disliked,
        "withdrawn": plan.withdrawn,
        "plan": [
            {
                "day": item.place.day,
                "start": item.place.start,
                "end": item.place.end,
                "room": item.place.room,
                "session": item.place.session,
                "kind": item.place.kind,
                "paper": item.pick.paper.ref,
                "title": readable(item.pick.paper.title),
                "url": title_link(item.pick.paper).url,
                "match": wording.match(item.pick).split()[0].lower(),
                "probability": round(item.pick.probability, 4),
                "why": wording.why(item.pick),
                "read": item.read,
                "instead_of": readable(item.instead_of),
            }
            for item in plan.items
        ],
    }
