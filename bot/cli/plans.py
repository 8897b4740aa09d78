"""A conference's plan as text, Markdown, a page, a calendar or JSON."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from bot import wording
from bot.channels.papers import ReaderLinks, title_link
from bot.channels.templates import render_part
from bot.cli.output import why
from bot.model import Match, Paper, Vote
from bot.model.papers import normalised_title
from bot.model.wording import oneline, plural, shorten, wrap
from bot.operate.conference import Plan, PlannedPaper, PlannedSlot
from bot.text.latex import readable

if TYPE_CHECKING:
    from jinja2 import Environment

_TITLE = 100  # characters


def tally(plan: Plan) -> str:
    """Return ``23 of 412 papers, all strong matches; 3 hidden by mutes and required terms``."""
    only = _only_match(plan)
    parts = [f"{plan.planned:,} of {plural(plan.papers, 'paper')}{f', all {only} matches' if only else ''}"]
    if plan.hidden:
        parts.append(f"{plan.hidden:,} hidden by mutes and required terms")
    if plan.disliked:
        parts.append(f"{plan.disliked:,} that you disliked")
    if plan.withdrawn:
        parts.append(f"{plan.withdrawn:,} rejected, withdrawn or cancelled")
    return "; ".join(parts)


def _only_match(plan: Plan) -> str:
    """Return the match that several papers share, or an empty string."""
    words = {Match.for_probability(item.pick.probability) for item in plan.items}
    return words.pop() if len(words) == 1 and plan.planned > 1 else ""


def _verdict(plan: Plan, item: PlannedPaper) -> str:
    """Return match and reasons. A match that all papers share is in the tally."""
    return why(item.pick) if _only_match(plan) else wording.verdict(item.pick)


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
                rows = [wording.title(item.pick.paper), place, _verdict(plan, item), *_notes(item)]
                lines += [wrap(row, indent="    ", first="    ") for row in rows if row]
    return "\n".join([*lines, *_none_fits(plan)]) + "\n"


def _none_fits(plan: Plan) -> list[str]:
    return [] if plan.days else ["", "No paper of this programme fits what this profile asks for."]


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~!$])", r"\\\1", oneline(text))


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
                if verdict := _verdict(plan, item):
                    lines.append(f"  <br>{_escaped(verdict)}")
                lines += [f"  <br>*{_escaped(note)}*" for note in _notes(item)]
                if up := _vote_link(links, paper, Vote.UP):
                    down = _vote_link(links, paper, Vote.DOWN)
                    lines.append(f"  <br>[More like this](<{up}>) · [Less like this](<{down}>)")
    return "\n".join([*lines, *_none_fits(plan)]) + "\n"


def as_page(plan: Plan, templates: Environment, links: ReaderLinks) -> str:
    """Return a page that loads nothing. Raises TemplateProblem."""
    return render_part(
        templates,
        "conference/plan.html.j2",
        plan=plan,
        days=plan.days,
        tally=tally(plan),
        has_matches=not _only_match(plan),
        vote=partial(_vote_link, links),
        where=where,
        first_capital=_first_capital,
        language=plan.language,
    )


def as_calendar(plan: Plan, now: datetime) -> str:
    """Return an iCalendar object, with an event for each place that has a day.

    The UID depends on title, start and room, so a later plan replaces its events. Times are in UTC.
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
        about = [_verdict(plan, item), *_notes(item), wording.credits_of(item.pick), f"{paper.ref} {address}"]
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
