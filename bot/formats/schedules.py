"""Schedules in JSON and XML: from nested objects to contributions.

Any value may be missing or of another type:

    OpenReview            {"notes": [{"forum", "content": {"title": {"value": ...}, "venue": {"value": ...}}}]}
                          version 1 has plain values: {"title": ..., "authors": [...]}
    papercopilot          [{"title", "author": "Ada Lovelace;Grace Hopper", "abstract", "status", "site", "pdf"}]
    conference sites      {"results": [{"name", "authors": [{"fullname"}], "starttime", "room_name", "eventtype"}]}
    Indico                {"results": [{"sessions": [{"contributions": [{"title", "startDate": {"date", "tz"}}]}]}]}
    Indico's timetable    {"results": {"1234": {"20261202": {"s1": {"entries": {"c5": {"title", "startDate"}}}}}}}
    pretalx, frab         {"schedule": {"conference": {"time_zone_name", "days": [{"date", "rooms": {"Hall A": [
                          {"title", "start": "14:30", "duration": "00:30", "persons": [{"public_name"}]}]}}]}}}
    the same in XML       <schedule><conference/><day date><room name><event><title/><start/><duration/>
    HotCRP                [{"pid", "title", "authors": [{"first", "last"}], "status": "Accepted"}]
    Sessionize            {"sessions": [{"title", "startsAt", "roomId", "speakers": [id]}],
                          "speakers": [{"id", "fullName"}], "rooms": [{"id", "name"}]}
    SIGCHI                {"sessions": [{"name", "roomId", "timeSlotId", "contentIds": [id]}],
                          "contents": [{"id", "title", "authors": [{"personId"}]}], "people": [{"id",
                          "firstName"}], "timeSlots": [{"id", "startDate"}]}
    Confero               {"Sessions": [{"Title", "Day", "Time", "Items": [key]}], "People": [{"Key", "Name"}],
                          "Items": [{"Key", "Title", "Authors": [key]}]}

One walk reads them all: containers lead to others or to contributions, which take over room, day and time zone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from bot.formats.contributions import ADDRESS, NAMES, Reading, by_name, contribution, day_in, simple, zone_in
from bot.formats.format import read_xml, tidy
from bot.formats.tables import pattern, table
from bot.model import limits
from bot.model.errors import DigestError
from bot.model.papers import Contribution

_OPENREVIEW_ID = re.compile(r"[\w-]{4,40}")
_DEEPEST, _MOST_SLOTS = 20, 20

_CONTAINERS: Mapping[str, tuple[str, ...]] = {
    name: tuple(fields.split(" "))
    for names, fields in table("programmes")["containers"].items()
    for name in names.split()
}
_NO_TALKS: Sequence[str] = table("programmes")["no_talks"]["keys"]
_SINGLE = ("keynote", "talk", "presentation", "contribution")
# Objects under these keys are never contributions themselves.
_PLACES = ("schedule", "conference", "days", "rooms")
# An object's name: two or three of its texts, or the first of these.
_PARTS = (("date", "time", "tz"), ("firstname", "lastname"), ("first", "last"), ("given", "family"))
_SHOWN = "value fullname publicname fullpublicname displayname name title en".split()

# Lists of objects that others name by their ids, and how those call them.
_NAMED = {"speakers": "speaker", "rooms": "room", "tracks": "track", "people": "author", "contenttypes": "type"}
_TALKS = ("contents", "items", "papers")  # that sessions list by their ids
_LISTS = ("contentids", "items", "paperids")  # in sessions

_Names = Mapping[tuple[str, str], str]  # of such objects, by their kind and id
_Node = dict[str, Any]
_Object = tuple[Mapping[str, Any], dict[str, str], Mapping[str, str]]


def from_json(text: str, reading: Reading) -> tuple[str, Iterator[Contribution]]:
    """Return the format's name and the contributions. Raises DigestError without a list of them."""
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    tables = _tables(loaded)
    names = {(kind, key): _text(item) for name, kind in _NAMED.items() for key, item in tables.get(name, {}).items()}
    loaded = _joined(tables) or loaded
    objects = _objects(loaded, {}, "", names, 0)
    first = next(objects, None)
    if first is None or first[0] is loaded:
        raise DigestError(
            "JSON, but no list of papers; they are an array, or an array under one of: notes, results, papers, events, "
            "sessions, schedule, items"
        )
    form = "openreview" if isinstance(first[0].get("content"), Mapping) else "json"
    return form, _contributions(chain([first], objects), names, reading)


def _tables(loaded: object) -> dict[str, dict[str, _Node]]:
    """Return the lists of objects by simple names, and the objects by their ids."""
    tables: dict[str, dict[str, _Node]] = {}
    for name, value in loaded.items() if isinstance(loaded, Mapping) else ():
        items = value if isinstance(value, list) else [value | {"id": ""}] if isinstance(value, dict) else []
        table = tables.setdefault(simple(str(name)), {})
        for item in items:
            node = {simple(str(key)): part for key, part in item.items()} if isinstance(item, Mapping) else {}
            key = node.get("id", node.get("key"))
            if isinstance(key, str | int):
                table.setdefault(str(key), node)
    return tables


def _joined(tables: Mapping[str, Mapping[str, _Node]]) -> _Node | None:
    """Return the talks that sessions list by their ids, each with its session. None in other programmes."""
    talks = next(filter(None, map(tables.get, _TALKS)), {})
    placed: dict[str, _Node] = {}
    for session in tables.get("sessions", {}).values():
        ids: Sequence[Any] = next((session[name] for name in _LISTS if isinstance(session.get(name), list)), [])
        slot = tables.get("timeslots", {}).get(str(session.get("timeslotid")), {})
        place = {key: value for key, value in session.items() if key in {"day", "time", "location", "room", "roomid"}}
        place |= {name: _local(slot[f"{name}date"]) for name in ("start", "end") if f"{name}date" in slot}
        place["session"] = _text({key: session[key] for key in ("title", "name") if key in session})
        for key in ids:
            if isinstance(key, str | int) and str(key) in talks and str(key) not in placed:
                placed[str(key)] = {**talks[str(key)], **place}
    zone = tables.get("conference", {}).get("", {}).get("timezonename", "")
    return {"timezone": zone, "contributions": list({**talks, **placed}.values())} if placed else None


def _local(milliseconds: object) -> str:
    """Return SIGCHI's local time, which it counts as if it were UTC."""
    with suppress(ValueError, OverflowError, OSError, TypeError):
        return datetime.fromtimestamp(float(str(milliseconds)) / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    return ""


def from_xml(text: str, reading: Reading) -> Iterator[Contribution]:
    """Yield the contributions in the XML of frab, pretalx and pentabarf. Raises DigestError for other XML."""
    root, errors = read_xml(
        text, "schedule", "XML, but no programme: those of frab, pretalx and pentabarf begin with <schedule>"
    )
    reading.problems += errors
    conference = {child.tag: child.text or "" for child in root.iterfind("conference/*")}
    days: list[dict[str, Any]] = []
    for day in root.iterfind("day"):
        days.append({**day.attrib, "rooms": []})
        for room in day:
            # EuroPython's days have entries.
            is_event = room.find("title") is not None
            events: list[dict[str, Any]] = [_event(event) for event in ([room] if is_event else room.iterfind("event"))]
            days[-1]["rooms"].append({**({} if is_event else room.attrib), "events": events})
    return _contributions(_objects({"conference": {**conference, "days": days}}, {}, "", {}, 0), {}, reading)


def _event(event: Any) -> dict[str, Any]:
    persons = [person.text or "" for path in ("persons/*", "speakers/*/name") for person in event.iterfind(path)]
    texts = {child.tag: child.text or "" for child in reversed(event)}  # the first of a name counts
    if not any(persons) and (person := texts.get("person", "")):
        persons = [name.strip() for name in person.split(",")]
    return {**texts, "persons": persons, **event.attrib}


def _objects(node: Any, context: Mapping[str, str], within: str, names: _Names, depth: int) -> Iterator[_Object]:
    """Yield the contributions in ``node``, the value of the key ``within``, with their fields and those around."""
    if depth > _DEEPEST or not node or not isinstance(node, (Mapping, list)):
        return
    if isinstance(node, list):
        for item in node:
            yield from _objects(item, context, within, names, depth + 1)
        return
    fields = _fields(node, names)
    title, *keys = _CONTAINERS.get("sessions" if fields["kind"].lower() == "session" else within, ("",))
    inner = {name: value for key, value in node.items() if (name := simple(str(key))) in _CONTAINERS}
    nested: dict[str, Any] = {}
    for name, value in inner.items():
        parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        is_one = name in _SINGLE and isinstance(value, Mapping) and "title" in value
        if is_one or any(isinstance(part, (Mapping, list)) for part in parts):
            nested[name] = value
    if nested:
        # The start of a conference or of a day may tell the zone.
        taken = {key: fields[key] for key in keys} | {title: fields["title"]}
        taken["zone"] = fields["zone"] or zone_in(fields["start"] or fields["day"])
        context = {**context, **{key: text for key, text in taken.items() if key and text}}
        for name, value in nested.items():
            yield from _objects(value, context, name, names, depth + 1)
    elif all(isinstance(value, (Mapping, list)) for value in node.values()) and "content" not in node:
        # Objects by their ids, their rooms or their days.
        for key, value in node.items():
            place = {"room": str(key)} if within == "rooms" else {"day": str(key)} if day_in(str(key)[:40]) else {}
            inside = "sessions" if "day" in place else "events" if place else within
            yield from _objects(value, {**context, **place}, inside, names, depth + 1)
    elif not (
        within in _PLACES
        or (inner and title == "session")  # one without contributions
        or any(node.get(key) not in (None, False, "") for key in _NO_TALKS)
        or pattern("break", "programmes").fullmatch(fields["kind"])
    ):
        yield node, fields, context


def _contributions(objects: Iterable[_Object], names: _Names, reading: Reading) -> Iterator[Contribution]:
    for number, (node, fields, context) in enumerate(objects, 1):
        slots = node.get("slots")
        for slot in slots[:_MOST_SLOTS] if slots and isinstance(slots, list) else [node.get("slot")]:
            at = _fields(slot, names) if isinstance(slot, Mapping) else {}
            placed = fields | {key: at[key] for key in ("day", "start", "end", "room", "duration") if at.get(key)}
            # A contribution with its own time doesn't begin and end with its session.
            left_out = ("start", "end") if placed["start"] else ()
            placed |= {key: text for key, text in context.items() if not placed[key] and key not in left_out}
            if result := contribution(f"item {number:,}", placed, reading):
                yield result


def _fields(node: Mapping[str, Any], names: _Names) -> dict[str, str]:
    content = node.get("content")
    row: dict[str, str] = {}
    for key, value in (content if isinstance(content, Mapping) else node).items():
        # Indico's "_type" is that of the object, and its "startDate" has a time, too.
        name = "" if str(key).startswith("_") else simple(str(key))
        if isinstance(value, Mapping) and name in ("startdate", "enddate"):
            name = name.removesuffix("date")
        kind = re.sub(r"(?:ids?|s)$", "", name)
        parts = value if isinstance(value, list) else [value]
        parts = [part.get("personId") if isinstance(part, Mapping) else part for part in parts if names]
        ids = [(kind, str(part)) for part in parts]
        text = "".join(f"{names[key]};" for key in ids if key in names) or _text(value)
        if name in NAMES["duration"] and isinstance(value, int):
            text = str(value)
        # Conference sites name pages by their path.
        if text and (name not in NAMES["url"] or ADDRESS.fullmatch(text)):
            row.setdefault(name, text)
    fields = by_name(row)
    forum = node.get("forum") or node.get("id")
    if isinstance(content, Mapping) and isinstance(forum, str) and _OPENREVIEW_ID.fullmatch(forum):
        fields["url"] = fields["url"] or f"https://openreview.net/forum?id={forum}"
    return fields


def _text(value: Any) -> str:
    """Return a value as text, perhaps a note's ``{"value": ...}``, names, or an object with a name or a time."""
    if isinstance(value, Mapping):
        value = {simple(str(key)): part for key, part in value.items()}
        parts = ([value.get(name) for name in names] for names in _PARTS)
        if whole := next((texts for texts in parts if all(texts[:2])), None):
            return " ".join(text.strip() for text in whole if isinstance(text, str))
        value = next((value[name] for name in _SHOWN if name in value), next(iter(value.values()), ""))
        value = value.get("en") if isinstance(value, Mapping) else value
    if isinstance(value, list):
        texts = [_text(part) for part in value[: limits.AUTHORS + 2] if not isinstance(part, list)]
        return ";".join(name.replace(";", ",") for name in texts if name) + (";" if len(texts) == 1 else "")
    return value if isinstance(value, str) else ""
