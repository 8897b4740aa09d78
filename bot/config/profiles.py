"""Profiles: an interest with its readers and schedule, in ``profiles/<slug>.toml``."""

from __future__ import annotations

import json
import re
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, time
from difflib import get_close_matches
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import tomlkit
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from bot.config.files import write_atomically
from bot.config.tables import (
    FILES,
    MisplacedError,
    Section,
    edit_text,
    is_near,
    line_of,
    parse_toml,
    read_toml,
    unknown_key,
    validated,
    without_conflicts,
    wrong_value,
)
from bot.model import GOOD, Kind, Origin, Override, Problem, Reader
from bot.model.addresses import mail_address
from bot.model.clock import due_slots, local_date, moment, next_moment, timezone_names, zone_named
from bot.model.errors import ConfigError
from bot.model.wording import DEFAULT_LANGUAGE, known_language, long_date, shorten

SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
SCHEMAS = "state/schemas"  # below the home, for editors
_LONGEST_SLUG = 42  # characters of one that is made of a title

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def describe_days(days: Collection[str]) -> str:
    """Return days of the week, with three or more in a row as a range.

    >>> describe_days(["mon", "tue", "wed", "thu", "fri", "sun"]), describe_days(["sat", "sun"])
    ('Mon-Fri, Sun', 'Sat, Sun')
    """
    runs: list[list[str]] = [[]]
    for day in DAYS:
        if day in days:
            runs[-1].append(day.capitalize())
        else:
            runs.append([])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs if run)


def clock_time(value: Any) -> Any:
    """Accept "08:00", "08:00:00" and TOML's local time. Raises ValueError."""
    if isinstance(value, time):
        return value.replace(microsecond=0)
    pattern = r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?"
    match = re.fullmatch(pattern, value.strip()) if isinstance(value, str) else None
    if not match:
        raise ValueError(f'{value!r} is not a time of day; write it like "08:00"')
    return time(int(match[1]), int(match[2]), int(match[3] or 0))


def quiet_hours(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError('quiet hours have a beginning and an end; write them like ["22:00", "07:00"]')
    return tuple(value)


_REGIONS = ("Africa/", "America/", "Antarctica/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")


def known_timezone(name: str) -> str:
    """Return the time zone of a name or city in the database's spelling. Raises ValueError.

    >>> known_timezone("europe/berlin"), known_timezone("New York"), known_timezone("utc")
    ('Europe/Berlin', 'America/New_York', 'UTC')
    """
    if name in timezone_names():
        return name
    folded = name.strip().replace(" ", "_").casefold()
    names = sorted(timezone_names())
    # "Pacific" of US/Pacific and Canada/Pacific is no city.
    cities = [known for known in names if known.startswith(_REGIONS) and known.casefold().endswith(f"/{folded}")]
    if matches := [*(known for known in names if known.casefold() == folded), *cities]:
        return matches[0]
    raise ValueError(
        f'unknown time zone {name!r}; write it like "Europe/Berlin", "Berlin" or "UTC". A town has the zone of a '
        "large city, such as London, New York, Los Angeles, Kolkata or Shanghai"
    )


def groups_of_terms(value: Any) -> Any:
    if not isinstance(value, list | tuple) or not all(isinstance(group, list | tuple) for group in value):
        form = '[["reinforcement learning", "RLHF"], ["language model", "LLM"]]'
        raise ValueError(f"required terms are in groups: a paper needs one term of each. Write them like {form}")
    if not all(value):
        raise ValueError("one of its groups is empty, so no paper could have a term of it; remove it")
    return value


def calendar_date(value: Any) -> Any:
    """Accept "2027-01-31" and TOML's local date. Raises ValueError."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value.strip())
    except (ValueError, AttributeError):
        shown = "what is set there" if isinstance(value, list | dict) else f"{value!s:.40}"
        raise ValueError(f"{shown} is not a date; write it like 2027-01-31") from None


def domain(text: str) -> str:
    """Return a domain of mail addresses in lower case. Raises ValueError."""
    name = text.strip().lower()
    if not re.fullmatch(r"(?:[a-z0-9-]+\.)+[a-z0-9-]+", name):
        raise ValueError(f'{text!r:.60} is not a domain; write it like "uni.example", without @')
    return name


Domain = Annotated[str, AfterValidator(domain)]
Term = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Terms = Annotated[tuple[Term, ...], Field(max_length=500)]
_CLOCK = {"type": "string", "pattern": "^([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"}
ClockTime = Annotated[time, BeforeValidator(clock_time), WithJsonSchema(_CLOCK)]
_DATE = {"type": "string", "format": "date"}
CalendarDate = Annotated[date, BeforeValidator(calendar_date), WithJsonSchema(_DATE)]
Email = Annotated[str, AfterValidator(mail_address)]
Timezone = Annotated[str, AfterValidator(known_timezone)]
Language = Annotated[str, AfterValidator(known_language)]


_MAX_INTERESTS = 20_000  # characters, of one or of all together


class InterestSection(Section):
    """An interest in the reader's own words, and its last day: without one it has no end."""

    text: str = Field(min_length=1, max_length=_MAX_INTERESTS)
    until: CalendarDate | None = None

    def counts_on(self, day: date) -> bool:
        return self.until is None or day <= self.until


def list_of_interests(value: Any) -> Any:
    if isinstance(value, str):
        value = [value] if value.strip() else []
    if not isinstance(value, list | tuple):
        raise ValueError(wrong_value(value, "string"))
    entries = [{"text": entry} if isinstance(entry, str) else entry for entry in value]
    for position, entry in enumerate(entries):
        if not isinstance(entry, Mapping | InterestSection):
            form = '{ text = "tactile sensing", until = 2027-01-31 }'
            raise MisplacedError((position,), f'is neither a text nor a table; write "tactile sensing" or {form}')
    texts = [entry.get("text") for entry in entries if isinstance(entry, Mapping)]
    if sum(len(text) for text in texts if isinstance(text, str)) > _MAX_INTERESTS:
        raise ValueError(f"interests have at most {_MAX_INTERESTS:,} characters together; shorten them")
    return entries


def one_text_or_list(interests: tuple[InterestSection, ...]) -> Any:
    """Return a single interest without an end as text."""
    if len(interests) < 2 and not any(entry.until for entry in interests):
        return "".join(entry.text for entry in interests)
    return [{"text": entry.text, **({"until": f"{entry.until}"} if entry.until else {})} for entry in interests]


_TEXT = {"type": "string", "minLength": 1}
_TEXT_WITH_END = {
    "type": "object",
    "properties": {"text": _TEXT, "until": _DATE},
    "required": ["text"],
    "additionalProperties": False,
}
_TEXT_OR_LIST = {
    "anyOf": [
        {"type": "string", "maxLength": _MAX_INTERESTS},
        {"type": "array", "maxItems": 100, "items": {"anyOf": [_TEXT, _TEXT_WITH_END]}},
    ],
    "default": "",
}
# A text becomes one entry without an end.
Interests = Annotated[
    tuple[InterestSection, ...],
    BeforeValidator(list_of_interests),
    PlainSerializer(one_text_or_list),
    Field(max_length=100),
    WithJsonSchema(_TEXT_OR_LIST),
]


class EditionSection(Section):
    """What an edition consists of."""

    size: int = Field(5, ge=1, le=100)
    explore: int = Field(1, ge=0, le=100)
    # The default limits exploratory picks only (``docs/decisions/ranking.md``).
    threshold: float = Field(0.15, ge=0.0, le=1.0)
    trending: float = Field(0.0, ge=0.0, le=1.0)
    summary_sentences: int = Field(3, ge=0, le=6)
    when_quiet: Literal["skip", "note"] = "skip"

    @property
    def fills_from(self) -> float:
        """The least probability of picks: the file's threshold, or that of a good match."""
        return self.threshold if "threshold" in self.model_fields_set else GOOD

    @model_validator(mode="after")
    def _explore_fits_size(self) -> EditionSection:
        if self.explore > self.size:
            raise ValueError(f"explore = {self.explore} is more than size = {self.size}; make it smaller")
        return self


class ScheduleSection(Section):
    """When editions are due, in the reader's own time zone."""

    at: ClockTime = time(8, 0)
    days: tuple[Day, ...] = Field(("mon", "tue", "wed", "thu", "fri"), min_length=1)
    timezone: Timezone = "UTC"  # until load_profile fills in the default of paperbot.toml

    @property
    def is_weekly(self) -> bool:
        return len(set(self.days)) == 1

    def day_of(self, at: datetime) -> date:
        """Return the local date of a time."""
        return local_date(at, self.timezone)

    def moment(self, day: date) -> datetime:
        """Return the time of a day's edition, in UTC."""
        return moment(day, self.at, self.timezone)

    def next_moment(self, now: datetime, last: date | None = None) -> datetime:
        """Return the time of the next edition after ``now``, in this time zone, if the ``last`` was of that day."""
        after = max(now, self.moment(last)) if last else now
        return next_moment(self.at, self.days, self.timezone, after).astimezone(zone_named(self.timezone))

    def due_slots(self, now: datetime, *, last: date | None = None, since: datetime | None = None) -> list[date]:
        """Return the due slots as ``clock.due_slots`` does."""
        return due_slots(self.at, self.days, self.timezone, now, last=last, since=since)


_LOOKED_FOR = ("interests", "keywords", "authors")
# Functions that normalise a channel's addresses, by its name. They raise ValueError.
AddressChecks = Mapping[Kind, Callable[[str], str]]


class ReaderSection(Section):
    """One address that receives the profile, as a table with the channel's name as its only key."""

    kind: Kind
    value: str

    @model_validator(mode="before")
    @classmethod
    def _one_address(cls, table: Any, info: ValidationInfo) -> Any:
        if not isinstance(table, Mapping):
            return table
        channels: AddressChecks = info.context or {}
        for key in table:
            if key not in channels:
                raise MisplacedError((key,), unknown_key(key, channels))
        if len(table) != 1:
            keys = " or ".join(f"{name} = ..." for name in channels)
            raise ValueError(f"a reader has one address; write either {keys}")
        ((kind, address),) = table.items()
        if not isinstance(address, str):
            raise MisplacedError((kind,), wrong_value(address, "string"))
        try:
            return {"kind": kind, "value": channels[kind](address.strip())}
        except ValueError as error:
            raise MisplacedError((kind,), str(error)) from None


class AlertsSection(Section):
    """Which papers are sent at once instead of with the next edition."""

    keywords: Terms = ()
    authors: Terms = ()
    cites: bool = False
    min_score: float | None = Field(None, ge=0.0, le=1.0)
    quiet: Annotated[tuple[ClockTime, ClockTime] | None, BeforeValidator(quiet_hours)] = None
    per_day: int = Field(3, ge=1, le=20)

    @model_validator(mode="after")
    def _matches_something(self) -> AlertsSection:
        if not (self.keywords or self.authors or self.cites) and self.min_score is None:
            raise ValueError("matches no paper; add keywords, authors, cites or min_score")
        return self


class Profile(Section):
    """An interest, and the readers who receive editions for it."""

    title: str = Field(min_length=1, max_length=200)
    interests: Interests = ()
    keywords: Terms = ()
    authors: Terms = ()
    mute: Terms = ()
    require: Annotated[tuple[Terms, ...], BeforeValidator(groups_of_terms), Field(max_length=50)] = ()
    sources: Terms = ()
    open: bool = False
    weekly: bool = False
    group: bool = False
    allow: Annotated[tuple[Domain, ...], Field(max_length=100)] = ()
    catch_up: bool = False
    language: Language = DEFAULT_LANGUAGE
    edition: EditionSection = EditionSection()
    schedule: ScheduleSection = ScheduleSection()
    readers: tuple[ReaderSection, ...] = ()
    alerts: AlertsSection | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _without_conflicts(cls, values: Any, validate: Callable[[Any], Self], info: ValidationInfo) -> Self:
        return without_conflicts(values, validate, _conflicts(values, info.context or {}))

    @property
    def addresses(self) -> list[tuple[Kind, str]]:
        return [(reader.kind, reader.value) for reader in self.readers]

    def has_member(self, reader: Reader) -> bool:
        """Return whether a reader belongs to the group: in the file, or at a domain of ``allow``."""
        return self.group and (reader.origin is Origin.FILE or self._allows(reader.address))

    def needs_approval(self, reader: Reader) -> bool:
        """Return whether the operator must approve a subscriber, who is at no domain of ``allow``."""
        return bool(self.allow) and reader.origin is not Origin.FILE and not self._allows(reader.address)

    def _allows(self, address: str) -> bool:
        """Return whether an address is at a domain of ``allow`` or below it."""
        at = address.lower().rpartition("@")[2]
        return any(at == name or at.endswith(f".{name}") for name in self.allow)

    def interests_at(self, now: datetime) -> str:
        """Return the current interests, a paragraph each."""
        day = self.schedule.day_of(now)
        return "\n\n".join(entry.text for entry in self.interests if entry.counts_on(day))

    def interests_with_end(self, now: datetime, *, ended: bool) -> list[InterestSection]:
        day = self.schedule.day_of(now)
        return [entry for entry in self.interests if entry.until and entry.counts_on(day) is not ended]


def _conflicts(values: Mapping[str, Any], checks: AddressChecks) -> Iterator[MisplacedError]:
    seen: set[str] = set()
    readers = values.get("readers")
    for position, table in enumerate(readers if isinstance(readers, list) else ()):
        for kind, address in table.items() if isinstance(table, Mapping) else ():
            usual = str(address).strip()
            with suppress(ValueError):  # reported as this reader's mistake
                usual = checks[kind](usual) if kind in checks else usual
            if usual.lower() in seen:
                yield MisplacedError(
                    ("readers", position, kind), f"{usual!r} is in this file twice; remove one of them"
                )
            seen.add(usual.lower())
    # Muted terms alone rank all papers alike. A misspelt key is reported as such.
    topics = [values.get(key) for key in _LOOKED_FOR]
    misspelt = (key for key in values if key not in Profile.model_fields)
    is_misspelt = any(is_near(key, topic) for key in misspelt for topic in _LOOKED_FOR)
    if not is_misspelt and not any(topic.strip() if isinstance(topic, str) else topic for topic in topics):
        yield MisplacedError((), "says nothing to look for; add interests, keywords or authors")


def load_profile(path: Path, default_timezone: str, checks: AddressChecks) -> Profile:
    """Return a file's profile. Raises ConfigError."""
    if not SLUG.fullmatch(path.stem):
        remedy = "use a-z, 0-9, - and _, at most 64, like reward-models.toml"
        raise ConfigError(path.name, "", f"not a valid name for a profile; {remedy}")
    text, values = read_toml(path)
    profile = validated(Profile, values, path.name, text, checks)
    # By keys that are set, because "UTC" in the file wins over another default.
    if "timezone" not in profile.schedule.model_fields_set:
        schedule = profile.schedule.model_copy(update={"timezone": default_timezone})
        profile = profile.model_copy(update={"schedule": schedule})
    return profile


def dump_profile(profile: Profile) -> str:
    # Only keys that are set, because of ``EditionSection.fills_from``.
    return profile.model_dump_json(exclude={"readers"}, exclude_unset=True)


def parse_profile(slug: str, content: str) -> Profile:
    """Read the output of ``dump_profile``. Raises ConfigError, as for a later version's."""
    return validated(Profile, json.loads(content), f"{slug}.toml", "")


def profile_files(folder: Path) -> list[Path]:
    """Return a folder's profiles, except hidden files such as editors' locks."""
    return sorted(path for path in folder.glob("*.toml") if not path.name.startswith("."))


def load_profiles(
    folder: Path, default_timezone: str, checks: AddressChecks, sources: Collection[str] | None = None
) -> tuple[dict[str, Profile], list[Problem]]:
    """Return the valid profiles by slug, and a problem for each mistake.

    ``sources`` are the names of all sources, if known.
    """
    profiles: dict[str, Profile] = {}
    mistakes: list[Problem] = []
    for path in profile_files(folder):
        try:
            profiles[path.stem] = load_profile(path, default_timezone, checks)
        except ConfigError as error:
            mistakes += error.problems
            continue
        for position, name in enumerate(profiles[path.stem].sources):
            if sources is not None and name not in (*sources, FILES):
                near = get_close_matches(name, sources, n=1)
                known = f"known: {', '.join(sources)}" if sources else "paperbot.toml has no [[sources]]"
                remedy = f"did you mean {near[0]!r}?" if near else known
                line = line_of(read_toml(path)[0], ("sources", position))
                problem = f"no source has the name {name!r}, so it brings nothing; {remedy}"
                mistakes += ConfigError(path.name, f"sources[{position + 1}]", problem, line=line).problems
    return profiles, [replace(mistake, source=f"profiles/{mistake.source}") for mistake in mistakes]


# The topics, by their key in files and overrides.
TOPICS = ("interests", "keywords", "authors", "mute")
_TIMES = ("at", "days", "timezone")
_CATCHES_UP = {True: "catches up after a week away", False: "doesn't catch up after a week away", None: ""}
_LETTER = {True: "weekly letter", False: "no weekly letter", None: ""}
_SHOWN = 60  # characters of interests in a list of readers


def with_override(profile: Profile, override: Override | None) -> Profile:
    if override is None:
        return profile
    edition = profile.edition
    if override.size is not None:
        # model_copy does not validate, and an edition can't explore more than its size.
        explore = min(edition.explore, override.size)
        edition = edition.model_copy(update={"size": override.size, "explore": explore})
    own = {
        name: value
        for name in (*TOPICS, "catch_up", "weekly", "language", "title")
        if (value := getattr(override, name)) is not None
    }
    if override.interests is not None:
        own["interests"] = tuple(InterestSection(text=text) for text in [override.interests] if text)
    times = {name: value for name in _TIMES if (value := getattr(override, name)) is not None}
    schedule = profile.schedule.model_copy(update=times)
    return profile.model_copy(update={"edition": edition, "schedule": schedule, **own})


def describe_end(entry: InterestSection, language: str = DEFAULT_LANGUAGE) -> str:
    """Return an interest with its last day, or an empty string.

    >>> describe_end(InterestSection(text="tactile sensing", until="2027-01-31"))
    '“tactile sensing” until 31 Jan 2027'
    """
    if entry.until is None:
        return ""
    text = textwrap.shorten(entry.text, _SHOWN, placeholder="…")
    return f"“{text}” until {long_date(entry.until, language)}"


def describe_override(override: Override) -> str:
    """Return a reader's own settings in a few words.

    >>> describe_override(Override(size=5, ignored=("agents",), keywords=("GRPO",), mute=()))
    '5 papers, keywords “GRPO”, no mutes, without “agents”'
    """
    interests = override.interests and (textwrap.shorten(override.interests, _SHOWN, placeholder="…"),)
    lists = {"interests": interests, "keywords": override.keywords, "authors": override.authors, "mutes": override.mute}
    parts = [
        f"called “{override.title}”" if override.title is not None else "",
        f"{override.size} papers" if override.size is not None else "",
        f"at {override.at:%H:%M}" if override.at is not None else "",
        f"on {describe_days(override.days)}" if override.days is not None else "",
        f"in {override.timezone}" if override.timezone is not None else "",
        f"dates in “{override.language}”" if override.language is not None else "",
        *(f"{name} {_quoted(words)}" if words else f"no {name}" for name, words in lists.items() if words is not None),
        _CATCHES_UP[override.catch_up],
        _LETTER[override.weekly],
        f"without {_quoted(override.ignored)}" if override.ignored else "",
    ]
    return ", ".join(filter(None, parts))


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def slug_of(text: str, otherwise: str) -> str:
    """Return the first words of a text as an id.

    >>> slug_of("Barn owls, and all the other birds of prey in Europe", "papers"), slug_of("猫头鹰", "papers")
    ('barn-owls-and-all-the-other-birds-of-prey', 'papers')
    """
    words = re.sub(r"[^a-z0-9]+", " ", text.lower())
    return shorten(words, _LONGEST_SLUG).rstrip("…").replace(" ", "-") or otherwise


def add_profile(
    folder: Path,
    title: str,
    interests: str,
    reader: tuple[Kind, str],
    checks: AddressChecks,
    *,
    schedule: Mapping[str, object] | None = None,
    sources: Sequence[str] = (),
) -> str:
    """Write a new profile of one reader into the folder, and return its slug. Raises ConfigError."""
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    stem = slug_of(ascii_title, "papers")
    kind, address = reader
    values = {
        "title": title.strip(),
        "interests": tomlkit.string(f"{interests.strip()}\n", multiline=True),
        "sources": list(sources),
        "schedule": dict(schedule or {}),
        "readers": [{kind: address}],
    }
    text = tomlkit.dumps({key: value for key, value in values.items() if value})
    validated(Profile, parse_toml(text, f"{stem}.toml"), f"{stem}.toml", text, checks)
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    slug = next(name for name in names if not (folder / f"{name}.toml").exists())
    header = f"#:schema ../{SCHEMAS}/profile.json\n# docs/profiles.md explains each key.\n\n"
    try:
        write_atomically(folder / f"{slug}.toml", (header + text).encode())
    except OSError as error:
        raise ConfigError(f"{slug}.toml", "", f"can't be written: {error.strerror}") from None
    return slug


def add_reader(path: Path, kind: Kind, address: str, checks: AddressChecks) -> bool:
    """Add a reader to a profile's file, or return False if it has them. Raises ConfigError."""

    def add(document: tomlkit.TOMLDocument, addresses: Sequence[str]) -> str | None:
        if address.lower() in addresses:
            return None
        _readers(path, document)
        # tomlkit writes no empty line before a table, and none behind a last line without an end.
        return f"{document.as_string().rstrip()}\n\n[[readers]]\n{kind} = {tomlkit.item(address).as_string()}\n"

    return _edit(path, add, checks)


def remove_reader(path: Path, address: str, checks: AddressChecks) -> bool:
    """Remove a reader from a profile's file, or return False if it lacks them. Raises ConfigError."""

    def remove(document: tomlkit.TOMLDocument, addresses: Sequence[str]) -> str | None:
        if address.lower() not in addresses:
            return None
        readers = _readers(path, document)
        del readers[addresses.index(address.lower())]
        if not readers:
            del document["readers"]
        return document.as_string()

    return _edit(path, remove, checks)


def mentions(path: Path, address: str) -> bool:
    """Return whether a file contains an address, even in comments. True if it can't be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace").lower()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    # Not within another address: ann@example.org is not in joann@example.org or ann@example.org.uk.
    return re.search(rf"(?<![\w.+-]){re.escape(address.lower())}(?![\w-]|\.\w)", text) is not None


def _edit(
    path: Path, change: Callable[[tomlkit.TOMLDocument, Sequence[str]], str | None], checks: AddressChecks
) -> bool:
    """Edit a profile by a function of document and addresses in lower case, unless it returns None."""

    def changed(text: str) -> str | None:
        profile = validated(Profile, parse_toml(text, path.name), path.name, text, checks)
        result = change(tomlkit.parse(text), [address.lower() for _, address in profile.addresses])
        if result is not None:
            # tomlkit has bugs with unusual files.
            validated(Profile, tomlkit.parse(result).unwrap(), path.name, result, checks)
        return result

    try:
        return edit_text(path, changed)
    except (TOMLKitError, RecursionError):  # tomlkit refuses some files that tomllib reads
        raise ConfigError(path.name, "", "can't be edited here; change it by hand") from None


def _readers(path: Path, document: tomlkit.TOMLDocument) -> AoT:
    readers: Any = document.get("readers", tomlkit.aot())
    if not isinstance(readers, AoT):
        raise ConfigError(path.name, "readers", "can't be edited here; write each reader as [[readers]]")
    return readers
