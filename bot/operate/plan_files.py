"""A plan of a conference as text, Markdown, a page, a calendar (RFC 5545) and JSON."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from bot.channels import phrases
from bot.channels.papers import ReaderLinks, title_link
from bot.channels.templates import render_part
from bot.model import Paper, Vote
from bot.model.papers import normalised_title
from bot.model.wording import long_date, oneline, plural, shorten, wrap
from bot.operate.conference import Plan, PlannedPaper, Slot
from bot.text.latex import readable

if TYPE_CHECKING:
    from jinja2 import Environment

_NO_TIME = "No time given"
_INDENT = "    "
_TITLE = 100  # characters of another paper's title


@dataclass(frozen=True, slots=True)
class ShownSlot:
    """A slot with its heading, such as 09:00–10:30."""

    heading: str
    planned: Sequence[PlannedPaper]
    has_one_end: bool


@dataclass(frozen=True, slots=True)
class ShownDay:
    """A day with its heading and its slots."""

    heading: str
    slots: Sequence[ShownSlot]


def days(plan: Plan) -> list[ShownDay]:
    """Return the plan's slots by day, with headings; what has no day comes last."""
    shown: dict[date | None, list[ShownSlot]] = {}
    for slot, items in plan.slots.items():
        shown.setdefault(slot.day, []).append(_shown(slot, items))
    return [ShownDay(_day(day, plan.language), slots) for day, slots in shown.items()]


def _day(day: date | None, language: str) -> str:
    if day is None:
        return _NO_TIME
    # The language's own order of weekday and date is not known; English has it in front.
    return f"{day:%A}, {long_date(day, language)}" if language.startswith("en") else long_date(day, language)


def _shown(slot: Slot, items: Sequence[PlannedPaper]) -> ShownSlot:
    if slot.start is None:
        return ShownSlot(_NO_TIME if slot.day else "", items, has_one_end=True)
    ends = {item.place.end for item in items}
    end = ends.pop() if len(ends) == 1 else None
    heading = f"{slot.start:%H:%M}–{end:%H:%M}" if end else f"{slot.start:%H:%M}"
    return ShownSlot(heading, items, has_one_end=end is not None)


def tally(plan: Plan) -> str:
    """Return how many papers are planned, and why others are not: ``23 of 412 papers; 3 hidden by your profile``."""
    parts = [f"{plan.planned:,} of {plural(plan.papers, 'paper')}"]
    if plan.hidden:
        parts.append(f"{plan.hidden:,} hidden by mutes and required terms")
    if plan.disliked:
        parts.append(f"{plan.disliked:,} that you disliked")
    if plan.withdrawn:
        parts.append(f"{plan.withdrawn:,} rejected, withdrawn or cancelled")
    return "; ".join(parts)


def where(item: PlannedPaper, slot: ShownSlot) -> list[str]:
    """Return kind, room and session of a planned paper, its own end where its slot has several, and its id."""
    place = item.place
    parts = [_first_capital(place.kind), place.room, place.session]
    if place.end and not slot.has_one_end:
        parts.append(f"until {place.end:%H:%M}")
    return [*(shorten(readable(part), _TITLE) for part in dict.fromkeys(parts) if part), item.pick.paper.ref]


def _first_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _notes(item: PlannedPaper) -> Iterator[str]:
    if item.read:
        yield f"{_first_capital(item.read)}."
    if item.instead_of:
        yield f"An alternative to “{shorten(readable(item.instead_of), _TITLE)}”, at the same time elsewhere."


def text(plan: Plan) -> str:
    """Return the plan as plain text."""
    lines = [f"{oneline(plan.title)}: {tally(plan)}"]
    for day in days(plan):
        lines += ["", day.heading]
        for slot in day.slots:
            lines += ["", f"  {slot.heading}"] if slot.heading else [""]
            for number, item in enumerate(slot.planned):
                lines += [""] if number else []
                lines.append(wrap(phrases.title(item.pick.paper), _INDENT, _INDENT))
                lines.append(wrap(" · ".join(where(item, slot)), _INDENT, _INDENT))
                lines.append(wrap(phrases.verdict(item.pick), _INDENT, _INDENT))
                lines += [wrap(note, _INDENT, _INDENT) for note in _notes(item)]
    if not plan.slots:
        lines += ["", "No paper of this programme fits what this profile asks for."]
    return "\n".join(lines) + "\n"


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~!$])")


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\1", oneline(text))


Votes = Callable[[Paper, Vote], str]


def votes_of(links: ReaderLinks) -> Votes:
    """Return what gives the link of a vote; empty where neither pages nor a mailbox could take it."""

    def link(paper: Paper, vote: Vote) -> str:
        return links.thumb(paper, vote, "page") or links.thumb(paper, vote)

    return link


def markdown(plan: Plan, vote: Votes) -> str:
    """Return the plan as CommonMark."""
    lines = [f"# {_escaped(plan.title)}", "", f"{_escaped(plan.profile_title)}: {tally(plan)}"]
    for day in days(plan):
        lines += ["", f"## {_escaped(day.heading)}"]
        for slot in day.slots:
            lines += ["", f"### {slot.heading}"] if slot.heading else []
            lines.append("")
            for item in slot.planned:
                paper = item.pick.paper
                link = title_link(paper)
                title = _escaped(phrases.title(paper))
                lines.append(f"- **{title}**" if link.is_search else f"- **[{title}](<{link.url}>)**")
                if credit := phrases.credits_of(item.pick):
                    lines.append(f"  <br>{_escaped(credit)}")
                search = f" · [Search arXiv](<{link.url}>)" if link.is_search else ""
                lines.append(f"  <br>{_escaped(' · '.join(where(item, slot)))}{search}")
                lines.append(f"  <br>{_escaped(phrases.verdict(item.pick))}")
                lines += [f"  <br>*{_escaped(note)}*" for note in _notes(item)]
                if up := vote(paper, Vote.UP):
                    down = vote(paper, Vote.DOWN)
                    lines.append(f"  <br>[More like this](<{up}>) · [Less like this](<{down}>)")
    if not plan.slots:
        lines += ["", "No paper of this programme fits what this profile asks for."]
    return "\n".join(lines) + "\n"


def page(plan: Plan, templates: Environment, vote: Votes) -> str:
    """Return the plan as a page that loads nothing; raises TemplateProblem."""
    return render_part(
        templates,
        "conference/plan.html.j2",
        plan=plan,
        days=days(plan),
        tally=tally(plan),
        vote=vote,
        where=where,
        first_capital=_first_capital,
        language=plan.language,
    )


_ICS_ESCAPE = re.compile(r"([\\;,])")


def calendar(plan: Plan, now: datetime) -> str:
    """Return the plan as an iCalendar object: an event for each place of a planned paper that has a day.

    An event keeps its UID as long as title and start are the same, so that a later plan replaces it. One that has a
    better alternative at the same time is tentative.
    """
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Paperbot//conference//EN", "CALSCALE:GREGORIAN"]
    lines.append(f"X-WR-CALNAME:{_ics(plan.title)}")
    for item in plan.items:
        if item.slot.day is None:
            continue
        paper = item.pick.paper
        start, end = item.place.start, item.place.end
        named = f"{normalised_title(paper.title)} {_utc(start) if start else item.slot.day} {item.place.room}"
        link = title_link(paper)
        address = "" if link.is_search else link.url
        about = [phrases.verdict(item.pick), *_notes(item), phrases.credits_of(item.pick), f"{paper.ref} {address}"]
        lines += [
            "BEGIN:VEVENT",
            f"UID:{hashlib.sha256(named.encode()).hexdigest()[:32]}@paperbot",
            f"DTSTAMP:{_utc(now)}",
            f"DTSTART:{_utc(start)}" if start else f"DTSTART;VALUE=DATE:{item.slot.day:%Y%m%d}",
            *([f"DTEND:{_utc(end)}"] if start and end else []),
            f"SUMMARY:{_ics(phrases.title(paper))}",
            *([f"LOCATION:{_ics(item.place.room)}"] if item.place.room else []),
            f"DESCRIPTION:{_ics(chr(10).join(filter(None, about)))}",
            *([f"URL:{address}"] if address else []),
            f"STATUS:{'TENTATIVE' if item.instead_of else 'CONFIRMED'}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _ics(text: str) -> str:
    """Return a TEXT value of RFC 5545, section 3.3.11."""
    lines = (oneline(line) for line in text.split("\n"))
    return "\\n".join(_ICS_ESCAPE.sub(r"\\\1", line) for line in lines)


def _folded(line: str) -> str:
    """Return a content line in parts of at most 75 bytes, between characters."""
    parts = [""]
    size = 0
    for character in line:
        width = len(character.encode())
        if size + width > 75:
            parts.append(" ")
            size = 1
        parts[-1] += character
        size += width
    return "\r\n".join(parts)


def as_json(plan: Plan) -> dict[str, Any]:
    """Return the plan as values of JSON, beside the problems."""
    return {
        "programme": plan.title,
        "reader": plan.reader.name,
        "papers": plan.papers,
        "planned": plan.planned,
        "hidden": plan.hidden,
        "disliked": plan.disliked,
        "withdrawn": plan.withdrawn,
        "plan": [_item_json(item) for item in plan.items],
    }


def _item_json(item: PlannedPaper) -> dict[str, Any]:
    paper = item.pick.paper
    place = item.place
    return {
        "day": item.slot.day,
        "start": place.start,
        "end": place.end,
        "room": place.room,
        "session": place.session,
        "kind": place.kind,
        "paper": paper.ref,
        "title": readable(paper.title),
        "url": title_link(paper).url,
        "match": phrases.match(item.pick).split()[0].lower(),
        "probability": round(item.pick.probability, 4),
        "why": phrases.why(item.pick),
        "read": item.read,
        "instead_of": readable(item.instead_of),
    }
