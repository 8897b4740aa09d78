"""Schedules in JSON and XML: from nested objects to contributions.

The shapes, where any value may be missing or of another type:

    OpenReview, version 2   {"notes": [{"id", "forum", "content": {"title": {"value": ...}, "venue": {"value": ...}}}]}
    OpenReview, version 1   the same with plain values: {"title": ..., "authors": [...]}
    papercopilot            [{"title", "author": "Ada Lovelace;Grace Hopper", "abstract", "status", "site", "pdf"}]
    conference sites        {"results": [{"name", "abstract", "authors": [{"fullname"}], "starttime", "endtime",
                             "room_name", "session", "eventtype", "virtualsite_url"}]}
    Indico's export         {"results": [{"contributions": [{"title", "startDate": {"date", "time", "tz"}, "room",
                             "primaryauthors": [{"first_name", "last_name"}]}], "sessions": [{"contributions": ...}]}]}
    Indico's timetable      {"results": {"1234": {"20261202": {"s1": {"entries": {"c5": {"title", "startDate"}}}}}}}
    pretalx, frab           {"schedule": {"conference": {"time_zone_name", "days": [{"date", "rooms": {"Hall A": [
                             {"title", "start": "14:30", "duration": "00:30", "persons": [{"public_name"}]}]}}]}}}
    the same in XML         <schedule><conference/><day date><room name><event><title/><start/><duration/>
    Sessionize              {"sessions": [{"title", "startsAt", "roomId", "speakers": [id]}], "speakers": [{"id",
                             "fullName"}], "rooms": [{"id", "name"}]}
    ACL's handbook          {"papers": {id: {"title", "authors"}}, "events": {id: {"paper_ids", "start_time", "room"}}}

All are read by one walk: lists of containers lead on to others or to contributions, which take the room, the day and
the time zone of what they lie in. A new product takes names in the tables, and rarely code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.formats.contributions import ADDRESS, NAMES, Reading, by_name, contribution, day_in, simple, zone_in
from bot.formats.format import tidy
from bot.formats.xml_tree import Element, problems_of, read_xml
from bot.model import limits
from bot.model.errors import DigestError
from bot.model.papers import Contribution

_OPENREVIEW = "https://openreview.net/forum?id="
_OPENREVIEW_ID = re.compile(r"[\w-]{4,40}")
_DEEPEST = 20

# Keys of lists (or of objects by id) that hold contributions, or more such lists; and what those inside take over.
_CONTAINERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("notes", "results", "papers", "events", "data", "items", "submissions"), ("zone",)),
    **dict.fromkeys(
        ("schedule", "conference", "program", "programme", "timetable", "talks", "contributions"), ("zone",)
    ),
    **dict.fromkeys(("presentations", "posters", "accepted"), ("zone",)),
    **dict.fromkeys(("days", "rooms"), ("day", "room", "zone")),
    **dict.fromkeys(("sessions", "sessionslots", "entries"), ("day", "start", "end", "room", "session", "zone")),
}
# Those whose objects are never contributions themselves.
_PLACES = ("schedule", "conference", "days", "rooms")
_NO_TALK = re.compile(r"session|break|lunch|service", re.IGNORECASE)
_BREAK = re.compile(r"(?:coffee |lunch )?break", re.IGNORECASE)
# Lists of what other objects name by an id: Sessionize's speakers and rooms.
_NAMED = ("speakers", "rooms", "tracks", "people", "persons")
_FULL_NAMES = ("fullname", "fullName", "full_name", "public_name", "full_public_name", "display_name", "name", "title")
_NAME_PARTS = (("first_name", "last_name"), ("firstName", "lastName"), ("given", "family"), ("firstname", "lastname"))


@dataclass(slots=True)
class _Walk:
    """The names and times of a file that its objects refer to, and the number of the contribution that is read."""

    reading: Reading
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    events: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    number: int = 0


def from_json(text: str, reading: Reading) -> tuple[str, Iterator[Contribution]]:
    """Return the name of the format and its contributions; raises DigestError if there is no list of them."""
    try:
        loaded = json.loads(text)
    # RecursionError: "[" a million times. ValueError: also a number of more than 4,300 digits.
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    items = loaded
    if isinstance(loaded, Mapping):
        items = [value for key, value in loaded.items() if simple(str(key)) in _CONTAINERS and _is_nested(value)]
        if not items and not _is_index(loaded):
            listed = ", ".join(("notes", "results", "papers", "events", "sessions", "schedule", "items"))
            raise DigestError(f"JSON, but no list of papers; they are an array, or an array under one of: {listed}")
    if not isinstance(items, list):
        raise DigestError("JSON, but no list of papers; they are an array of objects with a title")
    lists = [items, *(item for item in items if isinstance(item, list))]
    form = "openreview" if any(_is_note(item) for items in lists for item in items) else "json"
    walk = _Walk(reading)
    _index(loaded, walk, 0)
    return form, _contributions(loaded, walk, {}, "", 0)


def from_xml(text: str, reading: Reading) -> Iterator[Contribution]:
    """Yield the contributions of frab's, pretalx's and pentabarf's XML; raises DigestError if it is something else."""
    root = read_xml(text)
    if root is None or root.tag != "schedule":
        raise DigestError("XML, but no programme: those of frab, pretalx and pentabarf begin with <schedule>")
    for problem in problems_of(root):
        reading.note(problem)
    conference = {child.tag: child.text or "" for child in root.iterfind("conference/*")}
    days = [
        {**day.attrib, "rooms": [{**room.attrib, "events": list(map(_event, room.iterfind("event")))} for room in day]}
        for day in root.iterfind("day")
    ]
    yield from _contributions({"conference": {**conference, "days": days}}, _Walk(reading), {}, "", 0)


def _event(element: Element) -> dict[str, Any]:
    event: dict[str, Any] = dict(element.attrib)
    for child in element:
        event.setdefault(child.tag, [part.text or "" for part in child] if child.tag == "persons" else child.text or "")
    return event


def _is_nested(value: object) -> bool:
    """Whether a value holds objects: as a list or by their ids, or is one."""
    if isinstance(value, list):
        return any(isinstance(item, (Mapping, list)) for item in value)
    return isinstance(value, Mapping) and (_is_index(value) or any(simple(str(key)) in _CONTAINERS for key in value))


def _is_index(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(isinstance(item, (Mapping, list)) for item in value.values())


def _is_note(item: object) -> bool:
    return isinstance(item, Mapping) and isinstance(item.get("content"), Mapping)


def _index(node: Any, walk: _Walk, depth: int) -> None:
    """Collect what objects are referred to by: names by their ids, and events by the ids of their papers."""
    if depth > _DEEPEST:
        return
    for key, value in node.items() if isinstance(node, Mapping) else enumerate(node):
        if not isinstance(value, (Mapping, list)):
            continue
        if key in _NAMED and isinstance(value, list):
            walk.names |= {
                (simple(str(key)).rstrip("s"), str(item["id"])): _text(item)
                for item in value
                if isinstance(item, Mapping) and isinstance(item.get("id"), (str, int))
            }
        if isinstance(value, Mapping) and isinstance(value.get("paper_ids"), list):
            walk.events |= {paper: value for paper in value["paper_ids"] if isinstance(paper, str)}
        _index(value, walk, depth + 1)


def _contributions(
    node: Any, walk: _Walk, context: Mapping[str, str], within: str, depth: int
) -> Iterator[Contribution]:
    """Yield the contributions in a list, or in the lists of an object; ``within`` is the key under which it lies."""
    if depth > _DEEPEST:
        walk.reading.note(f"objects are more than {_DEEPEST} deep; what lies deeper is not read")
        return
    if isinstance(node, list):
        for item in node:
            if isinstance(item, (Mapping, list)):
                yield from _contributions(item, walk, context, within, depth + 1)
            else:
                walk.number += 1
                walk.reading.note(f"item {walk.number:,}: not an object with a title")
        return
    inner = {} if _is_note(node) else {key: value for key, value in node.items() if simple(str(key)) in _CONTAINERS}
    fields = _fields_of(node, walk)
    if nested := {key: value for key, value in inner.items() if _is_nested(value)}:
        context = {**context, **_taken_from(fields, within)}
        for key, value in nested.items():
            yield from _contributions(value, walk, context, simple(str(key)), depth + 1)
    elif _is_index(node) and not _is_note(node):
        # Objects by their ids, their rooms or their days.
        for key, value in node.items():
            own = {"room": str(key)} if within == "rooms" else {"day": str(key)} if day_in(str(key)[:40]) else {}
            inside = "events" if within == "rooms" else within
            yield from _contributions(value, walk, {**context, **own}, inside, depth + 1)
    elif within not in _PLACES and not (inner and _NO_TALK.search(within + fields["kind"])):
        yield from _leaves(node, walk, fields, context)


def _taken_from(fields: Mapping[str, str], within: str) -> dict[str, str]:
    """Return what the contributions inside of an object take over from it."""
    names = {"sessions": "session", "sessionslots": "session", "entries": "session", "rooms": "room"}
    taken = {key: fields[key] for key in _CONTAINERS.get(within, ()) if fields[key]}
    if within in names and fields["title"]:
        taken[names[within]] = fields["title"]
    # A conference's own start tells the zone, and that of a day does, too.
    zone = fields["zone"] or zone_in(fields["start"] or fields["day"]) or _offset(fields["start"])
    return taken | ({"zone": zone} if zone else {})


def _offset(moment: str) -> str:
    match = re.search(r"T\d\d:\d\d(?::\d\d)?([+-]\d\d:?\d\d)$", moment[:40])
    return match[1] if match else ""


def _leaves(
    node: Mapping[str, Any], walk: _Walk, fields: dict[str, str], context: Mapping[str, str]
) -> Iterator[Contribution]:
    """Yield the contribution of an object, at each of its slots."""
    content = node.get("content")
    # A note's reviews and comments are notes, too.
    if isinstance(content, Mapping) and node.get("replyto"):
        return
    walk.number += 1
    is_break = node.get("isServiceSession") is True or _BREAK.fullmatch(fields["kind"])
    if not node or "paper_ids" in node or is_break:
        return
    forum = node.get("forum") or node.get("id")
    if isinstance(content, Mapping):
        fields = _fields_of(content, walk)
        if not fields["url"] and isinstance(forum, str) and _OPENREVIEW_ID.fullmatch(forum):
            fields["url"] = f"{_OPENREVIEW}{forum}"
    elif isinstance(forum, str) and not fields["start"] and forum in walk.events:
        event = _fields_of(walk.events[forum], walk)
        fields |= {key: event[key] for key in ("day", "start", "end", "room", "session") if not fields[key]}
    slots = node.get("slots") or [node.get("slot")]
    for slot in slots[:20] if isinstance(slots, list) else []:
        at = _fields_of(slot, walk) if isinstance(slot, Mapping) else {}
        placed = fields | {key: at[key] for key in ("day", "start", "end", "room", "duration") if at.get(key)}
        # What has a time of its own doesn't begin and end with its session.
        is_timed = bool(placed["start"])
        inherited = {
            key: value
            for key, value in context.items()
            if not placed[key] and not (is_timed and key in ("start", "end"))
        }
        result = contribution(f"item {walk.number:,}", placed | inherited, walk.reading)
        if result:
            yield result


def _fields_of(item: Mapping[str, Any], walk: _Walk) -> dict[str, str]:
    row: dict[str, str] = {}
    for key, value in item.items():
        name = "" if str(key).startswith("_") else simple(str(key))  # Indico's "_type" is that of the object
        values = value if isinstance(value, list) else [value]
        stem = re.sub(r"(?:ids?|s)$", "", name)
        if any(isinstance(part, (str, int)) and (stem, str(part)) in walk.names for part in values):
            names = [walk.names[stem, str(part)] for part in values if (stem, str(part)) in walk.names]
            text = ";".join([*names, ""]) if stem in ("speaker", "person", "people") else names[0]
        else:
            text = _text(value, is_number=name in NAMES["duration"])
        if text:
            row.setdefault(name, text)
    # Indico lists authors in two groups.
    if groups := [row[name] for name in ("primaryauthors", "coauthors") if name in row]:
        row.setdefault("authors", ";".join(groups))
    # An address counts only if it is one: conference sites name pages by their path.
    for name in NAMES["url"]:
        if name in row and not ADDRESS.fullmatch(row[name]):
            del row[name]
    # pretalx has the day, the offset and the time in one field, and the time alone in another.
    if "T" in row.get("date", "") and row.get("start"):
        row["start"] = row["date"]
    fields = by_name(row)
    # papercopilot's and OpenReview's tracks are those of reviewing, which most papers share.
    if fields["session"] == row.get("track") and row.keys() & {"site", "authorids", "primaryarea", "openreview"}:
        fields["session"] = ""
    return fields


def _text(value: Any, *, is_number: bool = False) -> str:
    """Return a value as text: a version 2 note's ``{"value": ...}``, a list of names, objects with a name or a time."""
    if isinstance(value, Mapping):
        if isinstance(value.get("date"), str):
            parts = [value["date"], value.get("time"), value.get("tz")]
        else:
            pairs = ([value.get(first), value.get(last)] for first, last in _NAME_PARTS)
            parts = next((pair for pair in pairs if all(pair)), [])
        if parts:
            return " ".join(part.strip() for part in parts if isinstance(part, str))
        # The last are texts by their language.
        named = [value[name] for name in ("value", *_FULL_NAMES, "en") if name in value] or list(value.values())
        value = named[0] if named and not isinstance(named[0], Mapping) else _text(named[0].get("en")) if named else ""
    if isinstance(value, int) and is_number:
        return str(value)
    if isinstance(value, list):
        texts = [_text(part) for part in value[: limits.AUTHORS + 2] if not isinstance(part, list)]
        return ";".join(name.replace(";", ",") for name in texts if name) + (";" if len(texts) == 1 else "")
    return value if isinstance(value, str) else ""
